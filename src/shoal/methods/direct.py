"""DA, direct anonymization (Terrovitis, Mamoulis and Kalnis, VLDB'08): like AA, but with sets of all sizes treated together.

Guarantee: at least k people have every set of up to m published items. One recoding for all records. It counts sets of m items over items
that AA would already have generalized, so it is slower, and usually loses no less. As with AA, passes are repeated until no rare set is
left.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.data.bags import Bags, Small
from shoal.data.taxonomy import Taxonomy
from shoal.itemsets.km_recoding import RecodingSteps, recoded_places
from shoal.methods.bases.km import KnownItemsMethod


@dataclass(frozen=True)
class Direct(KnownItemsMethod):
    """Generalizes items globally until every set of up to m of them is held by at least k people; sets of all sizes at once."""

    name = "direct"
    paper = "Terrovitis, Mamoulis and Kalnis, VLDB 2008"

    def places(self, records: Bags, taxonomy: Taxonomy) -> Small:
        """Generalize rare sets of all sizes."""
        return recoded_places(records, taxonomy, self.k, self.m, RecodingSteps("at once"))
