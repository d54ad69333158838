"""Reading a user's data: any of the formats becomes a Log, Bags or a Table, with an account of every row."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.errors import InputError
from shoal.io.read.accesslog import read_accesslog
from shoal.io.read.events import read_events
from shoal.io.read.formats import ReadOptions, find_layout
from shoal.io.read.frames import in_memory
from shoal.io.read.microdata import read_microdata
from shoal.io.read.options import ACCESSLOG, MICRODATA
from shoal.io.read.packed import EXCEL
from shoal.io.read.reading import Reading
from shoal.io.read.source import Source
from shoal.io.read.transactions import read_transactions

__all__ = ["ReadOptions", "Reading", "read"]


def read(data: str | Path | Any, options: ReadOptions | None = None, most: int | None = None) -> Reading:
    """Read a query log, a table, transactions, an access log or microdata, from a file or from memory.

    Under `strict` defective rows are an error. With `most` only the rows in the first bytes of a file, about so many, are read; `part` of
    the reading tells how much that was.
    """
    said = options or ReadOptions()
    source = Source.of(data, most) if isinstance(data, str | Path) else in_memory(data)
    reading = replace(_read(source, said), options=said, part=source.extent.share)
    strange = reading.defects.counts.get("not UTF-8", 0)
    if not strange:
        return reading
    advice = f"{strange:,} lines are not UTF-8; if the file is in Latin-1, iconv -f latin1 -t utf8 makes them readable"
    return replace(reading, notes=(*reading.notes, advice))


def _read(source: Source, options: ReadOptions) -> Reading:
    if source.compression != EXCEL:
        return _read_as(source, options)
    if options.sep is not None:
        raise InputError(f"{source.path} is an Excel workbook, which has no separators", hint="leave --sep out")
    reading = _read_as(source, replace(options, sep=","))
    return replace(reading, notes=("an Excel sheet, read as comma-separated text", *reading.notes))


def _read_as(source: Source, options: ReadOptions) -> Reading:
    if options.format == MICRODATA:
        return read_microdata(source, options)
    layout = find_layout(source, options)
    reader = {"transactions": read_transactions, ACCESSLOG: read_accesslog}.get(layout.format, read_events)
    return reader(source, layout, options)
