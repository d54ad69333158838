"""Forecasts for all people from samples of growing size: how much is kept, how many people an attacker finds, and the time of a run.

**What is kept.** A sample has fewer frequent items than all of the data, so less is kept of it. Two models extrapolate the measured shares:

1. The share grows with every doubling of the sample as before. If its growth slowed down, it slows down further.
2. The odds of the share grow by a factor with every doubling. If the factor fell, it falls further.

The forecast is the mean of both models. Its range contains both, and is widened in three ways. It includes the result of a constant factor.
It includes at least a third more and a third less growth than expected. It grows by the error of the same forecast for the last sample from
the earlier ones; with only two samples, by half of the expected growth. A method whose result jumps between samples therefore gets a wide
range. The range is printed, and a wide one is called uncertain.

**Time.** The time of a run has a fixed part and a part that grows with a power of the number of people. Both are fitted to all samples. A
small error in short times changes the power a lot, so a power far from 1 is used only if the samples agree on it.

**Risk.** Where no claim bounds the risk, the risk of a sample is too low: an attacker of all people also knows items that are published
of all people, but not of the sample. The odds of being found are assumed to grow with every doubling as they did over the last three
samples. On a generated log of 12,000 people, this forecast is 100% for coherence with p = 1, where 87% are found, and 0.5% with p = 2,
where 0.6% are. It is an estimate, and too low for much smaller samples.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from shoal.attacks.conclusion import EASILY_KNOWN, PERSON
from shoal.attacks.outcome import Interval

Reals = npt.NDArray[np.float64]

TARGETS = 200  # people who are attacked, at most
DAMPING = 0.9  # of the growth of what is kept, for every further doubling, if two samples do not show it
LEAST_DAMPING = 0.75
LEAST_DAMPING_OF_ODDS = 0.85
AT_LAST = 2  # doublings by which growth is measured
OF_GROWTH = 1 / 3  # part of the growth that is expected, by which forecasts are wrong even where both models agree
NARROW = 0.5  # of the expected value, the widest range of a forecast that is not called uncertain
ALONE = 0.5  # part of the expected value by which a forecast from a single sample may be wrong
POWERS, POWER_STEP = (0.7, 2.0), 0.05  # of the number of people by which time grows, at least and at most
POWER_SPREAD = 0.2  # how far from 1 such a power usually is
NOISE, NOISE_SECONDS, SHORTEST = 0.1, 0.03, 1e-3  # by which a time is usually wrong: a share of it, and seconds; the shortest one
LEAST_GROWING = 0.3  # part of the time of a sample that grows with the number of people, at least
ROW = "a row"  # of which an attacker knows all quasi-identifiers
HOPE, FEW = 3.0, 3  # by how much the risk of the first samples, which are few, may be larger than that of all people


@dataclass(frozen=True)
class SampleTrial:
    """A release of one sample: what is left (`kept`, of `what`), how much of it is one level up (`near`), whom an attacker finds.

    `seconds` is the time of the run, `took` that of the whole trial with the attack.
    """

    people: int
    seconds: float
    kept: float | None
    what: str
    near: float | None
    risk: Interval | None
    of: str
    why_not: str
    records: int = 0
    items: int = 0
    took: float = 0.0


@dataclass(frozen=True)
class Measured:
    """The result of a route.

    Attributes:
        seconds: How long the trials took.
        kept: The share that is published as it was, of the largest sample.
        what: Of what `kept` is a share.
        near: The share that is to be expected to be published one level up, where there is a taxonomy.
        risk: The share of people found by the attacker, with its interval; of the largest sample.
        expected: The risk that is to be expected of all people.
        hoped: The risk of all people if it falls as it did from sample to sample; what is worth trying on more people.
        expected_kept: What is to be expected to be kept of all people.
        kept_between: The least and the most that may be kept of all people.
        expected_seconds: How long the whole command is expected to take.
        people: The number of people in the largest sample.
        samples: How many samples were tried.
        whole: Whether the largest sample is all of the data.
        why_not: Why something could not be measured.
        of: Of what four items are known: of a person, or of one of a person's records; `ROW` where a row of a table is known.
    """

    seconds: float
    kept: float | None = None
    what: str = ""
    near: float | None = None
    risk: Interval | None = None
    expected: float | None = None
    hoped: float | None = None
    expected_kept: float | None = None
    kept_between: tuple[float, float] | None = None
    expected_seconds: float | None = None
    people: int = 0
    samples: int = 0
    whole: bool = False
    why_not: str = ""
    of: str = PERSON

    def known(self, items: str = "items") -> str:
        """Return what the attacker knows, in words."""
        return "all quasi-identifiers of a person" if self.of == ROW else f"{EASILY_KNOWN[0].items} {items} of {self.of}"

    @property
    def uncertain(self) -> bool:
        """Whether the range of what may be kept is too wide to rely on the expected value."""
        if self.whole or self.kept_between is None or self.expected_kept is None:
            return False
        least, most = self.kept_between
        return most - least > NARROW * self.expected_kept


# -- shares of the data


@dataclass(frozen=True)
class ExpectedShare:
    """An expected share of all data, and its range."""

    expected: float
    least: float
    most: float


def expected_share(people: Sequence[int], shares: Sequence[float | None], doublings: float) -> ExpectedShare | None:
    """Forecast a share for all people, whose number is the last sample doubled `doublings` times; None if no sample has one."""
    known = [(math.log2(many), share) for many, share in zip(people, shares, strict=True) if share is not None]
    if not known:
        return None
    last = known[-1][1]
    if doublings <= 0:
        return ExpectedShare(last, last, last)
    if len(known) < 2:
        return ExpectedShare(last, last * (1 - ALONE), min(1.0, last * (1 + ALONE)))
    expected = _mean_of_models(known, doublings)
    growth = abs(expected - last)
    # Two samples show that the share grows, but not how that goes on.
    wrong = growth / 2 if len(known) == 2 else _error_before(known, doublings)
    models = _linear(known, doublings), _by_odds(known, doublings, damped=True), _by_odds(known, doublings, damped=False)
    least, most = min(*models, expected - OF_GROWTH * growth), max(*models, expected + OF_GROWTH * growth)
    return ExpectedShare(expected, max(0.0, least - wrong), min(1.0, most + wrong))


def _error_before(known: Sequence[tuple[float, float]], doublings: float) -> float:
    """Return by how much the forecast of the last sample from those before it was wrong, over as many doublings as there are now, at most
    one.
    """
    before, (size, share) = known[:-1], known[-1]
    step = size - before[-1][0]
    return abs(_mean_of_models(before, step) - share) * min(1.0, doublings / step)


def _mean_of_models(known: Sequence[tuple[float, float]], doublings: float) -> float:
    return (_linear(known, doublings) + _by_odds(known, doublings, damped=True)) / 2


def _linear(known: Sequence[tuple[float, float]], doublings: float) -> float:
    """Extrapolate a share by its growth per doubling of the sample, with decreasing growth if it decreased before."""
    growth = [(y - x) / (b - a) for (a, x), (b, y) in pairwise(known)]
    damping = DAMPING if len(growth) < 2 else _damping(growth, LEAST_DAMPING)
    recent = growth[-AT_LAST:]
    return float(np.clip(known[-1][1] + sum(recent) / len(recent) * _damped(doublings, damping), 0.0, 1.0))


def _damped(doublings: float, damping: float) -> float:
    """Return the number of steps that doublings count as, if each counts less than the one before by this factor."""
    return doublings if damping == 1 else damping * (1 - damping**doublings) / (1 - damping)


def _damping(growth: Sequence[float], least: float) -> float:
    """Return the factor of the growth from doubling to doubling: at most 1 and not below `least`."""
    first, last = abs(growth[0]), abs(growth[-1])
    factor = (last / first) ** (1 / (len(growth) - 1)) if first > 0 else 1.0
    return float(np.clip(factor, least, 1.0))


def _by_odds(known: Sequence[tuple[float, float]], doublings: float, *, damped: bool) -> float:
    """Extrapolate a share by the growth of its odds per doubling of the sample, or by less each time; it never passes 0 or 1."""
    recent = [(size, _log_odds(share)) for size, share in known[-AT_LAST - 1 :]]
    growth = [(y - x) / (b - a) for (a, x), (b, y) in pairwise(recent)]
    damping = _damping(growth, LEAST_DAMPING_OF_ODDS) if damped and len(growth) > 1 else 1.0
    return _from_log_odds(recent[-1][1] + sum(growth) / len(growth) * _damped(doublings, damping))


def _log_odds(share: float) -> float:
    within = min(max(share, 1e-4), 1 - 1e-4)
    return math.log(within / (1 - within))


def _from_log_odds(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))


# -- risk


def expected_risk(rates: Sequence[float], doublings: float, *, bounded: bool) -> float | None:
    """Return the expected risk of all people: that of the sample, or more if it grows with the number of people.

    The odds of being found are taken to grow with every doubling as they did over the last three samples; one person found or not found by
    chance is no growth.
    """
    if not rates:
        return None
    if bounded or doublings <= 0:
        return rates[-1]
    odds = [_odds(rate) for rate in rates[-3:]]
    growth = max(0.0, (odds[-1] - odds[0]) / (len(odds) - 1)) if len(odds) > 1 else 1.0
    return max(rates[-1], _from_log_odds(odds[-1] + growth * doublings))


def hoped_risk(rates: Sequence[float], doublings: float) -> float | None:
    """Return the risk of all people if it keeps falling with more people as in the last samples; a guess from few samples."""
    if not rates or doublings <= 0:
        return rates[-1] if rates else None
    odds = [_odds(rate) for rate in rates[-3:]]
    growth = (odds[-1] - odds[0]) / max(1, len(odds) - 1)
    continued = _from_log_odds(odds[-1] + growth * doublings)
    return min(continued, rates[-1] / HOPE) if len(rates) < FEW else continued


def _odds(rate: float) -> float:
    """Return the logarithm of the odds; one person more or less makes no difference at the ends."""
    return math.log((rate * TARGETS + 0.5) / (TARGETS - rate * TARGETS + 0.5))


# -- time


def expected_seconds(people: Sequence[int], seconds: Sequence[float], total: int, work: Callable[[int], float]) -> float:
    """Forecast the time for `total` people: a fixed part, and one that grows with a power of their number.

    Args:
        people: The sizes of the samples, growing.
        seconds: The time that each of them took.
        total: The number of all people.
        work: The work per person for a number of people, which may decrease with the number.
    """
    time, load = max(seconds[-1], SHORTEST), np.array([many * work(many) for many in people], float)
    ahead = total * work(total) / load[-1]
    if total <= people[-1] or ahead <= 1:
        return time
    # A sample that took longer than a larger one had something to load.
    alone = [n for n, one in enumerate(seconds) if one <= min(seconds[n:])]
    fixed, growing, power = _fitted(load[alone] / load[-1], np.maximum([seconds[n] for n in alone], SHORTEST))
    return float(time * (fixed + growing * ahead**power) / (fixed + growing))


def _fitted(load: Reals, seconds: Reals) -> tuple[float, float, float]:
    """Return the fixed part, the growing part of the last sample, and the power of the load by which it grows, that fit the samples best.

    Short times are measured badly, so a power is the less likely, the further from 1 it is.
    """
    found = []
    for power in np.arange(POWERS[0], POWERS[1] + POWER_STEP / 2, POWER_STEP).tolist():
        fixed, growing = _parts(load**power, seconds)
        off = (fixed + growing * load**power - seconds) / (NOISE * seconds + NOISE_SECONDS)
        found.append((float((off**2).sum()) + ((power - 1) / POWER_SPREAD) ** 2, fixed, growing, power))
    _, fixed, growing, power = min(found)
    return fixed, growing, power


def _parts(grown: Reals, seconds: Reals) -> tuple[float, float]:
    """Return the fixed part and the factor of what has grown, by least squares of the errors of samples; neither is negative."""
    weights = 1 / (NOISE * seconds + NOISE_SECONDS) ** 2
    mean, time = np.average(grown, weights=weights), np.average(seconds, weights=weights)
    spread = float((weights * (grown - mean) ** 2).sum())
    growing = float((weights * (grown - mean) * (seconds - time)).sum()) / spread if spread else float(seconds[-1])
    growing = max(growing, LEAST_GROWING * float(seconds[-1]))
    fixed = float(time - growing * mean)
    if fixed >= 0:
        return fixed, growing
    return 0.0, float((weights * grown * seconds).sum() / (weights * grown**2).sum())
