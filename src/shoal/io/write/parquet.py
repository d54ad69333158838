"""Parquet files that are written a few rows at a time: no more of a table is in memory, and every few rows are a row group of the file.

Without statistics, which would reveal single values.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, cast

import polars as pl
from polars.io.plugins import register_io_source

from shoal.io.release_directory import disk_errors

PACKED: dict[str, Any] = {"compression": "zstd", "compression_level": 1, "statistics": False}


class _Hashed(io.BufferedIOBase):
    """Bytes on their way to a file: their SHA-256, and the error of the operating system, of which Polars hands on the words alone."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._digest = hashlib.sha256()
        self.error: OSError | None = None

    def write(self, content: Any) -> int:
        """All of it."""
        try:
            self._out.write(content)
        except OSError as error:
            self.error = error
            raise
        self._digest.update(content)
        return len(content)

    @property
    def sha256(self) -> str:
        """Of all that was written."""
        return self._digest.hexdigest()


def write_frames(path: Path, schema: pl.Schema, frames: Iterable[pl.DataFrame], rows_at_once: int) -> str:
    """Write a new file of these frames, one after the other, and give its SHA-256. Where the first cannot be made there is no file."""
    coming = iter(frames)
    first = list(islice(coming, 1))
    with disk_errors(path.name), path.open("xb") as out:
        return frames_digest(out, schema, chain(first, coming), rows_at_once)


def frames_digest(out: BinaryIO, schema: pl.Schema, frames: Iterable[pl.DataFrame], rows_at_once: int) -> str:
    """Write these frames, one after the other, to an open file, and give the SHA-256 of what was written."""

    def source(*asked: object) -> Iterator[pl.DataFrame]:  # all columns, rows and batches are wanted
        del asked
        yield from frames

    hashed = _Hashed(out)
    try:
        rows = register_io_source(source, schema=schema)
        rows.sink_parquet(cast(BinaryIO, hashed), row_group_size=rows_at_once, maintain_order=True, **PACKED)
    except pl.exceptions.PolarsError:
        if hashed.error is None:
            raise
        raise hashed.error from None
    return hashed.sha256
