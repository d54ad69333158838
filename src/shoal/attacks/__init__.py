"""Attacks: what an attacker with partial knowledge about a person can learn from a release.

An attack tells its story, draws what the attacker knows about each person, and says how often the attacker succeeds. It is made on people
who were published and on a control group who were not. Adding one is a file here and a line in `ATTACKS`; one that needs more than the
published records, such as a second release, has its line in `SCENARIO_ATTACKS` (`scenarios`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from shoal.parameters import Declared
from shoal.registry import Table

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from shoal.attacks.attacker_view import People, Scene

Test = Literal["singling out", "linking", "inference"]  # the three that regulators ask about
Chances: TypeAlias = "npt.NDArray[np.float64]"
ALL = "all"  # stands for every attack of the table below
ORIGINAL, RELEASE = "original", "release"  # what is attacked, before and after


@dataclass(frozen=True, eq=False)
class Trial:
    """How an attack went with one kind of knowledge: for each person the chance, over the attacker's ties, that the guess is right.

    `baseline` is the rate of somebody who guesses without the release's records. `claimed` marks the people of whom the attacker is sure.
    """

    knowledge: str
    known: int | None
    success: Chances
    baseline: float
    claimed: npt.NDArray[np.bool_] | None = None


class Attack(Declared, ABC):
    """Frozen parameters and one step, which a base below declares: what is attacked in, chances of being found out."""

    test: ClassVar[Test]
    story: ClassVar[str]
    must_tell: ClassVar[tuple[str, ...]] = ("name", "test", "story")


class RecordAttack(Attack):
    """An attack on published records: a scene and people in, their chances of being found out."""

    @abstractmethod
    def trials(self, scene: Scene, people: People, seed: int) -> list[Trial]:
        """The attack on each of these people, with each kind of knowledge; the same kinds in the same order whoever they are."""


ATTACKS: Table[type[RecordAttack]] = Table(
    "attack",
    {
        "known-items": "shoal.attacks.known_items:KnownItems",
        "two-halves": "shoal.attacks.two_halves:TwoHalves",
        "one-more-item": "shoal.attacks.one_more_item:OneMoreItem",
    },
)
