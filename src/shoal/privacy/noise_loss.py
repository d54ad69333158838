"""The privacy loss of recorded noise, computed from the record alone; the noise that a budget requires is not computed here.

Written apart from what methods calculate their noise with. docs/methods/dp-queries.md has the proofs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from shoal.data import patience
from shoal.data.noise_record import COUNTS, EQUAL, GAUSSIAN, GUIDE, LAPLACE, POLICY, SELECTION, WHOLE, NoisyStep

Floats = npt.NDArray[np.float64]

FINE = 2.0**36  # grid points of a standard deviation, from which noise in whole numbers is as good as Gaussian noise
WHOLE_NUMBERS = 4e-9  # what is still lost by that, of epsilon and of delta as a share
CELLS = 512
MOST_NUMBERS, STEPS_A_NUMBER = 10_000_000, 20
ROUNDED_POLICY = 1 + 2.0**-10  # the sensitivity of a policy whose weights are rounded


def faults(step: NoisyStep) -> list[str]:
    """What in a record cannot be, or is missing, so that nothing could be promised of this noise."""
    name = f"the {step.purpose} of {step.table}"
    if step.purpose != GUIDE and (step.cap is None or step.cap < 1):
        return [f"{name} has no cap: nothing limits what one person adds"]
    least = _least_sensitivity(step)
    if least is None:
        return [f"{name} has {step.noise} noise and {step.weights} weights, for which there is no proof"]
    found = []
    if step.sensitivity is None or step.sensitivity < least * (1 - 1e-12):
        found.append(f"{name} has a sensitivity below {least:g}, the largest change that one person can cause")
    if step.purpose == SELECTION and (step.threshold is None or step.threshold < 1):
        found.append(f"{name} has no threshold of at least 1")
    if step.scale <= 0 or (step.noise == GAUSSIAN and step.scale * 2.0**step.grid < FINE):
        found.append(f"{name} has too little noise, or on too coarse a grid")
    return found


def _least_sensitivity(step: NoisyStep) -> float | None:
    """How far one person can move the numbers, in the norm that belongs to the noise; None if no proof is known."""
    cap = step.cap or 0
    return {
        (GUIDE, GAUSSIAN, EQUAL): 1.0,
        (SELECTION, GAUSSIAN, POLICY): ROUNDED_POLICY,
        (SELECTION, GAUSSIAN, EQUAL): 1.0,
        (COUNTS, GAUSSIAN, WHOLE): math.sqrt(cap),
        (SELECTION, LAPLACE, WHOLE): float(cap),
        (COUNTS, LAPLACE, WHOLE): float(cap),
    }.get((step.purpose, step.noise, step.weights))


def given_away(steps: Sequence[NoisyStep], epsilon: float) -> tuple[float, float]:
    """The epsilon and the delta of all steps together, for a record without faults; with Gaussian noise the delta at this epsilon."""
    if {step.noise for step in steps} == {LAPLACE}:
        return sum(step.sensitivity / step.scale for step in steps if step.sensitivity), _laplace_delta(steps)
    return epsilon, _gaussian_delta(steps, epsilon)


# -- Laplace noise


def _laplace_delta(steps: Sequence[NoisyStep]) -> float:
    """The chance that a selection publishes a value of one person alone, who counts `cap` times in all: in one value, or once in each."""
    return min(1.0, sum(_passing(step) for step in steps if step.purpose == SELECTION))


def _passing(step: NoisyStep) -> float:
    assert step.cap is not None
    return max(_laplace_tail(step, step.cap), step.cap * _laplace_tail(step, 1))


def _laplace_tail(step: NoisyStep, count: int) -> float:
    """The chance that discrete Laplace noise lifts this count above the threshold, exactly: a ** (n + 1) / (1 + a)."""
    assert step.threshold is not None
    points = math.ceil(step.threshold * 2**step.grid) - count * 2**step.grid
    if points < 0:
        return 1.0
    rate = -1 / (step.scale * 2.0**step.grid)
    return math.exp(rate * (points + 1)) / (1 + math.exp(rate))


# -- Gaussian noise


def _gaussian_delta(steps: Sequence[NoisyStep], epsilon: float) -> float:
    """Losses of all steps compose; where a selection is the first step, what a person has alone is told apart from what others have."""
    total = sum((step.sensitivity / step.scale) ** 2 for step in steps if step.sensitivity)
    first, *rest = steps
    if first.purpose == SELECTION:
        found = _with_first(first, total, epsilon - WHOLE_NUMBERS)
    else:
        found, rest = _profile(epsilon - WHOLE_NUMBERS, total), list(steps)
    found += sum(_worst_tail(step) for step in rest if step.purpose == SELECTION)
    return min(1.0, found * (1 + WHOLE_NUMBERS))


def _with_first(step: NoisyStep, total: float, epsilon: float) -> float:
    """The most over all shares q of a person's squared weight that may lie on values of nobody else."""
    assert step.cap is not None
    _insist_on_patience(step.cap, CELLS // 2)
    worst = 0.0
    for cell in range(CELLS):
        low, high = cell / CELLS, (cell + 1) / CELLS
        alone = np.arange(1, math.floor(step.cap * high + 1e-6) + 1)
        published = _tail(step, alone, np.sqrt(high / alone)).max(initial=0.0)
        worst = max(worst, _profile(epsilon, max(total - low / step.scale**2, 0.0)) + float(published))
    return worst


def _insist_on_patience(cap: int, times: int) -> None:
    """Raise if a person may count in more numbers than can be gone through, this many times."""
    what = f"adding up the noise of {patience.large(cap)} numbers a person"
    patience.insist_on_room(cap, what, MOST_NUMBERS)
    patience.spend(cap * times * STEPS_A_NUMBER, what)


def _worst_tail(step: NoisyStep) -> float:
    assert step.cap is not None
    _insist_on_patience(step.cap, 1)
    alone = np.arange(1, step.cap + 1)
    return float(_tail(step, alone, 1 / np.sqrt(alone)).max())


def _tail(step: NoisyStep, values: npt.NDArray[np.int64], weights: Floats) -> Floats:
    """The chance that one of this many values of these weights reaches the threshold."""
    from scipy.special import log_ndtr

    assert step.threshold is not None
    below = log_ndtr((step.threshold - weights) / step.scale)
    return np.asarray(-np.expm1(values * below))


def _profile(epsilon: float, squared: float) -> float:
    """The delta of the Gaussian mechanism at this epsilon, where the squared ratio of sensitivity and noise is this."""
    from scipy.special import log_ndtr

    if squared <= 0:
        return 0.0
    mu = math.sqrt(squared)
    first, second = log_ndtr(mu / 2 - epsilon / mu), log_ndtr(-mu / 2 - epsilon / mu)
    return max(0.0, math.exp(first) - math.exp(epsilon + second))
