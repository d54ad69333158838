"""Steps that a cluster stored as Parquet, read on the driver if they are too many to be collected as Spark rows; and their removal."""

from __future__ import annotations

import secrets
import shutil
from pathlib import Path

import polars as pl
import pyarrow as pa

from shoal.io.read.source import translated
from shoal.io.release_directory import disk_errors


def stored_step(place: Path, name: str) -> pl.LazyFrame:
    """Read what was stored under this name in the directory of a run."""
    return pl.scan_parquet(str(place / name / "*.parquet"))


def forget_step(place: Path, name: str) -> None:
    """Remove what was stored under this name, if anything, because it is no longer needed."""
    shutil.rmtree(place / name, ignore_errors=True)


# Steps of a cluster run as Arrow files, one per partition, in a directory on a shared file system that is not published.


PACKING = pa.ipc.IpcWriteOptions(compression="lz4")
DONE = "_SUCCESS"  # is written next to the parts when they are complete, as Spark does


def write_stored(table: pa.Table, directory: Path, part: int) -> tuple[str, int]:
    """Write a partition, and return the name and size of its file. The name is random, so that attempts do not interfere."""
    place = directory / f"part-{part:05}-{secrets.token_hex(8)}.arrow"
    with disk_errors(directory.name):
        with pa.OSFile(str(place), "wb") as file, pa.ipc.new_file(file, table.schema, options=PACKING) as out:
            out.write_table(table)
        return place.name, place.stat().st_size


def read_stored(place: Path) -> pa.Table:
    """Read the rows of a partition."""
    with pa.OSFile(str(place), "rb") as file:
        return pa.ipc.open_file(file).read_all()


def begin_stored(directory: Path) -> None:
    """Create the directory of a step."""
    with disk_errors(directory.name):
        directory.mkdir(mode=0o700)


def end_stored(directory: Path) -> None:
    """Complete a step."""
    with disk_errors(directory.name):
        (directory / DONE).touch()


def published_in(path: Path) -> pl.Series:
    """Return the items of the records in a file of a release."""
    with translated(path):
        return pl.read_parquet(path, columns=["items"])["items"]


def published_table(path: Path) -> pl.DataFrame:
    """Return all columns of a file of a release."""
    with translated(path):
        return pl.read_parquet(path)
