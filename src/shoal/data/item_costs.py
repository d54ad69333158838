"""What it costs an attacker to get to know that a person has an item: items of different identifying weight.

An attacker has a budget instead of a number of items, and may know any set of items whose costs it covers. An item that nobody can observe
costs much, one that everybody sees costs little. Items that are not listed cost 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar, Self
from urllib.parse import quote, unquote

from shoal.data.items import COSTS, Items, positive_decimal
from shoal.errors import ParameterError
from shoal.parameters import UNNAMED


@dataclass(frozen=True)
class ItemCosts(Items):
    """Positive costs of items; stored as decimals, so that sums and comparisons are exact."""

    costs: tuple[tuple[str, Decimal], ...] = ()

    forms: ClassVar[str] = "FILE"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse `costs:a=2|b=0.5` of a claim, or the path of a file with an item, a tab and its cost per line."""
        if text == UNNAMED:
            return cls()
        if not text.startswith(COSTS):
            return cls(file=text.removeprefix("@"))
        pairs = [one.rpartition("=") for one in text.removeprefix(COSTS).split("|") if one]
        return cls.made_of({unquote(name): cost for name, _, cost in pairs})

    @classmethod
    def made_of(cls, value: Any) -> Self:
        """Make costs from a mapping of items to numbers."""
        if not isinstance(value, Mapping):
            raise ParameterError("costs must be a mapping of items to numbers, or a file", code="wrong-type", value=type(value).__name__)
        costs = {str(name): positive_decimal(str(name), cost, "cost") for name, cost in value.items()}
        return cls(names=frozenset(costs), costs=tuple(sorted(costs.items())))

    @property
    def exact(self) -> dict[str, Fraction]:
        """The costs as fractions. Raise if they are not known."""
        self.listed("costly")
        return {name: Fraction(cost) for name, cost in self.costs}

    def __str__(self) -> str:
        if self.names is None:
            return UNNAMED if self.unnamed else str(self.file)
        return COSTS + "|".join(f"{quote(name, safe='')}={cost}" for name, cost in self.costs)


def within_budget(costs: Mapping[str, Fraction], budget: int) -> int:
    """Return the size of the largest set that a budget may cover, if every item has its cost, or 1."""
    return int(budget / min([Fraction(1), *costs.values()]))
