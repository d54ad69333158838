"""Generalization ladders: each rare value is published as the lowest rung that k people share, counting everything else published as it.

From the bottom up, the people of a rung are those with its value and those of all rungs below it that were not shared by k. A rung with k
people is published; the others pass their people to the rung above. So there are k people behind every published rung, whatever was
published below it, and a value is published as the lowest published rung above it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.bags import Ints
from shoal.errors import InputError
from shoal.methods.bases.threshold_people import OwnedRows, People, among
from shoal.taxonomy.generalization_ladders import TOP, Ladder
from shoal.util.numbers import distinct, runs


@dataclass(frozen=True, eq=False)
class Held:
    """Which person has which value of few people: triples of a number, a time window and a person, as one sorted number each."""

    triples: Ints
    windows: int
    people: int

    @classmethod
    def of(cls, keys: Ints, people: People, rows: OwnedRows) -> Held:
        """Make it from the people of units that stand for these keys, numbers in their windows, sorted."""
        persons = int(rows.owner.max(initial=0)) + 1
        return cls(np.repeat(keys, np.diff(people.starts)) * persons + people.members, rows.windows, persons)


def shared_rungs(ladder: Ladder, held: Held, k: int, known: Ints) -> Ints:
    """Return the published pairs of rung and window, sorted: each is shared by k people, including those it represents.

    `known` are the pairs of a value and a window that k people share, sorted; `held` has the people of the others.
    """
    if len(ladder) * held.windows * held.people >= 2**63:
        raise InputError("there are too many different values, windows of time and people to count them together", code="too-many-values")
    span, rest = held.people, held.triples
    height = ladder.height[rest // (span * held.windows)]
    climbing, found = rest[:0], [known]
    for level in range(int(height.max(initial=-1)), -1, -1):
        pool = distinct(np.concatenate([climbing, rest[height == level]]))
        where = pool // span
        here, people = runs(where)
        enough = here[(people >= k) & ~among(known, here)]
        found.append(enough)
        pool = pool[~among(enough, where) & ~among(known, where)]
        climbing = _lifted(ladder, pool, held)
    return np.sort(np.concatenate(found))


def settled(ladder: Ladder, shared: Ints, keys: Ints, windows: int) -> Ints:
    """Return the published rung for each of these distinct pairs of a rung and a window: the lowest shared one, or TOP if there is none."""
    at, in_window = keys // windows, keys % windows
    climbing = np.arange(len(keys))
    while len(climbing := climbing[~among(shared, at[climbing] * windows + in_window[climbing])]):
        at[climbing] = ladder.parent[at[climbing]]
        climbing = climbing[at[climbing] != TOP]
    return at


def _lifted(ladder: Ladder, pool: Ints, held: Held) -> Ints:
    """Move people and windows to the next rung; those on the highest rung are dropped."""
    span = held.windows * held.people
    above = ladder.parent[pool // span]
    stays = above != TOP
    return np.asarray(above[stays] * span + pool[stays] % span)
