"""Steps that a cluster stored as Parquet, read on the driver, as counts too many to be collected as rows of Spark; and their removal."""

from __future__ import annotations

import secrets
import shutil
from pathlib import Path

import polars as pl
import pyarrow as pa

from shoal.io.read.source import translated
from shoal.io.release_directory import disk_errors


def stored_step(place: Path, name: str) -> pl.LazyFrame:
    """What was stored under this name in the directory of a run."""
    return pl.scan_parquet(str(place / name / "*.parquet"))


def forget_step(place: Path, name: str) -> None:
    """Remove what was stored under this name, if anything was, and nothing will read it again."""
    shutil.rmtree(place / name, ignore_errors=True)


# Steps of a run on a cluster as files in Arrow's format, one for each part, in a directory that all machines see and nobody publishes.


PACKING = pa.ipc.IpcWriteOptions(compression="lz4")
DONE = "_SUCCESS"  # is beside the parts when all of them are there, as in what Spark stores


def write_stored(table: pa.Table, directory: Path, part: int) -> tuple[str, int]:
    """Write a part, and give the name and the size of its file. The name is random: no attempt of a task touches the file of another."""
    place = directory / f"part-{part:05}-{secrets.token_hex(8)}.arrow"
    with disk_errors(directory.name):
        with pa.OSFile(str(place), "wb") as file, pa.ipc.new_file(file, table.schema, options=PACKING) as out:
            out.write_table(table)
        return place.name, place.stat().st_size


def read_stored(place: Path) -> pa.Table:
    """The rows of a part."""
    with pa.OSFile(str(place), "rb") as file:
        return pa.ipc.open_file(file).read_all()


def begin_stored(directory: Path) -> None:
    """The directory of a step that is to be stored."""
    with disk_errors(directory.name):
        directory.mkdir(mode=0o700)


def end_stored(directory: Path) -> None:
    """All parts are there."""
    with disk_errors(directory.name):
        (directory / DONE).touch()


def published_in(path: Path) -> pl.Series:
    """The items of the records in a file of a release."""
    with translated(path):
        return pl.read_parquet(path, columns=["items"])["items"]
