"""Wilson's interval beside values of the literature and its own definition."""

from __future__ import annotations

import pytest

from shoal.attacks.outcome import Z, wilson


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    # Newcombe, Statistics in Medicine 17 (1998), Table I, method 3.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_the_intervals_of_newcombe(hits: int, n: int, low: float, high: float):
    found = wilson(hits, n)
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


@pytest.mark.parametrize(("hits", "n"), [(3.7, 50), (0.2, 7), (49, 50)])
def test_the_ends_are_where_the_rate_is_just_not_rejected(hits: float, n: int):
    found = wilson(hits, n)
    for end in (found.low, found.high):
        assert abs(found.rate - end) == pytest.approx(Z * (end * (1 - end) / n) ** 0.5)


def test_of_no_trials_nothing_is_known():
    assert wilson(0, 0) == wilson(0.0, 0)
    assert (wilson(0, 0).low, wilson(0, 0).high) == (0.0, 1.0)
