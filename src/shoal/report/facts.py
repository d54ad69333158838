"""Facts: all numbers that a report shows, before they are formatted or drawn.

Facts about groups are their sizes; facts about originals are counts of many people (`histograms`). They contain no user, and only published
records. The module of each kind in `kinds` determines the facts of its tables.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.data.bags import Bags, Ints
from shoal.data.table import Floats, Table
from shoal.data.tables.rows import RowTable
from shoal.data.taxonomy import Taxonomy
from shoal.report.histograms import Histogram
from shoal.report.topic_cells import TopicCell


@dataclass(frozen=True)
class Spread:
    """A column's mean and standard deviation as published, and in the original; the latter is None if few people are behind it."""

    name: str
    mean: float
    deviation: float
    mean_before: float
    deviation_before: float | None


def spreads_of(published: RowTable, original: Table, fewest: int) -> tuple[Spread, ...]:
    """Return those of every numeric quasi-identifier. Mean and deviation of two people disclose their values, so at least `fewest` are
    required.
    """
    spreads = []
    for attribute in original.quasi:
        if attribute.kind != "numeric":
            continue
        mean, deviation = _mean_and_deviation(published.frame[attribute.name].to_numpy())
        mean_before, deviation_before = _mean_and_deviation(attribute.codes)
        shown_deviation = deviation_before if original.n_owners >= fewest else None
        spreads.append(Spread(attribute.name, mean, deviation, mean_before, shown_deviation))
    return tuple(spreads)


def _mean_and_deviation(values: Floats) -> tuple[float, float]:
    """Return values rounded once each, so that the order of rows does not matter; scaling by a power of two keeps squares finite."""
    exponent = int(np.frexp(np.abs(values).max(initial=0.0))[1])
    scaled = np.ldexp(values, -exponent)
    mean = math.fsum(scaled) / max(1, len(scaled))
    deviation = math.sqrt(math.fsum((scaled - mean) ** 2) / max(1, len(scaled)))
    return math.ldexp(mean, exponent), math.ldexp(deviation, exponent)


FEWEST_PEOPLE = 10


@dataclass(frozen=True)
class PublishedItem:
    """A published name: the number of records with it, and its level (the root has level 1).

    How many items of the original are below it is not said: suppressed ones would be counted too.
    """

    name: str
    records: int
    level: int


@dataclass(frozen=True)
class Example:
    """A published record: its first items with counts, the number of further items, of identical records, and why it is shown."""

    items: tuple[tuple[str, int], ...]
    more: int
    records: int
    why: str


@dataclass(frozen=True)
class Sizes:
    """Groups of identical published rows, by size only."""

    groups: int = 0
    smallest: int = 0
    median: float = 0.0
    largest: int = 0


@dataclass(frozen=True)
class QueryFacts:
    """Queries (or items) of a log before and after, by number of published rows; `frequent` are the most frequent ones."""

    before: int
    after: int
    sizes: Histogram
    frequent: tuple[tuple[str, int], ...]


NOTHING, NO_SIZES = Histogram(), Sizes()


@dataclass(frozen=True)
class Facts:
    """A release's manifest, the distributions that its report draws, and the sections that show them."""

    manifest: Mapping[str, Any]
    published: int = 0
    parts: tuple[str, ...] = ()
    sizes: Sizes = NO_SIZES
    group_sizes: Histogram = NOTHING
    lengths: Histogram = NOTHING
    levels: Histogram = NOTHING
    frequent: tuple[PublishedItem, ...] = ()
    specific: tuple[PublishedItem, ...] = ()
    vaguest: tuple[PublishedItem, ...] = ()
    examples: tuple[Example, ...] = ()
    items_before: int = 0
    items_after: int = 0
    fewest: int = FEWEST_PEOPLE
    queries: QueryFacts | None = None
    spreads: tuple[Spread, ...] = ()
    topics: tuple[TopicCell, ...] = ()


def fewest_people(manifest: Mapping[str, Any]) -> int:
    """Return the minimum number of people per bar of the original: k, but never very few."""
    k = manifest.get("parameters", {}).get("k")
    return max(FEWEST_PEOPLE, k) if isinstance(k, int) else FEWEST_PEOPLE


