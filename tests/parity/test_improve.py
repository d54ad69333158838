"""The local search on the sum of squares: against the best of all groupings, its own definition of an optimum, and what it must keep."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.squares import all_groupings, enough_owners, one_change_away, plain_sse
from shoal import _kernels, kernels

SOME = settings(deadline=None, max_examples=150)


def start(rows, owners, k):
    return kernels.run(_kernels.mdav, np.array(rows, float, ndmin=2), np.array(owners, np.int64), k, 1)


def improved(rows, owners, k, rounds, seed=0, threads=1):
    values, people = np.array(rows, float, ndmin=2), np.array(owners, np.int64)
    return kernels.run(_kernels.improve_groups, values, people, start(rows, owners, k), k, rounds, seed, threads).tolist()


@st.composite
def tables(draw, most=24):
    k = draw(st.integers(2, 4))
    width = draw(st.integers(1, 3))
    cells = st.one_of(st.integers(-3, 3), st.floats(-5, 5, width=32))
    rows = draw(st.lists(st.lists(cells, min_size=width, max_size=width), min_size=k, max_size=most))
    repeated = draw(st.booleans())
    others = st.integers(0, draw(st.integers(0, len(rows) - 1)))
    owners = [*range(k), *(draw(others) for _ in rows[k:])] if repeated else list(range(len(rows)))
    return rows, owners, k


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("n", "k"), [(6, 2), (8, 2), (9, 3), (9, 4)])
def test_small_tables_are_grouped_as_well_as_possible(n, k, seed):
    rows = np.random.default_rng(100 * n + seed).normal(size=(n, 2)).tolist()
    best = min(plain_sse(rows, groups) for groups in all_groupings(n, k))
    assert plain_sse(rows, improved(rows, range(n), k, 300)) == pytest.approx(best, rel=1e-9)


@SOME
@given(tables(most=11), st.integers(1, 5))
def test_no_move_and_no_swap_gains_anything_in_the_end(table, rounds):
    """A pool has three groups or more, so where there are no more than these a round ends where no change is of use."""
    rows, owners, k = table
    found = improved(rows, owners, k, rounds)
    if max(found) > 2:
        return
    reached = plain_sse(rows, found)
    for other in one_change_away(found):
        if enough_owners(owners, other, k) and (len(set(owners)) < len(rows) or max(map(other.count, other)) < 2 * k):
            assert plain_sse(rows, other) >= reached - 1e-7 * (1 + reached)


@SOME
@given(tables(), st.integers(0, 3))
def test_groups_keep_their_owners_and_lose_no_more_than_before(table, seed):
    rows, owners, k = table
    losses = [plain_sse(rows, start(rows, owners, k).tolist())]
    for rounds in (0, 1, 2, 5, 20):
        found = improved(rows, owners, k, rounds, seed)
        assert set(found) == set(range(max(found) + 1))
        assert enough_owners(owners, found, k)
        if len(set(owners)) == len(rows):
            assert max(map(found.count, found)) < 2 * k
        losses.append(plain_sse(rows, found))
    assert all(after <= before * (1 + 1e-12) + 1e-12 for before, after in pairwise(losses))


@pytest.mark.parametrize("repeated", [False, True])
def test_threads_and_blocks_do_not_matter(repeated):
    """Two thousand groups and more: several blocks a round."""
    rng = np.random.default_rng(11)
    rows = rng.normal(size=(5_000, 3))
    owners = np.r_[np.arange(3_000), rng.integers(0, 3_000, 2_000)] if repeated else np.arange(5_000)
    one = improved(rows, owners, 2, 5)
    assert one == improved(rows, owners, 2, 5, threads=3)
    assert enough_owners(owners.tolist(), one, 2)
    assert one != improved(rows, owners, 2, 5, seed=1)


def test_one_owner_of_half_of_all_rows():
    """His rows make groups that are too large for a pool; they stay as they are."""
    rng = np.random.default_rng(12)
    rows, owners = rng.normal(size=(5_000, 2)), np.r_[np.zeros(2_500, int), np.arange(1, 2_501)]
    found = improved(rows, owners, 3, 3)
    assert enough_owners(owners.tolist(), found, 3)


@pytest.mark.parametrize(
    ("owners", "groups", "k", "rounds"),
    [
        ([0, 1, 2, 3], [0, 0, 1, 1], 1, 1),
        ([0, 1, 2, 3], [0, 0, 1, 1], 3, 1),
        ([0, 0, 2, 3], [0, 0, 1, 1], 2, 1),
        ([0, 1, 2, 3], [0, 0, 2, 2], 2, 1),
        ([0, 1, 2, 3], [0, 0, 1, -1], 2, 1),
        ([0, 1, 2, 4], [0, 0, 1, 1], 2, 1),
        ([0, 1, 2, 3], [0, 0, 1, 1], 2, -1),
        ([0, 1, 2], [0, 0, 0], 2, 1),
    ],
)
def test_bad_input_is_refused(owners, groups, k, rounds):
    values = np.arange(8.0).reshape(4, 2)
    with pytest.raises(ValueError, match="kernel input"):
        kernels.run(_kernels.improve_groups, values, np.array(owners), np.array(groups), k, rounds, 0, 1)
