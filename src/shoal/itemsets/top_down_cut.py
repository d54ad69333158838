"""A cut of the taxonomy with suppressed nodes such that no rule discloses a sensitive item, found from the root down (TDControl).

Non-sensitive items are published as the node of the cut above them, sensitive ones unchanged. At first everything is the root, or the
highest nodes that may be published. A node is split into its children if that reduces the loss, counting what must then be suppressed.
Generalization is not monotone in confidence, which may rise or fall with a split. So every split is followed by a search for all rules that
may now exceed the limit: those from sets with a new node, of any size. The supports of all other sets, and so the confidences of all other
rules, are unchanged.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from shoal.data.bags import Bags, Ints, Small
from shoal.data.taxonomy import Taxonomy
from shoal.itemsets.sensitive_rules import Certainty, Mask, suppressed, sweep
from shoal.util.numbers import distinct

MOST_PASSES = 3  # over the splits that did not pay before others were made


@dataclass(frozen=True, eq=False)
class Cut:
    """The published node of each item, the suppressed nodes, and the loss, in units of the node loss."""

    code: Small
    removed: Mask
    loss: int

    @property
    def published(self) -> Small:
        """The published node of each item, negative if suppressed."""
        return np.where((self.code < 0) | self.removed[self.code], -1, self.code).astype(np.int32)


@dataclass(frozen=True, eq=False)
class _Split:
    """A cut with one node split, and the reduction of the loss."""

    gain: int
    code: Small
    removed: Mask
    fresh: list[int]


class _Search:
    """The state of the search between two splits."""

    def __init__(self, records: Bags, tree: Taxonomy, sensitive: Mask, worth: Ints, limit: Certainty) -> None:
        self.records, self.tree, self.sensitive, self.limit = records, tree, sensitive, limit
        self.occurrences = np.bincount(records.items, minlength=len(tree)).astype(np.int64) * worth
        self.publishable = (tree.publishable == 1) & ~sensitive  # for other items than themselves
        self.stays = (tree.publishable == 1) & sensitive
        self.below = tree.sum_up(np.where(sensitive, 0, self.occurrences))  # that may be generalized, under each node
        self.code = np.where(self.stays, np.arange(len(tree)), -1).astype(np.int32)
        self.removed = np.zeros(len(tree), bool)
        self.row = np.repeat(np.arange(len(records)), np.diff(records.indptr))
        self.fresh = self._place(0, self.code)

    def _place(self, node: int, code: Small) -> list[int]:
        """Publish everything below a node as the highest nodes that may be published, and return these."""
        if not self.below[node]:
            return []
        if not self.publishable[node]:
            return [found for child in self.tree.children(node) for found in self._place(int(child), code)]
        while not self.occurrences[node] and len(only := self._holding(node)) == 1 and self.publishable[only[0]]:
            node = int(only[0])
        inside = slice(node, int(self.tree.end[node]))
        code[inside] = np.where(self.sensitive[inside], code[inside], node)
        return [node]

    def _holding(self, node: int) -> Ints:
        children = self.tree.children(node)
        return children[self.below[children] > 0]

    def splits(self, node: int) -> bool:
        """Whether there is something to distinguish below the node."""
        return bool(self.below[node] > self.occurrences[node])

    def hoped(self, node: int) -> int:
        """Return the gain of splitting a node if nothing has to be suppressed."""
        code = self.code.copy()
        self._divide(node, code)
        return self._lost(node, self.code, self.removed) - self._lost(node, code, np.zeros(len(code), bool))

    def _divide(self, node: int, code: Small) -> list[int]:
        fresh = [found for child in self._holding(node) for found in self._place(int(child), code)]
        return [*fresh, node] if self.occurrences[node] else fresh

    def _lost(self, node: int, code: Small, removed: Mask) -> int:
        """Return the loss of the items below a node."""
        items = np.arange(node, self.tree.end[node])
        items = items[(self.occurrences[items] > 0) & ~self.sensitive[items]]
        return int((self.occurrences[items] * self._loss_of(items, code, removed)).sum())

    def _loss_of(self, items: Ints, code: Small, removed: Mask) -> Ints:
        shown = code[items]
        after = np.where((shown < 0) | removed[shown], self.tree.units, self.tree.unit_losses[shown])
        return np.asarray(after - self.tree.unit_losses[items])

    def suppressing(self, code: Small) -> Ints:
        """Return the additional loss of suppressing each published node."""
        items = np.flatnonzero((self.occurrences > 0) & (code >= 0))
        loss = np.zeros(len(code), np.int64)
        np.add.at(loss, code[items], self.occurrences[items] * (self.tree.units - self.tree.unit_losses[code[items]]))
        return loss

    def total(self, code: Small, removed: Mask) -> int:
        """Return the total loss."""
        items = np.flatnonzero(self.occurrences)
        return int((self.occurrences[items] * self._loss_of(items, code, removed)).sum())

    def split(self, node: int) -> _Split:
        """Split a node into its children, search for rules that may now exceed the limit, and suppress items against them."""
        code, removed = self.code.copy(), self.removed.copy()
        fresh = self._divide(node, code)
        removed[node] = False
        among = np.zeros(len(code), bool)
        among[fresh] = True
        touched = distinct(self.row[(self.code == node)[self.records.items]])
        some = self.records.select(touched).relabelled(code, self.records.vocabulary, as_sets=True)
        loss = self.suppressing(code)
        swept = sweep(some, self.sensitive, loss, self.limit, removed, among).removed
        gain = (
            self._lost(node, self.code, self.removed)
            - self._lost(node, code, np.zeros(len(code), bool))
            - int(loss[swept & ~removed].sum())
        )
        return _Split(gain, code, swept, [other for other in fresh if other != node])

    def recoded(self) -> Bags:
        """Return the records under the cut, before suppression."""
        return self.records.relabelled(self.code, self.records.vocabulary, as_sets=True)

    def check_all(self) -> None:
        """Search for all rules, and suppress items against them."""
        self.removed = sweep(self.recoded(), self.sensitive, self.suppressing(self.code), self.limit, self.removed).removed

    def put_back(self) -> None:
        """Publish suppressed nodes again, the most expensive first, if no rule from a set with the node then exceeds the limit."""
        records, loss = self.recoded(), self.suppressing(self.code)
        row = np.repeat(np.arange(len(records)), np.diff(records.indptr))
        for node in sorted(np.flatnonzero(self.removed & ~self.sensitive).tolist(), key=lambda node: (-loss[node], node)):
            removed, among = self.removed.copy(), np.zeros(len(loss), bool)
            removed[node], among[node] = False, True
            some = records.select(distinct(row[records.items == node]))
            if len(some) and not sweep(some, self.sensitive, loss, self.limit, removed, among).pool:
                self.removed = removed

    def descend(self, nodes: list[int]) -> list[int]:
        """Split nodes while that gains, the largest estimated gain first. Returns those whose split did not pay."""
        queue = [(-self.hoped(node), node) for node in nodes if self.splits(node)]
        heapq.heapify(queue)
        useless: list[int] = []
        while queue:
            _, node = heapq.heappop(queue)
            found = self.split(node)
            if found.gain <= 0:
                useless.append(node)
            elif queue and found.gain < -queue[0][0]:
                heapq.heappush(queue, (-found.gain, node))
            else:
                self.code, self.removed = found.code, found.removed
                for fresh in found.fresh:
                    if self.splits(fresh):
                        heapq.heappush(queue, (-self.hoped(fresh), fresh))
        return useless


def specialized(records: Bags, tree: Taxonomy, sensitive: Mask, worth: Ints, limit: Certainty) -> Cut:
    """Return the cut with the least loss found, and what is suppressed; suppression alone if that loses no more."""
    search = _Search(records, tree, sensitive, worth, limit)
    search.check_all()
    nodes = search.fresh
    for _ in range(MOST_PASSES):
        before = search.total(search.code, search.removed)
        nodes = search.descend(nodes)
        search.check_all()
        if not nodes or search.total(search.code, search.removed) >= before:
            break
    search.put_back()
    return min((_cut(search, code, removed) for code, removed in ((search.code, search.removed), _alone(search))), key=lambda cut: cut.loss)


def _alone(search: _Search) -> tuple[Small, Mask]:
    """Return the cut with every item unchanged or suppressed."""
    shown = search.publishable | search.stays
    code = np.where(shown, np.arange(len(shown)), -1).astype(np.int32)
    records = search.records.relabelled(code, search.records.vocabulary)
    return code, suppressed(records, search.sensitive, search.suppressing(code), search.limit)


def _cut(search: _Search, code: Small, removed: Mask) -> Cut:
    return Cut(code, removed, search.total(code, removed))
