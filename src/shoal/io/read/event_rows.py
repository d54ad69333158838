"""Query logs and tables: files with one event per row, from delimited text, JSON lines or Parquet into a Log.

They are read in batches: only the wanted columns are kept, users become numbers at once, and clicks on one query become one event.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal import _kernels, kernels
from shoal.data.bags import Bags, Ints, Small, different_strings
from shoal.data.log import RANK, RECORD, URL, Log
from shoal.errors import InputError
from shoal.io.read.columns import (
    BYTE_ORDER_MARK,
    KNOWN_NAMES,
    OTHER_TIMES,
    OwnerForms,
    folded,
    named_roles,
    owner_numbers,
    plain,
    repeats_name,
)
from shoal.io.read.delimited import column_batches
from shoal.io.read.formats import Layout
from shoal.io.read.json_lines import FORM, json_frames, text_values
from shoal.io.read.options import CLICKS, ROLES, ReadOptions
from shoal.io.read.parquet import slices
from shoal.io.read.result import Reading, Tally
from shoal.io.read.source import Source
from shoal.util.wording import counted

# -- columns with the record and the count of a row


LARGEST_COUNT = np.iinfo(np.int32).max


def whole_numbers(texts: pl.Series) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """Parse counts, 0 for anything but an integer from 1 to the maximum of records; also return which are empty."""
    plain = texts.str.strip_chars()
    digits = plain.str.extract(r"^\+?0*([0-9]{1,10})(?:\.0*)?$").cast(pl.Int64)
    sound = digits.fill_null(0).clip(0, LARGEST_COUNT + 1)
    return sound.replace(LARGEST_COUNT + 1, 0).to_numpy().copy(), (plain == "").to_numpy()


class SharedRecords:
    """Counts the people who use each record ID; a part of a log has all events of its people."""

    def __init__(self) -> None:
        self._people = np.zeros(0, np.int64)

    def add(self, log: Log) -> None:
        """Add the events of people who did not occur before."""
        if not log.has_records or not len(log):
            return
        used = np.bincount(log.frame.select("owner", RECORD).unique()[RECORD].to_numpy())
        n = max(len(used), len(self._people))
        self._people = np.pad(self._people, (0, n - len(self._people))) + np.pad(used, (0, n - len(used)))

    def notes(self) -> tuple[str, ...]:
        """Return a note if several people have records with the same ID: each person's rows form a separate record."""
        shared = int((self._people > 1).sum())
        if not shared:
            return ()
        return (f"{counted(shared, 'record ID is', 'record IDs are')} used by several people; each person has a separate record",)


# Click columns of a query log: the rank of the result, and its URL.


NOT_CLICKED = -1  # the number of a rank or URL that a row lacks


def ranks(texts: pl.Series) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """Parse ranks, `NOT_CLICKED` for none; also return which are invalid."""
    plain = texts.str.strip_chars()
    digits = plain.str.extract(r"^\+?0*([0-9]{1,9})(?:\.0*)?$").cast(pl.Int64)
    return digits.fill_null(NOT_CLICKED).to_numpy().copy(), (digits.is_null() & (plain != "")).to_numpy()


def click_columns(numbers: Mapping[str, pl.Series], urls: Sequence[str]) -> dict[str, pl.Series]:
    """Return the click columns of a log from the collected numbers; a row without a click has nulls."""
    found = {}
    if RANK in numbers:
        found[RANK] = numbers[RANK].replace(NOT_CLICKED, None)
    if URL in numbers:
        places = numbers[URL].replace(NOT_CLICKED, None).cast(pl.UInt32)
        names = pl.Series(list(urls), dtype=pl.String)
        found[URL] = names.gather(places) if len(names) else pl.Series([None] * len(places), dtype=pl.String)
    return found


# -- rows of a log


