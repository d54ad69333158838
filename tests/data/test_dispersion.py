"""Sums of squares: what analysis of variance says about any grouping, and standardised columns."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.microaggregation.attributes import between_groups, group_means, information_loss, standardised, sum_of_squares, within_groups

SOME = settings(deadline=None, max_examples=150)

matrices = (
    st.integers(1, 4)
    .flatmap(lambda width: st.lists(st.lists(st.floats(-1e6, 1e6), min_size=width, max_size=width), min_size=1, max_size=12))
    .map(np.array)
)


def grouping(data, n):
    labels = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


@SOME
@given(matrices, st.data())
def test_within_and_between_make_the_total(values, data):
    group = grouping(data, len(values))
    total = sum_of_squares(values)
    assert math.isclose(within_groups(values, group) + between_groups(values, group), total, rel_tol=1e-9, abs_tol=1e-6)


@SOME
@given(matrices, st.data())
def test_the_loss_is_a_share_and_ignores_scale_place_and_order(values, data):
    values = np.round(values)
    group = grouping(data, len(values))
    loss = information_loss(values, group)
    assert 0 <= loss <= 1 + 1e-9
    assert math.isclose(information_loss(values * 8, group), loss, rel_tol=1e-9, abs_tol=1e-12)
    assert math.isclose(information_loss(values + 4096, group), loss, rel_tol=1e-6, abs_tol=1e-9)
    order = data.draw(st.permutations(range(len(values))))
    assert math.isclose(information_loss(values[order], group[order]), loss, rel_tol=1e-12, abs_tol=1e-15)


@SOME
@given(matrices)
def test_standardised_columns_depend_on_no_order(values):
    order = np.random.default_rng(0).permutation(len(values))
    assert np.array_equal(standardised(values)[order], standardised(values[order]))


def test_against_sums_by_hand():
    values, group = np.array([[0.0], [2.0], [4.0], [10.0]]), np.array([0, 0, 1, 1])
    assert group_means(values, group).tolist() == [[1], [7]]
    assert sum_of_squares(values) == 16 + 4 + 0 + 36
    assert within_groups(values, group) == 1 + 1 + 9 + 9
    assert between_groups(values, group) == 2 * 9 + 2 * 9
    assert math.isclose(information_loss(values, group), 20 / 56)


@SOME
@given(st.lists(st.integers(-50, 50), min_size=1, max_size=9), st.sampled_from([0.1, 0.3, 1e9, 1e-300]))
def test_means_are_rounded_by_half_of_the_last_digit(whole, unit):
    values = np.array(whole)[:, None] * unit
    (mean,) = group_means(values, np.zeros(len(values), np.int64))[0]
    exact = sum(map(Fraction, values[:, 0].tolist()), Fraction()) / len(values)
    assert abs(Fraction(mean) - exact) <= Fraction(math.ulp(mean)) * 51 / 100


def test_a_constant_column_becomes_zero_and_loses_nothing():
    values = np.array([[0.1, 1.0], [0.1, 2.0], [0.1, 4.0]])
    assert standardised(values)[:, 0].tolist() == [0, 0, 0]
    group = np.array([0, 0, 1])
    assert information_loss(values, group) == information_loss(values[:, 1:], group)
    assert information_loss(values[:, :1], group) == 0


@pytest.mark.parametrize("scale", [1e300, 1e-300, 1e-310])
def test_very_large_and_very_small_numbers(scale):
    found = standardised(np.array([[-1.0], [1.0]]) * scale)
    assert np.allclose(found, [[-1], [1]])
