"""Log: a table of events, each with an owner, perhaps a time, and a payload (a query, an item). Polars underneath.

Owners are numbers: the names behind them are forgotten when a log is read. `Log.bags` gathers the events of a person, of a session or of
one event into records.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Literal, Protocol

import numpy as np
import polars as pl

from shoal import _kernels, kernels
from shoal.data.bags import Bags, Ints, Small, Vocabulary
from shoal.errors import InputError, ParameterError

Per = Literal["user", "session", "event"]
Kind = Literal["text", "item"]

HALF_AN_HOUR = timedelta(minutes=30)


class Terms(Protocol):
    """The terms of each text: those of text i are `items[indptr[i]:indptr[i+1]]`, numbers of the vocabulary."""

    indptr: Ints
    items: Small
    vocabulary: Vocabulary


@dataclass(frozen=True, eq=False)
class PlainTerms:
    """Terms without any linguistics: words as they are written, or whole items."""

    indptr: Ints
    items: Small
    vocabulary: Vocabulary


Split = Callable[[pl.Series], Terms]


@dataclass(frozen=True, eq=False)
class Log:
    """Events with the columns `owner` (a number), `time` (may be absent) and `payload` (a string), in their order of arrival.

    The payload of kind `text` is split into terms; that of kind `item` is one item.
    """

    frame: pl.DataFrame
    kind: Kind = "text"

    def __post_init__(self) -> None:
        wanted = {"owner": pl.Int64, "payload": pl.String}
        if "time" in self.frame.columns:
            wanted["time"] = pl.Datetime("us")  # type: ignore[assignment]
        if dict(self.frame.schema) != wanted:
            raise InputError(f"a log has the columns owner, time and payload, not {dict(self.frame.schema)}")

    def __len__(self) -> int:
        return len(self.frame)

    @property
    def timed(self) -> bool:
        """Whether the events have times."""
        return "time" in self.frame.columns

    @cached_property
    def n_owners(self) -> int:
        """How many different people the events belong to."""
        return self.frame["owner"].n_unique()

    def bags(self, per: Per = "user", gap: timedelta = HALF_AN_HOUR, split: Split | None = None) -> Bags:
        """One record per person, per session (a pause longer than `gap` ends it) or per event; repeats of an item are counted."""
        if per not in {"user", "session", "event"}:
            raise ParameterError(f"per must be user, session or event, not {per!r}", value=per)
        if per == "session" and not self.timed:
            raise ParameterError("sessions need times, and this log has none", hint="name the time column with --time")
        terms = self._terms(split)
        order, starts = self._records(per, gap)
        sizes = np.diff(terms.indptr)[order]
        indptr = np.concatenate([[0], np.cumsum(sizes)])
        items = terms.items
        if not _rising(order):
            items = items[np.repeat(terms.indptr[:-1][order] - indptr[:-1], sizes) + np.arange(indptr[-1])]
        owners = self._owners()[order[starts[:-1]]]
        return Bags.from_rows(indptr[starts], items, np.ones(len(items), np.int32), terms.vocabulary, owners)

    def without_repeats(self) -> Log:
        """The log with events that agree in owner, time and payload counted once: the first to arrive stays."""
        if not self.timed:
            return self
        repeats = _repeats(self._order(by_time=True), self._owners(), self._times(), self.frame["payload"])
        if not len(repeats):
            return self
        stays = np.ones(len(self), bool)
        stays[repeats] = False
        return Log(self.frame.filter(pl.Series(stays)), self.kind)

    def _terms(self, split: Split | None) -> Terms:
        payload = self.frame["payload"]
        if self.kind == "item":
            return whole_items(payload)
        return (split or plain_words)(payload)

    def _records(self, per: Per, gap: timedelta) -> tuple[Ints, Ints]:
        """The events in the order of their records, and where each record starts in that order, with the end."""
        if per == "event":
            return np.arange(len(self)), np.arange(len(self) + 1)
        order = self._order(by_time=per == "session")
        owners = self._owners()[order]
        fresh = np.ones(len(self) + 1, bool)
        fresh[1:-1] = owners[1:] != owners[:-1]
        if per == "session":
            pause = gap // timedelta(microseconds=1)
            fresh[1:-1] |= np.diff(self._times()[order]) > pause
        return order, np.flatnonzero(fresh) if len(self) else np.zeros(1, np.int64)

    def _order(self, *, by_time: bool) -> Ints:
        owners = self._owners()
        times = self._times() if by_time else np.zeros(0, np.int64)
        if _rising(owners) and (not by_time or bool(np.all((np.diff(owners) > 0) | (np.diff(times) >= 0)))):
            return np.arange(len(self))
        n = int(owners.max(initial=-1)) + 1
        if n > 2 * len(owners) or owners.min(initial=0) < 0:
            owners = np.unique(owners, return_inverse=True)[1].astype(np.int64)
            n = int(owners.max(initial=-1)) + 1
        order: Ints = kernels.run(_kernels.event_order, owners, times, n, kernels.threads())
        return order

    def _owners(self) -> Ints:
        return self.frame["owner"].to_numpy()

    def _times(self) -> Ints:
        return self.frame["time"].to_physical().to_numpy()

    def __repr__(self) -> str:
        return f"Log({len(self):,} events of {self.n_owners:,} owners, {self.kind})"


def plain_words(texts: pl.Series) -> PlainTerms:
    """Texts as their words, just as they are written."""
    interner = _kernels.Interner()
    indptr, items = kernels.run(interner.words, texts.__arrow_c_stream__(), 1)
    return PlainTerms(indptr, items, Vocabulary(interner.strings()))


def whole_items(payload: pl.Series) -> PlainTerms:
    """Every payload as one item."""
    interner = _kernels.Interner()
    items = kernels.run(interner.encode, payload.__arrow_c_stream__())
    return PlainTerms(np.arange(len(payload) + 1), items, Vocabulary(interner.strings()))


def _rising(values: Ints) -> bool:
    return bool(np.all(values[1:] >= values[:-1]))


def _repeats(order: Ints, owners: Ints, times: Ints, payload: pl.Series) -> Ints:
    """The events that repeat an earlier one, found among those that share owner and time and compared by their whole payload."""
    owner, time = owners[order], times[order]
    same = (owner[1:] == owner[:-1]) & (time[1:] == time[:-1])
    shares = np.zeros(len(order), bool)
    shares[1:] |= same
    shares[:-1] |= same
    moment = np.concatenate([[0], np.cumsum(~same)])[: len(order)][shares]
    places = order[shares]
    content = whole_items(payload.gather(places)).items.astype(np.int64)
    _, first = np.unique(moment * (content.max(initial=0) + 1) + content, return_index=True)
    return np.delete(places, first)
