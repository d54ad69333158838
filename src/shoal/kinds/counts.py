"""Counts with noise. In CSV and Excel the items of a row are joined with `;` in one cell."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from shoal.data.tables.counts import CountTable
from shoal.errors import InputError
from shoal.io.published_frames import differing, read_frame
from shoal.io.write.frame_files import write_with_lists
from shoal.io.write.output_format import FileFact, OutputForm
from shoal.kinds import FileFacts, Kind, facts_of_manifest, summary_of_rows


def write(table: CountTable, directory: Path, name: str, form: OutputForm) -> tuple[FileFact, ...]:
    """Write one file; separator and layout do not apply."""
    form.refuse_layout(table.kind)
    return (write_with_lists(table.shuffled(), directory, name, form.format, table=name, kind=table.kind),)


# Read counts back.


def read(directory: Path, files: Sequence[FileFacts], own: bool) -> CountTable:
    """Read the counts of a file, or of several files with parts of a table."""
    frames = [read_frame(directory, file, own) for file in files]
    if any(frame.schema != frames[0].schema for frame in frames):
        raise InputError(
            "parts of a table have other columns than the first",
            code="columns-differ",
            hint="a release is verified as a whole or not at all",
        )
    return CountTable(pl.concat(frames))


def count_differing(released: CountTable, read_back: CountTable) -> int:
    """Count the rows without a counterpart."""
    return differing(released.frame, read_back.frame)


KIND = Kind(CountTable, write, read, count_differing, {"log": facts_of_manifest}, {"log": summary_of_rows})
