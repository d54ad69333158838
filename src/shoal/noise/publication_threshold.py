"""Which noisy numbers are enough, and as what numbers are published: the same wherever noise is drawn."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from shoal.data.bags import Ints
from shoal.data.noise_record import COUNTS, GUIDE, SELECTION, NoisyStep

PROMISING = 1.5  # standard deviations of its noise that the guide's number of a value must have for the value to be taken further


def limit_of(step: NoisyStep) -> float:
    """Above which noisy number, in multiples of the grid, a value is taken further or published; counts are published whatever they are."""
    if step.purpose == GUIDE:
        return PROMISING * step.scale * 2.0**step.grid
    if step.purpose == SELECTION:
        assert step.threshold is not None
        return float(np.ceil(step.threshold * 2.0**step.grid))
    return -math.inf


def as_published(noisy: Ints, step: NoisyStep) -> pl.Series:
    """Counts as whole numbers; the numbers of a selection, which are weights, with one digit after the point."""
    numbers = noisy / 2.0**step.grid
    return pl.Series(np.rint(numbers).astype(np.int64) if step.purpose == COUNTS else np.round(numbers, 1))
