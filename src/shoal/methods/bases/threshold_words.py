"""Words of queries that k people share: queries with a rarer word are dropped, or the word is removed or replaced.

Dropping a query reduces the people of its other words, so queries are dropped until k people share every remaining word in the remaining
queries. Removing and replacing words does not affect other words: one pass is enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import polars as pl

from shoal.data.accounting import Ledger, changed, gone, kept
from shoal.data.bags import Ints, Small, Vocabulary, frequencies, join_words
from shoal.data.log import Log, PlainTerms
from shoal.data.query_units import with_single_blanks, words_of
from shoal.data.taxonomy import Taxonomy
from shoal.methods.bases.threshold_ladders import Held, settled, shared_rungs
from shoal.methods.bases.threshold_people import Mask, OwnedRows, Units, places_of, values_among
from shoal.taxonomy.generalization_ladders import TOP, Ladder, ladder_of_items, ladder_of_words

Rare = Literal["drop", "omit", "generalize"]
AS_TYPED, LOWER, REPLACED = "as typed", "lower-cased", "generalized"
OMITTED, IN_DROPPED = "left out: fewer than k people", "in dropped rows"


@dataclass(frozen=True, eq=False)
class ReadWords:
    """The words of the distinct queries of a log, and the ladder of each word."""

    texts: pl.Series
    words: PlainTerms
    items: bool
    taxonomy: Taxonomy | None

    @classmethod
    def of(cls, log: Log, taxonomy: Taxonomy | None) -> ReadWords:
        """Read the words of a log's texts; an item is one word."""
        texts = log.texts.vocabulary.names
        if log.kind == "item":
            filled = (texts != "").to_numpy()
            whole = PlainTerms(np.append(0, np.cumsum(filled)), np.arange(filled.sum(), dtype=np.int32), Vocabulary(texts.filter(filled)))
            return cls(texts, whole, True, taxonomy)
        plain = with_single_blanks(texts)
        return cls(plain, words_of(plain), False, taxonomy)

    def ladder(self, rare: Rare) -> Ladder:
        """Return what each word may be published as under this treatment of rare words."""
        names = self.words.vocabulary.names
        if rare != "generalize":
            return Ladder(names, np.full(len(names), TOP, np.int64))
        return (ladder_of_items if self.items else ladder_of_words)(names, self.taxonomy)


@dataclass(frozen=True, eq=False)
class RecodedRows:
    """Recoded rows: `stays` has the remaining rows, `place` the recoded query of each of them.

    Recoded query i has the words `words[indptr[i]:indptr[i + 1]]`; `rungs` are their published forms, TOP if a word is removed.
    """

    read: ReadWords
    ladder: Ladder
    stays: Ints
    place: Small
    indptr: Ints
    words: Small
    rungs: Small

    @property
    def altered(self) -> int:
        """The number of remaining rows whose words differ from those typed."""
        return int(self._often.sum(where=_how_many(self.rungs != self.words, self.indptr) > 0))

    @cached_property
    def _often(self) -> Ints:
        """The number of remaining rows with each query."""
        return frequencies(self.place, len(self.indptr) - 1)

    def texts(self) -> tuple[pl.Series, Small]:
        """Return the different published queries, and which of them each remaining row has."""
        texts, numbers = join_words(self.ladder.names, self.indptr, self.rungs)
        return texts, numbers[self.place]

    def ledger(self, total: int) -> Ledger:
        """Return the outcome of all words; `total` is their number in all rows."""
        spelled = self.ladder.spelled
        often = np.repeat(self._often, np.diff(self.indptr))
        same, left = self.rungs == self.words, self.rungs == TOP
        lower = np.zeros(len(same), bool) if spelled is None else ~same & (self.rungs == spelled[self.words])
        n = [int(often.sum(where=mask)) for mask in (same, lower, ~same & ~lower & ~left, left)]
        parts = {AS_TYPED: kept(n[0]), LOWER: changed(n[1]), REPLACED: changed(n[2]), OMITTED: gone(n[3])}
        return Ledger(total, parts | {IN_DROPPED: gone(total - sum(n))})


