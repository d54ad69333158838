"""Sensitivity: what adding or removing one person changes, on random people, against what is stated."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.errors import refuses
from shoal.noise.per_person_bounds import PersonValues, distinct_of_people, first_of_people
from shoal.noise.weights import ROUNDING, equal_weights, most_people, policy_grid, policy_weights, whole_weights

VALUES = [f"v{i}" for i in range(12)]
People = list[list[str]]
people = st.lists(st.lists(st.sampled_from(VALUES), min_size=1, max_size=9), min_size=1, max_size=14)
caps = st.integers(1, 6)


def asked(everybody: People) -> pl.DataFrame:
    rows = [(owner, value) for owner, values in enumerate(everybody) for value in values]
    return pl.DataFrame(rows, schema={"owner": pl.Int64, "query": pl.String}, orient="row")


def by_name(held: PersonValues, numbers: np.ndarray) -> dict[str, float]:
    return dict(zip(held.table["query"].to_list(), numbers.tolist(), strict=True))


def moved(first: dict[str, float], second: dict[str, float]) -> np.ndarray:
    return np.array([first.get(name, 0) - second.get(name, 0) for name in first.keys() | second.keys()])


def without(everybody: People, one: int) -> pl.DataFrame:
    return asked(everybody).filter(pl.col("owner") != one)


@settings(max_examples=80, deadline=None)
@given(everybody=people, one=st.integers(0, 13), cap=caps, cutoff=st.floats(1.0, 6.0))
def test_one_person_moves_the_weights_of_a_policy_by_at_most_one(everybody: People, one: int, cap: int, cutoff: float) -> None:
    one %= len(everybody)
    grid = policy_grid(cutoff)
    found = []
    for frame in (asked(everybody), without(everybody, one)):
        held = distinct_of_people(frame, cap)
        numbers, used = policy_weights(held, cutoff, cap)
        assert used == grid
        assert (numbers >= 0).all()
        assert (numbers <= cutoff * 2.0**grid).all()
        found.append(by_name(held, numbers))
    assert np.linalg.norm(moved(*found)) <= (1 + ROUNDING) * 2.0**grid


@settings(max_examples=40, deadline=None)
@given(everybody=people, one=st.integers(0, 13), cap=caps)
def test_values_of_one_person_alone_have_the_weight_that_thresholds_rest_on(everybody: People, one: int, cap: int) -> None:
    """They are alike, together at most 1 in the l2 norm, and each at least 1 / sqrt(cap): n of them are at least n / cap of the square."""
    one %= len(everybody)
    frame, others = asked(everybody), without(everybody, one)
    held = distinct_of_people(frame, cap)
    known = set(distinct_of_people(others, cap).table["query"]) if len(others) else set()
    for numbers, unit in ((policy_weights(held, 3.0, cap)[0], 2.0 ** policy_grid(3.0)), (equal_weights(held, 40), 2.0**40)):
        alone = [number / unit for name, number in by_name(held, numbers).items() if name not in known]
        assert len(set(alone)) <= 1
        assert sum(weight**2 for weight in alone) <= 1
        assert all(weight >= 1 / math.sqrt(cap) - 1e-9 for weight in alone)


@settings(max_examples=40, deadline=None)
@given(everybody=people, one=st.integers(0, 13), cap=caps)
def test_one_person_moves_equal_weights_by_at_most_one_and_counts_by_the_cap(everybody: People, one: int, cap: int) -> None:
    one %= len(everybody)
    frame, others = asked(everybody), without(everybody, one)
    distinct = [distinct_of_people(some, cap) for some in (frame, others)]
    equal = moved(*(by_name(held, equal_weights(held, 30)) for held in distinct))
    assert sum(int(x) ** 2 for x in equal.tolist()) <= 4**30
    counts = moved(*(Counter(held.frame["query"].to_list()) for held in distinct))  # type: ignore[arg-type]
    assert np.linalg.norm(counts) <= math.sqrt(cap) + 1e-12
    first = [first_of_people(some, cap) for some in (frame, others)]
    assert np.abs(moved(*(by_name(held, whole_weights(held, 0)) for held in first))).sum() <= cap


def test_a_person_who_is_not_capped_moves_more() -> None:
    """So the tests above can fail: whole counts of a person with five values move by more than a cap of two allows."""
    cap = 2
    held = first_of_people(asked([["v0", "v1", "v2", "v3", "v4"]]), 5)
    assert whole_weights(held, 0).sum() > cap


@settings(max_examples=40, deadline=None)
@given(everybody=people, cap=caps, order=st.randoms(use_true_random=False))
def test_neither_names_nor_the_order_of_rows_matter(everybody: People, cap: int, order: object) -> None:
    shuffled = list(range(len(everybody)))
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    again = [everybody[i][::-1] for i in shuffled]
    found = []
    for some in (everybody, again):
        held = distinct_of_people(asked(some), cap)
        found.append(by_name(held, policy_weights(held, 2.5, cap)[0]))
    assert found[0] == found[1]


def test_one_step_of_the_policy_by_hand() -> None:
    """Two people, a cutoff of 2. The first moves two values from (0, 0) towards (2, 2) by 1, the second one of them from 0.7 to 1.7."""
    held = distinct_of_people(asked([["v0"], ["v0", "v1"]]), 5)  # who has fewer values comes first
    numbers = {name: number / 2.0**51 for name, number in by_name(held, policy_weights(held, 2.0, 5)[0]).items()}
    length = math.hypot(2 - 1, 2)
    assert numbers == pytest.approx({"v0": 1 + (2 - 1) / length, "v1": 2 / length})


def test_values_that_a_person_used_often_come_first() -> None:
    held = distinct_of_people(asked([["v0", "v1", "v1", "v2", "v2", "v2"]]), 2)
    assert set(held.table["query"]) == {"v1", "v2"}
    assert set(first_of_people(asked([["v0", "v1", "v1", "v2", "v2", "v2"]]), 2).table["query"]) == {"v0", "v1"}


def test_more_people_than_rounding_allows_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert most_people(64, policy_grid(30)) > 100_000_000
    monkeypatch.setattr("shoal.noise.weights.ROUNDING", 2.0**-48)
    held = distinct_of_people(asked([["v0"]] * 50), 3)
    with refuses("too-many-people"):
        policy_weights(held, 20.0, 3)
