"""Writing rows of a log or of microdata."""

from __future__ import annotations

from pathlib import Path

from shoal.data.tables.rows import RowTable
from shoal.io.write.files import FileFact
from shoal.io.write.frames import write_frame


def write(table: RowTable, directory: Path, name: str, format: str, sep: str) -> tuple[FileFact, ...]:
    """One file; `sep` does not apply."""
    return (write_frame(table.shuffled(), directory, name, format, table=name, kind=table.kind, pseudonyms=table.pseudonyms or ""),)
