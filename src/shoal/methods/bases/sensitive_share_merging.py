"""Merges groups until no sensitive item is shared by too many of the people behind one published record.

Records that are published identically form a class. A class in which too many people have the same item is merged with the class that
restores the limit at the least loss. Each round leaves fewer classes, and the share among all records is that among all people; so it ends
with a valid result if there is one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.data.bags import Bags, Ints
from shoal.data.taxonomy import Taxonomy
from shoal.errors import Infeasible
from shoal.itemsets.sensitive_nodes import SensitiveHoldings
from shoal.methods.bases.release_builder import within_floor
from shoal.taxonomy.tree_counts import TreeCounts, meet, tree_counts
from shoal.util.wording import percent

if TYPE_CHECKING:
    import scipy.sparse as sp

Mask = npt.NDArray[np.bool_]
Merge = Callable[[TreeCounts, Ints, "Shares", Ints, Mask], Ints]
"""Merges groups: their tree counts, records, shares, excess of holders, and which are withheld; gives a new label for each group."""

RARE = 20  # an item of fewer people is not named in a message
MOST_SCORED = 512  # groups that are scored exactly as partners of one group, where there are more
WIDEST = 4096  # a node that more groups hold says little about which of them are near


@dataclass(frozen=True, eq=False)
class Shares:
    """The people of each group, and how many of them have each sensitive item (a sparse matrix, groups by items)."""

    people: Ints
    holders: sp.csc_array
    share: Fraction

    @classmethod
    def of(cls, groups: Ints, owners: Ints, held: SensitiveHoldings, share: Fraction) -> Shares:
        """Count: a person with several records in a group counts once, with the items of all of them."""
        import scipy.sparse as sp

        n = int(groups.max(initial=-1)) + 1
        members = pl.DataFrame({"group": groups, "owner": owners})
        holding = members[held.records].with_columns(item=held.items).unique()
        where = holding["group"].to_numpy(), holding["item"].to_numpy()
        counted = sp.coo_array((np.ones(len(holding), np.int64), where), shape=(n, len(held.names))).tocsc()
        return cls(np.bincount(members.unique()["group"].to_numpy(), minlength=n), counted, share)

    def allowed(self, people: Ints) -> Ints:
        """Return how many of this many people may have an item."""
        sizes, place = np.unique(people, return_inverse=True)
        return np.array([int(self.share * int(n)) for n in sizes], np.int64)[place]

    def excess(self) -> Ints:
        """Return by how many people each group's most frequent item exceeds the limit; 0 or less if it does not."""
        most = self.holders.max(axis=1).toarray().ravel()
        return np.asarray(most - self.allowed(self.people), np.int64)

    def excess_with(self, group: int, others: Ints) -> Ints:
        """Return the excess of the group's items after merging it with each of the others, assuming disjoint people."""
        items = np.flatnonzero(self.holders[[group], :].toarray()[0])
        own = self.holders[[group], :].toarray()[0][items]
        most = (self.holders[:, items].toarray()[others] + own).max(axis=1)
        return np.asarray(most - self.allowed(self.people[others] + self.people[group]), np.int64)


