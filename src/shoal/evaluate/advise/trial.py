"""A route tried on a sample of people, before anybody is advised to take it: what it keeps, and whom an attacker finds in it.

A route is a method with its parameters and a way to prepare the data. Its release of the sample is made and judged in memory, and attacked
by somebody who knows four items of each person, or of one record where people have several. Nothing is written.

In a sample fewer words are frequent, so less is kept there than of all data. Where no claim bounds the risk, that of a sample is too low
for the same reason: words that are published of all people, but not of the sample, are known too. Such a route is tried on more people, and
on half of them, and the risk is taken to grow with every doubling up to all people as it did with the last one. On a generated log of
12,000 people this gives 100 % for coherence with p = 1, where 87 % are found, and 0.5 % with p = 2, where 0.6 % are. It is an estimate, and
too low of much smaller samples.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shoal.attacks.conclusion import EASILY_KNOWN, PERSON, known_of
from shoal.attacks.known_items import KnownItems
from shoal.attacks.outcome import Interval, wilson
from shoal.data.accounting import Ledger, kept
from shoal.data.bags import Bags
from shoal.data.claims import Model
from shoal.data.log import Log
from shoal.data.table import Table
from shoal.data.taxonomy import Taxonomy
from shoal.errors import ParameterError, ShoalError
from shoal.evaluate.attack.case import CaseSource, part_of
from shoal.evaluate.attack.stage import owners_repeat
from shoal.evaluate.compare.words_kept import coverage, words_of
from shoal.evaluate.compare.worst_attack import WHY_NOT, staged
from shoal.io.read.dispatch import Reading, read
from shoal.io.read.paths import STDIN, are_paths
from shoal.methods import Method
from shoal.pipeline.contract import USED
from shoal.pipeline.job import Job
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import read_whole
from shoal.pipeline.run import Judged

PEOPLE = 1_000  # of a sample, at most, where a claim bounds the risk
MORE_PEOPLE = 3_000  # where none does
TARGETS = 200  # people who are attacked, at most
BYTES = 16 << 20  # of the input that are read for a sample, about
SECONDS = 20.0  # of the processor, after which no further route is tried
SEED = 0
KNOWN = EASILY_KNOWN[0]
ONCE = "the input can be read only once"
TIME_IS_UP = "there was no time left"


@dataclass(frozen=True, eq=False)
class Route:
    """A method with its parameters, and how data is prepared for it, on a taxonomy that may be `given` as a tree.

    `further` are claims that the release must keep beyond those of the method.
    """

    method: Method
    how: Preparation
    given: Taxonomy | None = None
    further: tuple[Model, ...] = ()


@dataclass(frozen=True)
class Measured:
    """What a route amounts to on a sample.

    `kept` is the share of the words that people typed and that are published for them as typed, `risk` the share of people who are found
    by somebody who knows four of their items, with its interval; `expected` is what is to be expected of all people. `whole`: the sample is
    all of the data. Where something could not be measured, `why_not` says why. `of` is what the four items are known of: a person, or one
    of a person's records. Seconds are of the processor.
    """

    seconds: float
    kept: float | None = None
    risk: Interval | None = None
    expected: float | None = None
    people: int = 0
    whole: bool = False
    why_not: str = ""
    of: str = PERSON


def measured(data: Any, route: Route, total: int) -> Measured:
    """Make the release of a sample of this data by a route, and measure it.

    Args:
        data: Files, or data in memory that can be read again.
        route: The method and the preparation to try.
        total: How many people the whole data have.

    Returns:
        What is kept, what an attacker finds, and the seconds that it took; or why it could not be measured.
    """
    begun = time.process_time()
    try:
        source = sample_of(data, route)
        found = _measured(source, route)
        found = replace(found, expected=_expected(source, route, found, total))
    except ShoalError as error:
        return Measured(time.process_time() - begun, why_not=error.message)
    return replace(found, seconds=time.process_time() - begun)


def all_measured(data: Any, routes: Sequence[Route], total: int, seconds: float = SECONDS) -> Iterator[Measured]:
    """What each route amounts to; once so many seconds of the processor are spent, no further one is tried."""
    end = time.process_time() + seconds
    for route in routes:
        yield measured(data, route, total) if time.process_time() < end else Measured(0.0, why_not=TIME_IS_UP)


def sample_of(data: Any, route: Route) -> CaseSource:
    """The rows or records of some people, drawn by a fixed seed; all of them where they are few."""
    how = replace(route.how, memory=None)
    reading = _part_of(data, how)
    source = CaseSource(reading, how, route.given)
    most = PEOPLE if _is_bounded(route.method) else MORE_PEOPLE
    return source if len(np.unique(source.owners)) <= most else _drawn(source, most)


def _is_bounded(method: Method) -> bool:
    """Whether a claim bounds the risk, whatever the data."""
    return any(claim.ceiling(KnownItems.test, KNOWN.items) is not None for claim in method.claims())


def _drawn(source: CaseSource, people: int) -> CaseSource:
    """So many people of a source, drawn by the seed; of fewer the same ones again."""
    chosen = np.random.default_rng(SEED).permutation(np.unique(source.owners))[:people]
    part = part_of(source.reading.data, np.isin(source.owners, chosen))
    rows = Ledger(len(part), {USED: kept(len(part))})
    return replace(source, reading=replace(source.reading, data=part, part=0.0, rows=rows))


def _part_of(data: Any, how: Preparation) -> Reading:
    """About the first megabytes of files; data in memory as it is."""
    if isinstance(data, Log | Bags | Table):
        return read_whole(data, how)
    if (are_paths(data) and STDIN in _names(data)) or (hasattr(data, "__next__") and not are_paths(data)):
        raise ParameterError(ONCE, code="input-read-once")
    return read(data, how.reading, most=BYTES)


def _names(data: Any) -> list[str]:
    return [str(data)] if not isinstance(data, list | tuple) else [str(path) for path in data]


def _measured(source: CaseSource, route: Route) -> Measured:
    judged = Job(source.prepared(), route.method, route.how, claims=route.further).run().judged
    words = words_of(judged.release, judged.original)
    whole = source.reading.part == 1.0
    share = None if words is None else coverage(words)["kept"]
    risk = _risk(judged)
    why_not = "" if risk is not None else WHY_NOT.get(min(judged.release.kinds), "no attack applies to this kind of release")
    return Measured(0.0, share, risk, None, len(np.unique(source.owners)), whole, why_not, known_of(owners_repeat(judged.original)))


def _expected(source: CaseSource, route: Route, found: Measured, total: int) -> float | None:
    """The risk that is to be expected of all people: that of the sample, and more where it grows with the number of people."""
    if found.risk is None:
        return None
    rate = found.risk.rate
    if found.whole or _is_bounded(route.method) or total <= found.people:
        return rate
    try:
        half = _measured(_drawn(source, found.people // 2), route)
    except ShoalError:  # so few people cannot be worked on: the whole of the risk counts as growth
        half = Measured(0.0)
    before, doublings = half.risk.rate if half.risk is not None else 0.0, float(np.log2(total / found.people))
    noise = 1 / TARGETS  # a single person found by chance is no growth
    by_factor = rate * float(max(1.0, (rate + noise) / (before + noise)) ** doublings)
    return min(1.0, max(by_factor, rate + max(0.0, rate - before) * doublings))


def _risk(judged: Judged) -> Interval | None:
    """How many people are found by somebody who knows four of their items; None where no attack is made."""
    stage = staged(judged.release, judged.original)
    if stage is None:
        return None
    targets = stage.drawn(SEED, TARGETS)
    if not len(targets):
        return wilson(0.0, 0)
    trials = KnownItems().trials(stage.scene, stage.people(targets), SEED)
    success = next(trial.success for trial in trials if trial.knowledge == str(KNOWN))
    return wilson(float(success.sum()), len(success))
