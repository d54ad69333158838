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
from shoal.metrics import Metric
from shoal.taxonomy.postings import Postings
from shoal.taxonomy.tree import Taxonomy

QUERIES = 500
SANITY = 0.001  # of all records
SEED = 1  # queries are the same for every release of an original


def mean_error(release: Release, original: Original, size: int) -> float:
    """The mean relative error of the answers to queries of so many nodes."""
    truth = Postings(original.bags, original.tree)
    answers = _Answers(release.published, release.copies, original.tree)
    least = max(1.0, SANITY * len(original.bags))
    errors = []
    for nodes in _drawn(original.bags, original.tree, size):
        right = _exact(truth, nodes, len(original.bags))
        errors.append(abs(answers.expected(nodes) - right) / max(right, least))
    return float(np.mean(errors)) if errors else 0.0


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
        """The expected number of records that answer a query."""
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
    summary = f"mean relative error of counting records that hold {items}, at any level of the taxonomy"
    return Metric(f"count_error_{size}", summary, "lower", formula, routine=False)


ONE_ITEM, TWO_ITEMS, THREE_ITEMS = _metric(1, "an item"), _metric(2, "two items"), _metric(3, "three items")
