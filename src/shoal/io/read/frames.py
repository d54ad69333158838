"""Frames of Polars, pandas and Arrow, read by the same rules as files: rows with a defect are left out and counted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.errors import InputError, ParameterError
from shoal.io.read.columns import listed_roles
from shoal.io.read.events import Collector, as_column
from shoal.io.read.formats import Layout
from shoal.io.read.microdata import microdata_of
from shoal.io.read.options import MICRODATA, ReadOptions
from shoal.io.read.reading import Reading, Tally
from shoal.io.read.source import Source

ROWS_AT_ONCE = 200_000
FRAME = Source(Path("the frame"), "", b"", True)


def read_frame(frame: Any, options: ReadOptions) -> Reading:
    """The events of a frame whose columns the options name: the user, the text or item, and perhaps the time."""
    table = frame if isinstance(frame, pl.DataFrame) else _converted(frame)
    if options.format == MICRODATA:
        return microdata_of(table, FRAME, options)
    named = options.named
    if "user" not in named or not {"text", "item"} & named.keys():
        raise ParameterError("a frame is read by the names of its columns", hint="give user= and either text= or item=")
    missing = [name for name in named.values() if name not in table.columns]
    if missing:
        raise InputError(f"the frame has no column {missing[0]!r}", hint=f"it has {', '.join(table.columns)}")
    roles: list[str] = [role for role in ("user", "text", "item", "time") if role in named]
    columns = [named[role] for role in roles]
    places = {role: at for at, role in enumerate(roles)}
    notes = (f"columns: {listed_roles(places, columns)}",)
    layout = Layout("querylog" if "text" in named else "table", "parquet", places, columns, notes=notes)
    collector = Collector(layout, Tally(FRAME, strict=options.strict, most=options.malformed, place="row"), options.owners)
    for start in range(0, len(table), ROWS_AT_ONCE):
        part = table.slice(start, ROWS_AT_ONCE)
        collector.add([as_column(part[name]) for name in columns], np.arange(start, start + len(part), dtype=np.int64))
    if not len(table):
        raise InputError("the frame is empty")
    return replace(collector.reading(), options=options)


def _converted(frame: Any) -> pl.DataFrame:
    try:
        return pl.DataFrame(frame)
    except (TypeError, ValueError, pl.exceptions.PolarsError, ImportError):
        kind = type(frame).__name__
        raise InputError(f"a {kind} is not a table that shoal can read", hint="give a Polars, pandas or Arrow frame, or a file") from None
