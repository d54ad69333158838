"""From data and a goal to the releases that are worth making, each measured on a sample.

Every candidate of the table of decisions (`routes`) that fits the data is tried (`trial`). Offered are the three that keep the most among
those in which an attacker finds at most 1 in k people. The others are named with the reason why they are not offered.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from shoal import kernels
from shoal.attacks.outcome import ROUNDING
from shoal.data.taxonomy import Taxonomy
from shoal.errors import InputError, ParameterError, ShoalError
from shoal.evaluate.advise.goals import SECONDS, DataFacts, Goal, facts_of, fitting_goals, goal_called
from shoal.evaluate.advise.masked_risk import MaskingAdvice, masking_advice
from shoal.evaluate.advise.routes import Candidate, candidates_for, insist_on_some_method
from shoal.evaluate.advise.sample import Samples
from shoal.evaluate.advise.trial import KNOWN, TIME_IS_UP, WORDS, Measured, Route, measured
from shoal.io.read.options import DOCUMENTS, MICRODATA
from shoal.io.read.result import Reading
from shoal.methods import METHODS, insist_on_packages
from shoal.pipeline.options import NO_TAXONOMY, PATHS, Preparation, load_taxonomy
from shoal.pipeline.prepare import records_of
from shoal.pipeline.request import chosen_method, preparation
from shoal.report.notebook import facts_page
from shoal.taxonomy.tree_drawing import coverage
from shoal.util.wording import percent

MOST_ROUTES = 3
FEWEST = 5  # people behind every record, where neither the user nor the method names a number
WELL_COVERED = 0.5  # share of the occurrences that WordNet must know to be the taxonomy of items
UNKNOWN_COLUMNS = ("unrecognized-input", "missing-column")  # why data that may be a table or documents was not read
AUDIT, LOG = "audit", "log"


@dataclass(frozen=True)
class MeasuredRoute:
    """A candidate, the options that complete it, and what it amounts to.

    Attributes:
        candidate: The row of the table of decisions.
        options: All options about the data, as they were given and as the route has them.
        settings: The parameters of the method.
        found: What was measured.
        limit: The largest share of people that an attacker may find.
        of_items: Whether the data is about items, and not words of texts.
    """

    candidate: Candidate
    options: Mapping[str, Any]
    settings: Mapping[str, Any]
    found: Measured
    limit: float
    of_items: bool = False

    @property
    def safe(self) -> bool:
        """Whether an attacker finds at most so many people as the limit says, or there is nobody to find."""
        return self.found.expected is None or self.found.expected <= self.limit * (1 + ROUNDING)

    @property
    def offered(self) -> bool:
        """Whether it was measured and is safe."""
        return self.found.expected_kept is not None and self.safe

    @property
    def risk(self) -> str:
        """What an attacker finds, in words."""
        if self.found.expected is None:
            return f"no attack was made: {self.found.why_not}"
        about = "" if self.found.whole else "about "
        return f"an attacker who knows {KNOWN.items} items of {self.found.of} finds {about}{percent(self.found.expected)} of the people"

    @property
    def left(self) -> str:
        """What is left of the data, in words."""
        assert self.found.expected_kept is not None
        about = "" if self.found.whole else "about "
        near = f", {percent(self.found.near)} one level up" if self.found.near else ""
        return f"{about}{percent(self.found.expected_kept)} of the {self._what}{near}"

    @property
    def _what(self) -> str:
        return "items" if self.of_items and self.found.what == WORDS else self.found.what

    @property
    def why_not(self) -> str:
        """Why it is not offered."""
        if self.found.expected_kept is None:
            return self.found.why_not or "it could not be measured"
        return self.risk if not self.safe else "others keep more"

    def as_dict(self) -> dict[str, Any]:
        """The route as JSON values."""
        found, one = self.found, self.candidate
        return {
            "method": one.method,
            "options": dict(self.options),
            "settings": dict(self.settings),
            "why": one.why,
            "protects": one.protects,
            "does_not_protect": one.open,
            "kept": found.expected_kept,
            "kept_of": self._what,
            "one_level_up": found.near,
            "risk": found.expected,
            "attacker": f"knows {KNOWN.items} items of {found.of}" if found.expected is not None else None,
            "seconds": found.expected_seconds,
            "measured_on": {"people": found.people, "whole": found.whole},
            **({} if self.offered else {"why_not": self.why_not}),
        }


@dataclass(frozen=True)
class GoalAdvice:
    """The routes to one goal, best first, the candidates that are not offered, and masking without a guarantee, where that is possible."""

    goal: Goal
    routes: tuple[MeasuredRoute, ...] = ()
    others: tuple[MeasuredRoute, ...] = ()
    masking: MaskingAdvice | None = None

    def as_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "goal": self.goal.name,
            "wish": self.goal.wish,
            "routes": [route.as_dict() for route in self.routes],
            "not_offered": [route.as_dict() for route in self.others],
            **({} if self.masking is None else {"without_guarantee": self.masking.as_dict()}),
        }


@dataclass(frozen=True)
class Advice:
    """What `shoal.advise` found: what the data is, and for each goal the routes that are worth taking."""

    facts: DataFacts
    goals: tuple[GoalAdvice, ...]
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    def _repr_html_(self) -> str:
        """For notebooks: what the data is, and the routes to each goal."""
        rows = [
            [goal.goal.name, route.candidate.method, route.candidate.protects, route.left, route.risk]
            for goal in self.goals
            for route in goal.routes
        ]
        return facts_page(f"Advice on {self.facts.words}", [], (), ["goal", "method", "protects", "left", "risk"], rows)

    def as_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "data": self.facts.as_dict(),
            "goals": [goal.as_dict() for goal in self.goals],
            "notes": list(self.notes),
            "seconds": round(self.seconds, 1),
        }


def advise(
    data: Any,
    said: Mapping[str, Any],
    goal: str | None = None,
    k: int | None = None,
    *,
    given: Taxonomy | None = None,
    seconds: float = SECONDS,
) -> Advice:
    """Read data, try what is worth trying for a goal, and return the best routes.

    Args:
        data: Files, or data in memory that can be read again.
        said: What was said about the data, by names of options; None for those that were not given.
        goal: The name of a goal; by default all goals that fit the data.
        k: The number of people behind every published record; by default that of each method.
        given: A taxonomy that was loaded already.
        seconds: How long all trials may take.

    Raises:
        ParameterError: There is no such goal, or the data is not for it.
        InputError: The data cannot be read.
    """
    begun = time.perf_counter()
    wanted = None if goal is None else goal_called(goal)
    if wanted is not None:
        insist_on_some_method(wanted.name)
    samples = Samples(data)
    reading = _opened(samples, said)
    facts = facts_of(reading)
    goals = (wanted,) if wanted is not None else fitting_goals(facts)
    if wanted is not None and facts.format not in wanted.formats:
        fitting = ", ".join(one.name for one in fitting_goals(facts))
        raise ParameterError(
            f"the goal {wanted.name} is not for {facts.words}",
            code="goal-not-applicable",
            hint=f"goals for this data: {fitting}" if fitting else "",
            value=wanted.name,
        )
    taxonomy = {} if given is not None or said.get("taxonomy") is not None else _fitting_taxonomy(reading, facts)
    tried = _tried(_Question(samples, facts, said, taxonomy, k, given), goals, begun + seconds)
    found = tuple(_ranked(one, [route for route in tried if route.candidate.goal == one.name]) for one in goals)
    found = tuple(replace(one, masking=masking_advice(reading)) if one.goal.name == LOG else one for one in found)
    notes = (*reading.notes, *(f"left out: {line}" for line in reading.defects.described()))
    return Advice(facts, found, notes, time.perf_counter() - begun)


def _opened(samples: Samples, said: Mapping[str, Any]) -> Reading:
    """The data as the options say; where its columns are not known, as a table of people or as documents, if it can be read so."""
    try:
        return samples.reading(preparation(dict(said)))
    except InputError as error:
        if said.get("format") is not None or error.code not in UNKNOWN_COLUMNS:
            raise
        for format in (MICRODATA, DOCUMENTS):
            try:
                reading = samples.reading(preparation({**said, "format": format}, Preparation.of_format(format)))
            except ShoalError:
                continue
            if format == MICRODATA or len(reading.data) > 1:
                return reading
        raise


def _fitting_taxonomy(reading: Reading, facts: DataFacts) -> dict[str, str]:
    """The option for a taxonomy that is about these items; none where the usual one is."""
    if facts.format in (MICRODATA, DOCUMENTS) or facts.texts:
        return {}
    if facts.urls:
        return {"taxonomy": PATHS}
    how = Preparation()
    bags = records_of(reading.data, how).folded
    found = coverage(bags, load_taxonomy("wordnet", how.loss)[0], 0)
    return {} if found.occurrences_covered >= WELL_COVERED * found.occurrences else {"taxonomy": "generated"}


@dataclass(frozen=True, eq=False)
class _Question:
    """What is asked for: the data, what is known and was said of it, the options for a fitting taxonomy, and k."""

    samples: Samples
    facts: DataFacts
    said: Mapping[str, Any]
    taxonomy: Mapping[str, str]
    k: int | None
    given: Taxonomy | None


def _tried(asked: _Question, goals: Sequence[Goal], end: float) -> list[MeasuredRoute]:
    """Every candidate of these goals, measured one after the other; the time that is left is shared by those that are left."""
    candidates = [one for goal in goals for one in candidates_for(goal.name, asked.facts)]
    found = []
    for n, one in enumerate(candidates):
        kernels.report("trying routes on a sample", n, len(candidates))
        left = (end - time.perf_counter()) / (len(candidates) - n)
        found.append(_measured_route(asked, one, left))
    kernels.report("trying routes on a sample", len(candidates), len(candidates))
    return found


def _measured_route(asked: _Question, one: Candidate, seconds: float) -> MeasuredRoute:
    """A candidate with all its options, tried for so many seconds; an error is why it is not offered."""
    said, k = asked.said, asked.k
    settings = {**one.settings, **({} if k is None else {"k": str(k)})}
    options = {name: value for name, value in said.items() if value is not None} | dict(one.options)
    try:
        insist_on_packages(METHODS[one.method])
        method = chosen_method(one.method, _accepted(one.method, settings))
        settings = _accepted(one.method, settings)
        base = Preparation.default_for(method)
        if base.shape == "records" and base.taxonomy != NO_TAXONOMY:
            options |= asked.taxonomy
        route = Route(method, preparation({**dict.fromkeys(said), **options}, base=base), asked.given)
        limit = 1 / method.values().get("k", k or FEWEST)
        found = measured(asked.samples, route, asked.facts.people, seconds) if seconds > 0 else Measured(0.0, why_not=TIME_IS_UP)
    except ShoalError as error:
        found, limit = Measured(0.0, why_not=str(error) if error.code == "missing-package" else error.message), 1 / (k or FEWEST)
    return MeasuredRoute(one, options, settings, found, limit, of_items=not asked.facts.texts)


def _accepted(method: str, settings: Mapping[str, str]) -> dict[str, str]:
    """Those of the settings that the method has; one without k, such as a method with noise, is tried without it."""
    own = {declared.name for declared in METHODS[method].parameters()}
    return {name: value for name, value in settings.items() if name in own or name != "k"}


def _ranked(goal: Goal, tried: Sequence[MeasuredRoute]) -> GoalAdvice:
    """The routes that may be offered: first those whose risk was measured, and of these the ones that keep the most; and the others."""
    offered = sorted((one for one in tried if one.offered), key=lambda one: (one.found.expected is None, -(one.found.expected_kept or 0.0)))
    offered = offered[:MOST_ROUTES]
    return GoalAdvice(goal, tuple(offered), tuple(_without(tried, offered)))


def _without(tried: Sequence[MeasuredRoute], offered: Sequence[MeasuredRoute]) -> Iterator[MeasuredRoute]:
    return (one for one in tried if not any(one is other for other in offered))
