"""Rounds of work on packed rows: Spark says who works on which part and moves packed values, and looks at no row.

A source is a number of parts. What a task makes of a part is sent on, each row to the part where it is needed next; or stored, in a file
that the task itself writes; or it is a few words for the driver. Tasks read stored parts themselves, so the directory must be one that all
machines see. A task may be tried twice, and both may end: the file that counts is the one of the attempt whose words came to the driver.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.data.bags import Ints
from shoal.engines.packed import PLACE, ROWS, packed, unpacked_values, written_value
from shoal.engines.spark import Cluster, spark_errors, working
from shoal.io.stored import begin_stored, end_stored, read_stored, write_stored

log = logging.getLogger("shoal.spark")

Work = Callable[[Any, int, pa.Table], Iterator[pa.Table | str]]
"""Makes tables, and words for the driver, of what is shared, the number of a part and its rows."""
Places = Callable[[pa.Table], Ints]


@dataclass(frozen=True)
class Numbers:
    """The numbers below n in a column `id`, each a part of its own."""

    n: int

    def values(self, cluster: Cluster) -> Any:
        """The numbers of the parts."""
        return cluster.parts(self.n)

    def table(self, values: Iterator[Any]) -> pa.Table:
        """The rows of a part."""
        return pa.table({"id": pa.array(values, pa.int64())})


@dataclass(frozen=True)
class Step:
    """Rows that were stored, in a file for each part."""

    directory: Path
    files: tuple[str, ...]

    def values(self, cluster: Cluster) -> Any:
        """The numbers of the parts."""
        return cluster.parts(len(self.files))

    def table(self, values: Iterator[Any]) -> pa.Table:
        """The rows of a part."""
        return pa.concat_tables(self.part(number) for number in values)

    def part(self, number: int) -> pa.Table:
        """The rows of this part."""
        return read_stored(self.directory / self.files[number])


@dataclass(frozen=True, eq=False)
class Sent:
    """Packed rows, in the parts to which they were sent; one to which none were sent has no columns."""

    sent: Any

    def values(self, cluster: Cluster) -> Any:
        """The packed values."""
        return self.sent

    @staticmethod
    def table(values: Iterator[Any]) -> pa.Table:
        """The rows of a part."""
        held = list(values)
        return unpacked_values(held) if held else pa.table({})


Source = Numbers | Step | Sent


@dataclass(frozen=True)
class Rows:
    """Rows of a frame of Spark."""

    frame: Any


def sent(cluster: Cluster, work: Sequence[tuple[Source | Rows, Work]], shared: Any, places: Places, parts: int) -> Sent:
    """What is made of the parts of some sources, every row in the part that `places` tells of it."""
    held = cluster.share(shared)
    made = [
        cluster.packed_rows(source.frame, task, shared, places).map(_pair)
        if isinstance(source, Rows)
        else _made(cluster, source, _Sending(task, places), held)
        for source, task in work
    ]
    together = made[0] if len(made) == 1 else cluster.session.sparkContext.union(made)
    return Sent(together.partitionBy(parts, int).values())


def told(cluster: Cluster, source: Source, work: Work, shared: Any) -> list[str]:
    """The words that are said of the parts: sums, cuts; never records or groups."""
    with spark_errors():
        return [word for word in _made(cluster, source, work, cluster.share(shared)).collect() if isinstance(word, str)]


def gathered(cluster: Cluster, source: Source, work: Work, shared: Any) -> pa.Table:
    """The rows that are made of the parts, here: those of a sample, of drawn numbers; never of records or groups."""
    with spark_errors():
        return unpacked_values(_made(cluster, source, _Packing(work), cluster.share(shared)).collect())


def stored(cluster: Cluster, source: Source, work: Work, shared: Any, name: str) -> tuple[Step, list[str]]:
    """What is made of each part, in a file of its own, and the words that are said of it; what it took goes to the log."""
    started, directory = time.monotonic(), cluster.place / name
    begin_stored(directory)
    with spark_errors():
        answers = _made(cluster, source, _Storing(work, directory), cluster.share(shared)).collect()
    end_stored(directory)
    files = [answer for answer in answers if not isinstance(answer, str)]
    sizes = [size for _, size in files]
    said = name, time.monotonic() - started, len(sizes), sum(sizes), max(sizes, default=0)
    log.info("%s: %.1f s, %d partitions, %d bytes, the largest partition %d bytes", *said)
    return Step(directory, tuple(file for file, _ in files)), [answer for answer in answers if isinstance(answer, str)]


def _made(cluster: Cluster, source: Source, work: Any, held: Any) -> Any:
    return source.values(cluster).mapPartitionsWithIndex(_Task(source.table, work, held))


def _pair(row: Any) -> tuple[int, bytes]:
    return row[PLACE], bytes(row[ROWS])


# -- in the worker


@dataclass(frozen=True)
class _Task:
    """Work on the rows of one part."""

    table: Callable[[Iterator[Any]], pa.Table]
    work: Any
    held: Any

    def __call__(self, part: int, values: Iterator[Any]) -> Iterator[Any]:
        with working():
            yield from self.work(self.held.value, part, self.table(values))


@dataclass(frozen=True)
class _Sending:
    """What is made, packed by the parts it is sent to."""

    work: Work
    places: Places

    def __call__(self, shared: Any, part: int, table: pa.Table) -> Iterator[tuple[int, bytes]]:
        for made in self.work(shared, part, table):
            if isinstance(made, pa.Table) and len(made):
                values = packed(made, self.places(made))
                yield from zip(values.column(PLACE).to_pylist(), values.column(ROWS).to_pylist(), strict=True)


@dataclass(frozen=True)
class _Packing:
    """What is made, each table one value."""

    work: Work

    def __call__(self, shared: Any, part: int, table: pa.Table) -> Iterator[bytes]:
        for made in self.work(shared, part, table):
            if isinstance(made, pa.Table):
                yield written_value(made)


@dataclass(frozen=True)
class _Storing:
    """What is made, in a file; its name and size and the words go to the driver."""

    work: Work
    directory: Path

    def __call__(self, shared: Any, part: int, table: pa.Table) -> Iterator[tuple[str, int] | str]:
        tables = []
        for made in self.work(shared, part, table):
            if isinstance(made, str):
                yield made
            else:
                tables.append(made)
        yield write_stored(pa.concat_tables(tables), self.directory, part)
