"""Which rows hold a node, and which hold something below it: an index of records by their nodes."""

from __future__ import annotations

import numpy as np

from shoal.data.bags import Bags, Ints
from shoal.data.taxonomy import Taxonomy


class Postings:
    """The rows of records over a tree, by the nodes they hold. Nodes are numbered in preorder, so a subtree is one piece of the index."""

    def __init__(self, bags: Bags, tree: Taxonomy) -> None:
        self.tree = tree
        self.row_of = np.repeat(np.arange(len(bags)), np.diff(bags.indptr))  # of each item, as the records have them
        by_item = np.argsort(bags.items, kind="stable")
        self._rows = self.row_of[by_item]
        self._starts = np.searchsorted(bags.items[by_item], np.arange(len(tree) + 1))

    def holding(self, node: int) -> Ints:
        """The rows that hold just this node, each once."""
        return self._rows[self._starts[node] : self._starts[node + 1]]

    def at_or_below(self, node: int) -> Ints:
        """The rows that hold this node or one below it; a row with several of them is there several times."""
        return self._rows[self._starts[node] : self._starts[self.tree.end[node]]]
