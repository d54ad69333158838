"""What all attacks on a release amount to, and how the numbers came about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

from shoal.attacks import Test
from shoal.attacks.conclusion import Conclusion, concluded
from shoal.attacks.outcome import RELEASE, Outcome
from shoal.attacks.scenarios import attack_called


@dataclass(frozen=True, eq=False)
class Attacked:
    """What every attack amounts to, first on the original, then on the release; and how things were done.

    `alarms` are warnings about the release that are shown in red; `most_targets` is how many people were to be attacked.
    """

    outcomes: tuple[Outcome, ...]
    notes: tuple[str, ...]
    alarms: tuple[str, ...] = ()
    most_targets: int = 0

    @property
    def holds(self) -> bool:
        """Whether no attack succeeds for certain more often than a claim promises."""
        return all(found.standing != "ABOVE THE PROMISE" for found in self.outcomes)

    @property
    def verdict(self) -> Conclusion:
        """What the release promised, and what an attacker can do in fact."""
        return concluded(self.outcomes, self.most_targets)

    @property
    def attacks(self) -> tuple[str, ...]:
        """The names of the attacks that were made, in their order."""
        return tuple(dict.fromkeys(found.attack for found in self.outcomes))

    @property
    def by_test(self) -> tuple[Outcome, ...]:
        """For each of the three tests that regulators ask about, the attack on the release that succeeds most often."""
        worst: dict[str, Outcome] = {}
        for one in self.outcomes:
            if one.subject == RELEASE and (one.test not in worst or one.success.rate > worst[one.test].success.rate):
                worst[one.test] = one
        return tuple(worst[test] for test in get_args(Test) if test in worst)

    def as_dict(self) -> dict[str, Any]:
        """For `--json`."""
        stories = {name: attack_called(name).story for name in self.attacks}
        tests = {one.test: {"attack": one.attack, "knowledge": one.knowledge, "success": one.success.rate} for one in self.by_test}
        return {
            "holds": self.holds,
            "verdict": self.verdict.as_dict(),
            **({"warnings": list(self.alarms)} if self.alarms else {}),
            "stories": stories,
            "tests": tests,
            "attacks": [o.as_dict() for o in self.outcomes],
            "notes": list(self.notes),
        }
