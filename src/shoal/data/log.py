"""Log: a table of events, each with a user, an optional time, and a payload (a query or an item).

An event may also have the ID of its record (`record`, a number) and a count (`count`). Users are numbers; user IDs are discarded when a log
is read. `Log.bags` makes records per user, per session or per event. Methods that publish rows also use the further columns of a log.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from typing import Literal, Protocol, get_args

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal import _kernels, kernels
from shoal.data.bags import Bags, Ints, Small, Vocabulary, number_strings
from shoal.data.tables.access_log import VISITOR
from shoal.errors import InputError, ParameterError, option

Per = Literal["user", "session", "event", "record"]
Kind = Literal["text", "item"]

RECORD, COUNT = "record", "count"
RANK, URL = "rank", "url"  # further columns: the rank of a click on a result, a whole number, and what was clicked
OWN_COLUMNS = frozenset({"owner", "time", "payload", RECORD, COUNT})
HALF_AN_HOUR = timedelta(minutes=30)


class NumberedTerms(Protocol):
    """The terms of each text as numbers of the vocabulary: text i has `items[indptr[i]:indptr[i+1]]`."""

    @property
    def indptr(self) -> Ints:
        """The start of each text's terms, with the end of the last."""

    @property
    def items(self) -> Small:
        """The terms of all texts, concatenated."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The names of the terms."""


@dataclass(frozen=True, eq=False)
class PlainTerms:
    """Terms without linguistic processing: words as written, or whole items."""

    indptr: Ints
    items: Small
    vocabulary: Vocabulary


@dataclass(frozen=True, eq=False)
class NumberedTexts:
    """Texts as numbers: `items` has the place of each text among the different ones."""

    items: Small
    vocabulary: Vocabulary


Split = Callable[[pl.Series], NumberedTerms]


