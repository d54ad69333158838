"""k^m-anonymity by local recoding: an item may be published as itself in one record and as a category in another.

Guarantee: at least k people have every set of up to m published items; `privacy/km_anonymity.py` proves that this is enough for local
recodings too. There are two searches. From above: items are generalized globally as by AA, unnecessary generalizations are undone, and
single occurrences are then published as children of their node if that makes no set rare. From below: items are published as typed if that
makes no set rare, the others as their parents if that does not, and so on upwards; this is done twice, once starting with the items that
suppression alone would publish everywhere. The first loses less if categories are informative, the second keeps far more words as typed.
Both run at the same time if there are two threads.

Developed for shoal; the guarantee is that of Terrovitis, Mamoulis and Kalnis (VLDB'08). Time: that of counting the sets of up to m items, a
few dozen times.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.data.bags import Bags, Small
from shoal.data.taxonomy import Taxonomy
from shoal.itemsets.local_recoding import LOSS, WORDS, local_recoding
from shoal.methods.bases.km import KnownItemsMethod
from shoal.parameters import param


@dataclass(frozen=True)
class Km(KnownItemsMethod):
    """Generalizes each occurrence as little as possible such that every set of up to m published items is shared by at least k people."""

    name = "km"
    paper = "local recoding for the guarantee of Terrovitis, Mamoulis and Kalnis, VLDB 2008"
    worth_comparing = True
    one_recoding = False

    aim: str = param(LOSS, choices=(LOSS, WORDS), help="what to optimize: least loss, or most original items")

    @property
    def published_from_below(self) -> int | None:
        """The size of itemsets that decide, from below: up to m if words count; the search from above visits all nodes in sequence."""
        return self.m if self.aim == WORDS else None

    def places(self, records: Bags, taxonomy: Taxonomy) -> Small:
        """Return the best result of all searches by loss, or of those from below by words."""
        return local_recoding(records, taxonomy, self.k, self.m, self.aim)
