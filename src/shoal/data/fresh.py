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
    """Draw a random permutation of 0 to n - 1.

    Rows are sorted by random keys. Two equal keys would leave their rows in the order of the data; in that case all keys are drawn again.
    """
    while True:
        order = _order_of(random_keys(n))
        if order is not None:
            return order


def _order_of(keys: npt.NDArray[np.uint64]) -> Ints | None:
    """Return the order of keys, as `np.argsort` does, or None if two of them are equal.

    The beginning of each key is sorted as one number with its place, which takes a fraction of the time of sorting places. Keys with the
    same beginning, which are few, are put in order afterwards.
    """
    bits = np.uint64(max(1, len(keys).bit_length()))
    places = (np.uint64(1) << bits) - np.uint64(1)
    both = (keys & ~places) | np.arange(len(keys), dtype=np.uint64)
    both.sort()
    order = (both & places).view(np.int64)
    both >>= bits
    again = np.flatnonzero(both[1:] == both[:-1])
    if len(again):
        unsettled = np.union1d(again, again + 1)
        rows = order[unsettled]
        rows = rows[np.argsort(keys[rows], kind="stable")]
        order[unsettled] = rows
        if (keys[rows[1:]] == keys[rows[:-1]]).any():
            return None
    return order
