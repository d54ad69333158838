"""Strength of a file of records from any tool: the largest k for each m, and the largest m for a given k.

The largest k for an m is the minimum number of people with a set of up to m published items. It decreases as m grows, but never below the
largest k for which the records are k-anonymous, because a set is held by everybody with the same record. Once it has reached that value, it
stays there for every larger m, and counting stops.

The time for counting all sets of m items grows with their number, so there is a budget. A cheaper search comes first: sets with one of the
rarest items, which occur in few records. Its result is an upper bound, often the lowest possible one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import comb
from typing import Any

import numpy as np

from shoal.data import patience
from shoal.data.bags import Ints
from shoal.data.release import Release
from shoal.privacy.evidence.equivalence_classes import classes_of, fewest_people
from shoal.privacy.evidence.known_sets import AttackerKnowledge, Holders, all_public, holders_in

BUDGET = 1_000_000_000  # sets in records: what is counted in a few seconds
RAREST = 8  # items whose sets are looked at first
EVERYTHING = AttackerKnowledge(k=1, most=1)


@dataclass(frozen=True)
class HolderLevel:
    """The minimum number of people with a set of up to m items; an upper bound if not every set was counted (`exact` is false)."""

    m: int
    k: int
    exact: bool = True


@dataclass(frozen=True)
class Strength:
    """The counted levels, the largest k for which whole records are k-anonymous, and the consequences for the requested `k`."""

    k: int
    people: bool
    levels: tuple[HolderLevel, ...]
    whole_record: int
    every_m_counted: bool

    @property
    def every_m(self) -> bool:
        """Whether it is k^m-anonymous for every m."""
        return self.whole_record >= self.k or (
            self.every_m_counted and bool(self.levels) and all(level.k >= self.k for level in self.levels)
        )

    @property
    def largest_m(self) -> int:
        """The largest counted m at which it is k^m-anonymous, 0 if not even single items are safe."""
        return max((level.m for level in self.levels if level.exact and level.k >= self.k), default=0)

    @property
    def largest_m_exact(self) -> bool:
        """Whether a larger m is known to fail."""
        return self.every_m_counted or any(level.m == self.largest_m + 1 and level.k < self.k for level in self.levels)

    def as_dict(self) -> dict[str, Any]:
        """Return the content as JSON values."""
        return {
            "k": self.k,
            "counted": "people" if self.people else "records",
            "largest_m": None if self.every_m else self.largest_m,
            "largest_m_exact": self.every_m or self.largest_m_exact,
            "every_m": self.every_m,
            "levels": [{"m": level.m, "largest_k": level.k, "exact": level.exact} for level in self.levels],
            "every_m_counted": self.every_m_counted,
            "whole_record": self.whole_record,
        }


def strength_of(release: Release, k: int, *, people: bool = False, budget: int = BUDGET) -> Strength:
    """Return the strength of the records of a file; `people`: whether the file names their users.

    The budget is for a patience of 1, and scales with the patience.
    """
    classes = classes_of(release)
    whole = fewest_people(classes, release.published.owners) if release.published.owners_repeat else classes.smallest
    levels = tuple(_Search(release, whole, int(budget * patience.patience())).levels())
    return Strength(k, people, levels, whole, all(level.exact for level in levels))


class _Search:
    """Searches by size until nothing can change or the budget is exhausted."""

    def __init__(self, release: Release, whole: int, budget: int) -> None:
        self.release, self.whole, self.left = release, whole, budget
        self.holders = holders_in(release, None)
        self.lengths = np.diff(release.published.indptr)[self.holders.row]

    def levels(self) -> Iterator[HolderLevel]:
        """Yield a level for each m from 1, as long as it adds information."""
        fewest = len(np.unique(self.holders.owners)) or len(self.holders.row)
        for m in range(1, int(self.lengths.max(initial=0)) + 1):
            level = self._level(m, fewest)
            yield level
            fewest = level.k
            if fewest <= self.whole or not level.exact:
                break

    def _level(self, m: int, before: int) -> HolderLevel:
        """Return the level for an m, from the minimum of the previous one."""
        fewest = min(before, self._near_the_rarest(m))
        if fewest <= self.whole:
            return HolderLevel(m, fewest)
        sets = _sets(self.lengths, m)
        if sets > self.left:
            return HolderLevel(m, fewest, exact=False)
        self.left -= sets
        return HolderLevel(m, min(fewest, _fewest(self.holders, m, np.ones(self._items, bool))))

    def _near_the_rarest(self, m: int) -> int:
        """Return the minimum number of people with a set of m items that contains one of the rarest items."""
        published, row = self.release.published, self.holders.row
        occurring = np.bincount(published.items, minlength=self._items)
        rarest = np.flatnonzero(occurring)[np.argsort(occurring[occurring > 0], kind="stable")[:RAREST]]
        fewest = np.iinfo(np.int64).max
        for item in rarest.tolist():
            having = np.searchsorted(published.indptr, np.flatnonzero(published.items == item), side="right") - 1
            chosen = np.flatnonzero(np.isin(row, having))
            cost = _sets(self.lengths[chosen] - 1, m - 1)
            if cost > self.left:
                continue
            self.left -= cost
            owners = self.holders.owners[chosen] if len(self.holders.owners) else self.holders.owners
            others = np.arange(self._items) != item
            fewest = min(fewest, _fewest(Holders(published, row[chosen], owners), m - 1, others))
        return int(fewest)

    @property
    def _items(self) -> int:
        return len(self.release.published.vocabulary)


def _fewest(holders: Holders, size: int, public: np.ndarray[Any, np.dtype[np.bool_]]) -> int:
    """Return the minimum number of people with a set of this size, if there is one."""
    roles = replace(all_public(len(public)), public=public)
    level = holders.count(size, roles, EVERYTHING, most_examples=0)
    return int(level["fewest"]) if level["counted"] else int(np.iinfo(np.int64).max)


def _sets(lengths: Ints, m: int) -> int:
    """Return the total number of sets of m items in all records."""
    sizes, records = np.unique(lengths, return_counts=True)
    return sum(comb(int(size), m) * int(n) for size, n in zip(sizes, records, strict=True))
