"""Attacks on logs, which need more than the records of a release: times, several pseudonyms of a person, or a plain-text log.

Their input is a `Linkable` or `Hashed`, for the original and for the release; if a log or a release lacks it, the attack is skipped with
the reason.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.attacks import Attack, Trial
from shoal.parameters import param
from shoal.registry import LazyTable

if TYPE_CHECKING:
    from shoal.attacks.logs.corpus import Hashed
    from shoal.attacks.logs.linking import Linkable


@dataclass(frozen=True)
class LinkingAttack(Attack):
    """An attack that searches for records similar to a known one."""

    eccentricity: float = param(1.5, minimum=0, help="lead over other records, in standard deviations, that makes the attacker certain")

    def trials(self, by_knowledge: Mapping[str, Linkable]) -> list[Trial]:
        """Run the attack with each kind of knowledge."""
        from shoal.attacks.logs.linking import linked  # with scipy, which listing attacks does not need

        return [linked(one, knowledge, self.eccentricity) for knowledge, one in by_knowledge.items()]


class TokenAttack(Attack):
    """An attack on tokens that represent words, with another, plain-text log."""

    @abstractmethod
    def trials(self, hashed: Hashed) -> list[Trial]:
        """Attack increasing numbers of the most frequent tokens."""


LOG_ATTACKS: LazyTable[type[LinkingAttack | TokenAttack]] = LazyTable(
    "attack",
    {
        "profile-over-time": "shoal.attacks.logs.linking:ProfileOverTime",
        "personas": "shoal.attacks.logs.linking:Personas",
        "tokens": "shoal.attacks.logs.tokens:Tokens",
    },
)
