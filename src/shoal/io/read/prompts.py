"""Prompt logs: conversations with a language model, one per line, as a log of what people typed.

Every turn of a person is an event; turns of models and their instructions are skipped and counted. The time of an event is that of its
turn, or of its conversation if the turn has none. Repeated prompts are separate events, because they are not clicks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import polars as pl

from shoal import _kernels
from shoal.data.bags import Ints
from shoal.io.read.conversations import prompts_of
from shoal.io.read.event_rows import Collector, as_text, text_column
from shoal.io.read.formats import Layout
from shoal.io.read.json_lines import AS_TEXT, FORM, NO_LINE, DefectiveLine, Row, Wanted, json_frames, plain_text, written_form
from shoal.io.read.options import ReadOptions
from shoal.io.read.parquet import slices
from shoal.io.read.result import Reading, Tally
from shoal.io.read.source import Source
from shoal.util.wording import counted

MODELS = "left out: turns of models"
STRANGERS, UNREADABLE = "speaker of a turn is not known", "turn without a readable text"
ROWS_AT_ONCE = 20_000  # of Parquet, which Python holds as objects

_TURN = {"user": pl.String(), "time": pl.String(), "record": pl.String()}
_COUNTS = ("models", "strangers", "unreadable", "parts")
SCHEMA: dict[str, pl.DataType] = {
    **_TURN,
    "texts": pl.List(pl.String()),
    "times": pl.List(pl.String()),
    **dict.fromkeys(_COUNTS, pl.Int64()),
}


def read_prompts(sources: Sequence[Source], layout: Layout, options: ReadOptions) -> Reading:
    """Read the prompts in files of conversations. A person is the same in all of them."""
    tally = Tally.of(sources, strict=options.strict, most=options.malformed, place=sources[0].place)
    collector, parts = Collector(layout, tally, options), 0
    batches = {"jsonl": _json, "parquet": _parquet}[layout.container]
    for source in tally.each(sources):
        for frame, lines in batches(source, layout, tally):
            _count(frame, lines, tally)
            parts += int(frame["parts"].sum())
            _collect(frame, lines, layout, collector)
        tally.check()
    reading = collector.reading()
    del collector
    _kernels.give_back_memory()
    notes = (f"{counted(parts, 'part')} of prompts {'is' if parts == 1 else 'are'} not text (e.g. images) and skipped",) if parts else ()
    return replace(reading, notes=(*reading.notes, *notes))


def _count(frame: pl.DataFrame, lines: Ints, tally: Tally) -> None:
    """Count the turns that are not events."""
    tally.leave_out(MODELS, int(frame["models"].sum()))
    for reason, name in ((STRANGERS, "strangers"), (UNREADABLE, "unreadable")):
        tally.defects.add(reason, np.repeat(lines, frame[name].to_numpy()))


def _collect(frame: pl.DataFrame, lines: Ints, layout: Layout, collector: Collector) -> None:
    """Pass the collector a row for every prompt."""
    prompts = frame.with_columns(line=pl.Series(lines)).filter(pl.col("texts").list.len() > 0).explode("texts", "times")
    prompts = prompts.with_columns(time=pl.coalesce(pl.when(pl.col("times") != "").then(pl.col("times")), "time"))
    held = {"user": "user", "time": "time", "text": "texts", "record": "record"}
    columns = [text_column(prompts[held[role]].fill_null("")) for role in held if role in layout.places]
    forms = prompts[FORM].to_numpy() if FORM in prompts.columns else None
    collector.add(columns, prompts["line"].to_numpy(), forms)


# -- JSON lines: a value of a line is as quickly decoded by Python as by Polars, which cannot be relied on with nested values


def _json(source: Source, layout: Layout, tally: Tally) -> Iterator[tuple[pl.DataFrame, Ints]]:
    yield from json_frames(source, Wanted(SCHEMA, NO_LINE, _row_of(layout), form=pl.lit(AS_TEXT)), tally)


def _row_of(layout: Layout) -> Callable[[Any], Row]:
    names = {role: layout.columns[at] for role, at in layout.places.items()}
    columns = [names.get(role) for role in ("user", "time", "record")]

    def row(value: Any) -> Row:
        if not isinstance(value, dict):
            raise DefectiveLine("not a JSON object")
        values = [None if name is None else value.get(name) for name in columns]
        found = prompts_of(value.get(names["text"]), layout.turn_time)
        if any(isinstance(v, (list, dict, bool)) for v in (*values, *found.times)):
            raise DefectiveLine("neither text nor number")
        times = [plain_text(time) for time in found.times]
        return (*map(plain_text, values), found.texts, times, *(getattr(found, name) for name in _COUNTS), written_form(values[0]))

    return row


# -- Parquet and frames


def _parquet(source: Source, layout: Layout, tally: Tally) -> Iterator[tuple[pl.DataFrame, Ints]]:
    names = {role: layout.columns[at] for role, at in layout.places.items()}
    for start, part in slices(source, list(names.values())):
        for number, rows in enumerate(part.iter_slices(ROWS_AT_ONCE)):
            yield _of_rows(rows, names, layout.turn_time, start + number * ROWS_AT_ONCE, tally)


def _of_rows(rows: pl.DataFrame, names: dict[str, str], turn_time: str, start: int, tally: Tally) -> tuple[pl.DataFrame, Ints]:
    found, places = [], []
    for place, held in enumerate(rows[names["text"]].to_list()):
        try:
            prompts = prompts_of(held, turn_time)
            times = [_written(time) for time in prompts.times]
        except DefectiveLine as defect:
            tally.defects.add(str(defect), [start + place])
            continue
        found.append(prompts._replace(times=times))
        places.append(place)
    columns = {role: as_text(rows[names[role]]).gather(places) if role in names else pl.lit("") for role in _TURN}
    frame = pl.DataFrame(found, schema={name: kind for name, kind in SCHEMA.items() if name not in _TURN}, orient="row")
    return frame.with_columns(**columns), np.array(places, np.int64) + start


def _written(time: Any) -> str:
    """Return the time of a turn as a file of lines would contain it; times with a zone are converted to UTC."""
    if not isinstance(time, datetime):
        return plain_text(time)
    return (time.astimezone(UTC) if time.tzinfo else time).replace(tzinfo=None).isoformat()
