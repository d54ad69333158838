"""Options of evaluations with their defaults: the help of commands shows them without loading numpy."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.parameters import Declared, param

# -- comparisons

DEFAULT_K = (2, 5, 10, 25)
DEFAULT_KNOWN = (1, 2, 3)
USER = "user"
QUICK_K, QUICK_KNOWN = (5,), (2,)  # where a quick answer is wanted
QUICK_PEOPLE, QUICK_TARGETS = 1000, 50
DEFAULT_SECONDS, QUICK_SECONDS = 1800, 120  # of the clock for one cell
NOT_ATTACKED = "not_attacked"  # why a cell has no attack
GRAINS = (USER, "session", "event")  # what can become one record

# -- reconstructions


@dataclass(frozen=True)
class Draws(Declared):
    """The number of reconstructions, and the random seed."""

    name = "draws"

    number: int = param(1, minimum=1, maximum=1000, help="number of reconstructions")
    seed: int | None = param(None, minimum=0, help="random seed (default: a different one each time)")


# -- tests of noise by experiment


@dataclass(frozen=True)
class CanaryDraw(Declared):
    """How an experiment is made."""

    name = "canaries"

    canaries: int = param(400, minimum=20, maximum=100_000, help="number of people (canaries) planted in each run")
    runs: int = param(5, minimum=1, maximum=10_000, help="number of runs")
    named: float = param(0.1, minimum=0.001, maximum=0.5, help="share of the canaries that the attacker guesses took part")
    confidence: float = param(0.999, minimum=0.5, maximum=0.999999, help="confidence of the lower bound")
    seed: int = param(0, minimum=0, help="random seed for who takes part; the noise is always random")
