"""Search from below: items are published as typed if at least k people have every set of up to m published nodes, else as parents.

`climb` implements the steps, for records on this machine and on a cluster. Each step publishes what is not published yet one level higher
than was tried before: items as typed at first, then their parents, and so on. Then, until no set is rare:

1. All minimal rare sets are found: sets of at most m nodes that some but fewer than k people publish and that contain no other rare set.
Only
   sets with a changed node can be rare.
2. Each record with rare sets gives up nodes that it publishes only since this step: repeatedly the node in most of its remaining
   rare sets; of ties, the one in more rare sets of all records; then the one with the lower number.

Implementations differ in where the records are, and so in how rare sets are counted: `RecordsHere` has them in memory and counts with one
kernel, `cluster/km_driver.py` has them in partitions and adds up the counts. `Places` decides what is tried next and what is given up, for
the records of one machine or of one partition.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt

from shoal import _kernels, kernels
from shoal.data.bags import Bags, Ints, Small
from shoal.data.taxonomy import Taxonomy
from shoal.itemsets.itemset_support import too_many_sets
from shoal.itemsets.km_recoding import in_order_of

NOTHING = -1  # at a place where nothing is published
Mask = npt.NDArray[np.bool_]


class RareSets(Protocol):
    """Rare sets as stored by an implementation of `Records`."""

    @property
    def of_several(self) -> bool:
        """Whether some set has two nodes or more."""


class RecodedRecords(Protocol):
    """Records that publish some of their items, wherever they are stored. Masks are over the nodes."""

    def lift(self) -> Mask:
        """Publish what is not published yet one level higher. Returns the nodes published this way."""

    def rare_sets(self, changed: Mask) -> Any:
        """Return the minimal rare sets with a changed node."""

    def give_up(self, rare: Any) -> Mask:
        """Let every record give up nodes of its rare sets. Returns the nodes given up somewhere."""

    def words_kept(self) -> int:
        """Return the number of items that are published as typed."""


SomeRecords = TypeVar("SomeRecords", bound=RecodedRecords)


def climb(records: SomeRecords) -> SomeRecords:
    """Publish as much as possible, starting from what the records publish, and return them."""
    changed = records.lift()
    _settle(records, changed)
    while (changed := records.lift()).any():  # also where nothing could be tried as it was typed
        _settle(records, changed)
    return records


def _settle(records: RecodedRecords, changed: Mask) -> None:
    """Give up nodes that were just published until no set is rare."""
    while changed.any():
        rare: RareSets = records.rare_sets(changed)
        changed = records.give_up(rare)
        if not rare.of_several:  # a node that was rare by itself is not published any more, and makes no set rare
            return


def both_ways(begin: Callable[[Mask | None], SomeRecords], settled: Mask) -> list[SomeRecords]:
    """Publish from below twice: from nothing, and from the settled items, which suppression alone would publish everywhere."""
    return [climb(begin(None)), climb(begin(settled))]


def most_words(ways: list[SomeRecords]) -> SomeRecords:
    """Return the result that keeps most items as typed; the first of ties."""
    return max(ways, key=lambda way: way.words_kept())


@dataclass(frozen=True, eq=False)
class PublishableTree:
    """The parent of each node, and which nodes may be published. The root, node 0, is never published."""

    parent: Small
    publishable: Mask

    def __len__(self) -> int:
        return len(self.parent)


@dataclass(frozen=True, eq=False)
class Places:
    """The items of some records, and what is published for each.

    Attributes:
        begins: Where the items of each record begin, and the end of the last.
        items: The items.
        shown: The node that is published for each, or NOTHING.
        above: The node that is tried next for each; 0 or less for none.
        fresh: 1 where something is published only since the present step.
    """

    begins: Ints
    items: Small
    shown: Small
    above: Small
    fresh: npt.NDArray[np.uint8]

    @classmethod
    def first(cls, begins: Ints, items: Small, ladder: PublishableTree, settled: Mask | None) -> Self:
        """Make records that publish only settled items. Items below 0 have no node."""
        stays = np.zeros(len(items), bool) if settled is None else (items >= 0) & settled[items]
        shown = np.where(stays & ladder.publishable[items], items, NOTHING).astype(np.int32)
        return cls(begins, items, shown, np.where(stays, 0, items).astype(np.int32), np.zeros(len(items), np.uint8))

    def lifted(self, ladder: PublishableTree) -> Self:
        """Publish one level more than was tried before, where nothing is published."""
        tries = (self.shown < 0) & (self.above > 0) & ladder.publishable[self.above]
        above = np.where(tries, ladder.parent[self.above], self.above).astype(np.int32)
        return replace(self, shown=np.where(tries, self.above, self.shown).astype(np.int32), above=above, fresh=tries.astype(np.uint8))

    def removed_places(self, rare: _kernels.RareSets, everywhere: Ints) -> Mask:
        """Return which occurrences give up their node because of these rare sets; `everywhere` counts the rare sets of each node."""
        arguments = self.begins, self.shown, self.fresh, rare, everywhere
        found: npt.NDArray[np.uint8] = kernels.run(_kernels.give_up, *arguments, label="recoding")
        return found.astype(bool)

    def without(self, removed: Mask) -> Self:
        """Return the same with nothing published for these occurrences."""
        return replace(self, shown=np.where(removed, NOTHING, self.shown).astype(np.int32))


@dataclass(frozen=True, eq=False)
class ChosenPlaces:
    """Places that give up what they publish, because of rare nodes and rare pairs of nodes, which are not kept."""

    removed: Mask
    of_several: bool


PAIRS = 2  # sets of up to this many nodes are not kept, because there may be as many as pairs of items in the records
BATCH = 1 << 23  # rare pairs whose records choose at a time


class RecordsHere:
    """Records in memory; they are non-empty sets."""

    def __init__(self, records: Bags, tree: Taxonomy, k: int, m: int, settled: Mask | None = None) -> None:
        several = records.owners_repeat
        self._records, self._m = records, m
        self._order = np.argsort(records.owners, kind="stable") if several else np.arange(len(records), dtype=np.int64)
        ordered = records.select(self._order) if several else records
        longest = max(1, int(np.diff(records.indptr).max(initial=1)))
        self._published = _kernels.PublishedRecords(
            ordered.view, ordered.owners if several else np.zeros(0, np.int64), len(tree), k, min(m, longest)
        )
        self._ladder = PublishableTree(tree.parent, tree.publishable.astype(bool))
        self._places = Places.first(ordered.indptr, ordered.items, self._ladder, settled)
        self._publish(np.flatnonzero(self._places.shown >= 0))

    def lift(self) -> Mask:
        """Publish what is not published yet one level higher."""
        self._places = self._places.lifted(self._ladder)
        fresh = np.flatnonzero(self._places.fresh)
        self._publish(fresh)
        return self._marked(self._places.shown[fresh])

    def rare_sets(self, changed: Mask) -> _kernels.RareSets | ChosenPlaces:
        """Find rare sets with a kernel over all records; sets of one or two nodes only as far as each record needs them to choose."""
        nodes = np.flatnonzero(changed).astype(np.int32)
        if self._m <= PAIRS:
            arguments = self._places.shown, self._places.fresh, nodes, BATCH
            removed, of_several = kernels.run(self._published.give_up_pairs, *arguments, label="recoding")
            return ChosenPlaces(removed.astype(bool), of_several)
        try:
            found: _kernels.RareSets = kernels.run(self._published.rare_sets, nodes, label="recoding")
        except kernels.Exceeded:
            raise too_many_sets(self._m) from None
        return found

    def give_up(self, rare: _kernels.RareSets | ChosenPlaces) -> Mask:
        """Let every record give up nodes of its rare sets."""
        removed = (
            rare.removed if isinstance(rare, ChosenPlaces) else self._places.removed_places(rare, rare.of_each_node(len(self._ladder)))
        )
        nodes = self._marked(self._places.shown[removed])
        self._places = self._places.without(removed)
        self._publish(np.flatnonzero(removed))
        return nodes

    def words_kept(self) -> int:
        """Return the number of items that are published as typed."""
        return int((self._places.shown == self._places.items).sum())

    def shown(self) -> Small:
        """Return the published node of each occurrence in the input order; NOTHING if it is suppressed."""
        return in_order_of(self._records, self._order, self._places.shown)

    def _publish(self, places: Ints) -> None:
        """Pass the published nodes of these occurrences to the kernel."""
        self._published.publish(places, self._places.shown[places])

    def _marked(self, nodes: Small) -> Mask:
        mask = np.zeros(len(self._ladder), bool)
        mask[nodes] = True
        return mask
