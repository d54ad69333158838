"""Attacks: what an attacker with partial knowledge about a person can learn from a release.

An attack has a description, draws what the attacker knows about each person, and computes the success rate. It runs on people who were
published and on a control group who were not. Adding one takes a file here and a line in `ATTACKS`; one that needs more than the published
records, such as a second release, has its line in `SCENARIO_ATTACKS` (`scenarios`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from shoal.parameters import Declared
from shoal.registry import LazyTable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from shoal.attacks.attacker_view import People, Scene

Test = Literal["singling out", "linking", "inference"]  # the three that regulators ask about
Chances: TypeAlias = "npt.NDArray[np.float64]"
BASIC = "basic"  # means the attacks of the table below: those on published records that need no further release
ORIGINAL, RELEASE = "original", "release"  # what is attacked, before and after


@dataclass(frozen=True, eq=False)
class Trial:
    """The result of an attack with one kind of knowledge: for each person the probability, over the attacker's ties, of a correct guess.

    `baseline` is the success rate of guessing without the released records. `claimed` marks the people of whom the attacker is certain.
    """

    knowledge: str
    known: int | None
    success: Chances
    baseline: float
    claimed: npt.NDArray[np.bool_] | None = None


class Attack(Declared, ABC):
    """Frozen parameters and one step, which a subclass declares: it takes what is attacked and returns the success probabilities."""

    test: ClassVar[Test]
    story: ClassVar[str]
    required_texts: ClassVar[tuple[str, ...]] = ("name", "test", "story")


class RecordAttack(Attack):
    """An attack on published records: takes a scene and people, and returns their probabilities of being found."""

    @abstractmethod
    def trials(self, scene: Scene, people: People, seed: int) -> list[Trial]:
        """Attack each of these people with each kind of knowledge; the kinds and their order do not depend on the people."""


ATTACKS: LazyTable[type[RecordAttack]] = LazyTable(
    "attack",
    {
        "known-items": "shoal.attacks.known_items:KnownItems",
        "two-halves": "shoal.attacks.two_halves:TwoHalves",
        "one-more-item": "shoal.attacks.one_more_item:OneMoreItem",
    },
)
