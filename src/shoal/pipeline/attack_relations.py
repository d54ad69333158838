"""Rates of attacks in one manifest that cannot all be true: intervals that are not those of their rates, verdicts against the numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shoal.attacks import ATTACKS as ON_RECORDS
from shoal.attacks.confidence import Interval, wilson
from shoal.attacks.logs import LOG_ATTACKS
from shoal.attacks.outcome import RELEASE, standing_of
from shoal.attacks.scenarios import SCENARIO_ATTACKS
from shoal.auditing.statements import same
from shoal.pipeline.promises import claims_of
from shoal.privacy import Model
from shoal.report.attack_summary import ATTACKS, FEW, SKIPPED, worst_is_told
from shoal.report.facts import FEWEST_PEOPLE

MOST_KNOWN = 64  # items of a person, more than any attack knows by number


def of_attacks(manifest: Mapping[str, Any]) -> Iterator[str]:
    """What contradicts something else in what a manifest tells of attacks."""
    told = manifest.get(ATTACKS, {})
    claims, made = claims_of(manifest), {one["attack"] for one in told.get("outcomes", ())}
    for i, one in enumerate(told.get("outcomes", ())):
        for fault in (*_of_outcome(one, claims), *_of_people(one, told["targets"])):
            yield f"{ATTACKS}.outcomes[{i}]: {fault}"
    for key in (SKIPPED, FEW):
        for i, name in enumerate(told.get(key, ())):
            if not _is_attack(name):
                yield f"{ATTACKS}.{key}[{i}]: there is no such attack"
            elif name in made:
                yield f"{ATTACKS}.{key}[{i}]: the attack has outcomes"


def _is_attack(name: str) -> bool:
    return any(name in table for table in (ON_RECORDS, LOG_ATTACKS, SCENARIO_ATTACKS))


def _of_outcome(one: Mapping[str, Any], claims: Sequence[Model]) -> Iterator[str]:
    if not _is_attack(one["attack"]):
        yield "there is no such attack"
    found = wilson(one["success"] * one["targets"], one["targets"])
    if not same(one["low"], found.low) or not same(one["high"], found.high):
        yield "the interval is not that of the rate"
    ceiling = one.get("ceiling")
    if ceiling is not None and (one["subject"] != RELEASE or not _may_promise(claims, one, ceiling)):
        yield "no claim promises this ceiling"
    interval = Interval(one["success"], one["low"], one["high"])
    if one["verdict"] != standing_of(interval, ceiling, everybody="everybody" in one):
        yield "the verdict is not that of the interval"
    if one["verdict"] == "ABOVE THE PROMISE":
        yield "a release that an attack finds above its promise is not written"


def _of_people(one: Mapping[str, Any], asked: int) -> Iterator[str]:
    """Rates of too few people, which are never told; and everybody, where fewer were asked for."""
    if one["targets"] < FEWEST_PEOPLE:
        yield f"rates of fewer than {FEWEST_PEOPLE} people are not told"
    if ("control" in one) != ("controls" in one) or one.get("controls", FEWEST_PEOPLE) < FEWEST_PEOPLE:
        yield f"the rate of a control group is told with its size, and from {FEWEST_PEOPLE} people on"
    if "worst_hit" in one and not worst_is_told(one["targets"]):
        yield f"the rate of the people who are hit worst is that of fewer than {FEWEST_PEOPLE}"
    if "everybody" in one and (one["subject"] != RELEASE or one["attack"] not in ON_RECORDS or one["targets"] > asked):
        yield "everybody cannot have been attacked"


def _may_promise(claims: Sequence[Model], one: Mapping[str, Any], ceiling: float) -> bool:
    """Whether some claim promises this to an attack on published records that knows some number of items.

    Attacks that need more than the published records have limits of their own, which are only stated.
    """
    if one["attack"] not in ON_RECORDS:
        return True
    numbers = [None, *range(1, MOST_KNOWN)]
    limits = [claim.ceiling(str(one["test"]), n) for claim in claims for n in numbers]
    return any(limit is not None and same(limit, ceiling) for limit in limits)
