"""Writes published records or rows as several Parquet files, in random order.

Each record or row gets a random number from the operating system, which is stored. It determines the file and the position, so a repeated
task writes the same file. Workers write files as one machine does, and have only what is published.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from shoal.cluster.arrow_schemas import NUMBERED_NAMES, lists_of, with_names
from shoal.cluster.exchange import ByNumber, Step, collected_words, gathered, sent
from shoal.cluster.spark import Cluster
from shoal.data.bags import Ints
from shoal.data.fresh import random_keys
from shoal.data.release import RECORDS as TABLE
from shoal.data.tables.bags import BagTable
from shoal.io.write.frame_files import write_part
from shoal.io.write.output_format import LISTS, FileFact
from shoal.pipeline.events import READING_BACK, WRITING, stage

ROWS_IN_A_FILE = 250_000  # sorted by one task, in some 500 MB
PLACES = 1 << 62  # random numbers
WRITTEN = pa.schema([("file", pa.int64()), ("rows", pa.int64()), ("sha256", pa.string())])


@dataclass(frozen=True)
class Content:
    """The content of a table's files: these columns, optionally after the record number."""

    table: str
    kind: str
    schema: pa.Schema
    numbered: bool = False
    layout: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    source: str = ""  # how its column is called where it is stored, if otherwise

    @property
    def stored(self) -> list[str]:
        """Return the names of the columns where they are stored."""
        return [self.source] if self.source else self.schema.names

    @property
    def shuffled(self) -> pa.Schema:
        """Return the content with a random number and the number of its file."""
        return pa.schema([("place", pa.int64()), ("file", pa.int64()), *self.schema])

    def file_name(self, number: int) -> str:
        """Return the name of a file; files are numbered from 1."""
        return f"{self.table}_{number + 1:05}.parquet"


OF_RECORDS = Content(TABLE, BagTable.kind, pa.schema([("items", pa.list_(pa.string()))]), numbered=True, layout=LISTS)


@dataclass(frozen=True)
class FileParts:
    """What is to be written, and the number of files."""

    content: Content
    files: int


@dataclass(frozen=True)
class Parts:
    """What is written, the target and the temporary directory, and the number of the last record before each file."""

    content: Content
    directory: Path
    work: Path
    before: dict[int, int]


def shuffled(parts: FileParts, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return what is published, each record or row with a random number and its file."""
    places = random_places(len(table))
    columns = {name: table.column(name) for name in parts.content.schema.names}
    yield pa.table({"place": places, "file": files_of(places, parts.files), **columns}, parts.content.shuffled)


def random_places(n: int) -> Ints:
    """Return random numbers from the operating system's entropy, to be stored before use: a repeated task draws others."""
    return (random_keys(n) >> np.uint64(2)).astype(np.int64)


def files_of(places: Ints, files: int) -> Ints:
    """Return the file of each random number."""
    return np.asarray(places // -(-PLACES // files), np.int64)


def written(parts: Parts, table: pa.Table) -> pa.Table:
    """Write one file, sorted by the random numbers. A repeated task replaces it by the same file."""
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    number = int(frame["file"][0])
    digest = _write(parts, number, frame.sort("place"))
    return pa.table({"file": [number], "rows": [len(frame)], "sha256": [digest]}, WRITTEN)


def _write(parts: Parts, number: int, ordered: pl.DataFrame) -> str:
    first = parts.before[number] + 1
    numbers = {"record": pl.int_range(first, first + len(ordered), dtype=pl.Int64)} if parts.content.numbered else {}
    table = ordered.select(**numbers, **{name: pl.col(name) for name in parts.content.schema.names})
    return write_part(table, parts.directory / parts.content.file_name(number), parts.work)


def write_parts(cluster: Cluster, shown: Any, directory: Path, content: Content = OF_RECORDS) -> tuple[list[FileFact], Any]:
    """Write published rows in random order; return the file entries, and the rows read back. Without rows, one empty file is written."""
    stage(WRITING)
    rows = int(cluster.collect(shown.selectExpr("count(1)"))[0][0])
    files = max(1, -(-rows // ROWS_IN_A_FILE))
    placed = cluster.store(cluster.map(shown, shuffled, FileParts(content, files), content.shuffled), "shuffled")
    held = sorted((row[0], row[1]) for row in cluster.collect(placed.groupBy("file").count()))
    before = dict(zip((file for file, _ in held), np.cumsum([0, *(n for _, n in held)]).tolist(), strict=False))
    if not held:
        nothing = pl.from_arrow(content.schema.empty_table())
        assert isinstance(nothing, pl.DataFrame)
        digest = _write(Parts(content, directory, cluster.place, {0: 0}), 0, nothing)
        stage(READING_BACK)
        return [_fact(content, 0, 0, digest)], cluster.parquet([str(directory / content.file_name(0))])
    spread = placed.repartition(max(cluster.partitions, files), "file")
    done = cluster.collect(cluster.grouped(spread, "file", written, Parts(content, directory, cluster.place, before), WRITTEN))
    facts = [_fact(content, *row) for row in sorted(map(tuple, done))]
    stage(READING_BACK)
    return facts, cluster.parquet([str(directory / fact.name) for fact in facts])


# -- published records stored with their random numbers


def numbers_of_files(files: int, part: int, table: pa.Table) -> Iterator[str]:
    """Count the records or rows of a partition for each file."""
    places = table.column("place")
    numbers = lists_of(table, "place")[1] if pa.types.is_list(places.type) else places
    yield json.dumps(np.bincount(files_of(numbers.to_numpy(), files), minlength=files).tolist())


def on_the_way(parts: FileParts, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return published records or rows with their files; a stored row with a list of random numbers represents one for each of them."""
    places, columns = table.column("place"), [table.column(name) for name in parts.content.stored]
    if pa.types.is_list(places.type):
        starts, places = lists_of(table, "place")
        rows = np.repeat(np.arange(len(table)), np.diff(starts))
        columns = [column.take(pa.array(rows)) for column in columns]
    columns = [with_names(column) if column.type == NUMBERED_NAMES else column for column in columns]
    yield pa.table([places, files_of(places.to_numpy(), parts.files), *columns], schema=parts.content.shuffled)


def written_file(parts: Parts, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Write the file of this partition, if it has records."""
    if len(table):
        yield written(parts, table)


def write_stored(cluster: Cluster, shown: Step, rows: int, directory: Path, content: Content = OF_RECORDS) -> list[FileFact]:
    """Write this many published records or rows in the order of their random numbers; return the file entries."""
    stage(WRITING)
    files = max(1, -(-rows // ROWS_IN_A_FILE))
    held = np.sum([json.loads(word) for word in collected_words(cluster, shown, numbers_of_files, files)], axis=0)
    before = dict(enumerate(np.cumsum([0, *held.tolist()]).tolist()))
    spread = sent(cluster, "files", [(shown, on_the_way)], FileParts(content, files), ByNumber("file"), files)
    done = gathered(cluster, spread, written_file, Parts(content, directory, cluster.place, before))
    return [_fact(content, *row.values()) for row in done.sort_by("file").to_pylist()]


def _fact(content: Content, file: int, rows: int, digest: str) -> FileFact:
    facts = {"table": content.table, "kind": content.kind, "layout": content.layout}
    return FileFact(content.file_name(file), rows, digest, "parquet", **facts, part=f"{file + 1:05}", columns=content.columns)
