"""Targets of attacks: the original and the release, with the same people, and people who were left out."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import Context, copy_context
from dataclasses import dataclass, replace

import numpy as np

from shoal import _kernels
from shoal.attacks import ORIGINAL, RELEASE, RecordAttack, Trial
from shoal.attacks.attacker_view import People, Scene
from shoal.attacks.draw import Draw
from shoal.attacks.outcome import Outcome, outcome
from shoal.data.bags import Bags, Ints
from shoal.data.claims import Model
from shoal.data.original import AnyOriginal, Original
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.data.taxonomy import Taxonomy
from shoal.engines.local_engine import LocalEngine
from shoal.errors import ShoalError
from shoal.evaluate.attack.case import Case
from shoal.evaluate.attack.stage import Stage, one_of_each_person, raw_stage, records_in, stage_of
from shoal.methods.bases.log_rows import USER
from shoal.util.numbers import distinct
from shoal.util.wording import counted

# An original whose tree also has the items of people who are not in it, so that all knowledge about them can be expressed.
#
# A tree is often cut down to the items that records hold. An item that only people outside hold would be missing there, and leaving it
# out of
# what is known of them would make them look easier to guess than they are.


def widened(original: Original, others: Original) -> Original:
    """Return the same records on a tree that also has all items of others."""
    tree = _joined(original.tree, others)
    if tree is original.tree:
        return original
    codes = tree.names.codes(original.tree.names.names)
    items = np.where(original.items >= 0, codes[original.items], -1).astype(np.int32)
    taxonomy = tree if original.on_taxonomy else original.taxonomy
    return replace(original, bags=original.bags.relabelled(codes, tree.names), tree=tree, items=items, taxonomy=taxonomy)


def _joined(tree: Taxonomy, others: Original) -> Taxonomy:
    """Return the tree with missing items added below their lowest common node in both trees, or below the root."""
    held = distinct(others.bags.items)
    strange = held[tree.names.codes(others.tree.names.names.gather(held)) < 0]
    if not len(strange):
        return tree
    names = tree.names.names.to_list()
    parents = {name: names[above] if above >= 0 else None for name, above in zip(names, tree.parent.tolist(), strict=True)}
    own = set(names)
    for node in strange.tolist():
        name, *above = others.tree.path(node)
        parents[name] = next((one for one in above if one in own), names[0])
    wider = Taxonomy.from_parents(parents, tree.loss_name)
    codes = wider.names.codes(tree.names.names)
    barred = None if tree.barred is None else np.zeros(len(wider), bool)
    if barred is not None:
        barred[codes] = tree.barred
    unlisted = None if tree.unlisted is None else int(codes[tree.unlisted])
    people = None
    if tree.people is not None:
        people = np.zeros(len(wider), np.int64)
        people[codes] = tree.people
    return replace(wider, parent=wider.parent.copy(), unlisted=unlisted, barred=barred, people=people)


@dataclass(frozen=True, eq=False)
class Subject:
    """A subject of attacks: a scene, the people attacked in it and, in a scene made without them, a control group."""

    name: str
    scene: Scene
    people: People
    control: tuple[Scene, People] | None
    claims: tuple[Model, ...]
    everybody: bool = False


@dataclass(frozen=True, eq=False)
class LeftOut:
    """The rest and its release; and records of people who were left out, in the vocabulary of both."""

    rest: AnyOriginal
    release: Release
    raw: Stage
    released: Stage
    before: Bags
    after: Bags

    def controls(self, draw: Draw) -> tuple[tuple[Scene, People], tuple[Scene, People]]:
        """Draw some of them, to be searched for in the rest itself, and in its release."""
        chosen = one_of_each_person(self.before, draw.seed, draw.targets)
        before, after = People(self.before.select(chosen)), People(self.after.select(chosen))
        return (self.raw.scene, before), (self.released.scene, after)


def left_out(case: Case, draw: Draw) -> tuple[LeftOut | None, str]:
    """Leave out a share of the people, and make the release of the others; or return why that is impossible."""
    if case.method is None:
        return None, "no control group: without a manifest the method is unknown, so the release cannot be remade without some people"
    owners = case.source.owners
    chosen = chosen_people(owners, draw)
    outside = np.isin(owners, chosen)
    if outside.all():
        return None, "no control group: too few people would remain"
    try:
        rest, release = case.made_of(~outside)
    except ShoalError as error:
        return None, f"no control group: the release cannot be made without some people ({error.message})"
    try:
        others = case.source.prepared(outside).original
    except ShoalError as error:
        return None, f"no control group: the people left out cannot be processed separately ({error.message})"
    found = _left_out(rest, release, others)
    return found, f"control group: another release was made without {counted(len(chosen), 'person', 'people')}"


def _left_out(rest: AnyOriginal, release: Release, others: AnyOriginal) -> LeftOut:
    """Return the rest and the people left out; all their items have numbers, so items that nobody else has can be known but never
    guessed.
    """
    if isinstance(rest, Original) and isinstance(others, Original):
        rest = widened(rest, others)
    records = records_in(others)
    raw, released = raw_stage(rest, records), stage_of(rest, release, records)
    return LeftOut(rest, release, raw, released, raw.known(records), released.known(records))


def chosen_people(owners: Ints, draw: Draw) -> Ints:
    """Draw the people to leave out."""
    people = distinct(owners)
    return np.random.default_rng(draw.seed).permutation(people)[: max(1, round(draw.control * len(people)))]


def subjects(original: AnyOriginal, release: Release, absent: LeftOut | None, draw: Draw) -> list[Subject]:
    """Return the original and the release, attacked with the same people."""
    raw, released = raw_stage(original), stage_of(original, release)
    published = released.drawn(draw.seed, len(released.records))
    targets, everybody = published[: draw.targets], released.owned is not None and len(published) <= draw.targets
    before, after = (None, None) if absent is None else absent.controls(draw)
    return [
        Subject(ORIGINAL, raw.scene, raw.people(targets), before, ()),
        Subject(RELEASE, released.scene, released.people(targets), after, release.claims, everybody),
    ]


def record_outcomes(attacks: Sequence[RecordAttack], case: Case, absent: LeftOut | None, draw: Draw) -> tuple[list[Outcome], list[str]]:
    """Return the outcomes of attacks on records, first on the original; and notes."""
    if not attacks:
        return [], []
    if case.method is not None and case.method.hashes:
        skipped = [f"skipped {attack.name}: {case.method.hashes} are hashed, so known items cannot be compared" for attack in attacks]
        return [], skipped
    faced = subjects(case.prepared.original, case.release, absent, draw)
    return _side_by_side(attacks, faced, draw.seed), unlinked(case.release)


def _side_by_side(attacks: Sequence[RecordAttack], faced: Sequence[Subject], seed: int) -> list[Outcome]:
    """Return the outcomes of each attack on each subject; draws depend on the seed alone, so the order does not matter."""

    def amounts(pair: tuple[Subject, RecordAttack, Context], task: _kernels.Task) -> list[Outcome]:
        task.step()
        subject, attack, settings = pair
        return settings.run(outcomes, attack, subject, seed)

    engine, pairs = LocalEngine("attacking"), [(subject, attack, copy_context()) for subject in faced for attack in attacks]
    engine.expect(len(pairs))
    return [found for several in engine.map(amounts, pairs) for found in several]


def unlinked(release: Release) -> list[str]:
    """Return a note on what can be attacked if rows have no pseudonyms."""
    tables = release.tables_of(RowTable)
    if all(USER in table.frame.columns for table in tables):
        return []
    return ["rows have no pseudonyms: each row is attacked as a separate record, and finding one discloses that row only"]


def outcomes(attack: RecordAttack, subject: Subject, seed: int) -> list[Outcome]:
    """Return the outcomes of one attack, with each kind of knowledge."""
    trials = attack.trials(subject.scene, subject.people, seed)
    controls = {} if subject.control is None else {trial.knowledge: trial for trial in attack.trials(*subject.control, seed)}
    lengths = np.diff(subject.people.records.indptr)
    found = [
        outcome(subject.name, attack, trial, lengths, controls.get(trial.knowledge), ceiling(subject.claims, attack.test, trial))
        for trial in trials
    ]
    return [replace(one, everybody=subject.everybody) for one in found]


def ceiling(claims: Sequence[Model], test: str, trial: Trial) -> float | None:
    """Return the lowest bound that a claim guarantees."""
    promised = [limit for claim in claims if (limit := claim.ceiling(test, trial.known)) is not None]
    return min(promised, default=None)
