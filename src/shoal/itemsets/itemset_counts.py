"""Sets of two or three items, counted in a part of the records; the sums over all parts are the supports.

Records are processed in portions, so that memory is bounded. A set of items is one number, its key: the sorted items are the digits. If a
person owns several records, all of them must be in one part, and the person counts once for each set.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.data.bags import Bags, Ints

PAIRS_AT_ONCE = 1 << 21  # pairs that are looked at together, unless one person alone holds more
PAIRS_FOR_TRIPLES = 1 << 17  # the same where each may begin many sets of three
LARGEST_KEY = 1 << 62


@dataclass(frozen=True, eq=False)
class Known:
    """Items are numbered below `n`; of three items, only sets whose pairs are all among `pairs`, sorted keys, are counted.

    If these are `rare`, only sets without any of these pairs are counted. Only sets with a `wanted` item are counted.
    """

    n: int
    pairs: Ints | None = None
    rare: bool = False
    wanted: npt.NDArray[np.bool_] | None = None

    def holds(self, one: Ints, other: Ints) -> npt.NDArray[np.bool_]:
        """Return which pairs a set of three may contain."""
        assert self.pairs is not None
        return np.asarray(among_keys(self.pairs, one * self.n + other) != self.rare)

    def wants(self, *items: Ints) -> npt.NDArray[np.bool_]:
        """Return which sets, given by their first items, second items, and so on, are counted."""
        if self.wanted is None:
            return np.ones(len(items[0]), bool)
        return np.asarray(np.logical_or.reduce([self.wanted[each] for each in items]))


def among_keys(known: Ints, keys: Ints) -> npt.NDArray[np.bool_]:
    """Return which keys are among the known ones, which are sorted."""
    at = np.minimum(np.searchsorted(known, keys), max(0, len(known) - 1))
    return known[at] == keys if len(known) else np.zeros(len(keys), bool)


def tallied_sets(bags: Bags, known: Known) -> Iterator[tuple[Ints, Ints]]:
    """Return the keys of all sets of two items, or of three if pairs are known, in the records, with the number of people.

    A key may occur several times: its counts must be added.
    """
    ordered = bags.select(np.argsort(bags.owners, kind="stable"))
    for record, keys in held_sets(ordered, known):
        if len(keys):
            yield _counted(ordered.owners[record], keys, several=ordered.owners_repeat)


def held_sets(bags: Bags, known: Known) -> Iterator[tuple[Ints, Ints]]:
    """Yield the record and the key of every such set, for some people at a time, whose records must be consecutive."""
    for begin, part in _portions(bags, PAIRS_AT_ONCE if known.pairs is None else PAIRS_FOR_TRIPLES):
        record, keys = _pairs(part, known) if known.pairs is None else _triples(part, known)
        yield begin + record, keys


def key_digits(keys: Ints, n: int, size: int) -> Ints:
    """Return the items of each key, a row each."""
    return np.stack([keys // n ** (size - 1 - place) % n for place in range(size)], axis=1)


def _portions(bags: Bags, at_once: int) -> Iterator[tuple[int, Bags]]:
    """Yield the records of some people at a time, which are consecutive, and the number of the first."""
    if not len(bags):
        return
    sizes = np.diff(bags.indptr)
    held = np.cumsum(sizes * (sizes - 1) // 2)
    first = np.flatnonzero(np.concatenate([[True], bags.owners[1:] != bags.owners[:-1]]))
    before = np.where(first > 0, held[first - 1], 0)
    begins = first[np.flatnonzero(np.diff(before // at_once, prepend=-1))]
    for begin, end in zip(begins, np.append(begins[1:], len(bags)), strict=True):
        yield int(begin), bags.select(np.arange(begin, end))


def _followers(group: Ints) -> tuple[Ints, Ints]:
    """Return all ordered pairs of positions in the same group; `group` has the group of each position, and groups are contiguous."""
    n = len(group)
    ends = np.append(np.flatnonzero(group[1:] != group[:-1]) + 1, n) if n else np.zeros(0, np.int64)
    behind = np.repeat(ends, np.diff(ends, prepend=0)) - np.arange(n) - 1
    one = np.repeat(np.arange(n), behind)
    other = one + 1 + np.arange(len(one)) - np.repeat(np.cumsum(behind) - behind, behind)
    return one, other


def _pairs(bags: Bags, known: Known) -> tuple[Ints, Ints]:
    """Return the record and the key of every counted set of two items."""
    record = np.repeat(np.arange(len(bags), dtype=np.int64), np.diff(bags.indptr))
    items = bags.items.astype(np.int64)
    one, other = _followers(record)
    counted = known.wants(items[one], items[other])
    one, other = one[counted], other[counted]
    return record[one], items[one] * known.n + items[other]


def _triples(bags: Bags, known: Known) -> tuple[Ints, Ints]:
    """Return those of sets of three items whose pairs may occur."""
    record = np.repeat(np.arange(len(bags), dtype=np.int64), np.diff(bags.indptr))
    items = bags.items.astype(np.int64)
    one, other = _followers(record)
    among = known.holds(items[one], items[other])
    one, other = one[among], other[among]
    middle, last = _followers(one)
    first, second, third = items[one[middle]], items[other[middle]], items[other[last]]
    among = known.wants(first, second, third)
    among[among] = known.holds(second[among], third[among])
    return record[one[middle[among]]], (first[among] * known.n + second[among]) * known.n + third[among]


def _counted(person: Ints, keys: Ints, *, several: bool) -> tuple[Ints, Ints]:
    if several:
        keys = pl.DataFrame({"person": person, "key": keys}).unique()["key"].to_numpy()
    found, people = np.unique(keys, return_counts=True)
    return found, people.astype(np.int64)
