"""Attacks that need more than one set of published records: a second release, or the same one made again of changed records.

A `Scenario` is what such an attack is given: the records, the release that was made of them with the knowledge of which became which,
and the means to make it again. An attack that cannot be made raises `Skipped`, with the reason; it is never passed over in silence.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from shoal.attacks import ATTACKS, Attack, Test, Trial
from shoal.attacks.logs import LOG_ATTACKS
from shoal.errors import ParameterError
from shoal.registry import Table
from shoal.util.wording import there_are

if TYPE_CHECKING:  # the names of attacks are listed without loading numpy
    from shoal.data.bags import Bags, Ints
    from shoal.data.claims import Model
    from shoal.data.items import Items
    from shoal.data.original import Original
    from shoal.data.release import Release


class Skipped(Exception):
    """An attack cannot be made on a scenario; the text says why."""


@dataclass(frozen=True, eq=False)
class Made:
    """Records, and the release that a method made of them."""

    original: Original
    release: Release

    @property
    def rows(self) -> Ints:
        """The published row of each record, -1 where it was withheld."""
        if self.release.secret is None:
            raise Skipped("the record-to-group mapping is not available")
        return self.release.secret.rows()


@dataclass(frozen=True, eq=False)
class Scenario:
    """A release as it was made, the records that are attacked in it, and the means to make it of other records.

    `remake` takes records as they were typed, `varied` makes the release of the same records with some parameters changed; both raise the
    errors of preparation and method. `few` are the records attacked where the release is made again for each. `left_out` are records of
    people who were not published, in the vocabulary of the release that was made without them. `others` are further releases of the same
    records. `sensitive` are the items that must not be inferred, None if nobody named any.
    """

    made: Made
    claims: tuple[Model, ...]
    remake: Callable[[Bags], Made]
    varied: Callable[[Mapping[str, Any]], Made]
    parameters: Mapping[str, Any]
    targets: Ints
    few: Ints
    seed: int
    left_out: tuple[Bags, Made] | None = None
    others: tuple[tuple[str, Made], ...] = ()
    sensitive: Items | None = None

    def insist_on_remakes(self) -> None:
        """Skip an attack that makes the release again where that is to be done for nobody."""
        if not len(self.few):
            n = len(self.made.original.bags)
            raise Skipped(f"the release of {n:,} records would have to be remade for each person; the option remakes requests that")

    def lengths(self, records: Ints) -> Ints:
        """How many items each of these records holds."""
        import numpy as np

        return np.diff(self.made.original.bags.indptr)[records]

    @property
    def k(self) -> int:
        """The number of people that a claim promises to stand together, the largest of all claims."""
        found = [k for claim in self.claims if isinstance(k := claim.values().get("k"), int)]
        if not found:
            raise Skipped("no claim guarantees groups of k people")
        return max(found)


@dataclass(frozen=True, eq=False)
class ScenarioTrial:
    """A trial, how many items each person attacked holds, a trial on people whom it should not find, and what a claim promises at most."""

    trial: Trial
    lengths: Ints
    control: Trial | None = None
    ceiling: float | None = None
    test: Test | None = None
    on_original: bool = False

    def told_as(self, knowledge: str) -> ScenarioTrial:
        """The same under another name of what is known."""
        return replace(self, trial=replace(self.trial, knowledge=knowledge))


@dataclass(frozen=True, eq=False)
class Tried:
    """All trials of an attack, and what has to be said about how it was made."""

    trials: tuple[ScenarioTrial, ...]
    notes: tuple[str, ...] = field(default=())


class ScenarioAttack(Attack):
    """Frozen parameters and one step: a scenario in, chances of being found out."""

    @abstractmethod
    def tried(self, scenario: Scenario) -> Tried:
        """The attack with each kind of knowledge; raises `Skipped` where it cannot be made."""

    def runs(self, few: int, people: int, k: int) -> int:
        """How often the release is made again, about, for so many people of whom it is, out of all people."""
        return 0


SCENARIO_ATTACKS: Table[type[ScenarioAttack]] = Table(
    "attack",
    {
        "intersection": "shoal.attacks.scenarios.intersection:Intersection",
        "differencing": "shoal.attacks.scenarios.differencing:Differencing",
        "planted-people": "shoal.attacks.scenarios.planted_people:PlantedPeople",
        "canaries": "shoal.attacks.scenarios.canaries:Canaries",
        "sensitive-inference": "shoal.attacks.scenarios.sensitive_inference:SensitiveInference",
        "minimality": "shoal.attacks.scenarios.minimality:Minimality",
    },
)


def attack_called(name: str) -> type[Attack]:
    """The attack of this name, of whatever sort; an unknown name is refused."""
    tables: list[Mapping[str, type[Attack]]] = [ATTACKS, LOG_ATTACKS, SCENARIO_ATTACKS]
    for table in tables:
        if name in table:
            return table[name]
    raise ParameterError(
        f"no attack is called {name!r}", code="unknown-attack", hint=there_are(name, [one for table in tables for one in table]), value=name
    )
