"""The page: facts in, one HTML document out that needs nothing but itself. What users wrote is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from shoal.io.formula_check import formula_notes_in
from shoal.report import chart_tables as pictures
from shoal.report import sections
from shoal.report import verdict_text as verdicts
from shoal.report.alarms import alarms
from shoal.report.attack_section import HEAD, attack_parts
from shoal.report.attack_summary import ATTACKS, untold
from shoal.report.citation import citation_of
from shoal.report.escaping import escaped, own_markup, policy
from shoal.report.executive_summary import in_short
from shoal.report.facts import Facts, PublishedItem
from shoal.report.number_format import count, number, plain, plural
from shoal.report.summary import Summary
from shoal.report.verdict_text import lack_of

if TYPE_CHECKING:
    from jinja2 import Template

UNTOLD = "Not published: exact numbers about the original would break the guarantee."


def render(facts: Facts, summary: Summary) -> str:
    """The report of a release as one HTML document, without script and without any outside resource."""
    return template("template.html").render(_context(facts, summary))


@cache
def template(name: str) -> Template:
    """A page of this package, ready to be filled."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    loader = FunctionLoader(source)
    environment = Environment(
        autoescape=True, finalize=escaped, undefined=StrictUndefined, loader=loader, trim_blocks=True, lstrip_blocks=True
    )
    style = source("style.css")
    environment.globals |= {"style": own_markup(style), "policy": policy([style])}
    return environment.get_template(name)


def source(name: str) -> str:
    """The text of a file of this package."""
    return files("shoal.report").joinpath(*name.split("/")).read_text(encoding="utf-8")


def _context(facts: Facts, summary: Summary) -> dict[str, Any]:
    manifest = facts.manifest
    judged, lack = manifest.get("claims", []), lack_of(manifest)
    metrics = manifest.get("metrics", {})
    meter = sections.loss_meter(metrics)
    method, parameters = sections.method_rows(manifest)
    return {
        "version": plain(str(manifest.get("shoal", ""))),
        "asked": sections.asked_line(manifest),
        "headline": verdicts.headline(judged, lack),
        "lack": plain(lack),
        "alarms": [plain(warning) for warning in alarms(manifest)],
        "short": in_short(manifest, summary),
        "untold": UNTOLD if sections.WITHHELD in manifest else "",
        "shares": summary.shares,
        "share_chart": own_markup(sections.share_chart(summary)),
        "warning": summary.warning,
        "tiles": [verdicts.guarantee(judged, lack), summary.tile, sections.published_tile(manifest)],
        "claims": [verdicts.claim_of(v) for v in judged],
        "checked": verdicts.claims_line(judged),
        "method": method,
        "parameters": parameters,
        "input": sections.input_rows(manifest),
        "accounts": [(a, own_markup(a.chart)) for a in sections.accounts(manifest)],
        "attacks": [(one, [(lane, own_markup(lane.svg)) for lane in one.lanes]) for one in attack_parts(manifest)],
        "attack_head": HEAD,
        "untold_attacks": untold(manifest),
        "attacked": ATTACKS in manifest,
        "targets": count(manifest.get(ATTACKS, {}).get("targets", 0)),
        "citation": citation_of(manifest),
        "meter": meter,
        "meter_chart": own_markup(meter.chart) if meter else "",
        "metrics": sections.metric_rows(metrics),
        **_pictures(facts),
        "queries": _queries(facts),
        "files": sections.file_rows(manifest),
        "formulas": [plain(note) for note in formula_notes_in(manifest.get("notes", []))],
    }


def _pictures(facts: Facts) -> dict[str, Any]:
    shown = {"frequent": facts.frequent, "specific": facts.specific, "vaguest": facts.vaguest}
    return {
        "group_chart": _picture(pictures.group_picture(facts)),
        "length_chart": _picture(pictures.length_picture(facts)),
        "level_chart": _picture(pictures.level_picture(facts)),
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


def _picture(found: pictures.Picture) -> dict[str, Any]:
    return {"svg": own_markup(found.svg), "head": found.head, "rows": found.rows}


def _queries(facts: Facts) -> dict[str, Any] | None:
    """What is told about published rows of a log; nothing of any other release."""
    found = facts.queries
    if found is None:
        return None
    return {
        "before": count(found.before),
        "after": count(found.after),
        "chart": _picture(pictures.query_picture(found)),
        "uneven": found.sizes.uneven,
        "frequent": [(row, own_markup(row.bar)) for row in sections.query_rows(found, facts.published)],
    }


def _with_bars(items: Sequence[PublishedItem], records: int) -> list[Any]:
    return [(row, own_markup(row.bar)) for row in sections.item_rows(items, records)]
