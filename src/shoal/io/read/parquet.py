"""Parquet files, and frames in memory, a slice at a time.

A damaged file can make Polars panic, or abort the process. So a file that comes from a user is first read by another process
(`refuse_damaged`), which tells whether it can be.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import polars as pl

from shoal.data.bags import Bags
from shoal.errors import InputError
from shoal.io.read.parquet_sandbox import TRIALS
from shoal.io.read.source import Source

ROWS_AT_ONCE = 500_000
LISTS_AT_ONCE = 100_000


def refuse_damaged(source: Source, names: Sequence[str] | None = None) -> None:
    """Raise unless another process can read these columns, or all, as far as is wanted; none of them means the schema alone."""
    first_are_enough = source.extent.most is not None and names is not None
    with _translated(source):
        columns = None if names is None else list(names)
        readable = TRIALS.can_read(source.path.absolute(), ROWS_AT_ONCE, first_are_enough=first_are_enough, names=columns)
    if not readable:
        raise _damaged(source)


def schema_of(source: Source) -> pl.Schema:
    """The columns and their types."""
    if source.table is not None:
        return _schema_in_memory(source.table)
    refuse_damaged(source, [])
    with _translated(source):
        return pl.Schema(pl.read_parquet_schema(source.path))


def slices(source: Source, names: list[str]) -> Iterator[tuple[int, pl.DataFrame]]:
    """These columns, slice by slice, each with the number of its first row (from 0)."""
    if source.table is None:
        refuse_damaged(source, names)
    with _translated(source):
        # A lazy frame is collected once: another run of its query might give other rows.
        table = pl.scan_parquet(source.path) if source.table is None else _in_memory(source.table, names).lazy()
        source.extent.total = table.select(pl.len()).collect().item()
        start = 0
        while len(part := table.select(names).slice(start, ROWS_AT_ONCE).collect()):
            source.extent.advance(start + len(part))
            yield start, part
            start += len(part)
            if source.extent.most is not None and start < source.extent.total:
                source.extent.cut = True
                return


def whole(source: Source, names: list[str] | None = None, *, own: bool = False) -> pl.DataFrame:
    """These columns, or all, of the whole file. One that this process wrote itself (`own`) is not tried first."""
    if source.table is not None:
        return _in_memory(source.table, names)
    if not own:
        refuse_damaged(source, names)
    with _translated(source):
        return pl.read_parquet(source.path, columns=names)


def own_lists(source: Source) -> Iterator[pl.Series]:
    """The one column of lists of a file that this process wrote, a part at a time; an error where there is none, or several."""
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
    """A column of lists as records; nulls in the lists are ignored, and that is said."""
    named = lists.cast(pl.List(pl.String))
    nulls = int(named.list.eval(pl.element().is_null()).list.sum().sum())
    return Bags.from_polars(named), (f"{nulls:,} nulls in the lists are ignored",) if nulls else ()


def _in_memory(table: pl.DataFrame | pl.LazyFrame, names: list[str] | None) -> pl.DataFrame:
    return table.lazy().select(pl.all() if names is None else names).collect()


def _schema_in_memory(table: pl.DataFrame | pl.LazyFrame) -> pl.Schema:
    try:
        return table.lazy().collect_schema()
    except pl.exceptions.PolarsError as error:
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
    return InputError(f"{source.path} is damaged, or not the Parquet it seems to be", code="damaged-file")
