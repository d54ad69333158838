"""MDAV: microaggregation of rows of numbers (Domingo-Ferrer and Torra, Data Mining and Knowledge Discovery 11, 2005).

Rows are grouped around the most distant ones, on standardized values with the Euclidean distance; each group has at least k users.
Guarantee: k-anonymity on the quasi-identifiers, because all of them are aggregated together. At most O(n^2 / k) distances.

Deviation: ties are broken by content, so that the input order does not matter; and a group takes one row per user, so that k rows are k
people. If users repeat, each leftover row joins the group with the nearest centroid.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.data.bags import Ints
from shoal.data.column_list import ColumnNames
from shoal.data.table import Table
from shoal.methods.bases.microdata import TableMethod
from shoal.microaggregation.spaces import groups_of_table
from shoal.parameters import param


@dataclass(frozen=True)
class MDAV(TableMethod):
    """Groups similar rows of numbers with MDAV and replaces each row by the mean of its group."""

    name = "mdav"
    paper = "Domingo-Ferrer and Torra, Data Mining and Knowledge Discovery 11(2), 2005"
    worth_comparing = True

    k: int = param(3, minimum=2, help="minimum number of people per published combination of values")
    l: int | None = param(None, minimum=2, help="minimum number of different sensitive values per group")  # noqa: E741
    t: float | None = param(None, minimum=0, maximum=1, help="largest distance between the sensitive values of a group and of all rows")
    sensitive: ColumnNames | None = param(None, help="sensitive columns, which are published unchanged, for l and t")
    most: int | None = param(None, minimum=2, help="largest number of rows per published combination of values")
    apart: bool = param(False, help="never publish two rows of one user, such as a household, with the same combination of values")

    def grouped(self, table: Table) -> Ints:
        """Group by MDAV."""
        return groups_of_table(table, self.k)
