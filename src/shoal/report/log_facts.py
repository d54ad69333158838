"""Facts about published rows of a log: how many different queries there are, how often they stand there, which are the most frequent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from shoal.data.original_rows import LogOriginal
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.report.bins import tally
from shoal.report.facts import Facts, QueryFacts
from shoal.report.verdicts import promised_group

MOST_QUERIES = 10


def facts_of_log(manifest: Mapping[str, Any], release: Release, original: LogOriginal) -> Facts:
    """The facts of rows that were published for this log."""
    (table,) = release.tables.values()
    assert isinstance(table, RowTable)
    if not table.has_unit:
        return Facts(manifest=manifest, published=release.n_rows)
    queries = query_facts(table, original, promised_group(manifest.get("claims", [])))
    return Facts(manifest=manifest, published=release.n_rows, parts=("queries",), queries=queries)


def query_facts(table: RowTable, original: LogOriginal, promised: int | None) -> QueryFacts:
    """The facts of published rows of this log; `promised` is the number of rows below which no query may lie."""
    rows = (
        table.frame.group_by(pl.col(table.unit).alias("query")).agg(n=pl.len().cast(pl.Int64)).sort("n", "query", descending=[True, False])
    )
    return QueryFacts(
        before=int((original.log.texts.vocabulary.names != "").sum()),
        after=len(rows),
        sizes=tally(rows["n"].to_numpy(), cut=promised),
        frequent=tuple(rows.head(MOST_QUERIES).iter_rows()),
    )
