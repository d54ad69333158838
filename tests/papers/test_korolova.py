"""Korolova, Kenthapadi, Mishra and Ntoulas, WWW 2009: the table of d, K and b, and the printed algorithm's delta by exact computation."""

from __future__ import annotations

import math
from itertools import product

import pytest

from shoal.data.noise_record import NoisyStep
from shoal.noise.budget_plan import Budget, plan_of
from shoal.noise.mechanisms import korolova_threshold, laplace_scale
from shoal.privacy.differential_privacy import spent_budget

# e^epsilon = 10, delta = 1e-5: as printed
TABLE = {
    1: (5.70, 0.43),
    5: (31.99, 2.17),
    10: (66.99, 4.34),
    20: (140.00, 8.69),
    40: (292.04, 17.37),
    80: (608.16, 34.74),
    160: (1264.49, 69.49),
}


@pytest.mark.parametrize("d", TABLE)
def test_the_table_to_the_printed_digits(d: int) -> None:
    K, b = TABLE[d]
    assert f"{korolova_threshold(d, math.log(10), 1e-5):.2f}" == f"{K:.2f}"
    assert f"{laplace_scale(d, math.log(10)):.2f}" == f"{b:.2f}"


def selection(d: int, epsilon: float, delta: float) -> NoisyStep:
    (step,) = plan_of(Budget(epsilon, delta, "korolova", d, 10, 0.0, 0.0))
    return step


def passes(step: NoisyStep, count: int) -> float:
    """The chance that a query of this count is published, by the distribution of discrete Laplace noise: p(n) ~ a ** |n|."""
    assert step.threshold is not None
    unit = 2**step.grid
    a = math.exp(-1 / (step.scale * unit))
    least = math.ceil(step.threshold * unit) - count * unit + 1  # the least noise that lifts it above the threshold
    return a**least / (1 + a) if least > 0 else 1 - a ** (1 - least) / (1 + a)


def exact_delta(step: NoisyStep, epsilon: float, before: list[int], after: list[int]) -> float:
    """Over all sets of published queries, what their probability exceeds e^epsilon times the other by; a count of 0 is never shown."""
    first, second = ([passes(step, n) if n else 0.0 for n in counts] for counts in (before, after))

    def chance(probabilities: list[float], shown: tuple[bool, ...]) -> float:
        return math.prod(p if yes else 1 - p for p, yes in zip(probabilities, shown, strict=True))

    outcomes = list(product((False, True), repeat=len(before)))
    return sum(max(0.0, chance(first, shown) - math.exp(epsilon) * chance(second, shown)) for shown in outcomes)


def parts_of(n: int, most: int) -> list[list[int]]:
    """All ways to write n as a sum, largest part first."""
    return [[]] if n == 0 else [[part, *rest] for part in range(min(n, most), 0, -1) for rest in parts_of(n - part, part)]


@pytest.mark.parametrize("epsilon", [0.5, math.log(10), 5.0])
@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_the_printed_delta_bounds_the_exact_one(d: int, epsilon: float) -> None:
    """A person adds d queries, however they are repeated, to queries that others asked so often or not at all."""
    delta = 1e-3
    step = selection(d, epsilon, delta)
    printed = d / 2 * math.exp((d - korolova_threshold(d, epsilon, delta)) / (d / epsilon))
    assert math.isclose(printed, delta, rel_tol=1e-9)
    worst = 0.0
    for own in parts_of(d, d):
        for others in product((0, 1, 20), repeat=len(own)):
            together = [mine + more for mine, more in zip(own, others, strict=True)]
            worst = max(worst, exact_delta(step, epsilon, together, list(others)), exact_delta(step, epsilon, list(others), together))
    assert 0 < worst <= delta
    _, judged = spent_budget([step], epsilon)
    assert worst * (1 - 1e-9) <= judged <= delta


def test_a_lower_threshold_breaks_the_printed_delta() -> None:
    """So the test above can fail: with a threshold that is lower by 1 one query of one person passes too often."""
    from dataclasses import replace

    step = selection(1, math.log(10), 1e-3)
    assert step.threshold is not None
    lower = replace(step, threshold=step.threshold - 1)
    assert exact_delta(lower, math.log(10), [1], [0]) > 1e-3
    assert spent_budget([lower], math.log(10))[1] > 1e-3


def test_counts_and_clicks_add_to_the_budget() -> None:
    steps = plan_of(Budget(2.0, 1e-5, "korolova", 3, 10, 0.25, 0.5))
    assert [(step.purpose, step.table) for step in steps] == [
        ("selection", "counts"),
        ("counts", "counts"),
        ("selection", "clicks"),
        ("counts", "clicks"),
    ]
    assert [round(3 / step.scale, 9) for step in steps] == [0.75, 0.25, 0.75, 0.25]
    epsilon, delta = spent_budget(steps, 2.0)
    assert epsilon <= 2.0 < epsilon * (1 + 1e-9)
    assert delta <= 1e-5
