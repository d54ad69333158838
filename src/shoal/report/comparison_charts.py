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
    "one_level": "words within a level",
    "terms_kept": "different terms",
    "volume_kept": "whole queries or records",
    "queries_kept": "different whole ones",
    "people_left": "people with something left",
}
FOUND_AGAIN = {
    "pattern_recall": "top patterns",
    "pair_recall": "top pairs",
    "cluster_agreement": "clusters of k-means",
    "nearest_agreement": "nearest by TF-IDF",
}
ERRORS = {
    "count_error_1": "counts of one item",
    "count_error_2": "counts of two items",
    "count_error_3": "counts of three items",
    "pair_error": "supports of pairs",
}
LATER = {
    "completion": "next word of a query",
    "next_item": "what a person does next",
    "completion_original": "next word, from the log itself",
    "next_item_original": "does next, from the log itself",
}
LOSSES = {"loss": "loss", "bound": "no release is below"}
COST = {"seconds": "processor seconds", "peak_mb": "peak memory, MB"}
FRONTIER = {
    "kept": "words as typed",
    "attack_rate": "worst attack",
    "attack_high": "at most",
    "attack_original": "on the original",
    "worst_attack": "what is known",
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
class Picture:
    """A chart: its name on the page, what it shows in words, its specification, and its numbers under their headings."""

    name: str
    title: str
    words: str
    spec: Spec
    columns: tuple[str, ...]
    table: tuple[tuple[str, tuple[str, ...]], ...]


def pictures(rows: Sequence[Numbers]) -> list[Picture]:
    """All charts that have something to show."""
    attacked = [row for row in rows if "attack_high" in row]
    found = [
        _picture("frontier", "The frontier", FRONTIER_WORDS, attacked, FRONTIER, _frontier(attacked)),
        _picture("coverage", "Coverage", COVERED_WORDS, rows, COVERED, _points(rows, COVERED, "share")),
        _picture("classes", "Head, torso, tail", CLASSES_WORDS, rows, CLASSES, _points(rows, CLASSES, "share of words as typed")),
        _picture("loss", "Loss and its bound", LOSS_WORDS, rows, LOSSES, _loss(rows)),
        _picture("again", "Found again", AGAIN_WORDS, rows, FOUND_AGAIN, _points(rows, FOUND_AGAIN, "share found again, or agreement")),
        _picture("errors", "Errors", ERROR_WORDS, rows, ERRORS, _points(rows, ERRORS, "mean relative error")),
        *(_by_level(rows, size) for size in SIZES),
        _picture("later", "Later", LATER_WORDS, rows, LATER, _points(rows, LATER, "share guessed right")),
        _picture("cost", "Time and memory", COST_WORDS, rows, COST, _cost(rows)),
    ]
    return [picture for picture in found if picture.table]


FRONTIER_WORDS = (
    "Each point is a release. To the right more words are as typed; further down the worst attack succeeds less often: the line begins at "
    "its rate, and the point is the upper end of its 95 % interval. What lies down and to the right of another is better in both. The "
    "dashed line is the same for the original as it is."
)
COVERED_WORDS = "What is published as it was typed: words, terms, whole queries or records; and people of whom anything is published."
CLASSES_WORDS = "Words as typed among terms that at least 1 % of people use (head), at least 0.1 % (torso) and fewer (tail)."
LOSS_WORDS = (
    "GGD per occurrence of releases on a taxonomy. The short line is proven: with that k no k-anonymous release of them loses less."
)
AGAIN_WORDS = "Data mining on the release beside the original: more is better, 1 is the same, and clusters agree by chance at 0."
ERROR_WORDS = (
    "Counting with the release: less is better. Errors are relative to the true number, but to no less than a thousandth of the records."
)
LEVEL_WORDS = "The mean relative error of counting records that hold {size}, asked for at each level of the taxonomy; the root's is 1."
LATER_WORDS = (
    "Learnt from a release of the earlier period, ten guesses each, tried on the later rows as they are; and learnt from the log itself."
)
COST_WORDS = "Processor seconds of method and judge, and the most memory that its process had until then."


def told(name: str, value: Any) -> str:
    """A number as a table has it."""
    if value is None or isinstance(value, str):
        return value or ""
    return f"{value:,.3g}" if name in NOT_SHARES else f"{100 * value:.1f} %"


def _picture(name: str, title: str, words: str, rows: Sequence[Numbers], names: Mapping[str, str], spec: Spec) -> Picture:
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
    return Picture(name, title, words, {**common, **spec}, tuple(names[column] for column in there), table)


def _frontier(rows: Sequence[Numbers]) -> Spec:
    several = len({row["per"] for row in rows}) > 1
    place = {"x": {"field": "kept", "type": "quantitative", "axis": {"format": "%"}, "title": "words as typed"}}
    color = {"color": {"field": "method", "type": "nominal"}}
    tooltip = [{"field": "cell"}, {"field": "kept", "format": ".1%"}, {"field": "attack_high", "format": ".1%"}, {"field": "worst_attack"}]
    high = {"field": "attack_high", "type": "quantitative", "axis": {"format": "%"}, "title": "worst attack, at most"}
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


def _by_level(rows: Sequence[Numbers], size: int) -> Picture:
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
