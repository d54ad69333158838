"""Reading rows of a log or of microdata back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from shoal.data.tables.rows import RowTable
from shoal.io.published import Facts, Reader
from shoal.io.published.frames import differing, differing_under, read_frame


def read(directory: Path, files: Sequence[Facts], own: bool) -> RowTable:
    """The rows of a file."""
    (file,) = files
    return RowTable(read_frame(directory, file, own), file.get("pseudonyms"))


def compare(made: RowTable, seen: RowTable) -> int:
    """Rows without counterpart, pseudonyms apart."""
    if made.pseudonyms != seen.pseudonyms:
        return max(1, made.n_rows + seen.n_rows)
    if made.pseudonyms is None:
        return differing(made.frame, seen.frame)
    return differing_under(made.pseudonyms, made.frame, seen.frame)


READER = Reader(read, compare)
