"""Writing weighted bags: lists of items and lists of weights, in CSV and Excel joined with `;`; in the long layout a row for each item."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from shoal.data.tables.weighted import WeightedBagTable
from shoal.io.joined import JOINED, joinable
from shoal.io.read.separators import JOINER
from shoal.io.write.files import (
    FRAME_FORMATS,
    LISTS,
    LONG,
    OUTPUT_FORMATS,
    FileFact,
    OutputForm,
    insist_on_format,
    write_pieces,
)
from shoal.io.write.frames import frame_bytes
from shoal.io.write.long import long_frame
from shoal.io.write.names import refuse_ambiguous, refuse_empty


def write(table: WeightedBagTable, directory: Path, name: str, form: OutputForm) -> tuple[FileFact, ...]:
    """One file; the form's separator does not apply."""
    insist_on_format(form.format, FRAME_FORMATS, table.kind)
    separator = JOINER if form.format in JOINED and form.layout == LISTS else ""
    names = table.flat["item"].unique()
    refuse_ambiguous(names, form.format, separator)
    frame = table.shuffled()
    if form.layout == LONG:
        refuse_empty(names)
        frame = long_frame(frame, form.levels)
    elif separator:
        frame = frame.with_columns(_joined(frame, "items", separator), _joined(frame, "weights", separator))
    path = directory / f"{name}{OUTPUT_FORMATS[form.format]}"
    digest = write_pieces(path, [frame_bytes(frame, form.format)])
    return (FileFact(path.name, table.n_rows, digest, form.format, separator, name, table.kind, layout=form.layout),)


def _joined(frame: pl.DataFrame, column: str, separator: str) -> pl.Series:
    """The lists of a column in one text each; null where a list is empty, as in a sheet an empty cell is."""
    flat = frame.select("record", pl.col(column).cast(pl.List(pl.String))).explode(column, empty_as_null=False, keep_nulls=False)
    texts = flat.with_columns(joinable(flat[column], separator).alias(column))
    joined = texts.group_by("record", maintain_order=True).agg(pl.col(column).str.join(separator))
    return frame.select("record").join(joined, on="record", how="left", maintain_order="left")[column]
