"""Counting with a release: how wrong is the number of records that hold one, two or three given items?

Queries are drawn from the original: some items of a record, each lifted to a level of the taxonomy drawn at random. A published record
answers a query by chances: an item at or below a node of the query is certain to count, an item above it counts by the share of its
leaves that lie below the node. The error is relative to the true number, or to a share of all records where the true number is less, so
that queries which hardly any record answers do not drown the others (the sanity bound of the literature on such queries).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from shoal.data.bags import Bags, Ints
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.taxonomy import Taxonomy
from shoal.metrics import Metric

# -- an index of records by their nodes: which hold a node, and which hold something below it


class Postings:
    """The rows of records over a tree, by the nodes they hold. Nodes are numbered in preorder, so a subtree is one piece of the index."""

    def __init__(self, bags: Bags, tree: Taxonomy) -> None:
        self.tree = tree
        self.row_of = np.repeat(np.arange(len(bags)), np.diff(bags.indptr))  # of each item, as the records have them
        by_item = np.argsort(bags.items, kind="stable")
        self._rows = self.row_of[by_item]
        self._starts = np.searchsorted(bags.items[by_item], np.arange(len(tree) + 1))

    def holding(self, node: int) -> Ints:
        """Return the rows that hold just this node, each once."""
        return self._rows[self._starts[node] : self._starts[node + 1]]

    def at_or_below(self, node: int) -> Ints:
        """Return the rows that hold this node or one below it; a row with several of them is there several times."""
        return self._rows[self._starts[node] : self._starts[self.tree.end[node]]]


# -- the metric


QUERIES = 500
QUERIES_OF_A_LEVEL = 100
SANITY = 0.001  # of all records
SEED = 1  # queries are the same for every release of an original


def mean_error(release: Release, original: Original, size: int) -> float:
    """Return the mean relative error of the answers to queries of this many nodes, at levels drawn at random."""
    queries = _drawn(original.bags, original.tree, size)
    return _Counting(release, original).mean_error(queries) if queries else 0.0


def errors_by_level(release: Release, original: Original, size: int) -> dict[int, float]:
    """Return the same for queries whose nodes are all of one level: for each level (the root is 1) that enough items of a record reach."""
    counting, tree = _Counting(release, original), original.tree
    drawn = {level: drawn_at(original.bags, tree, size, level) for level in range(2, int(tree.height) + 2)}
    return {level: counting.mean_error(queries) for level, queries in drawn.items() if queries}


def drawn_at(bags: Bags, tree: Taxonomy, size: int, level: int) -> list[Ints]:
    """Queries of this size from records with as many different nodes at or above their items at this level."""
    lifted = _at_level(bags, tree, level)
    chance = np.random.default_rng(SEED)
    long_enough = np.flatnonzero(np.diff(lifted.indptr) >= size)
    if not len(long_enough):
        return []
    records = long_enough[chance.integers(len(long_enough), size=QUERIES_OF_A_LEVEL)]
    return [chance.choice(lifted.items[lifted.indptr[r] : lifted.indptr[r + 1]], size, replace=False).astype(np.int64) for r in records]


def _at_level(bags: Bags, tree: Taxonomy, level: int) -> Bags:
    """Records with each item lifted to a level; items above it are left out."""
    node = np.arange(len(tree), dtype=np.int32)
    for _ in range(int(tree.height)):
        node = np.where(tree.depth[node] + 1 > level, tree.parent[node], node).astype(np.int32)
    node[tree.depth + 1 < level] = -1
    return bags.relabelled(node, bags.vocabulary, as_sets=True)


class _Counting:
    """What records say to queries, truly and by their release."""

    def __init__(self, release: Release, original: Original) -> None:
        self._truth, self._n = Postings(original.bags, original.tree), len(original.bags)
        self._answers = _Answers(release.published, release.copies, original.tree)

    def mean_error(self, queries: list[Ints]) -> float:
        """Return the mean relative error of the answers; what few records answer is taken relative to the sanity bound."""
        least = max(1.0, SANITY * self._n)
        right = [_exact(self._truth, nodes, self._n) for nodes in queries]
        return float(np.mean([abs(self._answers.expected(nodes) - n) / max(n, least) for nodes, n in zip(queries, right, strict=True)]))


def _drawn(bags: Bags, tree: Taxonomy, size: int) -> list[Ints]:
    """Queries of this size from records that are long enough, each item at a level between its own and the one below the root."""
    chance = np.random.default_rng(SEED)
    long_enough = np.flatnonzero(np.diff(bags.indptr) >= size)
    if not len(long_enough):
        return []
    found = []
    for record in long_enough[chance.integers(len(long_enough), size=QUERIES)]:
        items = bags.items[bags.indptr[record] : bags.indptr[record + 1]]
        found.append(np.array([_lifted(tree, int(item), chance) for item in chance.choice(items, size, replace=False)]))
    return found


def _lifted(tree: Taxonomy, item: int, chance: np.random.Generator) -> int:
    for _ in range(int(chance.integers(max(1, int(tree.depth[item]))))):
        item = int(tree.parent[item])
    return item


def _exact(index: Postings, nodes: Ints, n: int) -> int:
    held = np.ones(n, bool)
    for node in nodes:
        here = np.zeros(n, bool)
        here[index.at_or_below(int(node))] = True
        held &= here
    return int(held.sum())


class _Answers:
    """What published records say to queries."""

    def __init__(self, published: Bags, copies: Ints, tree: Taxonomy) -> None:
        self._index, self._copies, self._tree = Postings(published, tree), copies, tree

    def expected(self, nodes: Ints) -> float:
        """Return the expected number of records that answer a query."""
        chances = self._copies.astype(float)
        for node in nodes:
            chances *= self._chance(int(node))
        return float(chances.sum())

    def _chance(self, node: int) -> npt.NDArray[np.float64]:
        """For each row the chance that it holds something at or below a node."""
        tree = self._tree
        missing, above = np.ones(len(self._copies)), int(tree.parent[node])
        while above >= 0:
            missing[self._index.holding(above)] *= 1 - tree.leaves[node] / tree.leaves[above]
            above = int(tree.parent[above])
        missing[self._index.at_or_below(node)] = 0
        return 1 - missing


def _metric(size: int, items: str) -> Metric:
    formula: Callable[[Release, Original], float] = lambda release, original: mean_error(release, original, size)  # noqa: E731
    summary = f"mean relative error of queries that count records with {items} at any level of the taxonomy"
    return Metric(f"count_error_{size}", summary, "lower", formula, routine=False)


ONE_ITEM, TWO_ITEMS, THREE_ITEMS = _metric(1, "an item"), _metric(2, "two items"), _metric(3, "three items")