@dataclass(frozen=True, eq=False)
class Log:
    """Events in input order: `owner` (a number), `time` (optional), `payload` (a string), and further columns.

    A payload of kind `text` is split into terms; one of kind `item` is a single item. `names` are the user IDs by user number. They are
    kept only if a method hashes them with a key; they are never published, and dropped by every change of the log.
    """

    frame: pl.DataFrame
    kind: Kind = "text"
    names: pl.Series | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        _insist_on_columns(self.frame.schema)

    @classmethod
    def of_numbered(
        cls, others: pl.DataFrame, texts: pl.Series, numbers: Small, kind: Kind = "text", names: pl.Series | None = None
    ) -> Log:
        """Make a log of events whose payloads have numbers: `texts` are different, each occurs, and they are in order of occurrence.

        `others` are the columns other than the payload. The texts of all events are made when they are first needed.
        """
        log = _NumberedLog.__new__(_NumberedLog)
        vars(log).update(others=others, kind=kind, names=names, texts=NumberedTexts(numbers, Vocabulary.of_different(texts)))
        _insist_on_columns({**others.schema, "payload": pl.String()})
        return log

    @cached_property
    def others(self) -> pl.DataFrame:
        """The columns other than the payload."""
        return self.frame.drop("payload")

    def __len__(self) -> int:
        return len(self.others)

    @property
    def timed(self) -> bool:
        """Whether the events have times."""
        return "time" in self.others.columns

    @property
    def all_timed(self) -> bool:
        """Whether there are events and each of them has a time."""
        return self.timed and len(self) > 0 and not self.others["time"].null_count()

    @property
    def has_records(self) -> bool:
        """Whether the events have record IDs."""
        return RECORD in self.others.columns

    @property
    def further(self) -> tuple[str, ...]:
        """The names of the columns other than owner, time and payload."""
        return tuple(name for name in self.others.columns if name not in OWN_COLUMNS)

    @cached_property
    def n_owners(self) -> int:
        """The number of distinct users."""
        return self.others["owner"].n_unique()

    @cached_property
    def texts(self) -> NumberedTexts:
        """Return the distinct payloads in order of first occurrence, and the number of each event's payload."""
        names, numbers = number_strings(self.frame["payload"])
        return NumberedTexts(numbers, Vocabulary.of_different(names))

    def bags(self, per: Per = "user", gap: timedelta = HALF_AN_HOUR, split: Split | None = None) -> Bags:
        """Make one record per user, session (which ends after inactivity longer than `gap`), event, or user and record ID, with repeats."""
        terms = self._terms(split)
        indptr, items, counts, owners = self.rows(terms.indptr, terms.items, per, gap)
        return Bags.from_rows(indptr, items, counts, terms.vocabulary, owners)

    def rows(self, indptr: Ints, items: Small, per: Per = "user", gap: timedelta = HALF_AN_HOUR) -> tuple[Ints, Small, Ints | Small, Ints]:
        """Return the records that `bags` makes of events with these terms, as unsorted rows (indptr, items, counts), and their users."""
        if per not in get_args(Per):
            raise ParameterError(f"per must be {' or '.join(get_args(Per))}, not {per!r}", code="unknown-choice", value=per)
        if per == "record" and not self.has_records:
            raise ParameterError(
                "the rows of this log do not name their record",
                code="missing-record-column",
                hint=f"name that column with {option('record')}",
            )
        if per == "session" and not self.timed:
            raise ParameterError(
                "sessions need times, but this log has none", code="missing-times", hint=f"name the time column with {option('time')}"
            )
        order, starts = self._records(per, gap)
        if order is not None:
            indptr, items = _reordered(indptr, items, order)
        first = starts[:-1] if order is None else order[starts[:-1]]
        return indptr[starts], items, self._counts(indptr, order), self._owners()[first]

    def n_payloads(self, wanted: Collection[str]) -> int:
        """Count the events with one of these short payloads."""
        payload = self.frame["payload"] if self._numbered is None else self._numbered.vocabulary.names
        places = (payload.str.len_bytes() <= max(map(len, wanted))).arg_true()  # hardly any, and lengths are known without reading texts
        found = places.filter(payload.gather(places).is_in(wanted))
        if self._numbered is None or not len(found):
            return len(found)
        return int(np.isin(self._numbered.items, found.to_numpy()).sum())

    def n_records(self, per: Per = "user", gap: timedelta = HALF_AN_HOUR) -> int:
        """Return the number of records that `bags` would make."""
        return len(self._records(per, gap)[1]) - 1

    def without_times(self) -> Log:
        """Return the events without times."""
        return self._with(lambda columns: columns.drop("time"), self.names) if self.timed else self

    def named(self, names: pl.Series) -> Log:
        """Return the log with these user IDs by user number."""
        return self._with(lambda columns: columns, names)

    def without_repeats(self) -> Log:
        """Return the log without repeated events (equal user, time and payload). The first one stays, whatever its further columns."""
        repeats = self._repeats() if self.timed else np.zeros(0, np.int64)
        if not len(repeats):
            return self
        stays = np.ones(len(self), bool)
        stays[repeats] = False
        kept = self.others.filter(pl.Series(stays))
        if self._numbered is not None:  # the first occurrence of each payload stays
            return Log.of_numbered(kept, self._numbered.vocabulary.names, self._numbered.items[stays], self.kind)
        return Log(kept.with_columns(payload=_filtered(self.frame["payload"], stays)), self.kind)

    @property
    def _numbered(self) -> NumberedTexts | None:
        """The payloads as numbers, if they were numbered before."""
        return vars(self).get("texts")

    def _with(self, change: Callable[[pl.DataFrame], pl.DataFrame], names: pl.Series | None) -> Log:
        """Return a log of the same payloads with other columns, and with the numbers of payloads if they are known."""
        other = Log(change(self.frame), self.kind, names)
        if self._numbered is not None:
            vars(other)["texts"] = self._numbered
        return other

    def _repeats(self) -> Ints:
        """Return a mask of the events that repeat an earlier one of the same user, time and payload."""
        order = self._order(self._owners(), by_time=True)
        as_they_are = np.zeros(0, np.int64)
        events, moments = _kernels.shared_moments(self._owners(), self._times(), as_they_are if order is None else order)
        content = self._contents(events).astype(np.int64) + 1
        _, first = np.unique(moments * (content.max(initial=0) + 1) + content, return_index=True)
        return np.delete(events, first)

    def _contents(self, events: Ints) -> Small:
        """Return a number for each of these events, the same for the same payload."""
        return whole_items(self.frame["payload"].gather(events)).items if self._numbered is None else self._numbered.items[events]

    def _terms(self, split: Split | None) -> NumberedTerms:
        if self.kind == "item":
            return PlainTerms(np.arange(len(self) + 1), self.texts.items, self.texts.vocabulary)
        return (split or plain_words)(self.frame["payload"])

    def _records(self, per: Per, gap: timedelta) -> tuple[Ints | None, Ints]:
        """Return the order of the events by record (None: as they are), and where each record starts."""
        if per == "event":
            return None, np.arange(len(self) + 1)
        records_of = {"session": self._visitors, "record": self._owned_records}.get(per, self._owners)()
        order = self._order(records_of, by_time=per == "session")
        fresh = np.ones(len(self) + 1, bool)
        fresh[1:-1] = np.diff(_taken(records_of, order)) != 0
        if per == "session":
            fresh[1:-1] |= np.diff(_taken(self._times(), order)) > gap // timedelta(microseconds=1)
        return order, np.flatnonzero(fresh) if len(self) else np.zeros(1, np.int64)

    def _order(self, records_of: Ints, *, by_time: bool) -> Ints | None:
        """Return the order of the events by user (or visitor), optionally time, and input order; None if they are in this order."""
        owners, n = _dense(records_of)
        times = self._times() if by_time else np.zeros(0, np.int64)
        order: Ints = kernels.run(_kernels.event_order, owners, times, n, kernels.threads())
        return order if len(order) else None

    def _owners(self) -> Ints:
        return self.others["owner"].to_numpy()

    def _visitors(self) -> Ints:
        """Return whose events may form a session: the user's or, if the log distinguishes visitors, the visitor's."""
        return self.others[VISITOR].to_numpy() if VISITOR in self.others.columns else self._owners()

    def _owned_records(self) -> Ints:
        """Return a number for each pair of user and record ID: the same ID of two users means two records."""
        values: Ints = self.others[RECORD].to_numpy()
        numbers: Ints = self._owners() * np.int64(values.max(initial=0) + 1) + values
        return numbers

    def _counts(self, indptr: Ints, order: Ints | None) -> Ints | Small:
        """Return the count of each term, which is that of its event; `indptr` has the terms of the events in this order."""
        if COUNT not in self.others.columns:
            return np.ones(indptr[-1], np.int32)
        return np.repeat(_taken(self.others[COUNT].to_numpy(), order), np.diff(indptr))

    def _times(self) -> Ints:
        return self.others["time"].to_physical().to_numpy()

    def __repr__(self) -> str:
        return f"Log({len(self):,} events of {self.n_owners:,} users, {self.kind})"


