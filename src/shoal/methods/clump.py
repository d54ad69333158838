"""Clump: clusters records by the loss of their least common generalization.

Milani Fard and Wang, SECRYPT'10, and the thesis of 2010, chapters 4 and 5. Records are sorted by decreasing length; every k-th of them
starts a cluster; each other record joins the cheapest of the first r clusters that still need members; the rest goes to the cheapest
clusters.

Guarantee: every published record is shared by at least k people. Time: O(records * r * items * height), on sparse tree counts.

Deviations from the paper: the least common generalization is the exact meet (the printed BUIG drops residuals and duplicates); the default
criterion is the *increase* of distortion (the printed total attracts records to the emptiest cluster, whatever its content); ties in length
are broken by content, so that the result does not depend on the input order. `lcg="printed"`, `criterion="total"` and `ties="given"`
restore the printed algorithm: each record is generalized by BUIG together with the current generalization of its cluster (Lemma 4.1.1).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal import _kernels
from shoal.data.bags import Bags, Ints
from shoal.data.claims import Model
from shoal.data.taxonomy import Taxonomy
from shoal.methods.bases.grouping import GroupingMethod, content_order, run_grouping
from shoal.parameters import param
from shoal.privacy.k_anonymity import KAnonymity
from shoal.taxonomy.tree_counts import TreeCounts, meet, tree_counts


@dataclass(frozen=True)
class Clump(GroupingMethod):
    """Clusters similar records and publishes each cluster's least common generalization."""

    name = "clump"
    paper = "Milani Fard and Wang, SECRYPT 2010"

    k: int = param(5, minimum=2, help="minimum number of people per published record")
    r: int = param(10, minimum=1, help="number of open clusters to try for each record")
    r_by: str = param(
        "order",
        choices=("order", "length"),
        help="which open clusters to try: the first in order, or those whose generalization is nearest to the record in length",
    )
    criterion: str = param(
        "increase",
        choices=("increase", "total"),
        help="what to minimize when a record joins a cluster: the increase in loss, or the total loss",
    )
    order: str = param(
        "descending", choices=("descending", "ascending", "random"), help="order of record lengths in which records are assigned"
    )
    ties: str = param("content", choices=("content", "given"), help="order of records of equal length: by content, or as in the input")
    lcg: str = param("exact", choices=("exact", "printed"), help="generalization of a cluster: exact, or by the printed procedure BUIG")
    outliers: float = param(0.0, minimum=0, maximum=1, help="largest share of records to suppress as outliers")
    distinct: bool = param(False, help="remove duplicate items from published records (Clump2)")
    seed: int = param(0, minimum=0, help="random seed for order=random")

    @property
    def works_in_ranges(self) -> bool:
        """Whether groups may be formed range by range: clusters of one range are k-anonymous by themselves, but the input order is that of
        one machine.
        """
        return self.ties == "content"

    def claims(self) -> tuple[Model, ...]:
        """Claim transactional k-anonymity."""
        return (KAnonymity(k=self.k),)

    def form_groups(self, bags: Bags, taxonomy: Taxonomy) -> tuple[Ints, Bags]:
        """Run Clump's three steps on tree counts; each group is published as its least common generalization."""
        counts, order = tree_counts(bags, taxonomy), self._assignment_order(bags)
        if self.lcg == "printed":
            groups, published = self._printed(bags, taxonomy, counts, order)
        else:
            groups = _numbered(self._run(_kernels.clump, counts.scored(bags.owners, self.k, bags.owners_repeat), order))[0]
            published = meet(bags, taxonomy, groups)
        return groups, published.as_sets() if self.distinct else published

    def _printed(self, bags: Bags, taxonomy: Taxonomy, counts: TreeCounts, order: Ints) -> tuple[Ints, Bags]:
        """Return the groups and what BUIG makes of each, one record after the other."""
        records = counts.scored(bags.owners, self.k, bags.owners_repeat)
        clusters, rows = self._run(_kernels.clump_printed, records, bags.view, taxonomy.view, order)
        groups, used = _numbered(clusters)
        indptr, nodes, copies = rows
        published = Bags(indptr, nodes, copies, np.arange(len(indptr) - 1, dtype=np.int64), taxonomy.names).select(used)
        return groups, published

    def _run(self, kernel: Callable[..., Any], *data: Any) -> Any:
        options = _kernels.ClumpOptions(r=self.r, total=self.criterion == "total", by_length=self.r_by == "length")
        return run_grouping(kernel, *data, options, k=self.k, label="clustering")

    def _assignment_order(self, bags: Bags) -> Ints:
        by_content = np.arange(len(bags)) if self.ties == "given" else content_order(bags)
        if self.order == "random":
            return np.random.default_rng(self.seed).permutation(by_content).astype(np.int64)
        sign = -1 if self.order == "descending" else 1
        return by_content[np.argsort(sign * bags.lengths[by_content], kind="stable")].astype(np.int64)


def _numbered(clusters: Ints) -> tuple[Ints, Ints]:
    """Return the group of each record, numbered from 0 without gaps, and the cluster that each group was."""
    used, groups = np.unique(clusters, return_inverse=True)
    return groups.astype(np.int64), used
