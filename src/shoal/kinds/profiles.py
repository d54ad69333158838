"""Profiles: rows under one pseudonym for each person."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from shoal.data.tables.profiles import ProfileTable
from shoal.errors import InputError
from shoal.io.published_frames import read_frame
from shoal.kinds import FileFacts, Kind
from shoal.kinds.rows import count_differing, facts_of_log, summary_of_log, write


def read(directory: Path, files: Sequence[FileFacts], own: bool) -> ProfileTable:
    """Read the profiles of a file."""
    (file,) = files
    frame = read_frame(directory, file, own)
    if file.get("pseudonyms") not in frame.columns:
        raise InputError(f"the manifest names no pseudonym column for the profiles in {file['name']}", code="missing-pseudonym-column")
    return ProfileTable(frame, file["pseudonyms"])


KIND = Kind(ProfileTable, write, read, count_differing, {"log": facts_of_log}, {"log": summary_of_log}, attacked=("log",))