# What the kernel's numbers of the shapes of times mean; the order is that of `TimeShape` in cpp/text/times.hpp.
TIME_SHAPES = (
    *("", "date and time", "date", "digits", "seconds since 1970", "milliseconds since 1970"),
    *("a server's time", "day, name of the month and year", "day.month.year"),
)

NO_TIME = -(1 << 60)  # long before every time that is read

Mask = npt.NDArray[np.bool_]
Batch = tuple[list[Any], Ints, Ints | None]


def read_events(sources: Sequence[Source], layout: Layout, options: ReadOptions) -> Reading:
    """Read the events of files with this layout. A person is the same in all of them."""
    return collected_by(Collector(layout, tally_of(sources, options), options), sources)


def tally_of(sources: Sequence[Source], options: ReadOptions) -> Tally:
    """Return the tally of files that are read as one log."""
    return Tally.of(sources, strict=options.strict, most=options.malformed, place=sources[0].place)


def collected_by(collector: Collector, sources: Sequence[Source]) -> Reading:
    """Return what a collector makes of all files together."""
    for source in collector.tally.each(sources):
        collector.add_all(source)
    reading = collector.reading()
    del collector
    _kernels.give_back_memory()
    return reading


def collected(source: Source, layout: Layout, options: ReadOptions) -> tuple[Collector, Tally]:
    """Read the events of a part of a log, with a tally of its rows; the caller checks all parts together."""
    tally = Tally.of([source], strict=False)
    collector = Collector(layout, tally, options)
    collector.add_all(source)
    return collector, tally


