"""Attacks on a release and on its original, and what a comparison says of the strongest one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shoal.attacks import Attack, Trial
from shoal.attacks.conclusion import PERSON, AttackFinding, conclusion_of
from shoal.attacks.outcome import Interval, wilson
from shoal.report.alarms import IN_FACT, SEVERE
from shoal.report.facts import FEWEST_PEOPLE

TOO_FEW = f"fewer than {FEWEST_PEOPLE} people would be attacked, too few to report a rate"


@dataclass(frozen=True)
class TriedAttack:
    """An attack with one kind of knowledge: its rate with the interval, and the finding. The strongest has the highest upper end."""

    rate: Interval
    finding: AttackFinding

    @classmethod
    def of(cls, attack: Attack, trial: Trial) -> TriedAttack:
        """Make it from the success on each attacked person."""
        people = len(trial.success)
        rate = wilson(float(trial.success.sum()), people)
        return cls(rate, AttackFinding(attack.name, attack.test, trial.knowledge, rate.rate, False, "", people))

    def __lt__(self, other: TriedAttack) -> bool:
        return self.rate.high < other.rate.high


def strongest(found: Sequence[TriedAttack], raw: Sequence[TriedAttack], of: str = PERSON) -> dict[str, Any]:
    """Return the rate of the strongest attack on a release, and of the strongest one on the original; `of` says whose items are known."""
    worst, worst_raw = max(found), max(raw)
    verdict = conclusion_of([one.finding for one in found], of=of)
    return {
        "worst_attack": f"{worst.finding.attack}, {worst.finding.knowledge}",
        "attack_rate": worst.rate.rate,
        "attack_high": worst.rate.high,
        "attack_original": worst_raw.rate.rate,
        "attack_original_high": worst_raw.rate.high,
        IN_FACT: verdict.in_fact,
        **({SEVERE: 1} if verdict.severe else {}),
    }
