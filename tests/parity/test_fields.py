"""The kernel for units of several fields against its definition in plain Python."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import _kernels

FIELDS, VALUES = 2, 6
bags = st.lists(st.integers(0, VALUES - 1), max_size=5)
units = st.lists(st.tuples(bags, bags, st.floats(0, 3)), min_size=1, max_size=12)


def built(rows: list[tuple[list[int], list[int], float]], weights: list[float]) -> _kernels.FieldUnits:
    """Values of the second field are numbered behind those of the first."""
    starts, values, counts = [0], [], []
    for first, second, _ in rows:
        for field, held in enumerate((first, second)):
            for value, n in sorted(Counter(held).items()):
                values.append(value + field * VALUES)
                counts.append(n)
            starts.append(len(values))
    numbers = np.array([[number] for _, _, number in rows])
    arrays = np.array(starts, np.int64), np.array(values, np.int32), np.array(counts, np.int32)
    return _kernels.FieldUnits(*arrays, numbers, np.array(weights), FIELDS * VALUES)


def mean(bags_: list[list[int]]) -> dict[int, float]:
    every = Counter(value for held in bags_ for value in held)
    return {value: n / len(bags_) for value, n in every.items()}


def apart(point: dict[int, float], held: list[int]) -> float:
    own = Counter(held)
    total = sum(point.values()) + len(held)
    return 1 - 2 * sum(min(point.get(value, 0), n) for value, n in own.items()) / total if total else 0


@settings(deadline=None)
@given(units, st.lists(st.floats(0, 4), min_size=3, max_size=3), st.integers(1, 3))
def test_distances_from_a_mean(rows: list[tuple[list[int], list[int], float]], weights: list[float], threads: int) -> None:
    data, every = built(rows, weights), np.arange(len(rows))
    found = data.distances(data.mean(every), every, threads, _kernels.Task())
    centres = [mean([row[field] for row in rows]) for field in range(FIELDS)]
    middle = sum(row[2] for row in rows) / len(rows)
    expected = [
        sum(weights[field] * apart(centres[field], row[field]) for field in range(FIELDS)) + weights[2] * min(1, abs(row[2] - middle))
        for row in rows
    ]
    assert found.tolist() == pytest.approx(expected, abs=1e-9)


def test_wrong_arrays_are_refused() -> None:
    data = built([([1], [2], 0.5)], [1, 1, 1])
    with pytest.raises(ValueError, match="indices below"):
        data.mean(np.array([1]))
    with pytest.raises(ValueError, match="a point of these units"):
        data.distances(np.zeros(3), np.array([0]), 1, _kernels.Task())
    with pytest.raises(ValueError, match="values below"):
        _kernels.FieldUnits(np.array([0, 1]), np.array([9], np.int32), np.array([1], np.int32), np.zeros((1, 0)), np.ones(1), 3)
