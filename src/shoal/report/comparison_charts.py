"""The charts of a comparison, as specifications for Vega-Lite, each with the numbers that it shows as a table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Numbers = Mapping[str, Any]
Spec = dict[str, Any]

CLASSES = {"kept_head": "head", "kept_torso": "torso", "kept_tail": "tail"}
COVERED = {
    "kept": "words as typed",
    "one_level": "words within one level",
    "terms_kept": "distinct terms",
    "volume_kept": "whole queries or records",
    "queries_kept": "distinct whole queries or records",
    "people_left": "people with published data",
}
FOUND_AGAIN = {
    "pattern_recall": "top patterns",
    "pair_recall": "top pairs",
    "cluster_agreement": "k-means clusters",
    "nearest_agreement": "TF-IDF nearest neighbours",
}
ERRORS = {
    "count_error_1": "counts of one item",
    "count_error_2": "counts of two items",
    "count_error_3": "counts of three items",
    "pair_error": "pair supports",
}
LATER = {
    "completion": "next word of a query",
    "next_item": "next item of a person",
    "completion_original": "next word, trained on the original",
    "next_item_original": "next item, trained on the original",
}
LOSSES = {"loss": "loss", "bound": "lower bound"}
COST = {"seconds": "processor seconds", "peak_mb": "peak memory, MB"}
FRONTIER = {
    "kept": "words as typed",
    "attack_rate": "strongest attack",
    "attack_high": "at most",
    "attack_original": "on the original",
    "worst_attack": "attacker's knowledge",
}
NOT_SHARES = {*COST, "worst_attack"}
SIZES = {1: "an item", 2: "two items", 3: "three items"}
LEVEL = re.compile(r"count_error_(\d)_level_(\d+)")
ROW_HEIGHT, LEAST_ROWS = 20, 3
CONFIG: Spec = {  # letters as the page's style has them: Vega measures texts before they are drawn
    "font": '"Avenir Next", Avenir, "Segoe UI", "Helvetica Neue", "Noto Sans", "Liberation Sans", Arial, sans-serif',
    "legend": {"orient": "bottom", "title": None, "columns": 3, "labelLimit": 0, "labelFontSize": 12, "symbolOpacity": 1},
    "view": {"stroke": None},
    "axis": {"labelFontSize": 12, "titleFontSize": 12, "gridOpacity": 0.3},
    "axisX": {"tickCount": 6},
    "axisY": {"labelLimit": 240},
}


@dataclass(frozen=True)
class InteractiveChart:
    """A chart: its name on the page, what it shows in words, its specification, and its numbers under their headings."""

    name: str
    title: str
    words: str
    spec: Spec
    columns: tuple[str, ...]
    table: tuple[tuple[str, tuple[str, ...]], ...]


def pictures(rows: Sequence[Numbers]) -> list[InteractiveChart]:
    """All charts that have something to show."""
    attacked = [row for row in rows if "attack_high" in row]
    found = [
        _picture("frontier", "Utility and risk", FRONTIER_WORDS, attacked, FRONTIER, _frontier(attacked)),
        _picture("coverage", "Coverage", COVERED_WORDS, rows, COVERED, _points(rows, COVERED, "share")),
        _picture("classes", "Head, torso, tail", CLASSES_WORDS, rows, CLASSES, _points(rows, CLASSES, "share of words as typed")),
        _picture("loss", "Loss and lower bound", LOSS_WORDS, rows, LOSSES, _loss(rows)),
        _picture("again", "Data mining", AGAIN_WORDS, rows, FOUND_AGAIN, _points(rows, FOUND_AGAIN, "share found, or agreement")),
        _picture("errors", "Counting errors", ERROR_WORDS, rows, ERRORS, _points(rows, ERRORS, "mean relative error")),
        *(_by_level(rows, size) for size in SIZES),
        _picture("later", "Forecasts", LATER_WORDS, rows, LATER, _points(rows, LATER, "share of correct guesses")),
        _picture("cost", "Time and memory", COST_WORDS, rows, COST, _cost(rows)),
    ]
    return [picture for picture in found if picture.table]


FRONTIER_WORDS = (
    "Each point is a release. Further right, more words are published as typed; further down, the strongest attack succeeds less often. "
    "The line starts at its success rate, and the point is the upper end of the 95% interval. Lower right is better. The "
    "dashed line is the same for the unprotected original."
)
COVERED_WORDS = "Share published unchanged: words, terms, whole queries or records; and share of people with any published data."
CLASSES_WORDS = "Words published as typed among terms used by at least 1% of people (head), at least 0.1% (torso) and fewer (tail)."
LOSS_WORDS = "GGD per occurrence, for releases on a taxonomy. The short line is a proven lower bound for k-anonymous releases with that k."
AGAIN_WORDS = "Data mining on the release compared with the original: higher is better, 1 is identical; 0 is chance agreement for clusters."
ERROR_WORDS = "Relative error of counts on the release: lower is better. The base is the true count, or 0.1% of the records if larger."
LEVEL_WORDS = "Mean relative error of counting records with {size}, by level of the taxonomy; the root is level 1."
LATER_WORDS = "Trained on a release of the earlier period, and on the original log; tested on later rows with ten guesses each."
COST_WORDS = "Processor time of method and verification, and peak memory of the process."


def told(name: str, value: Any) -> str:
    """A number as a table has it."""
    if value is None or isinstance(value, str):
        return value or ""
    return f"{value:,.3g}" if name in NOT_SHARES else f"{100 * value:.1f} %"


def _picture(name: str, title: str, words: str, rows: Sequence[Numbers], names: Mapping[str, str], spec: Spec) -> InteractiveChart:
    shown = [row for row in rows if any(row.get(column) is not None for column in names)]
    there = [column for column in names if any(row.get(column) is not None for row in shown)]
    table = tuple((row["cell"], tuple(told(column, row.get(column)) for column in there)) for row in shown)
    common = {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "background": None,
        "width": "container",
        "autosize": {"type": "fit-x", "contains": "padding"},
        "config": CONFIG,
    }
    return InteractiveChart(name, title, words, {**common, **spec}, tuple(names[column] for column in there), table)


def _frontier(rows: Sequence[Numbers]) -> Spec:
    several = len({row["per"] for row in rows}) > 1
    place = {"x": {"field": "kept", "type": "quantitative", "axis": {"format": "%"}, "title": "words as typed"}}
    color = {"color": {"field": "method", "type": "nominal"}}
    tooltip = [{"field": "cell"}, {"field": "kept", "format": ".1%"}, {"field": "attack_high", "format": ".1%"}, {"field": "worst_attack"}]
    high = {"field": "attack_high", "type": "quantitative", "axis": {"format": "%"}, "title": "strongest attack, at most"}
    point = {
        "params": [{"name": "chosen", "select": {"type": "point", "fields": ["cell"]}}],
        "mark": {"type": "point", "filled": True, "size": 110, "cursor": "pointer"},
        "encoding": {
            **place,
            "y": high,
            **color,
            "opacity": {"condition": {"param": "chosen", "value": 1}, "value": 0.3},
            "tooltip": tooltip,
            **({"shape": {"field": "per", "type": "nominal"}} if several else {}),
        },
    }
    low = {"field": "attack_rate", "type": "quantitative"}
    line = {"mark": {"type": "rule", "opacity": 0.4}, "encoding": {**place, "y": low, "y2": {"field": "attack_high"}, **color}}
    original = max((row["attack_original_high"] for row in rows if "attack_original_high" in row), default=None)
    dashed = {
        "data": {"values": [] if original is None else [{"original": original}]},
        "mark": {"type": "rule", "strokeDash": [5, 4], "color": "#888"},
        "encoding": {"y": {"field": "original", "type": "quantitative"}},
    }
    return {"data": {"values": list(rows)}, "height": 380, "layer": [dashed, line, point]}


def _cells(rows: Sequence[Numbers]) -> Spec:
    return {"height": ROW_HEIGHT * max(LEAST_ROWS, len({row["cell"] for row in rows}))}


CELL_AXIS: Spec = {"field": "cell", "type": "nominal", "sort": None, "title": None, "axis": {"grid": True}}


def _points(rows: Sequence[Numbers], names: Mapping[str, str], title: str) -> Spec:
    long = _long(rows, names)
    there = [name for name in names.values() if any(one["what"] == name for one in long)]
    what = {"field": "what", "type": "nominal", "scale": {"domain": there}}
    return {
        "data": {"values": long},
        **_cells(long),
        "mark": {"type": "point", "filled": True, "size": 70, "opacity": 0.85},
        "encoding": {
            "y": CELL_AXIS,
            "x": {"field": "value", "type": "quantitative", "axis": {"format": "%"}, "title": title},
            "color": what,
            "shape": what,
            "tooltip": [{"field": "cell"}, {"field": "what"}, {"field": "value", "format": ".1%"}],
        },
    }


def _loss(rows: Sequence[Numbers]) -> Spec:
    lost = [row for row in rows if row.get("loss") is not None]
    x = {"field": "loss", "type": "quantitative", "axis": {"format": "%"}, "title": "loss"}
    tooltip = [{"field": "cell"}, {"field": "loss", "format": ".1%"}, {"field": "bound", "format": ".1%"}]
    bar = {
        "mark": {"type": "bar", "opacity": 0.6},
        "encoding": {"y": CELL_AXIS, "x": x, "color": {"field": "method", "type": "nominal"}, "tooltip": tooltip},
    }
    bound = {
        "transform": [{"filter": "isValid(datum.bound)"}],
        "mark": {"type": "tick", "thickness": 3, "size": ROW_HEIGHT, "color": {"expr": "dark ? '#fff' : '#000'"}},
        "encoding": {"y": CELL_AXIS, "x": {"field": "bound", "type": "quantitative"}, "tooltip": tooltip},
    }
    return {"data": {"values": lost}, **_cells(lost), "params": [{"name": "dark", "value": False}], "layer": [bar, bound]}


def _by_level(rows: Sequence[Numbers], size: int) -> InteractiveChart:
    """A field for each release and level."""
    levels = sorted({int(m[2]) for row in rows for name in row if (m := LEVEL.fullmatch(name)) and int(m[1]) == size})
    names = {f"count_error_{size}_level_{level}": f"level {level}" for level in levels}
    deep = [row for row in rows if sum(row.get(name) is not None for name in names) > 1]
    values = [
        {"cell": row["cell"], "level": level, "value": row[name]}
        for row in deep
        for level, name in zip(levels, names, strict=True)
        if name in row
    ]
    spec = {
        "data": {"values": values},
        **_cells(values),
        "mark": "rect",
        "encoding": {
            "y": CELL_AXIS,
            "x": {"field": "level", "type": "ordinal", "title": "level of the taxonomy", "axis": {"labelAngle": 0}},
            "color": {
                "field": "value",
                "type": "quantitative",
                "scale": {"scheme": "viridis"},
                "legend": {"format": "%", "title": "error"},
            },
            "tooltip": [{"field": "cell"}, {"field": "level"}, {"field": "value", "format": ".1%"}],
        },
    }
    return _picture(f"level{size}", f"Counting {SIZES[size]}, by level", LEVEL_WORDS.format(size=SIZES[size]), deep, names, spec)


def _cost(rows: Sequence[Numbers]) -> Spec:
    return {
        "data": {"values": [row for row in rows if row.get("peak_mb") is not None]},
        "height": 260,
        "mark": {"type": "point", "filled": True, "size": 90},
        "encoding": {
            "x": {"field": "seconds", "type": "quantitative", "title": "processor seconds"},
            "y": {"field": "peak_mb", "type": "quantitative", "title": "peak memory, MB", "scale": {"zero": False}},
            "color": {"field": "method", "type": "nominal"},
            "tooltip": [{"field": "cell"}, {"field": "seconds", "format": ".1f"}, {"field": "peak_mb", "format": ".0f"}],
        },
    }


def _long(rows: Sequence[Numbers], names: Mapping[str, str]) -> list[dict[str, Any]]:
    """One row for each number."""
    return [
        {"cell": row["cell"], "what": what, "value": row[name]} for row in rows for name, what in names.items() if row.get(name) is not None
    ]
