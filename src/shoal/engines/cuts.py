"""Cuts along the taxonomy, found on a sample of records: a binary tree of questions how much of a record lies below a node.

The sample is cut across what varies most, as blocks of similar records are (`cpp/lattice/split.hpp`): among the heaviest nodes and the
length, the one whose square root of the weight varies most. A cut asks for a number of occurrences, so that any record can be asked; it is
put where both sides come nearest to the numbers of ranges that are wanted of them. All sums are of whole numbers below 2^53, which floating
point adds exactly in any order, so that they are the same on any machine.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal import _kernels
from shoal.data.bags import Bags, Ints
from shoal.data.taxonomy import Taxonomy
from shoal.taxonomy.tree_counts import TreeCounts, tree_counts

COORDINATES = 64
FINENESS = 256  # steps in which the square root of a weight of one is told
GREATEST = 46_340  # steps, at most; the square is below 2^31
LARGEST_SAMPLE = 2**21  # records, at most, about: the sum of their squares is to be below 2^53
FULL_ENOUGH = 0.75  # of a range, at least, on either side of a cut
ROOT = 0  # whose number of occurrences is the length of a record


@dataclass(frozen=True)
class Cut:
    """Do at least so many occurrences of a record lie at or below a node? What comes next for those that have them, and for the others."""

    node: int
    end: int  # one past the last node below it
    at_least: int
    having: Cut | int
    lacking: Cut | int


@dataclass(frozen=True)
class Cuts:
    """The first question, or the one leaf; leaves are numbered from 0, from those that have most to those that lack most."""

    root: Cut | int
    leaves: int

    def kernel(self) -> _kernels.CutTree:
        """The questions as kernels take them, each before those that come after it."""
        asked: list[Cut] = []
        following: list[tuple[int, int]] = []

        def number(at: Cut | int) -> int:
            if isinstance(at, int):
                return -1 - at
            place = len(asked)
            asked.append(at)
            following.append((0, 0))
            following[place] = number(at.having), number(at.lacking)
            return place

        number(self.root)
        node, end, at_least = (np.array([getattr(cut, name) for cut in asked], np.int64) for name in ("node", "end", "at_least"))
        having, lacking = np.array(following, np.int32).reshape(-1, 2).T.copy()
        return _kernels.CutTree(node.astype(np.int32), end.astype(np.int32), at_least, having, lacking)


@dataclass(frozen=True, eq=False)
class _Sample:
    """Of each record: occurrences below each of a few nodes, how far these tell it from others, and how often it was drawn."""

    nodes: list[int]
    counts: Ints
    values: npt.NDArray[np.float64]
    times: Ints

    def select(self, chosen: Ints) -> _Sample:
        return _Sample(self.nodes, self.counts[chosen], self.values[chosen], self.times[chosen])


def cut_sample(records: Bags, times: Ints, taxonomy: Taxonomy, ranges: int) -> Cuts:
    """Cuts into about this many ranges of equally many records, each of which was drawn so often."""
    sample = _measured(tree_counts(records, taxonomy), times)
    leaves = 0

    def cut(part: _Sample, wanted: int) -> Cut | int:
        nonlocal leaves
        found = _best_cut(part, wanted) if wanted > 1 else None
        if found is None:
            leaves += 1
            return leaves - 1
        column, at_least, having = found
        share = _ranges_of_first(int(part.times[having].sum()), int(part.times.sum()), wanted)
        node = part.nodes[column]
        first = cut(part.select(np.flatnonzero(having)), share)
        return Cut(node, int(taxonomy.end[node]), at_least, first, cut(part.select(np.flatnonzero(~having)), wanted - share))

    root = cut(sample, ranges)
    return Cuts(root, leaves)


def _measured(counts: TreeCounts, times: Ints) -> _Sample:
    """The counts of the heaviest nodes, and the lengths, of each record."""
    entry_times = np.repeat(times, np.diff(counts.indptr))
    held = np.bincount(counts.nodes, weights=counts.counts * entry_times, minlength=len(counts.weights)).astype(np.int64)
    mass = held * (counts.weights / counts.units)
    heaviest = [int(node) for node in np.argsort(-mass, kind="stable")[: COORDINATES - 1] if mass[node] > 0]
    table = np.zeros((len(times), len(heaviest) + 1), np.int64)
    place = np.full(len(counts.weights), -1, np.int64)
    place[heaviest] = np.arange(len(heaviest))
    at = place[counts.nodes]
    there = np.flatnonzero(at >= 0)
    rows = np.repeat(np.arange(len(times)), np.diff(counts.indptr))
    table[rows[there], at[there]] = counts.counts[there]
    table[:, -1] = counts.lengths
    worth = np.append(counts.weights[heaviest] / counts.units, 1.0)
    values = np.minimum(GREATEST, np.floor(np.sqrt(table * worth) * FINENESS))
    return _Sample([*heaviest, ROOT], table, values, times)


def _best_cut(part: _Sample, wanted: int) -> tuple[int, int, np.ndarray[tuple[int], np.dtype[np.bool_]]] | None:
    """The cut across what varies most, of those that leave enough on both sides; None if there is none."""
    total = int(part.times.sum())
    least = FULL_ENOUGH * total / wanted
    for column in np.argsort(-_spreads(part), kind="stable").tolist():
        at_least, first = _nearest_threshold(part.counts[:, column], part.times, total * ((wanted + 1) // 2) / wanted)
        if min(first, total - first) >= least:
            return column, at_least, part.counts[:, column] >= at_least
    return None


def _spreads(part: _Sample) -> Ints:
    """The variance of each column, in whole numbers."""
    n = max(1, int(part.times.sum()))
    times = part.times.astype(np.float64)
    sums = (times @ part.values).astype(np.int64)
    squares = (times @ (part.values * part.values)).astype(np.int64)
    return np.asarray((squares - sums // n * sums) // n, np.int64)


def _nearest_threshold(counts: Ints, times: Ints, target: float) -> tuple[int, int]:
    """The number from which on nearest to `target` records have as many occurrences, and how many these are."""
    different, place = np.unique(counts, return_inverse=True)
    having = np.cumsum(np.bincount(place, weights=times)[::-1])[::-1].astype(np.int64)
    best = int(np.argmin(np.abs(having - target)))
    return int(different[best]), int(having[best])


def _ranges_of_first(first: int, total: int, wanted: int) -> int:
    """How many of the wanted ranges the first side of a cut is to give: at least one, and not all."""
    return min(wanted - 1, max(1, (2 * first * wanted + total) // (2 * total)))