class Collector:
    """Collects batches of rows into a Log, without defective ones."""

    def __init__(self, layout: Layout, tally: Tally, options: ReadOptions) -> None:
        self.tally = tally
        self._layout = layout
        self._options = options
        self._is_text = "text" in layout.places
        # Rows with a record ID, a count or a click are separate events, even if equal; so are prompts.
        self._drops_repeats = layout.format == "querylog" and not {"record", "count", *CLICKS} & layout.places.keys()
        self._owners = _kernels.Interner()
        self._records = _kernels.Interner()
        self._urls = _kernels.Interner()
        self._forms = OwnerForms()
        self._texts = _kernels.Interner()
        self._number_parts: dict[str, list[Any]] = {}
        self._shapes = np.zeros(len(TIME_SHAPES), np.int64)
        self._empty = 0
        self._shared = SharedRecords()

    def add_all(self, source: Source) -> None:
        """Add all rows of a file."""
        batches = {"delimited": _delimited, "jsonl": _json, "parquet": _parquet}[self._layout.container]
        for columns, lines, forms in batches(source, self._layout, self.tally):
            self.add(*(self._without_headers(columns, lines) if self._layout.header else (columns, lines)), forms)

    def add(self, columns: list[Any], lines: Ints, forms: Ints | None = None) -> None:
        """Add a batch: the columns of the wanted roles, the line of each row, and optionally the JSON type of its user ID."""
        held = dict(zip(_roles(self._layout), columns, strict=True))
        payload = held["text" if self._is_text else "item"]
        numbers = {"owner": kernels.run(_kernels.encode_column, self._owners, held["user"])}
        defects = {"no user": numbers["owner"] < 0}
        if not self._is_text:
            defects["no item"] = payload.lengths() == 0
        if "time" in held:
            numbers["time"], unreadable = self._times(held["time"])
            defects |= {"unreadable time": unreadable} if self._insists_on_times else {}
        if "record" in held:
            numbers["record"] = kernels.run(_kernels.encode_column, self._records, held["record"])
            defects["no record"] = numbers["record"] < 0
        if "count" in held:
            numbers["count"], missing = whole_numbers(pl.Series(held["count"]))
            defects |= {"no count": missing, "count is not a whole number of 1 or more": numbers["count"] == 0}
        if RANK in held:
            numbers[RANK], defects["rank is not a whole number"] = ranks(pl.Series(held[RANK]))
        if URL in held:
            numbers[URL] = kernels.run(_kernels.encode_column, self._urls, held[URL])
        good = self._good_rows(defects, lines)
        self.tally.check()
        if forms is not None:
            self._forms.add(numbers["owner"][good], forms[good], len(self._owners))
        self._keep(*(numbers, payload) if good.all() else _rows(np.flatnonzero(good), numbers, payload))

    def _without_headers(self, columns: list[Any], lines: Ints) -> tuple[list[Any], Ints]:
        """Leave out rows with the names of the columns, in any case: they are of files that were joined with their headers, and of no
        person.
        """
        names = [self._layout.columns[at] for at in _wanted(self._layout)]
        near = columns[0].places_like(names[0])
        if not len(near):
            return columns, lines
        places = near[_are_headers(names, [column.take(near) for column in columns])]
        if not len(places):
            return columns, lines
        self.tally.defects.add("repeated header", lines[places])
        rest = np.delete(np.arange(len(lines)), places)
        return [column.take(rest) for column in columns], lines[rest]

    def _keep(self, numbers: dict[str, Ints], payload: Any) -> None:
        """Add rows without a defect; consecutive repeated clicks are dropped."""
        if "time" in numbers and self._drops_repeats:
            places = _kernels.unlike_previous(numbers["owner"], numbers["time"], payload)
            self.tally.repeated += len(payload) - len(places)
        else:
            places = np.arange(len(payload))
        chosen = {name: values if len(places) == len(payload) else values[places] for name, values in numbers.items()}
        self._hold({name: values if name == "time" else values.astype(np.int32) for name, values in chosen.items()}, payload, places)

    def _hold(self, numbers: dict[str, Any], payload: Any, places: Ints) -> None:
        """Keep rows with the payloads at these places until everything has been read: of each its number, as most are repeated."""
        texts = {"payload": kernels.run(_kernels.encode_texts, self._texts, payload, places)}
        for name, values in (numbers | texts).items():
            self._number_parts.setdefault(name, []).append(values)

    @property
    def _has_rows(self) -> bool:
        """Whether any row could be used."""
        return any(map(len, self._number_parts.get("payload", ())))

    @property
    def _insists_on_times(self) -> bool:
        """Whether an unreadable time is a defect: if sessions are made, or if the column was named."""
        return self._options.needs_times or self._options.time is not None

    @property
    def _has_times(self) -> bool:
        """Whether there is a time column, read or not."""
        return "time" in self._layout.places or any(plain(name) in KNOWN_NAMES["time"] | OTHER_TIMES for name in self._layout.columns)

    def _times(self, column: Any) -> tuple[Ints, Mask]:
        """Return the times, and which of them are unreadable: these get distinct values, so that their rows are not repeats."""
        times, shapes = kernels.run(_kernels.parse_times, column, kernels.threads())
        unreadable = shapes == 0
        times[unreadable] = NO_TIME - self._shapes[0] - np.arange(unreadable.sum())
        self._shapes += np.bincount(shapes, minlength=len(self._shapes))
        return times, unreadable

    def _good_rows(self, defects: dict[str, Mask], lines: Ints) -> Mask:
        """Return rows without a defect; a row with several is counted under the first."""
        good = np.ones(len(lines), bool)
        for reason, wrong in defects.items():
            self.tally.defects.add(reason, lines[good & wrong])
            good &= ~wrong
        return good

    def reading(self) -> Reading:
        """Return the log and its accounting. Raise if no row could be used."""
        if not self._has_rows:
            self.tally.ledger()
        spelling, names = self._fold_owners()
        log = self._settled(self._log())
        return self._reading(log.named(names) if self._options.needs_names else log, spelling)

    def _settled(self, log: Log) -> Log:
        """Return a log, or all events of some of its people, without repeated clicks and unreliable times, and count its content."""
        distinct = log.without_repeats() if self._drops_repeats else log
        self.tally.repeated += len(log) - len(distinct)
        self.tally.used += len(distinct)
        if distinct.timed and self._shapes[0] and not self._insists_on_times:
            distinct = distinct.without_times()
        self._empty += self._empty_texts(distinct) if self._is_text else 0
        self._shared.add(distinct)
        return distinct

    def _reading(self, data: Log | Bags, spelling: tuple[str, ...]) -> Reading:
        """Return the data with its accounting."""
        return Reading(
            data,
            self._layout.format,
            self.tally.ledger(),
            self.tally.defects.frozen(),
            (*self._layout.notes, *self._forms.notes(), *spelling, *self._notes(self._empty), *self._shared.notes()),
            self._empty,
            roles=named_roles(self._layout.places, self._layout.columns),
            timed=self._has_times,
        )

    def events(self) -> pl.DataFrame | None:
        """Return the events with the names of their users, as written and normalized (`key`).

        None if no row could be used. An unreadable time is null: the values that distinguish such times here are other times in another
        part of the log.
        """
        if not self._has_rows:
            return None
        names = pl.Series("name", self._owners.strings(), dtype=pl.String)
        frame = self._log().frame
        if "time" in frame.columns:
            time = pl.col("time")
            frame = frame.with_columns(pl.when(time.to_physical() > NO_TIME).then(time).alias("time"))
        owner = frame["owner"]  # names are folded once for all rows of a person
        return frame.with_columns(name=names.gather(owner), key=folded(names).gather(owner)).drop("owner")

    def _fold_owners(self) -> tuple[tuple[str, ...], pl.Series]:
        """Give users who are one person one number, if requested. Raise if no option decides.

        Returns notes, and the name of each number.
        """
        met = self._owners_met()
        every = pl.Series(self._owners.strings(), dtype=pl.String)
        names = every.filter(pl.Series(met))
        person, notes = owner_numbers(names, self._options.owners, self.tally.called)
        if person is None:
            return notes, every
        number = np.full(len(met), -1, np.int32)
        number[met] = person
        self._renumber(number)
        return notes, folded(names).unique().sort()  # people were numbered in this order

    def _owners_met(self) -> Mask:
        """Return which users have a row without a defect."""
        met = np.zeros(len(self._owners), bool)
        for part in self._number_parts.get("owner", ()):
            met[part] = True
        return met

    def _renumber(self, number: Small) -> None:
        """Replace each user number by the number of the person."""
        self._number_parts["owner"] = [number[part] for part in self._number_parts["owner"]]

    def _log(self) -> Log:
        """Concatenate all batches into one log. The source of a column is released before the next is made."""
        columns, numbers = {}, np.concatenate(self._number_parts.pop("payload"))
        for name in list(self._number_parts):
            values = pl.Series(np.concatenate(self._number_parts.pop(name)).astype(np.int64))
            columns[name] = values.cast(pl.Datetime("us")) if name == "time" else values
        columns |= click_columns(columns, self._urls.strings())
        texts, self._texts = different_strings(self._texts), _kernels.Interner()
        return Log.of_numbered(pl.DataFrame(columns), texts, numbers, "text" if self._is_text else "item")

    def _empty_texts(self, log: Log) -> int:
        return log.n_payloads(("", "-") if self._layout.dash_is_empty else ("",))

    def _notes(self, empty: int) -> Iterator[str]:
        met = [(shape, n) for shape, n in zip(TIME_SHAPES, self._shapes, strict=True) if shape and n]
        if "time" not in self._layout.places:
            yield "times are not read, because they are not needed" if self._has_times else "no time column"
        elif len(met) == 1:
            yield f"time format: {met[0][0]}"
        elif met:
            yield "time formats: " + ", ".join(f"{shape} ({n:,} rows)" for shape, n in met)
        if self._shapes[0] and not self._insists_on_times:
            yield f"{counted(int(self._shapes[0]), 'time')} cannot be parsed; their rows are kept, because times are not needed"
        if empty:
            yield f"{empty:,} queries are empty"


