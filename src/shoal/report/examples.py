"""Example records as they are published: those that tell most, and those in the middle. Originals have no part in the choice."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.bags import Bags, Ints
from shoal.data.taxonomy import Taxonomy
from shoal.report.facts import Example

Mask = npt.NDArray[np.bool_]

MOST_EXAMPLES = 3  # of each sort
MOST_ITEMS = 8  # of a record
SPECIFIC, TYPICAL = "Most specific", "Typical"


def examples_of(published: Bags, copies: Ints, tree: Taxonomy, named: Mask | None = None) -> tuple[Example, ...]:
    """A few of the different published records that hold something, the same whatever the order of the rows.

    Items that are not to be `named` are counted.
    """
    common = np.ones(len(tree), bool) if named is None else named
    label = published.identical()
    shared = np.bincount(label, weights=copies).astype(np.int64)
    first = np.unique(label, return_index=True)[1]
    different = published if len(first) == len(published) else published.select(first)
    order = different.content_order()
    order = order[(shared[order] > 0) & (different.lengths[order] > 0)]
    told, exact = (numbers[order] for numbers in _told(different, tree))
    specific = np.lexsort((-told, -exact))[:MOST_EXAMPLES]
    rest = np.setdiff1d(np.arange(len(order)), specific)
    middle = _middle(told[rest], shared[order][rest])
    typical = rest[np.argsort(np.abs(told[rest] - middle), kind="stable")[:MOST_EXAMPLES]]
    chosen = [(SPECIFIC, specific), (TYPICAL, np.sort(typical))]
    return tuple(_example(different, row, int(shared[row]), tree, why, common) for why, places in chosen for row in order[places].tolist())


def _told(records: Bags, tree: Taxonomy) -> tuple[Ints, Ints]:
    """What the items of each record tell on average, in units (nothing by the root, most by a leaf), and how many tell one term."""
    told, exact = np.zeros(len(records), np.int64), np.zeros(len(records), np.int64)
    for begin, end in records.blocks():
        some = records.part(begin, end)
        worth = (tree.units - tree.unit_losses[some.items]) * some.counts
        told[begin:end] = _sums(some, worth) // np.maximum(some.lengths, 1)
        exact[begin:end] = _sums(some, np.where(tree.leaves[some.items] == 1, some.counts, 0))
    return told, exact


def told_of(records: Bags, tree: Taxonomy) -> Ints:
    """What the items of each record tell on average, in units."""
    return _told(records, tree)[0]


def _sums(records: Bags, values: Ints) -> Ints:
    """The sum of these values of items over each record."""
    reached = np.concatenate([[0], np.cumsum(values, dtype=np.int64)])
    return np.asarray(reached[records.indptr[1:]] - reached[records.indptr[:-1]], np.int64)


def _middle(values: Ints, weights: Ints) -> int:
    """The median of values that occur so often."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    return int(values[order][np.searchsorted(2 * reached, reached[-1])]) if len(values) else 0


def _example(records: Bags, row: int, shared: int, tree: Taxonomy, why: str, common: Mask) -> Example:
    span = slice(records.indptr[row], records.indptr[row + 1])
    items, counts = records.items[span], records.counts[span]
    order = np.lexsort((items, tree.unit_losses[items]))  # the most exact first
    shown = order[common[items[order]]][:MOST_ITEMS]
    named = tuple((tree.names[int(items[i])], int(counts[i])) for i in shown)
    return Example(named, int(counts.sum() - counts[shown].sum()), shared, why)
