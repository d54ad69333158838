"""Writes published records in random order.

Records are shuffled with the operating system's entropy and get new numbers; items are sorted by name. Formats: `parquet` and `jsonl`
contain lists of items; `csv` and `xlsx` join the items of a record with `;`; `transactions` has one record per line, and an empty line for
an empty record. In the long layout a row is an item of a record. A name that a format cannot represent unambiguously is rejected.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from shoal.data.bags import Bags, Ints, Vocabulary
from shoal.data.tables.bags import BagTable
from shoal.io.joined_cells import JOINED, joinable
from shoal.io.read.delimited import JOINER, one_byte
from shoal.io.write.cell_checks import refuse_ambiguous, refuse_empty
from shoal.io.write.frame_files import frame_bytes, workbook_bytes, write_frames
from shoal.io.write.output_format import LISTS, LONG, OUTPUT_FORMATS, FileFact, Levels, OutputForm, insist_on_format, write_pieces
from shoal.util.numbers import distinct

# The long layout of records: one row for each item of a record, with its count and, where there is a taxonomy, its level.
#
# A record without items is a row without an item, counted 0 times, so that it is not lost.


RECORDS_AT_ONCE = 100_000


def long_pieces(published: Bags, rows: Ints, form: OutputForm) -> Iterator[bytes]:
    """Yield the bytes of a file with these rows of the published records, in this order, numbered from 1."""
    items = _items(published, form.levels)
    at_once = RECORDS_AT_ONCE if form.format in {"csv", "jsonl"} else max(1, len(rows))
    for start in range(0, max(1, len(rows)), at_once):
        numbered = _rows(published.indptr, rows[start : start + at_once], start)
        frame = numbered.join(items, on="entry", how="left", maintain_order="left").drop("entry")
        yield frame_bytes(frame.with_columns(pl.col("count").fill_null(0)), form.format, header=start == 0)


def _rows(indptr: Ints, rows: Ints, before: int) -> pl.DataFrame:
    """Return record number and entry for all items of these records; the entry is null if a record is empty."""
    sizes = np.diff(indptr)[rows]
    written = np.maximum(sizes, 1)
    ends = np.cumsum(written)
    within = np.arange(int(written.sum())) - np.repeat(ends - written, written)
    entries = np.repeat(indptr[rows], written) + within
    entry = pl.Series(np.where(np.repeat(sizes > 0, written), entries, -1))
    numbers = np.repeat(np.arange(before + 1, before + len(rows) + 1), written)
    return pl.DataFrame({"record": numbers, "entry": entry}, schema={"record": pl.Int64, "entry": pl.Int64})


def _items(published: Bags, levels: Levels | None) -> pl.DataFrame:
    """Return the name, count and level of every entry."""
    names = published.vocabulary.names
    entries = {"entry": np.arange(len(published.items)), "item": names.gather(published.items), "count": published.counts.astype(np.int64)}
    frame = pl.DataFrame(entries, schema={"entry": pl.Int64, "item": pl.String, "count": pl.Int64})
    return frame if levels is None else frame.with_columns(levels(names).gather(published.items).cast(pl.Int64).alias("level"))


def long_frame(lists: pl.DataFrame, levels: Levels | None) -> pl.DataFrame:
    """Convert a frame of records (lists of items and possibly weights) to the long layout."""
    weighted = [name for name in ("weights",) if name in lists.columns]
    flat = lists.explode("items", *weighted, empty_as_null=True, keep_nulls=True).rename({"items": "item"})
    rows = flat.rename(dict.fromkeys(weighted, "weight")) if weighted else _counted(flat)
    return rows if levels is None else rows.with_columns(levels(rows["item"]).cast(pl.Int64).alias("level"))


def _counted(flat: pl.DataFrame) -> pl.DataFrame:
    """Return each distinct item of a record with its number of occurrences."""
    found = pl.col("item").is_not_null().sum().cast(pl.Int64).alias("count")
    return flat.group_by("record", "item", maintain_order=True).agg(found)


ROWS_AT_ONCE = 100_000
LISTED = pl.Schema({"record": pl.Int64(), "items": pl.List(pl.String())})


def write(table: BagTable, directory: Path, name: str, form: OutputForm) -> tuple[FileFact, ...]:
    """Write one file with the suffix of its format; the form's separator separates the items of transactions."""
    insist_on_format(form.format, OUTPUT_FORMATS, table.kind)
    path = directory / f"{name}{OUTPUT_FORMATS[form.format]}"
    return (replace(write_form(table, path, form), table=name, kind=table.kind),)


