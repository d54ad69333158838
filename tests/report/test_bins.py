from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.report.histograms import Bin, Histogram, compare, compare_shared, ladder, tally


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def test_few_values_have_a_bin_each() -> None:
    assert ladder(5, 9).tolist() == [5, 6, 7, 8, 9, 10]


def test_close_values_have_even_steps() -> None:
    edges = ladder(103, 250)
    assert set(np.diff(edges)) == {5}
    assert edges[0] == 100


def test_spread_values_have_widening_steps() -> None:
    assert ladder(5, 120).tolist() == [5, 6, 7, 8, 9, 10, 15, 20, 30, 50, 70, 100, 150]


@given(st.integers(0, 10**7), st.integers(0, 10**12))
@settings(deadline=None)
def test_the_ladder_holds_every_value_on_few_rungs(low: int, spread: int) -> None:
    edges = ladder(low, low + spread)
    assert edges[0] <= low
    assert edges[-1] > low + spread
    assert (np.diff(edges) > 0).all()
    assert len(edges) <= 100


def test_a_tally_counts_and_splits_at_the_promised_size() -> None:
    found = tally(ints(3, 12, 13, 13, 400), cut=13)
    below = sum(n for b, n in zip(found.bins, found.counts, strict=True) if b.low < 13)
    assert below == 2
    assert Bin(10, 12) in found.bins
    assert found.bins[found.bin_of(13)].low == 13
    assert sum(found.counts) == 5


def test_a_tally_starts_at_its_least_value() -> None:
    assert tally(ints(12, 13, 400)).bins[0].low == 12


def test_no_values_make_no_bins() -> None:
    assert tally(ints()) == Histogram()
    assert compare(ints(), ints(), ints(), ints(), 10) == Histogram()


def test_a_single_long_record_is_not_told() -> None:
    before = np.concatenate([np.repeat(ints(1, 2, 3), 20), ints(4321)])
    found = compare(before, np.arange(61), ints(1, 2), ints(30, 31), fewest=10)
    assert [b.label for b in found.bins] == ["1", "2", "3+"]
    assert found.before == (20, 20, 21)
    assert found.counts == (30, 31, 0)


def test_one_person_with_many_records_is_still_one_person() -> None:
    before = np.concatenate([np.repeat(ints(1), 20), np.repeat(ints(9), 50)])
    people = np.concatenate([np.arange(20), np.full(50, 20)])
    found = compare(before, people, ints(1), ints(70), fewest=10)
    assert [b.label for b in found.bins] == ["1+"]


def test_too_few_at_the_bottom_join_upwards_over_empty_bins() -> None:
    before = np.concatenate([ints(1), np.repeat(ints(5), 20)])
    found = compare(before, np.arange(21), ints(1), ints(21), fewest=10)
    assert [b.label for b in found.bins] == ["1+"]
    assert found.before == (21,)


@given(
    st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 40)), min_size=1, max_size=120),
    st.lists(st.integers(0, 3000), max_size=40),
    st.integers(2, 12),
)
@settings(deadline=None, max_examples=200)
def test_every_bar_of_originals_counts_no_one_or_many(originals: list[tuple[int, int]], after: list[int], fewest: int) -> None:
    before, people = (ints(*column) for column in zip(*originals, strict=True))
    found = compare(before, people, ints(*after), np.ones(len(after), np.int64), fewest)
    assert found.before is not None
    assert sum(found.before) == len(before)
    assert sum(found.counts) == len(after)
    enough = len(set(people.tolist())) >= fewest
    for b, n in zip(found.bins, found.before, strict=True):
        inside = (before >= b.low) & (before <= (np.inf if b.high is None else b.high))
        assert int(inside.sum()) == n
        heads = len(set(people[inside].tolist()))
        assert heads == 0 or heads >= fewest or (not enough and n == len(before))


@pytest.mark.parametrize(
    ("low", "high", "label"),
    [(3, 3, "3"), (3, 4, "3–4"), (1500, None, "1,500+"), (1000, 1999, "1,000–1,999")],
)
def test_labels(low: int, high: int | None, label: str) -> None:
    assert Bin(low, high).label == label


@pytest.mark.parametrize(
    ("low", "high", "tick"),
    [
        (3, 4, "3–4"),
        (700, 999, "700–999"),
        (1000, 1499, "1k–1.5k"),
        (2000, None, "2k+"),
        (1234, 1234, "1,234"),
    ],
)
def test_ticks_are_short(low: int, high: int | None, tick: str) -> None:
    assert Bin(low, high).tick == tick


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 5)), min_size=1, max_size=40),
    st.lists(st.integers(1, 200), max_size=10),
    st.integers(1, 4),
    st.lists(st.integers(0, 300), max_size=2),
)
@settings(deadline=None, max_examples=200)
def test_every_bar_of_shared_values_counts_no_one_or_many(
    rows: list[tuple[int, int]], after: list[int], fewest: int, of_nobody: list[int]
) -> None:
    """Also beside values that nobody has, which may lie outside all bins, such as the number of empty queries."""
    often = Counter(thing for thing, _ in rows)
    values = np.array([*(often[thing] for thing in range(7)), *of_nobody], np.int64)
    things, people = np.array([thing for thing, _ in rows], np.int32), np.array([who for _, who in rows], np.int64)
    before = np.sort(np.array(list(often.values()), np.int64))
    found = compare_shared(before, (values, things, people), np.array(after, np.int64), fewest)
    seen = [set[int]() for _ in found.bins]
    for thing, who in rows:
        seen[found.bin_of(often[thing])].add(who)
    enough = len(set(people.tolist())) >= fewest
    assert all(not who or len(who) >= fewest or (not enough and who == set(people.tolist())) for who in seen)
    assert found.before is not None
    assert (sum(found.before), sum(found.counts)) == (len(before), len(after))
