"""Facts about published rows of a log: how many different queries there are, how often they stand there, which are the most frequent."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from shoal.data.original_rows import LogOriginal
from shoal.data.tables.rows import RowTable
from shoal.report.bins import Histogram, tally

MOST_QUERIES = 10


@dataclass(frozen=True)
class QueryFacts:
    """Queries (or items) of a log before and after, by the number of their published rows; `frequent` are the first by that number."""

    before: int
    after: int
    sizes: Histogram
    frequent: tuple[tuple[str, int], ...]


def query_facts(table: RowTable, original: LogOriginal, promised: int | None) -> QueryFacts:
    """The facts of published rows of this log; `promised` is the number of rows below which no query may lie."""
    rows = (
        table.frame.group_by(pl.col(table.unit).alias("query")).agg(n=pl.len().cast(pl.Int64)).sort("n", "query", descending=[True, False])
    )
    return QueryFacts(
        before=int((original.log.frame["payload"].unique() != "").sum()),
        after=len(rows),
        sizes=tally(rows["n"].to_numpy(), cut=promised),
        frequent=tuple(rows.head(MOST_QUERIES).iter_rows()),
    )
