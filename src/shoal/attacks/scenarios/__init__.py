"""Attacks that need more than one set of published records: a second release, or the same one made again from changed records.

A `Scenario` is the input of such an attack: the records, their release with the record-to-group mapping, and functions that make it again.
An attack that is impossible raises `Skipped` with the reason, so that it is always reported.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from shoal.attacks import ATTACKS, Attack, Test, Trial
from shoal.attacks.logs import LOG_ATTACKS
from shoal.attacks.tables import TABLE_ATTACKS
from shoal.errors import ParameterError, option
from shoal.registry import LazyTable
from shoal.util.wording import there_are

if TYPE_CHECKING:  # the names of attacks are listed without loading numpy
    from shoal.data.bags import Bags, Ints
    from shoal.data.claims import Model
    from shoal.data.items import Items
    from shoal.data.original import Original
    from shoal.data.release import Release


class Skipped(Exception):
    """An attack is impossible for a scenario; the text has the reason."""


@dataclass(frozen=True, eq=False)
class Made:
    """Records, and the release that a method made from them."""

    original: Original
    release: Release

    @property
    def rows(self) -> Ints:
        """The published row of each record, -1 if it was suppressed."""
        if self.release.secret is None:
            raise Skipped("the record-to-group mapping is not available")
        return self.release.secret.rows()


@dataclass(frozen=True, eq=False)
class Scenario:
    """A release as it was made, the attacked records in it, and functions that make it from other records.

    `remake` takes records as typed, `varied` makes the release of the same records with some parameters changed; both raise the errors of
    preparation and method. `few` are the records attacked if the release is made again for each. `left_out` are records of people who were
    not published, in the vocabulary of the release made without them. `others` are further releases of the same records. `sensitive` are
    the items that must not be inferred, None if there are none.
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
        """Skip an attack that makes the release again if the number of remakes is 0."""
        if not len(self.few):
            n = len(self.made.original.bags)
            raise Skipped(f"the release of {n:,} records would have to be remade for each person; {option('remakes')} requests that")

    def lengths(self, records: Ints) -> Ints:
        """Return the number of items in each of these records."""
        import numpy as np

        return np.diff(self.made.original.bags.indptr)[records]

    @property
    def k(self) -> int:
        """The largest group size, in people, that a claim guarantees."""
        found = [k for claim in self.claims if isinstance(k := claim.values().get("k"), int)]
        if not found:
            raise Skipped("no claim guarantees groups of k people")
        return max(found)


@dataclass(frozen=True, eq=False)
class ScenarioTrial:
    """A trial, the number of items of each attacked person, a trial on a control group, and the guaranteed maximum."""

    trial: Trial
    lengths: Ints
    control: Trial | None = None
    ceiling: float | None = None
    test: Test | None = None
    on_original: bool = False

    def renamed(self, knowledge: str) -> ScenarioTrial:
        """Return the same with another description of the knowledge."""
        return replace(self, trial=replace(self.trial, knowledge=knowledge))


@dataclass(frozen=True, eq=False)
class Tried:
    """All trials of an attack, and notes on how it was run."""

    trials: tuple[ScenarioTrial, ...]
    notes: tuple[str, ...] = field(default=())


class ScenarioAttack(Attack):
    """Frozen parameters and one step: takes a scenario, and returns success probabilities. `routine` ones run unless others are named."""

    routine: ClassVar[bool] = True

    @abstractmethod
    def tried(self, scenario: Scenario) -> Tried:
        """Run the attack with each kind of knowledge. Raises `Skipped` if it is impossible."""

    def runs(self, few: int, people: int, k: int) -> int:
        """Return about how often the release is made again for this many people to attack, of all people."""
        return 0


SCENARIO_ATTACKS: LazyTable[type[ScenarioAttack]] = LazyTable(
    "attack",
    {
        "intersection": "shoal.attacks.scenarios.intersection:Intersection",
        "differencing": "shoal.attacks.scenarios.differencing:Differencing",
        "planted-people": "shoal.attacks.scenarios.planted_people:PlantedPeople",
        "canaries": "shoal.attacks.scenarios.canaries:Canaries",
        "sensitive-inference": "shoal.attacks.scenarios.sensitive_inference:SensitiveInference",
        "minimality": "shoal.attacks.scenarios.minimality:Minimality",
        "membership": "shoal.attacks.scenarios.membership:Membership",
    },
)


def attack_called(name: str) -> type[Attack]:
    """Return the attack of this name, of any kind. Raise for an unknown name."""
    tables: list[Mapping[str, type[Attack]]] = [ATTACKS, LOG_ATTACKS, SCENARIO_ATTACKS, TABLE_ATTACKS]
    for table in tables:
        if name in table:
            return table[name]
    raise ParameterError(
        f"no attack is called {name!r}", code="unknown-attack", hint=there_are(name, [one for table in tables for one in table]), value=name
    )
