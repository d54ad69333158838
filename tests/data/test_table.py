"""Tables: what they refuse, and an order of rows that knows content only."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.errors import refuses
from shoal.data.table import Attribute, Table

SOME = settings(deadline=None, max_examples=100)


def test_numbers_and_owners_are_those_given():
    table = Table.from_numbers([[1, 2], [3, -0.0]], ["a", "b"], [7, 7])
    assert (len(table), table.n_owners, table.owners_repeat) == (2, 1, True)
    assert table.numbers.tolist() == [[1, 2], [3, 0]]
    assert not np.signbit(table.numbers[1, 1])
    assert [attribute.name for attribute in table.quasi] == ["a", "b"]
    assert repr(table) == "Table(2 rows, 1 users, 2 attributes, 2 quasi-identifiers)"


def test_what_is_left_as_it_is_is_no_quasi_identifier():
    kept = Attribute("town", "nominal", pl.Series(["x", None]), quasi=False)
    table = Table((Attribute("a", "numeric", pl.Series([1.0, 1.0])), kept), np.arange(2))
    assert table.numbers.tolist() == [[1], [1]]
    assert table.quasi[0].constant
    assert not kept.constant


def test_nothing_can_be_changed():
    table = Table.from_numbers([[1.0], [2.0]])
    with pytest.raises(ValueError, match="read-only"):
        table.numbers[0, 0] = 5
    with pytest.raises(ValueError, match="read-only"):
        table.owners[0] = 5


@pytest.mark.parametrize("values", [[1.0, None], [1.0, float("nan")], [1.0, float("inf")], [1, 2], ["a", "b"]])
def test_a_numeric_attribute_holds_finite_numbers(values):
    with refuses("not-finite"):
        Attribute("a", "numeric", pl.Series(values))


def test_attributes_fit_together():
    one = Attribute("a", "numeric", pl.Series([1.0]))
    with refuses("duplicate-column"):
        Table((one, one), np.arange(1))
    with refuses("lengths-differ"):
        Table((one,), np.arange(2))
    with refuses("nested-values"):
        Attribute("a", "nominal", pl.Series([[1]]))
    with refuses("not-numeric"):
        _ = Table((Attribute("a", "nominal", pl.Series(["x"])),), np.arange(1)).numbers


@SOME
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 4)), min_size=1, max_size=9), st.data())
def test_the_order_of_rows_and_the_numbers_of_owners_do_not_matter(rows, data):
    renumbered = data.draw(st.permutations(range(5)))
    shuffled = data.draw(st.permutations(rows))
    first = Table.from_numbers([row[:2] for row in rows], owners=[row[2] for row in rows])
    second = Table.from_numbers([row[:2] for row in shuffled], owners=[renumbered[row[2]] for row in shuffled])
    assert ordered(first) == ordered(second)
    assert [row for row, _ in ordered(first)] == sorted(tuple(map(float, row[:2])) for row in rows)


@given(st.lists(st.tuples(st.integers(0, 1), st.sampled_from(["a", "b", None]), st.integers(0, 3)), min_size=1, max_size=9), st.data())
def test_rows_that_differ_only_in_what_is_published_unchanged_have_an_order_too(rows, data):
    renumbered, shuffled = data.draw(st.permutations(range(4))), data.draw(st.permutations(rows))
    first, second = with_notes(rows), with_notes([(age, note, renumbered[owner]) for age, note, owner in shuffled])
    assert ordered_with_notes(first) == ordered_with_notes(second)


def with_notes(rows):
    """A table of ages, with notes that are published unchanged."""
    ages, notes, owners = (list(column) for column in zip(*rows, strict=True))
    attributes = (
        Attribute("age", "numeric", pl.Series(ages, dtype=pl.Float64)),
        Attribute("note", "nominal", pl.Series(notes, dtype=pl.String), quasi=False),
    )
    return Table(attributes, np.array(owners, np.int64))


def ordered_with_notes(table):
    """The same with all columns."""
    ages, notes = (column.values.to_list() for column in table.attributes)
    return [(ages[i], notes[i], row) for i, row in zip(table.content_order(), ordered(table), strict=True)]


def ordered(table):
    """The rows in content order, owners numbered as they first appear there."""
    order = table.content_order()
    seen: dict[int, int] = {}
    return [(tuple(table.numbers[i].tolist()), seen.setdefault(int(table.owners[i]), len(seen))) for i in order]
