"""Rows that travel together: those for one place are packed into one value, so that a cluster moves few large values and not many rows.

Spark keeps rows one by one, and turns every row from Arrow's columns into its own form and back. Packed rows stay as they are on the way.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from shoal.data.bags import Ints

PLACE, ROWS = "place", "rows"
PACKED = pa.schema([(PLACE, pa.int64()), (ROWS, pa.binary())])


def packed(table: pa.Table, places: Ints) -> pa.Table:
    """The rows of a table by the places they go to, one packed value each, in the order of the places."""
    order = np.argsort(places, kind="stable")
    found, starts = np.unique(places[order], return_index=True)
    ordered = table.combine_chunks().take(pa.array(order))
    ends = np.append(starts[1:], len(order))
    values = [_written(ordered.slice(start, end - start)) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    return pa.table({PLACE: pa.array(found, pa.int64()), ROWS: pa.array(values, pa.binary())}, PACKED)


def unpacked(table: pa.Table) -> pa.Table:
    """All rows of packed values, in the order of the values. Columns that a value lacks are null in its rows."""
    values = (pa.ipc.open_stream(value.as_buffer()).read_all() for value in table.column(ROWS))
    return pa.concat_tables(values, promote_options="default")


def _written(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as out:
        out.write_table(table)
    return bytes(sink.getvalue().to_pybytes())
