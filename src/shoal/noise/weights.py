"""Weights: how much each person adds to the number of each value, so that no person moves all numbers together by more than 1.

Numbers are whole multiples of 2 ** -grid, so that noise in whole numbers can be added to them. Gopi, Gulhane, Kulkarni, Shen, Shokouhi and
Yekhanin, "Differentially private set union", ICML 2020, for the policy. The proofs are in docs/methods/dp-queries.md.
"""

from __future__ import annotations

import math

import numpy as np

from shoal import kernels
from shoal.data.bags import Ints
from shoal.errors import ShoalError
from shoal.noise.per_person_bounds import Holdings

ROUNDING = 2.0**-10  # what rounding may add to the sensitivity of a policy
EXACT = 52  # bits of whole numbers that floating point holds, one left to spare
LOOK = 4096  # people between two reports of progress


def policy_grid(cutoff: float) -> int:
    """The finest grid on which numbers up to the cutoff are exact in floating point."""
    return EXACT - math.ceil(math.log2(cutoff))


def most_people(cap: int, grid: int) -> int:
    """For how many people the rounding of all their steps stays within `ROUNDING`.

    A step is off by less than 1 + (cap + 8) * 2**(grid - 53) grid points in every one of its numbers, whichever of two inputs it works on.
    """
    off = 2 * math.sqrt(cap) * (1 + (cap + 8) * 2.0 ** (grid - 53))
    return math.floor(ROUNDING * 2.0**grid / off)


def policy_weights(held: Holdings, cutoff: float, cap: int) -> tuple[Ints, int]:
    """The number of each value, and the grid: each person in turn moves the numbers of their values towards the cutoff, by a length of 1.

    What is near the cutoff already gets less, and what is not there yet gets more.
    """
    grid = policy_grid(cutoff)
    if held.n_people > most_people(cap, grid):
        raise ShoalError(
            "there are more people than the weights of a policy are exact for", code="too-many-people", hint="choose the mechanism weighted"
        )
    unit, goal = 2.0**grid, math.floor(cutoff * 2.0**grid)
    numbers = np.zeros(held.n_values)
    bounds = held.starts.tolist()
    for person in range(held.n_people):
        if person % LOOK == 0:
            kernels.report("weighing", person, held.n_people)
        own = held.values[bounds[person] : bounds[person + 1]]
        missing = goal - numbers[own]
        length = math.sqrt(missing @ missing) / unit
        numbers[own] += np.floor(missing / length) if length > 1 else missing
    return numbers.astype(np.int64), grid


def equal_weights(held: Holdings, grid: int) -> Ints:
    """The number of each value: a person with n values adds 1/sqrt(n) to each of them, rounded down."""
    sizes = np.diff(held.starts)
    largest = int(sizes.max(initial=0))
    each = np.array([0, *(math.isqrt(4**grid // n) for n in range(1, largest + 1))], np.int64)
    numbers = np.zeros(held.n_values, np.int64)
    np.add.at(numbers, held.values, np.repeat(each[sizes], sizes))
    return numbers


def whole_weights(held: Holdings, grid: int) -> Ints:
    """The number of each value: how often all people together count it."""
    numbers = np.zeros(held.n_values, np.int64)
    np.add.at(numbers, held.values, held.times)
    return numbers << grid
