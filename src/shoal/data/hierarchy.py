"""Hierarchy: the tree above the values of a hierarchical attribute, such as towns below regions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.data.bags import Ints, Small, Vocabulary
from shoal.errors import InputError


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Named nodes in preorder, so that a subtree is an interval of numbers; `parent[0]` is -1."""

    names: Vocabulary
    parent: Small

    def __post_init__(self) -> None:
        numbers = np.arange(len(self.parent))
        if len(self.names) != len(self.parent) or not len(numbers) or self.parent[0] != -1 or (self.parent[1:] >= numbers[1:]).any():
            raise InputError("a hierarchy has a root and names for all of its nodes, each below an earlier one", code="invalid-hierarchy")

    def __len__(self) -> int:
        return len(self.parent)

    @cached_property
    def level(self) -> Ints:
        """1 for the root, one more an edge."""
        found = np.ones(len(self), np.int64)
        for node in range(1, len(self)):
            found[node] = found[self.parent[node]] + 1
        return found

    @cached_property
    def end(self) -> Ints:
        """One past the last node of each subtree."""
        found = np.arange(1, len(self) + 1)
        for node in range(len(self) - 1, 0, -1):
            found[self.parent[node]] = max(found[self.parent[node]], found[node])
        return found

    def upwards(self, node: int) -> list[int]:
        """The node and all nodes above it, the root last."""
        found = [node]
        while self.parent[found[-1]] >= 0:
            found.append(int(self.parent[found[-1]]))
        return found
