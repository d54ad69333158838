"""People as trees of queries for MDAV: person -> queries -> (text, time, clicks -> (rank, host)).

The distance is recursive: the mean distance of each child to the nearest child of the other node, averaged over both directions. Texts are
compared by their words or letters, times and ranks by their difference as a share of the largest in the log, hosts as the same or not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from shoal import _kernels
from shoal.data.bags import Ints, Small, Vocabulary
from shoal.data.log import plain_words
from shoal.data.table import Floats
from shoal.microaggregation.histories import MISSING, NO_TIME, Histories, ranges
from shoal.microaggregation.history_aggregation import Matches, Profile, mean_size, profile_of
from shoal.text.terms import without_foreign_marks
from shoal.util.numbers import distinct, distinct_pairs, order_of

Comparing = Literal["words", "letters"]
APART = _kernels.APART

_HOST = re.compile(r"(?:[a-z][a-z0-9+.-]*://)?([^/?#]*)")


@dataclass(frozen=True)
class Weights:
    """What counts how much in the distance of two queries, and of two clicks; only their proportions matter."""

    text: float = 1.0
    time: float = 1.0
    clicks: float = 1.0
    rank: float = 1.0
    host: float = 1.0

    def shares(self, histories: Histories) -> _kernels.TreeWeights:
        """In shares of `APART`; what the log does not have weighs nothing, and where nothing else weighs anything the text does."""
        clicked = len(histories.rank) > 0
        ranked, named = bool((histories.rank != MISSING).any()), bool((histories.url != MISSING).any())
        time, clicks = _shares(self.text, self.time * histories.timed, self.clicks * clicked)
        (host,) = _shares(self.rank * ranked, self.host * named)
        return _kernels.TreeWeights(APART - time - clicks, time, clicks, APART - host, host)


def _shares(first: float, *others: float) -> list[int]:
    """Return the shares of all weights but the first, which has the rest."""
    total = first + sum(others)
    return [int(APART * weight / total) if total else 0 for weight in others]


class Forest:
    """The trees of all people of a log, as far as they are compared: of each person `most` queries, those that the most people ask."""

    def __init__(self, histories: Histories, weights: Weights, comparing: Comparing, most: int) -> None:
        self.histories, self.weights, self.most = histories, weights.shares(histories), most
        self.texts = _texts(histories.texts, comparing)
        self._host = _hosts(histories.urls)
        self._scale_time = _scale(histories.time[histories.time != NO_TIME])
        self._scale_rank = _scale(histories.rank[histories.rank != MISSING])
        self._people_asking = _people_asking(histories)

    def space(self, people: Ints) -> TreeSpace:
        """These people, as MDAV takes them."""
        return TreeSpace(self, people)

    def trees(self, people: Ints) -> _kernels.QueryTrees:
        """These people as kernels take them."""
        h = self.histories
        queries, starts = self._compared(people)
        clicks = ranges(h.clicks[queries], h.clicks[queries + 1])
        indptr = np.concatenate([[0], np.cumsum(h.clicks[queries + 1] - h.clicks[queries])]).astype(np.int64)
        return self._trees(starts, Profile(h.text[queries], h.time[queries], h.rank[clicks], h.url[clicks]), indptr)

    def point(self, profile: Profile) -> _kernels.QueryTrees:
        """One history that represents several people."""
        clicked = np.flatnonzero((profile.rank != MISSING) | (profile.url != MISSING))
        indptr = np.searchsorted(clicked, np.arange(len(profile.text) + 1)).astype(np.int64)
        held = Profile(profile.text, profile.time, profile.rank[clicked], profile.url[clicked])
        return self._trees(np.array([0, len(profile.text)]), held, indptr)

    def _trees(self, starts: Ints, held: Profile, clicks: Ints) -> _kernels.QueryTrees:
        time = _scaled(held.time, self._scale_time, NO_TIME)
        host = np.where(held.url == MISSING, MISSING, self._host[held.url] if len(self._host) else MISSING).astype(np.int32)
        return _kernels.QueryTrees(starts, held.text.astype(np.int32), time, clicks, _scaled(held.rank, self._scale_rank, MISSING), host)

    def _compared(self, people: Ints) -> tuple[Ints, Ints]:
        """Return the queries of these people that are compared, and where those of each person start."""
        h = self.histories
        queries, sizes = h.queries_of(people), h.sizes[people]
        if sizes.max(initial=0) > self.most:
            person = np.repeat(np.arange(len(people)), sizes)
            order = np.lexsort((h.nth[queries], h.text[queries], -self._people_asking[h.text[queries]], person))
            place = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            queries, sizes = queries[np.sort(order[place < self.most])], np.minimum(sizes, self.most)
        return queries, np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


class TreeSpace:
    """Some people of a forest, numbered from 0 in its order. A point is a history, or one of these people."""

    def __init__(self, forest: Forest, people: Ints) -> None:
        self._forest, self._people = forest, people
        self._prepare(np.arange(len(people), dtype=np.int64))
        self._matches = Matches.of(forest.histories, people)
        self._person_of_query = np.repeat(np.arange(len(people)), forest.histories.sizes[people])  # the person of each query
        self._task = _kernels.Task()

    def __len__(self) -> int:
        return len(self._people)

    def point(self, row: int) -> int:
        """Return the person, by number."""
        return row

    def centroid(self, rows: Ints) -> _kernels.QueryTrees:
        """Return the history with the mean number of queries, those of the most people."""
        h = self._forest.histories
        represented = np.zeros(len(self), bool)
        represented[rows] = True
        matches = self._matches.among(represented[self._person_of_query])
        number = max(1, min(mean_size(h, self._people[rows]), self._forest.most))
        return self._forest.point(profile_of(h, matches, matches.best(number), 1))

    def distances(self, point: _kernels.QueryTrees | int, rows: Ints) -> Floats:
        """In units of which `APART` make the largest distance."""
        if not len(rows):
            return np.zeros(0)
        if 2 * len(rows) < len(self._prepared) or not self._all_prepared(rows):
            self._prepare(rows)
        chosen = np.searchsorted(self._prepared, rows)
        if not isinstance(point, int):
            return self._compared.distances(point, chosen, self._task).astype(np.float64)
        if not self._all_prepared(np.array([point])):
            return self._compared.distances(self._forest.trees(self._people[[point]]), chosen, self._task).astype(np.float64)
        return self._compared.distances_from(int(np.searchsorted(self._prepared, point)), chosen, self._task).astype(np.float64)

    def _prepare(self, rows: Ints) -> None:
        """Prepare these rows for comparisons: all at first, fewer as most of them are in groups."""
        self._prepared = distinct(rows)
        self._compared = _kernels.ComparedPeople(self._forest.texts, self._forest.trees(self._people[self._prepared]), self._forest.weights)

    def _all_prepared(self, rows: Ints) -> bool:
        place = np.minimum(np.searchsorted(self._prepared, rows), len(self._prepared) - 1)
        return bool((self._prepared[place] == rows).all())


def words_of(texts: Vocabulary) -> tuple[Ints, Small, int]:
    """Return the words of each text, in lower case, and how many different ones there are; numbered by their order as strings."""
    found = plain_words(without_foreign_marks(texts.names.str.to_lowercase()))
    order = found.vocabulary.names.arg_sort().to_numpy()
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order))
    return found.indptr, number[found.items].astype(np.int32), len(order)


def _texts(texts: Vocabulary, comparing: Comparing) -> _kernels.QueryTexts:
    if comparing == "letters":
        letters = [np.frombuffer(text.encode("utf-32-le"), np.int32) for text in texts.names]
        indptr = np.concatenate([[0], np.cumsum([len(part) for part in letters])]).astype(np.int64)
        return _kernels.QueryTexts(indptr, np.concatenate([*letters, np.zeros(0, np.int32)]), True)
    indptr, words, _ = words_of(texts)
    text = np.repeat(np.arange(len(texts)), np.diff(indptr))
    holders, held, _ = distinct_pairs(text, words.astype(np.int64))
    starts = np.searchsorted(holders, np.arange(len(texts) + 1)).astype(np.int64)
    return _kernels.QueryTexts(starts, held.astype(np.int32), False)


def _hosts(urls: Vocabulary) -> Small:
    """Return the host of each URL, as a number; a path alone has the empty host."""
    hosts = pl.Series([found[1] if (found := _HOST.match(url.lower())) else "" for url in urls.names], dtype=pl.String)
    return np.unique(hosts.to_numpy().astype(str), return_inverse=True)[1].ravel().astype(np.int32) if len(hosts) else np.zeros(0, np.int32)


def _people_asking(histories: Histories) -> Ints:
    """Return how many people ask each text."""
    return np.bincount(histories.text[histories.nth == 0], minlength=len(histories.texts))


def _scale(values: Ints) -> tuple[int, int]:
    """Return the least value, and how far it is from the largest."""
    return (int(values.min()), int(values.max()) - int(values.min())) if len(values) else (0, 0)


def _scaled(values: Ints | Small, scale: tuple[int, int], missing: int) -> Small:
    """Return distances from 0 to `APART`; unknown ones are distinguished."""
    least, width = scale
    known = values != missing
    share = (np.where(known, values, least) - least) / max(width, 1)
    return np.where(known, (share * APART).astype(np.int64), MISSING).astype(np.int32)


# -- blocks of similar people, where comparing all pairs would take too long
#
# A person's sketch are the few of their queries that the most people ask, and then the few most common of their words. People in the
# order of their sketches are cut into blocks, so that those who share a query mostly meet. The cut depends on content alone, neither on
# threads nor on the order of arrival.


SKETCH = 8  # queries, and as many words


def blocks_of_people(histories: Histories, size: int) -> list[Ints]:
    """Return all people in blocks of `size` or a few more, in which each is in rising order; one block where there are fewer."""
    n = max(1, len(histories) // size)
    order = sketch_order(histories) if n > 1 else np.arange(len(histories), dtype=np.int64)
    return [np.sort(block) for block in np.array_split(order, n)]


def sketch_order(histories: Histories) -> Ints:
    """People in the order of their sketches; equals in their own order."""
    person = histories.person
    queries = _sketches(person, histories.text.astype(np.int64), len(histories))
    indptr, words, _ = words_of(histories.texts)
    starts, ends = indptr[histories.text], indptr[histories.text + 1]
    spoken = _sketches(np.repeat(person, ends - starts), words[ranges(starts, ends)].astype(np.int64), len(histories))
    return np.lexsort(np.concatenate([queries, spoken], axis=1).T[::-1])


def _sketches(person: Ints, thing: Ints, people: int) -> Ints:
    """Of each person the things that the most people have, most widely held first; things of one person alone count for none."""
    width = int(thing.max(initial=0)) + 1
    pairs = distinct(person * width + thing)
    owner, item = pairs // width, pairs % width
    holders = np.bincount(item, minlength=width)
    rank = np.empty(width, np.int64)
    rank[order_of(-holders, np.arange(width))] = np.arange(width)
    shared = holders[item] > 1
    owner, item = owner[shared], rank[item[shared]]
    order = order_of(owner, item)
    owner, item = owner[order], item[order]
    place = np.arange(len(owner)) - np.searchsorted(owner, owner)
    sketch = np.full((people, SKETCH), width, np.int64)
    kept = place < SKETCH
    sketch[owner[kept], place[kept]] = item[kept]
    return sketch
