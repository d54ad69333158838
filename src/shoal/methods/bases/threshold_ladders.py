"""Generalization ladders: each rare value is published as the lowest rung that k people share, counting everything else published as it.

From the bottom up, the people of a rung are those with its value and those of all rungs below it that were not shared by k. A rung with k
people is published; the others pass their people to the rung above. So there are k people behind every published rung, whatever was
published below it, and a value is published as the lowest published rung above it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.data.bags import Ints, Small
from shoal.errors import InputError
from shoal.taxonomy.generalization_ladders import TOP, Ladder
from shoal.util.numbers import distinct, runs

Mask = npt.NDArray[np.bool_]
LONGEST_TABLE = 1 << 25  # numbers that are looked up in a table of all numbers; among more they are searched for


@dataclass(frozen=True, eq=False)
class Held:
    """Which person has which value: distinct triples of a number, a time window and a person, as one sorted number each."""

    triples: Ints
    windows: int
    people: int

    @classmethod
    def of(cls, numbers: Ints | Small, window: Ints | None, windows: int, owners: Ints, people: int) -> Held:
        """Make it from rows with repeats; users are numbered from 0 to `people` - 1, windows likewise."""
        most = (int(numbers.max(initial=0)) + 1) * windows * people
        if most >= 2**63:
            raise InputError(
                "there are too many different values, windows of time and people to count them together", code="too-many-values"
            )
        places = numbers.astype(np.int64) * windows
        if window is not None:
            places += window
        return cls(distinct(places * people + owners), windows, people)

    def keys(self) -> Ints:
        """Return the number and window of each triple, as one number."""
        return np.asarray(self.triples // self.people)

    def counted(self) -> tuple[Ints, Ints]:
        """Return the distinct pairs of number and window, and the number of people with each."""
        return runs(self.keys())

    def shared(self, k: int) -> Ints:
        """Return the pairs of number and window that at least k people have, sorted."""
        keys, people = self.counted()
        return keys[people >= k]


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


def places_of(ordered: Ints, numbers: Ints) -> Ints:
    """Return the positions of these numbers among sorted ones that contain them all."""
    end = int(ordered[-1]) + 1 if len(ordered) else 0
    if end > LONGEST_TABLE:
        return np.searchsorted(ordered, numbers)
    table = np.zeros(end, np.int64)
    table[ordered] = np.arange(len(ordered))
    return table[numbers]


def shared_rungs(ladder: Ladder, held: Held, k: int, known: Ints) -> Ints:
    """Return the published pairs of rung and window, sorted: each is shared by k people, including those it represents.

    `known` are pairs that k people share for certain, sorted; `held` need not have them, as nobody of theirs climbs.
    """
    keys, people = held.counted()
    shared = distinct(np.concatenate([known, keys[people >= k]]))
    rest = held.triples[~among(shared, held.keys())]
    height = ladder.height[rest // (held.people * held.windows)]
    climbing, found = rest[:0], [shared]
    for level in range(int(height.max(initial=-1)), -1, -1):
        pool = distinct(np.concatenate([climbing, rest[height == level]]))
        where = pool // held.people
        here, people = runs(where)
        enough = here[(people >= k) & ~among(shared, here)]
        found.append(enough)
        pool = pool[~among(enough, where) & ~among(shared, where)]
        climbing = _lifted(ladder, pool, held)
    return np.sort(np.concatenate(found))


def settled(ladder: Ladder, shared: Ints, rungs: Ints | Small, window: Ints | None, windows: int) -> Ints:
    """Return the published rung for each of these rungs in its window: the lowest shared one, or TOP if there is none."""
    keys = rungs.astype(np.int64) * windows + (0 if window is None else window)
    different = distinct(keys)
    at, in_window = different // windows, different % windows
    climbing = np.arange(len(different))
    while len(climbing := climbing[~among(shared, at[climbing] * windows + in_window[climbing])]):
        at[climbing] = ladder.parent[at[climbing]]
        climbing = climbing[at[climbing] != TOP]
    return at[places_of(different, keys)]


def _lifted(ladder: Ladder, pool: Ints, held: Held) -> Ints:
    """Move people and windows to the next rung; those on the highest rung are dropped."""
    span = held.windows * held.people
    above = ladder.parent[pool // span]
    stays = above != TOP
    return np.asarray(above[stays] * span + pool[stays] % span)
