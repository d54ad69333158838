"""Rows packed by the places they go to: all of them arrive, each at its place, in the order in which they were."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from shoal.engines.packed import PACKED, PLACE, numbers_of_places, packed, spark_hash, unpacked


@given(st.lists(st.tuples(st.integers(0, 4), st.text(max_size=5), st.lists(st.integers(0, 9), max_size=3)), min_size=1, max_size=30))
def test_rows_arrive_at_their_places_in_their_order(rows: list[tuple[int, str, list[int]]]) -> None:
    table = pa.table({"text": [text for _, text, _ in rows], "numbers": pa.array([held for *_, held in rows], pa.list_(pa.int32()))})
    made = packed(table, np.array([place for place, *_ in rows], np.int64))
    assert made.schema == PACKED
    for number, place in enumerate(made.column(PLACE).to_pylist()):
        expected = [{"text": text, "numbers": held} for at, text, held in rows if at == place]
        assert unpacked(made.slice(number, 1)).to_pylist() == expected
    assert len(unpacked(made)) == len(rows)


def test_columns_that_a_value_lacks_are_null() -> None:
    one, other = (packed(table, np.zeros(1, np.int64)) for table in (pa.table({"a": [1], "b": ["x"]}), pa.table({"a": [2]})))
    assert unpacked(pa.concat_tables([one, other])).to_pylist() == [{"a": 1, "b": "x"}, {"a": 2, "b": None}]


def test_every_place_has_a_number_of_its_own_that_spark_puts_there() -> None:
    """MurmurHash3 as Spark has it: `select hash(0L), hash(1L)` gives these two numbers."""
    assert spark_hash(np.array([0, 1])).tolist() == [-1670924195, -1712319331]
    for partitions in (1, 2, 7, 400):
        numbers = numbers_of_places(partitions)
        assert (spark_hash(numbers).astype(np.int64) % partitions).tolist() == list(range(partitions))
