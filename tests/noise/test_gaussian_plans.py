"""Noise and thresholds of the l2 norm, against the definition: probabilities by scipy's normal distribution, on a finer grid."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from shoal.data.noise_record import NoisyStep
from shoal.noise.budget_plan import Budget, plan_of
from shoal.noise.mechanisms import FACTORS, Selecting, _PlanTrial, gaussian_plan, least_noise
from shoal.privacy.differential_privacy import spent_budget

BUDGETS = [
    Budget(3.0, 1e-5, "policy", 64, 10, 0.0, 0.0),
    Budget(3.0, 1e-5, "weighted", 1, 10, 0.0, 0.0),
    Budget(1.0, 1e-6, "policy", 64, 10, 0.2, 0.0),
    Budget(0.1, 1e-9, "weighted", 7, 3, 0.5, 0.4),
    Budget(10.0, 1e-3, "policy", 300, 20, 0.1, 0.3),
    Budget(20.0, 0.01, "policy", 64, 10, 0.2, 0.0),
    Budget(0.001, 1e-15, "policy", 64, 10, 0.2, 0.2),
    Budget(3.0, 1e-5, "policy", 64, 10, 0.0, 0.0, 0.2),
    Budget(1.0, 1e-6, "weighted", 64, 10, 0.2, 0.4, 0.3),
]


def delta_of(epsilon: float, mu: Any) -> Any:
    """Balle and Wang, theorem 8."""
    mu = np.maximum(mu, 1e-9)
    return norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu)


def published(step: NoisyStep, values: Any, weight: Any) -> Any:
    """The chance that one of so many values of one person alone, each of this weight, is published."""
    assert step.threshold is not None
    return -np.expm1(values * np.log1p(-norm.sf((step.threshold - weight) / step.scale)))


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_no_person_costs_more_than_the_budget(budget: Budget) -> None:
    """Whatever share of a person's weight is on values of nobody else, and however many those are."""
    steps = plan_of(budget)
    total = sum((step.sensitivity / step.scale) ** 2 for step in steps if step.sensitivity)
    selections = [step for step in steps if step.purpose == "selection"]
    first, rest = selections[0], selections[0 if budget.guide else 1 :]
    every = np.arange(1, budget.cap + 1)
    beside = sum(published(step, every, 1 / np.sqrt(every)).max() for step in rest)
    worst = delta_of(budget.epsilon, math.sqrt(total))
    for alone in every[:: max(1, budget.cap // 16)]:
        q = np.linspace(alone / budget.cap, 1, 700)
        moved = np.sqrt(np.maximum(0.0, total - q / first.scale**2))
        told = 0 if budget.guide else published(first, alone, np.sqrt(q / alone))  # after a guide it stands in `beside`
        worst = max(worst, (delta_of(budget.epsilon, moved) + told).max())
    assert worst + beside <= budget.delta
    epsilon, judged = spent_budget(steps, budget.epsilon)
    assert epsilon == budget.epsilon
    assert worst + beside <= judged <= budget.delta


def test_nothing_of_the_budget_is_wasted_where_a_person_has_one_value() -> None:
    """With a cap of 1 and a value of one person alone all of delta is the chance that it is published."""
    (step,) = plan_of(Budget(3.0, 1e-5, "weighted", 1, 10, 0.0, 0.0))
    assert published(step, 1, 1.0) == pytest.approx(1e-5, rel=1e-4)


def test_noise_is_the_least_that_balle_and_wang_allow() -> None:
    for epsilon, delta in ((3.0, 1e-5), (0.5, 1e-8)):
        assert delta_of(epsilon, 1 / least_noise(epsilon, delta)) == pytest.approx(delta, rel=1e-6)


@pytest.mark.parametrize("change", [{"threshold": 0.98}, {"scale": 0.98}], ids=str)
@pytest.mark.parametrize("budget", BUDGETS[:4], ids=str)
def test_less_noise_or_a_lower_threshold_is_too_much_for_the_judge(budget: Budget, change: dict[str, float]) -> None:
    from dataclasses import replace

    steps = list(plan_of(budget))
    ((name, factor),) = change.items()
    steps[0] = replace(steps[0], **{name: getattr(steps[0], name) * factor})
    assert spent_budget(steps, budget.epsilon)[1] > budget.delta


def test_grids_are_fine_enough_and_leave_room_for_many_people() -> None:
    for budget in BUDGETS:
        for step in plan_of(budget):
            assert step.scale * 2.0**step.grid >= 2.0**36
            assert step.weights == "policy" or 2.0**62 / 2.0**step.grid >= 5e6


def test_discrete_noise_on_such_a_grid_is_rounded_gaussian_noise() -> None:
    """The bound on the ratio of both probabilities that the docs prove: 201 / scale ** 2 in the exponent."""
    scale = 30.0
    points = np.arange(40 * 30 + 1)
    exponents = -(points**2) / (2 * scale**2)
    discrete = exponents - np.log(2 * np.exp(exponents).sum() - 1)
    above, below = norm.logsf((points - 0.5) / scale), norm.logsf((points + 0.5) / scale)
    rounded = above + np.log1p(-np.exp(below - above))
    assert np.abs(discrete - rounded).max() <= 201 / scale**2


@pytest.mark.parametrize("guided", [False, True])
@pytest.mark.parametrize(("epsilon", "delta", "count", "cap"), [(0.5, 1e-6, 1, 1), (1, 1e-6, 3, 64), (3, 1e-9, 2, 8), (8, 1e-4, 5, 300)])
def test_no_amount_of_noise_that_is_tried_has_a_lower_threshold(epsilon: float, delta: float, count: int, cap: int, guided: bool) -> None:
    """Amounts of noise that are left out early could not have been better."""
    selections = (Selecting(0.8 / count, cap, 1.0),) * count
    found = gaussian_plan.__wrapped__(epsilon, delta, selections, guided)
    least = least_noise(epsilon - 4e-9, delta * (1 - 1e-6))
    every = [_PlanTrial(epsilon - 4e-9, delta * (1 - 1e-6), least * factor, selections, guided).plan() for factor in FACTORS]
    assert found == min(every, key=lambda plan: plan.selections[0].threshold)
