"""Facts: everything a report shows, as plain numbers, before any word or picture is made of them.

What is shown of the groups are their sizes; what is shown of originals are counts of many people (`histograms`).
No owner, and no record but as it is published. What each kind of table has to show is in its module of `kinds`.
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
    """A column's mean and standard deviation as published, and in the original; the latter is None if few people would be told about."""

    name: str
    mean: float
    deviation: float
    mean_before: float
    deviation_before: float | None


def spreads_of(published: RowTable, original: Table, fewest: int) -> tuple[Spread, ...]:
    """Of every numeric quasi-identifier. Mean and deviation of two people tell their values, so there must be `fewest` of them."""
    found = []
    for attribute in original.quasi:
        if attribute.kind != "numeric":
            continue
        mean, deviation = _mean_and_deviation(published.frame[attribute.name].to_numpy())
        mean_before, deviation_before = _mean_and_deviation(attribute.codes)
        told = deviation_before if original.n_owners >= fewest else None
        found.append(Spread(attribute.name, mean, deviation, mean_before, told))
    return tuple(found)


def _mean_and_deviation(values: Floats) -> tuple[float, float]:
    """Rounded once each, so that the order of rows does not matter; a power of two keeps squares finite."""
    exponent = int(np.frexp(np.abs(values).max(initial=0.0))[1])
    scaled = np.ldexp(values, -exponent)
    mean = math.fsum(scaled) / max(1, len(scaled))
    deviation = math.sqrt(math.fsum((scaled - mean) ** 2) / max(1, len(scaled)))
    return math.ldexp(mean, exponent), math.ldexp(deviation, exponent)


FEWEST_PEOPLE = 10


@dataclass(frozen=True)
class PublishedItem:
    """A published name: how many records bear it, its level (the root's is 1), how many terms it may mean."""

    name: str
    records: int
    level: int
    terms: int


@dataclass(frozen=True)
class Example:
    """A published record: its first items and their counts, how many items more there are, how many records are alike, why it is shown."""

    items: tuple[tuple[str, int], ...]
    more: int
    records: int
    why: str


@dataclass(frozen=True)
class Sizes:
    """The groups of rows that are published identically, by their sizes alone."""

    groups: int = 0
    smallest: int = 0
    median: float = 0.0
    largest: int = 0


@dataclass(frozen=True)
class QueryFacts:
    """Queries (or items) of a log before and after, by the number of their published rows; `frequent` are the first by that number."""

    before: int
    after: int
    sizes: Histogram
    frequent: tuple[tuple[str, int], ...]


NOTHING, NO_SIZES = Histogram(), Sizes()


@dataclass(frozen=True)
class Facts:
    """A release's manifest, the distributions that its report draws, and the parts of the page that show them."""

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
    """How many people a bar of originals must count at least: k, and never a handful."""
    k = manifest.get("parameters", {}).get("k")
    return max(FEWEST_PEOPLE, k) if isinstance(k, int) else FEWEST_PEOPLE


def fewest_named(manifest: Mapping[str, Any]) -> int:
    """How many published records must hold an item that the report names: k where the method has one, else never a handful."""
    k = manifest.get("parameters", {}).get("k")
    return k if isinstance(k, int) else FEWEST_PEOPLE


def sizes_of(sizes: Ints) -> Sizes:
    """The sizes of groups in four numbers."""
    if not len(sizes):
        return Sizes()
    return Sizes(len(sizes), int(sizes.min()), float(np.median(sizes)), int(sizes.max()))


# -- example records as they are published: the most specific, and typical ones; originals have no part in the choice


Mask = npt.NDArray[np.bool_]

MOST_EXAMPLES = 3  # of each sort
MOST_ITEMS = 8  # of a record
SPECIFIC, TYPICAL = "Most specific", "Typical"


def examples_of(published: Bags, copies: Ints, tree: Taxonomy, named: Mask | None = None) -> tuple[Example, ...]:
    """A few of the different published records that hold something, the same whatever the order of the rows.

    Items that are not to be `named` are counted.
    """
    common = np.ones(len(tree), bool) if named is None else named
    label = published.identical()
    shared = np.bincount(label, weights=copies).astype(np.int64)
    first = np.unique(label, return_index=True)[1]
    different = published if len(first) == len(published) else published.select(first)
    order = different.content_order()
    order = order[(shared[order] > 0) & (different.lengths[order] > 0)]
    told, exact = (numbers[order] for numbers in _told(different, tree))
    specific = np.lexsort((-told, -exact))[:MOST_EXAMPLES]
    rest = np.setdiff1d(np.arange(len(order)), specific)
    middle = _middle(told[rest], shared[order][rest])
    typical = rest[np.argsort(np.abs(told[rest] - middle), kind="stable")[:MOST_EXAMPLES]]
    chosen = [(SPECIFIC, specific), (TYPICAL, np.sort(typical))]
    return tuple(_example(different, row, int(shared[row]), tree, why, common) for why, places in chosen for row in order[places].tolist())


def _told(records: Bags, tree: Taxonomy) -> tuple[Ints, Ints]:
    """What the items of each record tell on average, in units (nothing by the root, most by a leaf), and how many tell one term."""
    told, exact = np.zeros(len(records), np.int64), np.zeros(len(records), np.int64)
    for begin, end in records.blocks():
        some = records.part(begin, end)
        worth = (tree.units - tree.unit_losses[some.items]) * some.counts
        told[begin:end] = _sums(some, worth) // np.maximum(some.lengths, 1)
        exact[begin:end] = _sums(some, np.where(tree.leaves[some.items] == 1, some.counts, 0))
    return told, exact


def told_of(records: Bags, tree: Taxonomy) -> Ints:
    """What the items of each record tell on average, in units."""
    return _told(records, tree)[0]


def _sums(records: Bags, values: Ints) -> Ints:
    """The sum of these values of items over each record."""
    reached = np.concatenate([[0], np.cumsum(values, dtype=np.int64)])
    return np.asarray(reached[records.indptr[1:]] - reached[records.indptr[:-1]], np.int64)


def _middle(values: Ints, weights: Ints) -> int:
    """The median of values that occur so often."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    return int(values[order][np.searchsorted(2 * reached, reached[-1])]) if len(values) else 0


def _example(records: Bags, row: int, shared: int, tree: Taxonomy, why: str, common: Mask) -> Example:
    span = slice(records.indptr[row], records.indptr[row + 1])
    items, counts = records.items[span], records.counts[span]
    order = np.lexsort((items, tree.unit_losses[items]))  # the most exact first
    shown = order[common[items[order]]][:MOST_ITEMS]
    named = tuple((tree.names[int(items[i])], int(counts[i])) for i in shown)
    return Example(named, int(counts.sum() - counts[shown].sum()), shared, why)
