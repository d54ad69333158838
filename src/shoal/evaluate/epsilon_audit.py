"""A lower bound on epsilon by experiment: people are planted in data, and an attacker guesses from the release who took part.

Steinke, Nasr and Jagielski, "Privacy auditing with one (1) training run", NeurIPS 2023. Every canary is a person of whom a fair coin
decides whether they take part. The attacker names the r canaries that most probably do. If the release is (epsilon, delta)-differentially
private, the number of right names is at most a binomial number with probability e^epsilon / (1 + e^epsilon), up to a part that depends on
delta; so a larger number rejects this epsilon, with a stated confidence. It is a test of the whole program: noise of half the scale is
found.

The canaries are placed where they show most: a canary has one value, which so many other people have that it is published once in a while.
How many that are is tried before; the bound holds wherever canaries are placed.

The loss of Gaussian noise at a small delta is in tails that no affordable number of canaries shows. For such noise there is a second bound:
every canary has its own value and people, so names are right and wrong independently, and exact intervals of both rates (Clopper and
Pearson) bound the ratio mu of sensitivity and noise from below, from which epsilon follows at the claimed delta (Dong, Roth and Su, JRSS B
2022; Nasr et al., USENIX Security 2023).
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.data.bags import Ints
from shoal.data.log import Log
from shoal.data.noise_record import DIVISIONS, GAUSSIAN, LAPLACE, SELECTION
from shoal.data.original import LogOriginal
from shoal.data.release import Release
from shoal.data.tables.column_types import ITEMS
from shoal.data.tables.counts import COUNT, CountTable
from shoal.data.taxonomy import Taxonomy
from shoal.errors import ParameterError
from shoal.evaluate.option_defaults import CanaryDraw
from shoal.methods import METHODS, Method
from shoal.noise.bounded_tree import bounded_tree
from shoal.noise.mechanisms import loss
from shoal.util.binomial import lower_bound, upper_bound
from shoal.util.numbers import Floats

Mask = npt.NDArray[np.bool_]

OFTEN = 0.5  # how often the value of a canary who does not take part should be published; below it, many names are guesses
TRIED = 50  # values by which it is tried how large a crowd must be for that
LARGEST = 60.0  # epsilon that is looked for


@dataclass(frozen=True)
class EpsilonAudit:
    """The result: the claim, the lower bound, and the guesses that it follows from.

    Attributes:
        method: The method.
        claimed: The epsilon that is claimed.
        delta: The delta that is claimed.
        epsilon: What epsilon is at least, with this confidence.
        confidence: The confidence of the lower bound.
        canaries: How many people were planted in all runs.
        named: How many of them the attacker named.
        right: How many of these took part.
        present: How many of all canaries took part.
        gaussian: What epsilon is at least if the noise is Gaussian, as the method states; None if it states other noise.
    """

    method: str
    claimed: float
    delta: float
    epsilon: float
    confidence: float
    canaries: int
    named: int
    right: int
    present: int
    gaussian: float | None = None

    @property
    def holds(self) -> bool:
        """Whether the experiment does not contradict the claim."""
        return max(self.epsilon, self.gaussian or 0.0) <= self.claimed


def audit_epsilon(method: Method, draw: CanaryDraw) -> EpsilonAudit:
    """Run the method on data with canaries, and return the lower bound on epsilon. Raise for a method without noise."""
    claimed = next((claim.values() for claim in method.claims() if "epsilon" in claim.values()), None)
    if claimed is None or not method.noisy_steps():
        raise ParameterError(f"the method {method.name} adds no noise", code="option-not-applicable", hint="audit dp-queries")
    named, right, inside, canaries = max(1, round(draw.named * draw.canaries)), 0, 0, CANARIES[method.name](method)
    for run in range(draw.runs):
        coins = random.Random(f"{draw.seed} {run}")
        present = np.array([coins.random() < 0.5 for _ in range(draw.canaries)])
        scores = canaries.scores(present)
        ties = np.array([coins.random() for _ in range(draw.canaries)])
        chosen = np.lexsort((ties, -scores))[:named]
        right += int(present[chosen].sum())
        inside += int(present.sum())
    total, names, delta = draw.runs * draw.canaries, draw.runs * named, claimed["delta"]
    epsilon = epsilon_bound(right, names, total, delta, draw.confidence)
    gaussian = {step.noise for step in method.noisy_steps()} == {GAUSSIAN}
    further = gaussian_bound((right, inside), (names - right, total - inside), delta, draw.confidence) if gaussian else None
    return EpsilonAudit(method.name, claimed["epsilon"], delta, epsilon, draw.confidence, total, names, right, inside, further)


def epsilon_bound(right: int, named: int, canaries: int, delta: float, confidence: float) -> float:
    """Return the largest epsilon that so many right names reject with this confidence; 0 if they reject none."""
    if chance_of(right, named, canaries, 0.0, delta) > 1 - confidence:
        return 0.0
    low, high = 0.0, LARGEST
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if chance_of(right, named, canaries, middle, delta) <= 1 - confidence else (low, middle)
    return low


def chance_of(right: int, named: int, canaries: int, epsilon: float, delta: float) -> float:
    """Return how probable so many right names are at most under (epsilon, delta)-differential privacy (Theorem 5.2 of the paper)."""
    from scipy.stats import binom

    share = 1 / (1 + math.exp(-epsilon))
    found = float(binom.sf(right - 1, named, share))
    if not delta:
        return found
    steps = np.arange(1, max(2, right + 1))  # fewer than v - i right names have probability 0 from i = v on
    between = binom.cdf(right - 1, named, share) - binom.cdf(right - 1 - steps, named, share)
    return found + 2 * canaries * delta * float((between / steps).max())


def gaussian_bound(found: tuple[int, int], alarms: tuple[int, int], delta: float, confidence: float) -> float:
    """Return what epsilon of Gaussian noise is at least, from the named among those who took part and among the others."""
    from scipy.optimize import brentq
    from scipy.special import ndtri

    each = (1 + confidence) / 2
    high, low = lower_bound(*found, each), upper_bound(*alarms, each)
    mu = float(ndtri(high) - ndtri(low)) if high > 0 and low < 1 else 0.0
    if mu <= 0 or float(loss(0.0, mu)) <= delta:
        return 0.0
    return float(brentq(lambda epsilon: float(loss(epsilon, mu)) - delta, 0.0, LARGEST))


# -- canaries of a method


class CountedCanaries:
    """Canaries of a method that publishes noisy counts: each has one value, which a crowd of other people has too."""

    def __init__(self, method: Method) -> None:
        self._method = method
        self._step = next(step for step in method.noisy_steps() if step.purpose == SELECTION)
        assert self._step.threshold is not None
        sizes = np.repeat(np.arange(math.ceil(self._step.threshold) + 2), TRIED)
        published = np.isfinite(self._run(sizes, np.zeros(len(sizes), bool))).reshape(-1, TRIED).mean(axis=1)
        self._crowd = int(np.argmax(published >= OFTEN)) if (published >= OFTEN).any() else len(published) - 1

    def scores(self, present: Mask) -> Floats:
        """Return the published count of each canary's value, minus infinity where it is not published."""
        return self._run(np.full(len(present), self._crowd), present)

    def _run(self, crowds: Ints, present: Mask) -> Floats:
        """Make a release of the values with these crowds and, where they take part, canaries."""
        step = self._step
        times = step.cap if step.noise == LAPLACE and step.cap is not None else 1  # as much as one person may add to a value
        log, names = planted(crowds, present, times)
        return published_counts(self._method.apply(LogOriginal(log)), names)


