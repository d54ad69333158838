"""Reading profiles back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from shoal.data.tables.profiles import ProfileTable
from shoal.errors import InputError
from shoal.io.published import Facts, Reader
from shoal.io.published.frames import read_frame
from shoal.io.published.rows import compare


def read(directory: Path, files: Sequence[Facts], own: bool) -> ProfileTable:
    """The profiles of a file."""
    (file,) = files
    frame = read_frame(directory, file, own)
    if file.get("pseudonyms") not in frame.columns:
        raise InputError(f"{file['name']} holds profiles, and no column of pseudonyms is told")
    return ProfileTable(frame, file["pseudonyms"])


READER = Reader(read, compare)
