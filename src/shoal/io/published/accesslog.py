"""Reading a published access log back: every line must be one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from shoal.data.tables.access_log import SCHEMA, AccessTable, numbered_addresses
from shoal.errors import InputError
from shoal.io.published import Facts, Reader
from shoal.io.published.frames import differing_under
from shoal.io.read.access_log_lines import cut
from shoal.io.read.compression import content_of

NOTHING = "-"  # a field that holds nothing


def read(directory: Path, files: Sequence[Facts], own: bool) -> AccessTable:
    """The rows of a file, with its addresses numbered."""
    (file,) = files
    try:
        lines = content_of(directory / file["name"]).decode().splitlines()
    except UnicodeDecodeError:
        raise InputError(f"{file['name']} is not UTF-8 text") from None
    fields = cut(pl.Series(lines, dtype=pl.String))
    defective = int(fields["time"].is_null().sum())
    if defective or not lines:
        what = f"{file['name']} has {defective:,} lines that are none of an access log" if lines else f"{file['name']} is empty"
        raise InputError(what, hint="a release is judged whole or not at all")
    numbers = numbered_addresses(fields["address"])
    ranked = fields["address"].rank("dense").cast(pl.Int64) if numbers is None else numbers
    frame = fields.with_columns(ranked).select(*SCHEMA)
    if frame["agent"].null_count() not in {0, len(frame)}:
        raise InputError(f"{file['name']} has lines in the common and in the combined format")
    return AccessTable(frame, _beside(fields, fresh=numbers is not None))


def _beside(fields: pl.DataFrame, *, fresh: bool) -> tuple[str, ...]:
    """The fields that no claim judges and that say something: `-` says nothing, nor do addresses numbered from 1 on, nor one time zone."""
    named = {"ident": "ident", "auth": "authuser"}
    telling = [name for field, name in named.items() if (fields[field] != NOTHING).any()]
    zones = ["time zone"] if fields["zone"].n_unique() > 1 else []
    return (*([] if fresh else ["address"]), *telling, *zones)


def compare(made: AccessTable, seen: AccessTable) -> int:
    """Rows without counterpart, whatever their addresses are."""
    return differing_under("address", made.frame, seen.frame)


READER = Reader(read, compare)
