"""Query logs and tables: files of one row an event, from delimited text, JSON lines or Parquet into a Log.

Read in chunks; only the wanted columns are kept, owners become numbers at once, and clicks on one query become one event.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import polars as pl

from shoal import _kernels, kernels
from shoal.data.bags import Ints
from shoal.data.log import Log
from shoal.io.formats import Layout
from shoal.io.reading import Reading, Tally
from shoal.io.source import Source

TIME_SHAPES = {1: "date and time", 2: "date", 3: "digits of date and time", 4: "seconds since 1970", 5: "milliseconds since 1970"}
PARQUET_ROWS = 250_000


def read_events(source: Source, layout: Layout, *, strict: bool) -> Reading:
    """The events of a file laid out like this."""
    place = "row" if layout.container == "parquet" else "line"
    collector = Collector(layout, Tally(source, strict=strict, place=place))
    {"delimited": _from_delimited, "jsonl": _from_jsonl, "parquet": _from_parquet}[layout.container](source, layout, collector)
    return collector.reading()


class Collector:
    """Takes batches of rows, throws out the defective ones and gathers the others into a Log."""

    def __init__(self, layout: Layout, tally: Tally) -> None:
        self.layout = layout
        self.tally = tally
        self.timed = "time" in layout.places
        self.is_text = layout.format == "querylog"
        self._owners = _kernels.Interner()
        self._batches: list[pl.DataFrame] = []
        self._shapes = np.zeros(len(TIME_SHAPES) + 1, np.int64)

    @property
    def columns(self) -> list[int]:
        """The places of user, payload and, where there is one, time."""
        places = self.layout.places
        return [places["user"], places["text" if self.is_text else "item"], *([places["time"]] if self.timed else [])]

    def add(self, user: Any, payload: Any, time: Any, lines: Ints) -> None:
        """Take a batch: three columns of text (no time: None) and the line of each row."""
        owner = kernels.run(_kernels.encode_column, self._owners, user)
        good = self._sound(owner >= 0, lines, "no user")
        if not self.is_text:
            filled = payload.lengths() > 0
            good &= self._sound(filled | ~good, lines, "no item")
        when = np.zeros(0, np.int64)
        if time is not None:
            when, shapes = kernels.run(_kernels.parse_times, time, kernels.threads())
            good &= self._sound((shapes > 0) | ~good, lines, "unreadable time")
            self._shapes += np.bincount(shapes[good], minlength=len(self._shapes))
        self.tally.check()
        if not good.all():
            rows = np.flatnonzero(good)
            owner, payload, when = owner[rows], payload.take(rows), when[rows] if time is not None else when
        if time is not None and self.is_text:
            rows = _kernels.unlike_previous(owner, when, payload)
            self.tally.repeated += len(owner) - len(rows)
            owner, payload, when = owner[rows], payload.take(rows), when[rows]
        batch = {"owner": pl.Series(owner)}
        if time is not None:
            batch["time"] = pl.Series(when).cast(pl.Datetime("us"))
        self._batches.append(pl.DataFrame({**batch, "payload": pl.Series(payload)}))

    def _sound(self, good: Any, lines: Ints, reason: str) -> Any:
        self.tally.defects.add(reason, lines[~good])
        return good

    def reading(self) -> Reading:
        """The log and its account."""
        frame = pl.concat(self._batches, rechunk=False) if self._batches else pl.DataFrame()
        self._batches.clear()
        self.tally.used = len(frame)
        if not len(frame):
            self.tally.ledger()
        log = Log(frame, "text" if self.is_text else "item")
        if self.is_text:
            distinct = log.without_repeats()
            self.tally.repeated += len(log) - len(distinct)
            self.tally.used = len(distinct)
            log = distinct
        empty = _empty_texts(log, self.layout) if self.is_text else 0
        notes = [f"times are written as {', '.join(self._shapes_met())}" if self.timed else "no time column"]
        if empty:
            notes.append(f"{empty:,} queries are empty")
        return Reading(log, self.layout.format, self.tally.ledger(), self.tally.defects.frozen(), self.layout.notes + tuple(notes), empty)

    def _shapes_met(self) -> list[str]:
        met = [(TIME_SHAPES[i], n) for i, n in enumerate(self._shapes) if n]
        return [shape for shape, _ in met] if len(met) == 1 else [f"{shape} ({n:,} rows)" for shape, n in met]


def _empty_texts(log: Log, layout: Layout) -> int:
    payload = log.frame["payload"]
    nothing = (payload == "") | (payload == "-") if layout.dash_is_empty else payload == ""
    return int(nothing.sum())


def _from_delimited(source: Source, layout: Layout, collector: Collector) -> None:
    dialect = layout.dialect()
    header_left = layout.header
    line = 0

    def use(text: bytes, last: bool) -> int:
        nonlocal header_left, line
        skipped = 0
        if header_left:
            _, lines, skipped = _kernels.first_records(text, dialect, last, 1)[0]
            text, line, header_left = text[skipped:], line + lines, False
        columns, facts = kernels.run(_kernels.cut_columns, text, dialect, collector.columns, *layout.fields, last)
        tally = collector.tally
        tally.blank += facts.blank
        tally.defects.add_broken(facts.broken, facts.defects, line)
        user, payload, *time = columns
        collector.add(user, payload, time[0] if time else None, facts.row_lines() + line)
        line += facts.lines
        return skipped + int(facts.consumed)

    source.each_chunk(use)


def _from_jsonl(source: Source, layout: Layout, collector: Collector) -> None:
    dialect = _kernels.Dialect("\n", False)
    names = [layout.columns[at] for at in collector.columns]
    line = 0

    def use(text: bytes, last: bool) -> int:
        nonlocal line
        (column,), facts = kernels.run(_kernels.cut_columns, text, dialect, [0], 1, 1, last)
        tally = collector.tally
        tally.blank += facts.blank
        tally.defects.add_broken(facts.broken, facts.defects, line)
        rows, places = [], []
        for number, written in zip((facts.row_lines() + line).tolist(), pl.Series(column), strict=True):
            values = _json_values(written, names)
            if values is None:
                tally.defects.add("not a JSON object", [number])
            else:
                rows.append(values)
                places.append(number)
        _add_values(collector, rows, places)
        line += facts.lines
        return int(facts.consumed)

    source.each_chunk(use)


def _json_values(written: str, names: list[str]) -> list[str] | None:
    """The values of one JSON object as text; what is absent, null or not a plain value is empty."""
    try:
        record = json.loads(written)
    except ValueError:
        return None
    if not isinstance(record, dict):
        return None
    values = [record.get(name) for name in names]
    return [str(v).strip() if isinstance(v, (str, int, float)) and not isinstance(v, bool) else "" for v in values]


def _add_values(collector: Collector, rows: list[list[str]], lines: list[int]) -> None:
    if rows:
        columns = [text_column(pl.Series(values, dtype=pl.String)) for values in zip(*rows, strict=True)]
        user, payload, *time = columns
        collector.add(user, payload, time[0] if time else None, np.array(lines, np.int64))


def _from_parquet(source: Source, layout: Layout, collector: Collector) -> None:
    names = [layout.columns[at] for at in collector.columns]
    table = pl.read_parquet(source.path, columns=names)
    for start in range(0, len(table), PARQUET_ROWS):
        part = table.slice(start, PARQUET_ROWS)
        user, payload, *time = [text_column(_as_text(part[name])) for name in names]
        collector.add(user, payload, time[0] if time else None, np.arange(start, start + len(part), dtype=np.int64))


def _as_text(series: pl.Series) -> pl.Series:
    if isinstance(series.dtype, pl.Datetime):
        zoned = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None) if series.dtype.time_zone else series
        return zoned.dt.to_string("%Y-%m-%dT%H:%M:%S%.6f")
    return series.cast(pl.String).str.strip_chars()


def text_column(series: pl.Series) -> Any:
    """A column of strings as the kernels take it."""
    return _kernels.TextColumn(series.__arrow_c_stream__())
