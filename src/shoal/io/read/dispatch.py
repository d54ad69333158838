"""Reads a user's data: any of the formats becomes a Log, Bags or a Table, with an accounting of every row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from shoal.errors import InputError, ParameterError, option
from shoal.io.read.access_logs.access_log import read_accesslog
from shoal.io.read.documents import read_documents
from shoal.io.read.event_rows import read_events
from shoal.io.read.formats import ReadOptions
from shoal.io.read.items_table import cells_of, with_items
from shoal.io.read.microdata import read_microdata
from shoal.io.read.options import ACCESSLOG, DOCUMENTS, MICRODATA, PROMPTS
from shoal.io.read.paths import Paths, closed_after, common_layout, notes_on, part_read, sources_of
from shoal.io.read.prompts import read_prompts
from shoal.io.read.result import ENCODING_HINT, NOT_UTF8, Reading
from shoal.io.read.source import EXCEL, Portion, Source
from shoal.io.read.sql import SQL, Query
from shoal.io.read.streaming_records import Gathering, gather_events
from shoal.io.read.transactions import read_transactions
from shoal.util.wording import counted

__all__ = ["ReadOptions", "Reading", "read"]


def read(data: Paths | Any, options: ReadOptions | None = None, most: Portion | None = None, gathering: Gathering | None = None) -> Reading:
    """Read a log of queries, requests or prompts, a table, transactions or documents, from files (`-` is standard input) or from memory.

    With `strict`, defective rows are an error. With `most`, only this first part of the data is read; `part` of the reading is
    the share. With `gathering`, records of query logs and tables are made while reading. A product table is read first and
    joined to the items, unless records are gathered: then the gathering joins it (`with_items`).
    """
    settings = options or ReadOptions()
    if settings.items is not None:
        cells_of(settings.items)
    reading = _read_all(data, settings, most, gathering)
    return reading if gathering is not None else with_items(reading)


def _read_all(data: Paths | Any, settings: ReadOptions, most: Portion | None, gathering: Gathering | None) -> Reading:
    if settings.format == DOCUMENTS:
        return replace(read_documents(data, settings, most), options=settings)
    sources = sources_of(data, most, settings.encoding)
    with closed_after(sources):
        read_all = _read(sources, settings, gathering)
    origin = SQL if isinstance(data, Query) else ""
    reading = replace(read_all, options=settings, part=part_read(sources), files=len(sources), origin=origin)
    reading = replace(reading, notes=(*notes_on(sources), *reading.notes))
    strange = reading.defects.counts.get(NOT_UTF8, 0)
    if not strange:
        return reading
    advice = f"{counted(strange, 'line is', 'lines are')} not UTF-8; {ENCODING_HINT}"
    return replace(reading, notes=(*reading.notes, advice))


def _read(sources: Sequence[Source], options: ReadOptions, gathering: Gathering | None) -> Reading:
    sheets = [source for source in sources if source.compression == EXCEL]
    if not sheets:
        return _read_as(sources, options, gathering)
    if options.sep is not None:
        raise InputError(
            f"{sheets[0].path} is an Excel workbook, which has no separators",
            code="option-not-applicable",
            hint=f"leave {option('sep')} out",
        )
    reading = _read_as(sources, replace(options, sep=","), gathering)
    what = "an Excel sheet" if len(sheets) == 1 else f"{len(sheets)} Excel sheets"
    return replace(reading, notes=(f"{what}, read as comma-separated text", *reading.notes))


def _read_as(sources: Sequence[Source], options: ReadOptions, gathering: Gathering | None) -> Reading:
    if options.format == MICRODATA:
        return read_microdata(sources, options)
    layout = common_layout(sources, options)
    reader = {"transactions": read_transactions, ACCESSLOG: read_accesslog, PROMPTS: read_prompts}.get(layout.format, read_events)
    if gathering is not None and reader is read_events:
        return gather_events(sources, layout, options, gathering)
    if gathering is not None and gathering.bounded:
        raise ParameterError(
            f"{option('memory')} is for query logs and tables, but the format is {layout.format}",
            code="option-not-applicable",
            hint="leave it out",
        )
    return reader(sources, layout, options)
