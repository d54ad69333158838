"""The figures of campaigns in docs/reliability.md, written from their logs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

OF_A_SEED = 10**9  # numbers that belong to a seed
PAGE = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
BEGIN, END = "<!-- figures: python -m tests.campaign --figures LOG... -->\n", "<!-- end of figures -->\n"

Lines = list[dict[str, Any]]


def write_figures(lines: Lines, page: Path = PAGE) -> str:
    """Replace the figures of the page by those of these lines, and return them."""
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, marker, after = rest.partition(END)
    if not marker:
        raise ValueError(f"{page} has no place for figures")
    text = figures(lines, f"{datetime.now(UTC):%Y-%m-%d}")
    page.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")
    return text


def figures(lines: Lines, date: str) -> str:
    """Counts in Markdown: in all, by seed, by method, by claim and by further property."""
    released = [line for line in lines if line["code"] == 0]
    failed = [line for line in lines if line["wrong"]]
    seeds = Counter(line["number"] // OF_A_SEED for line in lines)
    claims = Counter(claim for line in released for claim in line["claims"])
    steps = Counter(step for line in released for step in line.get("then", []))
    twists = Counter(line["twist"] for line in lines if line.get("twist"))
    text = [
        f"As of {date}: {len(lines):,} runs, {len(released):,} releases, {len(lines) - len(released):,} refusals, "
        f"{len(failed):,} failures, {sum(claims.values()):,} claims recounted.",
        "",
        *_table(("seed", "runs"), [(str(seed), n) for seed, n in sorted(seeds.items())]),
        *_table(
            ("method", "runs", "releases"),
            [(f"`{name}`", n, _count(released, name)) for name, n in sorted(Counter(line["method"] for line in lines).items())],
        ),
        *_table(("claim", "recounted"), [(f"`{name}`", n) for name, n in sorted(claims.items())]),
        *_table(("step after a release", "runs"), sorted(steps.items())),
        *_table(("unusual input", "runs"), sorted(twists.items())),
        "The first logs have no steps and no unusual inputs, so these are counted only for the later runs.",
    ]
    return "\n".join(text) + "\n"


def _count(lines: Lines, method: str) -> int:
    return sum(line["method"] == method for line in lines)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str | int, ...]]) -> list[str]:
    """A table in Markdown, with a blank line after it; nothing without rows."""
    cells = [[f"{cell:,}" if isinstance(cell, int) else cell for cell in row] for row in rows]
    if not cells:
        return []
    lines = [list(head), ["---"] + ["---:"] * (len(head) - 1), *cells]
    return [*(f"| {' | '.join(line)} |" for line in lines), ""]
