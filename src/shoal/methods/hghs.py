"""HgHs, heuristic generalization with heuristic suppression (Liu and Wang, PAKDD'10): top-down over cuts, with suppression.

Guarantee: at least k people have every set of up to m published items. One recoding for all records: an item is published as one node
everywhere, or suppressed everywhere. m may be as large as the longest record, or larger.

The search starts with the root and repeatedly makes the split of a node into its children that reduces the loss most. If a split makes sets
rare, nodes that remove most of them for their cost are suppressed, as long as the split still gains. A suppressed item loses as much as the
root. Beyond the paper: a suppressed node is published again once that makes no set rare.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.data.bags import Bags, Small
from shoal.data.taxonomy import Taxonomy
from shoal.itemsets.km_recoding import RecodingSteps, recoded_places
from shoal.methods.bases.km import KnownItemsMethod


@dataclass(frozen=True)
class HgHs(KnownItemsMethod):
    """Specializes items from the root down and suppresses the few that prevent further specialization."""

    name = "hghs"
    paper = "Liu and Wang, PAKDD 2010"

    def places(self, records: Bags, taxonomy: Taxonomy) -> Small:
        """Split nodes from the root down, suppressing where that costs less."""
        return recoded_places(records, taxonomy, self.k, self.m, RecodingSteps("root", undo=True, suppress=True))
