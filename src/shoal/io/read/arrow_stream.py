"""Rows that arrive once as Arrow batches: the result of a query, or any object with `__arrow_c_stream__`. Needs pyarrow.

Only the wanted columns of a batch are converted to Polars, so a column of an unsupported type does no harm unless it is wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from threading import Event, Thread
from typing import Any, TypeVar

import polars as pl

from shoal import _kernels, kernels
from shoal.errors import InputError

NAP_SECONDS = 0.05
UUID = "arrow.uuid"
_UUID_PARTS = ((0, 8), (8, 4), (12, 4), (16, 4), (20, 12))

T = TypeVar("T")


def _nothing() -> None:
    """Do nothing at the end."""


def _failed(error: Exception) -> InputError:
    """Return the error for a failed stream. Messages of the library may quote data, so only the type is shown."""
    return InputError(f"the Arrow stream fails with {type(error).__name__}", code="lazy-query-failed")


class ArrowStream:
    """Arrow batches as frames. `called` is their name in messages; `explained` translates errors of the library.

    `count` returns the number of all rows, for partial reading; without it everything is read. `once`: the object can be read only once.
    """

    def __init__(
        self,
        reader: Any,
        called: str = "an Arrow stream",
        *,
        explained: Callable[[Exception], InputError] = _failed,
        cancel: Callable[[], None] = _nothing,
        close: Callable[[], None] = _nothing,
        count: Callable[[], int] | None = None,
        once: bool = False,
    ) -> None:
        self.called = called
        self.count = count
        self.once = once
        self.close = close
        self._reader = reader
        self._explained = explained
        self._cancel = cancel

    @property
    def schema(self) -> pl.Schema:
        """The columns and their types; unsupported types become objects."""
        names = list(self._reader.schema.names)
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise InputError(f"two columns are called {twice!r}", code="duplicate-column", hint="rename one of them with AS", value=twice)
        return pl.Schema({field.name: _type_of(field.type) for field in self._reader.schema})

    def parts(self, names: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Yield these columns, a batch at a time."""
        while (batch := self._next()) is not None:
            if batch.num_rows:
                yield pl.DataFrame([_series(name, batch.column(name)) for name in names])

    def _next(self) -> Any:
        try:
            return waited(lambda: next(self._reader, None), self._cancel)
        except (InputError, _kernels.Cancelled):
            raise
        except Exception as error:
            raise self._explained(error) from None


def stream_of(data: Any) -> ArrowStream | None:
    """Return the rows of an object with `__arrow_c_stream__`; None if pyarrow is not installed, or if the object is not a stream of
    rows.
    """
    try:
        import pyarrow as pa
    except ImportError:
        return None
    try:
        return ArrowStream(pa.RecordBatchReader.from_stream(data), once=hasattr(data, "__next__"))
    except (TypeError, ValueError, pa.ArrowException):
        return None
    except Exception as error:
        raise _failed(error) from None


def waited(call: Callable[[], T], cancel: Callable[[], None]) -> T:
    """Return the result of a call that may take long. Ctrl-C, or cancelling the run, cancels it."""
    return kernels.run(_in_thread, call, cancel)  # type: ignore[no-any-return]


def _in_thread(call: Callable[[], T], cancel: Callable[[], None], task: _kernels.Task) -> T:
    """Run the call in a separate thread, while this one checks whether the task is cancelled."""
    ended, results, errors = Event(), [], []

    def work() -> None:
        try:
            results.append(call())
        except BaseException as error:  # handed to the calling thread, which raises it
            errors.append(error)
        finally:
            ended.set()

    Thread(target=work, name="shoal-database", daemon=True).start()
    while not ended.wait(NAP_SECONDS):
        if task.cancelled:
            cancel()
    if task.cancelled:
        raise _kernels.Cancelled
    if errors:
        raise errors.pop()
    return results.pop()


# -- columns


def _plain(kind: Any) -> Any:
    """Return the storage type: without extension names and dictionaries."""
    import pyarrow as pa

    if isinstance(kind, pa.BaseExtensionType):
        return _plain(kind.storage_type)
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _is_uuid(kind: Any) -> bool:
    return getattr(kind, "extension_name", "") == UUID


def _type_of(kind: Any) -> pl.DataType:
    import pyarrow as pa

    if _is_uuid(kind):
        return pl.String()
    try:
        found = pl.from_arrow(pa.array([], _plain(kind)))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, pa.ArrowException, TypeError, ValueError):
        return pl.Object()
    return found.dtype if isinstance(found, pl.Series) else pl.Object()


def _series(name: str, column: Any) -> pl.Series:
    import pyarrow as pa

    kind = column.type
    try:
        stored = column.storage if isinstance(kind, pa.BaseExtensionType) else column
        stored = stored.dictionary_decode() if pa.types.is_dictionary(stored.type) else stored
        found = pl.Series(name, pl.from_arrow(stored))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, pa.ArrowException, TypeError, ValueError):
        raise InputError(
            f"the column {name!r} has a type that cannot be read",
            code="unsupported-column-type",
            hint="CAST it AS text in the query",
        ) from None
    return _uuid_texts(found) if _is_uuid(kind) else found


def _uuid_texts(values: pl.Series) -> pl.Series:
    """Format UUIDs in their usual form."""
    digits = pl.col(values.name).bin.encode("hex")
    parts = [digits.str.slice(start, length) for start, length in _UUID_PARTS]
    return values.to_frame().select(pl.concat_str(parts, separator="-").alias(values.name)).to_series()
