"""The strongest attack on releases with records of people; for others, the reason why they were not attacked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.attacks import ATTACKS
from shoal.attacks.attacker_view import Owned, Scene
from shoal.attacks.conclusion import known_of
from shoal.data.bags import Bags, Ints
from shoal.data.original import AccessOriginal, AnyOriginal, Original, TableOriginal
from shoal.data.release import Release
from shoal.data.tables.access_log import AccessTable
from shoal.data.tables.bags import BagTable
from shoal.data.tables.chunks import ChunkTable
from shoal.data.tables.column_types import ITEMS
from shoal.data.tables.counts import CountTable
from shoal.data.tables.groups import GroupTable
from shoal.data.tables.profiles import ProfileTable
from shoal.data.tables.rows import RowTable
from shoal.evaluate.attack.stage import Stage, owners_repeat, raw_stage, stage_of, visits_stage
from shoal.evaluate.compare.attacked_tables import attacked_table
from shoal.evaluate.compare.tried_attacks import TOO_FEW, TriedAttack, strongest
from shoal.evaluate.option_defaults import NOT_ATTACKED
from shoal.report.facts import FEWEST_PEOPLE

STAGED = (BagTable.kind, RowTable.kind, ProfileTable.kind)
WHY_NOT = {
    ChunkTable.kind: "records were split into chunks, so there is no published record to find",
    CountTable.kind: "only counts are published, so there is no published record to find",
}


@dataclass(frozen=True)
class AttackEffort:
    """The number of people attacked in each cell, and the random seed."""

    targets: int = 200
    seed: int = 0


def worst_attack(release: Release, original: AnyOriginal, effort: AttackEffort) -> dict[str, Any]:
    """Return its rate among people with a published record, and the upper end of its interval, or why there is none.

    Also return the strongest attack on the same people in the original. Item inference is left to `shoal attack`.
    """
    if isinstance(original, TableOriginal):
        return attacked_table(release, original, effort.targets, effort.seed)
    stage = staged(release, original)
    if stage is None:
        return {NOT_ATTACKED: WHY_NOT.get(min(release.kinds), "no attack applies to this kind of release")}
    targets = stage.drawn(effort.seed, effort.targets)
    if len(targets) < FEWEST_PEOPLE:
        return {NOT_ATTACKED: TOO_FEW}
    found, raw = (_tried(one, targets, effort.seed) for one in (stage, raw_stage(original)))
    return strongest(found, raw, known_of(owners_repeat(original)))


def _tried(stage: Stage, targets: Ints, seed: int) -> list[TriedAttack]:
    """Run every attack that finds people, with every kind of knowledge."""
    people = stage.people(targets)
    attacks = (kind() for kind in ATTACKS.values() if kind.test != "inference")
    return [TriedAttack.of(attack, trial) for attack in attacks for trial in attack.trials(stage.scene, people, seed)]


def staged(release: Release, original: AnyOriginal) -> Stage | None:
    """Return the attacker's view of the release; None if it has no records."""
    kind = min(release.kinds)
    if kind == GroupTable.kind and isinstance(original, Original):
        return _rows_of_groups(release, original)
    if kind == AccessTable.kind and isinstance(original, AccessOriginal):
        return visits_stage(original, release)
    if kind not in STAGED or (isinstance(table := next(iter(release.tables.values())), RowTable) and not table.has_unit):
        return None
    return stage_of(original, release)


def _rows_of_groups(release: Release, original: Original) -> Stage:
    """Return rows that are records without some of their items; their users are known."""
    table = release.only(GroupTable)
    assert release.secret is not None
    held = Bags.from_polars(table.rows[ITEMS])
    placed = held.relabelled(original.bags.vocabulary.codes(held.vocabulary.names), original.bags.vocabulary)
    scene = Scene(placed, np.ones(len(placed), np.int64), original.tree, original.bags)
    return Stage(scene, original.bags, Owned.one_each(release.secret.rows()))
