"""Rows as values: canonical form, equality and the order by content, against plain Python."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import twins
from shoal import _kernels, kernels

SOME = settings(deadline=None, max_examples=100)

Row = list[tuple[int, int]]

raw_rows = st.lists(st.lists(st.tuples(st.integers(-2, 4), st.integers(0, 3)), max_size=6), max_size=8)


def arrays(rows: list[Row]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    flat = [entry for row in rows for entry in row]
    indptr = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return indptr, np.array([i for i, _ in flat], np.int32), np.array([c for _, c in flat], np.int32)


def view(rows: list[Row]) -> _kernels.Rows:
    return _kernels.Rows(*arrays(rows))


def rows_of(indptr: np.ndarray, ids: np.ndarray, counts: np.ndarray) -> list[Row]:
    pairs = list(zip(ids.tolist(), counts.tolist(), strict=True))
    return [pairs[a:b] for a, b in pairwise(indptr)]


@SOME
@given(raw_rows, st.booleans(), st.sampled_from([1, 3]))
def test_canonical_rows(rows: list[Row], as_sets: bool, threads: int) -> None:
    found = kernels.run(_kernels.canonical_rows, *arrays(rows), as_sets, threads)
    assert rows_of(*found) == [twins.canonical(row, as_sets) for row in rows]


def test_canonical_rows_over_many_blocks() -> None:
    rng = np.random.default_rng(0)
    rows = [[(int(i), 1) for i in rng.integers(0, 50, rng.integers(0, 5))] for _ in range(5000)]
    one, four = (kernels.run(_kernels.canonical_rows, *arrays(rows), False, n) for n in (1, 4))
    assert all(np.array_equal(a, b) for a, b in zip(one, four, strict=True))
    assert rows_of(*one) == [twins.canonical(row, False) for row in rows]


@SOME
@given(raw_rows)
def test_identical_rows(rows: list[Row]) -> None:
    rows = [twins.canonical(row, False) for row in rows]
    found = kernels.run(_kernels.identical_rows, view(rows), 2)
    assert found.tolist() == twins.first_appearance([tuple(row) for row in rows])


@SOME
@given(raw_rows, st.data())
def test_content_order(rows: list[Row], data: st.DataObject) -> None:
    rows = [twins.canonical(row, False) for row in rows]
    ties = data.draw(st.permutations(range(len(rows))))
    found = kernels.run(_kernels.content_order, view(rows), np.array(ties, np.int64), 2).tolist()

    def key(i: int) -> tuple[int, int, int]:
        return -sum(count for _, count in rows[i]), twins.row_hash(rows[i]), ties[i]

    assert found == sorted(range(len(rows)), key=key)


@SOME
@given(raw_rows, st.randoms())
def test_the_order_by_content_does_not_know_the_order_of_arrival(rows: list[Row], random) -> None:
    rows = [twins.canonical(row, False) for row in rows]
    shuffled = rows.copy()
    random.shuffle(shuffled)

    def in_order(some: list[Row]) -> list[Row]:
        return [some[i] for i in kernels.run(_kernels.content_order, view(some), np.zeros(len(some), np.int64), 2)]

    assert in_order(rows) == in_order(shuffled)


@pytest.mark.parametrize(
    ("indptr", "ids", "counts"),
    [
        ([], [], []),
        ([0, 2], [1], [1]),
        ([1, 1], [1], [1]),
        ([0, 2, 1], [1], [1]),
        ([0, 1], [1], [1, 1]),
    ],
)
def test_malformed_rows_do_not_reach_a_kernel(indptr: list[int], ids: list[int], counts: list[int]) -> None:
    with pytest.raises(ValueError, match="kernel input"):
        _kernels.Rows(np.array(indptr, np.int64), np.array(ids, np.int32), np.array(counts, np.int32))


def test_indices_out_of_range_do_not_reach_a_kernel() -> None:
    """Each of these would read memory that is not there."""
    rows = _kernels.Rows(np.array([0, 1]), np.array([1], np.int32), np.array([1], np.int32))
    high = _kernels.Rows(np.array([0, 1]), np.array([9], np.int32), np.array([1], np.int32))
    up, end, first = (np.array(a, np.int32) for a in ([-1, 0], [2, 2], [-1, 1]))
    tree = _kernels.Tree(up, end, np.array([0, 1], np.int32))
    one, two = np.zeros(1, np.int64), np.ones(2, np.int64)
    records = _kernels.Scored(rows, one, one, two, 1, 2, False)
    assigned = _kernels.ClumpOptions(r=1, total=False)
    split = _kernels.PartitionOptions(k=2, tries=1, recurse_leftover=True, owners_repeat=False)
    calls: list[tuple[Any, ...]] = [
        (_kernels.tree_counts, high, up, end, first, 1),
        (_kernels.tree_counts, rows, up, end, first[:1], 1),
        (_kernels.min_sums, rows, one + 5, one, two, 1),
        (_kernels.min_sums, rows, one, one - 1, two, 1),
        (_kernels.min_sums, rows, one, one, two[:1], 1),
        (_kernels.meet_groups, rows, tree, np.array([0, 1]), one + 3, 1),
        (_kernels.meet_groups, rows, tree, np.array([0, 2]), one, 1),
        (_kernels.meet_groups, rows, tree, np.array([1, 0]), one, 1),
        (_kernels.meet_groups, high, tree, np.array([0, 1]), one, 1),
        (_kernels.generalizes, rows, rows, one + 1, tree, 1),
        (_kernels.generalizes, rows, high, one, tree, 1),
        (_kernels.clump, records, one + 1, assigned),
        (_kernels.clump_printed, records, high, tree, one, assigned),
        (_kernels.clump_printed, records, rows, tree, one + 1, assigned),
        (_kernels.partition, rows, tree, one, one, one, split),
        (_kernels.partition, high, tree, two, one, one, split),
        (_kernels.partition, rows, tree, two, one, one[:0], split),
        (_kernels.partition, rows, tree, two, one + 1, one, split),
    ]
    for kernel, *arguments in calls:
        with pytest.raises(ValueError, match="kernel input"):
            kernels.run(kernel, *arguments)


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 6), max_size=5), max_size=6), st.lists(st.integers(-1, 9), min_size=7, max_size=7))
def test_renamed_rows(records: list[list[int]], codes: list[int]) -> None:
    indptr = np.concatenate([[0], np.cumsum([len(r) for r in records])]).astype(np.int64)
    ids = np.array([i for r in records for i in r], np.int32)
    starts, left = _kernels.renamed_rows(indptr, ids, np.array(codes, np.int32), _kernels.Task())
    expected = [[codes[i] for i in r if codes[i] >= 0] for r in records]
    assert [left[a:b].tolist() for a, b in pairwise(starts)] == expected


@SOME
@given(st.lists(st.tuples(st.sets(st.integers(0, 5), max_size=4), st.integers(-2, 3)), max_size=10))
def test_owners_per_item(records: list[tuple[set[int], int]]) -> None:
    rows = view([[(item, 1) for item in sorted(items)] for items, _ in records])
    found = kernels.run(_kernels.owners_per_item, rows, np.array([owner for _, owner in records], np.int64), 6)
    assert found.tolist() == [len({owner for items, owner in records if item in items}) for item in range(6)]


@settings(deadline=None)
@given(st.lists(st.integers(-2, 6), max_size=40), st.integers(7, 9))
def test_frequencies_of_numbers(drawn: list[int], n: int) -> None:
    found = kernels.run(_kernels.frequencies, np.array(drawn, np.int32), n)
    assert found.tolist() == [drawn.count(number) for number in range(n)]


def test_numbers_that_are_too_large_are_refused() -> None:
    with pytest.raises(ValueError, match="numbers below n"):
        kernels.run(_kernels.frequencies, np.array([3], np.int32), 3)
