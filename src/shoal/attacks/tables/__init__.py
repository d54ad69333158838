"""Attacks on tables of microdata: an attacker knows the quasi-identifiers of a person and has the published rows.

Each attack takes a `KnownTable`, of the original or of the release, and returns the success probability of each attacked person.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from shoal.attacks import Attack, Trial
from shoal.registry import LazyTable

if TYPE_CHECKING:
    from shoal.attacks.tables.known_table import KnownTable
    from shoal.data.bags import Ints


class TableAttack(Attack):
    """An attack on published rows of a table. `needs_items`: it is for tables with item sets only; `needs_fraction`: it is run if the share
    of the population is known that the table has.
    """

    needs_items: ClassVar[bool] = False
    needs_fraction: ClassVar[bool] = False

    @abstractmethod
    def trials(self, table: KnownTable, targets: Ints) -> list[Trial]:
        """Attack the people behind these rows of the original; empty if the table lacks what is attacked."""

    def notes(self, original: KnownTable) -> list[str]:
        """Return what else the attack says about the original; nothing unless a subclass has something."""
        return []


TABLE_ATTACKS: LazyTable[type[TableAttack]] = LazyTable(
    "attack",
    {
        "nearest-row": "shoal.attacks.tables.row_linkage:NearestRow",
        "probable-row": "shoal.attacks.tables.row_linkage:ProbableRow",
        "row-and-items": "shoal.attacks.tables.row_and_items:RowAndItems",
        "population-unique": "shoal.attacks.tables.population_uniques:PopulationUnique",
        "value-intervals": "shoal.attacks.tables.value_disclosure:ValueIntervals",
        "kept-values": "shoal.attacks.tables.value_disclosure:KeptValues",
    },
)
