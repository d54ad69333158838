"""Synthetic transactions: market baskets, after the generator of Agrawal and Srikant (VLDB'94), and positions of a board game.

The first draws patterns of items that belong together and fills baskets with them; the second has one item for each of many squares, most
of which are nearly always the same. They replace the data sets T40I10D100K, Retail and Connect.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.data.bags import Bags, Ints, Vocabulary

Floats = npt.NDArray[np.float64]

SHARED = 0.5  # mean share of a pattern that it takes over from the one before
CORRUPTION, SPREAD = 0.5, 0.1  # how much of a pattern a basket lacks: mean and deviation


@dataclass(frozen=True, eq=False)
class _Patterns:
    """Sets of items that are bought together: their cumulative probabilities, and how much of each a basket lacks."""

    items: list[Ints]
    cumulative: Floats
    corruption: Floats


@dataclass(frozen=True)
class Baskets:
    """Transactions of this mean number of items, made of patterns; `skew` makes few items far more frequent than most."""

    records: int
    length: float
    pattern: float
    items: int
    patterns: int
    skew: float = 0.0

    def bags(self, seed: int) -> Bags:
        """Generate the transactions as sets, one person each."""
        rng = np.random.default_rng(seed)
        weight = np.cumsum(rng.exponential(size=self.patterns))
        corruption = np.clip(rng.normal(CORRUPTION, SPREAD, self.patterns), 0, 1)
        patterns = _Patterns(self._patterns(rng), weight / weight[-1], corruption)
        sizes = rng.poisson(self.length - 1, self.records) + 1
        return _sets([_basket(int(size), patterns, rng) for size in sizes], self.items)

    def _patterns(self, rng: np.random.Generator) -> list[Ints]:
        """Draw patterns; each takes over some items of the previous one."""
        popular = (1.0 + np.arange(self.items)) ** -self.skew
        share = popular / popular.sum()
        found: list[Ints] = []
        for size in rng.poisson(self.pattern - 1, self.patterns) + 1:
            before = found[-1] if found else np.zeros(0, np.int64)
            taken = rng.permutation(before)[: int(min(1.0, rng.exponential(SHARED)) * min(size, len(before)))]
            found.append(np.unique(np.concatenate([taken, rng.choice(self.items, size - len(taken), p=share)])))
        return found


def _basket(size: int, patterns: _Patterns, rng: np.random.Generator) -> set[int]:
    """Fill a basket with patterns without some of their items; at least one item."""
    drawn = np.searchsorted(patterns.cumulative, rng.random(size))
    basket: set[int] = set()
    for number in drawn:
        if len(basket) >= size:
            break
        items = patterns.items[number]
        basket.update(items[rng.random(len(items)) >= patterns.corruption[number]].tolist())
    return basket or {int(patterns.items[drawn[0]][0])}


@dataclass(frozen=True)
class Board:
    """Positions of a board game: each square has one of three states, mostly the same, more often changed late in a game."""

    records: int
    squares: int = 43

    def bags(self, seed: int) -> Bags:
        """Generate the positions as sets with an item for the state of each square."""
        rng = np.random.default_rng(seed)
        late = rng.random((self.records, 1))
        changed = rng.random((self.records, self.squares)) < late * rng.beta(0.6, 1.6, self.squares)
        state = np.where(changed, 1 + (rng.random((self.records, self.squares)) < 0.5), 0)
        items = (3 * np.arange(self.squares) + state).astype(np.int32)
        names = Vocabulary(str(item) for item in range(3 * self.squares))
        return Bags.from_rows(np.arange(0, items.size + 1, self.squares), items.ravel(), np.ones(items.size, np.int32), names)


def _sets(records: list[set[int]], items: int) -> Bags:
    indptr = np.concatenate([[0], np.cumsum([len(record) for record in records])])
    flat = np.array([item for record in records for item in sorted(record)], np.int32)
    return Bags.from_rows(indptr, flat, np.ones(len(flat), np.int32), Vocabulary(str(item) for item in range(items)))
