"""A route tried on samples of people, before anybody is advised to take it: what it keeps, whom an attacker finds, how long it takes.

A route is a method with its parameters and a way to prepare the data. Its release of a sample is made and judged in memory, and attacked by
somebody who knows four items of each person, or of one record where people have several. Nothing is written. Samples double in size until
all people are in them, or the time for the route is spent.

In a sample fewer words are frequent, so less is kept there than of all data; what is kept of all people is extrapolated from the last two
samples. Where no claim bounds the risk, that of a sample is too low for the same reason: words that are published of all people, but not of
the sample, are known too. The risk is then taken to grow with every doubling up to all people as it did with the last one. On a generated
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
from typing import Any

import numpy as np

from shoal.attacks.conclusion import EASILY_KNOWN, PERSON, known_of
from shoal.attacks.known_items import KnownItems
from shoal.attacks.outcome import Interval, wilson
from shoal.data.claims import Model
from shoal.data.taxonomy import Taxonomy
from shoal.errors import Cancelled, ShoalError
from shoal.evaluate.advise.goals import MOST_SECONDS, SECONDS
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
DAMPING = 0.85  # of the growth of what is kept, for every further doubling
WRITING = 1.35  # how much longer a run takes that writes a release and its report
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
    expected_kept: float | None = None
    expected_seconds: float | None = None
    people: int = 0
    whole: bool = False
    why_not: str = ""
    of: str = PERSON


def measured(samples: Samples, route: Route, total: int, seconds: float = SECONDS) -> Measured:
    """Make releases of growing samples by a route, and measure them.

    Args:
        samples: Where samples are drawn from.
        route: The method and the preparation to try.
        total: How many people all of the data has.
        seconds: How long the trials may take.

    Returns:
        What is kept, what an attacker finds, and how long a run takes; or why it could not be measured.
    """
    begun = time.perf_counter()
    trials: list[Trial] = []
    why_not, whole = "", False
    try:
        reading_took = _read(samples, route)
        for people in [total] if route.made is not None and samples.reading(route.how).part == 1.0 else _sizes(total):
            left = seconds - (time.perf_counter() - begun)
            if trials and trials[-1].seconds * GROWTH > left:
                break
            source = samples.of(route.how, people, route.given)
            with _within(max(left, 0.1)) as cancel:
                trials.append(_tried(source, route, cancel))
            whole = source.reading.part == 1.0
            if whole or (trials[-1].people < people):  # no more people were read
                break
    except Cancelled:
        why_not = "" if trials else TOO_LONG
    except ShoalError as error:
        why_not = error.message
    took = time.perf_counter() - begun
    return Measured(took, why_not=why_not) if not trials else _forecast(trials, route, total, whole, reading_took, took)


def all_measured(data: Any, routes: Sequence[Route], total: int, seconds: float) -> Iterator[Measured]:
    """What each route amounts to; of the time that is left, a route may take twice its part."""
    end = time.perf_counter() + seconds
    samples = Samples(data)
    for n, route in enumerate(routes):
        left = end - time.perf_counter()
        yield measured(samples, route, total, 2 * left / (len(routes) - n + 1)) if left > 0 else Measured(0.0, why_not=TIME_IS_UP)


def _sizes(total: int) -> Iterator[int]:
    people = FIRST_PEOPLE
    while people < total:
        yield people
        people *= 2
    yield max(total, people)


def _read(samples: Samples, route: Route) -> float:
    """Read the data, and return how long reading all of it takes."""
    begun = time.perf_counter()
    reading = samples.reading(route.how)
    return (time.perf_counter() - begun) / max(reading.part, 1e-9)


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
    return Trial(people, seconds, kept, what, judged.metrics.get("one_level"), risk, known_of(owners_repeat(judged.original)), why_not)


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
    before = trials[-2] if len(trials) > 1 else None
    return Measured(
        seconds=took,
        kept=last.kept,
        what=last.what,
        near=last.near,
        risk=last.risk,
        expected=_expected_risk(trials, doublings, bounded=_is_bounded(route.method)),
        expected_kept=_expected_kept(last, before, doublings),
        expected_seconds=START + WRITING * (reading + _expected_seconds(last, before, doublings)),
        people=last.people,
        whole=whole,
        why_not=last.why_not,
        of=last.of,
    )


def _is_bounded(method: Method) -> bool:
    """Whether a claim bounds the risk, whatever the data."""
    return any(claim.ceiling(KnownItems.test, KNOWN.items) is not None for claim in method.claims())


def _expected_kept(last: Trial, before: Trial | None, doublings: float) -> float | None:
    """What is kept of all people: it grows with every doubling, by less each time."""
    if last.kept is None or before is None or before.kept is None or doublings <= 0:
        return last.kept
    growth = (last.kept - before.kept) / math.log2(last.people / before.people)
    steps = DAMPING * (1 - DAMPING**doublings) / (1 - DAMPING)
    return float(np.clip(last.kept + growth * steps, 0.0, 1.0))


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
    odds = [math.log((rate * TARGETS + 0.5) / (TARGETS - rate * TARGETS + 0.5)) for rate in rates]
    growth = max(0.0, (odds[-1] - odds[0]) / (len(odds) - 1)) if len(odds) > 1 else 1.0
    return max(rates[-1], 1 / (1 + math.exp(-(odds[-1] + growth * doublings))))


def _expected_seconds(last: Trial, before: Trial | None, doublings: float) -> float:
    """The time for all people, which grows by the factor of the last doubling, at least by two and at most by four."""
    factor = 2.0 if before is None else float(np.clip(last.seconds / max(before.seconds, 1e-3), 2.0, 4.0))
    return float(last.seconds * factor**doublings)


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
