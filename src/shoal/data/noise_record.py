"""Uses of noise as a release records them, so that a judge can add up what they give away.

A mechanism's guarantee cannot be seen in what it publishes. What can be checked is whether the noise that was added, as it is recorded
here, gives the guarantee that is claimed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

GUIDE, SELECTION, COUNTS = "guide", "selection", "counts"
GAUSSIAN, LAPLACE = "gaussian", "laplace"
POLICY, EQUAL, WHOLE = "policy", "equal", "whole"


@dataclass(frozen=True)
class NoisyStep:
    """Noise that was added to one number for each value of a table.

    A `selection` publishes the values whose noisy number is above the `threshold`; `counts` are the noisy numbers of values that a
    selection published; a `guide` are noisy numbers that tell people which of their values have a chance, and are not published. A person
    counts in at most `cap` numbers, with weights: `equal` ones of length 1 together, those of a `policy`, or `whole` ones. Adding or
    removing a person moves all numbers together by at most `sensitivity`, in the l2 norm under gaussian noise and in the l1 norm under
    laplace noise. The noise has this `scale` (a standard deviation under gaussian noise) and is a whole multiple of 2 ** -`grid`, as the
    numbers are. What a manifest leaves out is None.
    """

    purpose: str
    table: str
    noise: str
    weights: str
    scale: float
    grid: int
    cap: int | None = None
    sensitivity: float | None = None
    threshold: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """For the manifest."""
        return {name: value for name, value in dataclasses.asdict(self).items() if value is not None}

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> NoisyStep:
        """As a manifest has it."""
        return cls(**told)