def _are_headers(names: Sequence[str], columns: Sequence[Any]) -> Mask:
    """Return which rows have the names of the columns, in any case, all of them in quotes or none."""
    mark = len(BYTE_ORDER_MARK.encode())
    longer = np.stack([column.lengths() - len(name.encode()) for name, column in zip(names, columns, strict=True)])
    plain, quoted = (((longer == quotes) | (longer == quotes + mark)).all(axis=0) for quotes in (0, 2))
    named = [repeats_name(pl.Series(column), name).to_numpy() for name, column in zip(names, columns, strict=True)]
    return np.asarray(np.logical_and.reduce([plain | quoted, *named]))


def _rows(places: Ints, numbers: dict[str, Ints], payload: Any) -> tuple[dict[str, Ints], Any]:
    return {name: values[places] for name, values in numbers.items()}, payload.take(places)


def _roles(layout: Layout) -> list[str]:
    """Return the roles of the file's columns."""
    return [role for role in ROLES if role in layout.places]


def _wanted(layout: Layout) -> list[int]:
    """Return the positions of these columns; the user column comes first."""
    return [layout.places[role] for role in _roles(layout)]


def _delimited(source: Source, layout: Layout, tally: Tally) -> Iterator[Batch]:
    for columns, lines in column_batches(source, layout.dialect(), _wanted(layout), layout.fields, tally, header=layout.header):
        yield columns, lines, None


