"""Cells that a spreadsheet would take for formulas.

A CSV whose cell begins with =, +, -, @, a tab or a carriage return is harmless to every program that reads text, and may be run by one that
opens it as a sheet. The records are written as they are, because what is read back must be what was published; so it is said.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from shoal.data.release import Release
from shoal.data.tables import PublishedTable
from shoal.data.tables.bags import BagTable
from shoal.data.tables.rows import RowTable

FORMULA = r"^[=+\-@\t\r]"


def formula_notes(release: Release, format: str) -> list[str]:
    """What to know before a written file is opened as a sheet; nothing where no text begins like a formula."""
    if format != "csv":
        return []
    names = sum(int(texts.str.contains(FORMULA).sum()) for table in release.tables.values() for texts in _texts(table))
    if not names:
        return []
    what = "1 item name begins" if names == 1 else f"{names:,} item names begin"
    return [f"{what} with =, +, -, @ or a tab: import the CSV as text, since a spreadsheet may take such cells for formulas"]


def _texts(table: PublishedTable) -> Iterator[pl.Series]:
    """The different texts that a table is written with, column by column."""
    if isinstance(table, BagTable):
        yield table.records.vocabulary.names.gather(np.unique(table.records.items))
    elif isinstance(table, RowTable):
        yield from (table.frame[name].unique() for name, told in table.columns.items() if told == "text")