class DividedCanaries:
    """Canaries of a method that divides people along a public taxonomy, which lists the values of all canaries.

    The crowd is so large that every value is reached by the divisions, whose noise is known; the count of its people is what shows most.
    """

    def __init__(self, method: Method) -> None:
        self._method = method

    def scores(self, present: Mask) -> Floats:
        """Return the published count of each canary's value, minus infinity where it is not published."""
        values = self._method.values()
        _, names = planted(np.zeros(len(present), np.int64), present, 1)
        taxonomy = Taxonomy.from_parents({"anything": None, **dict.fromkeys(names, "anything")})
        steps = bounded_tree(taxonomy, values["fanout"]).most_steps((0,), values["cap"])
        noise = next(step.scale for step in self._method.noisy_steps() if step.purpose == DIVISIONS)
        crowd = math.ceil(steps * noise * math.log(2 ** values["fanout"] / (2 * values["spurious"])))
        log, names = planted(np.full(len(present), crowd), present, 1)
        return published_counts(self._method.apply(LogOriginal(log, taxonomy)), names)


def planted(crowds: Ints, present: Mask, times: int) -> tuple[Log, list[str]]:
    """Return a log of people with one value each, and the values of the canaries.

    Args:
        crowds: The number of other people with the value of each canary.
        present: Which canaries take part.
        times: How often a canary has the value.
    """
    values = np.arange(len(crowds))
    crowd = np.repeat(values, crowds)
    added = np.repeat(values[present], times)
    owners = np.concatenate([np.arange(len(crowd)), len(crowd) + added])
    names = pl.Series([f"canary{number:06d}" for number in values.tolist()])
    frame = pl.DataFrame({"owner": owners, "payload": names.gather(np.concatenate([crowd, added]))})
    return Log(frame, "item"), names.to_list()


def published_counts(release: Release, names: list[str]) -> Floats:
    """Return the published count of each value, minus infinity for a value that is not published."""
    table = release.tables_of(CountTable)[0].frame
    column = next(name for name in table.columns if name != COUNT)
    keys = table[column].list.join(";") if column == ITEMS else table[column]
    known = dict(zip(keys.to_list(), table[COUNT].to_list(), strict=True))
    return np.array([known.get(name, -math.inf) for name in names], np.float64)


CANARIES: Mapping[str, type[CountedCanaries] | type[DividedCanaries]] = {
    "dp-queries": CountedCanaries,
    "dp-ngrams": CountedCanaries,
    "diffpart": DividedCanaries,
}


def audited_method(name: str, parameters: Mapping[str, Any]) -> Method:
    """Return the method of this name with these parameters. Raise if it has no canaries."""
    if name not in CANARIES:
        raise ParameterError(
            f"the method {name} cannot be tested by experiment", code="option-not-applicable", hint=f"these can: {', '.join(CANARIES)}"
        )
    return METHODS[name].parse(dict(parameters))
