"""The figures of campaigns in docs/reliability.md, counted from their logs and kept in `tally.json`.

Logs are large and stay where they were written; the tally has the counts of each seed, so that figures of all campaigns add up.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

OF_A_SEED = 10**9  # numbers that belong to a seed
PAGE = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
TALLY = Path(__file__).with_name("tally.json")
BADGE = PAGE.parent / "images" / "reliability.svg"
BEGIN, END = "<!-- figures: python -m tests.campaign --figures LOG... -->\n", "<!-- end of figures -->\n"
TITLES = {"claims": ("claim", "recounted"), "steps": ("step after a release", "runs"), "twists": ("unusual input", "runs")}

Lines = list[dict[str, Any]]


@dataclass(frozen=True)
class Campaign:
    """The counts of one seed: in all, and by method, claim, step after a release and unusual input, where they are known.

    `seed` is text, because the first entry joins several seeds. `commit` and `date` say where and when it ended.
    """

    seed: str
    commit: str
    date: str
    runs: int
    releases: int
    failures: int
    claims_recounted: int = 0
    methods: dict[str, int] = field(default_factory=dict)
    released: dict[str, int] = field(default_factory=dict)
    claims: dict[str, int] = field(default_factory=dict)
    steps: dict[str, int] = field(default_factory=dict)
    twists: dict[str, int] = field(default_factory=dict)


def counted(lines: Lines, commit: str, date: str) -> list[Campaign]:
    """The counts of these lines, by seed."""
    by_seed: dict[int, Lines] = {}
    for line in lines:
        by_seed.setdefault(line["number"] // OF_A_SEED, []).append(line)
    return [_counted(str(seed), found, commit, date) for seed, found in sorted(by_seed.items())]


def _counted(seed: str, lines: Lines, commit: str, date: str) -> Campaign:
    released = [line for line in lines if line["code"] == 0]
    claims = Counter(claim for line in released for claim in line["claims"])
    return Campaign(
        *(seed, commit, date, len(lines), len(released), sum(bool(line["wrong"]) for line in lines), claims.total()),
        methods=_sorted(line["method"] for line in lines),
        released=_sorted(line["method"] for line in released),
        claims=dict(sorted(claims.items())),
        steps=_sorted(step for line in released for step in line["then"]),
        twists=_sorted(line["twist"] for line in lines if line["twist"]),
    )


def _sorted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


def read_tally(place: Path = TALLY) -> list[Campaign]:
    """The counts of all campaigns so far."""
    return [Campaign(**entry) for entry in json.loads(place.read_text(encoding="utf-8"))]


def merged(before: Sequence[Campaign], after: Sequence[Campaign]) -> list[Campaign]:
    """All campaigns, with newer counts of the same seed instead of older ones.

    Raises:
        ValueError: A seed has fewer runs than before, so the log is not that of the counts that it would replace.
    """
    known = {campaign.seed: campaign for campaign in before}
    for campaign in after:
        if campaign.seed in known and known[campaign.seed].runs > campaign.runs:
            raise ValueError(f"seed {campaign.seed} has {campaign.runs:,} runs in the log and {known[campaign.seed].runs:,} in the tally")
        known[campaign.seed] = campaign
    return list(known.values())


def write_figures(lines: Lines, commit: str, date: str, page: Path = PAGE, tally: Path = TALLY, badge: Path = BADGE) -> str:
    """Add the counts of these lines to the tally, replace the figures of the page and of the badge, and return those of the page."""
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, marker, after = rest.partition(END)
    if not marker:
        raise ValueError(f"{page} has no place for figures")
    campaigns = merged(read_tally(tally), counted(lines, commit, date))
    tally.write_text(json.dumps([asdict(campaign) for campaign in campaigns], indent=1) + "\n", encoding="utf-8")
    text = figures(campaigns)
    page.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")
    badge.write_text(drawn(campaigns), encoding="utf-8")
    return text


def drawn(campaigns: Sequence[Campaign]) -> str:
    """The badge of the README: how many random runs were checked, as SVG."""
    text = f"{sum(campaign.runs for campaign in campaigns):,} random runs checked"
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="250" height="20" role="img" aria-label="reliability: {text}">
<title>reliability: {text}</title>
<rect width="70" height="20" fill="#444"/><rect x="70" width="180" height="20" fill="#1a6e3c"/>
<g fill="#fff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11" text-anchor="middle">
<text x="35" y="14">reliability</text><text x="160" y="14">{text}</text></g>
</svg>
"""


def figures(campaigns: Sequence[Campaign]) -> str:
    """Counts in Markdown: in all, by seed, by method, by claim and by further property."""
    runs, releases = sum(campaign.runs for campaign in campaigns), sum(campaign.releases for campaign in campaigns)
    failures, claims = sum(campaign.failures for campaign in campaigns), sum(campaign.claims_recounted for campaign in campaigns)
    methods, released = _summed(campaigns, "methods"), _summed(campaigns, "released")
    text = [
        f"In all {runs:,} runs: {releases:,} releases, {runs - releases:,} refusals, {failures:,} failures, {claims:,} claims recounted.",
        "",
        *_table(("seeds", "commit", "ended", "runs", "releases", "failures"), [_row(campaign) for campaign in campaigns]),
        *_table(("method", "runs", "releases"), [(f"`{name}`", n, released[name]) for name, n in sorted(methods.items())]),
        *(line for name, head in TITLES.items() for line in _table(head, _cells(name, _summed(campaigns, name)))),
    ]
    return "\n".join(text)


def _summed(campaigns: Sequence[Campaign], name: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    for campaign in campaigns:
        counts.update(getattr(campaign, name))
    return counts


def _row(campaign: Campaign) -> tuple[str | int, ...]:
    return campaign.seed, campaign.commit, campaign.date, campaign.runs, campaign.releases, campaign.failures


def _cells(name: str, counts: Counter[str]) -> list[tuple[str | int, ...]]:
    return [(f"`{key}`" if name == "claims" else key, n) for key, n in sorted(counts.items())]


def _table(head: tuple[str, ...], rows: Sequence[tuple[str | int, ...]]) -> list[str]:
    """A table in Markdown, with a blank line after it; nothing without rows."""
    if not rows:
        return []
    aligned = ["---:" if isinstance(cell, int) else "---" for cell in rows[0]]
    cells = [[f"{cell:,}" if isinstance(cell, int) else cell for cell in row] for row in rows]
    return [*(f"| {' | '.join(line)} |" for line in [list(head), aligned, *cells]), ""]
