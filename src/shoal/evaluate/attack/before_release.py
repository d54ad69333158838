"""Attacks on a release that was just made and judged, before it is written: its manifest and report tell what they amount to.

A release on which an attack succeeds for certain more often than a claim promises is refused, like one that fails a claim. What is told
are rates over many people; what one person, or a handful, would show is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from shoal.attacks import ATTACKS
from shoal.attacks.outcome import Outcome
from shoal.attacks.scenarios import attack_called
from shoal.counting import percent
from shoal.data.accounting import Ledger
from shoal.data.bags import Bags
from shoal.data.items import Items
from shoal.data.log import Log
from shoal.data.table import Table
from shoal.data.taxonomy import Taxonomy
from shoal.errors import GuaranteeNotMet, ParameterError
from shoal.evaluate.attack import Attacked, Case, Draw, Source, Tell, attacks_on, refuse_other_kinds
from shoal.evaluate.attack.scenario import More
from shoal.io.read.defects import Defects
from shoal.io.read.dispatch import Reading, read
from shoal.io.read.parameter_files import with_files_read
from shoal.io.rules_file import RulesFile
from shoal.methods import Method
from shoal.pipeline.disclosure import safe_numbers
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import Prepared, prepare
from shoal.pipeline.remake import SENSITIVE
from shoal.pipeline.run import Judged
from shoal.report.attack_summary import ATTACKS as KEY
from shoal.report.attack_summary import FEW, SKIPPED, outcomes_on, worst_is_told
from shoal.report.facts import FEWEST_PEOPLE

OPTION = "--attack"
ALL = "all"
_EVERY, _NONE = {ALL, "yes"}, {"", "no"}  # a file of options writes true and false as yes and no

Wanted = bool | str | Sequence[str] | None
"""Names of attacks, in a list or with commas between them; true, or `all`, is those on published records: known-items, two-halves and
one-more-item."""


@dataclass(frozen=True)
class Attempt:
    """Which attacks are made on a release before it is written, and on how many people."""

    names: tuple[str, ...]
    draw: Draw

    @classmethod
    def asked(cls, wanted: Wanted, targets: Any = None, control: Any = None) -> Attempt | None:
        """As the options say; None where no attack is wanted."""
        drawn = {name: value for name, value in {"targets": targets, "control": control}.items() if value is not None}
        names = _named(wanted)
        if names is None and drawn:
            raise ParameterError(f"--{next(iter(drawn))} is about attacks, and none is wanted", hint=f"add {OPTION}")
        if names is None:
            return None
        text = all(isinstance(value, str) for value in drawn.values())
        return cls(names, Draw.parse(drawn) if text else Draw(**drawn))

    def refuse(self, method: Method) -> None:
        """Raise before the work where the releases of a method cannot be attacked, or what came of it could not be told."""
        if not safe_numbers(method.claims()):
            told = " and ".join(claim.name for claim in method.claims())
            raise ParameterError(f"{OPTION} tells exact numbers about the original, which would break {told}", hint=f"leave {OPTION} out")
        refuse_other_kinds({"bags" if method.publishes == "sets" else method.publishes})


def _named(wanted: Wanted) -> tuple[str, ...] | None:
    """The attacks by name, none for all on published records; None where no attack is wanted."""
    if wanted is None or isinstance(wanted, bool):
        return () if wanted else None
    names = tuple(name.strip() for name in wanted.split(",")) if isinstance(wanted, str) else tuple(wanted)
    if set(names) <= _NONE:
        return None
    if set(names) <= _EVERY:
        return ()
    every = [one for name in names for one in (ATTACKS if name == ALL else [name])]
    for name in every:
        attack_called(name)
    return tuple(dict.fromkeys(every))


@dataclass(frozen=True, eq=False)
class Readied:
    """What was read and prepared; `source` has the data as it was read, where a part of it is to be prepared again."""

    prepared: Prepared
    source: Source | None


def readied(attempt: Attempt | None, data: Any, how: Preparation, given: Taxonomy | None = None) -> Readied:
    """The data, read once and prepared; what was read is kept only where attacks are to be made."""
    if attempt is None:
        return Readied(prepare(data, how, given), None)
    if how.memory is not None:
        raise ParameterError("attacks keep the whole log in memory, and --memory is there to spare it", hint="leave one of them out")
    if isinstance(data, Log | Bags | Table):  # what a program has: no file, so no row of one to account for
        return Readied(prepare(data, how, given), Source(Reading(data, "", Ledger(0, {}), Defects({}), ()), how, given))
    source = Source(read(data, how.reading), how, given)
    return Readied(source.prepared(), source)


def withstood(attempt: Attempt | None, judged: Judged, ready: Readied, method: Method, rules: RulesFile | None, tell: Tell) -> Judged:
    """The release after the attacks that were asked for, with what they amount to; an error where one breaks a promise for certain."""
    if attempt is None or ready.source is None:
        return judged
    at_hand = with_files_read(method)
    case = Case(ready.source, ready.prepared, judged.release, at_hand, rules)
    found = attacks_on(case, attempt.names, attempt.draw, tell, More(sensitive=_sensitive(at_hand)))
    insist(found)
    return replace(judged, attacks=published(found, attempt))


def _sensitive(method: Method) -> Items | None:
    """The items that must not be inferred, as the method was given them: a claim has only those that are still published."""
    return next((value for name in SENSITIVE if isinstance(value := method.values().get(name), Items)), None)


def insist(found: Attacked) -> None:
    """Fail closed: raise where an attack succeeds for certain more often than is promised."""
    above = [one for one in found.outcomes if one.standing == "ABOVE THE PROMISE"]
    if above:
        worst = max(above, key=lambda one: (one.targets >= FEWEST_PEOPLE, _least(one)))
        what = f"{len(above)} of the attacks succeed more often than the release promises: {worst.attack}, knowing {worst.knowledge},"
        many = worst.targets >= FEWEST_PEOPLE  # a rate of a handful of people is theirs, and is not told
        told = f"succeeds at least {percent(_least(worst))} of the time" if many else "succeeds too often"
        raise GuaranteeNotMet(f"{what} {told}, and at most {percent(worst.ceiling or 0.0)} is promised", hint="nothing was written")


def _least(one: Outcome) -> float:
    """How often an attack succeeds for certain."""
    return one.success.rate if one.everybody else one.success.low


def unsure(manifest: Mapping[str, Any]) -> list[str]:
    """A warning where the upper end of an interval is above what is promised; empty where none is."""
    found = [one for one in outcomes_on(manifest) if one["verdict"] == "may be above the promise"]
    hint = ": more --targets would tell" if any(one["targets"] >= manifest[KEY]["targets"] for one in found) else ""
    return [f"{len(found)} of the attacks may succeed more often than is promised{hint}"] if found else []


def published(found: Attacked, attempt: Attempt) -> dict[str, Any]:
    """What the manifest tells of attacks: how people were drawn, rates over many of them, and the names of attacks without a rate."""
    draw, asked = attempt.draw, attempt.names or tuple(ATTACKS)
    told = [_published(one) for one in found.outcomes if one.targets >= FEWEST_PEOPLE]
    without = {
        SKIPPED: [name for name in asked if name not in found.attacks],
        FEW: [name for name in found.attacks if all(one["attack"] != name for one in told)],
    }
    named = {key: names for key, names in without.items() if names}
    return {"targets": draw.targets, "control": draw.control, "seed": draw.seed, "outcomes": told, **named}


def _published(one: Outcome) -> dict[str, Any]:
    """Rates over at least a handful of people; how long the records of those are who were found is not told."""
    many = one.control is not None and one.controls >= FEWEST_PEOPLE
    worst = {"worst_hit": one.worst} if worst_is_told(one.targets) else {}
    return {
        "subject": one.subject,
        "attack": one.attack,
        "test": one.test,
        "knowledge": one.knowledge,
        "targets": one.targets,
        **({"everybody": True} if one.everybody else {}),
        "success": one.success.rate,
        "low": one.success.low,
        "high": one.success.high,
        **worst,
        "baseline": one.baseline,
        **({"controls": one.controls, "control": one.control.rate} if one.control is not None and many else {}),
        **({} if one.ceiling is None else {"ceiling": one.ceiling}),
        "verdict": one.standing,
    }
