"""Could these published records have come from that original?

Asked where only a file is at hand, and nobody knows which record became which.

Every published record must generalize an original record of its own. That is a flow problem: each class of identical published records
asks for as many originals as it has copies, each original can serve once. Where the pairs to be looked at are too many, what was left
undecided is said.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal import _kernels, kernels
from shoal.data.bags import Ints
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.privacy.identical import identical_records

MOST_PAIRS = 20_000_000


@dataclass(frozen=True, eq=False)
class Origins:
    """What was found: how many published records have no original, and how many classes were too costly to decide."""

    unmatched: int
    undecided_classes: int


@dataclass(frozen=True, eq=False)
class Fitting:
    """Pairs of a class of published records and an original record that it generalizes; the records of each class; those not looked at."""

    classes: Ints
    records: Ints
    wanted: Ints
    undecided: Ints


def find_origins(release: Release, original: Original) -> Origins:
    """Match published records to originals they generalize, as many as possible."""
    fit = fitting(release, original)
    matched = _largest_matching(fit.classes, fit.records, fit.wanted, len(original.bags))
    asked = int(fit.wanted.sum() - fit.wanted[fit.undecided].sum())
    return Origins(unmatched=asked - matched, undecided_classes=len(fit.undecided))


def fitting(release: Release, original: Original) -> Fitting:
    """Which originals each class of identical published records may stem from."""
    label = identical_records(release.published)
    _, row, place = np.unique(label, return_index=True, return_inverse=True)
    wanted = np.bincount(place, weights=release.copies).astype(np.int64)
    classes, records, undecided = _pairs(release, original, row)
    return Fitting(classes, records, wanted, undecided)


def _pairs(release: Release, original: Original, row: Ints) -> tuple[Ints, Ints, Ints]:
    """Pairs (class, original record) where the class's record generalizes the original; and the classes left out as too costly."""
    candidates = Candidates(original)
    found = [candidates.of(release, int(r)) for r in row]
    sizes = np.array([len(f) for f in found], np.int64)
    cheap = np.argsort(sizes, kind="stable")
    within = np.cumsum(sizes[cheap]) <= MOST_PAIRS
    decided, undecided = cheap[within], cheap[~within]
    classes = np.repeat(decided, sizes[decided])
    records = np.concatenate([found[c] for c in decided]) if len(decided) else np.zeros(0, np.int64)
    tree = original.tree
    good = kernels.run(
        _kernels.generalizes_pairs,
        original.bags.view,
        release.published.view,
        records.astype(np.int64),
        row[classes].astype(np.int64),
        tree.view,
        kernels.threads(),
        label="looking for originals",
    ).astype(bool)
    return classes[good], records[good], undecided


class Candidates:
    """Original records that may lie below a published record: those that touch its rarest item, and are long enough.

    Items are numbered in preorder, so that the occurrences below a node are one piece of all occurrences sorted by item.
    """

    def __init__(self, original: Original) -> None:
        bags = original.bags
        by_item = np.argsort(bags.items, kind="stable")
        self._items = bags.items[by_item]
        self._records = np.repeat(np.arange(len(bags)), np.diff(bags.indptr))[by_item]
        self._end = original.tree.end
        self._lengths = bags.lengths

    def of(self, release: Release, row: int) -> Ints:
        """The records that may lie below this published row."""
        published = release.published
        nodes = published.items[published.indptr[row] : published.indptr[row + 1]]
        long_enough = self._lengths >= published.lengths[row]
        if not len(nodes):
            return np.flatnonzero(long_enough)
        first, last = np.searchsorted(self._items, nodes), np.searchsorted(self._items, self._end[nodes])
        rarest = np.argmin(last - first)
        found = np.unique(self._records[first[rarest] : last[rarest]])
        return np.asarray(found[long_enough[found]], np.int64)


def _largest_matching(classes: Ints, records: Ints, wanted: Ints, n_records: int) -> int:
    """The most published records that can be given an original of their own (a maximum flow)."""
    if not len(classes):
        return 0
    import scipy.sparse as sp
    from scipy.sparse.csgraph import maximum_flow

    # Nodes: source, classes, records, sink.
    n = len(wanted) + n_records + 2
    sink = n - 1
    served = np.unique(records)
    tails = np.concatenate([np.zeros(len(wanted), np.int64), 1 + classes, 1 + len(wanted) + served])
    heads = np.concatenate([1 + np.arange(len(wanted)), 1 + len(wanted) + records, np.full(len(served), sink)])
    limits = np.concatenate([wanted, np.ones(len(classes) + len(served), np.int64)])
    graph = sp.csr_array((limits.astype(np.int32), (tails, heads)), shape=(n, n))
    return int(maximum_flow(graph, 0, sink).flow_value)
