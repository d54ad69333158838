"""Rounds of work on packed rows: Spark says who works on which part, and neither moves nor sees a row.

A source is a number of parts. What a task makes of a part is sent on, each row to the part where it is needed next; or stored, for as many
rounds as need it; or it is a few words for the driver. Tasks write and read the files themselves, so the directory must be one that all
machines see. A task may be tried twice, and both may end: the file that counts is the one of the attempt whose words came to the driver.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.cluster.spark import Cluster, spark_errors, tell_step, working
from shoal.data.bags import Ints
from shoal.io.exchange_files import begin_exchange, end_exchange, packed, read_exchanged, unpacked, write_exchanged
from shoal.io.step_files import begin_stored, end_stored, read_stored, write_stored

Work = Callable[[Any, int, pa.Table], Iterator[pa.Table | str]]
"""Makes tables, and words for the driver, of what is shared, the number of a part and its rows."""
Places = Callable[[pa.Table], Ints]
SENDING = pa.schema([("file", pa.string()), ("size", pa.int64()), ("word", pa.string())])


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


@dataclass(frozen=True)
class Sent:
    """Rows in the parts to which they were sent, to be worked on once; a part to which none were sent has no columns."""

    directory: Path
    files: tuple[str, ...]
    parts: int
    words: tuple[str, ...] = ()  # that were said of them when they were made

    def values(self, cluster: Cluster) -> Any:
        """The numbers of the parts."""
        return cluster.parts(self.parts)

    def table(self, values: Iterator[Any]) -> pa.Table:
        """The rows of a part."""
        (part,) = values
        return read_exchanged([self.directory / file for file in self.files], part)

    def remove(self) -> None:
        """All parts were worked on."""
        end_exchange(self.directory)


Source = Numbers | Step | Sent


@dataclass(frozen=True)
class Rows:
    """Rows of a frame of Spark."""

    frame: Any


def sent(cluster: Cluster, name: str, work: Sequence[tuple[Source | Rows, Work]], shared: Any, places: Places, parts: int) -> Sent:
    """What is made of the parts of some sources, every row in the part that `places` tells about it; what it took goes to the log."""
    started, directory = time.monotonic(), begin_exchange(cluster.place, name)
    answers: list[Any] = []
    for source, task in work:
        sending = _Sending(task, places, parts, directory)
        if isinstance(source, Rows):
            said = cluster.collect(cluster.map(source.frame, _AsRows(sending), shared, SENDING))
            answers += ((file, size) if file else word for file, size, word in said)
        else:
            answers += _answers(cluster, source, sending, shared)
    files, words = _apart(answers)
    tell_step(name, started, [size for _, size in files])
    return Sent(directory, tuple(file for file, _ in files), parts, words)


def told(cluster: Cluster, source: Source, work: Work, shared: Any) -> list[str]:
    """The words that are said about the parts: sums, cuts; never records or groups."""
    return [word for word in _answers(cluster, source, work, shared) if isinstance(word, str)]


def gathered(cluster: Cluster, source: Source, work: Work, shared: Any) -> pa.Table:
    """The rows that are made of the parts, here: those of a sample, of drawn numbers; never of records or groups."""
    return unpacked(_answers(cluster, source, _Packing(work), shared))


def stored(cluster: Cluster, source: Source, work: Work, shared: Any, name: str) -> tuple[Step, tuple[str, ...]]:
    """What is made of each part, in a file of its own, and the words that are said about it; what it took goes to the log."""
    started, directory = time.monotonic(), cluster.place / name
    begin_stored(directory)
    files, words = _apart(_answers(cluster, source, _Storing(work, directory), shared))
    end_stored(directory)
    tell_step(name, started, [size for _, size in files])
    return Step(directory, tuple(file for file, _ in files)), words


def _apart(answers: Sequence[Any]) -> tuple[list[tuple[str, int]], tuple[str, ...]]:
    """The files that tasks wrote, with their sizes, and the words that they said."""
    return [answer for answer in answers if not isinstance(answer, str)], tuple(answer for answer in answers if isinstance(answer, str))


@contextmanager
def frame_of(cluster: Cluster, source: Sent, work: Work, shared: Any, schema: pa.Schema) -> Iterator[Any]:
    """What is made of each part, as a frame of Spark, which can be worked on while this is open."""
    yield cluster.map(cluster.numbers(source.parts), _Arrived(source, work), shared, schema)
    source.remove()


def stored_frame(cluster: Cluster, source: Sent, work: Work, shared: Any, schema: pa.Schema, name: str) -> Any:
    """What is made of each part, as a frame of Spark that is stored."""
    with frame_of(cluster, source, work, shared, schema) as frame:
        return cluster.store(frame, name)


def _answers(cluster: Cluster, source: Source, work: Any, shared: Any) -> list[Any]:
    """What the tasks on all parts say, in the order of the parts. What was sent is of no use any more then, and is removed."""
    with spark_errors():
        said: list[Any] = source.values(cluster).mapPartitionsWithIndex(_Task(source.table, work, cluster.share(shared))).collect()
    if isinstance(source, Sent):
        source.remove()
    return said


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
    """What is made, in a file with the rows for each part; its name, if there is one, and the words go to the driver."""

    work: Work
    places: Places
    parts: int
    directory: Path

    def __call__(self, shared: Any, part: int, table: pa.Table) -> Iterator[tuple[str, int] | str]:
        tables = []
        for made in self.work(shared, part, table):
            if isinstance(made, str):
                yield made
            elif len(made):
                tables.append(made)
        if tables:
            rows = pa.concat_tables(tables, promote_options="default")
            yield write_exchanged(rows, self.places(rows), self.parts, self.directory, part)


@dataclass(frozen=True)
class _AsRows:
    """What is sent of the rows of a frame: the names of files and the words, as rows."""

    sending: _Sending

    def __call__(self, shared: Any, part: int, table: pa.Table) -> Iterator[pa.Table]:
        for said in self.sending(shared, part, table):
            file, size, word = (None, None, said) if isinstance(said, str) else (*said, None)
            yield pa.table({"file": [file], "size": [size], "word": [word]}, SENDING)


@dataclass(frozen=True)
class _Arrived:
    """Work on the rows that were sent to the part whose number is here, if there are any."""

    source: Sent
    work: Work

    def __call__(self, shared: Any, part: int, table: pa.Table) -> Iterator[pa.Table]:
        rows = self.source.table(iter(table.column("id").to_pylist()))
        if len(rows):
            yield from self.work(shared, part, rows)


@dataclass(frozen=True)
class _Packing:
    """What is made, each table one value."""

    work: Work

    def __call__(self, shared: Any, part: int, table: pa.Table) -> Iterator[bytes]:
        for made in self.work(shared, part, table):
            if isinstance(made, pa.Table):
                yield packed(made)


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
