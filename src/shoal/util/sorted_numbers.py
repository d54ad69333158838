"""Sets of integers as sorted arrays.

`np.unique` collects the integers of an array in a hash table, which takes 30 to 150 times as long as sorting them: 5 s against 0.03 s for
two million different numbers (NumPy 2.4, one core). Without counts or places it is therefore not used for arrays that grow with the data,
except in `privacy`, which shares no code with the methods.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

Integer = TypeVar("Integer", bound=np.integer)
Ints = npt.NDArray[np.int64]


def distinct(numbers: npt.NDArray[Integer]) -> npt.NDArray[Integer]:
    """Return the distinct numbers, sorted."""
    ordered = np.sort(numbers, axis=None)
    return ordered if len(ordered) < 2 else ordered[np.append(True, ordered[1:] != ordered[:-1])]


def runs(ordered: npt.NDArray[Integer]) -> tuple[npt.NDArray[Integer], Ints]:
    """Return the distinct values of sorted numbers, and their frequencies."""
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(ordered) else np.zeros(0, np.int64)
    return ordered[starts], np.diff(np.append(starts, len(ordered)))
