"""Rows of attributes of several kinds: squared distances are added, each attribute's in units of its own spread.

A standardised column of numbers has a mean squared distance of 1 to its mean. So has every attribute here to its own centroid: the squared
distances are divided by SST / n, and no kind or unit weighs more than another. A constant attribute counts for nothing.
"""

from __future__ import annotations

import numpy as np

from shoal.data.table import Floats, Ints, Table
from shoal.microaggregation.attributes import attribute_space


class MixedSpace:
    """The quasi-identifiers of a table, in an order of its rows. A point is a code for each attribute that is not constant."""

    def __init__(self, table: Table, order: Ints) -> None:
        spaces = [attribute_space(attribute, order) for attribute in table.quasi]
        self._rows = len(order)
        self._parts = [(space, spread / len(order)) for space in spaces if (spread := space.spread()) > 0]

    def __len__(self) -> int:
        return self._rows

    def point(self, row: int) -> tuple[float, ...]:
        """The row's codes."""
        return tuple(float(space.codes[row]) for space, _ in self._parts)

    def centroid(self, rows: Ints) -> tuple[float, ...]:
        """Attribute by attribute."""
        return tuple(space.centroid(rows) for space, _ in self._parts)

    def distances(self, point: tuple[float, ...], rows: Ints) -> Floats:
        """Squared, in units of each attribute's spread."""
        found = np.zeros(len(rows))
        for (space, unit), code in zip(self._parts, point, strict=True):
            found += space.squared(code, rows) / unit
        return found
