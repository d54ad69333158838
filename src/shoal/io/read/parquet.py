"""Parquet files, and frames in memory, a slice at a time.

A damaged file can make Polars panic, or abort the process. So a user's file is first read by another process (`refuse_damaged`).
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import IO

import polars as pl

from shoal import kernels
from shoal.data.bags import Bags
from shoal.errors import InputError
from shoal.io.read.arrow_stream import ArrowStream
from shoal.io.read.source import Portion, Source

# -- trials in a process of their own
#
# Files that may be damaged are first read by another process (`parquet_sandbox_worker.py`), which stays for the next file, because
# starting it takes long. Only what a fresh process cannot read is called damaged: one that has read other files may have ended for
# another reason.


PROGRAM = Path(__file__).with_name("parquet_sandbox_worker.py")
LARGE = 64 << 20  # bytes of a file, after which the process has taken memory that it should not keep


class Trials:
    """A process that reads files on trial, one at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: IO[bytes] | None = None
        self._begun_by = 0
        self._one_at_a_time = Lock()

    def can_read(self, path: Path, rows_at_once: int, *, most_rows: int | None, names: list[str] | None) -> bool:
        """Whether these columns, or the schema if there are none, can be read: all rows, or the first ones."""
        line = json.dumps([str(path), rows_at_once, most_rows, names]).encode() + b"\n"
        with self._one_at_a_time:
            readable = self._is_there() and self._reads(line)
            if not readable:
                self._begin()
                readable = self._reads(line)
            if not readable or path.stat().st_size > LARGE:
                self.end()
        return readable

    def _is_there(self) -> bool:
        """Whether our process is waiting for a file; one started by the parent of a forked process is not ours."""
        return self._process is not None and self._begun_by == os.getpid() and self._process.poll() is None

    def _begin(self) -> None:
        self.end()
        here, there = os.pipe()  # for answers alone: whatever is loaded there may print something
        try:
            self._begun_by = os.getpid()
            self._answers = os.fdopen(here, "rb", buffering=0)
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(PROGRAM), str(there)],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
                pass_fds=[there],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        finally:
            os.close(there)

    def _reads(self, line: bytes) -> bool:
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._answers is not None
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
            return len(self._answers.read(1)) == 1
        except BrokenPipeError:
            return False
        except BaseException:  # an interrupt: its answer must not be taken for that of another file
            self.end()
            raise

    def end(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        answers, self._answers = self._answers, None
        if answers is not None:
            answers.close()
        if process is None or self._begun_by != os.getpid():
            return
        process.kill()
        with suppress(BrokenPipeError), process:
            pass

    def after_fork(self) -> None:
        """Release the lock in a forked process, in which another thread of the parent held it."""
        self._one_at_a_time = Lock()


TRIALS = Trials()
atexit.register(TRIALS.end)
os.register_at_fork(after_in_child=TRIALS.after_fork)


# -- tables


ROWS_AT_ONCE = 500_000
SLICE_BYTES = 32 << 20  # assumed size of a slice, if only the first bytes of a file are needed
TYPICAL_ROWS = 1_000  # that show how large a row is
LISTS_AT_ONCE = 100_000


def _most_rows(source: Source, names: Sequence[str] | None) -> int | None:
    """Return how many rows of these columns are wanted; None: all of them."""
    most = source.extent.most
    if most is None:
        return None
    if most.rows is None:
        return ROWS_AT_ONCE * max(1, most.size // SLICE_BYTES)
    return max(1, min(most.rows, most.size // _bytes_per_row(source, names)))


def _bytes_per_row(source: Source, names: Sequence[str] | None) -> int:
    """Return the mean size of the first rows in memory, at least 1."""
    if source.table is None:
        refuse_damaged(source, names, TYPICAL_ROWS)
    with _translated(source):
        first = _scanned(source, names).head(TYPICAL_ROWS).collect()
    return max(1, int(first.estimated_size()) // max(1, len(first)))


def _scanned(source: Source, names: Sequence[str] | None) -> pl.LazyFrame:
    return pl.scan_parquet(source.path).select(pl.all() if names is None else names)


def refuse_damaged(source: Source, names: Sequence[str] | None = None, most_rows: int | None = None) -> None:
    """Raise unless another process can read the first rows (None: all of them) of these columns (None: all; empty: only the schema)."""
    with _translated(source):
        columns = None if names is None else list(names)
        at_once = ROWS_AT_ONCE if most_rows is None else min(ROWS_AT_ONCE, most_rows)
        readable = TRIALS.can_read(source.path.absolute(), at_once, most_rows=most_rows, names=columns)
    if not readable:
        raise _damaged(source)


def schema_of(source: Source) -> pl.Schema:
    """Return the columns and their types."""
    if source.rows is not None:
        return source.rows.schema
    if source.table is not None:
        return _schema_in_memory(source.table)
    refuse_damaged(source, [])
    with _translated(source):
        return pl.Schema(pl.read_parquet_schema(source.path))


def slices(source: Source, names: list[str] | None) -> Iterator[tuple[int, pl.DataFrame]]:
    """Yield these columns, or all, as far as they are wanted, slice by slice, each with the number of its first row (from 0)."""
    if source.rows is not None:
        yield from _streamed(source, source.rows, list(schema_of(source)) if names is None else names)
        return
    most = None
    if source.table is None:
        most = _most_rows(source, names)
        refuse_damaged(source, names, most)
    with _translated(source):
        # A lazy frame is collected once: another run of its query might return other rows.
        table = _scanned(source, names) if source.table is None else _in_memory(source.table, names).lazy()
        source.extent.total = table.select(pl.len()).collect().item()
        start, at_once = 0, ROWS_AT_ONCE if most is None else min(ROWS_AT_ONCE, most)
        while len(part := table.slice(start, at_once).collect()):
            source.extent.advance(start + len(part))
            yield start, part
            start += len(part)
            if most is not None and most <= start < source.extent.total:
                source.extent.cut = True
                return


def _streamed(source: Source, rows: ArrowStream, names: list[str]) -> Iterator[tuple[int, pl.DataFrame]]:
    """Yield the rows of a stream as they arrive. For a partially read query, all rows are counted first."""
    start, size, extent = 0, 0, source.extent
    for part in rows.parts(names):
        if _is_enough(extent.most, size, start) and rows.count is not None:
            extent.cut, extent.total = True, rows.count()
            return
        extent.done = start + len(part)
        kernels.report("reading", extent.done, 0)
        yield start, part
        start, size = start + len(part), size + int(part.estimated_size())
    if not start:
        raise InputError(f"{source.path} has no rows", code="empty-input", hint="a reader can be read only once" if rows.once else "")
    extent.total = start


def _is_enough(most: Portion | None, size: int, rows: int) -> bool:
    """Whether a stream has sent as much as is wanted; without a number of rows, slices are assumed to have the same size."""
    if most is None:
        return False
    return rows >= ROWS_AT_ONCE * max(1, most.size // SLICE_BYTES) if most.rows is None else most.is_reached(size, rows)


def wanted(source: Source, names: list[str] | None = None) -> pl.DataFrame:
    """Read these columns, or all: the first rows if a number of rows is wanted."""
    if source.extent.most is None or source.extent.most.rows is None:
        return whole(source, names)
    parts = [part for _, part in slices(source, names)]
    return pl.concat(parts) if parts else whole(source, names)


def whole(source: Source, names: list[str] | None = None, *, own: bool = False) -> pl.DataFrame:
    """Read these columns, or all, of the whole file. A file written by this process (`own`) is not tried first."""
    if source.rows is not None:
        return pl.concat([part for _, part in slices(source, list(schema_of(source)) if names is None else names)])
    if source.table is not None:
        return _in_memory(source.table, names)
    if not own:
        refuse_damaged(source, names)
    with _translated(source):
        return pl.read_parquet(source.path, columns=names)


def own_lists(source: Source) -> Iterator[pl.Series]:
    """Yield the only list column of a file written by this process, a part at a time. Raise if there is none, or several."""
    with _translated(source):
        lists = [name for name, kind in pl.read_parquet_schema(source.path).items() if isinstance(kind, pl.List)]
        if len(lists) != 1:
            raise InputError(
                f"{source.path} has {len(lists)} columns of lists",
                code="ambiguous-column",
                hint="a release is verified as a whole or not at all",
            )
        table, start = pl.scan_parquet(source.path).select(lists[0]), 0
        while len(part := table.slice(start, LISTS_AT_ONCE).collect()):
            yield part.to_series()
            start += len(part)


def bags_of_lists(lists: pl.Series) -> tuple[Bags, tuple[str, ...]]:
    """Convert a list column to records; nulls in the lists, NaN and infinite numbers are ignored, which is noted."""
    inner = lists.dtype.inner if isinstance(lists.dtype, pl.List) else None
    if isinstance(inner, pl.DataType) and (inner.is_nested() or isinstance(inner, pl.Duration | pl.BaseExtension)):
        held = "lists" if isinstance(inner, pl.List | pl.Array) else "structures" if inner.is_nested() else "values"
        raise InputError(f"the lists of the column {lists.name!r} contain {held} that are not names of items", code="nested-values")
    of_floats = inner is not None and inner.is_float()
    finite = pl.when(pl.element().is_finite()).then(pl.element())
    named = (lists.list.eval(finite) if of_floats else lists).cast(pl.List(pl.String))
    nulls = int(named.list.eval(pl.element().is_null()).list.sum().sum())
    return Bags.from_polars(named), (f"{nulls:,} nulls in the lists are ignored",) if nulls else ()


def _in_memory(table: pl.DataFrame | pl.LazyFrame, names: list[str] | None) -> pl.DataFrame:
    with _named_failure():
        return table.lazy().select(pl.all() if names is None else names).collect()


def _schema_in_memory(table: pl.DataFrame | pl.LazyFrame) -> pl.Schema:
    with _named_failure():
        return table.lazy().collect_schema()


@contextmanager
def _named_failure() -> Iterator[None]:
    """Context in which the query of a lazy frame runs. It may read other files and call any function, whose messages may quote data."""
    try:
        yield
    except (Exception, pl.exceptions.PanicException) as error:
        raise InputError(f"the query of the lazy frame fails with {type(error).__name__}", code="lazy-query-failed") from None


@contextmanager
def _translated(source: Source) -> Iterator[None]:
    try:
        str(source.path).encode()  # Polars takes no other names
        yield
    except UnicodeEncodeError:
        raise InputError(f"the name of {source.path} is not UTF-8", code="not-utf8", hint="rename it, or its directory") from None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        raise _damaged(source) from None


def _damaged(source: Source) -> InputError:
    return InputError(f"{source.path} is damaged, or not the Parquet it seems to be", code="damaged-file", hint="write or copy it again")
