"""Noise is drawn by OpenDP alone, over whole numbers: its samplers use the operating system's entropy and no floating point."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.data.bags import Ints
from shoal.data.noise_record import GAUSSIAN, NoisyStep
from shoal.errors import ShoalError

LARGEST = 2**62  # numbers and noise together stay below 2**63


def with_noise(numbers: Ints, step: NoisyStep) -> Ints:
    """The numbers, in multiples of the step's grid, each with fresh noise."""
    if np.abs(numbers).max(initial=0) >= LARGEST:
        raise ShoalError("the numbers are too large to be given noise on this grid")
    dp = _opendp()
    scale = step.scale * 2.0**step.grid
    if step.noise == GAUSSIAN:
        mechanism = dp.m.make_gaussian(dp.vector_domain(dp.atom_domain(T="i64")), dp.l2_distance(T="f64"), scale=scale)
    else:
        mechanism = dp.m.make_laplace(dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64"), scale=scale)
    return np.array(mechanism(numbers.tolist()), np.int64)


def _opendp() -> Any:
    try:
        import opendp.prelude as dp
    except ImportError:
        raise ShoalError("noise is drawn with opendp, which is not installed", hint="pip install 'shoal[dp]'") from None
    dp.enable_features("contrib")
    return dp
