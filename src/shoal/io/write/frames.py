"""Frames of flat columns as Parquet, CSV, JSON lines or Excel.

Times are written as 2006-03-01 07:17:12, with a fraction where there is one.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path

import polars as pl

from shoal.data.tables.column_types import column_types
from shoal.io.write.excel import workbook_bytes
from shoal.io.write.output_format import FRAME_FORMATS, OUTPUT_FORMATS, FileFact, insist_on_format, write_pieces

TIME = "%Y-%m-%d %H:%M:%S%.f"


def write_frame(
    frame: pl.DataFrame,
    directory: Path,
    name: str,
    format: str,
    *,
    table: str,
    kind: str,
    part: str = "",
    pseudonyms: str = "",
    separator: str = "",
    columns: Mapping[str, str] | None = None,
) -> FileFact:
    """Write the rows of a frame as they stand; `columns` are their types, where lists of items were joined with a `separator`."""
    insist_on_format(format, FRAME_FORMATS, kind)
    path = directory / f"{name}{OUTPUT_FORMATS[format]}"
    digest = write_pieces(path, [frame_bytes(frame, format)])
    return FileFact(path.name, len(frame), digest, format, separator, table, kind, part, columns or column_types(frame), pseudonyms)


def frame_bytes(frame: pl.DataFrame, format: str, *, header: bool = True) -> bytes:
    """A file of this format, or a further part of a CSV, without a header. Parquet without statistics, which would reveal single values."""
    buffer = io.BytesIO()
    if format == "parquet":
        # In one piece, so that row groups depend on the number of rows alone.
        frame.rechunk().write_parquet(buffer, compression="zstd", compression_level=1, statistics=False)
        return buffer.getvalue()
    told = frame.with_columns(pl.col(pl.Datetime).dt.strftime(TIME))
    if format == "xlsx":
        return workbook_bytes(told)
    if format == "csv":
        told.write_csv(buffer, include_header=header)
    else:
        told.write_ndjson(buffer)
    return buffer.getvalue()
