"""Record of the noise in a release, from which a judge computes its privacy loss.

The guarantee of a mechanism cannot be verified from its output. What can be checked is whether the recorded noise gives the claimed
guarantee.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

GUIDE, SELECTION, COUNTS, DIVISIONS = "guide", "selection", "counts", "divisions"
GAUSSIAN, LAPLACE = "gaussian", "laplace"
POLICY, EQUAL, WHOLE = "policy", "equal", "whole"


@dataclass(frozen=True)
class NoisyStep:
    """Noise added to one number for each value of a table.

    A `selection` publishes the values whose noisy number exceeds the `threshold`; `counts` are the noisy numbers of values that a selection
    published; a `guide` has unpublished noisy numbers that determine which of their values people contribute. `divisions` divide people
    again and again, each with noise of its own: the scale is that of one step that gives away as much as all divisions on the way to a part
    together. A person contributes to at most `cap` numbers, with weights: `equal` ones with a norm of 1, those of a `policy`, or `whole`
    ones. Adding or removing a person changes the vector of numbers by at most `sensitivity`, in the l2 norm under Gaussian noise and in the
    l1 norm under Laplace noise. The noise has this `scale` (the standard deviation under Gaussian noise) and is an integer multiple of
    2 ** -`grid`, as are the numbers.
    Values that a manifest leaves out are None.
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
        """Return the manifest entry."""
        return {name: value for name, value in dataclasses.asdict(self).items() if value is not None}

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> NoisyStep:
        """Parse a manifest entry."""
        return cls(**entry)
