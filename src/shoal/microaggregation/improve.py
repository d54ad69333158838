"""Groups of rows of numbers, improved by local search on their exact sum of squares (cpp/vectors/improve.hpp has the algorithm)."""

from __future__ import annotations

import numpy as np

from shoal import _kernels, kernels
from shoal.data.table import Floats, Ints


def improved_groups(values: Floats, owners: Ints, groups: Ints, k: int, rounds: int, seed: int) -> Ints:
    """The groups after so many rounds, numbered from 0; the SSE of the values never rises, and more rounds continue fewer ones.

    Groups are numbered from 0 without gaps and hold k owners or more, before and after.
    """
    numbered = np.unique(owners, return_inverse=True)[1].astype(np.int64)
    matrix = np.ascontiguousarray(values, np.float64)
    found: Ints = kernels.run(
        _kernels.improve_groups, matrix, numbered, groups, k, rounds, seed, kernels.threads(), label="improving groups"
    )
    return found
