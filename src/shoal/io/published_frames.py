"""Frames of scalar columns, read back from Parquet, CSV, JSON lines or Excel, and compared."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from shoal.data.tables.column_types import ALL_TYPES, ITEMS, TYPES
from shoal.errors import InputError
from shoal.io.extra_columns import distinct_keys
from shoal.io.joined_cells import split_joined
from shoal.io.read.delimited import JOINER
from shoal.io.read.excel import sheet_of
from shoal.io.read.parquet import whole
from shoal.io.read.source import Source, content_of
from shoal.io.write.frame_files import TIME, frame_bytes

# Published tables from an Excel workbook.


def sheet_frame(path: Path) -> pl.DataFrame:
    """Read the only sheet of a workbook: its first row as column names, all other cells as text."""
    cells = sheet_of(content_of(path), path)
    names = [name or "" for name in cells.row(0)]
    if len(set(names)) < len(names) or "" in names:
        raise InputError(
            f"{path.name} leaves a column without a name, or gives two the same name",
            code="invalid-column-names",
            hint="a release is verified as a whole or not at all",
        )
    return cells.slice(1).rename(dict(zip(cells.columns, names, strict=True)))


WHOLE = "a release is verified as a whole or not at all"
SIDE = "\0side"  # no column that is read bears this name


def read_frame(directory: Path, file: Mapping[str, Any], own: bool) -> pl.DataFrame:
    """Read the columns of a file in their declared types; undeclared types are as in the file."""
    path = directory / file["name"]
    return declared(raw_frame(path, file["format"], own), file, path)


def declared(frame: pl.DataFrame, file: Mapping[str, Any], path: Path) -> pl.DataFrame:
    """Return the columns of a frame in the declared order and types."""
    columns = file.get("columns")
    if not columns:
        return frame.with_columns(pl.col(pl.Int8, pl.Int16, pl.Int32, pl.UInt8, pl.UInt16, pl.UInt32).cast(pl.Int64))
    if not len(frame) and not frame.width:  # JSON lines without a line
        return pl.DataFrame(schema={name: ALL_TYPES[word] for name, word in columns.items()})
    if frame.columns != list(columns):
        raise InputError(f"{path.name} has other columns than those declared, or in another order", code="columns-differ", hint=WHOLE)
    separator = file.get("separator", JOINER)
    return frame.select(
        _listed(frame[name], separator, path.name) if word == ITEMS else _typed(frame, name, word, path.name)
        for name, word in columns.items()
    )


def raw_frame(path: Path, format: str, own: bool) -> pl.DataFrame:
    """Read a file's columns: typed from Parquet and JSON lines, as text from CSV and Excel."""
    if format == "parquet":
        return whole(Source.of(path), own=own)
    if format == "xlsx":
        return sheet_frame(path)
    content = content_of(path)
    if not content.strip():
        return pl.DataFrame()
    try:
        if format == "csv":
            return pl.read_csv(io.BytesIO(content), infer_schema=False)
        frame = pl.read_ndjson(io.BytesIO(content), infer_schema_length=None)
        # Polars sees one value of a repeated key; its own output has none.
        if frame_bytes(frame, format) != content:
            for line in filter(None, map(bytes.strip, content.splitlines())):
                json.loads(line, object_pairs_hook=distinct_keys(path.name))
        return frame
    except (pl.exceptions.PolarsError, ValueError):
        raise InputError(f"{path.name} is not readable as {format}", code="unreadable-file") from None


def _typed(frame: pl.DataFrame, name: str, word: str, file: str) -> pl.Series:
    column = frame[name]
    try:
        if word == "time" and column.dtype == pl.String:
            return column.str.to_datetime(TIME, time_unit="us")
        return column.cast(TYPES[word], strict=True)
    except pl.exceptions.PolarsError:
        raise InputError(f"{file}: the column {name!r} does not contain the {word} that it should", code="wrong-column-type") from None


def _listed(column: pl.Series, separator: str, file: str) -> pl.Series:
    """Return a column of lists of items; in CSV and Excel they are joined with the separator, and an empty cell is an empty list."""
    try:
        if column.dtype in (pl.String, pl.Null):
            return split_joined(column.cast(pl.String).fill_null(""), separator).alias(column.name)
        return column.cast(ALL_TYPES[ITEMS], strict=True)
    except pl.exceptions.PolarsError:
        raise InputError(
            f"{file}: the column {column.name!r} does not contain the lists of items that it should", code="wrong-column-type"
        ) from None


def differing(released: pl.DataFrame, read_back: pl.DataFrame) -> int:
    """Count the rows of either frame without a counterpart in the other."""
    if dict(released.schema) != dict(read_back.schema):
        return max(1, len(released) + len(read_back))
    sides = [released.with_columns(pl.lit(1).alias(SIDE)), read_back.select(released.columns).with_columns(pl.lit(-1).alias(SIDE))]
    surplus = pl.concat(sides).group_by(released.columns).agg(pl.col(SIDE).sum())[SIDE]
    return int(surplus.abs().sum())


def differing_under(numbers: str, released: pl.DataFrame, read_back: pl.DataFrame) -> int:
    """Do the same if rows are grouped by random numbers: count the rows of groups without a counterpart."""
    if dict(released.schema) != dict(read_back.schema):
        return max(1, len(released) + len(read_back))
    sides = [released.with_columns(pl.lit(1).alias(SIDE)), read_back.select(released.columns).with_columns(pl.lit(-1).alias(SIDE))]
    rest = [name for name in released.columns if name != numbers]
    content = pl.struct(rest).rank("dense") if rest else pl.lit(1, pl.UInt32)
    both = pl.concat(sides).with_columns(content.alias("\0content"))
    together = both.group_by(SIDE, numbers).agg(pl.col("\0content").sort().cast(pl.String).str.join(","), pl.len().alias("\0rows"))
    surplus = together.group_by("\0content").agg(pl.col(SIDE).sum().abs(), pl.col("\0rows").first())
    return int((surplus[SIDE].cast(pl.Int64) * surplus["\0rows"].cast(pl.Int64)).sum())
