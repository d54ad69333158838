"""Reading counts back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from shoal.data.tables.counts import CountTable
from shoal.io.published import Facts, Reader
from shoal.io.published.frames import differing, read_frame


def read(directory: Path, files: Sequence[Facts], own: bool) -> CountTable:
    """The counts of a file."""
    (file,) = files
    return CountTable(read_frame(directory, file, own))


def compare(made: CountTable, seen: CountTable) -> int:
    """Counts without counterpart."""
    return differing(made.frame, seen.frame)


READER = Reader(read, compare)
