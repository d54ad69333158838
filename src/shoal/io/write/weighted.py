"""Writing weighted bags: lists of items and lists of weights; in CSV both joined with `;`."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from shoal.data.tables.weighted import WeightedBagTable
from shoal.io.read.separators import JOINER
from shoal.io.write.files import FRAME_FORMATS, OUTPUT_FORMATS, FileFact, insist_on_format, write_pieces
from shoal.io.write.frames import frame_bytes
from shoal.io.write.names import refuse_ambiguous


def write(table: WeightedBagTable, directory: Path, name: str, format: str, sep: str) -> tuple[FileFact, ...]:
    """One file; `sep` does not apply."""
    insist_on_format(format, FRAME_FORMATS, table.kind)
    separator = JOINER if format == "csv" else ""
    frame = table.shuffled()
    if separator:
        refuse_ambiguous(table.flat["item"].unique(), format, separator)
        frame = frame.with_columns(pl.col("items").list.join(JOINER), pl.col("weights").cast(pl.List(pl.String)).list.join(JOINER))
    path = directory / f"{name}{OUTPUT_FORMATS[format]}"
    digest = write_pieces(path, [frame_bytes(frame, format)])
    return (FileFact(path.name, table.n_rows, digest, format, separator, name, table.kind),)
