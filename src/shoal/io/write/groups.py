"""Writing groups with two parts: NAME_rows and NAME_histogram. In CSV and Excel the items of a row stand in one cell, joined with `;`."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from shoal.data.tables.column_types import column_types
from shoal.data.tables.groups import PARTS, GroupTable
from shoal.io.joined_cells import JOINED, joined
from shoal.io.read.separators import JOINER
from shoal.io.write.frames import write_frame
from shoal.io.write.item_name_checks import refuse_ambiguous
from shoal.io.write.output_format import FileFact, OutputForm


def write(table: GroupTable, directory: Path, name: str, form: OutputForm) -> tuple[FileFact, ...]:
    """One file for each part; neither the form's separator nor its layout apply."""
    form.refuse_layout(table.kind)
    return tuple(
        _written(frame, directory, f"{name}_{part}", form.format, name, part) for part, frame in zip(PARTS, table.shuffled(), strict=True)
    )


def _written(frame: pl.DataFrame, directory: Path, name: str, format: str, table: str, part: str) -> FileFact:
    told = column_types(frame, lists=True)
    lists = [column for column in frame.columns if isinstance(frame.schema[column], pl.List)]
    separator = JOINER if lists and format in JOINED else ""
    for column in lists if separator else ():
        refuse_ambiguous(frame[column].explode(empty_as_null=False).unique(), format, separator)
        frame = frame.with_columns(joined(frame[column], separator))
    return write_frame(frame, directory, name, format, table=table, kind=GroupTable.kind, part=part, separator=separator, columns=told)
