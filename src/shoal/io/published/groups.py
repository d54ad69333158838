"""Reading groups with two parts back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from shoal.data.tables.groups import GROUP, GroupTable
from shoal.errors import InputError, ShoalError
from shoal.io.joined_cells import joined
from shoal.io.published import Facts, Reader
from shoal.io.published.frames import differing_under, read_frame
from shoal.io.read.separators import JOINER

PART = "\0part"


def read(directory: Path, files: Sequence[Facts], own: bool) -> GroupTable:
    """Both parts, each from its file."""
    found = {file.get("part"): read_frame(directory, file, own) for file in files}
    if found.keys() != {"rows", "histogram"}:
        raise InputError("groups are written as rows and histogram, and one of them is missing")
    try:
        return GroupTable(found["rows"], found["histogram"])
    except ShoalError as error:
        raise InputError(f"the files hold no groups: {error.message}") from None


def compare(made: GroupTable, seen: GroupTable) -> int:
    """Rows and counts of groups that have no counterpart with the same rows and the same histogram."""
    return differing_under(GROUP, _whole(made), _whole(seen))


def _whole(table: GroupTable) -> pl.DataFrame:
    """Both parts below one another; columns of the same name in both are told apart."""
    parts = []
    for part, frame in (("rows", table.rows), ("histogram", table.histogram)):
        lists = [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.List)]
        flat = frame.with_columns(joined(frame[name].list.sort(), JOINER) for name in lists)
        named = flat.rename({name: f"{part} {name}" for name in flat.columns if name != GROUP})
        parts.append(named.select(GROUP, *sorted(name for name in named.columns if name != GROUP)).with_columns(pl.lit(part).alias(PART)))
    return pl.concat(parts, how="diagonal")


READER = Reader(read, compare)
