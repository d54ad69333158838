"""Sets of integers as sorted arrays, against NumPy's own."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.util.numbers import FEW_ROWS, distinct, distinct_pairs, order_of, runs

ARRAYS = [[], [7], [3, 3, 3], [5, -2, 5, 0, 9, -2], [[4, 1], [1, 4]]]


@pytest.mark.parametrize("values", ARRAYS)
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_distinct_numbers_and_their_frequencies_are_those_of_numpy(values, dtype):
    numbers = np.array(values, dtype)
    expected, often = np.unique(numbers, return_counts=True)
    found = distinct(numbers)
    assert found.tolist() == expected.tolist()
    assert found.dtype == dtype
    assert [part.tolist() for part in runs(np.sort(numbers, axis=None))] == [expected.tolist(), often.tolist()]


@pytest.mark.parametrize("n", [0, 1, 2, 50])
def test_distinct_pairs_and_their_frequencies_are_those_of_numpy(n):
    first, second = np.random.default_rng(n).integers(-3, 4, (2, n))
    pairs, often = np.unique(np.stack([first, second]), axis=1, return_counts=True)
    assert [part.tolist() for part in distinct_pairs(first, second)] == [*pairs.tolist(), often.tolist()]


LEAST, MOST = np.iinfo(np.int64).min, np.iinfo(np.int64).max
RANGES = [
    [(0, 3), (-2, 2), (5, 6)],  # all fit into one number
    [(0, 2**40), (0, 2**30), (-9, 9)],  # the first column alone
    [(LEAST, MOST), (0, 3)],  # wider than any number
    [(0, 1), (LEAST, MOST), (-5, -1), (0, 2)],
    [(0, 2**31), (0, 2**32)],  # one number holds both exactly
]


@pytest.mark.parametrize("ranges", RANGES)
@pytest.mark.parametrize("n", [0, 1, 2, FEW_ROWS, 3 * FEW_ROWS])
def test_rows_are_ordered_as_by_sorting_tuples(ranges, n):
    random = np.random.default_rng(n)
    columns = [random.choice([least, most - 1, least + 1, *random.integers(least, most, 3)], n) for least, most in ranges]
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    before = [column.copy() for column in columns]
    order = order_of(*columns)
    assert sorted(order.tolist()) == list(range(n))
    assert [rows[i] for i in order] == sorted(rows)
    assert all((column == copy).all() for column, copy in zip(columns, before, strict=True))


def test_columns_of_smaller_numbers_do_not_overflow():
    numbers = np.arange(2 * FEW_ROWS, dtype=np.int32)[::-1] * 4_000_000
    order = order_of(numbers, numbers)
    assert (np.diff(numbers[order].astype(np.int64)) > 0).all()


def test_the_array_itself_stays_as_it_was():
    numbers = np.array([2, 1, 2])
    distinct(numbers)
    assert numbers.tolist() == [2, 1, 2]
