"""Reading counts back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from shoal.data.tables.counts import CountTable
from shoal.errors import InputError
from shoal.io.published import Facts, Reader
from shoal.io.published.frames import differing, read_frame


def read(directory: Path, files: Sequence[Facts], own: bool) -> CountTable:
    """The counts of a file, or of several that hold parts of a table."""
    frames = [read_frame(directory, file, own) for file in files]
    if any(frame.schema != frames[0].schema for frame in frames):
        raise InputError("parts of a table have other columns than the first", hint="a release is judged whole or not at all")
    return CountTable(pl.concat(frames))


def compare(made: CountTable, seen: CountTable) -> int:
    """Counts without counterpart."""
    return differing(made.frame, seen.frame)


READER = Reader(read, compare)
