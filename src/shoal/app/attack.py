"""Attacking a release with its original at hand: what could somebody find out who knows a little?

Which record became which is never written. So the release is made again, by its method and with its parameters, and must come out the
same; then every guess is right or wrong for certain. Where it cannot be made again, a guess counts as right wherever it may be, in the
attacker's favour. A control group shows what the same attack finds out about people who were not published: a part of the people is left
out, the release is made of the others, and the attack is made on those left out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shoal.app.again import made_again
from shoal.app.attack_scenario import NOTHING_BESIDE, NOTHING_MORE, REMAKES, Beside, More, Remaking, enough, outcomes_of
from shoal.app.audit import located, seen_at
from shoal.app.contract import made_by
from shoal.app.job import Preparation
from shoal.app.manifest import Published
from shoal.app.prepare import Prepared, prepare
from shoal.app.promises import claims_of, method_of
from shoal.attacks import ATTACKS, RecordAttack, Trial
from shoal.attacks.outcome import Outcome, outcome
from shoal.attacks.scenarios import SCENARIO_ATTACKS, Made, Scenario, ScenarioAttack, attack_called
from shoal.attacks.scene import People, Scene
from shoal.data.bags import Bags, Ints
from shoal.data.log import Log
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.tables.bags import BagTable
from shoal.errors import InputError, ParameterError, ShoalError
from shoal.io.read.inputs import Reading, read
from shoal.methods import Method
from shoal.parameters import Declared, param
from shoal.privacy import Model
from shoal.taxonomy.tree import Taxonomy

ORIGINAL, RELEASE = "original", "release"

Tell = Callable[[Sequence[str]], None]
"""What notes are given to, before the work."""


@dataclass(frozen=True)
class Draw(Declared):
    """How many people are attacked, which share of all is left out as a control group, and the seed by which both are drawn."""

    name = "draw"

    targets: int = param(1000, minimum=1, help="how many people are attacked")
    control: float = param(0.1, minimum=0, maximum=0.9, help="share of the people left out as a control group, who are attacked too")
    seed: int = param(0, minimum=0, help="by which people, and what is known of them, are drawn")
    remakes: int | None = param(
        None, minimum=0, help=f"people for each of whom the release is made again (none: {REMAKES}, fewer of many records)"
    )


@dataclass(frozen=True, eq=False)
class Attacked:
    """What every attack amounts to, first on the original, then on the release; and how things were done."""

    outcomes: tuple[Outcome, ...]
    notes: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether no attack succeeds for certain more often than a claim promises."""
        return all(found.standing != "ABOVE THE PROMISE" for found in self.outcomes)

    def as_dict(self) -> dict[str, Any]:
        """For `--json`."""
        stories = {name: attack_called(name).story for name in dict.fromkeys(found.attack for found in self.outcomes)}
        return {"holds": self.holds, "stories": stories, "attacks": [o.as_dict() for o in self.outcomes], "notes": list(self.notes)}


@dataclass(frozen=True, eq=False)
class Subject:
    """What is attacked: a scene, the people attacked in it, and, in a scene that was made without them, a control group."""

    name: str
    scene: Scene
    people: People
    control: tuple[Scene, People] | None
    claims: tuple[Model, ...]


@dataclass(frozen=True, eq=False)
class Source:
    """Data as it was read, of which everybody, or only some people, are prepared in the same way."""

    reading: Reading
    how: Preparation
    given: Taxonomy | None = None

    @property
    def owners(self) -> Ints:
        """Whose each row or record is."""
        return _owners(self.reading.data)

    def prepared(self, wanted: Any = None) -> Prepared:
        """Everybody; or those rows or records where a mask is true."""
        data = self.reading.data if wanted is None else _part(self.reading.data, wanted)
        return prepare(replace(self.reading, data=data), self.how, self.given)


@dataclass(frozen=True, eq=False)
class Case:
    """A release beside its original: with its secret where it is known which record became which, else as it was read.

    `method` makes it again without a control group; None where it is not known.
    """

    source: Source
    prepared: Prepared
    release: Release
    method: Method | None


def attacked(
    place: Published,
    original: Any,
    how: Preparation,
    names: Sequence[str],
    draw: Draw,
    tell: Tell,
    given: Taxonomy | None = None,
    beside: Beside = NOTHING_BESIDE,
) -> Attacked:
    """The named attacks, or all, on the original and on the release at this place, by whoever has this beside it."""
    how = located(place, how, given, original)
    refuse_other_kinds(place.kinds)
    source = Source(read(original, how.reading), how, given)
    prepared = source.prepared()
    claims = tuple(claims_of(place.manifest)) if place.manifest else ()
    seen = replace(seen_at(place, claims).release, claims=claims)
    release, remade = _with_rows(place, prepared, seen)
    tell([*(f"original: {note}" for note in prepared.notes), remade])
    more = beside.read(source.reading, prepared, original, given)
    every = names or [*ATTACKS, *SCENARIO_ATTACKS]
    found = attacks_on(Case(source, prepared, release, _method(place)), every, draw, tell, more)
    return replace(found, notes=(*(f"original: {note}" for note in prepared.notes), remade, *found.notes))


def _method(place: Published) -> Method | None:
    """The method that made a release; None where no manifest tells it, or it tells one that cannot be."""
    try:
        return None if place.manifest is None else method_of(place.manifest)
    except ParameterError:
        return None


def refuse_other_kinds(kinds: Collection[str]) -> None:
    """Raise where tables of these kinds are not attacked."""
    if kinds and set(kinds) != {BagTable.kind}:
        raise ParameterError(f"attacks are made on published records, and this release holds {' and '.join(sorted(kinds))}")


