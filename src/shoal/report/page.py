"""The report as a page: renders facts as one self-contained HTML document. Text from users is escaped.

The page begins with an executive summary and ends with a citation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from shoal.data.items import without_names
from shoal.io.write.cell_checks import formula_notes_in
from shoal.methods import METHODS
from shoal.parameters import Typed
from shoal.report import charts, sections
from shoal.report import verdict_text as verdicts
from shoal.report.alarms import alarms
from shoal.report.attacks import ATTACKS, HEAD, attack_parts, attacks_without_rate, before, conclusion_in, outcomes_on, rate_of, strongest
from shoal.report.charts import topic_picture
from shoal.report.facts import Facts, PublishedItem
from shoal.report.formatting import count, escaped, number, own_markup, plain, plural, policy, spoken, with_code
from shoal.report.sections import NO_NUMBERS, published_part
from shoal.report.sections import WITHHELD as CLOSED
from shoal.report.summary import PROTECTS, Summary
from shoal.report.verdict_text import headline, lack_of, model_of
from shoal.util.wording import percent

if TYPE_CHECKING:
    from jinja2 import Template

WITHHELD_TEXT = "Not published: exact numbers about the original would break the guarantee."


def render(facts: Facts, summary: Summary) -> str:
    """Render the report of a release as one HTML document, without scripts and external resources."""
    return template("template.html").render(_context(facts, summary))


@cache
def template(name: str) -> Template:
    """Load a page template of this package."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    loader = FunctionLoader(source)
    environment = Environment(
        autoescape=True, finalize=escaped, undefined=StrictUndefined, loader=loader, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["with_code"] = with_code
    style = source("style.css")
    environment.globals |= {"style": own_markup(style), "policy": policy([style])}
    return environment.get_template(name)


def source(name: str) -> str:
    """Read a file of this package."""
    return files("shoal.report").joinpath(*name.split("/")).read_text(encoding="utf-8")


def _context(facts: Facts, summary: Summary) -> dict[str, Any]:
    manifest = facts.manifest
    judged, lack = manifest.get("claims", []), lack_of(manifest)
    metrics = manifest.get("metrics", {})
    meter = sections.loss_meter(metrics)
    method, parameters = sections.method_rows(manifest)
    return {
        "version": plain(str(manifest.get("shoal", ""))),
        "settings": sections.settings_line(manifest),
        "headline": verdicts.headline(judged, lack),
        "lack": plain(lack),
        "alarms": [plain(warning) for warning in alarms(manifest)],
        "short": in_short(manifest, summary),
        "withheld": WITHHELD_TEXT if sections.WITHHELD in manifest else "",
        "shares": summary.shares,
        "noun": summary.noun,
        "base": sections.base_of(manifest, summary),
        "share_chart": own_markup(sections.share_chart(summary)),
        "warning": summary.warning,
        "tiles": [verdicts.guarantee(judged, lack), summary.tile, sections.published_tile(manifest)],
        "claims": [verdicts.claim_of(v) for v in judged],
        "checked": verdicts.claims_line(judged),
        "method": method,
        "parameters": parameters,
        "input": sections.input_rows(manifest),
        "accounts": [(a, own_markup(a.chart)) for a in sections.accounts(manifest)],
        **(_attacks(manifest) if ATTACKS in manifest else {"attacked": False}),
        "citation": citation_of(manifest),
        "meter": meter,
        "meter_chart": own_markup(meter.chart) if meter else "",
        "metrics": sections.metric_rows(metrics),
        **_pictures(facts),
        "queries": _queries(facts),
        "files": sections.file_rows(manifest),
        "formulas": [plain(note) for note in formula_notes_in(manifest.get("notes", []))],
    }


def _attacks(manifest: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "attacked": True,
        "attacks": [(one, [(lane, own_markup(lane.svg)) for lane in one.lanes]) for one in attack_parts(manifest)],
        "attack_head": HEAD,
        "unrated_attacks": attacks_without_rate(manifest),
        "targets": count(manifest[ATTACKS].get("targets", 0)),
    }


def _pictures(facts: Facts) -> dict[str, Any]:
    shown = {"frequent": facts.frequent, "specific": facts.specific, "vaguest": facts.vaguest}
    return {
        "group_chart": _picture(charts.group_picture(facts)),
        "length_chart": _picture(charts.length_picture(facts)),
        "level_chart": _picture(charts.level_picture(facts)),
        "topic_chart": _picture(topic_picture(facts.topics, facts.published)) if facts.topics else None,
        "uneven": {"groups": facts.group_sizes.uneven, "lengths": facts.lengths.uneven},
        "sizes": {
            "groups": plural(facts.sizes.groups, "group"),
            "smallest": count(facts.sizes.smallest),
            "median": number(facts.sizes.median),
            "largest": count(facts.sizes.largest),
        },
        "parts": [f"parts/{part}.html" for part in facts.parts],
        "example_records": sections.example_rows(facts.examples),
        "spreads": sections.spread_rows(facts.spreads),
        "fewest": count(facts.fewest),
        "kinds": {"before": count(facts.items_before), "after": count(facts.items_after)},
        **{key: _with_bars(items, facts.published) for key, items in shown.items()},
    }


def _picture(picture: charts.Picture) -> dict[str, Any]:
    return {"svg": own_markup(picture.svg), "head": picture.head, "rows": picture.rows}


def _queries(facts: Facts) -> dict[str, Any] | None:
    """Return the part about published rows of a log; empty for any other release."""
    queries = facts.queries
    if queries is None:
        return None
    return {
        "before": count(queries.before),
        "after": count(queries.after),
        "chart": _picture(charts.query_picture(queries)),
        "uneven": queries.sizes.uneven,
        "frequent": [(row, own_markup(row.bar)) for row in sections.query_rows(queries, facts.published)],
    }


def _with_bars(items: Sequence[PublishedItem], records: int) -> list[Any]:
    return [(row, own_markup(row.bar)) for row in sections.item_rows(items, records)]


# -- executive summary


UNTRIED = "Not measured: no attack was run before this release was written. `shoal attack` runs the attacks that apply to it."
WITHHELD = "Counts with noise. The number of people is not published: exact numbers would break the guarantee."


@dataclass(frozen=True)
class SummaryPoint:
    """A heading with one or two sentences; with the tone `bad` it is shown in red."""

    name: str
    text: str
    tone: str = ""


def in_short(manifest: Mapping[str, Any], summary: Summary) -> list[SummaryPoint]:
    """Return the executive summary."""
    claims = manifest.get("claims", [])
    points = [SummaryPoint("Published", _published(manifest)), SummaryPoint("Guaranteed", _guaranteed(manifest))]
    if limits := limits_of(claims):
        points.append(SummaryPoint("Limits of the guarantee", limits))
    points.append(SummaryPoint("Utility", _left(manifest, summary)))
    return [*points, SummaryPoint("Disclosure risk", _gained(manifest)), *_verdict_of_attacks(manifest)]


def limits_of(claims: Sequence[Mapping[str, Any]]) -> str:
    """Return the distinct limits that the models state."""
    models = [model for model in map(model_of, claims) if model is not None]
    return " ".join(dict.fromkeys(model.limits for model in models))


def _published(manifest: Mapping[str, Any]) -> str:
    if manifest.get(CLOSED) == NO_NUMBERS:
        return WITHHELD
    published, owners = published_part(manifest), manifest.get("input", {}).get("owners")
    of_people = f" of {plural(owners, 'person', 'people')}" if isinstance(owners, int) else ""
    if not published.total:
        return f"Nothing: the input has no {published.noun}."
    rest = f"{count(published.total - published.shown)} suppressed" if published.total > published.shown else "none suppressed"
    return f"{count(published.shown)} of {plural(published.total, published.noun.removesuffix('s'))}{of_people}; {rest}."


def _guaranteed(manifest: Mapping[str, Any]) -> str:
    claims, lack = manifest.get("claims", []), lack_of(manifest)
    verdict = headline(claims, lack)
    protected = manifest.get("input", {}).get(PROTECTS, "")
    scope = f" Protected: {plain(str(protected))}." if protected else ""
    if verdict.tone == "good":
        return f"{verdict.lead}{scope}"
    return "Nothing." if lack or not claims else f"{verdict.title} {verdict.lead}"


def _left(manifest: Mapping[str, Any], summary: Summary) -> str:
    """Return the forms in which items are published, or else the main number of the report."""
    if summary.shares:
        first, *others = [share for share in summary.shares if share.n] or summary.shares[:1]
        rest = ", ".join(f"{share.text} {share.name}" for share in others)
        warning = f" Few {summary.noun} are published {summary.shares[0].name}." if summary.warning else ""
        return f"{first.text} of the {summary.noun} are published {first.name}{f'; {rest}' if rest else ''}.{warning}"
    if summary.tile.tone != "open":
        return f"{summary.tile.label}: {summary.tile.value} {summary.tile.note}."
    sentence = "; ".join(f"{name}: {plain(text)}" for name, text in summary.lines)
    return f"{sentence[0].upper()}{sentence[1:]}." if sentence else "Not measured: this requires the original."


def _gained(manifest: Mapping[str, Any]) -> str:
    if ATTACKS not in manifest:
        return UNTRIED
    outcomes = outcomes_on(manifest)
    promised, others = ([one for one in outcomes if ("ceiling" in one) is wanted] for wanted in (True, False))
    sentences = [f"{_best(manifest, strongest(promised))} {_verdict(promised)}"] if promised else []
    sentences += [f"Not covered by a guarantee: {_best(manifest, strongest(others))}"] if others else []
    return " ".join([*sentences, *(f"{sentence}." for sentence in attacks_without_rate(manifest))])


def _verdict_of_attacks(manifest: Mapping[str, Any]) -> list[SummaryPoint]:
    """Return the guarantee, and what an attacker can actually do; empty if no attack has a rate."""
    if ATTACKS not in manifest or not outcomes_on(manifest):
        return []
    verdict = conclusion_in(manifest)
    return [
        SummaryPoint("Bounds on attacks", f"{_sentence(verdict.promised)}"),
        SummaryPoint("Measured risk", _sentence(plain(verdict.in_fact)), "bad" if verdict.severe else ""),
    ]


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _best(manifest: Mapping[str, Any], one: Mapping[str, Any]) -> str:
    was = before(manifest, one)
    raw = f"; {percent(was['success'])} in the original" if was else ""
    known = f"{one['attack']} (known: {plain(str(one['knowledge']))})"
    return f"{known} succeeds in {rate_of(one)}{raw}."


def _verdict(promised: Sequence[Mapping[str, Any]]) -> str:
    worst = strongest(promised)
    unsure = sum(one["verdict"] != "within the promise" for one in promised)
    rest = f"; {plural(unsure, 'rate')} may exceed it" if unsure else ""
    return f"The guarantee allows at most {percent(worst['ceiling'])}{rest}."


# -- citation


OWN = "none (developed for shoal)"  # the paper of a method that has none
TITLE = "shoal: anonymization of query logs, baskets and click streams"
_SPECIAL = {"\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_SPECIAL |= {sign: f"\\{sign}" for sign in "&%$#_"}


@dataclass(frozen=True)
class Citation:
    """A citation as a sentence and as BibTeX."""

    sentence: str
    bibtex: str


def citation_of(manifest: Mapping[str, Any]) -> Citation:
    """Return the citation of a release with this manifest."""
    version, method = plain(str(manifest.get("shoal", ""))), plain(str(manifest.get("method") or "not recorded"))
    paper = METHODS[method].paper if method in METHODS else OWN
    parameters = ", ".join(f"{spoken(key)} = {value}" for key, value in _parameters(method, manifest.get("parameters", {})))
    claims = ", ".join(without_names(plain(str(claim["model"]))) for claim in manifest.get("claims", []))
    promised = "no guarantee" if lack_of(manifest) or not claims else f"guarantee: {claims}"
    source = "" if paper == OWN else f" ({paper})"
    sentence = f"Anonymized with shoal {version} by the method {method}{source}{f' with {parameters}' if parameters else ''}; {promised}."
    note = f"Method {method}{f'; {parameters}' if parameters else ''}; {promised}"
    entries = [_entry("software", "shoal", {"title": TITLE, "version": version, "note": note})]
    if paper != OWN:
        entries.append(_entry("misc", f"shoal-{method}", {"title": f"The method {method}", "howpublished": paper, **_year(paper)}))
    return Citation(sentence, "\n\n".join(entries))


def _parameters(method: str, recorded: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return parameters that are set; for text from the user, such as a list of items, only that it is set."""
    chosen = {p.name for p in METHODS[method].parameters() if p.choices or issubclass(p.type, Typed)} if method in METHODS else set()
    return [(key, _shown(value, key in chosen)) for key, value in recorded.items() if value is not None]


def _shown(value: Any, chosen: bool) -> str:
    if isinstance(value, str) and not chosen:
        return "given"
    return str(value) if type(value) is int else number(value)


def _year(paper: str) -> dict[str, str]:
    years = re.findall(r"\b(?:19|20)\d\d\b", paper)
    return {"year": years[-1]} if years else {}


def _entry(kind: str, key: str, fields: Mapping[str, str]) -> str:
    lines = [f"  {name} = {{{_escaped(value)}}}" for name, value in fields.items()]
    return f"@{kind}{{{re.sub(r'[^A-Za-z0-9-]', '-', key)},\n" + ",\n".join(lines) + "\n}"


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(sign, sign) for sign in text)
