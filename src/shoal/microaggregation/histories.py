"""The histories of a log's people: each person's queries with text, time and clicks, people and queries in an order by content.

A query is one search of one person at one time; rows of a log that differ only in what was clicked are one query with several clicks. Texts
and URLs are numbered by their order as strings, so nothing here depends on the order of rows or on the numbers of people.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from shoal import _kernels, kernels
from shoal.data.bags import Ints, Small, Vocabulary
from shoal.data.log import RANK, URL, Log
from shoal.util.numbers import distinct_pairs, order_of

MISSING = -1  # a rank or URL that a row lacks
NO_TIME = np.iinfo(np.int64).min
SECOND = 1_000_000  # in which times are counted


@dataclass(frozen=True, eq=False)
class Histories:
    """People in an order by content; person i made the queries from `starts[i]` on, below `starts[i + 1]`.

    `nth` counts from 0 how often the same person had made the same query before. `rows` has the number of the log's rows of each query.
    Query q has the clicks from `clicks[q]` on, each with a rank and a URL, of which one may be missing.
    """

    owners: Ints
    starts: Ints
    text: Small
    time: Ints
    nth: Ints
    rows: Ints
    clicks: Ints
    rank: Small
    url: Small
    texts: Vocabulary
    urls: Vocabulary

    @classmethod
    def of(cls, log: Log) -> Histories:
        """Return the histories in a log; rows without a text are no queries."""
        queries = log.frame.filter(pl.col("payload") != "")
        texts, text = _numbered(queries["payload"])
        urls, url = _numbered(queries[URL]) if URL in queries.columns else _none(len(queries))
        rank = queries[RANK].fill_null(MISSING).to_numpy() if RANK in queries.columns else np.full(len(queries), MISSING)
        time = queries["time"].to_physical().fill_null(NO_TIME).to_numpy() if log.timed else np.full(len(queries), NO_TIME)
        owners, person = np.unique(queries["owner"].to_numpy(), return_inverse=True)
        whole = (time.astype(np.int64), text.astype(np.int64), rank.astype(np.int64), url.astype(np.int64))
        order = _content_order(person.ravel(), len(owners), whole)
        place = np.empty(len(owners), np.int64)
        place[order] = np.arange(len(owners))
        return _gathered(owners[order], place[person.ravel()], whole, texts, urls)

    def __len__(self) -> int:
        return len(self.owners)

    @cached_property
    def sizes(self) -> Ints:
        """The number of queries of each person."""
        return np.diff(self.starts)

    @property
    def person(self) -> Ints:
        """The person of each query."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @property
    def timed(self) -> bool:
        """Whether any query has a time."""
        return bool((self.time != NO_TIME).any())

    @cached_property
    def in_seconds(self) -> bool:
        """Whether all times are whole seconds."""
        return bool((self.time[self.time != NO_TIME] % SECOND == 0).all())

    def queries_of(self, people: Ints) -> Ints:
        """Return the numbers of the queries of these people, one person after the other."""
        return ranges(self.starts[people], self.starts[people + 1])


def ranges(starts: Ints, ends: Ints) -> Ints:
    """Return the whole numbers of several ranges, one range after the other."""
    sizes = ends - starts
    return np.repeat(starts - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())


def _numbered(values: pl.Series) -> tuple[Vocabulary, Small]:
    """Return the different strings in order, and the number of each value; empty and missing ones have none."""
    present = values.filter(values.is_not_null() & (values != "")).unique().sort()
    vocabulary = Vocabulary(present.rename("item"))
    return vocabulary, vocabulary.codes(values.fill_null(""))


def _none(n: int) -> tuple[Vocabulary, Small]:
    return Vocabulary([]), np.full(n, MISSING, np.int32)


def _content_order(person: Ints, people: int, content: tuple[Ints, ...]) -> Ints:
    """People by what their rows hold; equals are interchangeable."""
    by_content = order_of(*content)
    fresh = np.any([np.diff(values[by_content]) != 0 for values in content], axis=0)
    code = np.empty(len(person), np.int64)
    code[by_content] = np.concatenate([[0], np.cumsum(fresh)])[: len(person)]
    people_of_codes, codes, counts = distinct_pairs(person, code)
    indptr = np.searchsorted(people_of_codes, np.arange(people + 1)).astype(np.int64)
    rows = _kernels.Rows(indptr, codes.astype(np.int32), counts.astype(np.int32))
    order: Ints = kernels.run(_kernels.content_order, rows, np.zeros(people, np.int64), kernels.threads())
    return order


def _gathered(owners: Ints, person: Ints, columns: tuple[Ints, ...], texts: Vocabulary, urls: Vocabulary) -> Histories:
    """Rows as queries: those of one person, time and text are one, unless there are no times."""
    order = order_of(person, *columns)
    person = person[order]
    time, text, rank, url = (values[order] for values in columns)
    fresh = np.ones(len(person), bool)
    fresh[1:] = (np.diff(person) != 0) | (np.diff(time) != 0) | (np.diff(text) != 0) | (time[1:] == NO_TIME)
    first = np.flatnonzero(fresh)
    clicked = (rank != MISSING) | (url != MISSING)
    query = np.cumsum(fresh) - 1
    return Histories(
        owners,
        np.searchsorted(person[first], np.arange(len(owners) + 1)).astype(np.int64),
        text[first].astype(np.int32),
        time[first],
        _askings(person[first], text[first]),
        np.diff(np.append(first, len(person))),
        np.searchsorted(query[clicked], np.arange(len(first) + 1)).astype(np.int64),
        rank[clicked].astype(np.int32),
        url[clicked].astype(np.int32),
        texts,
        urls,
    )


def _askings(person: Ints, text: Ints) -> Ints:
    """Count how often the same person made the same query before, for queries in the order of their times."""
    order = order_of(person, text, np.arange(len(person)))
    fresh = np.ones(len(person), bool)
    fresh[1:] = (np.diff(person[order]) != 0) | (np.diff(text[order]) != 0)
    begin = np.flatnonzero(fresh)
    nth = np.empty(len(person), np.int64)
    nth[order] = np.arange(len(person)) - np.repeat(begin, np.diff(np.append(begin, len(person))))
    return nth
