"""Partition, also known as LG: top-down local generalization.

He and Naughton, VLDB'09; thesis 2.6; its bag form LG(bag) from Liu and Wang, ICDM'10. All records start in one part, published as the root.
A part is split by specialising one node of its cut: records that touch the same children of that node stay together. Parts too small are
merged and, if need be, filled up with records that lose least by it. What cannot be split further is published as its cut.

Guarantee: every published record is shared by at least k people. Time: O(records * height * items) in practice.

Choices the papers leave open: a part is split on the node whose information gain in NCP is largest after balancing, and all nodes are tried
before it is given up; small parts follow a few splits to their end and keep the best (`tries=1`: none of that); a best split
on which all records agree rules nothing out and is taken at once; among records that lose the same by
being put aside the shortest goes; what was put aside is split further on other nodes (`leftover="split"`) or published as it is
(`leftover="keep"`); an item that is an inner node is its own child in the split.
`publish_as="lcg"` gives each group's least common generalization, which never loses more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal import _kernels
from shoal.data.bags import Bags, Ints
from shoal.methods.grouping import GroupingMethod, content_order, run_grouping
from shoal.parameters import param
from shoal.privacy import Model
from shoal.privacy.k_anonymity import KAnonymity
from shoal.taxonomy.counts import meet
from shoal.taxonomy.tree import Taxonomy


@dataclass(frozen=True)
class Partition(GroupingMethod):
    """Top-down splitting along the taxonomy; publishes cuts as sets (LG), as bags, or the groups' least common generalizations."""

    name = "partition"
    paper = "He and Naughton, VLDB 2009"

    k: int = param(5, minimum=2, help="distinct people per published record")
    publish_as: str = param("set", choices=("set", "bag", "lcg"), help="cut nodes once, with multiplicities, or the group's LCG")
    tries: int = param(3, minimum=1, help="splits a small part follows to their end; 1 takes the one that gains most at once")
    leftover: str = param("split", choices=("split", "keep"), help="what becomes of records that balancing put aside")

    def claims(self) -> tuple[Model, ...]:
        """Transactional k-anonymity."""
        return (KAnonymity(k=self.k),)

    def form_groups(self, bags: Bags, taxonomy: Taxonomy) -> tuple[Ints, Bags]:
        """The parts that cannot be split further, each published as its cut or as its least common generalization."""
        options = _kernels.PartitionOptions(
            k=self.k, tries=self.tries, recurse_leftover=self.leftover == "split", owners_repeat=bags.owners_repeat
        )
        groups, rows = run_grouping(
            _kernels.partition,
            bags.view,
            taxonomy.view,
            taxonomy.leaves,
            content_order(bags),
            bags.owners,
            options,
            k=self.k,
            label="partitioning",
        )
        if self.publish_as == "lcg":
            return groups, meet(bags, taxonomy, groups)
        cuts = Bags(rows[0], rows[1], rows[2], np.arange(len(rows[0]) - 1, dtype=np.int64), taxonomy.names)
        return groups, cuts if self.publish_as == "bag" else cuts.as_sets()
