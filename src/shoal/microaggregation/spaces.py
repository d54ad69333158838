"""Rows of numbers with Euclid's distance and the mean: the space of microaggregation as it is published, with a kernel for MDAV."""

from __future__ import annotations

import numpy as np

from shoal import _kernels, kernels
from shoal.data.bags import Ints
from shoal.data.table import Floats, Table
from shoal.microaggregation.attributes import Categories, Nodes, Numbers, Ranks, attribute_space, standardised
from shoal.microaggregation.mdav import mdav_groups


class NumberSpace:
    """Rows of a matrix, which should be standardised where columns have units of their own. Distances are squared."""

    def __init__(self, values: Floats) -> None:
        self._values = np.ascontiguousarray(values, np.float64)

    def __len__(self) -> int:
        return len(self._values)

    def point(self, row: int) -> Floats:
        """Return the row itself."""
        return np.asarray(self._values[row])

    def centroid(self, rows: Ints) -> Floats:
        """Return the mean."""
        return np.asarray(self._values[rows].mean(axis=0))

    def distances(self, point: Floats, rows: Ints) -> Floats:
        """Return the squared differences, added column by column."""
        found = np.zeros(len(rows))
        for column, place in zip(self._values.T, point, strict=True):
            found += (column[rows] - place) ** 2
        return found

    def mdav(self, owners: Ints, k: int) -> Ints:
        """By bounds on blocks of near rows (cpp/vectors/points.hpp); the mean is kept as rows are taken away."""
        found: Ints = kernels.run(_kernels.mdav, self._values, owners, k, kernels.threads(), label="grouping")
        return found


# Rows of attributes of several kinds: squared distances are added, each attribute's in units of its own spread.
#
# A standardised column of numbers has a mean squared distance of 1 to its mean. So has every attribute here to its own centroid: the
# squared
# distances are divided by SST / n, and no kind or unit weighs more than another. A constant attribute counts for nothing.


class MixedSpace:
    """The quasi-identifiers of a table, in an order of its rows. A point is a code for each attribute that is not constant."""

    def __init__(self, table: Table, order: Ints) -> None:
        spaces = [attribute_space(attribute, order) for attribute in table.quasi]
        self._rows = len(order)
        self._parts = [(space, spread / len(order)) for space in spaces if (spread := space.spread()) > 0]

    def __len__(self) -> int:
        return self._rows

    def point(self, row: int) -> tuple[float, ...]:
        """Return the row's codes."""
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

    def improved(self, owners: Ints, groups: Ints, k: int, rounds: int, seed: int) -> Ints:
        """Return the groups after this many rounds of exchanges between near ones; their loss, as distances measure it, never rises."""
        if not self._parts:
            return groups
        codes = np.ascontiguousarray(np.column_stack([space.codes for space, _ in self._parts]), np.float64)
        nothing = np.zeros(0, np.int32)
        kinds = [
            (_KINDS[type(space)], unit, *(space.tree() if isinstance(space, Nodes) else (nothing, nothing, nothing)))
            for space, unit in self._parts
        ]
        numbered = np.unique(owners, return_inverse=True)[1].astype(np.int64)
        options = _kernels.ImproveOptions(k=k, rounds=rounds, seed=seed)
        found: Ints = kernels.run(
            _kernels.improve_kinds, codes, kinds, numbered, groups, options, kernels.threads(), label="improving groups"
        )
        return found


_KINDS: dict[type, int] = {Numbers: 0, Ranks: 1, Categories: 2, Nodes: 3}  # as kernels number them


# Groups of rows of numbers, improved by local search on their exact sum of squares (cpp/vectors/improve.hpp has the algorithm).


def improved_groups(values: Floats, owners: Ints, groups: Ints, k: int, rounds: int, seed: int) -> Ints:
    """Return the groups after this many rounds, numbered from 0; the SSE of the values never rises, and more rounds continue fewer ones.

    Groups are numbered from 0 without gaps and hold k owners or more, before and after.
    """
    numbered = np.unique(owners, return_inverse=True)[1].astype(np.int64)
    matrix = np.ascontiguousarray(values, np.float64)
    found: Ints = kernels.run(
        _kernels.improve_groups, matrix, numbered, groups, k, rounds, seed, kernels.threads(), label="improving groups"
    )
    return found


# MDAV on a table of microdata: standardised, and in an order by content, so that the order of arrival does not matter.


def groups_of_table(table: Table, k: int) -> Ints:
    """Return the group of each row by MDAV, numbered from 0 without gaps; every group holds rows of at least k owners."""
    order = table.content_order()
    space = NumberSpace(standardised(table.numbers)[order]) if table.all_numeric else MixedSpace(table, order)
    return _by_arrival(order, mdav_groups(space, table.owners[order], k))


def better_groups_of_table(table: Table, k: int, rounds: int, seed: int) -> Ints:
    """Return the same after this many rounds of local search on the loss, which never rises."""
    order = table.content_order()
    owners = table.owners[order]
    if not table.all_numeric:
        space = MixedSpace(table, order)
        return _by_arrival(order, space.improved(owners, mdav_groups(space, owners, k), k, rounds, seed))
    values = standardised(table.numbers)[order]
    start = mdav_groups(NumberSpace(values), owners, k)
    return _by_arrival(order, improved_groups(values, owners, start, k, rounds, seed))


def _by_arrival(order: Ints, found: Ints) -> Ints:
    group = np.empty(len(order), np.int64)
    group[order] = found
    return group
