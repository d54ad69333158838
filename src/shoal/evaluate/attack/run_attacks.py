"""Attacks on a release with its original: what can an attacker with partial knowledge learn?

The record-to-group mapping is never written. So the release is made again, by its method with its parameters, and the result must be
identical; then every guess is certainly right or wrong. If it cannot be made again, a guess counts as right whenever it may be, in the
attacker's favour. A control group shows what the same attack finds about people who were not published: some people are left out, the
release is made from the others, and those left out are attacked.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

from shoal.attacks import ATTACKS, RELEASE, RecordAttack
from shoal.attacks.conclusion import known_of
from shoal.attacks.draw import Draw
from shoal.attacks.logs import LOG_ATTACKS, LinkingAttack, TokenAttack
from shoal.attacks.outcome import Outcome, outcome
from shoal.attacks.scenarios import SCENARIO_ATTACKS, Made, Scenario, ScenarioAttack, Skipped, attack_called
from shoal.attacks.tables import TableAttack
from shoal.auditing.audit import located, seen_at
from shoal.data.input_shapes import one
from shoal.data.items import Items
from shoal.data.original import AnyOriginal, LogOriginal, Original, TableOriginal
from shoal.data.release import Release
from shoal.data.taxonomy import Taxonomy
from shoal.errors import ParameterError, option
from shoal.evaluate.attack.attack_result import Attacked
from shoal.evaluate.attack.attack_time import expected_seconds
from shoal.evaluate.attack.case import Case, CaseSource, facing_release
from shoal.evaluate.attack.linking_subjects import linking_outcomes
from shoal.evaluate.attack.other_original import insist_on_same_original, strange_records
from shoal.evaluate.attack.periods import periods
from shoal.evaluate.attack.personas import personas
from shoal.evaluate.attack.plain_logs import tokens
from shoal.evaluate.attack.scenario import NO_OTHERS, NOTHING_MORE, More, OtherReleases, Remaking, enough, notes_on_remakes, outcomes_of
from shoal.evaluate.attack.stage import owners_repeat, stage_of
from shoal.evaluate.attack.tables import attacks_on_table
from shoal.evaluate.attack.targets import LeftOut, left_out, record_outcomes
from shoal.io.read.dispatch import read
from shoal.kinds import KINDS
from shoal.methods import Method
from shoal.pipeline.claims import claims_of
from shoal.pipeline.manifest import Published
from shoal.pipeline.options import Preparation
from shoal.pipeline.remake import described_items, method_again, remake_release
from shoal.privacy.microdata_k_anonymity import MicrodataKAnonymity
from shoal.report.alarms import alarms_in

# Attacks on logs: each gets its input from the case, or is skipped with the reason.


FACED = {"profile-over-time": periods, "personas": personas}


def log_outcomes(attacks: Sequence[LinkingAttack | TokenAttack], case: Case, draw: Draw, more: More) -> tuple[list[Outcome], list[str]]:
    """Return the outcomes of each attack, and notes."""
    outcomes: list[Outcome] = []
    notes: list[str] = []
    for attack in attacks:
        try:
            if isinstance(attack, TokenAttack):
                found, note = _of_tokens(attack, case, draw, more)
                notes.append(note)
            else:
                found = [one for subject in FACED[attack.name](case, draw) for one in linking_outcomes(attack, subject)]
            outcomes += found
        except Skipped as reason:
            notes.append(f"skipped {attack.name}: {reason}")
    return outcomes, notes


def _of_tokens(attack: TokenAttack, case: Case, draw: Draw, more: More) -> tuple[list[Outcome], str]:
    """Return the recovered tokens; by length, the numbers of queries with them."""
    hashed, note = tokens(case, draw, more.reference)
    frequencies = hashed.tokens.frequencies[hashed.tokens.frequent(len(hashed.truth))]
    trials = attack.trials(hashed)
    return [outcome(RELEASE, attack, trial, frequencies[: len(trial.success)], None, None) for trial in trials], note


NotesCallback = Callable[[Sequence[str]], None]
"""What notes are given to, before the work."""
EstimateCallback = Callable[[float], None]
"""What the expected seconds are given to, before the work."""


def attacked(
    place: Published,
    original: Any,
    preparation: Preparation,
    names: Sequence[str],
    draw: Draw,
    on_notes: NotesCallback,
    loaded_taxonomy: Taxonomy | None = None,
    others: OtherReleases = NO_OTHERS,
    on_estimate: EstimateCallback | None = None,
) -> Attacked:
    """Run the named attacks, or all, on the original and on the release at this path, with the attacker's additional data.

    `on_estimate` gets the expected seconds, as measured on a few people, before the attacks begin.
    """
    preparation = located(place, preparation, loaded_taxonomy, original)
    refuse_other_kinds(place.kinds)
    source = CaseSource(read(original, preparation.reading), preparation, loaded_taxonomy)
    prepared = source.prepared()
    insist_on_same_original(place.manifest, prepared.facts)
    claims = tuple(claims_of(place.manifest)) if place.manifest else ()
    as_table = place.manifest is None and isinstance(prepared.original, TableOriginal)
    published = replace(seen_at(place, (MicrodataKAnonymity(),) if as_table else claims).release, claims=claims)
    begun = time.perf_counter()
    release, remade = _with_rows(place, prepared.original, published, others.sensitive)
    one_run = time.perf_counter() - begun
    on_notes([*(f"original: {note}" for note in prepared.notes), remade])
    if isinstance(prepared.original, TableOriginal):
        found = attacks_on_table(prepared.original, release, names, draw)
        on_notes(found.notes)
        return replace(found, notes=(*(f"original: {note}" for note in prepared.notes), remade, *found.notes))
    if draw.sampling_fraction is not None:
        raise ParameterError(
            f"{option('sampling-fraction')} is for tables of people, but the input was read as {one(prepared.original.shape)}",
            code="option-not-applicable",
            hint="leave it out",
        )
    strange = strange_records(release, prepared.original) if release.secret is None else ()
    more = others.read(source.reading, prepared, original, loaded_taxonomy)
    every = names or [*ATTACKS, *LOG_ATTACKS, *(name for name, attack in SCENARIO_ATTACKS.items() if attack.routine)]
    case = Case(source, prepared, release, _method(place, others.sensitive))
    if on_estimate is not None:
        on_estimate(expected_seconds(case, every, draw, one_run))
    found = attacks_on(case, every, draw, on_notes, more)
    notes = (*(f"original: {note}" for note in prepared.notes), remade, *found.notes)
    return replace(found, notes=notes, alarms=(*strange, *found.alarms))


def _method(place: Published, items: Items | None) -> Method | None:
    """Return the method that made a release; None if there is no manifest, or if its method is invalid."""
    try:
        return None if place.manifest is None else method_again(place.manifest, items)
    except ParameterError:
        return None


def refuse_other_kinds(kinds: Collection[str]) -> None:
    """Raise if tables of these kinds cannot be attacked."""
    if not all(KINDS[kind].attacked for kind in kinds):
        raise ParameterError(
            f"attacks work on published records and rows of logs, but this release has {' and '.join(sorted(kinds))}",
            code="attack-not-applicable",
        )


def attacks_on(case: Case, names: Sequence[str], draw: Draw, on_notes: NotesCallback, more: More = NOTHING_MORE) -> Attacked:
    """Run the named attacks, or all on published records, on a prepared original and its release."""
    attacks = [attack_called(name)() for name in names or ATTACKS]
    _insist_on_shape(case.prepared.original)
    skipped = [f"skipped {attack.name}: it applies to tables" for attack in attacks if isinstance(attack, TableAttack)]
    on_notes(skipped)
    case = facing_release(case)
    absent, control_note = left_out(case, draw) if draw.control else (None, "no control group was requested")
    on_notes([control_note])
    alone = [attack for attack in attacks if isinstance(attack, RecordAttack)]
    found, notes = record_outcomes(alone, case, absent, draw)
    of_logs, more_notes = log_outcomes([one for one in attacks if isinstance(one, LinkingAttack | TokenAttack)], case, draw, more)
    on_notes([*notes, *more_notes])
    further = [attack for attack in attacks if isinstance(attack, ScenarioAttack)]
    others, last = _of_scenario(further, _scenario(case, absent, draw, more), draw) if further else ([], [])
    on_notes(last)
    all_notes = control_note, *skipped, *notes, *more_notes, *last
    known = known_of(owners_repeat(case.prepared.original))
    return Attacked((*found, *of_logs, *others), all_notes, alarms_in(case.release), draw.targets, known)


def _of_scenario(attacks: Sequence[ScenarioAttack], scenario: Scenario | str, draw: Draw) -> tuple[list[Outcome], list[str]]:
    """Return the outcomes of attacks that need more than the published records, and notes."""
    found, notes = outcomes_of(attacks, scenario)
    return found, notes if isinstance(scenario, str) else notes_on_remakes(scenario, draw.remakes) + notes


def _scenario(case: Case, absent: LeftOut | None, draw: Draw, more: More) -> Scenario | str:
    """Return the input of attacks that need more than the published records, or why it is not available."""
    original = case.prepared.original
    if not isinstance(original, Original):
        return "it applies to published records, but this release contains rows of a log"
    if case.method is None or case.release.secret is None:
        named = case.method is not None and described_items(case.method)
        hint = f"; {option('sensitive')} names the items that it was made with" if named else ""
        return f"the release cannot be reproduced{hint}"
    if case.rules is not None:
        return "the release reuses recoding rules, so it cannot be remade from other records"
    targets = stage_of(original, case.release).drawn(draw.seed, draw.targets)
    remaking = Remaking.of(case.method, case.prepared, case.source.reading, case.source.loaded_taxonomy)
    control = None
    if absent is not None and isinstance(absent.rest, Original):
        control = absent.after, Made(absent.rest, absent.release)
    few = targets[: enough(draw.remakes, len(original.bags))]
    return remaking.scenario(Made(original, case.release), targets, few, draw.seed, control, more)


def _insist_on_shape(original: AnyOriginal) -> None:
    if not isinstance(original, Original | LogOriginal):
        raise ParameterError(
            f"attacks work on records of items and rows of logs, but the input was read as a {original.shape}",
            code="attack-not-applicable",
        )


def _with_rows(place: Published, original: AnyOriginal, release: Release, items: Items | None) -> tuple[Release, str]:
    """Return the release with the record-to-group mapping, if it can be made again; otherwise as read."""
    again = None if place.manifest is None else remake_release(place.manifest, release, original, items)
    if again is None:
        text = "the release cannot be reproduced: every guess that may be right counts as right, in the attacker's favour"
        return original.aligned(release), text
    return replace(again, claims=release.claims), "the release was reproduced exactly, so every guess can be checked"
