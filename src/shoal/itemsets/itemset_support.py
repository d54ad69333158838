"""Itemsets that an attacker may know about a person: their support, and what they disclose.

Items have one of three roles. *Public* items may be known to an attacker, *private* ones must not be inferred, and *other* items are
neither. If a person owns several records, support counts people; a private item's share is computed among records and among people, and the
larger one counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal import _kernels, kernels
from shoal.data.bags import Bags, Ints, Small
from shoal.errors import ParameterError
from shoal.util.numbers import exact

OTHER, PUBLIC, PRIVATE = 0, 1, 2

Parts = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Power:
    """The attacker: knows at most `p` public items, must face `k` people, and must not infer a private item with a share above `h`."""

    h: float
    k: int
    p: int

    @property
    def share(self) -> Fraction:
        """h as a decimal fraction: 0.29 is 29/100, not the nearest binary number."""
        return exact(self.h)


@dataclass(frozen=True, eq=False)
class Moles:
    """Minimal moles by size, with statistics.

    `hidden` is the private item that a mole discloses (for `holders` of `cohort`), -1 for a mole of too few people. `fewest` and `greatest`
    are the minimum number of people, and the maximum share of a private item, over all counted sets.
    """

    start: Ints
    items: Small
    people: Small
    hidden: Small
    holders: Small
    cohort: Small
    fewest: int
    greatest: float
    counted: int

    @classmethod
    def of_levels(cls, levels: Sequence[npt.NDArray[np.int32]]) -> Moles:
        """Make moles of one item, two items and so on, one per row, from sets of too few people counted elsewhere."""
        sizes = np.concatenate([np.full(len(level), level.shape[1], np.int64) for level in levels])
        start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        untold = np.broadcast_to(np.int32(-1), len(sizes))
        return cls(start, np.concatenate([level.ravel() for level in levels]), untold, untold, untold, untold, -1, 0.0, 0)

    def __len__(self) -> int:
        return len(self.start) - 1

    def __getitem__(self, i: int) -> tuple[int, ...]:
        return tuple(self.items[self.start[i] : self.start[i + 1]].tolist())

    @property
    def sizes(self) -> Ints:
        """The number of items of each mole."""
        return np.diff(self.start)

    def sets(self) -> list[tuple[int, ...]]:
        """Return all moles as tuples of items."""
        items, start = self.items.tolist(), self.start.tolist()
        return [tuple(items[a:b]) for a, b in pairwise(start)]

    def without(self, removed: npt.NDArray[np.bool_]) -> Moles:
        """Return the moles without these items (a mask over items)."""
        owner = np.repeat(np.arange(len(self)), self.sizes)
        hit = np.zeros(len(self), bool)
        hit[owner[removed[self.items]]] = True
        return self.select(~hit)

    def select(self, stays: npt.NDArray[np.bool_]) -> Moles:
        """Return some of the moles (a mask over moles)."""
        owner, kept = np.repeat(np.arange(len(self)), self.sizes), np.flatnonzero(stays)
        start = np.concatenate([[0], np.cumsum(self.sizes[kept])]).astype(np.int64)
        columns = (self.people[kept], self.hidden[kept], self.holders[kept], self.cohort[kept])
        return Moles(start, self.items[stays[owner]], *columns, self.fewest, self.greatest, self.counted)


def too_many_sets(known: int) -> ParameterError:
    """Return the error if a search would keep more sets than fit into memory."""
    what = f"an attacker who knows up to {known:,} items can know more sets than fit into memory"
    return ParameterError(what, code="too-many-itemsets", hint="lower the number of items that may be known (m or p)", value=known)


def minimal_moles(bags: Bags, parts: Parts, power: Power, *, achieved: bool = False) -> Moles:
    """Return the smallest unsafe sets of at most p public items; with `achieved`, `greatest` is exact over all sets counted."""
    share = power.share
    question = _kernels.MoleQuestion(k=power.k, h_numerator=share.numerator, h_denominator=share.denominator, p=power.p, achieved=achieved)
    arguments = *_columns(bags, parts), question, kernels.threads()
    try:
        found: dict[str, Any] = kernels.run(_kernels.minimal_moles, *arguments, label="finding moles")
    except kernels.Exceeded:
        raise too_many_sets(power.p) from None
    holders, cohort = found.pop("greatest")
    return Moles(**found, greatest=holders / cohort)


@dataclass(frozen=True, eq=False)
class Supports:
    """For each itemset: the people and records with it, and the private item with the largest share (`holders` of `cohort`)."""

    people: Ints
    records: Ints
    hidden: Ints
    holders: Ints
    cohort: Ints

    def moles(self, power: Power) -> npt.NDArray[np.bool_]:
        """Return which of the itemsets are moles."""
        share = power.share
        over = [int(n) * share.denominator > share.numerator * int(of) for n, of in zip(self.holders, self.cohort, strict=True)]
        return np.asarray((self.people > 0) & ((self.people < power.k) | np.array(over, bool)))


def supports(bags: Bags, parts: Parts, itemsets: list[tuple[int, ...]]) -> Supports:
    """Count sets of public items."""
    start = np.concatenate([[0], np.cumsum([len(s) for s in itemsets])]).astype(np.int64)
    values = np.array([item for s in itemsets for item in s], np.int32)
    arguments = (*_columns(bags, parts), start, values, kernels.threads())
    return Supports(*kernels.run(_kernels.itemset_supports, *arguments, label="counting itemsets"))


def _columns(bags: Bags, parts: Parts) -> tuple[Any, ...]:
    """Return the records as the kernels take them: sorted by user if a user has several."""
    if not bags.owners_repeat:
        return (bags.view, parts, np.zeros(0, np.int64))
    ordered = bags.select(np.argsort(bags.owners, kind="stable"))
    return (ordered.view, parts, ordered.owners)
