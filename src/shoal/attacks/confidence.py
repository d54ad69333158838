"""Confidence intervals of rates."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

Z = 1.959963984540054  # two-sided, 95 %


@dataclass(frozen=True)
class Interval:
    """A rate, and where it lies with 95 % confidence."""

    rate: float
    low: float
    high: float


def wilson(hits: float, n: int) -> Interval:
    """Wilson's interval of a rate. Hits may be a sum of chances: their spread is at most that of as many yes or no answers.

    Of no trials nothing is known: the rate may be anything.
    """
    if n == 0:
        return Interval(0.0, 0.0, 1.0)
    rate, square = hits / n, Z * Z
    centre = (rate + square / (2 * n)) / (1 + square / n)
    reach = Z / (1 + square / n) * sqrt(rate * (1 - rate) / n + square / (4 * n * n))
    return Interval(rate, max(0.0, centre - reach), min(1.0, centre + reach))
