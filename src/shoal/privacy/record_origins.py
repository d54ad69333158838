"""Could these published records have come from that original?

Asked where only a file is at hand, and nobody knows which record became which.

Every published record must generalize an original record of its own. That is a matching problem: each class of identical published records
asks for as many originals as it has copies, each original can serve once. Where the pairs to be looked at are too many, what was left
undecided is said.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal import _kernels, kernels
from shoal.data import patience
from shoal.data.bags import Ints
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.privacy.identical_records import identical_records

MOST_PAIRS = 20_000_000  # with a patience of up to 1; a larger one allows more
PAIRS_AT_ONCE = 4_000_000
STEPS_A_CLASS = 20_000


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
    sizes = np.array([len(candidates.of(release, int(r))) for r in row], np.int64)
    cheap = np.argsort(sizes, kind="stable")
    within = np.cumsum(sizes[cheap]) <= MOST_PAIRS * max(1.0, patience.patience())
    decided, undecided = cheap[within], cheap[~within]
    found = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
    batches = np.cumsum(sizes[decided]) // PAIRS_AT_ONCE
    for batch in np.split(decided, np.flatnonzero(np.diff(batches)) + 1) if len(decided) else []:
        found.append(_generalized(release, original, row, batch, candidates))
        patience.insist_on_room(sum(len(classes) for classes, _ in found), "matching published records to originals")
    classes, records = (np.concatenate(side) for side in zip(*found, strict=True))
    return classes, records, undecided


def _generalized(release: Release, original: Original, row: Ints, batch: Ints, candidates: Candidates) -> tuple[Ints, Ints]:
    """The pairs of these classes."""
    several = [candidates.of(release, int(row[c])) for c in batch]
    classes, records = np.repeat(batch, [len(one) for one in several]).astype(np.int64), np.concatenate(several).astype(np.int64)
    views = original.bags.view, release.published.view, records, row[classes].astype(np.int64), original.tree.view
    what = "comparing published records with the originals that they may stem from"
    found = patience.run(_kernels.generalizes_pairs, *views, kernels.threads(), label="looking for originals", what=what)
    good = found.astype(bool)
    return classes[good], records[good]


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
        length = published.lengths[row]
        if not len(nodes):
            return np.flatnonzero(self._lengths >= length)
        first, last = np.searchsorted(self._items, nodes), np.searchsorted(self._items, self._end[nodes])
        rarest = np.argmin(last - first)
        span = int(last[rarest] - first[rarest])
        patience.spend(STEPS_A_CLASS + 8 * span, "looking for the originals that published records may stem from")
        found = np.unique(self._records[first[rarest] : last[rarest]])
        return np.asarray(found[self._lengths[found] >= length], np.int64)


def _largest_matching(classes: Ints, records: Ints, wanted: Ints, n_records: int) -> int:
    """The most published records that can be given an original of their own."""
    what = "giving each published record an original of its own"
    found = patience.run(_kernels.largest_matching, classes, records, wanted, n_records, label="matching", what=what)
    return int(found)
