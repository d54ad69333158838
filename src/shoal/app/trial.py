"""A route tried on a sample of people, before anybody is advised to take it: what it keeps, and whom an attacker finds in it.

A route is a method with its parameters and a way to prepare the data. Its release of the sample is made and judged in memory, and attacked
by somebody who knows four items of each person. Nothing is written. A sample has fewer people among whom one can hide than the whole data
have, so less is kept there as a rule, and people are found a little more often.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shoal.app.accounts import USED
from shoal.app.attack.case import Source, part_of
from shoal.app.comparison.attacking import WHY_NOT, staged
from shoal.app.comparison.coverage import coverage
from shoal.app.comparison.words import words_of
from shoal.app.job import Preparation
from shoal.app.pipeline import Judged, anonymize
from shoal.attacks.conclusion import EASILY_KNOWN
from shoal.attacks.intervals import Interval, wilson
from shoal.attacks.known_items import KnownItems
from shoal.data.accounting import Ledger, kept
from shoal.data.bags import Bags
from shoal.data.log import Log
from shoal.data.table import Table
from shoal.errors import ParameterError, ShoalError
from shoal.io.read.defects import Defects
from shoal.io.read.inputs import Reading, read
from shoal.io.read.several import STDIN, are_paths
from shoal.methods import Method
from shoal.taxonomy.tree import Taxonomy

PEOPLE = 1_000  # of a sample, at most
TARGETS = 200  # people who are attacked, at most
BYTES = 8 << 20  # of the input that are read for a sample, about
SECONDS = 10.0  # of the processor, after which no further route is tried
SEED = 0
KNOWN = EASILY_KNOWN[0]
ONCE = "the input can be read only once"
TIME_IS_UP = "there was no time left"


@dataclass(frozen=True, eq=False)
class Route:
    """A method with its parameters, and how data is prepared for it, on a taxonomy that may be `given` as a tree."""

    method: Method
    how: Preparation
    given: Taxonomy | None = None


@dataclass(frozen=True)
class Measured:
    """What a route amounts to on a sample.

    `kept` is the share of the words that people typed and that are published for them as typed, `risk` the share of people who are found
    by somebody who knows four of their items, with its interval. `whole`: the sample is all of the data. Where something could not be
    measured, `why_not` says why. Seconds are of the processor.
    """

    seconds: float
    kept: float | None = None
    risk: Interval | None = None
    people: int = 0
    whole: bool = False
    why_not: str = ""


def measured(data: Any, route: Route) -> Measured:
    """Make the release of a sample of this data by a route, and measure it; the data is files, or whatever can be read again."""
    begun = time.process_time()
    try:
        source = sample_of(data, route)
        found = _measured(source, route.method)
    except ShoalError as error:
        return Measured(time.process_time() - begun, why_not=error.message)
    return replace(found, seconds=time.process_time() - begun)


def all_measured(data: Any, routes: Sequence[Route], seconds: float = SECONDS) -> Iterator[Measured]:
    """What each route amounts to; once so many seconds of the processor are spent, no further one is tried."""
    end = time.process_time() + seconds
    for route in routes:
        yield measured(data, route) if time.process_time() < end else Measured(0.0, why_not=TIME_IS_UP)


def sample_of(data: Any, route: Route) -> Source:
    """The rows or records of some people, drawn by a fixed seed; all of them where they are few."""
    how = replace(route.how, memory=None)
    reading = _part_of(data, how)
    source = Source(reading, how, route.given)
    people = np.unique(source.owners)
    if len(people) <= PEOPLE:
        return source
    chosen = np.random.default_rng(SEED).permutation(people)[:PEOPLE]
    some = np.isin(source.owners, chosen)
    part = part_of(reading.data, some)
    rows = Ledger(len(part), {USED: kept(len(part))})
    return replace(source, reading=replace(reading, data=part, part=0.0, rows=rows))


def _part_of(data: Any, how: Preparation) -> Reading:
    """About the first megabytes of files; data in memory as it is."""
    if isinstance(data, Log | Bags | Table):
        return Reading(data, "", Ledger(0, {}), Defects({}), ())
    if (are_paths(data) and STDIN in _names(data)) or (hasattr(data, "__next__") and not are_paths(data)):
        raise ParameterError(ONCE)
    return read(data, how.reading, most=BYTES)


def _names(data: Any) -> list[str]:
    return [str(data)] if not isinstance(data, list | tuple) else [str(path) for path in data]


def _measured(source: Source, method: Method) -> Measured:
    judged = anonymize(source.prepared(), method)
    words = words_of(judged.release, judged.original)
    whole = source.reading.part == 1.0
    share = None if words is None else coverage(words)["kept"]
    risk = _risk(judged)
    why_not = "" if risk is not None else WHY_NOT.get(min(judged.release.kinds), "no attack is made on what is published")
    return Measured(0.0, share, risk, len(np.unique(source.owners)), whole, why_not)


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
