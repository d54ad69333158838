"""Weighted random choice from uniform numbers alone, which numpy keeps stable between its versions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from shoal.data.bags import Ints

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


class Weighted:
    """Choices 0, 1, ... with these weights; also the choices of an interval alone."""

    def __init__(self, weights: Floats) -> None:
        self.reach: Floats = np.concatenate([[0.0], np.cumsum(weights)])

    def __len__(self) -> int:
        return len(self.reach) - 1

    def draw(self, uniform: Floats, low: npt.ArrayLike = 0, high: npt.ArrayLike = -1) -> Ints:
        """Return a choice for each uniform number, from `low` up to but excluding `high` (the end by default)."""
        begin, end = self.reach[np.asarray(low)], self.reach[np.asarray(high)]
        found = np.searchsorted(self.reach, begin + uniform * (end - begin), side="right") - 1
        return np.asarray(np.minimum(found, len(self) - 1))


class LongTailed:
    """Log-normal integers from 1, truncated far out, with exactly the requested mean."""

    GRID = (np.arange(20_000) + 0.5) / 20_000

    def __init__(self, mean: float, spread: float, most: int) -> None:
        self.spread, self.most = spread, most
        low, high = -10.0, float(np.log(most))
        while high - low > 1e-9:
            self.centre = (low + high) / 2
            low, high = (self.centre, high) if self.draw(self.GRID).mean() < mean else (low, self.centre)

    def draw(self, uniform: Floats) -> Ints:
        """Return a number for each uniform number."""
        sizes = np.exp(self.centre + self.spread * ndtri(uniform))
        return np.asarray(np.rint(np.clip(sizes, 1, self.most)), dtype=np.int64)


def zipf(n: int, exponent: float, shift: float) -> Floats:
    """Return the weights of ranks 1 to n by the law of Zipf and Mandelbrot."""
    return np.asarray((np.arange(n) + 1.0 + shift) ** -exponent)


def waits(uniform: Floats) -> Floats:
    """Return exponential waiting times with mean one."""
    return np.asarray(-np.log1p(-uniform))
