"""Writing weighted bags: lists of items and lists of weights, in CSV and Excel joined with `;`; in the long layout a row for each item."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from shoal.data.tables.weighted_bags import WeightedBagTable
from shoal.io.joined_cells import JOINED, joined
from shoal.io.read.separators import JOINER
from shoal.io.write.frames import frame_bytes
from shoal.io.write.item_name_checks import refuse_ambiguous, refuse_empty
from shoal.io.write.long import long_frame
from shoal.io.write.output_format import FRAME_FORMATS, LISTS, LONG, OUTPUT_FORMATS, FileFact, OutputForm, insist_on_format, write_pieces


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
        frame = frame.with_columns(joined(frame[name].cast(pl.List(pl.String)), separator) for name in ("items", "weights"))
    path = directory / f"{name}{OUTPUT_FORMATS[form.format]}"
    digest = write_pieces(path, [frame_bytes(frame, form.format)])
    return (FileFact(path.name, table.n_rows, digest, form.format, separator, name, table.kind, layout=form.layout),)
