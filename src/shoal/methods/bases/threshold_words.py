"""Words of queries that k people share: queries with a rarer word are dropped, or the word is removed or replaced.

Dropping a query reduces the people of its other words, so queries are dropped until k people share every remaining word in the remaining
queries. Removing and replacing words does not affect other words: one pass is enough.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import polars as pl

from shoal.data.accounting import Ledger, changed, gone, kept
from shoal.data.bags import Ints, Small, Vocabulary, join_words
from shoal.data.log import Log, PlainTerms
from shoal.data.query_units import with_single_blanks, words_of
from shoal.data.taxonomy import Taxonomy
from shoal.methods.bases.threshold_ladders import Held, Mask, among, places_of, settled, shared_rungs
from shoal.taxonomy.generalization_ladders import TOP, Ladder, ladder_of_items, ladder_of_words
from shoal.util.numbers import distinct

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
    """Recoded rows: `stays` is a mask of the remaining rows, `place` the recoded query of each of them.

    A recoded query is one of `queries` in a window; `rungs` are the published forms of its words, TOP if a word is removed.
    """

    read: ReadWords
    ladder: Ladder
    stays: Ints
    place: Ints
    queries: Ints
    indptr: Ints
    words: Small
    rungs: Ints

    @property
    def altered(self) -> Mask:
        """Return a mask of the remaining rows whose words differ from those typed."""
        return self._changed[self.place]

    @cached_property
    def _changed(self) -> Mask:
        return _how_many(self.rungs != self.words, self.indptr) > 0

    def texts(self) -> tuple[pl.Series, Small]:
        """Return the different published queries, and which of them each remaining row has."""
        texts, numbers = join_words(self.ladder.names, self.indptr, self.rungs)
        return texts, numbers[self.place]

    def ledger(self, total: int) -> Ledger:
        """Return the outcome of all words; `total` is their number in all rows."""
        spelled = self.ladder.spelled
        often = np.repeat(np.bincount(self.place, minlength=len(self.queries)), np.diff(self.indptr))
        same, left = self.rungs == self.words, self.rungs == TOP
        lower = np.zeros(len(same), bool) if spelled is None else ~same & (self.rungs == spelled[self.words])
        n = [int(often[mask].sum()) for mask in (same, lower, ~same & ~lower & ~left, left)]
        parts = {AS_TYPED: kept(n[0]), LOWER: changed(n[1]), REPLACED: changed(n[2]), OMITTED: gone(n[3])}
        return Ledger(total, parts | {IN_DROPPED: gone(total - sum(n))})


def recoded(
    read: ReadWords, queries: Small, window: Ints | None, windows: int, owners: Ints, people: int, k: int, rare: Rare
) -> RecodedRows:
    """Recode rows with these queries, windows and users."""
    keys = queries.astype(np.int64) * windows + (0 if window is None else window)
    held = Held.of(queries, window, windows, owners, people)
    issued, issuers = held.counted()
    spread = _Spread(read.words, issued, issuers, windows)
    ladder = read.ladder(rare)
    if rare == "drop":
        rungs = spread.words.astype(np.int64)
        left = issued[_without_rare(spread, held, k)]
    else:
        known = distinct(spread.keys[np.repeat(issuers >= k, np.diff(spread.indptr))])
        doubtful = spread.only(~among(known, spread.keys))
        shared = shared_rungs(ladder, _of_words(doubtful, held, np.diff(doubtful.indptr) > 0), k, known)
        rungs = settled(ladder, shared, spread.words, spread.window, windows)
        left = issued[_how_many(rungs != TOP, spread.indptr) > 0]
    stays = np.flatnonzero(among(left, keys))
    indptr, at = taken(spread.indptr, places_of(issued, left))
    return RecodedRows(read, ladder, stays, places_of(left, keys[stays]), left // windows, indptr, spread.words[at], rungs[at])


class _Spread:
    """The words of distinct pairs of query and window: pair i, issued by `issuers[i]` people, has `words[indptr[i]:indptr[i+1]]`.

    `keys` are the words in their windows, each as one number.
    """

    def __init__(self, words: PlainTerms, issued: Ints, issuers: Ints, windows: int) -> None:
        self.issued, self.issuers, self.windows = issued, issuers, windows
        self.indptr, at = taken(words.indptr, issued // windows)
        self.words = words.items[at]
        self.window = None if windows == 1 else np.repeat(issued % windows, np.diff(self.indptr))

    def only(self, which: Mask) -> _Spread:
        """Return the same pairs with only these of their words."""
        found = copy(self)
        vars(found).pop("keys", None)
        found.indptr, found.words = np.append(0, np.cumsum(which))[self.indptr], self.words[which]
        found.window = None if self.window is None else self.window[which]
        return found

    @cached_property
    def keys(self) -> Ints:
        """The word and window of every entry, as one number."""
        numbers = self.words.astype(np.int64) * self.windows
        return numbers if self.window is None else numbers + self.window


def taken(indptr: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Return row pointers and entry positions of these rows of a sparse table."""
    sizes = np.diff(indptr)[rows]
    starts = np.append(0, np.cumsum(sizes))
    return starts, np.repeat(indptr[rows] - starts[:-1], sizes) + np.arange(starts[-1])


def _how_many(which: Mask, indptr: Ints) -> Ints:
    """Count these entries in each row of a sparse table."""
    return np.diff(np.append(0, np.cumsum(which))[indptr])


def _of_words(spread: _Spread, held: Held, which: Mask) -> Held:
    """Return who has which of these words, from who issued which query."""
    chosen = np.repeat(which, spread.issuers)
    row = np.repeat(np.arange(len(spread.issued)), spread.issuers)[chosen]
    starts, at = taken(spread.indptr, row)
    owner = np.repeat(held.triples[chosen] % held.people, np.diff(starts))
    return Held.of(spread.words[at], None if spread.window is None else spread.window[at], held.windows, owner, held.people)


def _without_rare(spread: _Spread, held: Held, k: int) -> Mask:
    """Return which pairs of query and window stay: the maximal set such that k people share each remaining word.

    A word loses at most as many people as issued the dropped queries. It is counted again only if that might leave fewer than k.
    """
    alive = np.ones(len(spread.issued), bool)
    keys, people = _of_words(spread, held, alive).counted()
    entry = places_of(keys, spread.keys)
    row = np.repeat(np.arange(len(spread.issued)), np.diff(spread.indptr))
    while True:
        still = alive & (_how_many(people[entry] < k, spread.indptr) == 0)
        removed_now = (alive & ~still)[row]
        if not removed_now.any():
            return alive
        alive = still
        shared = people >= k
        lost = np.bincount(entry[removed_now], weights=spread.issuers[row[removed_now]], minlength=len(keys)).astype(np.int64)
        people = np.where(shared, people - lost, 0)
        doubtful = shared & (people < k)
        having = alive & (_how_many(doubtful[entry], spread.indptr) > 0)
        found, n = _of_words(spread, held, having).counted()
        again = np.zeros(len(keys), np.int64)
        again[places_of(keys, found)] = n
        people = np.where(doubtful, again, people)
