"""Groups by top-down splitting along the taxonomy (He and Naughton, VLDB'09): what the methods that split, or start from splits, share."""

from __future__ import annotations

from shoal import _kernels
from shoal.data.bags import Bags, Ints, Small
from shoal.data.taxonomy import Taxonomy
from shoal.methods.bases.grouping import content_order, run_grouping

TRIES = 3  # splits that a small part follows to their end


def top_down(
    bags: Bags, taxonomy: Taxonomy, k: int, tries: int = TRIES, split_leftover: bool = True
) -> tuple[Ints, tuple[Ints, Small, Small]]:
    """The part of each record once no part of k people can be split further, and the rows of the parts' cuts."""
    options = _kernels.PartitionOptions(k=k, tries=tries, recurse_leftover=split_leftover, owners_repeat=bags.owners_repeat)
    parts, rows = run_grouping(
        _kernels.partition,
        bags.view,
        taxonomy.view,
        taxonomy.charges,
        content_order(bags),
        bags.owners,
        options,
        k=k,
        label="partitioning",
    )
    return parts, rows
