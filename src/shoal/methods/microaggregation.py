"""Microaggregation: MDAV's groups, improved by local search on the exact sum of squares.

Developed for shoal. Groups are put into pools with their nearest neighbours. A pool descends by the best move of a row or swap of two;
later some of its groups are disbanded, or dissolved and grown again, before it descends. Only changes that reduce the SSE are kept, so the
loss is never above MDAV's, and more effort continues the search of less effort. Groups of attributes of several kinds, and groups too
large for a pool, exchange rows with near groups instead.

Guarantee: k-anonymity on the quasi-identifiers, because all of them are aggregated together. Time: MDAV's, plus time linear in the rows for
a given effort. The groups depend on content and seed alone, not on threads or the order of rows.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.data.bags import Ints
from shoal.data.column_list import ColumnNames
from shoal.data.table import Table
from shoal.methods.bases.microdata import TableMethod
from shoal.microaggregation.spaces import better_groups_of_table
from shoal.parameters import param


@dataclass(frozen=True)
class ImprovementRounds:
    """The number of rounds over all groups: `least`, and up to `most` within this total number of rows."""

    least: int
    most: int
    rows: int

    def rounds_for(self, rows: int) -> int:
        """Return the number of rounds for this many rows; more for small data."""
        return max(self.least, min(self.most, self.rows // max(1, rows)))


EFFORTS = {
    "fast": ImprovementRounds(least=4, most=4, rows=0),
    "balanced": ImprovementRounds(least=30, most=300, rows=300_000),
    "thorough": ImprovementRounds(least=200, most=3_000, rows=3_000_000),
}


@dataclass(frozen=True)
class Microaggregation(TableMethod):
    """Groups rows to minimize the squared distances to the centroids of their groups, and publishes the centroids."""

    name = "microaggregation"
    paper = "none (developed for shoal)"
    worth_comparing = True

    k: int = param(3, minimum=2, help="minimum number of people per published combination of values")
    effort: str = param("balanced", choices=tuple(EFFORTS), help="search effort: more effort takes longer and loses less")
    seed: int = param(0, minimum=0, help="random seed of the search; releases with other seeds are of similar quality")
    l: int | None = param(None, minimum=2, help="minimum number of different sensitive values per group")  # noqa: E741
    t: float | None = param(None, minimum=0, maximum=1, help="largest distance between the sensitive values of a group and of all rows")
    sensitive: ColumnNames | None = param(None, help="sensitive columns, which are published unchanged, for l and t")
    most: int | None = param(None, minimum=2, help="largest number of rows per published combination of values")
    apart: bool = param(False, help="never publish two rows of one user, such as a household, with the same combination of values")

    def grouped(self, table: Table) -> Ints:
        """Run MDAV, then the rounds of local search for the effort."""
        return better_groups_of_table(table, self.k, EFFORTS[self.effort].rounds_for(len(table)), self.seed)
