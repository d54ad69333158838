"""Writing published tables, in random order. One file per kind of table, looked up here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from shoal.data.release import Release
from shoal.data.tables import PublishedTable
from shoal.io.write.output_format import LAYOUTS, LISTS, OUTPUT_FORMATS, FileFact, Levels, OutputForm
from shoal.registry import Table

__all__ = ["LAYOUTS", "OUTPUT_FORMATS", "WRITERS", "FileFact", "Writer", "write_release", "write_table"]

Writer = Callable[[Any, Path, str, OutputForm], tuple[FileFact, ...]]
"""Table, directory, the table's name and form to the files that were written; the first holds the table's rows."""

WRITERS: Table[Writer] = Table(
    "kind of table",
    {
        "bags": "shoal.kinds.bags.write:write",
        "weighted bags": "shoal.io.write.weighted:write",
        "rows": "shoal.io.write.rows:write",
        "counts": "shoal.io.write.counts:write",
        "groups": "shoal.io.write.groups:write",
        "chunks": "shoal.io.write.chunks:write",
        "access log": "shoal.io.write.accesslog:write",
        "profiles": "shoal.io.write.rows:write",
    },
)


def write_table(table: PublishedTable, directory: Path, name: str, form: OutputForm) -> tuple[FileFact, ...]:
    """Write a table to files that bear its name, and say what was written."""
    return WRITERS[table.kind](table, directory, name, form)


def write_release(
    release: Release, directory: Path, format: str = "parquet", sep: str = "\t", layout: str = LISTS, levels: Levels | None = None
) -> tuple[FileFact, ...]:
    """Write all tables of a release."""
    form = OutputForm(format, sep, layout, levels)
    return tuple(file for name, table in release.tables.items() for file in write_table(table, directory, name, form))
