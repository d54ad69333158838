"""Known items: the attacker knows some items of a person and searches for the person's record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.attacks import RecordAttack, Trial
from shoal.attacks.attacker_view import People, Scene
from shoal.attacks.matching import Matcher, counted
from shoal.data.bags import Ints
from shoal.parameters import param


class Knowledge(NamedTuple):
    """The number of known items, the rarest or random ones; how many of them are wrong; how many items are known to be absent. No number
    means the whole record.

    `counts`: the person's count of each item is known.
    """

    items: int | None
    rarest: bool = False
    wrong: int = 0
    absent: int = 0
    counts: bool = False

    def __str__(self) -> str:
        if self.items is None:
            return "the whole record, known to be complete"
        which = f"{self.items} {'rarest' if self.rarest else 'random'} item{'s' if self.items > 1 else ''}"
        which += f", and how often{' each' if self.items > 1 else ''}" if self.counts else ""
        wrong = f", {self.wrong} of them wrong" if self.wrong else ""
        return which + wrong + (f", and {self.absent} that are absent" if self.absent else "")

    @property
    def within_models(self) -> int | None:
        """The number of known items if models cover such knowledge: not if items are wrong, absent or counted."""
        return None if self.wrong or self.absent or self.counts else self.items


class PersonKnowledge(NamedTuple):
    """What is known about one person: items that the person has, or is believed to have, and items that the person lacks."""

    items: Ints
    absent: Ints


DRAWS = 4  # for each item that a person must not hold
SIZES = (1, 2, 3, 4, 6, 8)
SETTINGS = (
    *(Knowledge(n) for n in SIZES),
    *(Knowledge(n, rarest=True) for n in SIZES),
    Knowledge(8, wrong=2),
    Knowledge(3, absent=3),
    Knowledge(None),
)
WITH_COUNTS = tuple(Knowledge(n, counts=True) for n in (1, 2, 4))


@dataclass(frozen=True)
class KnownItems(RecordAttack):
    """Somebody knows a few items of a person, and looks for the record that fits them best."""

    name = "known-items"
    test = "singling out"
    story = (
        "A colleague knows a few of the items that a person searched for or bought. She compares them with every published record, gives "
        "rare items more weight, and picks the best match; ties are broken at random."
    )

    eccentricity: float = param(1.5, minimum=0, help="lead over other records, in standard deviations, that makes the attacker certain")

    def trials(self, scene: Scene, people: People, seed: int) -> list[Trial]:
        """Run each kind of knowledge in turn, with counts if records have any. People with fewer items are known by all of them."""
        return self.trials_knowing((*SETTINGS, *(WITH_COUNTS if scene.world.counts.max(initial=1) > 1 else ())), scene, people, seed)

    def trials_knowing(self, settings: Sequence[Knowledge], scene: Scene, people: People, seed: int) -> list[Trial]:
        """Run the attack with these kinds of knowledge only; their results do not depend on the others."""
        matcher = Matcher.shared(scene)
        knowledge = {setting: _draw_knowledge(scene, people, setting, seed) for setting in settings}
        success = {setting: np.zeros(len(people)) for setting in settings}
        claimed = {setting: np.zeros(len(people), bool) for setting in settings}
        for block in matcher.blocks(people):
            place = block.place
            for setting in settings:
                known = knowledge[setting][place]
                absent = [one.absent for one in known] if setting.absent else None
                matches = block.best([one.items for one in known], absent, whole=setting.items is None)
                success[setting][place] = block.found(matches)
                claimed[setting][place] = matches.stands_out(self.eccentricity)
        guessing = people.rows_each / max(1, scene.n_records)
        return [Trial(str(one), one.within_models, success[one], guessing, claimed[one]) for one in settings]


def _draw_knowledge(scene: Scene, people: People, setting: Knowledge, seed: int) -> list[PersonKnowledge]:
    """Draw what is known about each person."""
    chance = np.random.default_rng(seed)
    found = []
    for person in range(len(people)):
        held = people.items(person)
        known = _known(scene, held, setting, chance)
        if setting.counts:
            known = counted(known, people.counts(person)[np.searchsorted(held, known)])
        found.append(PersonKnowledge(known, _not_held(scene, held, setting.absent, chance)))
    return found


def _known(scene: Scene, held: Ints, setting: Knowledge, chance: np.random.Generator) -> Ints:
    order = chance.permutation(len(held))
    if setting.rarest:
        order = order[np.argsort(scene.holders[held[order]], kind="stable")]
    right = held[order] if setting.items is None else held[order][: max(0, setting.items - setting.wrong)]
    return np.concatenate([right, _not_held(scene, held, setting.wrong, chance)])


def _not_held(scene: Scene, held: Ints, n: int, chance: np.random.Generator) -> Ints:
    """Draw up to this many items that a person lacks, frequent ones more often."""
    occurring = scene.world.items
    if not n or not len(occurring):
        return np.zeros(0, np.int64)
    drawn = occurring[chance.integers(len(occurring), size=DRAWS * n)].astype(np.int64)
    return drawn[~np.isin(drawn, held)][:n]
