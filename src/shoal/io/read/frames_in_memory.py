"""Data in memory as a source that is read by the same rules as a file.

Polars frames (also lazy ones), pandas and Arrow, any other object that sends Arrow batches (`__arrow_c_stream__`), columns by name, rows as
dictionaries, a column of lists, and lists of lists.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.errors import InputError
from shoal.io.read.arrow_stream import stream_of
from shoal.io.read.source import Source

LISTS = "items"  # what the column of a plain list of records is called
LARGEST_EXACT = 2**53  # whole numbers up to here survive in a float

READABLE = "give a Polars, pandas or Arrow frame, an object with __arrow_c_stream__, lists of items, or the path of a file"


def in_memory(data: Any) -> Source:
    """Return a source of these rows. Raise if the object has no rows."""
    rows = stream_of(data) if _is_stream(data) else None
    if rows is not None:
        return Source(Path("the stream"), "", b"", True, is_parquet=True, rows=rows)
    table = _table(data)
    if isinstance(table, pl.DataFrame) and not len(table):
        raise InputError(f"the {_called(data)} is empty", code="empty-input")
    plain = isinstance(data, list | tuple) and table.collect_schema().names() == [LISTS]
    return Source(Path(f"the {_called(data)}"), "", b"", True, is_parquet=True, table=table, plain_lists=plain)


def table_of(data: Any) -> pl.DataFrame:
    """Return the rows of anything that is read as a frame."""
    return _table(data).lazy().collect()


def _is_stream(data: Any) -> bool:
    """Whether this may send rows that are not in memory yet: an Arrow reader, a DuckDB relation, and objects of other tools."""
    in_memory = isinstance(data, pl.DataFrame | pl.LazyFrame) or type(data).__module__.partition(".")[0] == "pandas" or _is_column(data)
    return hasattr(data, "__arrow_c_stream__") and not in_memory and type(data).__name__ not in ("Table", "RecordBatch")


def _called(data: Any) -> str:
    return "list" if isinstance(data, list | tuple) else "column" if _is_column(data) else "frame"


def _table(data: Any) -> pl.DataFrame | pl.LazyFrame:
    if isinstance(data, pl.DataFrame | pl.LazyFrame):
        return data
    if isinstance(data, list | tuple):
        return _of_list(data)
    library = type(data).__module__.partition(".")[0]
    if library == "pandas":
        return _of_pandas(data)
    if _is_column(data):
        return pl.DataFrame({LISTS: _understood(data, pl.Series, data)})
    if isinstance(data, Mapping):
        return _frame(data, {name: _column_without_nan(str(name), values) for name, values in data.items()})
    if library == "pyarrow" or hasattr(data, "__arrow_c_stream__"):
        return _frame(data, data)
    raise _unreadable(data)


def _is_column(data: Any) -> bool:
    """Whether this is a single column of Polars, pandas or Arrow."""
    return isinstance(data, pl.Series) or type(data).__name__ in {"Series", "ChunkedArray", "ListArray", "LargeListArray"}


def _of_pandas(data: Any) -> pl.DataFrame:
    """Convert a pandas frame or column. A named index becomes a column. Numbers become integers again if only missing values made them
    floats.
    """
    named = any(name is not None for name in data.index.names)
    frame = data.to_frame(LISTS) if _is_column(data) else data
    _refuse_odd_columns(frame)
    table: pl.DataFrame = _understood(data, pl.from_pandas, frame.reset_index() if named else frame)
    return table.with_columns(_whole_again(column) for column in table.iter_columns() if column.dtype.is_float() and column.null_count())


def _refuse_odd_columns(frame: Any) -> None:
    """Raise if column names are not unique, or if a column has unsupported content."""
    names = [str(name) for name in frame.columns]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"two columns of the frame are called {twice!r}", code="duplicate-column", hint="rename one of them", value=twice)
    for name in frame.columns:
        try:
            _understood(frame, pl.from_pandas, frame[[name]])
        except InputError as error:
            if "pyarrow" in error.message:
                raise
            raise InputError(
                f"the column {str(name)!r} of the frame has values of several types", code="mixed-values", hint="make them text"
            ) from None


def _whole_again(column: pl.Series) -> pl.Series:
    held = column.drop_nulls()
    whole = len(held) > 0 and bool((held.is_finite() & (held == held.floor()) & (held.abs() <= LARGEST_EXACT)).all())
    return column.cast(pl.Int64) if whole else column


def _of_list(rows: Collection[Any]) -> pl.DataFrame:
    """Dictionaries are rows of a frame; everything else must be records of items."""
    if rows and all(isinstance(row, Mapping) for row in rows):
        found = [{name: _unless_nan(value) for name, value in row.items()} for row in rows]
        for name in dict.fromkeys(name for row in found for name in row):
            _refuse_mixed_truth(str(name), (row.get(name) for row in found))
        return _frame(rows, found)
    records = [_record(number, row) for number, row in enumerate(rows, 1)]
    lists: pl.Series = _understood(rows, lambda values: pl.Series(values, dtype=pl.List(pl.String)), records)
    return pl.DataFrame({LISTS: lists})


def _unless_nan(value: Any) -> Any:
    """Return None for NaN, which stands for a missing value: between texts, Polars would make it a text, and so a person or an item."""
    return None if isinstance(value, float | np.floating | Decimal) and value != value else value  # noqa: PLR0124 - true of NaN alone


def _column_without_nan(name: str, values: Any) -> Any:
    if not isinstance(values, list | tuple):
        return values
    found = list(map(_unless_nan, values))
    _refuse_mixed_truth(name, found)
    return found


def _refuse_mixed_truth(name: str, values: Iterable[Any]) -> None:
    """Raise for truth values among numbers or texts, which Polars would make 1 or 0: a person or an item that is there already."""
    if {isinstance(value, bool) for value in values if value is not None} == {True, False}:
        raise InputError(f"the column {name!r} of the frame has values of several types", code="mixed-values", hint="make them text")


def _record(number: int, row: Any) -> list[str]:
    if isinstance(row, str | bytes | Mapping) or not isinstance(row, Iterable):
        raise InputError(
            f"record {number:,} of the list is of type {type(row).__name__}, not a list of items", code="unsupported-data", hint=READABLE
        )
    items = list(row)
    odd = next((item for item in items if isinstance(item, bool) or not isinstance(item, str | int)), None)
    if odd is not None or None in items:
        raise InputError(
            f"record {number:,} of the list contains a value of type {type(odd).__name__}, not names of items", code="unsupported-data"
        )
    return [str(item) for item in items]


def _frame(data: Any, value: Any) -> pl.DataFrame:
    """Return a frame whose types are found from all rows: the type of a late value differs from that of the first."""
    table: pl.DataFrame = _understood(data, partial(pl.DataFrame, infer_schema_length=None), value)
    return table


def _understood(data: Any, convert: Callable[..., Any], value: Any) -> Any:
    """Convert the data with Polars. Raise a one-line error if that fails."""
    try:
        return convert(value)
    except ImportError:
        hint = "pip install 'shoal-privacy[arrow]', or give a Polars frame"
        raise InputError(
            f"data of type {type(data).__name__} needs pyarrow, which is not installed",
            code="missing-package",
            hint=hint,
        ) from None
    except (TypeError, ValueError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        raise _unreadable(data) from None
    except Exception as error:
        if type(error).__module__.partition(".")[0] == "pyarrow":  # a column of several types
            raise _unreadable(data) from None
        # Messages of another library may quote data, so only the type of error is shown.
        raise InputError(
            f"reading data of type {type(data).__name__} fails with {type(error).__name__}", code="lazy-query-failed"
        ) from None


def _unreadable(data: Any) -> InputError:
    return InputError(f"data of type {type(data).__name__} is not a table that shoal can read", code="unsupported-data", hint=READABLE)
