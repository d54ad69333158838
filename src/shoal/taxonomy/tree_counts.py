"""Records by categories: how often each category of a tree lies above their items, at every level, and how much two records coincide.

The coincidence of two records is the sum over all levels and categories of the smaller of the two counts: the same histogram intersection
that groups of the method shoal are scored by, with every category weighing one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from shoal import _kernels, kernels
from shoal.data.bags import Bags, Ints, Small
from shoal.data.taxonomy import Taxonomy
from shoal.errors import InputError
from shoal.util.numbers import distinct

# Tree counts and meets: the one sparse structure and the two operations that every clustering method rests on.


# No score is larger than all occurrences together, in units; twice that still fits 64 bits.
LARGEST_SCORE = 2**62


@dataclass(frozen=True, eq=False)
class TreeCounts:
    """Per record, the counts of all weighted nodes above its items, in preorder, and further data for scores.

    Scores are whole numbers: `units` of them make a loss of one.
    """

    indptr: Ints
    nodes: Small
    counts: Small
    lengths: Ints
    weights: Ints
    units: int

    @property
    def rows(self) -> tuple[Ints, Small, Small]:
        """The three arrays of the sparse rows."""
        return self.indptr, self.nodes, self.counts

    @cached_property
    def view(self) -> _kernels.Rows:
        """The sparse rows as kernels take them."""
        return _kernels.Rows(*self.rows)

    def scored(self, owners: Ints, k: int, owners_repeat: bool) -> _kernels.Scored:
        """Return the records as kernels take them that look for groups of k people."""
        return _kernels.Scored(self.view, self.lengths, owners, self.weights, self.units, k, owners_repeat)

    def min_sums(self, left: npt.ArrayLike, right: npt.ArrayLike) -> Ints:
        """Return the weighted min-sum of each pair of records: what a group of the two keeps, in units."""
        pairs = np.asarray(left, np.int64), np.asarray(right, np.int64)
        found: Ints = kernels.run(_kernels.min_sums, self.view, *pairs, self.weights, kernels.threads())
        return found


def tree_counts(bags: Bags, taxonomy: Taxonomy, word_worth: int = 0) -> TreeCounts:
    """Counts of every node that has a weight; nodes with no more information than their parents are passed over.

    With `word_worth` a node that occurs as a word weighs as much more as this many losses of one: groups are then scored by the words they
    share before the nodes above these.
    """
    units = taxonomy.units * (1 + word_worth)
    if bags.occurrences * units > LARGEST_SCORE:
        raise InputError(f"{bags.occurrences:,} item occurrences are too many to score exactly", code="too-many-occurrences")
    weights = taxonomy.weights
    if word_worth:
        weights = weights.copy()
        words = distinct(bags.items)
        weights[words[taxonomy.publishable[words] > 0]] += word_worth * taxonomy.units
    up = taxonomy.parent.copy()
    while len(idle := np.flatnonzero((up >= 0) & (weights[up] == 0))):
        up[idle] = up[up[idle]]  # which leaps over all idle nodes found so far
    first = np.where(weights > 0, np.arange(len(taxonomy)), up).astype(np.int32)
    indptr, nodes, counts = kernels.run(
        _kernels.tree_counts, bags.view, up, taxonomy.end, first, kernels.threads(), label="counting subtrees"
    )
    return TreeCounts(indptr, nodes, counts, bags.lengths, weights, units)


def meet(bags: Bags, taxonomy: Taxonomy, groups: npt.ArrayLike) -> Bags:
    """Return the least common generalization of each group, as a bag; group labels run from 0, below 0 is in no group."""
    labels = np.asarray(groups, np.int64)
    members = np.argsort(labels, kind="stable")
    members = members[np.searchsorted(labels[members], 0) :]
    n = int(labels.max(initial=-1)) + 1
    starts = np.concatenate([[0], np.cumsum(np.bincount(labels[members], minlength=n))]).astype(np.int64)
    indptr, nodes, counts = kernels.run(
        _kernels.meet_groups,
        bags.view,
        taxonomy.view,
        starts,
        members,
        kernels.threads(),
        label="generalizing groups",
    )
    return Bags(indptr, nodes, counts, np.arange(n, dtype=np.int64), taxonomy.names)


def category_counts(bags: Bags, taxonomy: Taxonomy, levels: int | None = None) -> TreeCounts:
    """Counts of all categories below the root, down to this level (the children of the root are on level 1); deeper items count there."""
    depth = taxonomy.depth
    counted = (depth >= 1) & (depth <= (levels or int(depth.max(initial=1))))
    up = np.where(taxonomy.parent > 0, taxonomy.parent, -1).astype(np.int32)
    first = np.arange(len(taxonomy), dtype=np.int32)
    for node in range(1, len(taxonomy)):  # parents come before their children
        if not counted[node]:
            first[node] = first[up[node]]
    first[0] = -1
    indptr, nodes, counts = kernels.run(
        _kernels.tree_counts, bags.view, up, taxonomy.end, first, kernels.threads(), label="counting categories"
    )
    return TreeCounts(indptr, nodes, counts, bags.lengths, counted.astype(np.int64), 1)


def published_items(published: Bags, copies: Ints, tree: Taxonomy) -> tuple[Ints, Ints]:
    """Count the published records that contain each node, and its copies, block by block to limit memory."""
    records, times = np.zeros(len(tree), np.int64), np.zeros(len(tree), np.int64)
    for begin, end in published.blocks():
        some = published.part(begin, end)
        bearers = np.repeat(copies[begin:end], np.diff(some.indptr))
        records += np.bincount(some.items, weights=bearers, minlength=len(tree)).astype(np.int64)
        times += np.bincount(some.items, weights=bearers * some.counts, minlength=len(tree)).astype(np.int64)
    return records, times
