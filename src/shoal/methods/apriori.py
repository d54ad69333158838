"""AA, Apriori anonymization (Terrovitis, Mamoulis and Kalnis, VLDB'08): items are generalized until no few of them single anybody out.

Guarantee: every set of up to m published items is held by at least k people. One recoding for all records: where an item is published as
a node, so is everything below that node, everywhere.

Sets of one item are treated first, then of two, up to m: every set that too few people hold is brought to k by the cheapest
generalization of its items. Where this deviates from the print, and why: each size is repeated until no rare set is left, because a set
whose items were generalized meanwhile may still be rare; and afterwards nodes are split into their children again wherever that leaves
no rare set, because later steps often make earlier ones needless. Time: that of counting the sets of up to m items, a few times.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.data.bags import Bags, Small
from shoal.data.taxonomy import Taxonomy
from shoal.itemsets.km_recoding import Steps, recoded_places
from shoal.methods.bases.km import KnownItemsMethod
from shoal.parameters import param


@dataclass(frozen=True)
class Apriori(KnownItemsMethod):
    """Generalizes items globally until every set of up to m of them is held by at least k people; smallest sets first."""

    name = "apriori"
    paper = "Terrovitis, Mamoulis and Kalnis, VLDB 2008"

    undo: bool = param(True, help="undo generalizations that turn out to be unnecessary")

    def places(self, records: Bags, taxonomy: Taxonomy) -> Small:
        """Generalize rare sets size by size; undo what was not needed."""
        return recoded_places(records, taxonomy, self.k, self.m, Steps("by size", undo=self.undo))
