"""Known items: the attacker knows some items of a person and looks for the person's record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.attacks import RecordAttack, Trial
from shoal.attacks.matching import Matcher
from shoal.attacks.scene import People, Scene
from shoal.data.bags import Ints
from shoal.parameters import param


class Knowledge(NamedTuple):
    """So many items, the rarest ones or any; so many of them wrong; so many items known to be absent. No number: the whole record."""

    items: int | None
    rarest: bool = False
    wrong: int = 0
    absent: int = 0

    def __str__(self) -> str:
        if self.items is None:
            return "the whole record, and that nothing else is in it"
        which = f"{self.items} {'rarest' if self.rarest else 'random'} item{'s' if self.items > 1 else ''}"
        wrong = f", {self.wrong} of them wrong" if self.wrong else ""
        return which + wrong + (f", and {self.absent} that are absent" if self.absent else "")


IMPOSSIBLE = -1  # the score of a record that holds more than a person of whom everything is known
DRAWS = 4  # for each item that a person must not hold
SIZES = (1, 2, 3, 4, 6, 8)
SETTINGS = (
    *(Knowledge(n) for n in SIZES),
    *(Knowledge(n, rarest=True) for n in SIZES),
    Knowledge(8, wrong=2),
    Knowledge(3, absent=3),
    Knowledge(None),
)


@dataclass(frozen=True)
class KnownItems(RecordAttack):
    """Somebody knows a few items of a person, and looks for the record that fits them best."""

    name = "known-items"
    test = "singling out"
    story = (
        "A colleague has seen a few of the things a person searched for or bought. She compares them with every published record, gives "
        "rare things more weight, and takes the record that fits best; where several fit equally well she takes one of them at random."
    )

    eccentricity: float = param(1.5, minimum=0, help="standard deviations by which a record must lead before the attacker is sure")

    def trials(self, scene: Scene, people: People, seed: int) -> list[Trial]:
        """Each kind of knowledge in turn. Whoever has fewer items is known by all of them."""
        matcher = Matcher(scene)
        return [self._trial(matcher, people, setting, seed) for setting in SETTINGS]

    def _trial(self, matcher: Matcher, people: People, setting: Knowledge, seed: int) -> Trial:
        chance = np.random.default_rng(seed)
        success, claimed = np.zeros(len(people)), np.zeros(len(people), bool)
        for person in range(len(people)):
            scores = self._scores(matcher, people.items(person), setting, chance)
            success[person] = matcher.chance(matcher.best(scores), people, person)
            claimed[person] = matcher.stands_out(scores, self.eccentricity)
        # What is wrong or absent is beyond what models promise.
        known = setting.items if not setting.wrong and not setting.absent else None
        return Trial(str(setting), known, success, 1 / max(1, matcher.scene.n_records), claimed)

    def _scores(self, matcher: Matcher, held: Ints, setting: Knowledge, chance: np.random.Generator) -> Ints:
        """How well each row fits what is known of somebody who holds these items."""
        scores = matcher.scores(_known(matcher.scene, held, setting, chance))
        for item in _not_held(matcher.scene, held, setting.absent, chance):
            scores[matcher.holding(int(item))] -= matcher.weights[item]
        if setting.items is None:
            return _of_nothing_else(matcher, scores, held)
        return scores


def _of_nothing_else(matcher: Matcher, scores: Ints, held: Ints) -> Ints:
    """The scores without records that hold more than these items; most have nothing in common with them and need not be looked at."""
    telling = np.flatnonzero(scores)
    if not matcher.possible(telling, held).any():
        telling = np.arange(len(scores))
    left = np.full(len(scores), IMPOSSIBLE)
    left[telling] = np.where(matcher.possible(telling, held), scores[telling], IMPOSSIBLE)
    return left


def _known(scene: Scene, held: Ints, setting: Knowledge, chance: np.random.Generator) -> Ints:
    order = chance.permutation(len(held))
    if setting.rarest:
        order = order[np.argsort(scene.holders[held[order]], kind="stable")]
    right = held[order] if setting.items is None else held[order][: max(0, setting.items - setting.wrong)]
    return np.concatenate([right, _not_held(scene, held, setting.wrong, chance)])


def _not_held(scene: Scene, held: Ints, n: int, chance: np.random.Generator) -> Ints:
    """Up to so many items that a person does not hold, common ones more often."""
    occurring = scene.world.items
    if not n or not len(occurring):
        return np.zeros(0, np.int64)
    drawn = occurring[chance.integers(len(occurring), size=DRAWS * n)].astype(np.int64)
    return drawn[~np.isin(drawn, held)][:n]
