"""Logarithms that do not depend on the machine."""

from __future__ import annotations

from decimal import Decimal, getcontext

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.util.numbers import logarithm


@given(st.integers(1, 2**53))
def test_a_logarithm_is_off_by_a_few_last_digits_at_most(value: int) -> None:
    getcontext().prec = 40
    exact = Decimal(value).ln()
    assert abs(Decimal(float(logarithm(value))) - exact) <= abs(exact) * Decimal(2) ** -50


def test_one_has_no_logarithm_and_larger_numbers_have_larger_ones() -> None:
    values = logarithm(np.arange(1, 200_000))
    assert values[0] == 0
    assert (np.diff(values) > 0).all()


def test_powers_of_two_are_multiples() -> None:
    assert (logarithm(2.0 ** np.arange(1, 50)) == np.arange(1, 50) * float(logarithm(2))).all()
