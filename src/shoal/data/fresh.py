"""Random orders and numbers that hide people, drawn from the operating system's generator and never from a seed.

Everything that must not be guessed comes from `entropy`: the order of rows, fresh pseudonyms, numbers of groups, fresh addresses.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

entropy: Callable[[int], bytes] = os.urandom
"""So many random bytes. Tests put a repeatable source in its place, to compare two releases byte by byte."""


def random_keys(n: int) -> npt.NDArray[np.uint64]:
    """Draw n random numbers of 64 bits."""
    return np.frombuffer(entropy(8 * n), np.uint64)


def fresh_order(n: int) -> Ints:
    """Draw a permutation of 0 to n - 1, each with the same probability.

    Rows are sorted by random keys. Two equal keys would leave their rows in the order of the data, so all keys are drawn again then.
    """
    while True:
        keys = random_keys(n)
        order = np.argsort(keys)
        ordered = keys[order]
        if not (ordered[1:] == ordered[:-1]).any():
            return order.astype(np.int64)


def fresh_numbers(n: int, limit: int) -> Ints:
    """Draw n different numbers from 0 to `limit` - 1, in random order. `limit` is at most 2**32."""
    if 2 * n > limit:
        return fresh_order(limit)[:n]
    least = (1 << 64) % limit  # keys below it would make small numbers a little more likely
    found = np.zeros(0, np.int64)
    while len(found) < n:
        keys = random_keys(2 * (n - len(found)) + 8)
        drawn = np.concatenate([found, (keys[keys >= np.uint64(least)] % np.uint64(limit)).astype(np.int64)])
        found = drawn[np.sort(np.unique(drawn, return_index=True)[1])]
    return found[:n]
