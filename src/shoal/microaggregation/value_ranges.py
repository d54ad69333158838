"""Generalized values of groups of rows, attribute by attribute, and what they cost: ranges, sets of values and common ancestors.

The cost of a group in an attribute is its normalized certainty penalty (Xu et al., KDD 2006), from 0 (one value) to 1 (any value):

| kind | published | cost |
| --- | --- | --- |
| numeric, ordinal | the lowest and the highest value | their distance, as a share of the largest distance in the table |
| nominal | all values of the group | values besides the first, as a share of those in the table |
| hierarchical | the lowest common ancestor | leaves below it, as a share of all; 0 if all values are the same |

Groups can be merged; the costs of a merge with every other group are computed at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import polars as pl

from shoal.data.bags import Ints
from shoal.data.table import ITEM_SEPARATOR, RANGE, Attribute, Floats, Hierarchy
from shoal.errors import InputError


class GroupValues(ABC):
    """The values of one attribute in each group. Groups keep their numbers when they absorb others."""

    @abstractmethod
    def cost(self) -> Floats:
        """Return the cost of each group."""

    @abstractmethod
    def cost_with(self, group: int, others: Ints) -> Floats:
        """Return the cost of this group together with each of these."""

    @abstractmethod
    def absorb(self, group: int, other: int) -> None:
        """Add the values of another group to this one."""

    @abstractmethod
    def texts(self, groups: Ints) -> list[str]:
        """Return what is published for these groups."""


class Ranges(GroupValues):
    """Numbers and ranks, by the lowest and the highest code."""

    def __init__(self, attribute: Attribute, group: Ints) -> None:
        self._levels = attribute.levels
        codes = attribute.codes
        self._low, self._high = lowest_and_highest(codes, group)
        self._width = float(codes.max() - codes.min()) or 1.0
        ranked = attribute.kind == "ordinal" and not attribute.levels
        self._named = attribute.named_codes.to_list() if ranked else None

    def cost(self) -> Floats:
        """Return the share of the largest distance."""
        return np.asarray((self._high - self._low) / self._width)

    def cost_with(self, group: int, others: Ints) -> Floats:
        """Return the same for the ranges that contain both."""
        low, high = np.minimum(self._low[others], self._low[group]), np.maximum(self._high[others], self._high[group])
        return np.asarray((high - low) / self._width)

    def absorb(self, group: int, other: int) -> None:
        """Widen the range."""
        self._low[group] = min(self._low[group], self._low[other])
        self._high[group] = max(self._high[group], self._high[other])

    def texts(self, groups: Ints) -> list[str]:
        """Return one value, or the lowest and the highest."""
        pairs = [(self._name(self._low[g]), self._name(self._high[g])) for g in groups.tolist()]
        return [low if low == high else f"{low}{RANGE}{high}" for low, high in pairs]

    def _name(self, code: float) -> str:
        if self._levels:
            return self._levels[int(code)]
        return written_number(self._named[int(code)] if self._named is not None else float(code))


class ValueSets(GroupValues):
    """Nominal values, as a mask for each group."""

    def __init__(self, attribute: Attribute, group: Ints) -> None:
        self._names = attribute.named_codes
        self._held = np.zeros((int(group.max()) + 1, len(self._names)), bool)
        self._held[group, attribute.codes.astype(np.int64)] = True

    def cost(self) -> Floats:
        """Return the share of the other values."""
        return np.asarray((self._held.sum(axis=1) - 1) / max(1, self._held.shape[1] - 1))

    def cost_with(self, group: int, others: Ints) -> Floats:
        """Return the same for both together."""
        return np.asarray(((self._held[others] | self._held[group]).sum(axis=1) - 1) / max(1, self._held.shape[1] - 1))

    def absorb(self, group: int, other: int) -> None:
        """Unite the values."""
        self._held[group] |= self._held[other]

    def texts(self, groups: Ints) -> list[str]:
        """Return the values in alphabetical order."""
        return [ITEM_SEPARATOR.join(sorted(self._names.filter(pl.Series(self._held[g])).to_list())) for g in groups.tolist()]


class CommonAncestors(GroupValues):
    """Nodes of a hierarchy in preorder, by the first and the last node of each group."""

    def __init__(self, attribute: Attribute, group: Ints) -> None:
        assert attribute.hierarchy is not None
        self._hierarchy = attribute.hierarchy
        self._first, self._last = (codes.astype(np.int64) for codes in lowest_and_highest(attribute.codes, group))
        self._shares = share_of_leaves(attribute.hierarchy)
        self._nodes = np.array([self._ancestor(a, b) for a, b in zip(self._first.tolist(), self._last.tolist(), strict=True)], np.int64)

    def cost(self) -> Floats:
        """Return the share of the leaves below the ancestor."""
        return np.where(self._first == self._last, 0.0, self._shares[self._nodes])

    def cost_with(self, group: int, others: Ints) -> Floats:
        """Return the same for the ancestors of both, looked for upwards from the ancestor of the group."""
        first, last = np.minimum(self._first[others], self._first[group]), np.maximum(self._last[others], self._last[group])
        found = np.full(len(others), -1.0)
        for node in self._hierarchy.upwards(int(self._nodes[group])):
            inside = (found < 0) & (node <= first) & (last < self._hierarchy.end[node])
            found[inside] = self._shares[node]
        return np.where(first == last, 0.0, found)

    def absorb(self, group: int, other: int) -> None:
        """Take the ancestor of both."""
        self._first[group] = min(self._first[group], self._first[other])
        self._last[group] = max(self._last[group], self._last[other])
        self._nodes[group] = self._ancestor(int(self._first[group]), int(self._last[group]))

    def texts(self, groups: Ints) -> list[str]:
        """Return the names of the ancestors."""
        return [self._hierarchy.names[int(self._nodes[g])] for g in groups.tolist()]

    def _ancestor(self, first: int, last: int) -> int:
        return next(node for node in self._hierarchy.upwards(first) if last < self._hierarchy.end[node])


def group_values(attribute: Attribute, group: Ints) -> GroupValues:
    """Return the values of an attribute in groups that are numbered from 0 without gaps. Raise if they cannot be written as text."""
    if attribute.kind == "hierarchical":
        return CommonAncestors(attribute, group)
    if attribute.kind == "nominal":
        _refuse_separator(attribute, ITEM_SEPARATOR, attribute.named_codes)
        return ValueSets(attribute, group)
    _refuse_separator(attribute, RANGE, pl.Series(attribute.levels, dtype=pl.String))
    return Ranges(attribute, group)


def _refuse_separator(attribute: Attribute, separator: str, names: pl.Series) -> None:
    if names.cast(pl.String).str.contains(separator, literal=True).any():
        raise InputError(
            f"a value of column {attribute.name!r} contains {separator!r}, which separates values in a release",
            code="unpublishable-column",
            hint="rename these values",
        )


def lowest_and_highest(codes: Floats, group: Ints) -> tuple[Floats, Floats]:
    """Return the lowest and the highest code of each group."""
    n = int(group.max()) + 1
    low, high = np.full(n, np.inf), np.full(n, -np.inf)
    np.minimum.at(low, group, codes)
    np.maximum.at(high, group, codes)
    return low, high


def share_of_leaves(hierarchy: Hierarchy) -> Floats:
    """Return the share of all leaves that are below each node; a leaf is below itself."""
    is_leaf = hierarchy.end == np.arange(1, len(hierarchy) + 1)
    before = np.concatenate([[0], np.cumsum(is_leaf)])
    leaves = before[hierarchy.end] - before[:-1]
    return np.asarray(leaves / leaves[0])


def written_number(value: float) -> str:
    """Return a number in the fewest digits that give it back; whole numbers without a point."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))
