"""The charts of a comparison, each with a table of its numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.report.comparison_drawing import PlanePoint, Point, ReleaseLane, Scale, fields, lanes, plane

if TYPE_CHECKING:
    from markupsafe import Markup

Numbers = Mapping[str, Any]

CLASSES = {"kept_head": "head", "kept_torso": "torso", "kept_tail": "tail"}
COVERED = {
    "kept": "items as typed",
    "one_level": "items renamed or one level up",
    "terms_kept": "distinct items",
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
    "next_item_original": "next word, trained on the original",
}
HIDDEN = {
    "hidden_recall": "hidden items found",
    "hidden_recall_popular": "found by popularity alone",
    "hidden_gain": "gain over popularity, bits per item",
    "hidden_gain_low": "at least",
    "hidden_gain_high": "at most",
}
LOSSES = {"loss": "loss", "bound": "lower bound"}
COST = {"seconds": "processor seconds", "peak_mb": "peak memory, MB"}
ATTACKED = {
    "attack_rate": "strongest attack",
    "attack_high": "at most",
    "attack_original": "on the original",
    "worst_attack": "attacker's knowledge",
}
NOT_SHARES = {*COST, "worst_attack", "hidden_gain", "hidden_gain_low", "hidden_gain_high"}
SIZES = {1: "an item", 2: "two items", 3: "three items"}
LEVEL = re.compile(r"count_error_(\d)_level_(\d+)")
ATTACK_AXIS = "strongest attack, at most"
COST_AXES = ("processor seconds", "peak memory, MB")


DETAIL = {
    "detail_kept": "detail kept",
    "attribute_detail": "detail of attributes",
    "items_kept": "items as typed",
}
VALUES = {
    "value_rate": "guessed from the release",
    "value_guess": "guessed without it",
    "value_original": "guessed from the original",
}
KEPT_OF = "kept_of"  # what is kept as typed, where it is not words


@dataclass(frozen=True)
class Utility:
    """What is kept of a kind of data: the key of its number, its axis, the same in a sentence, and what more of it means."""

    name: str
    axis: str
    noun: str
    more: str


WORDS = Utility("kept", "items as typed", "of the items as typed", "more items are published as typed")
PAGES = Utility("kept", "pages as typed", "of the pages as typed", "more pages are published as they were requested")
VARIANCE = Utility(
    "detail_kept",
    "detail kept (1 - information loss)",
    "of the detail",
    "more detail of the protected columns is kept: 1 minus the information loss, which is the share of their variance that is lost",
)
ITEMS = Utility("items_kept", "items as typed", "of the items as typed", "more items of the sets are published as typed")


def utility_of(rows: Sequence[Numbers]) -> Utility:
    """Return what is measured of these releases: the detail of a table, items of its sets, or pages or items as typed."""
    if any(row.get(KEPT_OF) == "pages" for row in rows):
        return PAGES
    return next((one for one in (WORDS, VARIANCE, ITEMS) if any(row.get(one.name) is not None for row in rows)), WORDS)


@dataclass(frozen=True)
class ComparisonChart:
    """A chart: its anchor on the page, its description, the drawing, and its numbers with headings."""

    name: str
    title: str
    words: str
    drawing: Markup
    columns: tuple[str, ...]
    table: tuple[tuple[str, tuple[str, ...]], ...]


def frontier(rows: Sequence[Numbers]) -> ComparisonChart:
    """Return the chart of what is kept against the strongest attack, without releases that were not attacked."""
    attacked, utility = [row for row in rows if "attack_high" in row], utility_of(rows)
    columns = {utility.name: utility.axis, **ATTACKED}
    words = FRONTIER_WORDS.format(more=utility.more)
    return _picture("frontier", "Utility and risk", words, attacked, columns, _frontier(attacked, utility))


def pictures(rows: Sequence[Numbers]) -> list[ComparisonChart]:
    """Return all charts with data."""
    charts = [
        frontier(rows),
        _picture("coverage", "Coverage", COVERED_WORDS, rows, COVERED, _points(rows, COVERED, "share")),
        _picture("detail", "Detail", DETAIL_WORDS, rows, DETAIL, _points(rows, DETAIL, "share")),
        _picture("values", "Unchanged columns", VALUES_WORDS, rows, VALUES, _points(rows, VALUES, "share of correct guesses")),
        _picture("classes", "Head, torso, tail", CLASSES_WORDS, rows, CLASSES, _points(rows, CLASSES, "share of items as typed")),
        _picture("loss", "Loss and lower bound", LOSS_WORDS, rows, LOSSES, _loss(rows)),
        _picture("again", "Data mining", AGAIN_WORDS, rows, FOUND_AGAIN, _points(rows, FOUND_AGAIN, "share found, or agreement")),
        _picture("errors", "Counting errors", ERROR_WORDS, rows, ERRORS, _points(rows, ERRORS, "mean relative error")),
        *(_by_level(rows, size) for size in SIZES),
        _picture("later", "Forecasts", LATER_WORDS, rows, LATER, _points(rows, LATER, "share of correct guesses")),
        _picture("hidden", "Hidden items", HIDDEN_WORDS, rows, HIDDEN, _points(rows, _only(HIDDEN, "recall"), "share of hidden items")),
        _picture("cost", "Time and memory", COST_WORDS, rows, COST, _cost(rows)),
    ]
    return [picture for picture in charts if picture.table]


FRONTIER_WORDS = (
    "Each point is a release. Further right, {more}; further down, the strongest attack succeeds less often. "
    "The line starts at its success rate, and the point is the upper end of the 95% interval. Lower right is better. The "
    "dashed line is the same for the unprotected original."
)
COVERED_WORDS = "Share published unchanged: items, distinct items, whole queries or records; and share of people with any published data."
DETAIL_WORDS = (
    "What is left of a table. Detail kept is 1 minus the information loss: the share of the variance of the protected columns that is "
    "not lost within groups. Detail of attributes is 1 minus the certainty penalty of published ranges."
)
VALUES_WORDS = (
    "Of the columns that are published unchanged, the one that the release reveals most of: an attacker who knows all protected columns "
    "of a person guesses its value from the nearest published rows; without the release, the most frequent value."
)
CLASSES_WORDS = "Items published as typed, among those used by at least 1% of people (head), at least 0.1% (torso) and fewer (tail)."
LOSS_WORDS = (
    "Group generalization distortion per item, for releases on a taxonomy. The short line is a proven lower bound for k-anonymous releases "
    "with that k."
)
AGAIN_WORDS = "Data mining on the release compared with the original: higher is better, 1 is identical; 0 is chance agreement for clusters."
ERROR_WORDS = "Relative error of counts on the release: lower is better. The base is the true count, or 0.1% of the records if larger."
LEVEL_WORDS = "Mean relative error of counting records with {size}, by level of the taxonomy; the root is level 1."
LATER_WORDS = "Trained on a release of the earlier period, and on the original log; tested on later rows with ten guesses each."
HIDDEN_WORDS = (
    "A fifth of each person's items is hidden, and the release is made of the rest. Share of hidden items among the 20 items that a "
    "person's published record makes likeliest, and among the 20 most popular ones. The gain is in probability over popularity."
)
COST_WORDS = "Processor time of method and verification, and peak memory of the process."


def format_number(name: str, value: Any) -> str:
    """Format a number for a table."""
    if value is None or isinstance(value, str):
        return value or ""
    return f"{value:,.3g}" if name in NOT_SHARES else f"{100 * value:.1f}%"


def _picture(name: str, title: str, words: str, rows: Sequence[Numbers], names: Mapping[str, str], drawing: Markup) -> ComparisonChart:
    shown = [row for row in rows if any(row.get(column) is not None for column in names)]
    there = [column for column in names if any(row.get(column) is not None for row in shown)]
    table = tuple((row["cell"], tuple(format_number(column, row.get(column)) for column in there)) for row in shown)
    return ComparisonChart(name, title, words, drawing, tuple(names[column] for column in there), table)


def _series(rows: Sequence[Numbers]) -> list[str]:
    """Return the methods, each with its own colour and shape."""
    return list(dict.fromkeys(row["method"] for row in rows))


def _frontier(rows: Sequence[Numbers], utility: Utility) -> Markup:
    name = utility.name
    placed = [row for row in rows if row.get(name) is not None]
    if not placed:
        return lanes([], [], "")
    grains, methods = list(dict.fromkeys(row["per"] for row in placed)), _series(placed)
    points = [
        PlanePoint(
            row[name],
            row["attack_high"],
            methods.index(row["method"]),
            f"{row['cell']}: {format_number(name, row[name])} {utility.noun}; "
            f"at most {format_number('attack_high', row['attack_high'])} are found"
            + (f" ({row['worst_attack']})" if row.get("worst_attack") else ""),
            row.get("number"),
            row.get("attack_rate"),
            outline=row["per"] != grains[0],
        )
        for row in placed
    ]
    original = max((row["attack_original_high"] for row in placed if "attack_original_high" in row), default=None)
    heights = [point.up for point in points] + ([] if original is None else [original])
    filled = "" if len(grains) == 1 else f" (full: per {grains[0]}, hollow: per {' or '.join(grains[1:])})"
    return plane(
        points, methods, Scale.of([point.across for point in points]), Scale.of(heights), (utility.axis, ATTACK_AXIS + filled), original
    )


def _only(names: Mapping[str, str], part: str) -> dict[str, str]:
    """Return the columns whose names contain this."""
    return {name: words for name, words in names.items() if part in name}


def _points(rows: Sequence[Numbers], names: Mapping[str, str], axis: str) -> Markup:
    there = [name for name in names if any(row.get(name) is not None for row in rows)]
    drawn = [
        ReleaseLane(
            row["cell"],
            tuple(
                Point(row[name], n, f"{row['cell']}: {names[name]} {format_number(name, row[name])}")
                for n, name in enumerate(there)
                if row.get(name) is not None
            ),
        )
        for row in rows
    ]
    return lanes([lane for lane in drawn if lane.points], [names[name] for name in there], axis)


def _loss(rows: Sequence[Numbers]) -> Markup:
    lost = [row for row in rows if row.get("loss") is not None]
    methods = _series(lost)
    drawn = []
    for row in lost:
        bound = row.get("bound")
        hint = f"{row['cell']}: loss {format_number('loss', row['loss'])}" + (
            "" if bound is None else f", at least {format_number('bound', bound)}"
        )
        drawn.append(ReleaseLane(row["cell"], bar=Point(row["loss"], methods.index(row["method"]), hint), line=bound))
    return lanes(drawn, methods, "loss")


def _by_level(rows: Sequence[Numbers], size: int) -> ComparisonChart:
    """Return a cell for each release and level."""
    levels = sorted({int(m[2]) for row in rows for name in row if (m := LEVEL.fullmatch(name)) and int(m[1]) == size})
    names = {f"count_error_{size}_level_{level}": f"level {level}" for level in levels}
    deep = [row for row in rows if sum(row.get(name) is not None for name in names) > 1]
    drawing = fields([(row["cell"], [row.get(name) for name in names]) for row in deep], list(names.values()), "level of the taxonomy")
    return _picture(f"level{size}", f"Counting {SIZES[size]}, by level", LEVEL_WORDS.format(size=SIZES[size]), deep, names, drawing)


def _cost(rows: Sequence[Numbers]) -> Markup:
    placed = [row for row in rows if row.get("peak_mb") is not None]
    if not placed:
        return lanes([], [], "")
    methods = _series(placed)
    points = [
        PlanePoint(
            row["seconds"],
            row["peak_mb"],
            methods.index(row["method"]),
            f"{row['cell']}: {format_number('seconds', row['seconds'])} processor seconds, {format_number('peak_mb', row['peak_mb'])} MB",
        )
        for row in placed
    ]
    across = Scale.of([point.across for point in points], shares=False)
    up = Scale.of([point.up for point in points], shares=False, zero=False)
    return plane(points, methods, across, up, COST_AXES, None)