def refuse_frequent(held: SensitiveHoldings, owners: Ints, share: Fraction) -> None:
    """Raise if more than the share of all people have an item: no grouping can hide it."""
    everybody = Shares.of(np.zeros(len(owners), np.int64), owners, held, share)
    people, holders = int(everybody.people[0]), everybody.holders.toarray()[0]
    worst = int(np.argmax(holders))
    if holders[worst] <= everybody.allowed(everybody.people)[0]:
        return
    part = Fraction(int(holders[worst]), people)
    item = repr(held.names[worst]) if holders[worst] >= RARE else f"number {worst + 1:,} of {len(holders):,} by name"
    enough = -(-part.numerator * 10_000 // part.denominator) / 10_000
    raise Infeasible(
        f"infeasible because the sensitive item {item} belongs to {percent(float(part), 2)} of all people, more than h = {float(share):g}",
        code="sensitive-item-too-frequent",
        hint=f"with these sensitive items a release exists for h of {enough:g} or more",
        value=float(part),
        limit=float(share),
    )


def within_share(bags: Bags, taxonomy: Taxonomy, groups: Ints, held: SensitiveHoldings, share: Fraction) -> tuple[Ints, Bags]:
    """Merge groups as needed, and return them with the least common generalization of their records.

    Under a floor, nodes above it are left out, because groups that differ only in these are published identically. Groups that then publish
    nothing are suppressed, so nothing is inferred from them. If merging leaves nothing to publish, the groups with too many holders are
    merged with one another and with those that are suppressed, and the others stay unchanged.
    """
    found, published = _merged_until_right(bags, taxonomy, groups, held, share, _merged)
    if taxonomy.barred is not None and not published.lengths.any():
        found, published = _merged_until_right(bags, taxonomy, groups, held, share, _merged_excess)
    return found, published


def _merged_until_right(
    bags: Bags, taxonomy: Taxonomy, groups: Ints, held: SensitiveHoldings, share: Fraction, merge: Merge
) -> tuple[Ints, Bags]:
    while True:
        published = within_floor(meet(bags, taxonomy, groups), taxonomy)
        alike = published.identical()
        groups = alike[groups]
        published = published.select(np.unique(alike, return_index=True)[1])
        shares = Shares.of(groups, bags.owners, held, share)
        withheld = (published.lengths == 0) & (taxonomy.barred is not None)
        excess = np.where(withheld, 0, shares.excess())
        if (excess <= 0).all():
            return groups, published
        groups = merge(tree_counts(published, taxonomy), np.bincount(groups), shares, excess, withheld)[groups]


def _merged_excess(counts: TreeCounts, records: Ints, shares: Shares, excess: Ints, withheld: Mask) -> Ints:
    """Return a new label for each group: all with too many holders become one, together with suppressed ones, if any."""
    together = (excess > 0) | withheld
    if together.sum() < 2:
        return _merged(counts, records, shares, excess, withheld)
    target = np.where(together, np.flatnonzero(together)[0], np.arange(len(records)))
    return np.unique(target, return_inverse=True)[1].astype(np.int64)


def _merged(counts: TreeCounts, records: Ints, shares: Shares, excess: Ints, withheld: Mask) -> Ints:
    """Return a new label for each group: those with too many holders first, each merged with the best group still free in this round."""
    choice = _Choice(counts, records, shares)
    calm, free = excess <= 0, np.ones(len(records), bool)
    target = np.arange(len(records))
    for group in np.argsort(-excess, kind="stable")[: int((~calm).sum())].tolist():
        if free[group]:
            free[group] = False
            partner = choice.partner(group, free, calm)
            target[partner], free[partner] = group, False
    return np.unique(target, return_inverse=True)[1].astype(np.int64)


class _Choice:
    """Finds the group with which another one is merged."""

    def __init__(self, counts: TreeCounts, records: Ints, shares: Shares) -> None:
        self._counts, self._records, self._shares = counts, records, shares
        every = np.arange(len(records))
        self._kept = records * counts.min_sums(every, every)  # what each group still tells, in units
        by_node = np.argsort(counts.nodes, kind="stable")
        self._groups = np.repeat(every, np.diff(counts.indptr))[by_node]
        self._start = np.searchsorted(counts.nodes[by_node], np.arange(len(counts.weights) + 1))

    def partner(self, group: int, free: Mask, calm: Mask) -> int:
        """Return the group with the smallest excess after merging, at the least loss; preferably one within the limit. The group itself if
        no other is free.
        """
        pool = np.flatnonzero(free & calm) if (free & calm).any() else np.flatnonzero(free)
        if not len(pool):
            return group
        over = np.maximum(self._shares.excess_with(group, pool), 0)
        others = self._near(group, pool[over == over.min()])
        both = self._counts.min_sums(np.full(len(others), group), others)
        lost = self._kept[group] + self._kept[others] - (self._records[group] + self._records[others]) * both
        return int(others[np.argmin(lost)])

    def _near(self, group: int, others: Ints) -> Ints:
        """Return the others that have most in common with the group, by the weights of common nodes that not too many groups have."""
        if len(others) <= MOST_SCORED:
            return others
        nodes = self._counts.nodes[self._counts.indptr[group] : self._counts.indptr[group + 1]]
        common = np.zeros(len(self._records), np.int64)
        for node in nodes[self._start[nodes + 1] - self._start[nodes] <= WIDEST]:
            common[self._groups[self._start[node] : self._start[node + 1]]] += self._counts.weights[node]
        return np.sort(others[np.argsort(-common[others], kind="stable")[:MOST_SCORED]])
