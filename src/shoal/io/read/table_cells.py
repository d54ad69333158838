"""Tables with separate cells: an Excel sheet, or Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal.errors import TaxonomyError
from shoal.io.read.excel import is_workbook, sheet_of
from shoal.io.read.parquet import whole
from shoal.io.read.source import PARQUET, Source, content_of, open_regular, translated

Rows = list[tuple[Any, ...]]


def is_workbook_file(path: Path) -> bool:
    """Whether a file is an Excel workbook; only a regular file is opened."""
    with translated(path), open_regular(path) as stream:
        return is_workbook(stream)


def table_of(path: Path) -> tuple[Rows, tuple[str, ...]] | None:
    """Return the rows of a taxonomy file, starting with the column names, and how it was read; None if it is text."""
    with translated(path, TaxonomyError), open_regular(path, TaxonomyError) as stream:
        parquet = stream.read(len(PARQUET)) == PARQUET
        workbook = is_workbook(stream)
    if workbook:
        return sheet_of(content_of(path), path).rows(), ("an Excel sheet",)
    if parquet:
        frame = whole(Source.of(path))
        return [tuple(frame.columns), *frame.rows()], ("a Parquet table",)
    return None