def attacks_on(case: Case, names: Sequence[str], draw: Draw, tell: Tell, more: More = NOTHING_MORE) -> Attacked:
    """The named attacks, or all on published records, on an original that is prepared and on its release."""
    attacks = [attack_called(name)() for name in names or ATTACKS]
    left_out, said = _left_out(case, draw) if draw.control else (None, "no control group was asked for")
    tell([said])
    subjects = _subjects(case.prepared.records, case.release, left_out, draw)
    alone = [attack for attack in attacks if isinstance(attack, RecordAttack)]
    outcomes = [found for subject in subjects for attack in alone for found in _outcomes(attack, subject, draw.seed)]
    further = [attack for attack in attacks if isinstance(attack, ScenarioAttack)]
    others, notes = outcomes_of(further, _scenario(case, left_out, draw, more), RELEASE) if further else ([], [])
    tell(notes)
    return Attacked((*outcomes, *others), (said, *notes))


def _scenario(case: Case, left_out: LeftOut | None, draw: Draw, more: More) -> Scenario | str:
    """What attacks are given that need more than the published records; or why they cannot be made."""
    if case.method is None or case.release.secret is None:
        return "the release cannot be made again"
    original, rows = case.prepared.records, case.release.secret.rows()
    targets = _drawn(original.bags, rows >= 0, draw)
    remaking = Remaking.of(case.method, case.prepared, case.source.reading, case.source.given)
    control = None if left_out is None else (left_out.records, Made(left_out.rest, left_out.release))
    few = targets[: enough(draw.remakes, len(original.bags))]
    return remaking.scenario(Made(original, case.release), targets, few, draw.seed, control, more)


def _with_rows(place: Published, prepared: Prepared, seen: Release) -> tuple[Release, str]:
    """The release with the knowledge of which record became which, if it can be made again; otherwise as it was read."""
    again = None if place.manifest is None else made_again(place.manifest, seen, prepared.original)
    if again is None:
        told = "the release cannot be made again: a guess counts as right wherever it may be, in the attacker's favour"
        return prepared.original.aligned(seen), told
    return replace(again, claims=seen.claims), "the release was made again and came out the same: every guess is right or wrong for certain"


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Records of people who were left out, and the release of the others."""

    records: Bags
    rest: Original
    release: Release


def _left_out(case: Case, draw: Draw) -> tuple[LeftOut | None, str]:
    """A share of the people, and what the method makes of the others."""
    if case.method is None:
        return None, "no control group: no manifest tells by which method the release can be made without some people"
    owners = case.source.owners
    people = np.unique(owners)
    chosen = np.random.default_rng(draw.seed).permutation(people)[: max(1, round(draw.control * len(people)))]
    outside = np.isin(owners, chosen)
    try:
        rest = case.source.prepared(~outside).records
        release = made_by(case.method, rest)
    except ShoalError as error:
        return None, f"no control group: without some people the release cannot be made ({error.message})"
    absent = case.source.prepared(outside).records.bags
    codes = rest.bags.vocabulary.codes(absent.vocabulary.names)
    records = absent.relabelled(codes, rest.bags.vocabulary)
    return LeftOut(records, rest, release), f"control group: the same release was made without {len(chosen):,} people"


def _owners(data: Log | Bags | Any) -> Ints:
    if isinstance(data, Log):
        return data.frame["owner"].to_numpy()
    if isinstance(data, Bags):
        return data.owners
    raise InputError("attacks are made on records of items")


def _part(data: Any, wanted: Any) -> Log | Bags:
    """The rows or records where a mask is true."""
    return replace(data, frame=data.frame.filter(wanted)) if isinstance(data, Log) else data.select(wanted)


def _subjects(original: Original, release: Release, left_out: LeftOut | None, draw: Draw) -> list[Subject]:
    """The original as it is and the release, attacked with the same people."""
    rows = release.secret.rows() if release.secret else None
    targets = _drawn(original.bags, None if rows is None else rows >= 0, draw)
    records = original.bags.select(targets)
    before = People(records, targets)
    after = People(records, None if rows is None else rows[targets])
    raw = published = None
    if left_out is not None:
        controls = People(left_out.records.select(_drawn(left_out.records, None, draw)))
        raw = Scene.of_raw(left_out.rest), controls
        published = Scene.of_release(left_out.release, left_out.rest), controls
    return [
        Subject(ORIGINAL, Scene.of_raw(original), before, raw, ()),
        Subject(RELEASE, Scene.of_release(release, original), after, published, release.claims),
    ]


def _drawn(bags: Bags, published: Any, draw: Draw) -> Ints:
    """Records that hold something and were published, of so many different people, one each."""
    held = bags.lengths > 0
    numbers = np.flatnonzero(held if published is None else held & published)
    mixed = np.random.default_rng(draw.seed).permutation(numbers)
    _, first = np.unique(bags.owners[mixed], return_index=True)
    return mixed[np.sort(first)][: draw.targets]


def _outcomes(attack: RecordAttack, subject: Subject, seed: int) -> list[Outcome]:
    """What one attack amounts to, with each kind of knowledge."""
    trials = attack.trials(subject.scene, subject.people, seed)
    controls: Sequence[Trial | None] = [None] * len(trials)
    if subject.control is not None:
        controls = attack.trials(*subject.control, seed)
    lengths = np.diff(subject.people.records.indptr)
    return [
        outcome(subject.name, attack, trial, lengths, control, _ceiling(subject.claims, attack.test, trial.known))
        for trial, control in zip(trials, controls, strict=True)
    ]


def _ceiling(claims: Sequence[Model], test: str, known: int | None) -> float | None:
    """The lowest that any claim promises."""
    promised = [limit for claim in claims if (limit := claim.ceiling(test, known)) is not None]
    return min(promised, default=None)
