"""Which published records are within a distance of one another: the judge's own answer, pair by pair.

Jaccard's distance of two sets is the share of the items of both that only one of them holds; that of two empty sets is 0. Two sets within
delta share at least the share 1 - delta of the items of the larger. So if the items of each are sorted alike, rarest first, they share
one among the first n - ceil((1 - delta) n) + 1 of their n items: only pairs that do are compared item by item, in whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.data.bags import Bags, Ints
from shoal.privacy.identical import identical_records

if TYPE_CHECKING:
    import scipy.sparse as sp

ROWS_AT_ONCE = 256
PAIRS_AT_ONCE = 100_000


@dataclass(frozen=True)
class Closeness:
    """For each different published record how many records, and how many people, stand within the distance of it, itself among them."""

    records: tuple[int, ...]
    people: tuple[int, ...] | None

    @property
    def fewest_records(self) -> int:
        """The records around the loneliest; 0 where nothing is published."""
        return min(self.records, default=0)

    @property
    def fewest_people(self) -> int:
        """The people around the loneliest."""
        return min(self.people or (), default=0)


def close_records(published: Bags, copies: Ints, delta: Fraction, owners: tuple[Ints, Ints] | None) -> Closeness:
    """Count what is within delta of each record; `owners` are the published row and the owner of each record of the original."""
    label = identical_records(published)
    shown = np.flatnonzero(copies > 0)
    sorts, first = np.unique(label[shown], return_index=True)
    number = np.full(int(label.max(initial=-1)) + 1, -1, np.int64)
    number[sorts] = np.arange(len(sorts))
    sizes = np.bincount(number[label[shown]], weights=copies[shown], minlength=len(sorts)).astype(np.int64)
    edges = _edges(published, shown[first], delta)
    around = pl.DataFrame({"at": edges[0], "near": edges[1]}, schema={"at": pl.Int64(), "near": pl.Int64()})
    records = np.bincount(edges[0], weights=sizes[edges[1]], minlength=len(sorts)).astype(np.int64)
    people = None if owners is None else _people(around, number[label], *owners, len(sorts))
    return Closeness(tuple(records.tolist()), people)


def _people(around: pl.DataFrame, sort_of: Ints, rows: Ints, owner: Ints, n: int) -> tuple[int, ...]:
    """The different people whose records are of a sort that is near each sort."""
    held = rows >= 0
    owned = pl.DataFrame({"near": sort_of[rows[held]], "owner": owner[held]}, schema={"near": pl.Int64(), "owner": pl.Int64()}).unique()
    met = around.join(owned, on="near").group_by("at").agg(pl.col("owner").n_unique())
    counts = np.zeros(n, np.int64)
    counts[met["at"].to_numpy()] = met["owner"].to_numpy()
    return tuple(counts.tolist())


def _edges(published: Bags, rows: Ints, delta: Fraction) -> tuple[Ints, Ints]:
    """Pairs of these rows, by their places, that are within delta of one another; each in both directions, and each with itself."""
    import scipy.sparse as sp

    whole = sp.csr_array(published.to_scipy())[rows]
    whole.data[:] = 1
    whole = whole.astype(np.int64)
    starts = _first_items(whole, delta)
    itself = np.arange(len(rows))
    found = [(itself, itself)]
    for at in range(0, len(rows), ROWS_AT_ONCE):
        met = (starts[at : at + ROWS_AT_ONCE] @ starts.T).tocoo()
        one, other = met.coords[0].astype(np.int64) + at, met.coords[1].astype(np.int64)
        later = other > one
        found += [
            _within(whole, one[later][p : p + PAIRS_AT_ONCE], other[later][p : p + PAIRS_AT_ONCE], delta)
            for p in range(0, int(later.sum()), PAIRS_AT_ONCE)
        ]
    one, other = (np.concatenate(side) for side in zip(*found, strict=True))
    apart = one != other
    return np.concatenate([one, other[apart]]), np.concatenate([other, one[apart]])


def _first_items(whole: sp.csr_array, delta: Fraction) -> sp.csr_array:
    """Of each row the rarest items, as many as it must share one of with every row within delta."""
    import scipy.sparse as sp

    row = np.repeat(np.arange(whole.shape[0]), np.diff(whole.indptr))
    rarity = np.bincount(whole.indices, minlength=whole.shape[1])[whole.indices]
    order = np.lexsort((whole.indices, rarity, row))
    lengths = np.diff(whole.indptr)
    least = -(-lengths * (delta.denominator - delta.numerator) // delta.denominator)
    place = np.arange(len(row)) - np.repeat(whole.indptr[:-1], lengths)
    stays = place < (lengths - least + 1)[row]
    items = whole.indices[order][stays]
    return sp.csr_array((np.ones(len(items), np.int64), (row[stays], items)), shape=whole.shape)


def _within(whole: sp.csr_array, one: Ints, other: Ints, delta: Fraction) -> tuple[Ints, Ints]:
    """Those of these pairs that are within delta."""
    shared = np.asarray(whole[one].multiply(whole[other]).sum(axis=1)).ravel().astype(np.int64)
    lengths = np.diff(whole.indptr).astype(np.int64)
    union = lengths[one] + lengths[other] - shared
    near = (union - shared) * delta.denominator <= delta.numerator * union
    return one[near], other[near]
