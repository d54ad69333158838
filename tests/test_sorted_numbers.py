"""Sets of integers as sorted arrays, against NumPy's own."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.util.numbers import distinct, distinct_pairs, runs

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


def test_the_array_itself_stays_as_it_was():
    numbers = np.array([2, 1, 2])
    distinct(numbers)
    assert numbers.tolist() == [2, 1, 2]
