"""Two halves: two attackers know different items of a person; do they find the same record?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.attacks import RecordAttack, Trial
from shoal.attacks.attacker_view import People, Scene
from shoal.attacks.matching import Matcher
from shoal.data.bags import Ints


class HalfKnowledge(NamedTuple):
    """The number of items that each of the two knows; None means half of all."""

    items: int | None

    def __str__(self) -> str:
        return "half of the items each" if self.items is None else f"{self.items} item{'s' if self.items > 1 else ''} each"


class Halves(NamedTuple):
    """What each of the two knows; both know the same number of items."""

    one: Ints
    other: Ints


SETTINGS = (HalfKnowledge(1), HalfKnowledge(2), HalfKnowledge(3), HalfKnowledge(None))


@dataclass(frozen=True)
class TwoHalves(RecordAttack):
    """Two sources that know different items of a person are linked where both find the same record."""

    name = "two-halves"
    test = "linking"
    story = (
        "A shop knows some items of a person's record, and an employer knows others. Each looks for the best matching record. "
        "If both find the same record, they can combine what they know."
    )

    def trials(self, scene: Scene, people: People, seed: int) -> list[Trial]:
        """Attack with increasing numbers of items each. People with fewer items are known by halves of them."""
        matcher = Matcher.shared(scene)
        halves = {setting: _halves(people, setting, seed) for setting in SETTINGS}
        success = {setting: np.zeros(len(people)) for setting in SETTINGS}
        for place in (block.place for block in matcher.blocks(people)):
            for setting in SETTINGS:
                both = halves[setting][place]
                one, other = [half.one for half in both], [half.other for half in both]
                same = matcher.best(one, with_rows=True).same(matcher.best(other, with_rows=True))
                success[setting][place] = np.where([len(half.one) > 0 for half in both], same, 0.0)
        guessing = 1 / max(1, scene.n_records)
        return [Trial(str(setting), setting.items, success[setting], guessing) for setting in SETTINGS]


def _halves(people: People, setting: HalfKnowledge, seed: int) -> list[Halves]:
    """Draw different items of each person for both; none for people with a single item."""
    chance = np.random.default_rng(seed)
    found = []
    for person in range(len(people)):
        mixed = chance.permutation(people.items(person))
        each = len(mixed) // 2 if setting.items is None else min(setting.items, len(mixed) // 2)
        found.append(Halves(mixed[:each], mixed[each : 2 * each]))
    return found
