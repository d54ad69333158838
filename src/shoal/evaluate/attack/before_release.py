"""Attacks on a new, verified release before it is written; its manifest and report contain the results.

A release on which an attack certainly succeeds more often than a claim allows is rejected, like one that fails a claim. Published results
are rates over many people; results about one or a few people are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from shoal.attacks import ATTACKS, BASIC
from shoal.attacks.conclusion import MORE_TARGETS
from shoal.attacks.outcome import Outcome
from shoal.attacks.scenarios import attack_called
from shoal.auditing.earlier_releases import Series, SeriesCheck
from shoal.data.items import Items
from shoal.errors import GuaranteeNotMet, ParameterError, option
from shoal.evaluate.attack import Attacked, Case, CaseSource, Draw, attacks_on, refuse_other_kinds
from shoal.evaluate.attack.scenario import More
from shoal.io.read.dispatch import Reading
from shoal.io.read.parameter_files import with_files_read
from shoal.methods import Method
from shoal.pipeline.disclosure import safe_numbers
from shoal.pipeline.events import note, within_stage
from shoal.pipeline.job import Done, Job, ReleaseCheck
from shoal.pipeline.remake import SENSITIVE
from shoal.pipeline.run import Judged
from shoal.report.attacks import ATTACKS as KEY
from shoal.report.attacks import FEW, SKIPPED, outcomes_on, worst_is_reported
from shoal.report.facts import FEWEST_PEOPLE
from shoal.util.wording import percent

OPTION = option("attack")
_EVERY, _NONE = {BASIC, "yes"}, {"", "no"}  # a file of options writes true and false as yes and no

AttackOption = bool | str | Sequence[str] | None
"""Names of attacks, in a list or with commas between them; true, or `basic`, is those on published records: known-items, two-halves and
one-more-item."""


@dataclass(frozen=True)
class PlannedAttacks:
    """The attacks on a release before it is written, and the number of people to attack."""

    names: tuple[str, ...]
    draw: Draw

    @classmethod
    def from_options(cls, attacks: AttackOption, targets: Any = None, control: Any = None) -> PlannedAttacks | None:
        """Make it from the options; None if no attack is requested."""
        draw = {name: value for name, value in {"targets": targets, "control": control}.items() if value is not None}
        names = _named(attacks)
        if names is None and draw:
            raise ParameterError(
                f"{option(next(iter(draw)))} is for attacks, but none is requested", code="option-not-applicable", hint=f"add {OPTION}"
            )
        if names is None:
            return None
        text = all(isinstance(value, str) for value in draw.values())
        return cls(names, Draw.parse(draw) if text else Draw(**draw))

    def refuse(self, method: Method) -> None:
        """Raise, before the run, if releases of a method cannot be attacked, or if results could not be published."""
        if not safe_numbers(method.claims()):
            text = " and ".join(claim.name for claim in method.claims())
            raise ParameterError(
                f"{OPTION} reports exact numbers about the original, which would break {text}",
                code="attack-breaks-guarantee",
                hint=f"leave {OPTION} out",
            )
        refuse_other_kinds({"bags" if method.publishes == "sets" else method.publishes})


def _named(attacks: AttackOption) -> tuple[str, ...] | None:
    """Return the attacks by name, empty for the basic ones; None if no attack is requested."""
    if attacks is None or isinstance(attacks, bool):
        return () if attacks else None
    names = tuple(name.strip() for name in attacks.split(",")) if isinstance(attacks, str) else tuple(attacks)
    if set(names) <= _NONE:
        return None
    if set(names) <= _EVERY:
        return ()
    every = [one for name in names for one in (ATTACKS if name == BASIC else [name])]
    for name in every:
        attack_called(name)
    return tuple(dict.fromkeys(every))


class AttackCheck:
    """Attacks a release before it is written; its manifest and report contain the results."""

    option = "attack"
    needs_reading = True

    def __init__(self, attempt: PlannedAttacks) -> None:
        self._attempt = attempt

    def begin(self, job: Job) -> None:
        """Raise for a method whose releases cannot be attacked."""
        self._attempt.refuse(job.method)

    def examine(self, job: Job, done: Done, reading: Reading | None) -> Judged:
        """Attack the release and record the rates. Raise if an attack certainly succeeds more often than guaranteed."""
        assert reading is not None
        method = with_files_read(job.method)
        case = Case(CaseSource(reading, job.preparation, job.taxonomy), done.prepared, done.judged.release, method, job.rules)
        more = More(sensitive=_sensitive(method))
        with within_stage():
            found = attacks_on(case, self._attempt.names, self._attempt.draw, lambda notes: note(*notes), more)
        insist(found)
        return replace(done.judged, attacks=published(found, self._attempt))


def release_checks(series: Series, attempt: PlannedAttacks | None) -> list[ReleaseCheck]:
    """Return the checks of a release before it is written: comparison with earlier ones, and attacks."""
    found: list[ReleaseCheck] = [SeriesCheck(series)] if series.previous else []
    return found if attempt is None else [*found, AttackCheck(attempt)]


def _sensitive(method: Method) -> Items | None:
    """Return the sensitive items of the method's parameters: a claim has only those that are still published."""
    return next((value for name in SENSITIVE if isinstance(value := method.values().get(name), Items)), None)


