"""Noisy counts on a cluster, on tables as a worker has them: what one person can add, and how noise is drawn."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.errors import refuses
from shoal.cluster.noisy_counts import NUMBER, Noising, Weighing, added, noised, numbered
from shoal.cluster.run import SparkBackend
from shoal.data.noise_record import COUNTS, EQUAL, GAUSSIAN, SELECTION, WHOLE, NoisyStep
from shoal.methods.dp_queries import DPQueries
from shoal.noise.mechanisms import LARGEST
from shoal.pipeline.job import Job
from shoal.pipeline.options import Preparation

KEYS = ("query",)
GRID = 10
CHOICE = NoisyStep(SELECTION, "counts", GAUSSIAN, EQUAL, 1.0, GRID, 3, 1.0, 2.0)
COUNTING = NoisyStep(COUNTS, "counts", GAUSSIAN, WHOLE, 1.0, GRID, 3, math.sqrt(3))
everybody = st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=9), min_size=1, max_size=8)


def sums(people: dict[int, list[str]], step: NoisyStep, workers: int) -> Counter[str]:
    """What all people add; each is on one of so many workers."""
    total: Counter[str] = Counter()
    for worker in range(workers):
        rows = [(owner, value) for owner, values in people.items() if owner % workers == worker for value in values]
        if rows:
            table = pa.table({"owner": [owner for owner, _ in rows], "query": [value for _, value in rows]})
            (made,) = added(Weighing(KEYS, step, step.cap), 0, table)
            total.update(dict(zip(made.column("query").to_pylist(), made.column(NUMBER).to_pylist(), strict=True)))
    return total


@settings(max_examples=40, deadline=None)
@given(lists=everybody, one=st.integers(0, 7), workers=st.integers(1, 3))
def test_one_person_moves_the_sums_by_no_more_than_the_recorded_sensitivity(lists: list[list[str]], one: int, workers: int) -> None:
    """Brute force: the sums with and without each person, and only that person's values move."""
    people = dict(enumerate(lists))
    gone = one % len(lists)
    for step in (CHOICE, COUNTING):
        whole, less = (sums(held, step, workers) for held in (people, {who: held for who, held in people.items() if who != gone}))
        moved = {value: whole[value] - less[value] for value in whole.keys() | less.keys()}
        assert step.sensitivity is not None
        assert math.sqrt(sum(n * n for n in moved.values())) <= step.sensitivity * 2**GRID
        touched = {value for value, n in moved.items() if n}
        assert touched <= set(people[gone])
        assert len(touched) <= 3


@settings(max_examples=30, deadline=None)
@given(lists=everybody, workers=st.integers(2, 4))
def test_sums_do_not_depend_on_where_people_are(lists: list[list[str]], workers: int) -> None:
    people = dict(enumerate(lists))
    renamed = {len(lists) - who: list(reversed(held)) for who, held in people.items()}
    for step in (CHOICE, COUNTING):
        assert sums(people, step, workers) == sums(renamed, step, 1)


def test_the_values_of_a_person_are_the_most_used_and_weigh_the_same() -> None:
    asked = {0: ["a", "a", "b", "b", "c", "c", "d"], 1: ["a"]}
    each = math.isqrt(4**GRID // 3)
    assert sums(asked, CHOICE, 2) == {"a": each + 2**GRID, "b": each, "c": each}
    assert sums(asked, COUNTING, 2) == {"a": 2 * 2**GRID, "b": 2**GRID, "c": 2**GRID}


def drawn(numbers: list[int], step: NoisyStep, above: float = -math.inf) -> pl.DataFrame:
    table = pa.table({"query": [f"q{i}" for i in range(len(numbers))], NUMBER: numbers}, numbered(KEYS))
    (made,) = noised(Noising(KEYS, step, above), 0, table)
    frame = pl.from_arrow(made)
    assert isinstance(frame, pl.DataFrame)
    return frame


def test_noise_is_fresh_and_as_wide_as_recorded() -> None:
    """2,000 draws of standard deviation 1: their own deviates from it by more than 0.1 with a chance below 1e-9."""
    fine = replace(CHOICE, grid=30)
    first, second = (drawn([5 << 30] * 2000, fine)[NUMBER].to_numpy() / 2.0**30 for _ in range(2))
    assert (first != second).all()
    assert abs(np.std(first) - 1) < 0.1
    assert abs(np.mean(first) - 5) < 0.15


def test_only_numbers_above_the_limit_are_kept() -> None:
    still = replace(CHOICE, scale=1e-6)  # far less than the distance of two points of the grid: no noise
    assert drawn([10, 11, 12], still, 11.0).to_dicts() == [{"query": "q2", NUMBER: 12}]


def test_a_sum_that_is_too_large_is_refused() -> None:
    with refuses("number-too-large"):
        drawn([LARGEST], CHOICE)


@pytest.mark.parametrize(
    "method",
    [DPQueries(), DPQueries(mechanism="korolova"), DPQueries(mechanism="weighted", clicks=0.2)],
    ids=["policy", "korolova", "clicks"],
)
def test_what_depends_on_an_order_is_refused(method: DPQueries) -> None:
    with refuses("not-on-a-cluster") as refused:
        SparkBackend().refuse(Job([], method, Preparation.default_for(method)))
    assert 'mechanism="weighted"' in refused.value.hint


def test_equal_weights_are_taken() -> None:
    method = DPQueries(mechanism="weighted")
    SparkBackend().refuse(Job([], method, Preparation.default_for(method)))
