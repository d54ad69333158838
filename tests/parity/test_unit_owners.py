"""The owners of units of queries against plain sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import _kernels, kernels
from shoal.methods.bases.threshold_people import OwnedRows, Units, among, places_of, values_among

UNITS = 5


def flat(units: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    return np.cumsum([0, *map(len, units)]).astype(np.int64), np.array([unit for own in units for unit in own], np.int32)


def owners_of(units: list[list[int]], rows: list[tuple[int, int]]) -> list[list[int]]:
    """The owners of each unit, one row after the other."""
    return [sorted({owner for query, owner in rows if unit in units[query]}) for unit in range(UNITS)]


@settings(deadline=None, max_examples=300)
@given(
    st.lists(st.lists(st.integers(0, UNITS - 1), max_size=4), min_size=1, max_size=5),
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), max_size=90),
    st.integers(0, 5),
)
def test_owners_are_counted_once_and_listed_where_they_are_few(units: list[list[int]], drawn: list[tuple[int, int]], few: int) -> None:
    """A query may have a unit twice, and an owner a query."""
    rows = sorted(((query % len(units), owner) for query, owner in drawn), key=lambda row: row[1])
    query, owner = np.array([row[0] for row in rows], np.int32), np.array([row[1] for row in rows], np.int64)
    count, starts, owners = kernels.run(_kernels.unit_owners, query, owner, *flat(units), UNITS, few)
    true = owners_of(units, rows)
    assert count.tolist() == [len(own) for own in true]
    listed = [owners[starts[unit] : starts[unit + 1]].tolist() for unit in range(UNITS)]
    assert listed == [own if len(own) < few else [] for own in true]
    assert len(owners) == starts[-1]


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), max_size=30), st.lists(st.integers(0, 2), min_size=4, max_size=4))
def test_owners_have_the_classes_of_their_queries(rows: list[tuple[int, int]], classes: list[int]) -> None:
    query, owner = np.array([row[0] for row in rows], np.int32), np.array([row[1] for row in rows], np.int64)
    found = kernels.run(_kernels.owner_classes, query, owner, np.array(classes, np.uint8), 3, 5)
    assert found.reshape(5, 3).tolist() == [
        [int(any(classes[q] == c for q, who in rows if who == one)) for c in range(3)] for one in range(5)
    ]


@pytest.mark.parametrize(("query", "owner", "classes"), [([0], [], [0]), ([1], [0], [0]), ([0], [5], [0]), ([0], [0], [3])])
def test_wrong_classes_are_refused(query: list[int], owner: list[int], classes: list[int]) -> None:
    with pytest.raises(ValueError, match="kernel input"):
        kernels.run(_kernels.owner_classes, np.array(query, np.int32), np.array(owner, np.int64), np.array(classes, np.uint8), 3, 5)


@settings(deadline=None, max_examples=200)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=40), st.booleans())
def test_rows_in_windows(drawn: list[tuple[int, int, int]], windowed: bool) -> None:
    """Of users in any order."""
    numbers, window, owner = (np.array(column, np.int64) for column in zip(*drawn, strict=True))
    rows = OwnedRows.of(numbers, window if windowed else None, 3 if windowed else 1, owner)
    keys = [(number, at if windowed else 0, who) for number, at, who in drawn]
    values = sorted({key[:2] for key in keys})
    at = rows.in_window if windowed else np.zeros(len(values), int)
    assert list(zip(rows.numbers.tolist(), at.tolist(), strict=True)) == values
    assert [values[place] for place in rows.place] == [key[:2] for key in keys]
    assert rows.people.tolist() == [len({key[2] for key in keys if key[:2] == value}) for value in values]
    some = np.arange(len(values)) % 2 == 0
    left = rows.with_values(some).people_of(Units(np.arange(len(values) + 1), np.arange(len(values), dtype=np.int32), len(values)))
    assert left.n.tolist() == [n if keep else 0 for n, keep in zip(rows.people.tolist(), some, strict=True)]


@settings(deadline=None)
@given(st.lists(st.integers(0, 30), max_size=20), st.sampled_from([0, 2**26]))
def test_values_by_table_and_by_search(drawn: list[int], offset: int) -> None:
    """Small numbers are looked up in a table, large ones are searched for."""
    numbers = np.array(drawn, np.int64) + offset
    different = values_among(numbers)
    assert different.tolist() == sorted(set(numbers.tolist()))
    assert different[places_of(different, numbers)].tolist() == numbers.tolist()
    assert among(different[::2], numbers).tolist() == [n in set(different[::2].tolist()) for n in numbers.tolist()]


@pytest.mark.parametrize(
    ("query", "owner", "starts", "units", "n", "message"),
    [
        ([0], [0, 1], [0, 1], [0], 1, "an owner for every row"),
        ([1], [0], [0, 1], [0], 1, "indices below"),
        ([0], [-1], [0, 1], [0], 1, "indices below"),
        ([0], [2**31], [0, 1], [0], 1, "indices below"),
        ([0, 0], [1, 0], [0, 1], [0], 1, "owners that rise"),
        ([0], [0], [0, 2], [0], 1, "group starts"),
        ([0], [0], [0, 1], [1], 1, "indices below"),
        ([0], [0], [], [], 1, "where the units"),
    ],
)
def test_wrong_arrays_are_refused(query: list[int], owner: list[int], starts: list[int], units: list[int], n: int, message: str) -> None:
    arrays = (np.array(query, np.int32), np.array(owner, np.int64), np.array(starts, np.int64), np.array(units, np.int32))
    with pytest.raises(ValueError, match=message):
        kernels.run(_kernels.unit_owners, *arrays, n, 1)
