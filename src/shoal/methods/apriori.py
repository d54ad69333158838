"""AA and DA, Apriori and direct anonymization (Terrovitis, Mamoulis and Kalnis, VLDB'08): generalization until no small itemset is rare.

Guarantee: at least k people have every set of up to m published items. One recoding for all records: if an item is published as a node, so
is everything below that node, everywhere. With the recoding `full-domain` all items are published at one level of the taxonomy, and with
`sibling` items below a published node may keep names of their own (`itemsets/recoding_schemes.py`).

Sets of one item are treated first, then of two, up to m: every set of too few people is brought to k by the cheapest generalization of its
items. Deviations from the paper: each size is repeated until no rare set is left, because a set whose items were generalized in the
meantime may still be rare; and afterwards nodes are split into their children again if that leaves no rare set, because later steps often
make earlier ones unnecessary. Time: that of counting the sets of up to m items, a few times.

Direct anonymization treats sets of all sizes together. It counts sets of m items over items that AA would already have generalized, so it
is slower, and usually loses no less. As with AA, passes are repeated until no rare set is left.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.data.bags import Bags, Small
from shoal.data.taxonomy import Taxonomy
from shoal.itemsets.km_recoding import RecodingSteps, recoded_places
from shoal.itemsets.recoding_schemes import FULL_DOMAIN, SCHEMES, SIBLING, SUBTREE, level_places, sibling_places
from shoal.methods.bases.km import KnownItemsMethod
from shoal.parameters import param


@dataclass(frozen=True)
class Apriori(KnownItemsMethod):
    """Generalizes items globally until every set of up to m of them is shared by at least k people; smallest sets first."""

    name = "apriori"
    paper = "Terrovitis, Mamoulis and Kalnis, VLDB 2008"

    undo: bool = param(True, help="undo generalizations that turn out to be unnecessary")
    recoding: str = param(
        SUBTREE, choices=SCHEMES, help="what is generalized together: whole subtrees, all items to one level, or siblings"
    )

    def places(self, records: Bags, taxonomy: Taxonomy) -> Small:
        """Generalize rare sets by size; undo unnecessary generalizations."""
        if self.recoding == FULL_DOMAIN:
            return level_places(records, taxonomy, self.k, self.m)
        if self.recoding == SIBLING:
            return sibling_places(records, taxonomy, self.k, self.m, undo=self.undo)
        return recoded_places(records, taxonomy, self.k, self.m, RecodingSteps("by size", undo=self.undo))


@dataclass(frozen=True)
class Direct(KnownItemsMethod):
    """Generalizes items globally until every set of up to m of them is shared by at least k people; sets of all sizes at once."""

    name = "direct"
    paper = "Terrovitis, Mamoulis and Kalnis, VLDB 2008"

    def places(self, records: Bags, taxonomy: Taxonomy) -> Small:
        """Generalize rare sets of all sizes."""
        return recoded_places(records, taxonomy, self.k, self.m, RecodingSteps("at once"))