def write_records(table: BagTable, path: str | Path, format: str = "parquet", sep: str = "\t", layout: str = LISTS) -> FileFact:
    """Write the published records to a file of this format, and return a description of it."""
    insist_on_format(format, OUTPUT_FORMATS, table.kind)
    return write_form(table, Path(path), OutputForm(format, sep, layout))


def write_form(table: BagTable, place: Path, form: OutputForm) -> FileFact:
    """Do the same with all settings of the form."""
    joined = JOINER if form.layout == LISTS and form.format in JOINED else ""
    separator = one_byte(form.sep) or " " if form.format == "transactions" else joined
    published = by_name(table.records)
    used = published.vocabulary.names.gather(distinct(published.items))
    refuse_ambiguous(used, form.format, separator)
    rows = table.shuffled_rows()
    if form.layout == LONG:
        refuse_empty(used)
        digest = write_pieces(place, long_pieces(published, rows, form))
    elif form.format == "parquet":
        digest = write_frames(place, LISTED, list_frames(published.to_polars(), rows), ROWS_AT_ONCE)
    else:
        digest = write_pieces(place, record_pieces(published, rows, form.format, separator))
    layout = "" if form.format == "transactions" else form.layout
    return FileFact(place.name, len(rows), digest, form.format, separator, layout=layout)


def by_name(bags: Bags) -> Bags:
    """Return the same records over a vocabulary sorted by name, so that items are sorted by name."""
    order = bags.vocabulary.names.arg_sort().to_numpy()
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return bags.relabelled(rank, Vocabulary(bags.vocabulary.names.gather(order)))


def record_pieces(published: Bags, rows: Ints, format: str, separator: str) -> Iterator[bytes]:
    """Yield the bytes of the file in parts. Each distinct row is formatted once and then repeated."""
    if format == "csv":
        yield b"record,items\n"
    texts = _texts(published, format, separator)
    if format == "xlsx":
        filled = pl.select(pl.when(texts != "").then(texts)).to_series()  # an empty record is an empty cell
        yield workbook_bytes(pl.DataFrame({"record": np.arange(1, len(rows) + 1), "items": filled.gather(rows)}))
        return
    for start in range(0, len(rows), ROWS_AT_ONCE):
        part = rows[start : start + ROWS_AT_ONCE]
        numbers = pl.Series(np.arange(start + 1, start + len(part) + 1))
        yield _lines(texts.gather(part), numbers, format)


def list_frames(lists: pl.Series, rows: Ints) -> Iterator[pl.DataFrame]:
    """Yield the lists of these rows in parts, numbered from 1."""
    for start in range(0, len(rows), ROWS_AT_ONCE):
        part = rows[start : start + ROWS_AT_ONCE]
        yield pl.DataFrame({"record": np.arange(start + 1, start + len(part) + 1), "items": lists.gather(part)}, schema=LISTED)


def _texts(published: Bags, format: str, separator: str) -> pl.Series:
    if format == "jsonl":
        names = pl.Series([json.dumps(name, ensure_ascii=False) for name in published.vocabulary.names], dtype=pl.String)
        lists = replace(published, vocabulary=Vocabulary(names)).to_polars().list.join(", ")
        return pl.select(pl.format("[{}]", lists)).to_series()
    if format in JOINED:
        published = replace(published, vocabulary=Vocabulary(joinable(published.vocabulary.names, separator)))
    return published.to_polars().list.join(separator)


def _lines(texts: pl.Series, numbers: pl.Series, format: str) -> bytes:
    if format == "csv":
        buffer = io.BytesIO()
        pl.DataFrame({"record": numbers, "items": texts}).write_csv(buffer, include_header=False)
        return buffer.getvalue()
    if format == "jsonl":
        numbered = pl.select(pl.format('{{"record": {}, "items": {}}}', numbers, texts)).to_series()
        return _joined(numbered)
    return _joined(texts)


def _joined(lines: pl.Series) -> bytes:
    text: str = lines.str.join("\n", ignore_nulls=False).item()
    return f"{text}\n".encode()
