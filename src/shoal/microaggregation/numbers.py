"""Rows of numbers with Euclid's distance and the mean: the space of microaggregation as it is published, with a kernel for MDAV."""

from __future__ import annotations

import numpy as np

from shoal import _kernels, kernels
from shoal.data.table import Floats, Ints


class NumberSpace:
    """Rows of a matrix, which should be standardised where columns have units of their own. Distances are squared."""

    def __init__(self, values: Floats) -> None:
        self._values = np.ascontiguousarray(values, np.float64)

    def __len__(self) -> int:
        return len(self._values)

    def point(self, row: int) -> Floats:
        """The row itself."""
        return np.asarray(self._values[row])

    def centroid(self, rows: Ints) -> Floats:
        """The mean."""
        return np.asarray(self._values[rows].mean(axis=0))

    def distances(self, point: Floats, rows: Ints) -> Floats:
        """The squared differences, added column by column."""
        found = np.zeros(len(rows))
        for column, place in zip(self._values.T, point, strict=True):
            found += (column[rows] - place) ** 2
        return found

    def mdav(self, owners: Ints, k: int) -> Ints:
        """By bounds on blocks of near rows (cpp/vectors/points.hpp); the mean is kept as rows are taken away."""
        found: Ints = kernels.run(_kernels.mdav, self._values, owners, k, kernels.threads(), label="grouping")
        return found
