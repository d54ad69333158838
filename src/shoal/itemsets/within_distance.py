"""Brings the sets of a group within a distance of each other by adding and removing items.

All members get a core of items, those that most of them have. If the core has c items, two members with at most e further items each, all
different, have the Jaccard distance 2e / (c + 2e): so e may be as large as delta c / (2 (1 - delta)). The cheapest core is used: a removed
item costs 1, an added one its price. Then items are restored, and additions undone, one by one, as long as the distances allow it. All
computations use integers.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from shoal.data.bags import Ints

Mask = npt.NDArray[np.bool_]

MOST_MEMBERS = 300  # of larger groups items are not put back one by one


def closed(held: Mask, k: int, delta: Fraction, price: Fraction, *, all_pairs: bool) -> Mask:
    """Return what each member (a row) publishes of the group's items (columns), which are sorted by decreasing number of members.

    Every member is then within delta of k - 1 others, or, for `all_pairs`, of all others.
    """
    shown = _cored(held, delta, price)
    if len(held) > MOST_MEMBERS or not shown.any():
        return shown
    pairs = _Pairs(shown, len(held) - 1 if all_pairs else k - 1, delta)
    pairs.put_back(held)
    pairs.take_back(held)
    pairs.put_back(held)
    return pairs.shown


def by_holders(held: Mask) -> Ints:
    """Return the columns in the order for `closed`: by decreasing number of members, ties in their order."""
    order: Ints = np.argsort(-held.sum(axis=0), kind="stable")
    return order


def _cored(held: Mask, delta: Fraction, price: Fraction) -> Mask:
    """Return the cheapest core, and the first allowed further items of each member."""
    members, items = held.shape
    core = np.arange(items + 1)
    beyond = held.sum(axis=1)[:, None] - np.concatenate([np.zeros((members, 1), np.int64), held.cumsum(axis=1)], axis=1)
    allowed = core * delta.numerator // (2 * (delta.denominator - delta.numerator))
    left_out = np.maximum(0, beyond - allowed).sum(axis=0)
    added = np.concatenate([[0], np.cumsum(members - held.sum(axis=0))])
    cost = price.denominator * left_out + price.numerator * added
    best = items - int(np.argmin(cost[::-1]))  # the largest core of those that cost least
    shown: Mask = held & (np.arange(items) >= best)
    shown &= shown.cumsum(axis=1) <= allowed[best]
    shown[:, :best] = True
    return shown


class _Pairs:
    """What members publish, and for each pair of them the items that both publish."""

    def __init__(self, shown: Mask, needed: int, delta: Fraction) -> None:
        self.shown, self._needed, self._delta = shown, needed, delta
        whole = shown.astype(np.int64)
        self._shared = whole @ whole.T
        self._sizes = whole.sum(axis=1)
        self._close = self._within(self._shared, self._sizes[:, None] + self._sizes)
        np.fill_diagonal(self._close, False)
        self._others = self._close.sum(axis=1)

    def put_back(self, held: Mask) -> None:
        """Restore items that members have and do not publish, the most frequent first."""
        self._try(held, publish=True)

    def take_back(self, held: Mask) -> None:
        """Remove items that members publish and do not have, the least frequent first."""
        self._try(~held, publish=False)

    def _try(self, meant: Mask, *, publish: bool) -> None:
        items, members = np.nonzero((meant & (self.shown != publish)).T)
        for item, member in zip(*((items, members) if publish else (items[::-1], members[::-1])), strict=True):
            self._change(int(member), int(item), 1 if publish else -1)

    def _change(self, member: int, item: int, by: int) -> None:
        """Publish or remove an item for a member, if all members still have enough others within the distance."""
        shared = self._shared[member] + by * self.shown[:, item]
        size = self._sizes[member] + by
        close = self._within(shared, size + self._sizes)
        close[member] = False
        lost = self._close[member] & ~close
        if close.sum() < self._needed or (self._others[lost] <= self._needed).any():
            return
        self._others += close.astype(np.int64) - self._close[member]
        self._others[member] = close.sum()
        self._close[member] = self._close[:, member] = close
        shared[member] = size
        self._shared[member] = self._shared[:, member] = shared
        self._sizes[member] = size
        self.shown[member, item] = by > 0

    def _within(self, shared: Ints, sizes: Ints) -> Mask:
        """Whether sets with this many common items, and this many in total, are within the distance."""
        union = sizes - shared
        near: Mask = (union - shared) * self._delta.denominator <= self._delta.numerator * union
        return near
