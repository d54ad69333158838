"""Writing an access log, in the common or the combined format. Times are in UTC."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from shoal.data.tables.access_log import AccessTable
from shoal.io.write.output_format import ACCESSLOG, OUTPUT_FORMATS, FileFact, OutputForm, insist_on_format, write_pieces

_TIME = "%d/%b/%Y:%H:%M:%S +0000"


def write(table: AccessTable, directory: Path, name: str, form: OutputForm) -> tuple[FileFact, ...]:
    """One file; neither separator nor layout apply."""
    form.refuse_layout(table.kind)
    insist_on_format(form.format, (ACCESSLOG,), table.kind)
    path = directory / f"{name}{OUTPUT_FORMATS[form.format]}"
    lines = log_lines(table.shuffled(), combined=table.combined)
    digest = write_pieces(path, [line.encode() + b"\n" for line in lines])
    return (FileFact(path.name, len(lines), digest, form.format, "", name, table.kind),)


def log_lines(frame: pl.DataFrame, *, combined: bool) -> list[str]:
    """The rows as lines."""
    told = frame.select(
        "address",
        pl.col("time").dt.strftime(_TIME),
        "request",
        "status",
        pl.col("size").cast(pl.String).fill_null("-"),
        "referrer",
        "agent",
    )
    common = pl.format('{} - - [{}] "{}" {} {}', "address", "time", "request", "status", "size")
    line = pl.format('{} "{}" "{}"', common, "referrer", "agent") if combined else common
    return told.select(line).to_series().to_list()
