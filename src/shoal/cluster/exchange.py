"""Rounds of work on serialized rows. Spark only schedules the partitions; it neither moves nor reads the rows.

A source has a number of partitions. The output of a task has one of three destinations:

- the partition that needs the row in the next round,
- storage, for as many rounds as need it,
- the driver, as a short message.

Tasks write and read the files themselves, so the directory must be on a shared file system. Spark may run a task twice, and both attempts
may finish. Only the file of the attempt whose message reached the driver is used.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from shoal.cluster.spark import Cluster, log_step, spark_errors, working
from shoal.data.bags import Ints
from shoal.io.exchange_files import begin_exchange, end_exchange, packed, read_exchanged, unpacked, write_exchanged
from shoal.io.step_files import begin_stored, end_stored, read_stored, write_stored

Work = Callable[[Any, int, pa.Table], Iterator[pa.Table | str]]
"""Makes tables, and words for the driver, of what is shared, the number of a part and its rows."""
Places = Callable[[pa.Table], Ints]
SENDING = pa.schema([("file", pa.string()), ("size", pa.int64()), ("word", pa.string())])


@dataclass(frozen=True)
class NumberedPartitions:
    """The numbers below n in a column `id`, each a partition."""

    n: int

    def values(self, cluster: Cluster) -> Any:
        """Return the numbers of the partitions."""
        return cluster.parts(self.n)

    def table(self, values: Iterator[Any]) -> pa.Table:
        """Return the rows of a partition."""
        return pa.table({"id": pa.array(values, pa.int64())})


@dataclass(frozen=True)
class Step:
    """Stored rows, in a file for each partition."""

    directory: Path
    files: tuple[str, ...]

    def values(self, cluster: Cluster) -> Any:
        """Return the numbers of the partitions."""
        return cluster.parts(len(self.files))

    def table(self, values: Iterator[Any]) -> pa.Table:
        """Return the rows of a partition."""
        return pa.concat_tables(self.part(number) for number in values)

    def part(self, number: int) -> pa.Table:
        """Return the rows of this partition."""
        return read_stored(self.directory / self.files[number])


@dataclass(frozen=True)
class Sent:
    """Rows in the partitions to which they were sent, for one use; a partition without rows has no columns."""

    directory: Path
    files: tuple[str, ...]
    parts: int
    words: tuple[str, ...] = ()  # messages of the tasks that made them

    def values(self, cluster: Cluster) -> Any:
        """Return the numbers of the partitions."""
        return cluster.parts(self.parts)

    def table(self, values: Iterator[Any]) -> pa.Table:
        """Return the rows of a partition."""
        (part,) = values
        return read_exchanged([self.directory / file for file in self.files], part)

    def remove(self) -> None:
        """Remove the files after all partitions were processed."""
        end_exchange(self.directory)


Source = NumberedPartitions | Step | Sent


@dataclass(frozen=True)
class ByText:
    """Places rows by a column of texts or bytes: equal ones are in the same partition."""

    column: str
    parts: int

    def __call__(self, table: pa.Table) -> Ints:
        """Return the partition of each row."""
        texts = pl.from_arrow(table.column(self.column))
        assert isinstance(texts, pl.Series)
        return _by_hash(texts, self.parts)


@dataclass(frozen=True)
class ByContent:
    """Places rows by a column of lists of texts: equal lists are in the same partition."""

    column: str
    parts: int

    def __call__(self, table: pa.Table) -> Ints:
        """Return the partition of each row."""
        lists = pl.from_arrow(table.column(self.column))
        assert isinstance(lists, pl.Series)
        return _by_hash(lists.list.join("\n"), self.parts)


def _by_hash(values: pl.Series, parts: int) -> Ints:
    return np.asarray((values.hash(seed=0) % parts).to_numpy(), np.int64)


@dataclass(frozen=True)
class ByRemainder:
    """Places rows by a column of numbers that are not negative: equal numbers are in the same partition."""

    column: str
    parts: int

    def __call__(self, table: pa.Table) -> Ints:
        """Return the partition of each row."""
        return np.asarray(table.column(self.column).to_numpy() % self.parts, np.int64)


@dataclass(frozen=True)
class ByNumber:
    """Places rows by a column that has the number of their partition."""

    column: str

    def __call__(self, table: pa.Table) -> Ints:
        """Return the partition of each row."""
        return np.asarray(table.column(self.column).to_numpy(), np.int64)


@dataclass(frozen=True)
class Rows:
    """Rows of a Spark data frame."""

    frame: Any


def sent(cluster: Cluster, name: str, work: Sequence[tuple[Source | Rows, Work]], shared: Any, places: Places, parts: int) -> Sent:
    """Send the output for some sources, every row to the partition given by `places`; log the time and size."""
    started, directory = time.monotonic(), begin_exchange(cluster.place, name)
    answers: list[Any] = []
    for source, task in work:
        sending = _Sending(task, places, parts, directory)
        if isinstance(source, Rows):
            task_answers = cluster.collect(cluster.map(source.frame, _AsRows(sending), shared, SENDING))
            answers += ((file, size) if file else word for file, size, word in task_answers)
        else:
            answers += _answers(cluster, source, sending, shared)
    files, words = _apart(answers)
    log_step(name, started, [size for _, size in files])
    return Sent(directory, tuple(file for file, _ in files), parts, words)


def collected_words(cluster: Cluster, source: Source, work: Work, shared: Any) -> list[str]:
    """Return the messages about the partitions: sums, cuts; never records or groups."""
    return [word for word in _answers(cluster, source, work, shared) if isinstance(word, str)]


def gathered(cluster: Cluster, source: Source, work: Work, shared: Any) -> pa.Table:
    """Return the output rows on the driver: those of a sample, of drawn numbers; never of records or groups."""
    return unpacked(_answers(cluster, source, _Packing(work), shared))


def stored(cluster: Cluster, source: Source, work: Work, shared: Any, name: str) -> tuple[Step, tuple[str, ...]]:
    """Store the output for each partition in a file, and return the messages; log the time and size."""
    started, directory = time.monotonic(), cluster.place / name
    begin_stored(directory)
    files, words = _apart(_answers(cluster, source, _Storing(work, directory), shared))
    end_stored(directory)
    log_step(name, started, [size for _, size in files])
    return Step(directory, tuple(file for file, _ in files)), words


def _apart(answers: Sequence[Any]) -> tuple[list[tuple[str, int]], tuple[str, ...]]:
    """Return the files of the tasks with their sizes, and their messages."""
    return [answer for answer in answers if not isinstance(answer, str)], tuple(answer for answer in answers if isinstance(answer, str))


@contextmanager
def frame_of(cluster: Cluster, source: Sent, work: Work, shared: Any, schema: pa.Schema) -> Iterator[Any]:
    """Context with the output for each partition as a Spark data frame."""
    yield cluster.map(cluster.numbers(source.parts), _Arrived(source, work), shared, schema)
    source.remove()


def stored_rows(cluster: Cluster, source: Step, work: Work, shared: Any, schema: pa.Schema) -> Any:
    """Return the output for each partition of a stored step as a Spark data frame; its files are read whenever the frame is."""
    return cluster.map(cluster.numbers(len(source.files)), _Arrived(source, work), shared, schema)


def stored_frame(cluster: Cluster, source: Sent, work: Work, shared: Any, schema: pa.Schema, name: str) -> Any:
    """Store the output for each partition as a Spark data frame."""
    with frame_of(cluster, source, work, shared, schema) as frame:
        return cluster.store(frame, name)


def _answers(cluster: Cluster, source: Source, work: Any, shared: Any) -> list[Any]:
    """Return the messages of the tasks, in partition order. Sent rows are then no longer needed, and removed."""
    with spark_errors():
        answers: list[Any] = source.values(cluster).mapPartitionsWithIndex(_Task(source.table, work, cluster.share(shared))).collect()
    if isinstance(source, Sent):
        source.remove()
    return answers


# -- in the worker


@dataclass(frozen=True)
class _Task:
    """Processes the rows of one partition."""

    table: Callable[[Iterator[Any]], pa.Table]
    work: Any
    held: Any

    def __call__(self, part: int, values: Iterator[Any]) -> Iterator[Any]:
        with working():
            yield from self.work(self.held.value, part, self.table(values))


@dataclass(frozen=True)
class _Sending:
    """Writes the output to a file with the rows for each partition; its name, if any, and the message go to the driver."""

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
    """Returns file names and messages for the rows of a data frame as rows."""

    sending: _Sending

    def __call__(self, shared: Any, part: int, table: pa.Table) -> Iterator[pa.Table]:
        for answer in self.sending(shared, part, table):
            file, size, word = (None, None, answer) if isinstance(answer, str) else (*answer, None)
            yield pa.table({"file": [file], "size": [size], "word": [word]}, SENDING)


@dataclass(frozen=True)
class _Arrived:
    """Processes the rows that were sent to this partition, or are stored in it, if any."""

    source: Sent | Step
    work: Work

    def __call__(self, shared: Any, part: int, table: pa.Table) -> Iterator[pa.Table]:
        rows = self.source.table(iter(table.column("id").to_pylist()))
        if len(rows):
            yield from self.work(shared, part, rows)


@dataclass(frozen=True)
class _Packing:
    """Serializes each output table as one value."""

    work: Work

    def __call__(self, shared: Any, part: int, table: pa.Table) -> Iterator[bytes]:
        for made in self.work(shared, part, table):
            if isinstance(made, pa.Table):
                yield packed(made)


@dataclass(frozen=True)
class _Storing:
    """Writes the output to a file; its name, size and the message go to the driver."""

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
