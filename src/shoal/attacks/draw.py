"""Sampling of the people to attack: options of `shoal attack`, and of `shoal anonymize` with attacks.

The options are shown without loading numpy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.parameters import Declared, param

if TYPE_CHECKING:
    from shoal.data.bags import Ints

QUICK_TARGETS, QUICK_REMAKES = 100, 2  # where a quick answer is wanted
REMAKES = 25  # people for each of whom the release is made again, unless another number is requested


@dataclass(frozen=True)
class Draw(Declared):
    """The number of people to attack, the share left out as a control group, the random seed for both, and the share of the population."""

    name = "draw"

    targets: int = param(1000, minimum=1, help="number of people to attack")
    control: float = param(
        0.1,
        minimum=0,
        maximum=0.9,
        help="share of the people in the control group: the release is made again without them, and they are attacked as well",
    )
    seed: int = param(0, minimum=0, help="random seed for drawing people and what is known about them")
    remakes: int | None = param(
        None,
        minimum=0,
        help=f"how often the release is made again, each time for another person (default: {REMAKES}, fewer for large data)",
    )

    sampling_fraction: float | None = param(
        None,
        minimum=1e-6,
        maximum=1,
        help="share of the population that is in the table, to estimate how many people are unique in it",
    )

    @classmethod
    def quick_values(cls) -> dict[str, int]:
        """Return the values of a quick attack, unless others are requested: fewer people."""
        return {"targets": QUICK_TARGETS, "remakes": QUICK_REMAKES}

    def some(self, numbers: Ints) -> Ints:
        """Draw the people to attack from these numbers, sorted."""
        import numpy as np

        return np.sort(np.random.default_rng(self.seed).permutation(numbers)[: self.targets])
