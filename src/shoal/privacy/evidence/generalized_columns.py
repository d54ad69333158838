"""Checks whether published ranges, sets of values and ancestors are true of the original values, and how much they tell.

A published text is read by definition: two numbers or levels with `..` between them are a range, texts with `|` between them are a set,
and any other text is one value or a node of the hierarchy of its column.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.data.bags import Ints
from shoal.data.table import ITEM_SEPARATOR, RANGE, Attribute, Table

Mask = npt.NDArray[np.bool_]
MOST_COMPARED = 200_000_000  # pairs of a class and an original row


def true_of(attribute: Attribute, text: str) -> Callable[[Any], bool] | None:
    """Return a test whether a published text is true of an original value; None if the text cannot be read."""
    if attribute.kind == "nominal":
        known, several = set(attribute.values.unique().to_list()), set(text.split(ITEM_SEPARATOR))
        return (lambda value: value in several) if several <= known else None
    if attribute.kind == "hierarchical":
        assert attribute.hierarchy is not None
        if text not in attribute.hierarchy.names.names:
            return None
        return lambda value: text in _upwards(attribute, value)
    ends = _ends(attribute, text)
    if ends is None:
        return None
    low, high = ends
    return lambda value: low <= _rank(attribute, value) <= high


def _ends(attribute: Attribute, text: str) -> tuple[float, float] | None:
    """Return the lowest and the highest value of a range; a single value is both."""
    low, _, high = text.partition(RANGE)
    try:
        ends = _rank(attribute, low), _rank(attribute, high or low)
    except ValueError:
        return None
    return ends if ends[0] <= ends[1] else None


def _rank(attribute: Attribute, value: Any) -> float:
    return attribute.levels.index(value) if attribute.levels else float(value)


def _upwards(attribute: Attribute, value: str) -> set[str]:
    assert attribute.hierarchy is not None
    names, parent = attribute.hierarchy.names, attribute.hierarchy.parent
    node, found = int(names.codes([value])[0]), set[str]()
    while node >= 0:
        found.add(names[node])
        node = int(parent[node])
    return found


def untrue_by_row(table: Table, frame: pl.DataFrame, rows: Ints) -> int:
    """Count the original rows of which their published row is not true; `rows` has the published row of each."""
    wrong = np.zeros(len(table), bool)
    for attribute in table.quasi:
        shown, values = frame[attribute.name].cast(pl.String).gather(rows), attribute.values
        pairs = pl.DataFrame({"shown": shown, "value": values})
        tests = {text: true_of(attribute, text) for text in shown.unique().to_list()}
        good = {pair: (test := tests[pair[0]]) is not None and test(pair[1]) for pair in pairs.unique().iter_rows()}
        wrong |= np.array([not good[pair] for pair in pairs.iter_rows()], bool)
    return int(wrong.sum())


def classes_without_rows(table: Table, frame: pl.DataFrame, label: Ints) -> tuple[int, bool]:
    """Count the classes that are true of fewer original rows than they have; and whether there were too many to compare.

    A necessary condition where nobody knows which published row is whose.
    """
    first = np.unique(label, return_index=True)[1]
    sizes = np.bincount(label)
    if len(first) * len(table) > MOST_COMPARED:
        return 0, True
    columns = []
    for attribute in table.quasi:
        values, place = np.unique(attribute.values.to_numpy(), return_inverse=True)
        masks = {text: _mask(attribute, text, values)[place] for text in frame[attribute.name].cast(pl.String).unique().to_list()}
        columns.append((frame[attribute.name].cast(pl.String).gather(first).to_list(), masks))
    short = 0
    for at in range(len(first)):
        covered = np.ones(len(table), bool)
        for texts, masks in columns:
            covered &= masks[texts[at]]
        short += int(covered.sum() < sizes[at])
    return short, False


def _mask(attribute: Attribute, text: str, values: npt.NDArray[Any]) -> Mask:
    test = true_of(attribute, text)
    return np.array([test is not None and test(value) for value in values.tolist()], bool)


def penalty(attribute: Attribute, text: str) -> float:
    """Return the normalized certainty penalty of a published text, from 0 (one value) to 1 (any value, or unreadable)."""
    values = attribute.values.unique().to_list()
    if true_of(attribute, text) is None:
        return 1.0
    if attribute.kind == "nominal":
        return (len(set(text.split(ITEM_SEPARATOR))) - 1) / max(1, len(values) - 1)
    if attribute.kind == "hierarchical":
        return _share_of_leaves(attribute, text, set(values))
    ends = _ends(attribute, text)
    assert ends is not None
    if attribute.kind == "ordinal" and not attribute.levels:
        ranks = sorted(map(float, values))
        return sum(ends[0] < rank <= ends[1] for rank in ranks) / max(1, len(ranks) - 1)
    known = [_rank(attribute, value) for value in values]
    return (ends[1] - ends[0]) / ((max(known) - min(known)) or 1.0)


def _share_of_leaves(attribute: Attribute, node: str, values: set[str]) -> float:
    """Return the share of leaves below a node; 0 for a node that is the only value of the table below it."""
    assert attribute.hierarchy is not None
    parents = set(attribute.hierarchy.parent.tolist())
    names = attribute.hierarchy.names
    leaves = [names[i] for i in range(len(names)) if i not in parents]
    below = [leaf for leaf in leaves if node in _upwards(attribute, leaf)]
    alone = all(value == node for value in values if node in _upwards(attribute, value))
    return 0.0 if alone or leaves == [node] else len(below) / len(leaves)
