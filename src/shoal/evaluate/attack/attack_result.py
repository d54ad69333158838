"""The results of all attacks on a release, and how they were obtained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

from shoal.attacks import RELEASE, Test
from shoal.attacks.conclusion import PERSON, Conclusion, concluded
from shoal.attacks.outcome import Outcome
from shoal.attacks.scenarios import attack_called
from shoal.report.alarms import WARNINGS
from shoal.report.notebook import facts_page
from shoal.util.wording import counted, percent


@dataclass(frozen=True, eq=False)
class Attacked:
    """What `shoal.attack` found.

    Attributes:
        outcomes: The success rates of each attack, first on the original, then on the release.
        notes: How the attacks were run.
        alarms: Warnings about the release.
        most_targets: The number of people that were to be attacked.
        of: What the attacker knows items of: a person, or one of a person's records.
        quick: Whether only a small sample of people was attacked, on request.

    Example:
        >>> import shoal
        >>> baskets, food = [["Apple", "Milk"], ["Apple"], ["Apple"]], {"Food": ["Apple", "Milk"]}
        >>> manifest = shoal.anonymize(baskets, k=3, taxonomy=food).write("lunch")
        >>> found = shoal.attack(baskets, "lunch", "known-items", control=0, taxonomy=food)
        >>> found.holds
        True
        >>> sorted({outcome.subject for outcome in found.outcomes})
        ['original', 'release']
    """

    outcomes: tuple[Outcome, ...]
    notes: tuple[str, ...]
    alarms: tuple[str, ...] = ()
    most_targets: int = 0
    of: str = PERSON
    quick: bool = False

    @property
    def holds(self) -> bool:
        """Whether no attack certainly succeeds more often than a claim allows."""
        return all(found.standing != "ABOVE THE PROMISE" for found in self.outcomes)

    @property
    def verdict(self) -> Conclusion:
        """What the claims allow, and what an attacker can actually do."""
        return concluded(self.outcomes, self.most_targets, self.of)

    @property
    def attacks(self) -> tuple[str, ...]:
        """The names of the attacks, in order."""
        return tuple(dict.fromkeys(found.attack for found in self.outcomes))

    @property
    def by_test(self) -> tuple[Outcome, ...]:
        """The most successful attack on the release, for each of singling out, linking and inference."""
        worst: dict[str, Outcome] = {}
        for one in self.outcomes:
            if one.subject == RELEASE and (one.test not in worst or one.success.rate > worst[one.test].success.rate):
                worst[one.test] = one
        return tuple(worst[test] for test in get_args(Test) if test in worst)

    def _repr_html_(self) -> str:
        """HTML for notebooks: the verdict, and the strongest attack for each test."""
        verdict = self.verdict
        bounds = ["" if one.ceiling is None else f"at most {percent(one.ceiling)}" for one in self.by_test]
        rows = [
            [one.test, percent(one.success.rate), bound, one.attack, one.knowledge] for one, bound in zip(self.by_test, bounds, strict=True)
        ]
        columns = ["test", "success on the release", "guaranteed", "strongest attack", "knowledge"]
        facts = [("guarantee", verdict.promised), ("measured risk", verdict.in_fact)]
        return facts_page(f"{counted(len(self.attacks), 'attack')} on a release", facts, self.alarms, columns, rows)

    def as_dict(self) -> dict[str, Any]:
        """Return everything as a dictionary that can be written as JSON."""
        stories = {name: attack_called(name).story for name in self.attacks}
        tests = {one.test: {"attack": one.attack, "knowledge": one.knowledge, "success": one.success.rate} for one in self.by_test}
        return {
            "holds": self.holds,
            **({"quick": True, "targets": self.most_targets} if self.quick else {}),
            "verdict": self.verdict.as_dict(),
            **({WARNINGS: list(self.alarms)} if self.alarms else {}),
            "stories": stories,
            "tests": tests,
            "attacks": [o.as_dict() for o in self.outcomes],
            "notes": list(self.notes),
        }
