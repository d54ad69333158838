"""One file of a table that several workers write, each a file of its own."""

from __future__ import annotations

import io
import secrets
from pathlib import Path

import polars as pl

from shoal.io.read.source import digest_of
from shoal.io.release_directory import disk_errors


def write_part(frame: pl.DataFrame, place: Path, work: Path) -> str:
    """Write a Parquet file and give its SHA-256. Whoever writes it again, because a task was repeated, puts the same file in its place.

    It is written in `work`, a directory of the same file system that is not published, so that a worker that dies leaves nothing in the
    release; the name there is random, because two machines may try the same task.
    """
    buffer = io.BytesIO()
    frame.rechunk().write_parquet(buffer, compression="zstd", compression_level=1, statistics=False)
    aside = work / f"{place.name}.{secrets.token_hex(8)}"
    with disk_errors(place.name):
        aside.write_bytes(buffer.getvalue())
        aside.rename(place)
    return digest_of(place)