def _json(source: Source, layout: Layout, tally: Tally) -> Iterator[Batch]:
    names = [layout.columns[at] for at in _wanted(layout)]
    for frame, lines in json_frames(source, text_values(names), tally):
        yield [text_column(frame[name].fill_null("").str.strip_chars()) for name in names], lines, frame[FORM].to_numpy()
    tally.check()


def _parquet(source: Source, layout: Layout, tally: Tally) -> Iterator[Batch]:
    names = [layout.columns[at] for at in _wanted(layout)]
    for start, part in slices(source, names):
        yield [as_column(part[name]) for name in names], np.arange(start, start + len(part), dtype=np.int64), None


def as_column(series: pl.Series) -> Any:
    """Return a scalar column as the text that a file would contain, for a Collector."""
    return text_column(as_text(series))


NO_TEXT = {pl.Boolean: "truth values", pl.Binary: "bytes", pl.Object: "objects", pl.Duration: "durations"}


def _called(kind: pl.DataType) -> str | None:
    """Return a name for values of this type, None if they are texts, numbers or times."""
    if isinstance(kind, pl.BaseExtension):  # such as a period of pandas
        return "values of a type that is defined elsewhere"
    return "structures" if isinstance(kind, pl.Struct) else "lists" if kind.is_nested() else NO_TEXT.get(type(kind))


def _refuse_other_types(series: pl.Series) -> None:
    """Raise if the values of a column are not texts, numbers or times."""
    kind = series.dtype
    held = _called(kind)
    if held is not None:
        raise InputError(
            f"the column {series.name!r} contains {held}, not one text, number or time per row",
            code="nested-values",
            hint="give each value a row of its own" if kind.is_nested() else "",
        )


def as_text(series: pl.Series) -> pl.Series:
    """Return a scalar column as text, without surrounding blanks. Raise if its values are of another type."""
    _refuse_other_types(series)
    if isinstance(series.dtype, pl.Datetime):
        utc = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None) if series.dtype.time_zone else series
        return utc.dt.to_string("%Y-%m-%dT%H:%M:%S%.6f")
    return finite(series).cast(pl.String).str.strip_chars()


def finite(series: pl.Series) -> pl.Series:
    """Return numbers without NaN, which is how some libraries write that a value is missing, and without infinite ones."""
    return series.set(~series.is_finite(), None) if series.dtype.is_float() else series


def text_column(series: pl.Series) -> Any:
    """Return a text column as the kernels take it."""
    return _kernels.TextColumn(series.__arrow_c_stream__())
