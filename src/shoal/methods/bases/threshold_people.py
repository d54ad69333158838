"""The people behind the units of a log, such as queries and words: how many each unit has, and who they are where they are few."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from shoal import _kernels, kernels
from shoal.data.bags import Ints, Small, frequencies
from shoal.errors import InputError
from shoal.util.numbers import distinct

Mask = npt.NDArray[np.bool_]
LONGEST_TABLE = 1 << 25  # numbers that are looked up in a table of all numbers; among more they are searched for


class Units(NamedTuple):
    """The units of values: value i has `items[starts[i]:starts[i + 1]]`, numbers below `n`."""

    starts: Ints
    items: Small
    n: int


class People(NamedTuple):
    """`n[u]` people have the unit u. Where they are few, they are `members[starts[u]:starts[u + 1]]`, in rising order."""

    n: Ints
    starts: Ints
    members: Ints


@dataclass(frozen=True, eq=False)
class OwnedRows:
    """Rows of users: row i has the value `place[i]` and belongs to the user `owner[i]`, a number from 0 to 2**31 - 1.

    A value is a number in a time window; value j has the number `keys[j] // windows` in the window `keys[j] % windows`. Keys are sorted.
    """

    keys: Ints
    windows: int
    place: Small
    owner: Ints

    @classmethod
    def of(cls, numbers: Ints | Small, window: Ints | None, windows: int, owner: Ints) -> Self:
        """Make them from numbers and windows from 0 on."""
        if (int(numbers.max(initial=0)) + 1) * windows >= 2**63:
            raise InputError("there are too many different values and windows of time to count them together", code="too-many-values")
        keys = numbers if window is None else numbers.astype(np.int64) * windows + window
        different = values_among(keys)
        whole = len(different) == int(keys.max(initial=-1)) + 1  # every number occurs
        place = keys if whole else places_of(different, keys)
        return cls(different, windows, place.astype(np.int32, copy=False), owner)

    @property
    def numbers(self) -> Ints:
        """The number of each value."""
        return self.keys if self.windows == 1 else self.keys // self.windows

    @property
    def in_window(self) -> Ints | None:
        """The window of each value, if there are several."""
        return None if self.windows == 1 else self.keys % self.windows

    @cached_property
    def people(self) -> Ints:
        """The number of people with each value. Pairs are sorted, which takes as long as looking rows up, and less if users are mixed."""
        owners = int(self.owner.max(initial=0)) + 1
        pairs = distinct(self.place.astype(np.int64) * owners + self.owner)
        return frequencies((pairs // owners).astype(np.int32), len(self.keys))

    def as_units(self) -> Units:
        """Each value as the only unit of itself."""
        n = len(self.keys)
        return Units(np.arange(n + 1), np.arange(n, dtype=np.int32), n)

    @cached_property
    def _in_turn(self) -> tuple[Small, Ints]:
        """The value and the user of each row, one user after the other. Numbers are sorted sooner than rows are looked up in any order."""
        n = len(self.keys)
        if (self.owner[1:] >= self.owner[:-1]).all():
            return self.place, self.owner
        owner, place = np.divmod(distinct(self.owner * n + self.place), n)
        return place.astype(np.int32), owner

    def with_values(self, which: Mask) -> Self:
        """Return the rows with these values, one user after the other; the values stay as they are numbered."""
        place, owner = self._in_turn
        rows = which[place]
        return replace(self, place=place[rows], owner=owner[rows])

    def people_of(self, units: Units, few: int = 0) -> People:
        """Count the people of the units of values, and return those of units with fewer than `few`."""
        return People(*kernels.run(_kernels.unit_owners, *self._in_turn, units.starts, units.items, units.n, few))


def values_among(numbers: Ints | Small) -> Ints:
    """Return the distinct values of these non-negative numbers, sorted."""
    end = int(numbers.max(initial=-1)) + 1
    if end > max(LONGEST_TABLE, 4 * len(numbers)):
        return distinct(numbers.astype(np.int64))
    there = np.zeros(end, bool)
    there[numbers] = True
    return np.flatnonzero(there)


def among(ordered: Ints, numbers: Ints) -> Mask:
    """Return a mask of these non-negative numbers that are among sorted ones."""
    if not len(ordered) or not len(numbers):
        return np.zeros(len(numbers), bool)
    end = int(max(ordered[-1], numbers.max())) + 1
    if end <= LONGEST_TABLE:
        table = np.zeros(end, bool)
        table[ordered] = True
        return table[numbers]
    places = np.minimum(np.searchsorted(ordered, numbers), len(ordered) - 1)
    return np.asarray(ordered[places] == numbers)


def places_of(ordered: Ints | Small, numbers: Ints | Small) -> Ints:
    """Return the positions of these numbers among sorted ones that contain them all."""
    end = int(ordered[-1]) + 1 if len(ordered) else 0
    if end > LONGEST_TABLE:
        return np.searchsorted(ordered, numbers)
    table = np.zeros(end, np.int64)
    table[ordered] = np.arange(len(ordered))
    return table[numbers]
