"""MDAV over any distance and centroid, against its definition in plain Python: words, whose centroid is one of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.errors import refuses
from helpers.mdav import plain_generic_mdav
from shoal import kernels
from shoal.data.bags import Ints
from shoal.data.table import Floats
from shoal.microaggregation.mdav import HasKernel, mdav_groups
from shoal.microaggregation.spaces import NumberSpace

SOME = settings(deadline=None, max_examples=150)
words = st.lists(st.text("ab", min_size=3, max_size=3), min_size=4, max_size=30)


def different_letters(a: str, b: str) -> float:
    return sum(x != y for x, y in zip(a, b, strict=True))


def medoid(some: Sequence[str]) -> str:
    return min(sorted(some), key=lambda word: sum(different_letters(word, other) for other in some))


class Words:
    """The plainest space: three methods over a list."""

    def __init__(self, rows: Sequence[str]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def point(self, row: int) -> str:
        return self.rows[row]

    def centroid(self, rows: Ints) -> str:
        return medoid([self.rows[row] for row in rows])

    def distances(self, point: str, rows: Ints) -> Floats:
        return np.array([different_letters(point, self.rows[row]) for row in rows], float)


@SOME
@given(words, st.integers(1, 4))
def test_words_with_one_owner_each(rows, k):
    found = mdav_groups(Words(rows), np.arange(len(rows)), k).tolist()
    assert found == plain_generic_mdav(rows, range(len(rows)), k, different_letters, medoid)
    sizes = np.bincount(found)
    assert sizes.min() >= k
    assert sizes.max() <= max(k, 2 * k - 1)


@SOME
@given(words, st.integers(1, 4), st.data())
def test_words_whose_owners_repeat(rows, k, data):
    others = st.integers(0, data.draw(st.integers(0, len(rows) - 1)))
    owners = [*range(k), *(data.draw(others) for _ in rows[k:])]
    found = mdav_groups(Words(rows), np.array(owners) * 7 + 3, k).tolist()
    assert found == plain_generic_mdav(rows, owners, k, different_letters, medoid)
    assert min(len({o for o, g in zip(owners, found, strict=True) if g == group}) for group in set(found)) >= k


class WithoutKernel:
    """Numbers by the loop alone."""

    def __init__(self, values: Floats) -> None:
        numbers = NumberSpace(values)
        self.point, self.centroid, self.distances, self._n = numbers.point, numbers.centroid, numbers.distances, len(numbers)

    def __len__(self) -> int:
        return self._n


def test_numbers_without_ties_are_grouped_alike_by_kernel_and_loop():
    values = np.random.default_rng(8).normal(size=(200, 3))
    owners = np.random.default_rng(9).integers(0, 90, 200)
    assert isinstance(NumberSpace(values), HasKernel)
    assert not isinstance(WithoutKernel(values), HasKernel)
    for people in (np.arange(200), owners):
        assert np.array_equal(mdav_groups(NumberSpace(values), people, 4), mdav_groups(WithoutKernel(values), people, 4))


def test_too_few_owners_are_refused():
    with refuses("too-few-people", k=3, owners=2):
        mdav_groups(Words(["aaa", "aab", "abb"]), np.array([5, 5, 9]), 3)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -1.0])
def test_distances_that_are_none_are_an_error(wrong):
    class Wrong(Words):
        def distances(self, point: str, rows: Ints) -> Floats:
            return np.full(len(rows), wrong)

    with refuses("invalid-distances"):
        mdav_groups(Wrong(["aaa"] * 9), np.arange(9), 2)


def test_progress_is_told_and_settings_reach_the_space():
    told, threads = [], []

    class Slow(Words):
        def distances(self, point: str, rows: Ints) -> Floats:
            threads.append(kernels.threads())
            return super().distances(point, rows)

    with kernels.using(threads=3, watch=lambda *line: told.append(line)):
        mdav_groups(Slow(["aab", "abb", "bbb"] * 100), np.arange(300), 2)
    assert set(threads) == {3}
    assert told
    assert told[-1][0] == "grouping"
    assert told[-1][2] == 300
