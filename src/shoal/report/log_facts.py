"""Facts about published rows of a log: how many different queries there are, how often they stand there, which are the most frequent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from shoal.data.original_rows import LogOriginal
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.report.facts import FEWEST_PEOPLE, Facts, QueryFacts, fewest_people
from shoal.report.histograms import compare_shared
from shoal.report.lacking import lack_of

MOST_QUERIES = 10


def facts_of_log(manifest: Mapping[str, Any], release: Release, original: LogOriginal) -> Facts:
    """The facts of rows that were published for this log."""
    (table,) = release.tables.values()
    assert isinstance(table, RowTable)
    if not table.has_unit:
        return Facts(manifest=manifest, published=release.n_rows)
    fewest = fewest_people(manifest)
    queries = query_facts(table, original, fewest, unguaranteed=bool(lack_of(manifest)))
    return Facts(manifest=manifest, published=release.n_rows, parts=("queries",), queries=queries, fewest=fewest)


def query_facts(table: RowTable, original: LogOriginal, fewest: int, *, unguaranteed: bool = False) -> QueryFacts:
    """The facts of published rows of this log; a bar of the original counts queries of at least so many people, or of nobody.

    Where nothing is guaranteed, only queries that many people asked are named.
    """
    rows = (
        table.frame.select(pl.col(table.unit).alias("query"))
        .drop_nulls()
        .group_by("query")
        .agg(n=pl.len().cast(pl.Int64))
        .sort("n", "query", descending=[True, False])
    )
    asked = (
        original.log.frame.select("owner", "payload")
        .filter(pl.col("payload") != "")
        .with_columns(n=pl.len().cast(pl.Int64).over("payload"))
    )
    people = asked["owner"].rank("dense").cast(pl.Int64).to_numpy() - 1
    before = asked.unique("payload")["n"].to_numpy()
    return QueryFacts(
        before=len(before),
        after=len(rows),
        sizes=compare_shared(np.sort(before), (asked["n"].to_numpy(), people), rows["n"].to_numpy(), fewest),
        frequent=tuple((_common(rows, asked) if unguaranteed else rows).head(MOST_QUERIES).iter_rows()),
    )


def _common(rows: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """The published queries that many different people asked, whether they wrote capitals or not."""
    folded = asked.select("owner", query=pl.col("payload").str.to_lowercase())
    many = folded.group_by("query").agg(pl.col("owner").n_unique()).filter(pl.col("owner") >= FEWEST_PEOPLE)
    return rows.filter(pl.col("query").str.to_lowercase().is_in(many["query"].implode()))
