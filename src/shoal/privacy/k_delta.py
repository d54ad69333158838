"""k-delta-anonymity (Hong, He, Vaidya, Adam and Atluri, CIKM'09): every published record has k-1 others within a distance of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.data import patience
from shoal.data.bags import Bags, Ints
from shoal.data.claims import Model, Verdict, verified_if
from shoal.data.release import Release
from shoal.errors import ParameterError
from shoal.parameters import param
from shoal.privacy.evidence.equivalence_classes import identical_records
from shoal.util.wording import counted

if TYPE_CHECKING:
    import scipy.sparse as sp

    from shoal.data.original import Original


# -- records within a distance of each other
#
# Jaccard's distance of two sets is the share of the items of both that only one of them holds; that of two empty sets is 0. Two sets
# within delta share at least the share 1 - delta of the items of the larger. So if the items of each are sorted alike, rarest first, they
# share one among the first n - ceil((1 - delta) n) + 1 of their n items: only pairs that do are compared item by item, in whole numbers.


PAIRS_AT_ONCE = 100_000
MEETINGS_AT_ONCE = 10_000_000  # of a record with the rarest items of others
STEPS_A_MEETING, STEPS_AN_ITEM = 10, 20


@dataclass(frozen=True)
class Closeness:
    """For each distinct published record, the number of records and of people within the distance, including itself."""

    records: tuple[int, ...]
    people: tuple[int, ...] | None

    @property
    def fewest_records(self) -> int:
        """The minimum number of records within the distance; 0 if nothing is published."""
        return min(self.records, default=0)

    @property
    def fewest_people(self) -> int:
        """The minimum number of people within the distance."""
        return min(self.people or (), default=0)


def close_records(published: Bags, copies: Ints, delta: Fraction, owners: tuple[Ints, Ints] | None) -> Closeness:
    """Count what is within delta of each record; `owners` are the published row and the user of each original record."""
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
    """Count the distinct people with records close to each distinct record."""
    held = rows >= 0
    owned = pl.DataFrame({"near": sort_of[rows[held]], "owner": owner[held]}, schema={"near": pl.Int64(), "owner": pl.Int64()}).unique()
    met = around.join(owned, on="near").group_by("at").agg(pl.col("owner").n_unique())
    counts = np.zeros(n, np.int64)
    counts[met["at"].to_numpy()] = met["owner"].to_numpy()
    return tuple(counts.tolist())


def _edges(published: Bags, rows: Ints, delta: Fraction) -> tuple[Ints, Ints]:
    """Return pairs of these rows, by index, within delta of each other; in both directions, and each row with itself."""
    import scipy.sparse as sp

    whole = sp.csr_array(published.to_scipy())[rows]
    whole.data[:] = 1
    whole = whole.astype(np.int64)
    starts = _first_items(whole, delta)
    itself = np.arange(len(rows))
    found, kept = [(itself, itself)], len(rows)
    for at, end in _blocks(starts):
        met = (starts[at:end] @ starts.T).tocoo()
        one, other = met.coords[0].astype(np.int64) + at, met.coords[1].astype(np.int64)
        later = other > one
        one, other = one[later], other[later]
        for p in range(0, len(one), PAIRS_AT_ONCE):
            pairs = one[p : p + PAIRS_AT_ONCE], other[p : p + PAIRS_AT_ONCE]
            patience.spend(_items_of(whole, *pairs) * STEPS_AN_ITEM, f"comparing pairs of {len(rows):,} different records item by item")
            found.append(_within(whole, *pairs, delta))
            kept += len(found[-1][0])
            patience.insist_on_room(2 * kept, "comparing records that are within delta of one another")
    one, other = (np.concatenate(side) for side in zip(*found, strict=True))
    apart = one != other
    return np.concatenate([one, other[apart]]), np.concatenate([other, one[apart]])


def _blocks(starts: sp.csr_array) -> Iterator[tuple[int, int]]:
    """Yield ranges of rows whose candidate pairs fit into memory; all pairs are charged to the budget first."""
    holders = np.bincount(starts.indices, minlength=starts.shape[1])
    meetings = np.add.reduceat(np.append(holders[starts.indices], 0), starts.indptr[:-1]) * (np.diff(starts.indptr) > 0)
    what = f"comparing {starts.shape[0]:,} different records with one another"
    patience.spend(int(meetings.sum()) * STEPS_A_MEETING, what)
    block = np.cumsum(meetings) // MEETINGS_AT_ONCE
    ends = np.append(np.flatnonzero(np.diff(block)) + 1, starts.shape[0])
    at = 0
    for end in ends[ends > 0].tolist():
        patience.insist_on_room(int(meetings[at:end].max(initial=0)), what)
        yield at, end
        at = end


def _items_of(whole: sp.csr_array, one: Ints, other: Ints) -> int:
    """Return the number of items in the records of these pairs."""
    lengths = np.diff(whole.indptr)
    return int(lengths[one].sum() + lengths[other].sum())


def _first_items(whole: sp.csr_array, delta: Fraction) -> sp.csr_array:
    """Return the rarest items of each row: as many as it takes to share one with every row within delta."""
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
    """Return the pairs that are within delta."""
    shared = np.asarray(whole[one].multiply(whole[other]).sum(axis=1)).ravel().astype(np.int64)
    lengths = np.diff(whole.indptr).astype(np.int64)
    union = lengths[one] + lengths[other] - shared
    near = (union - shared) * delta.denominator <= delta.numerator * union
    return one[near], other[near]


# -- the model


LARGEST_DELTA = 0.95
MOST_DECIMALS = 6  # so that distances are compared in whole numbers


@dataclass(frozen=True)
class KDeltaAnonymity(Model):
    """Every published record is within Jaccard distance delta of the records of k-1 other people."""

    name = "k-delta-anonymity"
    protects = "No published record is isolated: the records of at least k-1 other people are within Jaccard distance delta of it."
    does_not_protect = (
        "If delta is above 0, the probability of linking a person to a record is not bounded by 1/k: the records differ, and an "
        "attacker who knows items in which they differ can single one out. An item of a single person may be published. Published "
        "records may contain items that the person never had, so nothing in a single record is certain."
    )
    limits = (
        "It does not bound the probability of linking a person to a record by 1/k if delta is above 0, because the records of a group "
        "differ."
    )
    adds_items = True
    level_sentences = {  # noqa: RUF012 (never changed)
        "people": "{every} published record is within distance {delta} of the records of {least} {people}",
        "records": "{every} published record has {least} {records} within distance {delta}, including itself",
    }

    k: int = param(5, minimum=2, help="minimum number of people whose records are within delta of each other")
    delta: float = param(0.5, minimum=0, maximum=LARGEST_DELTA, help="largest Jaccard distance between such records")

    def __post_init__(self) -> None:
        super().__post_init__()
        if Fraction(str(self.delta)).denominator > 10**MOST_DECIMALS:
            raise ParameterError(
                f"delta has at most {MOST_DECIMALS} decimals, unlike {self.delta}", code="too-many-decimals", value=self.delta
            )

    def judge(self, release: Release, original: Original | None) -> Verdict:
        """Count the published records within delta of each, including itself; if the groups are known, count people."""
        owners = None
        if original is not None and release.secret is not None:
            rows = release.secret.rows()
            if len(rows) != len(original.bags) or rows.max(initial=-1) >= len(release.published):
                return Verdict(str(self), "fails", {}, ("the release does not contain the record-to-group mapping",))
            owners = rows, original.bags.owners
        found = close_records(release.published, release.copies, Fraction(str(self.delta)), owners)
        achieved = {"records": found.fewest_records}
        broken = self._lonely(found.records, "record", "records")
        if found.people is not None:
            achieved["people"] = found.fewest_people
            broken += self._lonely(found.people, "person", "people") if not broken else ()
        if original is not None and release.n_records > len(original.bags):
            broken += (f"{release.n_records:,} records are published of only {len(original.bags):,}",)
        empty = int(release.copies[release.published.lengths == 0].sum())
        notes = (f"{empty:,} empty records were counted as ordinary records" if empty else "no record is empty",)
        return Verdict(str(self), verified_if(not broken), achieved, broken, notes)

    def _lonely(self, within: tuple[int, ...], one: str, many: str) -> tuple[str, ...]:
        """Return the message about published records with too few records, or people, within delta."""
        short = [n for n in within if n < self.k]
        if not short:
            return ()
        least = counted(min(short), one, many)
        few = f"with fewer than {self.k:,} {many} within {self.delta:g} of it"
        return (f"{counted(len(short), 'different record')} {few}; the least has {least}",)
