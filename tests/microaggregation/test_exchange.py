"""Exchanges between near groups, for attributes of several kinds and for groups too large for a pool, against plain definitions."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.mixed import mixed_table, plain_space, random_rows
from helpers.squares import all_groupings, enough_owners, one_change_away
from shoal import _kernels, kernels
from shoal.data.table import Table
from shoal.methods.microaggregation import Microaggregation
from shoal.microaggregation.spaces import better_groups_of_table, groups_of_table, improved_groups

Rows = list[tuple[float, str, str, str]]


def plain_loss(rows: Rows, groups: list[int]) -> float:
    points, distance, centroid = plain_space(rows)
    total = 0.0
    for group in set(groups):
        members = [points[i] for i in range(len(rows)) if groups[i] == group]
        middle = centroid(members)
        total += sum(distance(point, middle) for point in members)
    return total


@pytest.mark.parametrize("seed", range(30))
def test_no_group_ends_with_fewer_people_or_more_loss(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(6, 50)), int(rng.integers(2, 6))
    rows = random_rows(rng, n)
    owners = rng.integers(0, n, n).tolist() if seed % 2 else list(range(n))
    owners[:k] = range(k)
    table = mixed_table(rows, owners)
    before = groups_of_table(table, k).tolist()
    found = better_groups_of_table(table, k, 20, 0).tolist()
    assert set(found) == set(range(max(found) + 1))
    assert enough_owners(owners, found, k)
    assert seed % 2 or max(map(found.count, found)) < 2 * k
    assert plain_loss(rows, found) <= plain_loss(rows, before) * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_two_small_groups_end_where_no_move_and_no_swap_gains(seed: int) -> None:
    """All rows of so small groups are tried."""
    k = 4
    rows = random_rows(np.random.default_rng(100 + seed), 11)
    found = better_groups_of_table(mixed_table(rows), k, 20, 0).tolist()
    reached = plain_loss(rows, found)
    for other in one_change_away(found):
        if enough_owners(range(len(rows)), other, k) and max(map(other.count, other)) < 2 * k:
            assert plain_loss(rows, other) >= reached * (1 - 1e-6)


def test_small_mixed_tables_lose_less_than_by_mdav_and_are_often_optimal() -> None:
    better = optimal = 0
    for seed in range(20):
        rows = random_rows(np.random.default_rng(seed), 8)
        table = mixed_table(rows)
        found = plain_loss(rows, better_groups_of_table(table, 3, 20, 0).tolist())
        best = min(plain_loss(rows, groups) for groups in all_groupings(8, 3))
        assert found >= best * (1 - 1e-9)
        optimal += found <= best * (1 + 1e-9)
        better += found < plain_loss(rows, groups_of_table(table, 3).tolist()) * (1 - 1e-9)
    assert better >= 5 and optimal >= 10


@pytest.mark.parametrize("threads", [1, 3])
def test_neither_threads_nor_the_order_of_rows_matter(threads: int) -> None:
    rng = np.random.default_rng(5)
    rows = random_rows(rng, 300)
    order = rng.permutation(300)

    def sets_of(found: list[int], numbers: list[int]) -> set[frozenset[tuple[float, str, str, str]]]:
        return {frozenset(rows[n] for n, at in zip(numbers, found, strict=True) if at == group) for group in set(found)}

    first = Microaggregation(k=3).grouped(mixed_table(rows)).tolist()
    with kernels.using(threads=threads):
        second = Microaggregation(k=3).grouped(mixed_table([rows[i] for i in order])).tolist()
    assert sets_of(first, list(range(300))) == sets_of(second, order.tolist())


def squares(values: np.ndarray, groups: np.ndarray) -> float:
    return float(sum(((values[groups == g] - values[groups == g].mean(axis=0)) ** 2).sum() for g in np.unique(groups)))


@pytest.mark.parametrize("repeated", [False, True])
def test_groups_too_large_for_a_pool_are_improved_too(repeated: bool) -> None:
    rng = np.random.default_rng(6)
    n, k = 4_500, 1_100
    values = rng.normal(size=(n, 3))
    owners = np.r_[np.arange(2 * n // 3), rng.integers(0, 2 * n // 3, n - 2 * n // 3)] if repeated else np.arange(n)
    table = Table.from_numbers(values)
    start = groups_of_table(table, k) if not repeated else np.arange(n) % 2
    losses = [squares(values, start)]
    for rounds in (1, 3):
        found = improved_groups(values, owners, start, k, rounds, 0)
        assert enough_owners(owners.tolist(), found.tolist(), k)
        assert repeated or np.bincount(found).max() < 2 * k
        losses.append(squares(values, found))
    assert losses[1] < losses[0] * 0.97
    assert losses[2] <= losses[1] * (1 + 1e-9)


def test_bad_kinds_are_refused() -> None:
    codes, owners, groups = np.array([[0.0], [1.0], [1.5], [2.0]]), np.arange(4), np.array([0, 0, 1, 1])
    none = np.zeros(0, np.int32)
    tree = np.array([-1, 0], np.int32), np.array([2, 2], np.int32), np.array([1, 2], np.int32)
    options = _kernels.ImproveOptions(k=2, rounds=1, seed=0)
    for kind in [(4, 1.0, none, none, none), (0, 0.0, none, none, none), (2, 1.0, none, none, none), (3, 1.0, *tree)]:
        with pytest.raises(ValueError, match="kernel input"):
            kernels.run(_kernels.improve_kinds, codes, [kind], owners, groups, options, 1)
