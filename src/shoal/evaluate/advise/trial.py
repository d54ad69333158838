"""Trials of a route on samples of people: what it keeps, how many people an attacker finds, and how long it takes.

A route is a method with its parameters and a way to prepare the data. Its release of a sample is made and judged in memory, and attacked by
somebody who knows four items of each person, or of one record where people have several, or all quasi-identifiers of a row of a table.
Nothing is written. Samples double in size until the time for the route is spent. As soon as the time for all people is known to fit, they
are tried instead.

What the samples say about all people is the subject of `forecast`.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from shoal.attacks.conclusion import EASILY_KNOWN, known_of
from shoal.attacks.known_items import KnownItems
from shoal.attacks.outcome import Interval, wilson
from shoal.data.claims import Model
from shoal.data.original import TableOriginal
from shoal.data.taxonomy import Taxonomy
from shoal.errors import Cancelled, ShoalError
from shoal.evaluate.advise.forecast import (
    ROW,
    TARGETS,
    Measured,
    SampleTrial,
    expected_risk,
    expected_seconds,
    expected_share,
    hoped_risk,
)
from shoal.evaluate.advise.goals import MOST_SECONDS
from shoal.evaluate.advise.sample import SEED, Samples, owners_of
from shoal.evaluate.attack.case import CaseSource
from shoal.evaluate.attack.stage import owners_repeat
from shoal.evaluate.compare.attacked_tables import share_of_linked_people
from shoal.evaluate.compare.words_kept import coverage, words_of
from shoal.evaluate.compare.worst_attack import WHY_NOT, staged
from shoal.methods import Method
from shoal.pipeline.events import Cancel
from shoal.pipeline.job import Job
from shoal.pipeline.options import Preparation, load_taxonomy
from shoal.pipeline.run import Judged
from shoal.util.numbers import distinct

FIRST_PEOPLE = 250  # of the first sample; each further one has twice as many, or all people
TIMES_K = 4  # people of the first sample, at least, for every one among whom a person is hidden
WORDNET = "wordnet"
KNOWN = EASILY_KNOWN[0]
TIME_IS_UP = "there was no time left"
TOO_LONG = "it takes too long even on a small sample"
GROWTH = 2.5  # by how much a sample of twice as many people is expected to take longer
SURELY = 1.3  # by how much the time for all people must fit for them to be tried
SAMPLES_FIRST = 2  # samples of every route, before all people are tried
WRITING = 1.35  # how much longer a run takes that writes a release and its report
START = 1.5  # seconds until a command begins to read


@dataclass(frozen=True, eq=False)
class Route:
    """A method with its parameters, and how data is prepared for it, on a taxonomy that may be loaded as a tree.

    `further` are claims that the release must keep beyond those of the method. `made` is the release of all data, if the route was taken.
    """

    method: Method
    preparation: Preparation
    loaded_taxonomy: Taxonomy | None = None
    further: tuple[Model, ...] = ()
    made: Judged | None = None


class Attempt:
    """A route that is tried on growing samples, as long as there is time for it. It can be continued with larger samples later."""

    def __init__(self, samples: Samples, route: Route, total: int, first: int | None = None) -> None:
        """Prepare the attempt; no trial starts yet.

        Args:
            samples: Where samples are drawn from.
            route: The method and the preparation to try.
            total: How many people all of the data has.
            first: The people of the first sample; by default 250, or four times k if that is more.
        """
        self.route = route
        self._samples, self._total = samples, total
        self._first = first or max(FIRST_PEOPLE, TIMES_K * int(route.method.values().get("k") or 0))
        self._trials: list[SampleTrial] = []
        self._ended = self._whole = self._interrupted = False
        self._cancel: Cancel | None = None
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
        self._interrupted = False
        try:
            while not self._ended and not self._interrupted and (samples is None or len(self._trials) < before + samples):
                left = seconds - (time.perf_counter() - begun)
                all_fit = samples is None and self._all_fit(left)
                if self._trials and not all_fit and self._trials[-1].took * GROWTH > left:
                    break
                self._try_one(left, everybody=all_fit)
        except Cancelled:  # without any trial it may be tried again with more time
            self._why_not, self._ended = "" if self._trials else TOO_LONG, bool(self._trials) and not self._interrupted
        except ShoalError as error:
            self._why_not, self._ended = error.message, True
        self._spent += time.perf_counter() - begun
        return self.found

    def interrupt(self) -> None:
        """Stop the current trial from another thread. The attempt can be continued later."""
        self._interrupted = True
        if self._cancel is not None:
            self._cancel.cancel()

    @property
    def needs_time(self) -> bool:
        """Whether nothing was measured yet for want of time."""
        return not self._trials and not self._ended

    @property
    def found(self) -> Measured:
        """What was measured so far."""
        if not self._trials:
            return Measured(self._spent, why_not=self._why_not or TIME_IS_UP)
        run = self._seconds_for([one.seconds for one in self._trials], self._trials[-1].people if self._whole else self._total)
        seconds = START + WRITING * (self._samples.seconds(self.route.preparation) + run)
        found = forecast_of(self._trials, self.route.method, self._total, self._whole)
        return replace(found, seconds=self._spent, expected_seconds=seconds)

    def _all_fit(self, left: float) -> bool:
        """Whether all people that were read can be tried in the time that is left, by what the samples took."""
        if len(self._trials) < SAMPLES_FIRST:
            return False
        return SURELY * self._seconds_for([one.took for one in self._trials], self._total) <= left

    def _seconds_for(self, seconds: Sequence[float], people: int) -> float:
        """Forecast the time for `people` from that of the samples."""
        per_person = self._trials[-1].records / max(1, self._trials[-1].people)

        def work(many: int) -> float:
            return self.route.method.work_per_record(round(many * per_person))

        return expected_seconds([one.people for one in self._trials], seconds, people, work)

    def _try_one(self, left: float, *, everybody: bool) -> None:
        """The next larger sample, or all people."""
        made = self.route.made is not None and self._samples.reading(self.route.preparation).part == 1.0
        people = self._total if everybody or made else self._first << len(self._trials)
        source = self._samples.of(self.route.preparation, people, self.route.loaded_taxonomy)
        if self.route.loaded_taxonomy is None and self.route.preparation.taxonomy == WORDNET:
            # Loaded here because it takes long the first time, which is no part of the time for this sample.
            load_taxonomy(WORDNET, self.route.preparation.loss)
        with _within(max(left, 0.1)) as self._cancel:
            self._trials.append(_tried(source, replace(self.route, preparation=self._scaled(source)), self._cancel))
        self._whole = source.reading.part == 1.0
        self._ended = self._whole or self._trials[-1].people < people  # no more people were read

    def _scaled(self, source: CaseSource) -> Preparation:
        """Return the preparation for a sample: a least support in people becomes the same share of the sample."""
        preparation = self.route.preparation
        if preparation.min_support is None or source.reading.part == 1.0:
            return preparation
        return replace(preparation, min_support=preparation.min_support.of_sample(self._total))


def all_measured(data: Any, routes: Sequence[Route], total: int, seconds: float) -> Iterator[Measured]:
    """Yield the result of each route; a route may take twice its part of the remaining time."""
    end = time.perf_counter() + seconds
    samples = Samples(data)
    for n, route in enumerate(routes):
        left = end - time.perf_counter()
        part = 2 * left / (len(routes) - n + 1)
        yield Attempt(samples, route, total).go_on(part) if left > 0 else Measured(0.0, why_not=TIME_IS_UP)


@contextmanager
def _within(seconds: float) -> Iterator[Cancel]:
    """Cancels the work inside after `seconds`."""
    cancel = Cancel()
    timer = threading.Timer(min(seconds, MOST_SECONDS), cancel.cancel)
    timer.daemon = True
    timer.start()
    try:
        yield cancel
    finally:
        timer.cancel()


def _tried(source: CaseSource, route: Route, cancel: Cancel) -> SampleTrial:
    """Return the release of one sample, judged and attacked."""
    begun = time.perf_counter()
    unguaranteed = route.method.guarantees_nothing
    judged = route.made if source.reading.part == 1.0 else None
    if judged is None:
        job = Job(source.reading, route.method, route.preparation, route.loaded_taxonomy, claims=route.further, no_guarantee=unguaranteed)
        judged = job.run(cancel=cancel).judged
    seconds = time.perf_counter() - begun
    kept, what = _kept(judged)
    of, risk = _risk(judged)
    why_not = "" if risk is not None else WHY_NOT.get(min(judged.release.kinds), "no attack applies to this kind of release")
    people = len(distinct(owners_of(source.reading.data)))
    sizes = judged.original.to_account()
    records = sizes.get("records", max(sizes.values(), default=0))
    took = time.perf_counter() - begun
    return SampleTrial(
        people, seconds, kept, what, judged.metrics.get("one_level"), risk, of, why_not, records, sizes.get("occurrences", 0), took
    )


# -- what is left of data, by the shape of the original

WORDS, REQUESTS, VARIANCE, MEANING = "words", "number of requests", "variance", "meaning"


def _kept(judged: Judged) -> tuple[float | None, str]:
    """Return the share of the data that is published unchanged, and what it is a share of."""
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


def forecast_of(trials: Sequence[SampleTrial], method: Method, total: int, whole: bool) -> Measured:
    """Return the forecast for all people, without the time."""
    last, people = trials[-1], [one.people for one in trials]
    doublings = 0.0 if whole else max(0.0, math.log2(total / last.people))
    growth = 0.0 if whole else max(0.0, math.log2(min(total, _people_who_help(last, method)) / last.people))
    kept = expected_share(people, [one.kept for one in trials], growth)
    # What is published one level up often falls as more is kept, but both together grow.
    both = expected_share(people, [None if one.kept is None or one.near is None else one.kept + one.near for one in trials], growth)
    rates = [one.risk.rate for one in trials if one.risk is not None]
    return Measured(
        seconds=0.0,
        kept=last.kept,
        what=last.what,
        near=None if both is None or kept is None else max(0.0, both.expected - kept.expected),
        risk=last.risk,
        expected=expected_risk(rates, doublings, bounded=_is_bounded(method)),
        hoped=hoped_risk(rates[-3:], doublings),
        expected_kept=None if kept is None else kept.expected,
        kept_between=None if kept is None else (kept.least, kept.most),
        people=last.people,
        samples=len(trials),
        whole=whole,
        why_not=last.why_not,
        of=last.of,
    )


def _people_who_help(trial: SampleTrial, method: Method) -> float:
    """Return the number of people up to which more data lets a method keep more of each."""
    records = max(1, trial.records)
    return method.records_that_help(trial.items / records) * trial.people / records


def _is_bounded(method: Method) -> bool:
    """Whether a claim bounds the risk, whatever the data."""
    return any(claim.ceiling(KnownItems.test, KNOWN.items) is not None for claim in method.claims())


def _risk(judged: Judged) -> tuple[str, Interval | None]:
    """Return what the attacker knows and how many people are found; None if no attack is made."""
    if isinstance(judged.original, TableOriginal):
        return ROW, share_of_linked_people(judged.release, judged.original, TARGETS, SEED)
    return known_of(owners_repeat(judged.original)), _found_by_items(judged)


def _found_by_items(judged: Judged) -> Interval | None:
    """Return how many people an attacker finds who knows four of their items; None if no attack is made."""
    stage = staged(judged.release, judged.original)
    if stage is None:
        return None
    targets = stage.drawn(SEED, TARGETS)
    if not len(targets):
        return wilson(0.0, 0)
    [trial] = KnownItems().trials_knowing([KNOWN], stage.scene, stage.people(targets), SEED)
    return wilson(float(trial.success.sum()), len(trial.success))
