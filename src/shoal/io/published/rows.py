"""Reading rows of a log or of microdata back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from shoal.data.tables.rows import RowTable
from shoal.errors import InputError
from shoal.io.published import Facts, Reader
from shoal.io.published.frames import differing, differing_under, read_frame


def read(directory: Path, files: Sequence[Facts], own: bool) -> RowTable:
    """The rows of a file, or of several that hold parts of a table; pseudonyms are those of one file."""
    frames = [read_frame(directory, file, own) for file in files]
    pseudonyms = files[0].get("pseudonyms")
    if len(files) > 1 and (any(file.get("pseudonyms") for file in files) or any(frame.schema != frames[0].schema for frame in frames)):
        raise InputError("parts of a table have other columns, or pseudonyms of their own", hint="a release is judged whole or not at all")
    return RowTable(pl.concat(frames), pseudonyms)


def compare(made: RowTable, seen: RowTable) -> int:
    """Rows without counterpart, pseudonyms apart."""
    if made.pseudonyms != seen.pseudonyms:
        return max(1, made.n_rows + seen.n_rows)
    if made.pseudonyms is None:
        return differing(made.frame, seen.frame)
    return differing_under(made.pseudonyms, made.frame, seen.frame)


READER = Reader(read, compare)
