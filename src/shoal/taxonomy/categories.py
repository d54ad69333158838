"""Records by categories: how often each category of a tree lies above their items, at every level, and how much two records coincide.

The coincidence of two records is the sum over all levels and categories of the smaller of the two counts: the same histogram intersection
that groups of the method shoal are scored by, with every category weighing one.
"""

from __future__ import annotations

import numpy as np

from shoal import _kernels, kernels
from shoal.data.bags import Bags
from shoal.data.taxonomy import Taxonomy
from shoal.taxonomy.tree_counts import TreeCounts


def category_counts(bags: Bags, taxonomy: Taxonomy, levels: int | None = None) -> TreeCounts:
    """Counts of all categories below the root, down to this level (the children of the root are on level 1); deeper items count there."""
    depth = taxonomy.depth
    counted = (depth >= 1) & (depth <= (levels or int(depth.max(initial=1))))
    up = np.where(taxonomy.parent > 0, taxonomy.parent, -1).astype(np.int32)
    first = np.arange(len(taxonomy), dtype=np.int32)
    for node in range(1, len(taxonomy)):  # parents come before their children
        if not counted[node]:
            first[node] = first[up[node]]
    first[0] = -1
    indptr, nodes, counts = kernels.run(
        _kernels.tree_counts, bags.view, up, taxonomy.end, first, kernels.threads(), label="counting categories"
    )
    return TreeCounts(indptr, nodes, counts, bags.lengths, counted.astype(np.int64), 1)
