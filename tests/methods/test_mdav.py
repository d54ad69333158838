"""MDAV on tables: groups of people, whatever the order of rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.errors import refuses
from helpers.mdav import plain_mdav
from shoal.data.table import Table
from shoal.microaggregation.attributes import information_loss, standardised
from shoal.microaggregation.spaces import groups_of_table


def published(table, k):
    """Each row's content with the content of its group, sorted."""
    group = groups_of_table(table, k)
    members = {g: tuple(sorted(map(tuple, table.numbers[group == g].tolist()))) for g in set(group.tolist())}
    return sorted((tuple(row), members[g]) for row, g in zip(table.numbers.tolist(), group.tolist(), strict=True))


@settings(deadline=None, max_examples=150)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 5)), min_size=6, max_size=25), st.data())
def test_the_order_of_rows_does_not_matter(rows, data):
    k = min(2, len({row[2] for row in rows}))
    shuffled = data.draw(st.permutations(rows))
    tables = [Table.from_numbers([row[:2] for row in some], owners=[row[2] for row in some]) for some in (rows, shuffled)]
    assert published(tables[0], k) == published(tables[1], k)


def test_groups_are_those_of_the_definition_on_sorted_rows():
    rng = np.random.default_rng(2)
    values = rng.normal(size=(90, 4)) * [1, 10, 100, 0]
    table = Table.from_numbers(values)
    order = np.lexsort(values.T[::-1])
    twin = np.array(plain_mdav(standardised(values)[order].tolist(), range(90), 4))
    assert groups_of_table(table, 4)[order].tolist() == twin.tolist()
    assert information_loss(values[order], twin) == pytest.approx(information_loss(values, groups_of_table(table, 4)))


def test_one_person_with_many_rows_is_not_a_crowd():
    values = np.concatenate([np.zeros((50, 2)), np.random.default_rng(3).normal(size=(12, 2))])
    owners = np.array([99] * 50 + list(range(12)))
    group = groups_of_table(Table.from_numbers(values, owners=owners), 3)
    assert min(len(set(owners[group == g])) for g in set(group.tolist())) >= 3
    assert len(set(group.tolist())) > 1


def test_too_few_people_are_refused():
    with refuses("too-few-people", k=3, owners=2):
        groups_of_table(Table.from_numbers([[1.0], [2.0], [3.0]], owners=[0, 1, 1]), 3)
