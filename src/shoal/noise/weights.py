"""Weights: the contribution of each person to the number of each value, such that one person changes the vector by at most 1.

Numbers are integer multiples of 2 ** -grid, so that integer noise can be added. Gopi, Gulhane, Kulkarni, Shen, Shokouhi and Yekhanin,
"Differentially private set union", ICML 2020, for the policy. The proofs are in docs/methods/dp-queries.md.
"""

from __future__ import annotations

import math

import numpy as np

from shoal import kernels
from shoal.data.bags import Ints
from shoal.errors import ShoalError
from shoal.noise.per_person_bounds import PersonValues

ROUNDING = 2.0**-10  # what rounding may add to the sensitivity of a policy
EXACT = 52  # bits of whole numbers that floating point holds, one left to spare
LOOK = 4096  # people between two reports of progress


def policy_grid(cutoff: float) -> int:
    """Return the finest grid on which numbers up to the cutoff are exact in floating point."""
    return EXACT - math.ceil(math.log2(cutoff))


def most_people(cap: int, grid: int) -> int:
    """Return for how many people the rounding errors of all steps stay within `ROUNDING`.

    A step is off by less than 1 + (cap + 8) * 2**(grid - 53) grid points in every one of its numbers, whichever of two inputs it works on.
    """
    off = 2 * math.sqrt(cap) * (1 + (cap + 8) * 2.0 ** (grid - 53))
    return math.floor(ROUNDING * 2.0**grid / off)


def policy_weights(held: PersonValues, cutoff: float, cap: int) -> tuple[Ints, int]:
    """Return the number of each value, and the grid: each person in turn moves the numbers of their values towards the cutoff by a norm of
    1.

    Numbers near the cutoff get less, the others more.
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


def equal_weights(held: PersonValues, grid: int) -> Ints:
    """Return the number of each value: a person with n values adds 1/sqrt(n) to each of them, rounded down."""
    sizes = np.diff(held.starts)
    largest = int(sizes.max(initial=0))
    each = np.array([0, *(math.isqrt(4**grid // n) for n in range(1, largest + 1))], np.int64)
    numbers = np.zeros(held.n_values, np.int64)
    np.add.at(numbers, held.values, np.repeat(each[sizes], sizes))
    return numbers


def whole_weights(held: PersonValues, grid: int) -> Ints:
    """Return the number of each value: its total count over all people."""
    numbers = np.zeros(held.n_values, np.int64)
    np.add.at(numbers, held.values, held.times)
    return numbers << grid
