"""Rows that travel together: those for one place are packed into one value, so that a cluster moves few large values and not many rows.

Spark keeps rows one by one, and turns every row from Arrow's columns into its own form and back. Packed rows stay as they are on the way.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from shoal.data.bags import Ints

PLACE, ROWS = "place", "rows"
PACKED = pa.schema([(PLACE, pa.int64()), (ROWS, pa.binary())])
NUMBERS_TRIED = 24  # for each partition: that none of them falls into one of 20,000 happens once in a million runs
SEED = 42  # of Spark's hash


def packed(table: pa.Table, places: Ints) -> pa.Table:
    """The rows of a table by the places they go to, one packed value each, in the order of the places."""
    order = np.argsort(places, kind="stable")
    found, starts = np.unique(places[order], return_index=True)
    ordered = table.combine_chunks().take(pa.array(order))
    ends = np.append(starts[1:], len(order))
    values = [written_value(ordered.slice(start, end - start)) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    return pa.table({PLACE: pa.array(found, pa.int64()), ROWS: pa.array(values, pa.binary())}, PACKED)


def unpacked(table: pa.Table) -> pa.Table:
    """All rows of packed values, in the order of the values. Columns that a value lacks are null in its rows."""
    return unpacked_values(value.as_buffer() for value in table.column(ROWS))


def unpacked_values(values: Iterable[Any]) -> pa.Table:
    """The same of values as they are."""
    return pa.concat_tables((pa.ipc.open_stream(value).read_all() for value in values), promote_options="default")


def numbers_of_places(partitions: int) -> Ints:
    """For each partition a number that Spark's hash puts there. Should one have none, its rows are in another, and all of them."""
    tried = np.arange(NUMBERS_TRIED * partitions)
    at, first = np.unique(spark_hash(tried).astype(np.int64) % partitions, return_index=True)
    numbers = np.arange(partitions, dtype=np.int64)
    numbers[at] = tried[first]
    return numbers


def spark_hash(values: Ints) -> npt.NDArray[np.int32]:
    """What Spark's function `hash` gives for whole numbers of 64 bits: MurmurHash3 of 32 bits, half by half."""
    halves = values.astype(np.int64).view(np.uint32).reshape(-1, 2)
    found = np.full(len(halves), SEED, np.uint32)
    for half in (halves[:, 0], halves[:, 1]):
        found = found ^ _turned(half * np.uint32(0xCC9E2D51), 15) * np.uint32(0x1B873593)
        found = _turned(found, 13) * np.uint32(5) + np.uint32(0xE6546B64)
    found = found ^ np.uint32(8)  # bytes
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        found = (found ^ (found >> np.uint32(shift))) * np.uint32(factor)
    return np.asarray(found ^ (found >> np.uint32(16)), np.uint32).view(np.int32)


def _turned(values: npt.NDArray[np.uint32], by: int) -> npt.NDArray[np.uint32]:
    return np.asarray((values << np.uint32(by)) | (values >> np.uint32(32 - by)), np.uint32)


def written_value(table: pa.Table) -> bytes:
    """All rows of a table as one value."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as out:
        out.write_table(table)
    return bytes(sink.getvalue().to_pybytes())
