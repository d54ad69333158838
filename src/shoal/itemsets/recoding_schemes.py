"""Recodings of other shapes than whole subtrees: of all items to one level, and of some siblings while others stay.

Full-domain generalization publishes every item as its ancestor of one level; items at or above that level stay as they are. A more general
level never makes a set rare, so the most precise safe level is found by bisection.

Sibling generalization may leave some children of a node as they are ("fruit but banana"). A recoding is a set of raised nodes: an item is
published as its nearest ancestor, or itself, that is not raised. A published node then represents what lies below it, except for what is
published under a name of its own. Every set of up to m published items must be held by at least k people.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush

import numpy as np

from shoal.data.bags import Bags, Ints, Small
from shoal.data.taxonomy import Taxonomy
from shoal.errors import ParameterError
from shoal.itemsets.hitting_set import improved
from shoal.itemsets.itemset_support import PUBLIC, Moles, Power, minimal_moles

SUPPRESSED = -1
SUBTREE, FULL_DOMAIN, SIBLING = SCHEMES = ("subtree", "full-domain", "sibling")
MOST_RECODINGS = 20_000  # that an exhaustive search looks at

Raised = frozenset[int]


def level_places(records: Bags, tree: Taxonomy, k: int, m: int) -> Small:
    """Return the published node of each occurrence for the most precise level at which no set of up to m nodes is rare."""
    schemes = NodeRecodings(records, tree, k, m)
    safe, unsafe = 0, int(tree.depth[records.items].max(initial=0)) + 1
    while unsafe - safe > 1:
        middle = (safe + unsafe) // 2
        if schemes.rare_set(_at_level(tree, schemes.items, middle)) is None:
            safe = middle
        else:
            unsafe = middle
    return schemes.places(_at_level(tree, schemes.items, safe))


def _at_level(tree: Taxonomy, items: Small, depth: int) -> Small:
    """Return the ancestor of each item at this depth, or the item itself if it is not below it."""
    images = items.copy()
    while (below := tree.depth[images] > depth).any():
        images = np.where(below, tree.parent[images], images).astype(np.int32)
    return images


def sibling_places(records: Bags, tree: Taxonomy, k: int, m: int, *, undo: bool) -> Small:
    """Return the published node of each occurrence after rare sets were generalized by size, and unnecessary steps undone.

    In each round some nodes of all rare sets are raised to their parents, where rare siblings become one node of more people: as few
    occurrences as possible, weighted by the loss that a step adds.
    """
    schemes = NodeRecodings(records, tree, k, m)
    raised: set[int] = set()
    for size in range(1, m + 1):
        while len(moles := schemes.rare_sets(schemes.images(raised), size)):
            raised.update(schemes.cheapest_into_root(raised) if moles[0] == (0,) else improved(moles, schemes.costs(raised)).items.tolist())
    if undo:
        raised = _lowered(schemes, raised)
    return schemes.places(schemes.images(raised))


def _lowered(schemes: NodeRecodings, raised: set[int]) -> set[int]:
    """Return the raised nodes without those that need not be, the largest gain first, and several at once where that is safe."""
    before = schemes.loss(schemes.images(raised))
    gain = {node: before - schemes.loss(schemes.images(raised - {node})) for node in raised}
    pending = [sorted((node for node in raised if gain[node] > 0), key=lambda node: (-gain[node], node))]
    while pending:
        some = pending.pop()
        if schemes.rare_set(schemes.images(raised - set(some))) is None:
            raised = raised - set(some)
        elif len(some) > 1:
            middle = len(some) // 2
            pending += [some[middle:], some[:middle]]
    return raised


def best_sibling_places(records: Bags, tree: Taxonomy, k: int, m: int) -> Small:
    """Return the published node of each occurrence for a sibling generalization with the least loss. Raise if the search is too long.

    Recodings are examined by increasing loss. If a set is rare, every safe recoding with more raised nodes raises one of its nodes, or
    raises another published node into one of them; only these steps are followed.
    """
    schemes = NodeRecodings(records, tree, k, m)
    first: Raised = frozenset()
    pending, seen = [(schemes.loss(schemes.images(first)), sorted(first), first)], {first}
    while (rare := schemes.rare_set(schemes.images(pending[0][2]))) is not None:
        raised = heappop(pending)[2]
        for further in schemes.further(raised, rare):
            if further not in seen:
                seen.add(further)
                heappush(pending, (schemes.loss(schemes.images(further)), sorted(further), further))
        if len(seen) > MOST_RECODINGS:
            raise ParameterError(
                f"the search would examine more than {MOST_RECODINGS:,} sibling generalizations",
                code="too-many-cuts",
                hint="apriori works on data of any size",
                limit=MOST_RECODINGS,
            )
    return schemes.places(schemes.images(pending[0][2]))


class NodeRecodings:
    """Recodings of the items of some records: the published node of each item, what is rare then, and what it loses."""

    def __init__(self, records: Bags, tree: Taxonomy, k: int, m: int) -> None:
        self.records, self.tree, self._k, self._m = records, tree, k, m
        items, self._occurrences = np.unique(records.items, return_counts=True)
        self.items: Small = items.astype(np.int32)
        self._losses: Ints = tree.unit_losses.astype(np.int64)

    def images(self, raised: Raised | set[int]) -> Small:
        """Return the published node of each item, ignoring whether it may be published."""
        up = np.zeros(len(self.tree), bool)
        up[list(raised)] = True
        up[0] = False
        images = self.items
        while (rising := up[images]).any():
            images = np.where(rising, self.tree.parent[images], images).astype(np.int32)
        return images

    def loss(self, images: Small) -> int:
        """Return the total loss of all occurrences, in units of the node loss; what may not be published is suppressed."""
        return int((self._occurrences * self._losses[images]).sum())

    def costs(self, raised: set[int]) -> Ints:
        """Return what it adds to the loss to raise each node, at least 1; the root, which cannot be raised, costs more than all others."""
        images = self.images(raised)
        often = np.bincount(images, weights=self._occurrences, minlength=len(self.tree)).astype(np.int64)
        above = np.maximum(self.tree.parent, 0)
        costs = np.asarray(often * (self._losses[above] - self._losses) + 1, np.int64)
        costs[0] = 1 + costs[1:].sum()
        return costs

    def places(self, images: Small) -> Small:
        """Return the published node of every occurrence; SUPPRESSED if it may not be published."""
        codes = np.full(len(self.tree), SUPPRESSED, np.int32)
        codes[self.items] = np.where(self.tree.publishable[images], images, SUPPRESSED)
        return codes[self.records.items]

    def rare_sets(self, images: Small, size: int) -> Moles:
        """Return the minimal sets of up to `size` published nodes that too few people have. There are at least k people."""
        records = self.records
        places = self.places(images)
        published = Bags.from_rows(records.indptr, places, records.counts, records.vocabulary, records.owners, as_sets=True)
        return minimal_moles(published, np.full(len(records.vocabulary), PUBLIC, np.uint8), Power(1.0, self._k, size))

    def rare_set(self, images: Small) -> tuple[int, ...] | None:
        """Return one of the smallest rare sets, or None."""
        moles = self.rare_sets(images, self._m)
        return moles[0] if len(moles) else None

    def cheapest_into_root(self, raised: set[int]) -> list[int]:
        """Return the nodes to raise so that one more published node becomes part of the root, at the least loss."""
        images, often = np.unique(self.images(raised), return_inverse=True)
        added = np.bincount(often, weights=self._occurrences) * (self._losses[0] - self._losses[images])
        nodes = np.flatnonzero(images > 0)
        return list(self._path(int(images[nodes[added[nodes].argmin()]]), 0))

    def further(self, raised: Raised, rare: tuple[int, ...]) -> Iterator[Raised]:
        """Return recodings with more raised nodes, at least one of which every safe recoding contains."""
        published = np.unique(self.images(raised)).tolist()
        for node in rare:
            if node:
                yield raised | {node}
            for other in published:
                if node < other < self.tree.end[node]:
                    yield raised | set(self._path(other, node))

    def _path(self, low: int, high: int) -> Iterator[int]:
        """Return the nodes from `low` up to, but without, `high`."""
        while low != high:
            yield low
            low = int(self.tree.parent[low])