def insist(found: Attacked) -> None:
    """Raise if an attack certainly succeeds more often than guaranteed."""
    above = [one for one in found.outcomes if one.standing == "ABOVE THE PROMISE"]
    if above:
        worst = max(above, key=lambda one: (one.targets >= FEWEST_PEOPLE, _least(one)))
        what = f"{len(above)} of the attacks exceed their guaranteed bounds: {worst.attack}, knowing {worst.knowledge},"
        many = worst.targets >= FEWEST_PEOPLE  # a rate of a handful of people would disclose them, so it is not reported
        text = f"succeeds at least {percent(_least(worst))} of the time" if many else "succeeds too often"
        raise GuaranteeNotMet(
            f"{what} {text}, but at most {percent(worst.ceiling or 0.0)} is allowed", code="attack-succeeds", hint="nothing was written"
        )


def _least(one: Outcome) -> float:
    """Return the lower end of an attack's success rate."""
    return one.success.rate if one.everybody else one.success.low


def unsure(manifest: Mapping[str, Any]) -> list[str]:
    """Return a warning if the upper end of an interval exceeds the guarantee; otherwise empty."""
    found = [one for one in outcomes_on(manifest) if one["verdict"] == "may be above the promise"]
    hint = MORE_TARGETS if any(one["targets"] >= manifest[KEY]["targets"] for one in found) else ""
    return [f"{len(found)} of the attacks may exceed their guaranteed bounds{hint}"] if found else []


def published(found: Attacked, attempt: PlannedAttacks) -> dict[str, Any]:
    """Return the manifest entry about attacks: how people were drawn, rates over many of them, and attacks without a rate."""
    draw, attack_names = attempt.draw, attempt.names or tuple(ATTACKS)
    outcomes = [_published(one) for one in found.outcomes if one.targets >= FEWEST_PEOPLE]
    without = {
        SKIPPED: [name for name in attack_names if name not in found.attacks],
        FEW: [name for name in found.attacks if all(one["attack"] != name for one in outcomes)],
    }
    named = {key: names for key, names in without.items() if names}
    return {"targets": draw.targets, "control": draw.control, "seed": draw.seed, "outcomes": outcomes, **named}


def _published(one: Outcome) -> dict[str, Any]:
    """Return rates over a minimum number of people; rates by record length are not published."""
    many = one.control is not None and one.controls >= FEWEST_PEOPLE
    worst = {"worst_hit": one.worst} if worst_is_reported(one.targets) else {}
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
