"""How the noise of a method is tested by experiment. In a separate module, because help loads nothing large."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.parameters import Declared, param


@dataclass(frozen=True)
class CanaryDraw(Declared):
    """How an experiment is made."""

    name = "canaries"

    canaries: int = param(400, minimum=20, maximum=100_000, help="number of people (canaries) planted in each run")
    runs: int = param(5, minimum=1, maximum=10_000, help="number of runs")
    named: float = param(0.1, minimum=0.001, maximum=0.5, help="share of the canaries that the attacker guesses took part")
    confidence: float = param(0.999, minimum=0.5, maximum=0.999999, help="confidence of the lower bound")
    seed: int = param(0, minimum=0, help="random seed for who takes part; the noise is always random")
