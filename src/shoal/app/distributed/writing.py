"""Published records are written as several Parquet files, in an order that is drawn from the operating system's entropy.

Each record gets a random number, which is stored; the numbers say in which file a record stands, and where. So a task that is repeated
writes the same file. Files are written by the workers, as they are on one machine, and hold nothing beside the records.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from shoal.data.release import RECORDS as TABLE
from shoal.data.tables.bags import BagTable
from shoal.engines.spark import Cluster
from shoal.io.write.files import LISTS, FileFact
from shoal.io.write.parts import write_part

ROWS_IN_A_FILE = 1_000_000
PLACES = 1 << 62  # random numbers
SHUFFLED = pa.schema([("place", pa.int64()), ("file", pa.int64()), ("items", pa.list_(pa.string()))])
WRITTEN = pa.schema([("file", pa.int64()), ("rows", pa.int64()), ("sha256", pa.string())])


@dataclass(frozen=True)
class Parts:
    """Where files are published and where they are written before, and the number of the last record before each."""

    directory: Path
    work: Path
    before: dict[int, int]


def shuffled(files: int, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """The published records, each with a random number, and the file it belongs in."""
    places = np.frombuffer(os.urandom(8 * len(table)), np.uint64) >> np.uint64(2)
    file = (places // np.uint64(-(-PLACES // files))).astype(np.int64)
    yield pa.table({"place": places.astype(np.int64), "file": file, "items": table.column("items")}, SHUFFLED)


def written(parts: Parts, table: pa.Table) -> pa.Table:
    """Write the records of one file, sorted by their random numbers. A task that is tried again puts the same file in its place."""
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    number = int(frame["file"][0])
    first = parts.before[number] + 1
    ordered = frame.sort("place").select(record=pl.int_range(first, first + len(frame), dtype=pl.Int64), items=pl.col("items"))
    digest = write_part(ordered, parts.directory / file_name(number), parts.work)
    return pa.table({"file": [number], "rows": [len(frame)], "sha256": [digest]}, WRITTEN)


def file_name(number: int) -> str:
    """Files are numbered from 1."""
    return f"{TABLE}_{number + 1:05}.parquet"


def write_parts(cluster: Cluster, joined: Any, directory: Path) -> tuple[list[FileFact], Any]:
    """Write the records that are shown, in a fresh order, numbered from 1; what is said of the files, and their rows read again."""
    shown = joined.where("items is not null").select("items")
    rows = int(cluster.collect(shown.selectExpr("count(1)"))[0][0])
    files = max(1, -(-rows // ROWS_IN_A_FILE))
    placed = cluster.store(cluster.map(shown, shuffled, files, SHUFFLED), "shuffled")
    held = sorted((row[0], row[1]) for row in cluster.collect(placed.groupBy("file").count()))
    before = dict(zip((file for file, _ in held), np.cumsum([0, *(n for _, n in held)]).tolist(), strict=False))
    spread = placed.repartition(max(cluster.partitions, files), "file")
    done = cluster.collect(cluster.grouped(spread, "file", written, Parts(directory, cluster.place, before), WRITTEN))
    facts = [_fact(*row) for row in sorted(map(tuple, done))]
    return facts, cluster.parquet([str(directory / fact.name) for fact in facts])


def _fact(file: int, rows: int, digest: str) -> FileFact:
    return FileFact(file_name(file), rows, digest, "parquet", table=TABLE, kind=BagTable.kind, part=f"{file + 1:05}", layout=LISTS)
