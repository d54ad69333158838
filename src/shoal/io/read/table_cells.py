"""Tables whose cells need no cutting: a sheet of Excel, or Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal.errors import TaxonomyError
from shoal.io.read.excel import is_workbook, sheet_of
from shoal.io.read.parquet import whole
from shoal.io.read.source import PARQUET, Source, content_of, open_regular, translated

Rows = list[tuple[Any, ...]]


def is_workbook_file(path: Path) -> bool:
    """Whether a file is an Excel workbook; it is opened only if it is a regular one."""
    with translated(path), open_regular(path) as stream:
        return is_workbook(stream)


def table_of(path: Path) -> tuple[Rows, tuple[str, ...]] | None:
    """The rows of a taxonomy's file, the names of its columns first, and how it was read; None if it is text."""
    with translated(path, TaxonomyError), open_regular(path, TaxonomyError) as stream:
        parquet = stream.read(len(PARQUET)) == PARQUET
        workbook = is_workbook(stream)
    if workbook:
        return sheet_of(content_of(path), path).rows(), ("an Excel sheet",)
    if parquet:
        frame = whole(Source.of(path))
        return [tuple(frame.columns), *frame.rows()], ("a Parquet table",)
    return None
