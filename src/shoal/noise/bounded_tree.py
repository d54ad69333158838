"""A public tree of items with few children per node, on which sets of items are divided step by step.

It is made of a taxonomy and a fan-out alone, never of data: children of a wide node are put into groups in their order, a node that is an
item itself gets a leaf of its own, and a node with one child is left out. Leaves are numbered from left to right, so that the leaves below
a node are an interval.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from shoal.data.bags import Ints
from shoal.data.taxonomy import Taxonomy

Cut = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class BoundedTree:
    """Nodes in preorder, the root first.

    `children` has the children of each node, none for a leaf; `shown` the node of the taxonomy as which it is published: for a group of
    children that is their parent. `leaf_of` has the leaf number of each node of the taxonomy that is an item, -1 for the root.
    """

    children: tuple[Cut, ...]
    shown: Ints
    first: Ints
    end: Ints
    leaf_of: Ints

    def is_leaf(self, node: int) -> bool:
        """Whether the node is a leaf."""
        return not self.children[node]

    @cached_property
    def chains(self) -> tuple[tuple[int, ...], ...]:
        """For each node, how many inner nodes further items below it add at most, longest first.

        A set of n items below the node has at most as many inner nodes above its items, the node included, as the first n numbers add up
        to: every node passes its longest path on to its parent, and the other paths end at it.
        """
        found: list[tuple[int, ...]] = [()] * len(self.children)
        for node in range(len(self.children) - 1, -1, -1):
            below = [found[child] for child in self.children[node]]
            if not below:
                found[node] = (0,)
                continue
            longest = max(range(len(below)), key=lambda i: below[i][0])
            others = [length for i, lengths in enumerate(below) for length in (lengths[1:] if i == longest else lengths)]
            found[node] = (below[longest][0] + 1, *sorted((length for length in others if length), reverse=True))
        return tuple(found)

    def most_steps(self, cut: Cut, cap: int) -> int:
        """Return how many nodes must be expanded at most until all nodes of a cut are leaves, for sets of at most `cap` items."""
        surely = sum(self.chains[node][0] for node in cut)
        others = heapq.nlargest(cap - len(cut), (length for node in cut for length in self.chains[node][1:cap]))
        return surely + sum(others)

    def next_node(self, cut: Cut) -> int:
        """Return the position in the cut of the node to expand: the one highest above its leaves, the first of these."""
        return max(range(len(cut)), key=lambda place: (self.chains[cut[place]][0], -cut[place]))

    def is_complete(self, cut: Cut) -> bool:
        """Whether all nodes of a cut are leaves."""
        return all(self.is_leaf(node) for node in cut)


def bounded_tree(taxonomy: Taxonomy, fanout: int) -> BoundedTree:
    """Return the tree of a taxonomy in which no node has more than `fanout` children."""
    builder = _Builder(taxonomy, fanout)
    builder.build()
    first, end, leaf_of = builder.leaves()
    return BoundedTree(tuple(map(tuple, builder.children)), np.array(builder.shown), first, end, leaf_of)


class _Builder:
    """Makes nodes from the root down: a node to make is a node of the taxonomy, its own leaf, or a group of such."""

    def __init__(self, taxonomy: Taxonomy, fanout: int) -> None:
        self._taxonomy, self._fanout = taxonomy, fanout
        self._below: list[list[int]] = [[] for _ in range(len(taxonomy))]
        for node, above in enumerate(taxonomy.parent.tolist()):
            if above >= 0:
                self._below[above].append(node)
        self.children: list[list[int]] = []
        self.shown: list[int] = []

    def build(self) -> None:
        """Make all nodes in preorder. Works without recursion, since a taxonomy may be deep."""
        pending: list[tuple[int, int, list[int] | None]] = [(-1, 0, self._parts(0))]
        while pending:
            above, shown, parts = pending.pop()
            while parts is not None and len(parts) == 1:  # one child: nothing to decide
                shown, parts = self._made(parts[0])
            number = len(self.children)
            self.children.append([])
            self.shown.append(shown)
            if above >= 0:
                self.children[above].append(number)
            if parts is None:
                continue
            for group in reversed(_groups(parts, self._fanout)):
                pending.append((number, *(self._made(group[0]) if len(group) == 1 else (shown, group))))

    def _parts(self, node: int) -> list[int]:
        """Return what a node of the taxonomy is divided into: its children, and itself as an item (-1 minus the node), except the root."""
        return [*([-1 - node] if node else []), *self._below[node]]

    def _made(self, part: int) -> tuple[int, list[int] | None]:
        """Return the published node of a part and its parts, None for a leaf."""
        if part < 0 or not self._below[part]:
            return (-1 - part if part < 0 else part), None
        return part, self._parts(part)

    def leaves(self) -> tuple[Ints, Ints, Ints]:
        """Return the interval of leaves below each node, and the leaf of each node of the taxonomy."""
        n = len(self.children)
        first, end = np.zeros(n, np.int64), np.zeros(n, np.int64)
        leaf_of, met = np.full(len(self._taxonomy), -1, np.int64), 0
        for node in range(n):
            first[node] = met
            if not self.children[node]:
                leaf_of[self.shown[node]] = met
                met += 1
        for node in range(n - 1, -1, -1):
            end[node] = end[self.children[node][-1]] if self.children[node] else first[node] + 1
        return first, end, leaf_of


def _groups(parts: Sequence[int], fanout: int) -> list[list[int]]:
    """Divide parts into at most `fanout` groups of nearly equal size, in their order."""
    bounds = np.linspace(0, len(parts), min(fanout, len(parts)) + 1).astype(int).tolist()
    return [list(parts[low:high]) for low, high in pairwise(bounds)]