class _NumberedLog(Log):
    """A log whose payloads are known as numbers."""

    @cached_property
    def frame(self) -> pl.DataFrame:
        """All columns."""
        return self.others.with_columns(self.texts.vocabulary.names.gather(self.texts.items).alias("payload"))

    def _with(self, change: Callable[[pl.DataFrame], pl.DataFrame], names: pl.Series | None) -> Log:
        """Do the same without the texts of all events."""
        return Log.of_numbered(change(self.others), self.texts.vocabulary.names, self.texts.items, self.kind, names)


def _insist_on_columns(held: Mapping[str, pl.DataType]) -> None:
    """Raise unless these are the columns of a log."""
    wanted: dict[str, pl.DataType] = {"owner": pl.Int64(), "payload": pl.String()}
    wanted |= {name: pl.Int64() for name in (RECORD, COUNT) if name in held}
    if "time" in held:
        wanted["time"] = pl.Datetime("us")
    if {name: held.get(name) for name in wanted} != wanted:
        raise InputError(f"a log has the columns owner, time and payload, not {dict(held)}", code="invalid-log")
    nested = [name for name in held if name not in OWN_COLUMNS and held[name].is_nested()]
    if nested:
        raise InputError(f"a log has one value per row in every column, but {nested[0]!r} is {held[nested[0]]}", code="invalid-log")


def log_of_items(bags: Bags) -> Log:
    """Convert records to a log with a row for each item occurrence."""
    owners = np.repeat(np.repeat(bags.owners, np.diff(bags.indptr)), bags.counts)
    items = np.repeat(bags.items, bags.counts)
    return Log(pl.DataFrame({"owner": owners, "payload": bags.vocabulary.names.gather(items)}), "item")


def plain_words(texts: pl.Series) -> PlainTerms:
    """Split texts into words as written."""
    interner = _kernels.Interner()
    indptr, items = kernels.run(interner.words, texts.__arrow_c_stream__(), 1, False, kernels.threads())
    return PlainTerms(indptr, items, Vocabulary(interner.strings()))


def whole_items(payload: pl.Series) -> PlainTerms:
    """Take every payload as one item."""
    names, items = number_strings(payload)
    return PlainTerms(np.arange(len(payload) + 1), items, Vocabulary.of_different(names))


def _reordered(indptr: Ints, items: Small, order: Ints) -> tuple[Ints, Small]:
    """Return the terms of the texts in another order."""
    sizes = np.diff(indptr)[order]
    ends = np.concatenate([[0], np.cumsum(sizes)])
    at = np.repeat(indptr[:-1][order] - ends[:-1], sizes) + np.arange(ends[-1])
    return ends, items[at]


def _taken(values: Ints, order: Ints | None) -> Ints:
    return values if order is None else values[order]


def people_from_zero(owners: Ints) -> Ints:
    """Renumber users from 0 without large gaps, keeping their order."""
    return _dense(owners)[0]


def _dense(owners: Ints) -> tuple[Ints, int]:
    """Renumber users from 0 without large gaps, keeping their order; also return the highest number plus one."""
    first, last = (int(owners.min()), int(owners.max())) if len(owners) else (0, 0)
    if last - first > 2 * len(owners):
        owners = np.unique(owners, return_inverse=True)[1].astype(np.int64)
    elif first < 0 or last > 2 * len(owners):  # a part of a log, whose people are numbered from somewhere on
        owners = owners - first
    return owners, int(owners.max(initial=-1)) + 1


def _filtered(payload: pl.Series, stays: npt.NDArray[np.bool_]) -> pl.Series:
    """Return the payloads that stay. Chunks that stay completely are not copied."""
    pieces, start = [], 0
    for piece in payload.get_chunks():
        mask = stays[start : start + len(piece)]
        pieces.append(piece if mask.all() else piece.filter(pl.Series(mask)))
        start += len(piece)
    return pl.concat(pieces, rechunk=False)
