"""Noise, drawn by OpenDP alone over integers: its samplers use the operating system's entropy and no floating point."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import polars as pl

from shoal.data.bags import Ints
from shoal.data.noise_record import COUNTS, GAUSSIAN, GUIDE, SELECTION, NoisyStep
from shoal.errors import ShoalError
from shoal.packages import insist_on_extra
from shoal.util.numbers import Floats

LARGEST = 2**62  # numbers and noise together stay below 2**63


def with_noise(numbers: Ints, step: NoisyStep) -> Ints:
    """Add independent noise to the numbers, which are multiples of the step's grid."""
    if np.abs(numbers).max(initial=0) >= LARGEST:
        raise ShoalError("the numbers are too large to add noise on this grid", code="number-too-large")
    dp = _opendp()
    scale = step.scale * 2.0**step.grid
    if step.noise == GAUSSIAN:
        mechanism = dp.m.make_gaussian(dp.vector_domain(dp.atom_domain(T="i64")), dp.l2_distance(T="f64"), scale=scale)
    else:
        mechanism = dp.m.make_laplace(dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64"), scale=scale)
    return np.array(mechanism(numbers.tolist()), np.int64)


def _opendp() -> Any:
    insist_on_extra("dp")
    import opendp.prelude as dp

    dp.enable_features("contrib")
    return dp


# Korolova's numbers: the noise and the threshold of a selection by whole counts under Laplace noise.
#
# Korolova, Kenthapadi, Mishra and Ntoulas, "Releasing search queries and clicks privately", WWW 2009.


LESS = 1 - 1e-12  # of epsilon, so that rounding cannot decide whether a judge agrees


def laplace_scale(cap: int, epsilon: float) -> float:
    """Return b, the scale for counts to which a person adds at most `cap`."""
    return cap / (epsilon * LESS)


def korolova_threshold(cap: int, epsilon: float, delta: float) -> float:
    """Return K, the noisy count above which a query is published."""
    return cap * (1 - math.log(2 * delta / cap) / (epsilon * LESS))


# How much Gaussian noise a budget needs, and above which threshold a value may be published.
#
# Balle and Wang, "Improving the Gaussian mechanism for differential privacy", ICML 2018 (the exact loss of the mechanism); Dong, Roth and
# Su,
# "Gaussian differential privacy", JRSS B 2022 (how several compose); Gopi et al., "Differentially private set union", ICML 2020 (the
# threshold). docs/methods/dp-queries.md explains why the two parts of delta need not be added at their worst.


WHOLE_NUMBERS = 4e-9  # of epsilon, and of delta as a share: noise in whole numbers differs so little from Gaussian noise
MARGIN = 1e-6  # of delta as a share, so that rounding cannot decide whether a judge agrees
CELLS = 64  # in which the share of a person's weight that lies on values of nobody else is divided
FACTORS = (1.0005, 1.001, 1.002, 1.004, 1.007, 1.01, 1.015, 1.02, 1.03, 1.04, 1.06)  # more noise than the mechanism alone needs
USUAL = math.log(0.02)  # the logarithm of how much more is often best: with it most others need not be tried in full


@dataclass(frozen=True)
class Selecting:
    """A selection that needs noise: its share of the budget, the maximum number of values per person, and its sensitivity."""

    share: float
    cap: int
    sensitivity: float


@dataclass(frozen=True)
class Selected:
    """A selection's standard deviation and threshold."""

    scale: float
    threshold: float


@dataclass(frozen=True)
class GaussianPlan:
    """The result for each selection; `unit` is the standard deviation for sensitivity 1 with the whole budget."""

    unit: float
    selections: tuple[Selected, ...]

    def scale(self, share: float, sensitivity: float) -> float:
        """Return the standard deviation of a step with this share of the budget."""
        return self.unit * sensitivity / math.sqrt(share)


def loss(epsilon: float, mu: float | Floats) -> Floats:
    """Return the smallest delta for which noise of standard deviation 1/mu times the sensitivity is (epsilon, delta)-private."""
    from scipy.special import ndtr

    mu = np.maximum(np.asarray(mu, np.float64), 1e-9)
    return np.asarray(np.maximum(ndtr(mu / 2 - epsilon / mu) - np.exp(epsilon) * ndtr(-mu / 2 - epsilon / mu), 0.0))


@cache
def least_noise(epsilon: float, delta: float) -> float:
    """Return the smallest standard deviation for sensitivity 1 that is (epsilon, delta)-private."""
    from scipy.optimize import brentq

    return 1 / float(brentq(lambda mu: float(loss(epsilon, mu)) - delta, 1e-6, 1e3, xtol=1e-15))


@cache
def gaussian_plan(epsilon: float, delta: float, selections: tuple[Selecting, ...], guided: bool = False) -> GaussianPlan:
    """Return the noise with which the whole is (epsilon, delta)-private, and its thresholds; the first one is as low as possible.

    If selections are `guided`, a person's contribution depends on noise that was drawn before.
    """
    epsilon, delta = epsilon - WHOLE_NUMBERS, delta * (1 - MARGIN)
    least = least_noise(epsilon, delta)
    best, *others = sorted(FACTORS, key=lambda factor: abs(math.log(factor - 1) - USUAL))
    plan = _PlanTrial(epsilon, delta, least * best, selections, guided).plan()
    for factor in others:
        trial = _PlanTrial(epsilon, delta, least * factor, selections, guided)
        if trial.may_reach(plan.selections[0].threshold):
            plan = min(plan, trial.plan(), key=lambda one: (one.selections[0].threshold, one.unit))
    return plan


class _PlanTrial:
    """The plans with one amount of noise: the probability of publishing a value of one person uses up the rest of delta.

    What does not depend on this probability is computed once: for each share of a person's squared weight on values of nobody else and each
    number of such values, these numbers, their weights, and the privacy loss of the mechanism.
    """

    def __init__(self, epsilon: float, delta: float, unit: float, selections: Sequence[Selecting], guided: bool) -> None:
        self._delta, self._unit, self._selections, self._guided = delta, unit, selections, guided
        self._scales = [unit * one.sensitivity / math.sqrt(one.share) for one in selections]
        self._loss = float(loss(epsilon, 1 / unit))
        if not guided:
            edges = np.arange(CELLS + 1) / CELLS
            moved = loss(epsilon, np.sqrt(np.maximum((1 / unit) ** 2 - edges[:-1] / self._scales[0] ** 2, 0)))
            number, share = np.nonzero(np.arange(1, selections[0].cap + 1)[:, None] <= selections[0].cap * edges[None, 1:] + 1e-6)
            self._values, self._moved, self._unmoved = number + 1, moved[share], float(moved.max())
            self._heights = np.sqrt(edges[share + 1] / self._values)

    def plan(self) -> GaussianPlan:
        """Return the plan with the lowest thresholds."""
        lowest, highest = math.log(self._delta) - 25, math.log(self._delta)
        if self._excess(self._delta) <= 0:
            return self._with_chance(self._delta)
        if self._excess(math.exp(lowest)) > 0:
            return GaussianPlan(self._unit, tuple(Selected(scale, math.inf) for scale in self._scales))
        return self._with_chance(math.exp(_below(lambda logarithm: self._excess(math.exp(logarithm)), lowest, highest)))

    def may_reach(self, threshold: float) -> bool:
        """Whether a plan may have a first threshold that is not higher. Only that of a greater probability is lower."""
        chance = _chance_of(threshold, self._scales[0], self._selections[0].cap)
        return not 0 < chance < self._delta or self._excess(chance) <= 0

    def _with_chance(self, chance: float) -> GaussianPlan:
        caps = [one.cap for one in self._selections]
        thresholds = [float(_thresholds(scale, cap, chance).max()) for scale, cap in zip(self._scales, caps, strict=True)]
        return GaussianPlan(self._unit, tuple(Selected(*found) for found in zip(self._scales, thresholds, strict=True)))

    def _excess(self, chance: float) -> float:
        """Return by how much delta is exceeded; the greater the probability, the more."""
        if self._guided:
            return self._loss + chance * len(self._selections) - self._delta
        return self._first_part(chance) + chance * (len(self._selections) - 1) - self._delta

    def _first_part(self, chance: float) -> float:
        """Return the maximum privacy loss of the whole mechanism and the publication of values of one person only.

        A share q of a person's squared weight on values of nobody else does not change the numbers of others, and there are at most
        q * cap such values.
        """
        from scipy.special import ndtr

        scale = self._scales[0]
        threshold = float(_thresholds(scale, self._selections[0].cap, chance).max())
        passing = ndtr((self._heights - threshold) / scale)
        published = -np.expm1(self._values * np.log1p(-passing))
        return float((self._moved + published).max(initial=self._unmoved))


def _below(excess: Callable[[float], float], lowest: float, highest: float) -> float:
    """Return the largest position found at which the increasing excess is not positive."""
    for _ in range(24):
        middle = (lowest + highest) / 2
        lowest, highest = (middle, highest) if excess(middle) <= 0 else (lowest, middle)
    return lowest


def _thresholds(scale: float, cap: int, chance: float) -> Floats:
    """Return, for 1 to `cap` values of one person only, the threshold above which one of them is published with at most this
    probability.
    """
    from scipy.special import ndtri

    values = np.arange(1, cap + 1)
    each = -np.expm1(np.log1p(-chance) / values)
    return np.asarray(1 / np.sqrt(values) - scale * ndtri(each))


def _chance_of(threshold: float, scale: float, cap: int) -> float:
    """Return the probability for which this is the highest of these thresholds."""
    from scipy.special import ndtr

    values = np.arange(1, cap + 1)
    each = ndtr((1 / np.sqrt(values) - threshold) / scale)
    return float((-np.expm1(values * np.log1p(-each))).max())


# -- which noisy numbers are published, and in which form: the same wherever noise is drawn


PROMISING = 1.5  # standard deviations of its noise that the guide's number of a value must have for the value to be taken further


def limit_of(step: NoisyStep) -> float:
    """Return the noisy number, in multiples of the grid, above which a value is kept or published; counts are always published."""
    if step.purpose == GUIDE:
        return PROMISING * step.scale * 2.0**step.grid
    if step.purpose == SELECTION:
        assert step.threshold is not None
        return float(np.ceil(step.threshold * 2.0**step.grid))
    return -math.inf


def as_published(noisy: Ints, step: NoisyStep) -> pl.Series:
    """Return counts as integers, and the weights of a selection with one decimal digit."""
    numbers = noisy / 2.0**step.grid
    return pl.Series(np.rint(numbers).astype(np.int64) if step.purpose == COUNTS else np.round(numbers, 1))
