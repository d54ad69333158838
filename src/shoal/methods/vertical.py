"""VPA, vertical partitioning anonymization (Terrovitis, Mamoulis and Kalnis, VLDB Journal 2011): AA on parts of the items first.

Guarantee: at least k people have every set of up to m published items. One recoding for all records.

The items below each branch of the taxonomy's top form a part. AA runs on the records reduced to one part at a time, so that it counts fewer
sets; a final run of AA over all records, as generalized so far, finds the rare sets across parts. Time: less than that of AA if records
have items of many branches.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.bags import Bags, Ints, Small
from shoal.data.taxonomy import Taxonomy
from shoal.itemsets.km_recoding import RecodingSteps, recoded_places
from shoal.methods.bases.km import KnownItemsMethod, published_sets
from shoal.util.numbers import distinct

AA = RecodingSteps("by size")


@dataclass(frozen=True)
class Vertical(KnownItemsMethod):
    """Generalizes the items of each branch of the taxonomy separately, then sets across branches that are still rare."""

    name = "vertical"
    paper = "Terrovitis, Mamoulis and Kalnis, VLDB Journal 2011"

    def places(self, records: Bags, taxonomy: Taxonomy) -> Small:
        """Run AA on each branch, then on all of them together."""
        within = records.items.copy()
        for branch in branches(taxonomy):
            chosen = np.flatnonzero((records.items >= branch) & (records.items < taxonomy.end[branch]))
            within[chosen] = self._within_branch(records, chosen, branch, taxonomy)
        return self._across(records, within, taxonomy)

    def _within_branch(self, records: Bags, chosen: Ints, branch: int, taxonomy: Taxonomy) -> Small:
        """Return the records reduced to these occurrences. If fewer than k people have items of the branch, all of it becomes one node."""
        record = np.searchsorted(records.indptr, chosen, side="right") - 1
        held = distinct(record)
        if len(distinct(records.owners[held])) < self.k:
            return np.full(len(chosen), branch, np.int32)
        indptr = np.concatenate([np.searchsorted(record, held), [len(record)]])
        reduced = Bags(
            indptr.astype(np.int64), records.items[chosen], np.ones(len(chosen), np.int32), records.owners[held], records.vocabulary
        )
        return recoded_places(reduced, taxonomy, self.k, self.m, AA)

    def _across(self, records: Bags, within: Small, taxonomy: Taxonomy) -> Small:
        """Run AA over the results of the branches: a node of the first step is an item of the second."""
        met = published_sets(records, within)
        held = np.flatnonzero(met.lengths > 0)
        node_of = np.full(len(taxonomy) + 1, -1, np.int32)  # the last one represents what is suppressed already
        if len(held):
            node_of[met.items] = recoded_places(met.select(held), taxonomy, self.k, self.m, AA)
        return node_of[within]


def branches(taxonomy: Taxonomy) -> Ints:
    """Return the children of the first node below which the taxonomy branches."""
    top = taxonomy.children(0)
    while len(top) == 1:
        top = taxonomy.children(int(top[0]))
    return top
