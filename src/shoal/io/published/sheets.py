"""Published tables from an Excel workbook."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from shoal.errors import InputError
from shoal.io.read.compression import content_of
from shoal.io.read.excel import sheet_of


def sheet_frame(path: Path) -> pl.DataFrame:
    """The only sheet of a workbook, its first row as names of columns, all other cells as text."""
    cells = sheet_of(content_of(path), path)
    names = [name or "" for name in cells.row(0)]
    if len(set(names)) < len(names) or "" in names:
        raise InputError(f"{path.name} leaves a column without a name or names two alike", hint="a release is judged whole or not at all")
    return cells.slice(1).rename(dict(zip(cells.columns, names, strict=True)))
