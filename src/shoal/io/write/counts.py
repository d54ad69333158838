"""Writing counts."""

from __future__ import annotations

from pathlib import Path

from shoal.data.tables.counts import CountTable
from shoal.io.write.files import FileFact
from shoal.io.write.frames import write_frame


def write(table: CountTable, directory: Path, name: str, format: str, sep: str) -> tuple[FileFact, ...]:
    """One file; `sep` does not apply."""
    return (write_frame(table.shuffled(), directory, name, format, table=name, kind=table.kind),)
