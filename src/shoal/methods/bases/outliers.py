"""Withholding a few records that spoil their groups, up to a share of all; what ARX users know as the suppression limit.

A group's published record tells only what all its members share, so one member may cost the others much. The members whose leaving lets
the rest of their group keep most are withheld, and groups are formed again without them. This is kept only if everything together then
keeps more, withheld records counting as fully suppressed; otherwise half as many are tried, and so on, at last none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from shoal import _kernels, kernels
from shoal.data.bags import Bags, Ints
from shoal.data.taxonomy import Taxonomy
from shoal.errors import Infeasible
from shoal.itemsets.itemset_support import exact

TRIES = 3  # numbers of outliers that are tried, each half of the one before
LARGEST = 256  # members of a group, beyond which one of them hardly spoils it

Form = Callable[[Bags, Taxonomy], tuple[Ints, Bags]]


@dataclass(frozen=True, eq=False)
class Grouped:
    """The group of each record, -1 where it is withheld, and the published record of each group."""

    groups: Ints
    published: Bags

    @property
    def outliers(self) -> Ints:
        """The records that are withheld."""
        return np.flatnonzero(self.groups < 0)

    def kept(self, taxonomy: Taxonomy) -> int:
        """What all published records together keep, in units of the node loss."""
        rows = self.published
        worth = (taxonomy.units - taxonomy.unit_losses[rows.items]) * rows.counts
        copies = np.bincount(self.groups[self.groups >= 0], minlength=len(rows))
        return int((worth * np.repeat(copies, np.diff(rows.indptr))).sum())


def grouped(form: Form, records: Bags, taxonomy: Taxonomy, share: float) -> Grouped:
    """Groups of the records without at most this share of them, and of their owners; never worse than with all of them."""
    best = Grouped(*form(records, taxonomy))
    allowed = int(exact(share) * len(records)), int(exact(share) * records.n_owners)
    if min(allowed) == 0:
        return best
    spoilers = _spoilers(best.groups, records, taxonomy)
    spoilers = spoilers[_first_owners(records.owners[spoilers], allowed[1])][: allowed[0]]
    for without in _halves(spoilers):
        found = _formed_without(without, form, records, taxonomy)
        if found is not None and found.kept(taxonomy) > best.kept(taxonomy):
            best = found
    return best


def _halves(spoilers: Ints) -> Iterator[Ints]:
    for _ in range(TRIES):
        if len(spoilers):
            yield spoilers
        spoilers = spoilers[: len(spoilers) // 2]


def _formed_without(outliers: Ints, form: Form, records: Bags, taxonomy: Taxonomy) -> Grouped | None:
    """The groups of all others; None if no groups can be formed of them."""
    rest = np.setdiff1d(np.arange(len(records)), outliers)
    try:
        labels, published = form(records.select(rest), taxonomy)
    except Infeasible:
        return None
    groups = np.full(len(records), -1, np.int64)
    groups[rest] = labels
    return Grouped(groups, published)


def _spoilers(groups: Ints, records: Bags, taxonomy: Taxonomy) -> Ints:
    """Records without which the rest of their group keeps more than all of it keeps with them, those that cost most first."""
    order = records.content_order(records.owner_ranks())
    members = order[np.argsort(groups[order], kind="stable")]
    sizes = np.bincount(groups)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    few = np.flatnonzero((sizes > 1) & (sizes <= LARGEST))
    with_all = _values([members[starts[g] : starts[g + 1]] for g in few], records, taxonomy)
    candidates = [members[starts[g] : starts[g + 1]] for g in few]
    without = _values([np.delete(group, i) for group in candidates for i in range(len(group))], records, taxonomy)
    size, together = np.repeat(sizes[few], sizes[few]), np.repeat(with_all, sizes[few])
    gain = (size - 1) * without - size * together
    record = np.concatenate([np.zeros(0, np.int64), *candidates])
    worth = np.lexsort((np.argsort(order)[record], -gain))
    return np.asarray(record[worth[gain[worth] > 0]], np.int64)


def _values(groups: list[Ints], records: Bags, taxonomy: Taxonomy) -> Ints:
    """What the least common generalization of each group keeps, in units."""
    starts = np.concatenate([[0], np.cumsum([len(group) for group in groups])]).astype(np.int64)
    members = np.concatenate([np.zeros(0, np.int64), *groups])
    rows = kernels.run(_kernels.meet_groups, records.view, taxonomy.view, starts, members, kernels.threads())
    worth = (taxonomy.units - taxonomy.unit_losses[rows[1]]) * rows[2]
    sums = np.concatenate([[0], np.cumsum(worth)])
    return np.asarray(sums[rows[0][1:]] - sums[rows[0][:-1]], np.int64)


def _first_owners(owners: Ints, most: int) -> Ints:
    """The indices of the records of the first n owners."""
    _, first = np.unique(owners, return_index=True)
    allowed = owners[np.sort(first)[:most]]
    return np.flatnonzero(np.isin(owners, allowed))
