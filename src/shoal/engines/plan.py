"""The plan of a large run: which records are worked on together, as a pure function of the data.

Records are cut into ranges of at least 50,000 people along the taxonomy: again and again across the node whose weight varies most among
them, at a number of occurrences below that node. Where to cut is found on a sample and then frozen, so that any machine that knows the cuts
tells the range of a record from the record alone. How many people a range holds is counted on all records, and ranges that came out too
small are joined.

The sample is drawn by a hash of the content, never of the owner: renaming people must not change what is published. Terms that the taxonomy
does not list count as their common node, so that the sample holds no word that was typed and is not in the taxonomy. A content that many
people share is drawn as often as its share of the records asks for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal import _kernels, kernels
from shoal.data.bags import Bags, Ints
from shoal.data.taxonomy import Taxonomy
from shoal.engines.cuts import LARGEST_SAMPLE, Cuts, cut_sample

SMALLEST_RANGE = 50_000  # people, at least
GROUPS_IN_A_RANGE = 10  # times k people, at least
MARGIN = 1.2  # times the least number of people that a range is meant to hold, as a sample is not exact
SAMPLE = 8_192  # records, at least
SAMPLE_A_RANGE = 128  # records, at least

Hashes = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Size:
    """How large ranges must be, for this many records of this many people."""

    records: int
    people: int
    smallest: int

    @classmethod
    def of(cls, records: int, people: int, k: int) -> Size:
        """For groups of k people."""
        return cls(records, people, max(SMALLEST_RANGE, GROUPS_IN_A_RANGE * k))

    @property
    def splits(self) -> bool:
        """Whether there are enough people for two ranges."""
        return self.people >= 2 * self.smallest

    @property
    def ranges(self) -> int:
        """How many ranges are wanted."""
        return max(1, int(self.people / (MARGIN * self.smallest))) if self.splits else 1

    @property
    def sample(self) -> int:
        """How many records are sampled."""
        return min(self.records, LARGEST_SAMPLE, max(SAMPLE, SAMPLE_A_RANGE * self.ranges))


def ranges_of(bags: Bags, taxonomy: Taxonomy, size: Size) -> Ints:
    """The range of each record, from 0, all records being at hand."""
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
    """A hash of the content of each record; terms that the taxonomy does not list are told apart by nothing but their number."""
    alike = len(taxonomy) if taxonomy.unlisted is None else taxonomy.unlisted
    found: Hashes = kernels.run(_kernels.content_hashes, bags.view, alike, kernels.threads())
    return found


def drawn_times(hashes: Hashes, times: Ints, size: Size) -> Ints:
    """How often each content, of which there are this many records, is drawn into the sample."""
    chance = (_mixed(hashes) % np.uint64(max(1, size.records))).astype(np.int64)
    return np.asarray((times * size.sample + chance) // max(1, size.records), np.int64)


def listed_only(bags: Bags, taxonomy: Taxonomy) -> Bags:
    """The records with every term that the taxonomy does not list as the node of all such terms."""
    if taxonomy.unlisted is None:
        return bags
    return bags.relabelled(np.minimum(np.arange(len(taxonomy)), taxonomy.unlisted).astype(np.int32), taxonomy.names)


def one_of_each(bags: Bags, hashes: Hashes) -> Bags:
    """A record for each hash, in the order of the hashes: the first by content, should two contents have the same."""
    order = bags.content_order()
    first = np.unique(hashes[order], return_index=True)[1]
    return bags.select(order[first])


def _mixed(values: Hashes) -> Hashes:
    """Numbers that look random, by the finalizer of SplitMix64."""
    with np.errstate(over="ignore"):
        mixed = values + np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return mixed ^ (mixed >> np.uint64(31))


# -- the ranges


def leaves_of(bags: Bags, cuts: Cuts) -> Ints:
    """The leaf of the cuts in which each record lies: a function of the record and the cuts alone."""
    found: Ints = kernels.run(_kernels.leaves_of, bags.view, cuts.kernel(), kernels.threads())
    return found


def joined_leaves(people: Ints, smallest: int, *, repeat: bool) -> Ints:
    """The range of each leaf: leaves are taken in their order until enough people are together; too few at the end join the last range.

    Where people `repeat`, the same ones may be in several leaves, and two leaves together are only known to hold as many as the larger.
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
    """How many different people own the records of each leaf."""
    if bags.owners_repeat:
        leaves = np.unique(np.stack([leaves, bags.owners]), axis=1)[0]
    return np.bincount(leaves, minlength=n)