def fewest_named(manifest: Mapping[str, Any]) -> int:
    """Return the minimum number of published records with an item that the report names: k if the method has one, but never very few."""
    k = manifest.get("parameters", {}).get("k")
    return k if isinstance(k, int) else FEWEST_PEOPLE


def sizes_of(sizes: Ints) -> Sizes:
    """Summarize group sizes by four numbers."""
    if not len(sizes):
        return Sizes()
    return Sizes(len(sizes), int(sizes.min()), float(np.median(sizes)), int(sizes.max()))


# -- example records as published: the most detailed ones and those of median detail, chosen without the original


Mask = npt.NDArray[np.bool_]

MOST_EXAMPLES = 3  # of each sort
MOST_ITEMS = 8  # of a record
MOST_DETAILED, MEDIAN = "Most detailed", "Of median detail"


def examples_of(published: Bags, copies: Ints, tree: Taxonomy, named: Mask | None = None) -> tuple[Example, ...]:
    """Return a few distinct, non-empty published records, independent of the row order and of what is suppressed.

    Items that must not be `named` are counted.
    """
    common = np.ones(len(tree), bool) if named is None else named
    label = published.identical()
    shared = np.bincount(label, weights=copies).astype(np.int64)
    first = np.unique(label, return_index=True)[1]
    different = published if len(first) == len(published) else published.select(first)
    order = different.content_order()
    order = order[(shared[order] > 0) & (different.lengths[order] > 0)]
    detail = _detail(different, tree)[order]
    most = np.lexsort((different.lengths[order], -detail))[:MOST_EXAMPLES]
    rest = np.setdiff1d(np.arange(len(order)), most)
    middle = _middle(detail[rest], shared[order][rest])
    median = rest[np.argsort(np.abs(detail[rest] - middle), kind="stable")[:MOST_EXAMPLES]]
    chosen = [(MOST_DETAILED, most), (MEDIAN, np.sort(median))]
    return tuple(_example(different, row, int(shared[row]), tree, why, common) for why, places in chosen for row in order[places].tolist())


def _detail(records: Bags, tree: Taxonomy) -> Ints:
    """Return the sum of the levels of each record's items, 0 for the root. Unlike losses, levels do not depend on what is suppressed."""
    detail = np.zeros(len(records), np.int64)
    for begin, end in records.blocks():
        some = records.part(begin, end)
        detail[begin:end] = _sums(some, tree.depth[some.items] * some.counts)
    return detail


def information_of(records: Bags, tree: Taxonomy) -> Ints:
    """Return the mean information of the items of each record, in units (0 for the root, the maximum for a leaf)."""
    information = np.zeros(len(records), np.int64)
    for begin, end in records.blocks():
        some = records.part(begin, end)
        worth = (tree.units - tree.unit_losses[some.items]) * some.counts
        information[begin:end] = _sums(some, worth) // np.maximum(some.lengths, 1)
    return information


def _sums(records: Bags, values: Ints) -> Ints:
    """Return the sum of these item values over each record."""
    reached = np.concatenate([[0], np.cumsum(values, dtype=np.int64)])
    return np.asarray(reached[records.indptr[1:]] - reached[records.indptr[:-1]], np.int64)


def _middle(values: Ints, weights: Ints) -> int:
    """Return the weighted median."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    return int(values[order][np.searchsorted(2 * reached, reached[-1])]) if len(values) else 0


def _example(records: Bags, row: int, shared: int, tree: Taxonomy, why: str, common: Mask) -> Example:
    span = slice(records.indptr[row], records.indptr[row + 1])
    items, counts = records.items[span], records.counts[span]
    order = np.lexsort((items, -tree.depth[items]))  # the most specific first
    shown = order[common[items[order]]][:MOST_ITEMS]
    named = tuple((tree.names[int(items[i])], int(counts[i])) for i in shown)
    return Example(named, int(counts.sum() - counts[shown].sum()), shared, why)
