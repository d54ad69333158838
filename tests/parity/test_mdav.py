"""MDAV's kernel against its definition in plain Python: ties, duplicates, repeated owners, and every number of rows around 2k and 3k."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.mdav import plain_mdav
from shoal import _kernels, kernels

THOROUGH = settings(deadline=None, max_examples=200)


def kernel(rows, owners, k, threads=1):
    return kernels.run(_kernels.mdav, np.array(rows, float, ndmin=2), np.array(owners, np.int64), k, threads).tolist()


@st.composite
def tables(draw, cells):
    k = draw(st.integers(1, 5))
    n = draw(st.one_of(st.integers(k, 8 * k), st.sampled_from([2 * k - 1, 2 * k, 2 * k + 1, 3 * k - 1, 3 * k, 3 * k + 1])))
    width = draw(st.integers(1, 6))
    rows = draw(st.lists(st.lists(cells, min_size=width, max_size=width), min_size=max(k, n), max_size=max(k, n)))
    return rows, k


@THOROUGH
@given(tables(st.integers(-2, 2)))
def test_ties_and_duplicates(table):
    rows, k = table
    assert kernel(rows, range(len(rows)), k) == plain_mdav(rows, range(len(rows)), k)


@THOROUGH
@given(tables(st.integers(-(2**42), 2**42).map(lambda n: n / 2**40)))
def test_numbers_of_many_digits(table):
    """Multiples of 2^-40: the kernel's running sums keep twice a double's digits, the twin's sums are exact."""
    rows, k = table
    assert kernel(rows, range(len(rows)), k) == plain_mdav(rows, range(len(rows)), k)


@THOROUGH
@given(tables(st.integers(-2, 2)), st.data())
def test_owners_that_repeat(table, data):
    rows, k = table
    others = st.integers(0, data.draw(st.integers(0, len(rows) - 1)))
    owners = [*range(k), *(data.draw(others) for _ in rows[k:])]
    found = kernel(rows, owners, k)
    assert found == plain_mdav(rows, owners, k)
    for group in set(found):
        assert len({owner for owner, g in zip(owners, found, strict=True) if g == group}) >= k


@pytest.mark.parametrize(("n", "width", "k", "grid"), [(320, 3, 3, 4), (300, 10, 7, None), (260, 2, 4, None), (200, 1, 5, 3)])
def test_several_blocks_that_shrink(n, width, k, grid):
    rng = np.random.default_rng(n)
    rows = rng.normal(size=(n, width)) if grid is None else rng.integers(0, grid, (n, width)).astype(float)
    assert kernel(rows, range(n), k) == plain_mdav(rows.tolist(), range(n), k)
    owners = np.concatenate([np.arange(n // 3), rng.integers(0, n // 3, n - n // 3)])
    assert kernel(rows, owners, k) == plain_mdav(rows.tolist(), owners.tolist(), k)


@pytest.mark.parametrize("threads", [-1, 0, 1, 3])
def test_any_number_of_threads(threads):
    rows = np.random.default_rng(5).normal(size=(1_500, 800))  # wide enough for threads to be used
    assert kernel(rows, range(1_500), 250, threads) == kernel(rows, range(1_500), 250, 2)


def test_groups_have_k_to_2k_minus_1_rows():
    for n in range(4, 60):
        sizes = np.bincount(kernel(np.random.default_rng(n).normal(size=(n, 2)), range(n), 4))
        assert sizes.min() >= 4
        assert sizes.max() <= 7


@pytest.mark.parametrize(
    ("rows", "owners", "k"),
    [
        ([[1.0], [2.0]], [0, 0], 2),
        ([[1.0], [2.0]], [0, 1], 0),
        ([[1.0], [2.0]], [0, 2], 1),
        ([[1.0], [2.0]], [0, -1], 1),
        ([[1.0], [np.nan]], [0, 1], 1),
        ([[1.0], [np.inf]], [0, 1], 1),
        ([[1.0], [2.0]], [0], 1),
    ],
)
def test_bad_input_is_refused(rows, owners, k):
    with pytest.raises(ValueError, match="kernel input"):
        kernel(rows, owners, k)
