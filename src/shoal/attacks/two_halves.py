"""Two halves: two attackers know different items of a person; do they find the same record?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.attacks import RecordAttack, Trial
from shoal.attacks.matching import Matcher
from shoal.attacks.scene import People, Scene
from shoal.data.bags import Ints


class Share(NamedTuple):
    """How many items each of the two knows; none: half of all."""

    items: int | None

    def __str__(self) -> str:
        return "half of the items each" if self.items is None else f"{self.items} item{'s' if self.items > 1 else ''} each"


SETTINGS = (Share(1), Share(2), Share(3), Share(None))


@dataclass(frozen=True)
class TwoHalves(RecordAttack):
    """Two sources that know different items of a person are linked where both find the same record."""

    name = "two-halves"
    test = "linking"
    story = (
        "A shop knows some of the things a person searched for, and an employer knows others. Each looks for the record that fits best. "
        "If both find the same record, what they know can be put together."
    )

    def trials(self, scene: Scene, people: People, seed: int) -> list[Trial]:
        """More and more items each. Whoever has fewer is known by halves of what there is."""
        matcher = Matcher(scene)
        return [self._trial(matcher, people, setting, seed) for setting in SETTINGS]

    def _trial(self, matcher: Matcher, people: People, setting: Share, seed: int) -> Trial:
        chance = np.random.default_rng(seed)
        success = np.zeros(len(people))
        for person in range(len(people)):
            mixed = chance.permutation(people.items(person))
            each = len(mixed) // 2 if setting.items is None else min(setting.items, len(mixed) // 2)
            if each:
                success[person] = _same_record(matcher, mixed[:each], mixed[each : 2 * each])
        return Trial(str(setting), setting.items, success, 1 / max(1, matcher.scene.n_records))


def _same_record(matcher: Matcher, one: Ints, other: Ints) -> float:
    """The chance that two draws, each from the records that fit best, are the same record."""
    first, second = _fitting_best(matcher, one), _fitting_best(matcher, other)
    both = matcher.copies_of(first & second)
    return both / (matcher.copies_of(first) * matcher.copies_of(second)) if both else 0.0


def _fitting_best(matcher: Matcher, known: Ints) -> npt.NDArray[np.bool_]:
    return matcher.best(matcher.scores(known))
