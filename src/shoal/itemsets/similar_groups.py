"""Groups of similar records: a record and those most similar to it, of different people.

Similarity is Jaccard's: the shared items of two records, divided by the items of either. Time: for each group one scan of the lists of
records with an item of its first record.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from shoal import kernels
from shoal.data.bags import Bags, Ints

WIDER = 4  # how many times as many records as are wanted are sorted first, because some may be of one person


def like_groups(records: Bags, order: Ints, k: int) -> list[Ints]:
    """Form groups of at least k people: in this order, a record takes the k - 1 most similar records of other people.

    When the remaining records belong to fewer than k people, each joins the group with the most similar record. There must be k people.
    Ties are broken by the given order, which also orders the groups.
    """
    search = _Search(records.select(order))
    groups: list[list[int]] = []
    while search.people_left >= k:
        groups.append(search.taken(k))
        kernels.report("grouping", sum(map(len, groups)), len(records))
    group = np.full(len(records), -1, np.int64)
    for number, members in enumerate(groups):
        group[members] = number
    for place, joined in list(search.joining(group)):
        groups[joined].append(place)
    return [order[np.sort(members)] for members in groups]


class _Search:
    """Records by position in an order, with lists of those with an item; taken ones are removed from the lists from time to time."""

    def __init__(self, records: Bags) -> None:
        self._indptr, self._items, self._lengths = records.indptr, records.items, records.lengths
        self._owners = np.unique(records.owners, return_inverse=True)[1]
        self._left = np.ones(len(records), bool)
        self._records_of = np.bincount(self._owners, minlength=1)
        self._next = 0
        self._listed = len(records)
        self._list()

    @property
    def people_left(self) -> int:
        """The number of people with records that are not taken."""
        return int((self._records_of > 0).sum())

    def taken(self, k: int) -> list[int]:
        """Take the next record and the most similar ones of k - 1 other people."""
        while not self._left[self._next]:
            self._next += 1
        likeness = self._likeness(self._next)
        likeness[~self._left] = -1.0
        likeness[self._owners == self._owners[self._next]] = -1.0
        chosen = [self._next, *self._nearest(likeness, k - 1)]
        self._left[chosen] = False
        np.subtract.at(self._records_of, self._owners[chosen], 1)
        if 2 * int(self._left.sum()) < self._listed:
            self._list()
        return chosen

    def joining(self, group: Ints) -> Iterator[tuple[int, int]]:
        """Return the remaining records, and the group of the record most similar to each."""
        self._left = group >= 0
        grouped = self._left
        self._left = np.ones(len(group), bool)
        self._list()
        for place in np.flatnonzero(~grouped).tolist():
            likeness = self._likeness(place)
            likeness[~grouped] = -1.0
            yield place, int(group[np.argmax(likeness)])

    def _nearest(self, likeness: npt.NDArray[np.float64], n: int) -> list[int]:
        """Return the positions of the n largest numbers of different people; ties in order."""
        wanted = min(len(likeness), WIDER * n)
        while True:
            least = np.partition(likeness, -wanted)[-wanted]
            places = np.flatnonzero((likeness >= least) & (likeness >= 0))
            places = places[np.argsort(-likeness[places], kind="stable")]
            _, first = np.unique(self._owners[places], return_index=True)
            if len(first) >= n or wanted == len(likeness):
                found: list[int] = places[np.sort(first)[:n]].tolist()
                return found
            wanted = min(len(likeness), WIDER * wanted)

    def _likeness(self, place: int) -> npt.NDArray[np.float64]:
        """Return the share of items that each listed record has in common with this one."""
        items = self._items[self._indptr[place] : self._indptr[place + 1]]
        holders = [self._holders[self._starts[item] : self._starts[item + 1]] for item in items]
        shared = np.bincount(np.concatenate(holders), minlength=len(self._lengths)) if holders else np.zeros(len(self._lengths), np.int64)
        likeness: npt.NDArray[np.float64] = shared / (self._lengths + self._lengths[place] - shared)
        return likeness

    def _list(self) -> None:
        """List the remaining records by item."""
        place = np.repeat(np.arange(len(self._lengths)), np.diff(self._indptr))
        stays = self._left[place]
        items, place = self._items[stays], place[stays]
        by_item = np.argsort(items, kind="stable")
        self._holders = place[by_item]
        self._starts = np.searchsorted(items[by_item], np.arange(int(self._items.max(initial=-1)) + 2))
        self._listed = int(self._left.sum())
