"""A route tried on samples of people, before anybody is advised to take it: what it keeps, whom an attacker finds, how long it takes.

A route is a method with its parameters and a way to prepare the data. Its release of a sample is made and judged in memory, and attacked by
somebody who knows four items of each person, or of one record where people have several. Nothing is written. Samples double in size until
all people are in them, or the time for the route is spent.

In a sample fewer words are frequent, so less is kept there than of all data. What is kept grows by nearly the same amount with every
doubling of the sample, and is extrapolated so. Time is extrapolated in the same way, by the work that the method spends on each record.

Where no claim bounds the risk, that of a sample is too low for the same reason: words that are published of all people, but not of the
sample, are known too. The risk is then taken to grow with every doubling up to all people as it did with the last one. On a generated
log of 12,000 people this gives 100 % for coherence with p = 1, where 87 % are found, and 0.5 % with p = 2, where 0.6 % are. It is an
estimate, and too low of much smaller samples.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from shoal.attacks.conclusion import EASILY_KNOWN, PERSON, known_of
from shoal.attacks.known_items import KnownItems
from shoal.attacks.outcome import Interval, wilson
from shoal.data.claims import Model
from shoal.data.taxonomy import Taxonomy
from shoal.errors import Cancelled, ShoalError
from shoal.evaluate.advise.goals import MOST_SECONDS
from shoal.evaluate.advise.sample import SEED, Samples, owners_of
from shoal.evaluate.attack.case import CaseSource
from shoal.evaluate.attack.stage import owners_repeat
from shoal.evaluate.compare.words_kept import coverage, words_of
from shoal.evaluate.compare.worst_attack import WHY_NOT, staged
from shoal.methods import Method
from shoal.pipeline.events import Cancel
from shoal.pipeline.job import Job
from shoal.pipeline.options import Preparation
from shoal.pipeline.run import Judged

FIRST_PEOPLE = 500  # of the first sample; each further one has twice as many
TARGETS = 200  # people who are attacked, at most
KNOWN = EASILY_KNOWN[0]
TIME_IS_UP = "there was no time left"
TOO_LONG = "it takes too long even on a small sample"
GROWTH = 2.5  # by how much a sample of twice as many people is expected to take longer
DAMPING = 0.9  # of the growth of what is kept, for every further doubling, where two samples do not tell it
LEAST_DAMPING = 0.75
AT_LAST = 2  # doublings by which growth is measured
SLOWER = (1.6, 4.0)  # by how much twice as many people take longer, at least and at most
WRITING = 1.35  # how much longer a run takes that writes a release and its report
HOPE = 3.0  # by how much the risk of the first sample may be larger than that of all people
START = 1.0  # seconds until a command begins to read


@dataclass(frozen=True, eq=False)
class Route:
    """A method with its parameters, and how data is prepared for it, on a taxonomy that may be `given` as a tree.

    `further` are claims that the release must keep beyond those of the method. `made` is the release of all data, if the route was taken.
    """

    method: Method
    how: Preparation
    given: Taxonomy | None = None
    further: tuple[Model, ...] = ()
    made: Judged | None = None


@dataclass(frozen=True)
class Trial:
    """A release of one sample: what is left (`kept`, of `what`), how much of it is one level up (`near`), whom an attacker finds."""

    people: int
    seconds: float
    kept: float | None
    what: str
    near: float | None
    risk: Interval | None
    of: str
    why_not: str
    records: int = 0


@dataclass(frozen=True)
class Measured:
    """What a route amounts to.

    Attributes:
        seconds: How long the trials took.
        kept: The share that is published as it was, of the largest sample.
        what: Of what `kept` is a share.
        near: The share that is published one level up, where there is a taxonomy.
        risk: The share of people found by an attacker who knows four items, with its interval; of the largest sample.
        expected: The risk that is to be expected of all people.
        hoped: The risk of all people if it falls as it did from sample to sample; what is worth trying on more people.
        expected_kept: What is to be expected to be kept of all people.
        expected_seconds: How long the whole command is expected to take.
        people: The number of people in the largest sample.
        whole: Whether that sample is all of the data.
        why_not: Why something could not be measured.
        of: Of what the four items are known: of a person, or of one of a person's records.
    """

    seconds: float
    kept: float | None = None
    what: str = ""
    near: float | None = None
    risk: Interval | None = None
    expected: float | None = None
    hoped: float | None = None
    expected_kept: float | None = None
    expected_seconds: float | None = None
    people: int = 0
    whole: bool = False
    why_not: str = ""
    of: str = PERSON


class Attempt:
    """A route that is tried on growing samples, as long as there is time for it. It can be continued with larger samples later."""

    def __init__(self, samples: Samples, route: Route, total: int) -> None:
        """Begin nothing yet.

        Args:
            samples: Where samples are drawn from.
            route: The method and the preparation to try.
            total: How many people all of the data has.
        """
        self.route = route
        self._samples, self._total = samples, total
        self._trials: list[Trial] = []
        self._sizes: Iterator[int] | None = None
        self._ended = self._whole = False
        self._why_not = ""
        self._spent = 0.0

    def go_on(self, seconds: float, samples: int | None = None) -> Measured:
        """Make releases of further samples, and measure them.

        Args:
            seconds: How long the trials may take.
            samples: How many further samples to try at most.

        Returns:
            What is kept, what an attacker finds, and how long a run takes; or why it could not be measured.
        """
        begun, before = time.perf_counter(), len(self._trials)
        try:
            while not self._ended and (samples is None or len(self._trials) < before + samples):
                left = seconds - (time.perf_counter() - begun)
                if self._trials and self._trials[-1].seconds * GROWTH > left:
                    break
                self._try_one(left)
        except Cancelled:  # without any trial it may be tried again with more time
            self._why_not, self._ended, self._sizes = "" if self._trials else TOO_LONG, bool(self._trials), None
        except ShoalError as error:
            self._why_not, self._ended = error.message, True
        self._spent += time.perf_counter() - begun
        return self.found

    @property
    def needs_time(self) -> bool:
        """Whether nothing was measured yet for want of time."""
        return not self._trials and not self._ended

    @property
    def found(self) -> Measured:
        """What was measured so far."""
        if not self._trials:
            return Measured(self._spent, why_not=self._why_not or TIME_IS_UP)
        reading = self._samples.seconds(self.route.how)
        return _forecast(self._trials, self.route, self._total, self._whole, reading, self._spent)

    def _try_one(self, left: float) -> None:
        """The next larger sample."""
        if self._sizes is None:
            at_hand = self.route.made is not None and self._samples.reading(self.route.how).part == 1.0
            self._sizes = iter([self._total]) if at_hand else _sizes(self._total)
        people = next(self._sizes)
        source = self._samples.of(self.route.how, people, self.route.given)
        with _within(max(left, 0.1)) as cancel:
            self._trials.append(_tried(source, self.route, cancel))
        self._whole = source.reading.part == 1.0
        self._ended = self._whole or self._trials[-1].people < people  # no more people were read


def all_measured(data: Any, routes: Sequence[Route], total: int, seconds: float) -> Iterator[Measured]:
    """What each route amounts to; of the time that is left, a route may take twice its part."""
    end = time.perf_counter() + seconds
    samples = Samples(data)
    for n, route in enumerate(routes):
        left = end - time.perf_counter()
        part = 2 * left / (len(routes) - n + 1)
        yield Attempt(samples, route, total).go_on(part) if left > 0 else Measured(0.0, why_not=TIME_IS_UP)


def _sizes(total: int) -> Iterator[int]:
    people = FIRST_PEOPLE
    while people < total:
        yield people
        people *= 2
    yield max(total, people)


@contextmanager
def _within(seconds: float) -> Iterator[Cancel]:
    """Cancels what runs inside after so many seconds."""
    cancel = Cancel()
    timer = threading.Timer(min(seconds, MOST_SECONDS), cancel.cancel)
    timer.daemon = True
    timer.start()
    try:
        yield cancel
    finally:
        timer.cancel()


def _tried(source: CaseSource, route: Route, cancel: Cancel) -> Trial:
    """The release of one sample, judged and attacked."""
    begun = time.perf_counter()
    unguaranteed = route.method.guarantees_nothing
    judged = route.made if source.reading.part == 1.0 else None
    if judged is None:
        job = Job(source.reading, route.method, route.how, route.given, claims=route.further, no_guarantee=unguaranteed)
        judged = job.run(cancel=cancel).judged
    seconds = time.perf_counter() - begun
    kept, what = _kept(judged)
    risk = _risk(judged)
    why_not = "" if risk is not None else WHY_NOT.get(min(judged.release.kinds), "no attack applies to this kind of release")
    people = len(np.unique(owners_of(source.reading.data)))
    of, sizes = known_of(owners_repeat(judged.original)), judged.original.to_account()
    records = sizes.get("records", max(sizes.values(), default=0))
    return Trial(people, seconds, kept, what, judged.metrics.get("one_level"), risk, of, why_not, records)


# -- what is left of data, by the shape of the original

WORDS, REQUESTS, VARIANCE, MEANING = "words", "requests", "variance", "meaning"


def _kept(judged: Judged) -> tuple[float | None, str]:
    """The share of the data that is published as it was, and of what it is a share."""
    measure, what = _BY_SHAPE.get(judged.original.shape, (_words_kept, WORDS))
    return measure(judged), what


def _words_kept(judged: Judged) -> float | None:
    words = words_of(judged.release, judged.original)
    return None if words is None else coverage(words)["kept"]


def _requests_kept(judged: Judged) -> float:
    return min(1.0, judged.release.n_rows / max(1, sum(judged.original.to_account().values())))


_BY_SHAPE: Mapping[str, tuple[Callable[[Judged], float | None], str]] = {
    "access log": (_requests_kept, REQUESTS),
    "table": (lambda judged: 1 - judged.metrics["information_loss"], VARIANCE),
    "documents": (lambda judged: max(0.0, 1 - judged.metrics["semantic_loss"]), MEANING),
}


# -- from samples to all people


def _forecast(trials: Sequence[Trial], route: Route, total: int, whole: bool, reading: float, took: float) -> Measured:
    last = trials[-1]
    doublings = 0.0 if whole else max(0.0, math.log2(total / last.people))
    kept = _extrapolated(trials, [one.kept for one in trials], doublings)
    near = _extrapolated(trials, [one.near for one in trials], doublings)
    return Measured(
        seconds=took,
        kept=last.kept,
        what=last.what,
        near=near if near is None or kept is None else min(near, 1 - kept),
        risk=last.risk,
        expected=_expected_risk(trials, doublings, bounded=_is_bounded(route.method)),
        hoped=_hoped_risk(trials, doublings),
        expected_kept=kept,
        expected_seconds=START + WRITING * (reading + _expected_seconds(trials, route.method, doublings)),
        people=last.people,
        whole=whole,
        why_not=last.why_not,
        of=last.of,
    )


def _is_bounded(method: Method) -> bool:
    """Whether a claim bounds the risk, whatever the data."""
    return any(claim.ceiling(KnownItems.test, KNOWN.items) is not None for claim in method.claims())


def _extrapolated(trials: Sequence[Trial], shares: Sequence[float | None], doublings: float) -> float | None:
    """A share of all people: it goes on as it did with every doubling of the sample, by less each time if it did so before."""
    known = [(math.log2(one.people), share) for one, share in zip(trials, shares, strict=True) if share is not None]
    if not known:
        return None
    last = known[-1][1]
    if len(known) < 2 or doublings <= 0:
        return last
    growth = [(y - x) / (b - a) for (a, x), (b, y) in pairwise(known)]
    damping = DAMPING if len(growth) < 2 else _damping(growth)
    steps = doublings if damping == 1 else damping * (1 - damping**doublings) / (1 - damping)
    recent = growth[-AT_LAST:]
    return float(np.clip(last + sum(recent) / len(recent) * steps, 0.0, 1.0))


def _damping(growth: Sequence[float]) -> float:
    """By which factor the growth changed from doubling to doubling; it never rises, and does not fall faster than to three quarters."""
    first, last = abs(growth[0]), abs(growth[-1])
    factor = (last / first) ** (1 / (len(growth) - 1)) if first > 0 else 1.0
    return float(np.clip(factor, LEAST_DAMPING, 1.0))


def _expected_risk(trials: Sequence[Trial], doublings: float, *, bounded: bool) -> float | None:
    """The risk that is to be expected of all people: that of the sample, and more where it grows with the number of people.

    The odds of being found are taken to grow with every doubling as they did over the last three samples; one person found or not found by
    chance is no growth.
    """
    rates = [one.risk.rate for one in trials[-3:] if one.risk is not None]
    if not rates:
        return None
    if bounded or doublings <= 0:
        return rates[-1]
    odds = [_odds(rate) for rate in rates]
    growth = max(0.0, (odds[-1] - odds[0]) / (len(odds) - 1)) if len(odds) > 1 else 1.0
    return max(rates[-1], 1 / (1 + math.exp(-(odds[-1] + growth * doublings))))


def _hoped_risk(trials: Sequence[Trial], doublings: float) -> float | None:
    """The risk of all people if more people hide each other better, as they did in the last samples; of one sample a guess."""
    rates = [one.risk.rate for one in trials[-3:] if one.risk is not None]
    if len(rates) < 2 or doublings <= 0:
        return None if not rates else rates[-1] / (HOPE if doublings > 0 else 1.0)
    odds = [_odds(rate) for rate in rates]
    growth = (odds[-1] - odds[0]) / (len(odds) - 1)
    return 1 / (1 + math.exp(-(odds[-1] + growth * doublings)))


def _odds(rate: float) -> float:
    """The logarithm of the odds; one person more or less makes no difference at the ends."""
    return math.log((rate * TARGETS + 0.5) / (TARGETS - rate * TARGETS + 0.5))


def _expected_seconds(trials: Sequence[Trial], method: Method, doublings: float) -> float:
    """The time for all people, which grows with every doubling by the mean factor of the last ones, within bounds.

    What the method spends on each record, which may be less where there are many, is put into the account.
    """
    spent = [(math.log2(one.people), max(one.seconds, 1e-3) / method.work_per_record(one.records)) for one in trials[-AT_LAST - 1 :]]
    (first, least), (last, most) = spent[0], spent[-1]
    # Twice as long for twice as many people counts as one doubling more that was measured.
    grown = (math.log2(most / least) + 1) / (last - first + 1)
    factor = float(np.clip(2**grown, *SLOWER))
    return float(most * factor**doublings * method.work_per_record(round(trials[-1].records * 2**doublings)))


def _risk(judged: Judged) -> Interval | None:
    """How many people are found by somebody who knows four of their items; None where no attack is made."""
    stage = staged(judged.release, judged.original)
    if stage is None:
        return None
    targets = stage.drawn(SEED, TARGETS)
    if not len(targets):
        return wilson(0.0, 0)
    [trial] = KnownItems().trials_knowing([KNOWN], stage.scene, stage.people(targets), SEED)
    return wilson(float(trial.success.sum()), len(trial.success))
