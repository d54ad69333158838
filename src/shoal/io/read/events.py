"""Query logs and tables: files of one row an event, from delimited text, JSON lines or Parquet into a Log.

Read in batches: only the wanted columns are kept, owners become numbers at once, and clicks on one query
become one event.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal import _kernels, kernels
from shoal.data.bags import Ints, Small
from shoal.data.log import Log
from shoal.errors import InputError
from shoal.io.read.columns import named_roles
from shoal.io.read.delimited import column_batches
from shoal.io.read.formats import Layout
from shoal.io.read.json_lines import FORM, json_frames, text_values
from shoal.io.read.options import ReadOptions
from shoal.io.read.owners import OwnerForms, owner_numbers
from shoal.io.read.parquet import slices
from shoal.io.read.reading import Reading, Tally
from shoal.io.read.source import Source

# What the kernel's numbers of the shapes of times mean; the order is that of `TimeShape` in cpp/text/times.hpp.
TIME_SHAPES = ("", "date and time", "date", "digits", "seconds since 1970", "milliseconds since 1970")

Mask = npt.NDArray[np.bool_]
Batch = tuple[list[Any], Ints, Ints | None]


def read_events(source: Source, layout: Layout, options: ReadOptions) -> Reading:
    """The events of a file laid out like this."""
    tally = Tally(source, strict=options.strict, most=options.malformed, place="row" if layout.container == "parquet" else "line")
    collector = Collector(layout, tally, options.owners)
    batches = {"delimited": _delimited, "jsonl": _json, "parquet": _parquet}[layout.container]
    for columns, lines, forms in batches(source, layout, tally):
        collector.add(columns, lines, forms)
    reading = collector.reading()
    del collector
    _kernels.give_back_memory()
    return reading


class Collector:
    """Takes batches of rows, throws out the defective ones and gathers the others into a Log."""

    def __init__(self, layout: Layout, tally: Tally, owners: str | None = None) -> None:
        self._layout = layout
        self._tally = tally
        self._is_text = layout.format == "querylog"
        self._owners_as = owners
        self._owners = _kernels.Interner()
        self._forms = OwnerForms()
        self._owner_parts: list[Small] = []
        self._time_parts: list[Ints] = []
        self._payload_parts: list[pl.Series] = []
        self._shapes = np.zeros(len(TIME_SHAPES), np.int64)

    def add(self, columns: list[Any], lines: Ints, forms: Ints | None = None) -> None:
        """Take a batch: the columns of user, payload and perhaps time, the line of each row, and perhaps how its user is written."""
        user, payload, *rest = columns
        owner = kernels.run(_kernels.encode_column, self._owners, user)
        times, sound = self._times(rest[0]) if rest else (None, None)
        good = self._good_rows(owner >= 0, payload, sound, lines)
        self._tally.check()
        if forms is not None:
            self._forms.add(owner[good], forms[good], len(self._owners))
        if not good.all():
            owner, payload, times = _rows(np.flatnonzero(good), owner, payload, times)
        if times is not None and self._is_text:
            distinct = _kernels.unlike_previous(owner, times, payload)
            self._tally.repeated += len(owner) - len(distinct)
            owner, payload, times = _rows(distinct, owner, payload, times)
        self._owner_parts.append(owner.astype(np.int32))
        self._payload_parts.append(pl.Series(payload))
        if times is not None:
            self._time_parts.append(times)

    def _times(self, column: Any) -> tuple[Ints, Mask]:
        times, shapes = kernels.run(_kernels.parse_times, column, kernels.threads())
        self._shapes += np.bincount(shapes, minlength=len(self._shapes))
        return times, shapes > 0

    def _good_rows(self, owned: Mask, payload: Any, timely: Mask | None, lines: Ints) -> Mask:
        """Rows without a defect; a row with several is noted under the first."""
        good = owned.copy()
        self._tally.defects.add("no user", lines[~owned])
        if not self._is_text:
            filled = payload.lengths() > 0
            self._tally.defects.add("no item", lines[good & ~filled])
            good &= filled
        if timely is not None:
            self._tally.defects.add("unreadable time", lines[good & ~timely])
            good &= timely
        return good

    def reading(self) -> Reading:
        """The log and its account. Raises where no row could be used."""
        if not any(map(len, self._owner_parts)):
            self._tally.ledger()
        spelling = self._fold_owners()
        log = self._log()
        self._tally.used = len(log)
        if self._is_text and len(log):
            distinct = log.without_repeats()
            self._tally.repeated += len(log) - len(distinct)
            self._tally.used = len(distinct)
            log = distinct
        empty = self._empty_texts(log) if self._is_text else 0
        return Reading(
            log,
            self._layout.format,
            self._tally.ledger(),
            self._tally.defects.frozen(),
            (*self._layout.notes, *self._forms.notes(), *spelling, *self._notes(empty)),
            empty,
            roles=named_roles(self._layout.places, self._layout.columns),
        )

    def _fold_owners(self) -> tuple[str, ...]:
        """Give owners who are one person one number, if that is asked for; raise where nobody said whether they are."""
        met = np.zeros(len(self._owners), bool)
        for part in self._owner_parts:
            met[part] = True
        names = pl.Series(self._owners.strings(), dtype=pl.String).filter(pl.Series(met))
        person, notes = owner_numbers(names, self._owners_as, self._tally.source.path)
        if person is not None:
            number = np.full(len(met), -1, np.int32)
            number[met] = person
            self._owner_parts = [number[part] for part in self._owner_parts]
        return notes

    def _log(self) -> Log:
        """All batches as one log. What a part was made of is let go before the next is made."""
        columns = {"owner": pl.Series(np.concatenate(self._owner_parts).astype(np.int64))}
        self._owner_parts.clear()
        if "time" in self._layout.places:
            columns["time"] = pl.Series(np.concatenate(self._time_parts)).cast(pl.Datetime("us"))
            self._time_parts.clear()
        columns["payload"] = pl.concat(self._payload_parts, rechunk=False)
        self._payload_parts.clear()
        return Log(pl.DataFrame(columns), "text" if self._is_text else "item")

    def _empty_texts(self, log: Log) -> int:
        payload = log.frame["payload"]
        empty = (payload == "") | (payload == "-") if self._layout.dash_is_empty else payload == ""
        return int(empty.sum())

    def _notes(self, empty: int) -> Iterator[str]:
        met = [(shape, n) for shape, n in zip(TIME_SHAPES, self._shapes, strict=True) if shape and n]
        if "time" not in self._layout.places:
            yield "no column of times"
        elif len(met) == 1:
            yield f"times are written as {met[0][0]}"
        else:
            yield "times are written in several ways: " + ", ".join(f"{shape} ({n:,} rows)" for shape, n in met)
        if empty:
            yield f"{empty:,} queries are empty"


def _rows(places: Ints, owner: Ints, payload: Any, times: Ints | None) -> tuple[Ints, Any, Ints | None]:
    return owner[places], payload.take(places), times[places] if times is not None else None


def _wanted(layout: Layout) -> list[int]:
    """The places of user, payload and, where there is one, time."""
    roles = ("user", "text" if layout.format == "querylog" else "item", "time")
    return [layout.places[role] for role in roles if role in layout.places]


def _delimited(source: Source, layout: Layout, tally: Tally) -> Iterator[Batch]:
    for columns, lines in column_batches(source, layout.dialect(), _wanted(layout), layout.fields, tally, header=layout.header):
        yield columns, lines, None


def _json(source: Source, layout: Layout, tally: Tally) -> Iterator[Batch]:
    names = [layout.columns[at] for at in _wanted(layout)]
    for frame, lines in json_frames(source, text_values(names), tally):
        yield [_text_column(frame[name].fill_null("").str.strip_chars()) for name in names], lines, frame[FORM].to_numpy()
    tally.check()


def _parquet(source: Source, layout: Layout, tally: Tally) -> Iterator[Batch]:
    names = [layout.columns[at] for at in _wanted(layout)]
    for start, part in slices(source, names):
        yield [as_column(part[name]) for name in names], np.arange(start, start + len(part), dtype=np.int64), None


def as_column(series: pl.Series) -> Any:
    """A column of one value a row as the text that a file would hold, for a Collector."""
    if series.dtype.is_nested() or series.dtype in (pl.Boolean, pl.Binary, pl.Object):
        hint = "give each value a row of its own" if series.dtype.is_nested() else ""
        raise InputError(f"the column {series.name!r} holds {_held(series.dtype)}, not one text, number or time a row", hint=hint)
    return _text_column(_as_text(series))


def _held(kind: pl.DataType) -> str:
    if isinstance(kind, pl.Struct):
        return "structures"
    return "lists" if kind.is_nested() else {pl.Boolean: "truth values", pl.Binary: "bytes"}.get(type(kind), "objects")


def _as_text(series: pl.Series) -> pl.Series:
    if isinstance(series.dtype, pl.Datetime):
        utc = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None) if series.dtype.time_zone else series
        return utc.dt.to_string("%Y-%m-%dT%H:%M:%S%.6f")
    known = series.fill_nan(None) if series.dtype.is_float() else series  # NaN is how some libraries write that a value is missing
    return known.cast(pl.String).str.strip_chars()


def _text_column(series: pl.Series) -> Any:
    return _kernels.TextColumn(series.__arrow_c_stream__())
