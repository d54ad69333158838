"""MDAV: microaggregation of rows of numbers (Domingo-Ferrer and Torra, Data Mining and Knowledge Discovery 11, 2005).

Rows are grouped around those that lie farthest out, on standardised values and with Euclid's distance; each group has at least k owners.
Guarantee: k-anonymity on the quasi-identifiers, since all of them are aggregated together. O(n^2 / k) distances at most.

Deviation: ties are resolved by content, not by arrival, so that the order of rows does not matter; and a group takes one row of an owner,
so that k rows are k people. Where owners repeat, each row left with fewer than k owners joins the group with the nearest centroid.
"""

from __future__ import annotations

import numpy as np

from shoal import _kernels, kernels
from shoal.data.dispersion import standardised
from shoal.data.table import Ints, Table
from shoal.errors import Infeasible


def mdav_groups(table: Table, k: int) -> Ints:
    """The group of each row, numbered from 0 without gaps; every group holds rows of at least k owners."""
    if table.n_owners < k:
        raise Infeasible(f"groups of {k:,} need as many owners, and there are only {table.n_owners:,}", k=k, owners=table.n_owners)
    order = table.content_order()
    owners = np.unique(table.owners[order], return_inverse=True)[1].astype(np.int64)
    found = kernels.run(_kernels.mdav, standardised(table.numbers)[order], owners, k, kernels.threads(), label="grouping")
    group = np.empty(len(table), np.int64)
    group[order] = found
    return group
