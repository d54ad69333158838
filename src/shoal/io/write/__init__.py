"""Writing published tables, in random order. One file per kind of table, looked up here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from shoal.data.release import Release
from shoal.data.tables import PublishedTable
from shoal.io.write.files import OUTPUT_FORMATS, FileFact
from shoal.registry import Table

__all__ = ["OUTPUT_FORMATS", "WRITERS", "FileFact", "Writer", "write_release", "write_table"]

Writer = Callable[[Any, Path, str, str, str], tuple[FileFact, ...]]
"""Table, directory, the table's name, format and separator to the files that were written; the first holds the table's rows."""

WRITERS: Table[Writer] = Table(
    "kind of table",
    {
        "bags": "shoal.io.write.bags:write",
        "weighted bags": "shoal.io.write.weighted:write",
        "rows": "shoal.io.write.rows:write",
        "counts": "shoal.io.write.counts:write",
        "groups": "shoal.io.write.groups:write",
    },
)


def write_table(table: PublishedTable, directory: Path, name: str, format: str = "parquet", sep: str = "\t") -> tuple[FileFact, ...]:
    """Write a table to files that bear its name, and say what was written."""
    return WRITERS[table.kind](table, directory, name, format, sep)


def write_release(release: Release, directory: Path, format: str = "parquet", sep: str = "\t") -> tuple[FileFact, ...]:
    """Write all tables of a release."""
    return tuple(file for name, table in release.tables.items() for file in write_table(table, directory, name, format, sep))
