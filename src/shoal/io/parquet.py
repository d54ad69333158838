"""Parquet files, a slice at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import polars as pl

from shoal.data.bags import Bags
from shoal.errors import InputError
from shoal.io.source import Source

ROWS_AT_ONCE = 500_000


def schema_of(source: Source) -> pl.Schema:
    """The columns and their types."""
    with _translated(source):
        return pl.Schema(pl.read_parquet_schema(source.path))


def slices(source: Source, names: list[str]) -> Iterator[tuple[int, pl.DataFrame]]:
    """These columns, slice by slice, each with the number of its first row (from 0)."""
    with _translated(source):
        table = pl.scan_parquet(source.path).select(names)
        start = 0
        while len(part := table.slice(start, ROWS_AT_ONCE).collect()):
            yield start, part
            start += len(part)


def whole(source: Source, names: list[str] | None = None) -> pl.DataFrame:
    """These columns, or all, of the whole file."""
    with _translated(source):
        return pl.read_parquet(source.path, columns=names)


def metadata_of(source: Source) -> dict[str, str]:
    """What the file says beside its columns, by name."""
    with _translated(source):
        return dict(pl.read_parquet_metadata(source.path))


def bags_of_lists(lists: pl.Series) -> tuple[Bags, tuple[str, ...]]:
    """A column of lists as records; nulls in the lists are no items, and that is said."""
    named = lists.cast(pl.List(pl.String))
    nulls = int(named.list.eval(pl.element().is_null()).list.sum().sum())
    return Bags.from_polars(named), (f"{nulls:,} nulls in the lists are no items",) if nulls else ()


@contextmanager
def _translated(source: Source) -> Iterator[None]:
    try:
        str(source.path).encode()  # Polars takes no other names
        yield
    except UnicodeEncodeError:
        raise InputError(f"the name of {source.path} is not UTF-8", hint="rename it, or its directory") from None
    except (pl.exceptions.PolarsError, OSError):
        raise InputError(f"{source.path} is damaged, or not the Parquet it seems to be") from None
