"""Partition, also known as LG: top-down local generalization.

He and Naughton, VLDB'09; thesis 2.6; its bag form LG(bag) from Liu and Wang, ICDM'10. All records start in one part, published as the root.
A part is split by specialising one node of its cut: records that touch the same children of that node stay together. Parts too small are
merged and, if need be, filled up with records that lose least by it. What cannot be split further is published as its cut.

Guarantee: every published record is shared by at least k people. Time: O(records * height * items) in practice.

Choices the papers leave open: a part is split on the node whose information gain is largest after balancing, in NCP where the node loss
is LM and in the node loss otherwise, and all nodes are tried before it is given up; small parts follow a few splits to their end and
keep the best (`tries=1`: none of that); a best split on which all records agree rules nothing out and is taken at once; among records
that lose the same by being put aside the shortest goes; what was put aside is split further on other nodes (`leftover="split"`) or
published as it is (`leftover="keep"`); an item that is an inner node is its own child in the split.

Beyond the papers: `publish_as="lcg"` gives each group's least common generalization, which never loses more; `publish_as="words"`, the
default, lets members change groups first where the groups then share more words. The papers' forms are `set` and `bag`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal import _kernels
from shoal.data.bags import Bags, Ints
from shoal.data.claims import Model
from shoal.data.taxonomy import Taxonomy
from shoal.engines.local_engine import LocalEngine
from shoal.methods.bases.group_search import TRIES, Groups, GroupSearch, Search, top_down
from shoal.methods.bases.grouping import GroupingMethod, content_order
from shoal.parameters import param
from shoal.privacy.k_anonymity import KAnonymity
from shoal.taxonomy.tree_counts import meet, tree_counts

WORD_WORTH = 4  # a shared word counts as much as this many losses of one
EXCHANGES = _kernels.RefineOptions(neighbours=8, depth=3, together=6, worst=0, worth=0)
ROUNDS = 2


@dataclass(frozen=True)
class Partition(GroupingMethod):
    """Splits records top-down along the taxonomy; publishes least common generalizations, or local generalizations (LG) as sets or bags."""

    name = "partition"
    paper = "He and Naughton, VLDB 2009"
    worth_comparing = True

    k: int = param(5, minimum=2, help="minimum number of people per published record")
    publish_as: str = param(
        "words",
        choices=("words", "lcg", "bag", "set"),
        help="each group's LCG (words: after exchanging members to keep more items), or the cut with counts (bag) or without (set)",
    )
    tries: int = param(TRIES, minimum=1, help="number of splits to evaluate completely for a small part; 1 takes the greedy choice")
    outliers: float = param(0.0, minimum=0, maximum=1, help="largest share of records to suppress as outliers")
    leftover: str = param(
        "split", choices=("split", "keep"), help="whether to split the records set aside by balancing, or keep them together"
    )

    def claims(self) -> tuple[Model, ...]:
        """Claim transactional k-anonymity."""
        return (KAnonymity(k=self.k),)

    def form_groups(self, bags: Bags, taxonomy: Taxonomy) -> tuple[Ints, Bags]:
        """Return the parts that cannot be split further, each published as its cut or as its least common generalization."""
        groups, rows = top_down(bags, taxonomy, self.k, self.tries, self.leftover == "split")
        if self.publish_as == "words":
            groups = self._exchanged(bags, taxonomy, groups)
        if self.publish_as in {"words", "lcg"}:
            return groups, meet(bags, taxonomy, groups)
        cuts = Bags(rows[0], rows[1], rows[2], np.arange(len(rows[0]) - 1, dtype=np.int64), taxonomy.names)
        return groups, cuts if self.publish_as == "bag" else cuts.as_sets()

    def _exchanged(self, bags: Bags, taxonomy: Taxonomy, groups: Ints) -> Ints:
        """Return the groups after exchanging members where that keeps more words, then where it loses less."""
        order = content_order(bags)
        sorted_bags, labels = bags.select(order), groups[order]
        search = Search(k=self.k, block=0, grow=_kernels.GrowOptions(candidates=1), refine=EXCHANGES, refine_block=2048, rounds=ROUNDS)
        counts = tree_counts(sorted_bags, taxonomy, WORD_WORTH)
        found = GroupSearch(counts, sorted_bags.owners, bags.owners_repeat, search, LocalEngine("exchanging")).refined(
            Groups.labelled(labels)
        )
        exchanged = np.empty(len(bags), np.int64)
        exchanged[order[found.members]] = found.labels
        return exchanged
