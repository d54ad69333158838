"""The page of a comparison: every method at every setting, as pictures that answer to the pointer and as one table. It loads nothing.

Vega-Lite, which draws the pictures, is written into the page. The table beside them holds all numbers for whoever does not see them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from shoal.errors import ParameterError
from shoal.report.page import template

Numbers = Mapping[str, Any]

SHOWN = {
    "kept": "as typed",
    "one_level": "within a level",
    "terms_kept": "different terms",
    "volume_kept": "whole queries or records",
    "queries_kept": "different ones",
    "people_left": "people left",
    "kept_head": "head",
    "kept_torso": "torso",
    "kept_tail": "tail",
    "pattern_recall": "patterns",
    "count_error_2": "error of pairs",
    "loss": "loss",
    "attack_high": "worst attack, at most",
    "seconds": "seconds",
    "peak_mb": "MB",
}
BUNDLE = "window.vegaEmbed = vegaEmbed;"  # what of the library the page uses
CLASSES = {"kept_head": "head", "kept_torso": "torso", "kept_tail": "tail"}
SHARES = (
    "kept",
    "one_level",
    "terms_kept",
    "volume_kept",
    "queries_kept",
    "people_left",
    *CLASSES,
    "pattern_recall",
    "loss",
    "attack_high",
)
TASKS = {"pattern_recall": "patterns found again", "count_error_1": "error: 1 item", "count_error_2": "2 items", "count_error_3": "3 items"}


@dataclass(frozen=True)
class Shown:
    """A row of the comparison: method, label, what a record is, its numbers or why there are none, and how to make its release."""

    method: str
    label: str
    per: str
    found: Numbers
    command: str
    config: str


@dataclass(frozen=True)
class Picture:
    """A chart: its number on the page, what it shows in words, and its specification."""

    name: str
    title: str
    words: str
    spec: str


def render_comparison(title: str, rows: Sequence[Shown], notes: Sequence[str]) -> str:
    """The whole comparison as one page."""
    library = _library()
    done = [row for row in rows if "refused" not in row.found]
    commands = {f"{row.per}: {row.label}": {"command": row.command, "config": row.config} for row in done}
    return template("comparison.html").render(
        title=title,
        pictures=_pictures(done),
        columns=list(SHOWN.values()),
        table=[(row, [_told(name, row.found.get(name)) for name in SHOWN]) for row in done],
        refused=[row for row in rows if "refused" in row.found],
        notes=notes,
        library=_script(library),
        commands=_script(json.dumps(commands)),
    )


def insist_on_extra() -> None:
    """Raise where the page cannot be drawn, before any work is done."""
    try:
        import vl_convert
    except ImportError:
        raise ParameterError("the page of a comparison needs vl-convert-python", hint="pip install 'shoal[compare]'") from None
    del vl_convert


@cache
def _library() -> str:
    """What draws the pictures, as one script; bundling it takes seconds."""
    import vl_convert

    return vl_convert.javascript_bundle(BUNDLE)


def _pictures(rows: Sequence[Shown]) -> list[Picture]:
    flat = [
        {**_plain(row.found), "method": row.method, "label": row.label, "per": row.per, "cell": f"{row.per}: {row.label}"} for row in rows
    ]
    return [
        _picture("frontier", "The frontier", FRONTIER_WORDS, _frontier([row for row in flat if "attack_high" in row])),
        _picture("words", "Words", WORDS_WORDS, _bars(_long(flat, {"kept": "as typed", "one_level": "within a level"}), "share of words")),
        _picture("classes", "Head, torso, tail", CLASSES_WORDS, _points(_long(flat, CLASSES), "share of words as typed")),
        _picture("tasks", "Tasks", TASKS_WORDS, _points(_long(flat, TASKS), "share found again, or mean relative error")),
        _picture("cost", "Time and memory", COST_WORDS, _cost(flat)),
    ]


FRONTIER_WORDS = (
    "Each point is a release. To the right more words are as typed; further down the worst attack succeeds less often (the upper end of "
    "its 95 % interval). What lies down and to the right of another is better in both. Choose a point to see the command that makes it."
)
WORDS_WORDS = "The share of all words that are published as they were typed, and those that are one level up or spelled otherwise."
CLASSES_WORDS = "Words as typed among terms that at least 1 % of people use (head), at least 0.1 % (torso) and fewer (tail)."
TASKS_WORDS = (
    "Top patterns found again (more is better), and the mean error of counting records that hold one, two or three items (less is better)."
)
COST_WORDS = "Processor seconds of method and judge, and peak memory of the process."


def _picture(name: str, title: str, words: str, spec: dict[str, Any]) -> Picture:
    common = {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "background": None,
        "width": "container",
        "autosize": {"type": "fit-x", "contains": "padding"},
        "config": {"legend": {"orient": "bottom", "title": None}, "view": {"stroke": None}},
    }
    return Picture(name, title, words, _script(json.dumps({**common, **spec})))


def _frontier(rows: Sequence[Numbers]) -> dict[str, Any]:
    return {
        "data": {"values": list(rows)},
        "height": 360,
        "params": [{"name": "chosen", "select": {"type": "point", "fields": ["cell"]}}],
        "mark": {"type": "point", "filled": True, "size": 110, "cursor": "pointer"},
        "encoding": {
            "x": {"field": "kept", "type": "quantitative", "axis": {"format": "%"}, "title": "words as typed"},
            "y": {"field": "attack_high", "type": "quantitative", "axis": {"format": "%"}, "title": "worst attack, at most"},
            "color": {"field": "method", "type": "nominal"},
            "shape": {"field": "per", "type": "nominal"},
            "opacity": {"condition": {"param": "chosen", "value": 1}, "value": 0.35},
            "tooltip": [
                {"field": "cell"},
                {"field": "kept", "format": ".1%"},
                {"field": "attack_high", "format": ".1%"},
                {"field": "worst_attack"},
            ],
        },
    }


def _bars(rows: Sequence[Numbers], title: str) -> dict[str, Any]:
    return {
        "data": {"values": list(rows)},
        "mark": "bar",
        "encoding": {
            "y": {"field": "cell", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 260}},
            "x": {"field": "value", "type": "quantitative", "axis": {"format": "%"}, "title": title},
            "color": {"field": "what", "type": "nominal", "sort": None, "title": None},
            "tooltip": [{"field": "cell"}, {"field": "what"}, {"field": "value", "format": ".1%"}],
        },
    }


def _points(rows: Sequence[Numbers], title: str) -> dict[str, Any]:
    spec = _bars(rows, title)
    spec["mark"] = {"type": "point", "filled": True, "size": 70}
    spec["encoding"]["shape"] = {"field": "what", "type": "nominal", "sort": None, "title": None}
    return spec


def _cost(rows: Sequence[Numbers]) -> dict[str, Any]:
    return {
        "data": {"values": [row for row in rows if "peak_mb" in row]},
        "height": 260,
        "mark": {"type": "point", "filled": True, "size": 90},
        "encoding": {
            "x": {"field": "seconds", "type": "quantitative", "title": "processor seconds"},
            "y": {"field": "peak_mb", "type": "quantitative", "title": "peak memory, MB"},
            "color": {"field": "method", "type": "nominal"},
            "tooltip": [{"field": "cell"}, {"field": "seconds", "format": ".1f"}, {"field": "peak_mb", "format": ".0f"}],
        },
    }


def _long(rows: Sequence[Numbers], names: Mapping[str, str]) -> list[dict[str, Any]]:
    """One row for each number."""
    return [{"cell": row["cell"], "what": what, "value": row[name]} for row in rows for name, what in names.items() if name in row]


def _plain(found: Numbers) -> dict[str, Any]:
    return {name: value for name, value in found.items() if isinstance(value, (int, float, str))}


def _told(name: str, value: Any) -> str:
    if value is None:
        return ""
    return f"{100 * value:.1f} %" if name in SHARES else f"{value:,.3g}"


def _script(text: str) -> Any:
    """What stands inside a script of the page: nothing in it may end the script."""
    from markupsafe import Markup

    return Markup(text.replace("</script", "<\\/script").replace("<!--", "<\\!--"))
