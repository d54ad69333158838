"""The outcome of an attack: rates with intervals, compared with guessing, a control group and the guaranteed bound."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any, Literal

import numpy as np

from shoal.attacks import Attack, Chances, Test, Trial
from shoal.data.bags import Ints

# -- confidence intervals of rates


Z = 1.959963984540054  # two-sided, 95%


@dataclass(frozen=True)
class Interval:
    """A rate with its 95% confidence interval."""

    rate: float
    low: float
    high: float


def wilson(hits: float, n: int) -> Interval:
    """Return the Wilson interval of a rate. Hits may be a sum of probabilities: their variance is at most that of as many binary outcomes.

    Without trials the interval is from 0 to 1.
    """
    if n == 0:
        return Interval(0.0, 0.0, 1.0)
    rate, square = hits / n, Z * Z
    centre = (rate + square / (2 * n)) / (1 + square / n)
    reach = Z / (1 + square / n) * sqrt(rate * (1 - rate) / n + square / (4 * n * n))
    return Interval(rate, max(0.0, centre - reach), min(1.0, centre + reach))


# -- outcomes


Standing = Literal["within the promise", "may be above the promise", "ABOVE THE PROMISE", "nothing promised"]

WORST = 0.01  # the share of people who are hit worst
ROUNDING = 1e-9  # relative error of a mean of chances, with room to spare


@dataclass(frozen=True)
class Sure:
    """The people of whom the attacker is certain: the share of correct guesses, and the share of all people found this way."""

    precision: float | None
    recall: float


@dataclass(frozen=True)
class Outcome:
    """The outcome of one attack with one kind of knowledge on one subject, the original or the release.

    `worst` is the rate among the most affected share of people; `by_length` has the rates of people with short, medium and long records.
    `everybody`: everybody with a published record was attacked and the mapping is known, so the rate is exact.
    """

    subject: str
    attack: str
    test: Test
    knowledge: str
    targets: int
    success: Interval
    worst: float
    by_length: tuple[tuple[str, int, float], ...]
    baseline: float
    controls: int
    control: Interval | None
    sure: Sure | None
    ceiling: float | None
    everybody: bool = False

    @property
    def excess(self) -> float | None:
        """By how much the success rate of published people exceeds that of the control group; may be negative."""
        return None if self.control is None else self.success.rate - self.control.rate

    @property
    def standing(self) -> Standing:
        """The interval, or the exact rate if everybody was attacked, compared with the guaranteed bound."""
        return standing_of(self.success, self.ceiling, everybody=self.everybody)

    def as_dict(self) -> dict[str, Any]:
        """Return the content as JSON values."""
        control = None if self.control is None else [self.control.rate, self.control.low, self.control.high]
        return {
            "subject": self.subject,
            "attack": self.attack,
            "test": self.test,
            "knowledge": self.knowledge,
            "targets": self.targets,
            "everybody": self.everybody,
            "success": [self.success.rate, self.success.low, self.success.high],
            "worst_hit": self.worst,
            "by_length": [{"items": items, "people": n, "success": rate} for items, n, rate in self.by_length],
            "baseline": self.baseline,
            "controls": self.controls,
            "control": control,
            "excess": self.excess,
            "precision_when_sure": self.sure.precision if self.sure else None,
            "recall_when_sure": self.sure.recall if self.sure else None,
            "ceiling": self.ceiling,
            "verdict": self.standing,
        }


def standing_of(success: Interval, ceiling: float | None, *, everybody: bool = False) -> Standing:
    """Compare an interval, or the exact rate if everybody was attacked, with the guaranteed maximum rate, if any."""
    if ceiling is None:
        return "nothing promised"
    if ceiling == 0:  # what must never happen is counted, not estimated: one case is too many, and none is as promised
        return "ABOVE THE PROMISE" if success.rate > 0 else "within the promise"
    if everybody:  # no sample, so no interval; equal rates may differ in the last digits of their sums
        return "ABOVE THE PROMISE" if success.rate > ceiling * (1 + ROUNDING) else "within the promise"
    if success.low > ceiling:
        return "ABOVE THE PROMISE"
    return "may be above the promise" if success.high > ceiling else "within the promise"


def outcome(subject: str, attack: Attack, trial: Trial, lengths: Ints, control: Trial | None, ceiling: float | None) -> Outcome:
    """Return the outcome of a trial on people with records of these lengths, with that of a control group."""
    n = len(trial.success)
    unpublished = None if control is None or not len(control.success) else control
    return Outcome(
        subject=subject,
        attack=attack.name,
        test=attack.test,
        knowledge=trial.knowledge,
        targets=n,
        success=wilson(float(trial.success.sum()), n),
        worst=float(np.sort(trial.success)[n - max(1, round(WORST * n)) :].mean()) if n else 0.0,
        by_length=_by_length(trial.success, lengths),
        baseline=trial.baseline,
        controls=0 if unpublished is None else len(unpublished.success),
        control=None if unpublished is None else wilson(float(unpublished.success.sum()), len(unpublished.success)),
        sure=_sure(trial),
        ceiling=ceiling,
    )


def _sure(trial: Trial) -> Sure | None:
    if trial.claimed is None:
        return None
    right, claims = float(trial.success[trial.claimed].sum()), int(trial.claimed.sum())
    return Sure(right / claims if claims else None, right / max(1, len(trial.success)))


def _by_length(success: Chances, lengths: Ints) -> tuple[tuple[str, int, float], ...]:
    """Return the rates of three classes of about equal size by record length."""
    if not len(success):
        return ()
    limits = np.unique(np.quantile(lengths, [1 / 3, 2 / 3], method="lower"))
    parts = np.searchsorted(limits, lengths)
    found = []
    for part in np.unique(parts):
        members = parts == part
        low, high = int(lengths[members].min()), int(lengths[members].max())
        found.append((f"{low}" if low == high else f"{low} to {high}", int(members.sum()), float(success[members].mean())))
    return tuple(found)
