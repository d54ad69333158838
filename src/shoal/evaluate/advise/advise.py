"""Proposes releases of some data for a goal, each measured on a sample.

Every candidate of the table of decisions (`routes`) that fits the data is tried (`trial`), first all of them on small samples, then the
best ones on larger samples. Offered are the three that keep the most among those in which an attacker finds at most 1 in k people. The
others are named with the reason why they are not offered.

With a product table, every candidate is tried with items at each of its levels, from fine to coarse, until one keeps most of them. What
is kept counts less at a coarser level: of n levels, one step up takes 1/n of the worth of an item. So a level is left out at which all
items together are worth less than what another route keeps.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from shoal import kernels
from shoal.attacks.outcome import ROUNDING
from shoal.data.bags import Bags
from shoal.data.taxonomy import Taxonomy
from shoal.errors import InputError, ParameterError, ShoalError
from shoal.evaluate.advise.forecast import Measured
from shoal.evaluate.advise.goals import SECONDS, DataFacts, Goal, facts_of, fitting_goals, goal_called
from shoal.evaluate.advise.item_levels import first_rung
from shoal.evaluate.advise.masked_risk import MaskingAdvice, masking_advice
from shoal.evaluate.advise.routes import OF_RECORDS, SEVERAL, Candidate, candidates_for, ignores_records, insist_on_some_method
from shoal.evaluate.advise.sample import Samples
from shoal.evaluate.advise.trial import SAMPLES_FIRST, TIME_IS_UP, TOO_LONG, WORDS, Attempt, Route
from shoal.io.read.options import DOCUMENTS, MICRODATA
from shoal.io.read.result import Reading
from shoal.methods import METHODS, insist_on_packages
from shoal.pipeline.options import NO_TAXONOMY, PATHS, Preparation, load_taxonomy
from shoal.pipeline.prepare import records_of
from shoal.pipeline.request import OF_TABLES, chosen_method, parse_preparation
from shoal.report.notebook import facts_page
from shoal.taxonomy.item_catalogue import Catalogue
from shoal.taxonomy.tree_drawing import coverage
from shoal.util.wording import counted, percent

MOST_ROUTES = 3
FEWEST = 5  # people behind every record, where neither the user nor the method names a number
GENERATED = "generated"  # a tree without meaning, for items that no taxonomy covers
WELL_COVERED = 0.5  # share of the occurrences that WordNet must know to be the taxonomy of items
UNKNOWN_COLUMNS = ("unrecognized-input", "missing-column")  # why data that may be a table or documents was not read
AUDIT, LOG = "audit", "log"
FIRST_ROUND = 0.5  # of the time, the part for trying all routes on the smallest samples
ROUNDS = ("trying routes on a sample", "trying the best routes on larger samples")  # labels of the progress
TWICE = 2  # of its part of the time that is left, what a route may take in this round, because most take less
RISK_UNKNOWN = "there was no time for a second sample, so it is not known how the risk grows with more people"
OF_K = re.compile(r"\b(\d*)k\b")  # k and 2k in the texts of the table of decisions
MOST_ITEMS = 0.8  # share of the items that must be kept at a level for coarser ones not to be tried


@dataclass(frozen=True)
class MeasuredRoute:
    """A candidate, the options that complete it, and its result.

    Attributes:
        candidate: The row of the table of decisions.
        options: All options about the data, as they were given and as the route has them.
        settings: The parameters of the method.
        found: What was measured.
        limit: The largest share of people that an attacker may find.
        of_items: Whether the data is about items, and not words of texts.
        level: The level of the product table at which items are published; None for the items themselves, or without such a table.
        worths: What a published item is worth, and one that is published one level up.
    """

    candidate: Candidate
    options: Mapping[str, Any]
    settings: Mapping[str, Any]
    found: Measured
    limit: float
    of_items: bool = False
    level: str | None = None
    worths: tuple[float, float] = (1.0, 0.0)

    @property
    def k(self) -> int:
        """The number of people behind the guarantee: that of the method, or the one that was given."""
        return round(1 / self.limit)

    @property
    def why(self) -> str:
        """Why it is worth trying."""
        return self._with_k(self.candidate.why)

    @property
    def protects(self) -> str:
        """What its release protects."""
        return self._with_k(self.candidate.protects)

    @property
    def open(self) -> str:
        """What its release does not protect."""
        apart = self.options.get("record") is not None and self.candidate.protects in OF_RECORDS
        return self._with_k(self.candidate.open) + (f"; {SEVERAL}" if apart else "")

    def _with_k(self, text: str) -> str:
        """Replace k and 2k in a text by the number of people."""
        return OF_K.sub(lambda found: str(int(found[1] or 1) * self.k), text)

    @property
    def use(self) -> float:
        """The share of items left; coarser items count less."""
        return (self.found.expected_kept or 0.0) * self.worths[0] + (self.found.near or 0.0) * self.worths[1]

    @property
    def safe(self) -> bool:
        """Whether an attacker finds no more people than the limit allows, or there is nobody to find."""
        return self.found.expected is None or self.found.expected <= self.limit * (1 + ROUNDING)

    @property
    def promising(self) -> bool:
        """Whether it was measured and may be safe for all people."""
        found = self.found
        return found.expected_kept is not None and (found.hoped is None or found.hoped <= self.limit * (1 + ROUNDING))

    @property
    def offered(self) -> bool:
        """Whether it was measured and is safe."""
        return self.found.expected_kept is not None and self.safe

    @property
    def sure(self) -> bool:
        """Whether it is offered because its risk was measured, and not for want of an attack."""
        return self.offered and self.found.expected is not None

    @property
    def risk(self) -> str:
        """The risk in words."""
        if self.found.expected is None:
            return f"no attack was made: {self.found.why_not}"
        rate = percent(self.found.expected)
        about = "" if self.found.whole or rate.startswith(("<", ">")) else "about "
        return f"an attacker who knows {self.found.known()} finds {about}{rate} of the people"

    @property
    def left(self) -> str:
        """The utility in words."""
        assert self.found.expected_kept is not None
        share = percent(self.found.expected_kept)
        about = "" if self.found.whole or share[0] in "<>" else "about "
        near = f", {percent(self.found.near)} one level up" if self.found.near else ""
        return f"{about}{share}{self._range} of the {self._what}{near}"

    @property
    def left_of_sample(self) -> str:
        """The utility of the largest sample in words, where samples are too few or too small for a forecast."""
        assert self.found.kept is not None
        people = counted(self.found.people, "person", "people")
        return f"{percent(self.found.kept)} of the {self._what} in a sample of {people}; usually more with all people"

    @property
    def _range(self) -> str:
        """The range of a forecast in words, with a warning if it is unreliable."""
        if self.found.whole or self.found.kept_between is None:
            return ""
        least, most = self.found.kept_between
        return f" ({'uncertain: ' if self.found.uncertain else ''}{percent(least)} to {percent(most)})"

    @property
    def _what(self) -> str:
        what = "items" if self.of_items and self.found.what == WORDS else self.found.what
        return what if self.level is None else f"{what}, by their {self.level}"

    @property
    def why_not(self) -> str:
        """Why it is not offered."""
        if self.found.expected_kept is None:
            return self.found.why_not or "it could not be measured"
        if self.risk_unknown:
            return RISK_UNKNOWN
        return f"{self.risk}, more than 1 in {self.k:,}" if not self.safe else "others keep more"

    @property
    def risk_unknown(self) -> bool:
        """Whether it is not offered only because one sample does not show how its risk grows with more people."""
        found = self.found
        if found.samples != 1 or found.whole or found.risk is None:
            return False
        return not self.safe and found.risk.rate <= self.limit * (1 + ROUNDING)

    @property
    def late(self) -> bool:
        """Whether more time might have made it a route to offer."""
        return self.found.why_not in (TIME_IS_UP, TOO_LONG) or self.risk_unknown

    def as_dict(self) -> dict[str, Any]:
        """Return the route as JSON values."""
        found, one = self.found, self.candidate
        return {
            "method": one.method,
            "options": dict(self.options),
            "settings": dict(self.settings),
            **({} if self.level is None else {"item_level": self.level}),
            "why": self.why,
            "protects": self.protects,
            "does_not_protect": self.open,
            "kept": found.expected_kept,
            "kept_of": self._what,
            "kept_between": None if found.kept_between is None else list(found.kept_between),
            "uncertain": found.uncertain,
            "one_level_up": found.near,
            "risk": found.expected,
            "attacker": f"knows {found.known()}" if found.expected is not None else None,
            "seconds": found.expected_seconds,
            "measured_on": {"people": found.people, "samples": found.samples, "whole": found.whole},
        }


@dataclass(frozen=True)
class GoalAdvice:
    """The routes to one goal, best first, the candidates that are not offered, and masking without a guarantee, where that is possible."""

    goal: Goal
    routes: tuple[MeasuredRoute, ...] = ()
    others: tuple[MeasuredRoute, ...] = ()
    masking: MaskingAdvice | None = None

    @property
    def late(self) -> int:
        """The number of candidates that could not be tried, or not on a second sample, for want of time."""
        return sum(route.late for route in self.others)

    def as_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "goal": self.goal.name,
            "wish": self.goal.wish,
            "routes": [route.as_dict() for route in self.routes],
            "not_offered": [{**route.as_dict(), "why_not": route.why_not} for route in self.others],
            **({} if self.masking is None else {"without_guarantee": self.masking.as_dict()}),
        }


@dataclass(frozen=True)
class Advice:
    """The result of `shoal.advise`: facts about the data, and for each goal the recommended routes.

    `without_categories` is set if no taxonomy covers the items, so routes were tried on a tree without meaning.
    """

    facts: DataFacts
    goals: tuple[GoalAdvice, ...]
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    without_categories: bool = False

    def _repr_html_(self) -> str:
        """Show the facts about the data and the routes to each goal in a notebook."""
        rows = [
            [goal.goal.name, route.candidate.method, route.protects, route.left, route.risk] for goal in self.goals for route in goal.routes
        ]
        return facts_page(f"Advice on {self.facts.words}", [], (), ["goal", "method", "protects", "keeps", "risk"], rows)

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
    options: Mapping[str, Any],
    goal: str | None = None,
    k: int | None = None,
    *,
    loaded_taxonomy: Taxonomy | None = None,
    seconds: float = SECONDS,
) -> Advice:
    """Read data, try the candidate methods for a goal, and return the best routes.

    Args:
        data: Files, or data in memory that can be read again.
        options: The options for the data by name; None for those that were not set.
        goal: The name of a goal; by default all goals that fit the data.
        k: The number of people behind every published record; by default that of each method.
        loaded_taxonomy: A taxonomy that was loaded already.
        seconds: How long all trials may take.

    Raises:
        ParameterError: There is no such goal, or the data is not for it.
        InputError: The data cannot be read.
    """
    begun = time.perf_counter()
    chosen_goal = None if goal is None else goal_called(goal)
    if chosen_goal is not None:
        insist_on_some_method(chosen_goal.name)
    samples = Samples(data)
    reading = _opened(samples, options, chosen_goal)
    facts = facts_of(reading)
    goals = (chosen_goal,) if chosen_goal is not None else fitting_goals(facts)
    if chosen_goal is not None and facts.format not in chosen_goal.formats:
        fitting = ", ".join(one.name for one in fitting_goals(facts))
        raise ParameterError(
            f"the goal {chosen_goal.name} is not for {facts.words}",
            code="goal-not-applicable",
            hint=f"goals for this data: {fitting}" if fitting else "",
            value=chosen_goal.name,
        )
    taxonomy_chosen = loaded_taxonomy is not None or options.get("taxonomy") is not None or reading.items is not None
    taxonomy = {} if taxonomy_chosen else fitting_taxonomy(reading, facts, options)
    question = _Question(
        samples, facts, options, taxonomy, k, loaded_taxonomy, _ladder(samples, reading, options), taxonomy_chosen=taxonomy_chosen
    )
    tried = _tried(question, goals, time.perf_counter() + seconds)  # reading a large file takes nothing from the trials
    found = tuple(_ranked(one, [route for route in tried if route.candidate.goal == one.name]) for one in goals)
    found = tuple(replace(one, masking=masking_advice(reading)) if one.goal.name == LOG else one for one in found)
    notes = (*reading.notes, *(f"left out: {line}" for line in reading.defects.described()))
    return Advice(facts, found, notes, time.perf_counter() - begun, taxonomy.get("taxonomy") == GENERATED)


def _opened(samples: Samples, options: Mapping[str, Any], chosen_goal: Goal | None) -> Reading:
    """Read the data as the options specify; if its columns are not known, as a table of people or as documents, if possible.

    Roles of columns that only a table has say that it is one. A goal for one of these formats alone says which it is, so what is wrong
    with the data in that format is raised.
    """

    def read_as(format: str) -> Reading:
        return samples.reading(parse_preparation({**options, "format": format}, Preparation.of_format(format)))

    if options.get("format") is None and any(options.get(name) for name in OF_TABLES):
        return read_as(MICRODATA)
    try:
        return samples.reading(parse_preparation(dict(options)))
    except InputError as error:
        if options.get("format") is not None or error.code not in UNKNOWN_COLUMNS:
            raise
        if chosen_goal is not None and chosen_goal.formats in ((MICRODATA,), (DOCUMENTS,)):
            return read_as(chosen_goal.formats[0])
        for format in (MICRODATA, DOCUMENTS):
            try:
                reading = read_as(format)
            except ShoalError:
                continue
            if format == MICRODATA or len(reading.data) > 1:
                return reading
        raise


def fitting_taxonomy(reading: Reading, facts: DataFacts, options: Mapping[str, Any]) -> dict[str, str]:
    """Return the option for a taxonomy that covers these items; empty if the default does."""
    if facts.format in (MICRODATA, DOCUMENTS) or facts.texts:
        return {}
    if facts.urls:
        return {"taxonomy": PATHS}
    preparation = parse_preparation(dict(options))
    bags = records_of(reading.data, preparation).folded
    found = coverage(bags, load_taxonomy("wordnet", preparation.loss)[0], 0)
    return {} if found.occurrences_covered >= WELL_COVERED * found.occurrences else {"taxonomy": GENERATED}


@dataclass(frozen=True, eq=False)
class _Ladder:
    """A product table, and the records of its items as the data has them."""

    bags: Bags
    catalogue: Catalogue
    _found: dict[tuple[int, int], int] = field(default_factory=dict)

    def first(self, k: int, together: int) -> int:
        """Return the number of the finest level that is worth trying (`item_levels`), counted once."""
        if (k, together) not in self._found:
            self._found[k, together] = first_rung(self.bags, self.catalogue, k, together)
        return self._found[k, together]


def _ladder(samples: Samples, reading: Reading, options: Mapping[str, Any]) -> _Ladder | None:
    """Return the levels of a product table, if there is one."""
    if reading.items is None:
        return None
    preparation = parse_preparation(dict(options))
    plain = samples.reading(replace(preparation, read=replace(preparation.read, items=None)))
    return _Ladder(records_of(plain.data, preparation.fitted(plain.format)[0]).bags, reading.items.catalogue)


@dataclass(frozen=True, eq=False)
class _Question:
    """A request for advice: the data, facts about it, its options, the options for a fitting taxonomy, k, and a product table."""

    samples: Samples
    facts: DataFacts
    options: Mapping[str, Any]
    taxonomy: Mapping[str, str]
    k: int | None
    loaded_taxonomy: Taxonomy | None
    ladder: _Ladder | None
    taxonomy_chosen: bool

    @property
    def rungs(self) -> tuple[str | None, ...]:
        """The levels of a product table from the items (None) to the coarsest; only None without such a table."""
        return (None,) if self.ladder is None else self.ladder.catalogue.rungs

    def levels(self, one: Candidate) -> tuple[str | None, ...]:
        """Return the levels to try: the one that was chosen, or all from the finest one on that is worth trying."""
        if self.ladder is None or self.options.get("item_level") is not None:
            return (self.options.get("item_level"),)
        return self.rungs[self.ladder.first(self.k or FEWEST, one.together) :]

    def worths(self, level: str | None) -> tuple[float, float]:
        """Return the value of an item at a level, and at the next coarser level."""
        if len(self.rungs) == 1:
            return 1.0, 0.0
        at = self.rungs.index(level) if level in self.rungs else 0
        return 1 - at / len(self.rungs), 1 - (at + 1) / len(self.rungs)


@dataclass(frozen=True, eq=False)
class _Try:
    """A candidate at a level with all its options; `refused` is the reason why it cannot be tried."""

    candidate: Candidate
    level: str | None
    options: Mapping[str, Any]
    settings: Mapping[str, Any]
    limit: float
    attempt: Attempt | None
    refused: str = ""

    def route(self, question: _Question) -> MeasuredRoute:
        """Return the results so far."""
        found = Measured(0.0, why_not=self.refused) if self.attempt is None else self.attempt.found
        of_items = not question.facts.texts
        return MeasuredRoute(
            self.candidate, self.options, self.settings, found, self.limit, of_items, self.level, question.worths(self.level)
        )


def _tried(question: _Question, goals: Sequence[Goal], end: float) -> list[MeasuredRoute]:
    """Try every candidate of these goals in rounds: all on small samples, the better ones on a larger one, the best until time is up."""
    candidates = [one for goal in goals for one in candidates_for(goal.name, question.facts, taxonomy_chosen=question.taxonomy_chosen)]
    first_end = end - (1 - FIRST_ROUND) * (end - time.perf_counter())
    found: list[_Try] = []
    for n, one in enumerate(candidates):
        kernels.report(ROUNDS[0], n, len(candidates))
        rivals = [it.route(question) for it in found if it.candidate.goal == one.goal]
        most = max((route.use for route in rivals if route.sure), default=0.0)
        found += _tried_at_levels(question, one, TWICE * (first_end - time.perf_counter()) / (len(candidates) - n + 1), most)
    # In the last round the time that others left is for the best ones that are not yet tried on all people.
    for many, samples, shared in ((2 * MOST_ROUTES, 1, True), (MOST_ROUTES, None, True), (MOST_ROUTES, None, False)):
        best = [one for goal in goals for one in _most_useful(question, [one for one in found if one.candidate.goal == goal.name], many)]
        for n, more in enumerate(best):
            kernels.report(ROUNDS[1], n, len(best))
            left = (end - time.perf_counter()) / (len(best) - n if shared else 1)
            if more.attempt is not None and left > 0:
                more.attempt.go_on(left, samples)
    kernels.report(ROUNDS[1], 1, 1)
    return [one.route(question) for one in found]


def _tried_at_levels(question: _Question, one: Candidate, seconds: float, most: float) -> Iterator[_Try]:
    """Try a candidate on small samples at one level after the other, from fine to coarse, until most items are kept.

    Levels whose items are all worth less than the `most` that another route is of use are left out.
    """
    levels = [level for n, level in enumerate(question.levels(one)) if n == 0 or question.worths(level)[0] > most]
    end = time.perf_counter() + seconds
    for n, level in enumerate(levels):
        begun = _begun(question, one, level)
        left = TWICE * (end - time.perf_counter()) / (len(levels) - n + 1)
        if begun.attempt is not None and left > 0:
            begun.attempt.go_on(left, SAMPLES_FIRST)
        yield begun
        route = begun.route(question)
        if route.offered and (route.found.expected_kept or 0.0) >= MOST_ITEMS:
            return


def _begun(question: _Question, one: Candidate, level: str | None) -> _Try:
    """Return a candidate with all its options, or with the error that prevents trying it."""
    chosen_options, k = question.options, question.k
    settings = {**one.settings, **({} if k is None else {"k": str(k)})}
    options = {name: value for name, value in chosen_options.items() if value is not None} | dict(one.options)
    options |= {} if level is None else {"item_level": level}
    if ignores_records(one):
        options.pop("record", None)
    try:
        insist_on_packages(METHODS[one.method])
        method = chosen_method(one.method, _accepted(one.method, settings))
        settings = _accepted(one.method, settings)
        base = Preparation.default_for(method)
        if base.shape == "records" and base.taxonomy != NO_TAXONOMY:
            options = {**question.taxonomy, **options}
        route = Route(method, parse_preparation({**dict.fromkeys(chosen_options), **options}, base=base), question.loaded_taxonomy)
        limit = 1 / method.values().get("k", k or FEWEST)
    except ShoalError as error:
        refused = str(error) if error.code == "missing-package" else error.message
        return _Try(one, level, options, settings, 1 / (k or FEWEST), None, refused)
    return _Try(one, level, options, settings, limit, Attempt(question.samples, route, question.facts.people))


def _most_useful(question: _Question, tries: Sequence[_Try], many: int) -> list[_Try]:
    """Return the best routes so far that may be offered and can be tried on more people.

    Where these are few, those follow that there was no time for.
    """
    routes = [(one, one.route(question)) for one in tries]
    offered = [(one, route) for one, route in routes if route.promising and not route.found.whole]
    best = [one for one, _ in sorted(offered, key=lambda pair: _order(pair[1]))]
    return [*best, *(one for one in tries if one.attempt is not None and one.attempt.needs_time)][:many]


def _accepted(method: str, settings: Mapping[str, str]) -> dict[str, str]:
    """Return the settings that the method has; a method without k, such as one that adds noise, is tried without it."""
    own = {declared.name for declared in METHODS[method].parameters()}
    return {name: value for name, value in settings.items() if name in own or name != "k"}


def _order(route: MeasuredRoute) -> tuple[bool, float]:
    """Return the sort key: routes with a measured risk first, and of these the ones that keep the most."""
    return route.found.expected is None, -route.use


def _ranked(goal: Goal, tried: Sequence[MeasuredRoute]) -> GoalAdvice:
    """Split the routes into those that may be offered, best first (a measured risk, then the most kept), and the others."""
    offered = sorted((one for one in tried if one.offered), key=_order)[:MOST_ROUTES]
    return GoalAdvice(goal, tuple(offered), tuple(_without(tried, offered)))


def _without(tried: Sequence[MeasuredRoute], offered: Sequence[MeasuredRoute]) -> Iterator[MeasuredRoute]:
    return (one for one in tried if not any(one is other for other in offered))
