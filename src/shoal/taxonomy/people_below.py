"""How many people have something below each node of a taxonomy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.bags import Bags, Ints, Small
from shoal.data.taxonomy import Taxonomy
from shoal.util.numbers import distinct


def people_below(bags: Bags, tree: Taxonomy) -> Ints:
    """Return how many people have something below each node, or the node itself.

    Of each person, 1 is written at every item, and -1 where the ways up from an item and from the one before it meet: the sum over a
    subtree is 1 for each person who holds something in it.
    """
    owners = np.repeat(bags.owners, np.diff(bags.indptr))
    held = distinct(owners * len(tree) + bags.items) if len(owners) else np.zeros(0, np.int64)
    person, item = held // len(tree), held % len(tree)
    indptr = np.concatenate([[0], np.flatnonzero(np.diff(person)) + 1, [len(held)]]) if len(held) else np.zeros(1, np.int64)
    first, shared = meets(indptr, item.astype(np.int32), tree)
    marks = np.bincount(item, minlength=len(tree)) - np.bincount(shared[~first], minlength=len(tree))
    return tree.sum_up(marks.astype(np.int64))


def meets(indptr: Ints, items: Small, tree: Taxonomy) -> tuple[npt.NDArray[np.bool_], Ints]:
    """Return which entries are the first of their row; and for every other the lowest node above both it and the entry before it.

    Items rise within a row, and a node before an item in preorder whose subtree holds it holds all in between: it is the first on the way
    up that is no later than the entry before.
    """
    first = np.zeros(len(items), bool)
    first[indptr[:-1][np.diff(indptr) > 0]] = True
    before = np.concatenate([[0], items[:-1]]).astype(np.int64)
    node = np.where(first, 0, items).astype(np.int64)
    while len(late := np.flatnonzero(node > before)):
        node[late] = tree.parent[node[late]]
    return first, node
