"""Decodes a release by combining its rows. No key is needed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.errors import InputError
from shoal.kinds import read_tables
from shoal.pipeline.claims import method_of
from shoal.pipeline.manifest import Published


@dataclass(frozen=True, eq=False)
class Decoded:
    """The decoded queries, with the people and rows of each; and the number of distinct ones that stay encrypted."""

    queries: pl.DataFrame
    sealed: int


def decode(path: str | Path) -> Decoded:
    """Decode a release directory with the decoder of its method. Raise if its files were changed after they were written."""
    place = Published.at(Path(path))
    if not place.file.exists():
        raise InputError(f"there is no release at {path}", code="not-a-release")
    if place.manifest is None:
        raise InputError(
            f"{path} is a single file; decoding needs the release directory", code="not-a-release", hint="name the release directory"
        )
    place.insist_unchanged(Path(path))
    method = method_of(place.manifest)
    release = Release(read_tables(place.file.parent, place.tables))
    found = method.decoded(release)
    different = sum(table.frame[table.unit].n_unique() for table in release.tables_of(RowTable))
    return Decoded(found, different - len(found))