def recoded(read: ReadWords, rows: OwnedRows, k: int, rare: Rare) -> RecodedRows:
    """Recode rows with these queries, in their windows."""
    spread = _SpreadWords.of(read.words, rows)
    ladder = read.ladder(rare)
    if rare == "drop":
        rungs = spread.words
        left = _without_rare(spread, rows, k)
    else:
        people = rows.people_of(spread.units, few=k)
        known, held = spread.keys[people.n >= k], Held.of(spread.keys, people, rows)
        shared = shared_rungs(ladder, held, k, known)
        rungs = settled(ladder, shared, spread.keys, rows.windows).astype(np.int32)[spread.units.items]
        left = _how_many(rungs != TOP, spread.units.starts) > 0
    stays = np.flatnonzero(left[rows.place])
    place = (np.cumsum(left, dtype=np.int32) - np.int32(1))[rows.place[stays]]
    sizes = np.diff(spread.units.starts)
    of_left = np.repeat(left, sizes)
    return RecodedRows(read, ladder, stays, place, np.append(0, np.cumsum(sizes[left])), spread.words[of_left], rungs[of_left])


@dataclass(frozen=True, eq=False)
class _SpreadWords:
    """The words of distinct pairs of query and window: those of pair i are its `units`, which stand for `keys`, words in their windows."""

    words: Small
    units: Units
    keys: Ints

    @classmethod
    def of(cls, words: PlainTerms, rows: OwnedRows) -> _SpreadWords:
        """Take the words of the queries of these rows."""
        whole = len(rows.keys) == len(words.indptr) - 1 and rows.windows == 1
        starts, at = (words.indptr, slice(None)) if whole else taken(words.indptr, rows.numbers)
        items = words.items[at]
        keys = items if rows.in_window is None else items.astype(np.int64) * rows.windows + np.repeat(rows.in_window, np.diff(starts))
        different = values_among(keys)
        return cls(items, Units(starts, places_of(different, keys).astype(np.int32), len(different)), different)


def taken(indptr: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Return row pointers and entry positions of these rows of a sparse table."""
    sizes = np.diff(indptr)[rows]
    starts = np.append(0, np.cumsum(sizes))
    return starts, np.repeat(indptr[rows] - starts[:-1], sizes) + np.arange(starts[-1])


def _how_many(which: Mask, indptr: Ints) -> Ints:
    """Count these entries in each row of a sparse table."""
    before = np.zeros(len(which) + 1, np.int32 if len(which) < 2**31 else np.int64)
    np.cumsum(which, out=before[1:])
    return np.diff(before[indptr])


def _without_rare(spread: _SpreadWords, rows: OwnedRows, k: int) -> Mask:
    """Return which pairs of query and window stay: the maximal set such that k people share each remaining word.

    A word loses at most as many people as issued the dropped queries. It is counted again only if that might leave fewer than k.
    """
    starts, entry, n = spread.units
    issuers, people = rows.people, rows.people_of(spread.units).n
    alive = np.ones(len(rows.keys), bool)
    pair = np.repeat(np.arange(len(rows.keys)), np.diff(starts))
    while True:
        still = alive & (_how_many((people < k)[entry], starts) == 0)
        removed_now = (alive & ~still)[pair]
        if not removed_now.any():
            return alive
        alive = still
        shared = people >= k
        lost = np.bincount(entry[removed_now], weights=issuers[pair[removed_now]], minlength=n).astype(np.int64)
        people = np.where(shared, people - lost, 0)
        doubtful = shared & (people < k)
        having = alive & (_how_many(doubtful[entry], starts) > 0)
        people = np.where(doubtful, rows.with_values(having).people_of(spread.units).n, people)
