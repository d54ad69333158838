"""The noise itself: drawn by OpenDP, of the distribution that is recorded, and fresh. Tests of chance fail once in a million runs."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from scipy.stats import binom, chisquare, laplace, norm

from helpers.errors import refuses
from shoal.data.noise_record import NoisyStep
from shoal.noise.budget_plan import Budget, plan_of
from shoal.noise.mechanisms import with_noise

FALSE_ALARM = 1e-6
DRAWS = 8_000
CELLS = 20


def step(noise: str, scale: float, grid: int) -> NoisyStep:
    return NoisyStep("counts", "counts", noise, "whole", scale, grid, 1, 1.0)


@pytest.mark.parametrize(("noise", "distribution"), [("gaussian", norm), ("laplace", laplace)])
@pytest.mark.parametrize(("scale", "grid"), [(1.4, 47), (35.0, 32), (2.0, 20)])
def test_the_noise_fits_what_is_recorded(noise: str, distribution: object, scale: float, grid: int) -> None:
    """Twenty cells of equal probability."""
    drawn = with_noise(np.full(DRAWS, 7 << grid), step(noise, scale, grid)) / 2.0**grid - 7
    cells = np.floor(distribution.cdf(drawn / scale) * CELLS).astype(int)  # type: ignore[attr-defined]
    assert chisquare(np.bincount(cells, minlength=CELLS)).pvalue > FALSE_ALARM


def test_the_test_of_fit_can_fail() -> None:
    drawn = with_noise(np.zeros(DRAWS, np.int64), step("gaussian", 1.2, 30)) / 2.0**30
    cells = np.floor(norm.cdf(drawn) * CELLS).astype(int)
    assert chisquare(np.bincount(cells, minlength=CELLS)).pvalue < FALSE_ALARM


def test_discrete_laplace_noise_has_its_exact_probabilities() -> None:
    drawn = with_noise(np.zeros(DRAWS, np.int64), step("laplace", 1.5, 0))
    a = math.exp(-1 / 1.5)
    points = np.arange(-4, 5)
    expected = (1 - a) / (1 + a) * a ** np.abs(points)
    counted = np.array([(drawn == n).sum() for n in points])
    rest = DRAWS - counted.sum()
    assert chisquare([*counted, rest], [*(expected * DRAWS), DRAWS * (1 - expected.sum())]).pvalue > FALSE_ALARM


@pytest.mark.parametrize("mechanism", ["policy", "weighted", "korolova"])
def test_a_value_of_one_person_alone_is_published_with_a_chance_of_delta_at_most(mechanism: str) -> None:
    (chosen,) = plan_of(Budget(3.0, 0.01, mechanism, 1, 10, 0.0, 0.0))
    assert chosen.threshold is not None
    unit = 2.0**chosen.grid
    noisy = with_noise(np.full(DRAWS, int(unit)), chosen)
    shown = int((noisy > math.ceil(chosen.threshold * unit)).sum())
    assert shown <= binom.isf(FALSE_ALARM, DRAWS, 0.01)
    assert shown >= binom.ppf(FALSE_ALARM, DRAWS, 0.004)  # nor is the threshold far above what is needed


def test_noise_is_fresh() -> None:
    numbers = np.zeros(50, np.int64)
    first, second = (with_noise(numbers, step("gaussian", 1.0, 40)) for _ in range(2))
    assert not np.array_equal(first, second)


def test_numbers_that_noise_could_wrap_around_are_refused() -> None:
    with refuses("number-too-large"):
        with_noise(np.array([2**62]), step("gaussian", 1.0, 30))


def test_without_opendp_there_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opendp", None)
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    with refuses("missing-package", extra="dp"):
        with_noise(np.zeros(1, np.int64), step("gaussian", 1.0, 30))
