"""Cells that a spreadsheet would take for formulas.

A CSV whose cell begins with =, +, -, @, a tab or a carriage return is harmless to every program that reads text, and may be run by one that
opens it as a sheet. The content is written unchanged, because what is read back must be what was published. So terminal, manifest and
report say how many texts begin so. In a workbook (the format xlsx) texts stay texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import polars as pl

from shoal.data.release import Release
from shoal.data.tables import PublishedTable
from shoal.data.tables.bags import BagTable
from shoal.util.wording import counted

FORMULA = r"^([=+@\t\r]|-.)"  # a single dash means that there is nothing
HOW = (
    "with =, +, -, @ or a tab: a spreadsheet may run such a cell of the CSV as a formula; import the file as text, or write xlsx, "
    "where texts stay texts"
)


def formula_notes(release: Release, format: str) -> list[str]:
    """Warn how many different texts of a CSV release a spreadsheet may take for formulas; empty if there are none."""
    if format != "csv":
        return []
    found = sum(int(texts.str.contains(FORMULA).sum()) for table in release.tables.values() for texts in _texts(table))
    return [f"{counted(found, 'text begins', 'texts begin')} {HOW}"] if found else []


def formula_notes_in(notes: Iterable[str]) -> list[str]:
    """Those notes of a manifest that warn of formulas."""
    return [note for note in notes if note.endswith(HOW)]


def _texts(table: PublishedTable) -> Iterator[pl.Series]:
    """The different texts in the cells of a table, column by column, and the names of its columns."""
    if isinstance(table, BagTable):
        yield table.records.vocabulary.names.gather(np.unique(table.records.items))
        return
    for frame in vars(table).values():
        if isinstance(frame, pl.DataFrame):
            yield pl.Series(frame.columns, dtype=pl.String)
            columns = (column.explode() if column.dtype == pl.List(pl.String) else column for column in frame)
            yield from (column.unique().drop_nulls() for column in columns if column.dtype == pl.String)
