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

from shoal.data.bags import Ints
from shoal.data.table import Floats, Table
from shoal.data.tables.rows import RowTable
from shoal.report.histograms import Histogram


@dataclass(frozen=True)
class Spread:
    """A column's mean and standard deviation as published, and in the original; the latter is None where few people would be told of."""

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
    """The groups of rows that are published alike, by their sizes alone."""

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
