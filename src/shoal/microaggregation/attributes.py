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
from fractions import Fraction
from functools import cache
from itertools import chain, repeat

import numpy as np

from shoal.data.bags import Ints, Small
from shoal.data.table import Attribute, Floats, Hierarchy

# -- dispersion of rows of numbers: standardized values, and the sum of squares within and between groups
#
# Sums are rounded once (`math.fsum`), so they depend on no order of rows. The information loss of a grouping is SSE / SST on standardised
# values, from 0 to 1; the literature's L is 100 times that. It is the same with n or n-1 in the standard deviation; n is used.


def standardised(values: Floats) -> Floats:
    """Each column less its mean, over its standard deviation; a constant column becomes 0 and loses nothing."""
    found = np.zeros(values.shape)
    for j, column in enumerate(values.T):
        if len(column) and column.min() < column.max():
            found[:, j] = _standardised_column(column)
    return found


def sum_of_squares(values: Floats) -> float:
    """SST: the squared distances of all rows to their mean."""
    return math.fsum(((values - _mean(values)) ** 2).ravel())


def within_groups(values: Floats, group: Ints) -> float:
    """SSE: the squared distances of all rows to the mean of their group."""
    return math.fsum(((values - group_means(values, group)[group]) ** 2).ravel())


def between_groups(values: Floats, group: Ints) -> float:
    """SSA: the squared distances of the groups' means to the mean of all, each as often as its group has rows."""
    return math.fsum(((group_means(values, group)[group] - _mean(values)) ** 2).ravel())


def group_means(values: Floats, group: Ints) -> Floats:
    """Return the mean of each group's rows; groups are numbered from 0 without gaps."""
    order = np.argsort(group, kind="stable")
    ends = np.cumsum(np.bincount(group))
    return np.array([_mean(values[rows]) for rows in np.split(order, ends[:-1])]).reshape(len(ends), values.shape[1])


def information_loss(values: Floats, group: Ints) -> float:
    """SSE / SST of the standardised values; 0 if all rows are the same and nothing can be lost."""
    scaled = standardised(values)
    total = sum_of_squares(scaled)
    return within_groups(scaled, group) / total if total else 0.0


def _mean(values: Floats) -> Floats:
    return np.array([_mean_of_column(column) for column in values.T])


def _mean_of_column(column: Floats) -> float:
    """Return the mean, off by hardly more than half of its last digit: a sum that is rounded and then divided would be off by more than
    one.
    """
    try:
        near = math.fsum(column) / len(column)
        return near + math.fsum(chain(column, repeat(-near, len(column)))) / len(column) + 0.0  # zero has no sign
    except OverflowError:  # the sum is too large, the mean is not
        return float(sum(map(Fraction, column.tolist()), Fraction()) / len(column))


def _standardised_column(column: Floats) -> Floats:
    # A power of two takes no digit away and keeps squares of very large numbers finite.
    scaled = np.ldexp(column, -int(np.frexp(np.abs(column).max())[1]))
    apart = scaled - math.fsum(scaled) / len(scaled)
    return np.asarray(apart / math.sqrt(math.fsum(apart**2) / len(apart)))


# -- attributes by kind


class AttributeSpace(ABC):
    """The codes of one attribute, with squared distances and a centroid, which is a code too."""

    def __init__(self, codes: Floats) -> None:
        self.codes = codes

    @abstractmethod
    def centroid(self, rows: Ints) -> float:
        """Return the code that represents these rows."""

    @abstractmethod
    def squared(self, code: float, rows: Ints) -> Floats:
        """Return the squared distance of each row's value to that of a code."""

    def spread(self) -> float:
        """SST: the squared distances of all rows to the centroid of all; 0 if all are alike."""
        every = np.arange(len(self.codes))
        return math.fsum(self.squared(self.centroid(every), every))


class Numbers(AttributeSpace):
    """Numbers. Sums are rounded once, so that they depend on no order of rows."""

    def centroid(self, rows: Ints) -> float:
        """Return the mean."""
        return math.fsum(self.codes[rows]) / len(rows)

    def squared(self, code: float, rows: Ints) -> Floats:
        """Of differences."""
        return np.asarray((self.codes[rows] - code) ** 2)


class Ranks(Numbers):
    """Ordinal values, by their ranks."""

    def centroid(self, rows: Ints) -> float:
        """Return the lower median, which is one of the values."""
        middle = (len(rows) - 1) // 2
        return float(np.partition(self.codes[rows], middle)[middle])


class Categories(AttributeSpace):
    """Nominal values."""

    def __init__(self, codes: Floats) -> None:
        super().__init__(codes)
        self._whole = codes.astype(np.int64)
        self._everywhere = np.bincount(self._whole)

    def centroid(self, rows: Ints) -> float:
        """Return the most frequent value."""
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
        """Return the lowest common ancestor: in preorder, of the first and the last."""
        nodes = self._whole[rows]
        first, last = int(nodes.min()), int(nodes.max())
        return float(next(node for node in self._hierarchy.upwards(first) if last < self._hierarchy.end[node]))

    def squared(self, code: float, rows: Ints) -> Floats:
        """Of 1 - 2 level(lowest common ancestor) / (level + level), where the root has level 1."""
        return self._from(int(code))[self._whole[rows]]

    def tree(self) -> tuple[Small, Small, Small]:
        """Return the parent of each node, the end of its subtree, and its level, as kernels take them."""
        h = self._hierarchy
        return h.parent.astype(np.int32), h.end.astype(np.int32), h.level.astype(np.int32)

    def _squared_from(self, node: int) -> Floats:
        level, shared = self._hierarchy.level, np.ones(len(self._hierarchy))
        for above in reversed(self._hierarchy.upwards(node)):
            shared[above : self._hierarchy.end[above]] = level[above]
        return np.asarray((1 - 2 * shared / (level + level[node])) ** 2)


def attribute_space(attribute: Attribute, order: Ints) -> AttributeSpace:
    """Return the space of an attribute's values, in an order of rows."""
    codes = attribute.codes[order]
    if attribute.kind == "hierarchical":
        assert attribute.hierarchy is not None
        return Nodes(codes, attribute.hierarchy)
    if attribute.kind == "numeric":
        return Numbers(standardised(codes[:, None])[:, 0])
    return Ranks(codes) if attribute.kind == "ordinal" else Categories(codes)
