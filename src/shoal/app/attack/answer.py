"""What all attacks on a release amount to, and how the numbers came about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shoal.attacks.outcome import Outcome
from shoal.attacks.scenarios import attack_called


@dataclass(frozen=True, eq=False)
class Attacked:
    """What every attack amounts to, first on the original, then on the release; and how things were done."""

    outcomes: tuple[Outcome, ...]
    notes: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether no attack succeeds for certain more often than a claim promises."""
        return all(found.standing != "ABOVE THE PROMISE" for found in self.outcomes)

    @property
    def attacks(self) -> tuple[str, ...]:
        """The names of the attacks that were made, in their order."""
        return tuple(dict.fromkeys(found.attack for found in self.outcomes))

    def as_dict(self) -> dict[str, Any]:
        """For `--json`."""
        stories = {name: attack_called(name).story for name in self.attacks}
        return {"holds": self.holds, "stories": stories, "attacks": [o.as_dict() for o in self.outcomes], "notes": list(self.notes)}
