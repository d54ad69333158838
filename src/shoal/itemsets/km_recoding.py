"""Recoding until at least k people have every set of up to m published items: the published node of every occurrence.

The steps are those of `cpp/cuts/`: generalize rare sets (or start from the root), undo unnecessary generalizations, specialize single
occurrences. The search from below is in `km_from_below.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

import numpy as np

from shoal import _kernels, kernels
from shoal.data.bags import Bags, Ints, Small
from shoal.data.taxonomy import Taxonomy
from shoal.itemsets.hitting_set import PAIRS, hit_rare_pairs, improved
from shoal.itemsets.itemset_support import PUBLIC, Moles, Power, minimal_moles, too_many_sets

SUPPRESSED = -1


@dataclass(frozen=True)
class RecodingSteps:
    """The steps of a recoding.

    It `start`s with rare sets generalized `by size` (sets of one item before sets of two) or all `at once`, or with everything at the
    `root`. `undo` splits nodes again that need not be generalized, `suppress` may suppress whole nodes while doing so, and `local`
    publishes single occurrences more precisely than others of the same item.
    """

    start: Literal["by size", "at once", "root"] = "by size"
    undo: bool = False
    suppress: bool = False
    local: bool = False


def recoded_places(records: Bags, tree: Taxonomy, k: int, m: int, steps: RecodingSteps) -> Small:
    """Return the published node of each occurrence of the records, which are non-empty sets; SUPPRESSED if there is none."""
    recoding = _Recoding(records, tree, k, m, steps)
    return recoding.places(lambda: kernels.run(recoding.run, label="recoding"))


@contextmanager
def recoding_in_background(records: Bags, tree: Taxonomy, k: int, m: int, steps: RecodingSteps) -> Iterator[Callable[[], Small]]:
    """Begin a recoding in the background if there is a second thread; calling what is yielded waits for the places that it found.

    Leaving the block stops the recoding.
    """
    if kernels.threads() < 2:
        yield lambda: recoded_places(records, tree, k, m, steps)
        return
    recoding = _Recoding(records, tree, k, m, steps)
    with kernels.Background() as background:
        background.begin(recoding.run)
        yield lambda: recoding.places(lambda: background.answer("recoding"))


class _Recoding:
    """The records in an order of their own, and the kernel that recodes them."""

    def __init__(self, records: Bags, tree: Taxonomy, k: int, m: int, steps: RecodingSteps) -> None:
        self._records, self._order, self._m = records, _order(records), m
        ordered = records.select(self._order)
        longest = int(np.diff(ordered.indptr).max(initial=1))
        plan = _kernels.RecodingPlan(
            k=k,
            m=min(m, max(1, longest)),
            suppressed=tree.units,
            start=steps.start,
            undo=steps.undo,
            suppress=steps.suppress,
            local=steps.local,
        )
        owners = _first_seen(ordered.owners) if records.owners_repeat else np.zeros(0, np.int64)
        self._arguments = ordered.view, owners, tree.view, tree.unit_losses, tree.publishable, plan

    def run(self, task: _kernels.Task) -> Small:
        """Call the kernel."""
        found: Small = _kernels.recode_rare_sets(*self._arguments, task)
        return found

    def places(self, answer: Callable[[], Small]) -> Small:
        """Return the kernel's answer in the order of the records."""
        try:
            found = answer()
        except kernels.Exceeded:
            raise too_many_sets(self._m) from None
        return in_order_of(self._records, self._order, found)


def coherent_items(records: Bags, k: int, m: int) -> Ints:
    """Return items that can be published everywhere, all others being suppressed: as many occurrences as possible without rare sets of up
    to m.
    """
    n = len(records.vocabulary)
    occurrences = np.bincount(records.items, minlength=n).astype(np.int64)
    if m <= PAIRS and records.n_owners >= k:
        return np.setdiff1d(np.flatnonzero(occurrences), hit_rare_pairs(records, k, m, occurrences))
    return coherent_by_counts(minimal_moles(records, np.full(n, PUBLIC, np.uint8), Power(1.0, k, m)), occurrences)


def coherent_by_counts(moles: Moles, occurrences: Ints) -> Ints:
    """Do the same from all minimal rare sets, and the number of occurrences of each item."""
    return np.setdiff1d(np.flatnonzero(occurrences), improved(moles, occurrences).items)


def _order(records: Bags) -> Ints:
    """Return an order that does not depend on the input order; records of one user are consecutive."""
    ranks = records.owner_ranks()
    order = records.content_order(ranks)
    return order[np.argsort(ranks[order], kind="stable")] if records.owners_repeat else order


def _first_seen(owners: Ints) -> Ints:
    """Number consecutive users in order of occurrence."""
    return np.concatenate([[0], np.cumsum(owners[1:] != owners[:-1])]).astype(np.int64)


def in_order_of(records: Bags, order: Ints, found: Small) -> Small:
    """Map values of the occurrences of reordered records back to the original order."""
    lengths = np.diff(records.indptr)
    starts = records.indptr[:-1][order]
    within = np.arange(len(found)) - np.repeat(np.cumsum(lengths[order]) - lengths[order], lengths[order])
    out = np.empty_like(found)
    out[np.repeat(starts, lengths[order]) + within] = found
    return out


def places_loss(places: Small, tree: Taxonomy) -> int:
    """Return the total loss of these published nodes, in units of the node loss."""
    return int(np.where(places >= 0, tree.unit_losses[places], tree.units).sum())
