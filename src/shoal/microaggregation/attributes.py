"""Distance and centroid of one attribute, by its kind (Domingo-Ferrer and Torra 2005; Torra, PSD 2004). Values are codes of a table,
numbers standardised.

| kind | distance | centroid |
| --- | --- | --- |
| numeric | difference | mean |
| ordinal | difference of ranks | median; of an even number the lower one |
| nominal | 0 or 1 | most frequent value; of equals the one that is more frequent in the whole table, then the first |
| hierarchical | Wu and Palmer's, from 0 to 1 | lowest common ancestor |
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import cache

import numpy as np

from shoal.data.dispersion import standardised
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Attribute, Floats, Ints


class AttributeSpace(ABC):
    """The codes of one attribute, with squared distances and a centroid, which is a code too."""

    def __init__(self, codes: Floats) -> None:
        self.codes = codes

    @abstractmethod
    def centroid(self, rows: Ints) -> float:
        """The code that represents these rows."""

    @abstractmethod
    def squared(self, code: float, rows: Ints) -> Floats:
        """The squared distance of each row's value to that of a code."""

    def spread(self) -> float:
        """SST: the squared distances of all rows to the centroid of all; 0 if all are alike."""
        every = np.arange(len(self.codes))
        return math.fsum(self.squared(self.centroid(every), every))


class Numbers(AttributeSpace):
    """Numbers. Sums are rounded once, so that they depend on no order of rows."""

    def centroid(self, rows: Ints) -> float:
        """The mean."""
        return math.fsum(self.codes[rows]) / len(rows)

    def squared(self, code: float, rows: Ints) -> Floats:
        """Of differences."""
        return np.asarray((self.codes[rows] - code) ** 2)


class Ranks(Numbers):
    """Ordinal values, by their ranks."""

    def centroid(self, rows: Ints) -> float:
        """The lower median, which is one of the values."""
        middle = (len(rows) - 1) // 2
        return float(np.partition(self.codes[rows], middle)[middle])


class Categories(AttributeSpace):
    """Nominal values."""

    def __init__(self, codes: Floats) -> None:
        super().__init__(codes)
        self._whole = codes.astype(np.int64)
        self._everywhere = np.bincount(self._whole)

    def centroid(self, rows: Ints) -> float:
        """The most frequent value."""
        counts = np.bincount(self._whole[rows])
        most = np.flatnonzero(counts == counts.max())
        return float(most[np.argmax(self._everywhere[most])])

    def squared(self, code: float, rows: Ints) -> Floats:
        """1 where the values differ."""
        return np.asarray(self.codes[rows] != code, np.float64)


class Nodes(AttributeSpace):
    """Values that are nodes of a hierarchy."""

    def __init__(self, codes: Floats, hierarchy: Hierarchy) -> None:
        super().__init__(codes)
        self._whole = codes.astype(np.int64)
        self._hierarchy = hierarchy
        self._from = cache(self._squared_from)

    def centroid(self, rows: Ints) -> float:
        """The lowest common ancestor: in preorder, of the first and the last."""
        nodes = self._whole[rows]
        first, last = int(nodes.min()), int(nodes.max())
        return float(next(node for node in self._hierarchy.upwards(first) if last < self._hierarchy.end[node]))

    def squared(self, code: float, rows: Ints) -> Floats:
        """Of 1 - 2 level(lowest common ancestor) / (level + level), where the root has level 1."""
        return self._from(int(code))[self._whole[rows]]

    def _squared_from(self, node: int) -> Floats:
        level, shared = self._hierarchy.level, np.ones(len(self._hierarchy))
        for above in reversed(self._hierarchy.upwards(node)):
            shared[above : self._hierarchy.end[above]] = level[above]
        return np.asarray((1 - 2 * shared / (level + level[node])) ** 2)


def attribute_space(attribute: Attribute, order: Ints) -> AttributeSpace:
    """The space of an attribute's values, in an order of rows."""
    codes = attribute.codes[order]
    if attribute.kind == "hierarchical":
        assert attribute.hierarchy is not None
        return Nodes(codes, attribute.hierarchy)
    if attribute.kind == "numeric":
        return Numbers(standardised(codes[:, None])[:, 0])
    return Ranks(codes) if attribute.kind == "ordinal" else Categories(codes)
