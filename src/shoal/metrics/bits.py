"""What records tell about their people, in bits: a yardstick for releases on different taxonomies, or on none.

A node that is true of a share p of the people, who hold something below it, tells -log2(p) bits: nothing if it is true of everybody. A
record tells what its nodes tell, and what lies above two of them is counted once: knowing a node tells -log2(p / p of its parent) more than
knowing the parent. Repeated items count once.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.bags import Bags, Ints, Small
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.taxonomy import Taxonomy
from shoal.metrics import Metric
from shoal.util.exact_numbers import logarithm

Floats = npt.NDArray[np.float64]


def bits(release: Release, original: Original) -> float:
    """The mean over the original's records; one that is not published tells nothing."""
    told = record_bits(release.published, original.tree, node_bits(original.bags, original.tree))
    return float((told * release.copies).sum() / max(1, len(original.bags)))


def record_bits(records: Bags, tree: Taxonomy, of_node: Floats) -> Floats:
    """What each record tells, where `of_node` is what a node tells."""
    first, shared = _meets(records.indptr, records.items, tree)
    gained = of_node[records.items] - np.where(first, 0.0, of_node[shared])
    rows = np.repeat(np.arange(len(records)), np.diff(records.indptr))
    return np.bincount(rows, weights=gained, minlength=len(records)).astype(np.float64)


def node_bits(bags: Bags, tree: Taxonomy) -> Floats:
    """What each node tells about a person, of all people behind these records; a node that is true of nobody tells 0."""
    people = people_below(bags, tree)
    told: Floats = (logarithm(max(1, bags.n_owners)) - logarithm(np.maximum(people, 1))) / logarithm(2.0)
    return np.where(people > 0, np.maximum(told, 0.0), 0.0)


def people_below(bags: Bags, tree: Taxonomy) -> Ints:
    """How many people hold something below each node, or the node itself.

    Of each person, 1 is written at every item, and -1 where the ways up from an item and from the one before it meet: the sum over a
    subtree is 1 for each person who holds something in it.
    """
    owners = np.repeat(bags.owners, np.diff(bags.indptr))
    held = np.unique(np.stack([owners, bags.items.astype(np.int64)]), axis=1)
    indptr = np.concatenate([[0], np.flatnonzero(np.diff(held[0])) + 1, [held.shape[1]]]) if held.shape[1] else np.zeros(1, np.int64)
    first, shared = _meets(indptr, held[1].astype(np.int32), tree)
    marks = np.bincount(held[1], minlength=len(tree)) - np.bincount(shared[~first], minlength=len(tree))
    return tree.sum_up(marks.astype(np.int64))


def _meets(indptr: Ints, items: Small, tree: Taxonomy) -> tuple[npt.NDArray[np.bool_], Ints]:
    """Which entries are the first of their row; and for every other the lowest node above both it and the entry before it.

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


BITS = Metric(
    "bits",
    "information of a record about its person, beyond what is true of everybody, in bits",
    "higher",
    bits,
    routine=False,
    with_additions=False,
)
