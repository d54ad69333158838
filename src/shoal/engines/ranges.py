"""The plan of a large run: which records are processed together, as a pure function of the data.

Records are split into ranges of at least 50,000 people along the taxonomy: repeatedly at the node whose weight varies most among them, by
the number of occurrences below that node. The cuts are found on a sample and then fixed, so that any machine that knows the cuts can
determine the range of a record from the record alone. The people of a range are counted on all records, and ranges that are too small are
merged.

The sample is drawn by a hash of the content, never of the user: renaming people must not change what is published. Unlisted terms count as
their common node, so that the sample contains no typed word outside of the taxonomy. Contents that many people share are drawn in
proportion to their share of the records.

The result of a range depends on the records of that range alone.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal import _kernels, kernels
from shoal.data.bags import Bags, Ints
from shoal.data.column_storage import IN_MEMORY, RowStack, in_use, selected
from shoal.data.taxonomy import Taxonomy
from shoal.engines.local_engine import ProgressOfParts
from shoal.taxonomy.tree_counts import TreeCounts, tree_counts
from shoal.util.numbers import distinct_pairs, mixed

# -- cuts along the taxonomy, found on a sample: a binary tree of questions how much of a record lies below a node
#
# The sample is cut across what varies most, as blocks of similar records are (`cpp/lattice/split.hpp`): among the heaviest nodes and the
# length, the one whose square root of the weight varies most. A cut asks for a number of occurrences, so that it applies to any record; it
# is put where both sides come nearest to the numbers of ranges that are wanted of them. All sums are of whole numbers below 2^53, which
# floating point adds exactly in any order, so that they are the same on any machine.


COORDINATES = 64
FINENESS = 256  # resolution of the square root of a weight of one
GREATEST = 46_340  # steps, at most; the square is below 2^31
LARGEST_SAMPLE = 2**21  # records, at most, about: the sum of their squares is to be below 2^53
FULL_ENOUGH = 0.75  # of a range, at least, on either side of a cut
ROOT = 0  # whose number of occurrences is the length of a record


@dataclass(frozen=True)
class RangeCut:
    """Whether at least this many occurrences of a record are at or below a node; and the next question for either answer."""

    node: int
    end: int  # one past the last node below it
    at_least: int
    having: RangeCut | int
    lacking: RangeCut | int


@dataclass(frozen=True)
class Cuts:
    """The first question, or the only leaf; leaves are numbered from 0, from those with most occurrences to those with fewest."""

    root: RangeCut | int
    leaves: int

    def kernel(self) -> _kernels.CutTree:
        """Return the questions as kernels take them, each before its successors."""
        cuts: list[RangeCut] = []
        following: list[tuple[int, int]] = []

        def number(at: RangeCut | int) -> int:
            if isinstance(at, int):
                return -1 - at
            place = len(cuts)
            cuts.append(at)
            following.append((0, 0))
            following[place] = number(at.having), number(at.lacking)
            return place

        number(self.root)
        node, end, at_least = (np.array([getattr(cut, name) for cut in cuts], np.int64) for name in ("node", "end", "at_least"))
        having, lacking = np.array(following, np.int32).reshape(-1, 2).T.copy()
        return _kernels.CutTree(node.astype(np.int32), end.astype(np.int32), at_least, having, lacking)


@dataclass(frozen=True, eq=False)
class _Sample:
    """For each record: occurrences below each of a few nodes, how well these distinguish records, and how often it was drawn."""

    nodes: list[int]
    counts: Ints
    values: npt.NDArray[np.float64]
    times: Ints

    def select(self, chosen: Ints) -> _Sample:
        return _Sample(self.nodes, self.counts[chosen], self.values[chosen], self.times[chosen])


def cut_sample(records: Bags, times: Ints, taxonomy: Taxonomy, ranges: int) -> Cuts:
    """Return cuts into about this many ranges of equal size; `times` is how often each record was drawn."""
    sample = _measured(tree_counts(records, taxonomy), times)
    leaves = 0

    def cut(part: _Sample, wanted: int) -> RangeCut | int:
        nonlocal leaves
        found = _best_cut(part, wanted) if wanted > 1 else None
        if found is None:
            leaves += 1
            return leaves - 1
        column, at_least, having = found
        share = _ranges_of_first(int(part.times[having].sum()), int(part.times.sum()), wanted)
        node = part.nodes[column]
        first = cut(part.select(np.flatnonzero(having)), share)
        return RangeCut(node, int(taxonomy.end[node]), at_least, first, cut(part.select(np.flatnonzero(~having)), wanted - share))

    root = cut(sample, ranges)
    return Cuts(root, leaves)


def _measured(counts: TreeCounts, times: Ints) -> _Sample:
    """Return the counts of the heaviest nodes, and the lengths, of each record."""
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
    """Return the cut at what varies most, of those that leave enough on both sides; None if there is none."""
    total = int(part.times.sum())
    least = FULL_ENOUGH * total / wanted
    for column in np.argsort(-_spreads(part), kind="stable").tolist():
        at_least, first = _nearest_threshold(part.counts[:, column], part.times, total * ((wanted + 1) // 2) / wanted)
        if min(first, total - first) >= least:
            return column, at_least, part.counts[:, column] >= at_least
    return None


def _spreads(part: _Sample) -> Ints:
    """Return the variance of each column, in integers."""
    n = max(1, int(part.times.sum()))
    times = part.times.astype(np.float64)
    sums = (times @ part.values).astype(np.int64)
    squares = (times @ (part.values * part.values)).astype(np.int64)
    return np.asarray((squares - sums // n * sums) // n, np.int64)


def _nearest_threshold(counts: Ints, times: Ints, target: float) -> tuple[int, int]:
    """Return the threshold for which the number of records at or above it is nearest to `target`, and that number."""
    different, place = np.unique(counts, return_inverse=True)
    having = np.cumsum(np.bincount(place, weights=times)[::-1])[::-1].astype(np.int64)
    best = int(np.argmin(np.abs(having - target)))
    return int(different[best]), int(having[best])


def _ranges_of_first(first: int, total: int, wanted: int) -> int:
    """Return how many of the wanted ranges the first side of a cut gets: at least one, and not all."""
    return min(wanted - 1, max(1, (2 * first * wanted + total) // (2 * total)))


# -- the plan


SMALLEST_RANGE = 50_000  # people, at least
GROUPS_IN_A_RANGE = 10  # times k people, at least
MARGIN = 1.2  # times the least number of people that a range is meant to hold, as a sample is not exact
SAMPLE = 8_192  # records, at least
SAMPLE_A_RANGE = 128  # records, at least

Hashes = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Size:
    """The required size of ranges, for this many records of this many people."""

    records: int
    people: int
    smallest: int

    @classmethod
    def of(cls, records: int, people: int, k: int) -> Size:
        """Return the size for groups of k people."""
        return cls(records, people, max(SMALLEST_RANGE, GROUPS_IN_A_RANGE * k))

    @property
    def splits(self) -> bool:
        """Whether there are enough people for two ranges."""
        return self.people >= 2 * self.smallest

    @property
    def ranges(self) -> int:
        """The wanted number of ranges."""
        return max(1, int(self.people / (MARGIN * self.smallest))) if self.splits else 1

    @property
    def sample(self) -> int:
        """The number of sampled records."""
        return min(self.records, LARGEST_SAMPLE, max(SAMPLE, SAMPLE_A_RANGE * self.ranges))


def ranges_of(bags: Bags, taxonomy: Taxonomy, size: Size) -> Ints:
    """Return the range of each record, from 0, with all records in memory."""
    if size.ranges == 1:
        return np.zeros(len(bags), np.int64)
    hashes = hashes_of(bags, taxonomy)
    different, times = np.unique(hashes, return_counts=True)
    drawn = drawn_times(different, times.astype(np.int64), size)
    chosen = np.isin(hashes, different[drawn > 0])
    sample = one_of_each(listed_only(bags.select(chosen), taxonomy), hashes[chosen])
    cuts = cut_sample(sample, drawn[drawn > 0], taxonomy, size.ranges)
    leaves = leaves_of(bags, cuts)
    return joined_leaves(_people_in(leaves, bags, cuts.leaves), size.smallest, repeat=bags.owners_repeat)[leaves]


# -- the sample


def hashes_of(bags: Bags, taxonomy: Taxonomy) -> Hashes:
    """Return a hash of the content of each record; unlisted terms are distinguished only by their number."""
    alike = len(taxonomy) if taxonomy.unlisted is None else taxonomy.unlisted
    found: Hashes = kernels.run(_kernels.content_hashes, bags.view, alike, kernels.threads())
    return found


def drawn_times(hashes: Hashes, times: Ints, size: Size) -> Ints:
    """Return how often each content, with this many records, is drawn for the sample."""
    chance = (mixed(hashes) % np.uint64(max(1, size.records))).astype(np.int64)
    return np.asarray((times * size.sample + chance) // max(1, size.records), np.int64)


def listed_only(bags: Bags, taxonomy: Taxonomy) -> Bags:
    """Return the records with every unlisted term as the node of all such terms."""
    if taxonomy.unlisted is None:
        return bags
    return bags.relabelled(np.minimum(np.arange(len(taxonomy)), taxonomy.unlisted).astype(np.int32), taxonomy.names)


def one_of_each(bags: Bags, hashes: Hashes) -> Bags:
    """Return a record for each hash, sorted by hash: the first by content if two contents have the same."""
    order = bags.content_order()
    first = np.unique(hashes[order], return_index=True)[1]
    return bags.select(order[first])


# -- the ranges


def leaves_of(bags: Bags, cuts: Cuts) -> Ints:
    """Return the leaf of the cuts of each record: a function of the record and the cuts alone."""
    found: Ints = kernels.run(_kernels.leaves_of, bags.view, cuts.kernel(), kernels.threads())
    return found


def joined_leaves(people: Ints, smallest: int, *, repeat: bool) -> Ints:
    """Return the range of each leaf: consecutive leaves are merged until there are enough people; too few at the end join the last range.

    If people `repeat`, the same ones may be in several leaves, and two leaves together only certainly have as many as the larger.
    """
    ranges = np.zeros(len(people), np.int64)
    number, held = 0, 0
    for leaf, here in enumerate(people.tolist()):
        ranges[leaf] = number
        held = max(held, here) if repeat else held + here
        if held >= smallest:
            number, held = number + 1, 0
    return np.minimum(ranges, max(0, number - 1))


def _people_in(leaves: Ints, bags: Bags, n: int) -> Ints:
    """Count the distinct people in each leaf."""
    if bags.owners_repeat:
        leaves = distinct_pairs(leaves, bags.owners)[0]
    return np.bincount(leaves, minlength=n)


# -- groups formed range by range


Form = Callable[[Bags, Taxonomy], tuple[Ints, Bags]]
"""Gives the group of each record, from 0, and the published record of each group."""

LANES = 2  # ranges at a time: while one waits for its last block, or works outside kernels, the other has the cores


def formed_in_ranges(form: Form, bags: Bags, taxonomy: Taxonomy, k: int) -> tuple[Ints, Bags]:
    """Form the groups of all records, those of the first range first; small data is one range.

    Published records go to the current storage.
    """
    size = Size.of(len(bags), bags.n_owners, k)
    if size.ranges == 1:
        return form(bags, taxonomy)
    ranges = _Ranges(*_brought_together(bags, ranges_of(bags, taxonomy, size)))
    groups = np.empty(len(bags), np.int64)
    published = RowStack(in_use())
    before = 0
    with closing(_formed_in_turn(form, ranges, taxonomy)) as formed:
        for numbers, labels, rows in formed:
            groups[numbers] = labels + before
            published.add(*rows.rows, np.arange(before, before + len(rows)))
            before += len(rows)
    return groups, published.bags(taxonomy.names)


def _formed_in_turn(form: Form, ranges: _Ranges, taxonomy: Taxonomy) -> Generator[tuple[Ints, Ints, Bags], None, None]:
    """Yield the numbers of the records of each range, their groups, and what is published for these."""
    together = ProgressOfParts(len(ranges.records))

    def formed(number: int) -> tuple[Ints, Ints, Bags]:
        numbers, records = ranges[number]
        with kernels.using(watch=together.part(number, len(records))):
            labels, rows = formed_range(form, records, taxonomy)
        together.end(number, len(records))
        return numbers, labels, rows

    lanes = _lanes()
    dealt = [(formed(number) for number in range(lane, len(ranges), lanes)) for lane in range(lanes)]
    return dealt[0] if lanes == 1 else kernels.ahead(*dealt)


def _lanes() -> int:
    """Return how many ranges are processed at a time, each on all threads; one if memory is limited."""
    return min(LANES, kernels.threads()) if in_use() is IN_MEMORY else 1


def formed_range(form: Form, records: Bags, taxonomy: Taxonomy) -> tuple[Ints, Bags]:
    """Form the groups of one range on the part of the taxonomy that its records use; published records are over the whole one."""
    used = np.zeros(len(taxonomy), np.bool_)
    used[records.items] = True
    part, nodes = taxonomy.only(np.flatnonzero(used))
    number = np.full(len(taxonomy), -1, np.int32)
    number[nodes] = np.arange(len(nodes), dtype=np.int32)
    groups, published = form(records.renumbered(number, part.names), part)
    return groups, published.renumbered(nodes.astype(np.int32), taxonomy.names)


def _brought_together(bags: Bags, ranges: Ints) -> tuple[Bags, Ints, Ints]:
    """Return the records, their ranges and their numbers, in an order in which a range is found without reading all of them.

    In memory the order is unchanged. On disk, nearby records of one range are moved together, block by block, so that every part of the
    disk is read for one range only.
    """
    if in_use() is IN_MEMORY:
        return bags, ranges, np.arange(len(bags))
    order = np.concatenate([begin + np.argsort(ranges[begin:end], kind="stable") for begin, end in bags.blocks()])
    return selected(bags, order, in_use()), ranges[order], order


class _Ranges:
    """The records of each range and their numbers, in input order."""

    def __init__(self, records: Bags, ranges: Ints, numbers: Ints) -> None:
        self.records, self._numbers = records, numbers
        self._order = np.argsort(ranges, kind="stable")
        self._ends = np.concatenate([[0], np.cumsum(np.bincount(ranges))])

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, number: int) -> tuple[Ints, Bags]:
        here = self._order[self._ends[number] : self._ends[number + 1]]
        return self._numbers[here], self.records.select(here)
