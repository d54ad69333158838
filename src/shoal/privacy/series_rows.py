"""What two releases of queries tell together: which queries came, went or changed by few people.

A query that is not published was asked by fewer people than the threshold, one that is by as many or more. So whoever has both releases
learns of a query that is new how many people asked it in between at least, and of one that is gone how many no longer do. Rows are
published as often as they were asked: a query with two rows more was asked by one or two people more. Whoever also knows who joined or
left in between knows then what these few asked.
"""

from __future__ import annotations

import polars as pl

from shoal.data.original import LogOriginal
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable

CAME, WENT, CHANGED = "came", "went", "changed"


def told_by_comparing(earlier: Release, release: Release, original: LogOriginal, threshold: int) -> pl.DataFrame:
    """The queries of which the two releases tell something together: `query`, `how`, and `people`, who may be all that are behind it.

    The earlier release publishes what `threshold` people asked. Of queries that came or went `people` is the smallest number of people that
    explains it, of those with another number of rows the largest. A query that came or went because the thresholds differ, and needs
    nobody for it, is not among them.
    """
    then = _rows_per_query(earlier).rename({"rows": "then"})
    now = _rows_per_query(release).join(_people_published(release, original), on="query", how="left")
    both = now.join(then, on="query", how="full", coalesce=True)
    both = both.join(_people_asking(original), on="query", how="left")
    asked = pl.coalesce("published", "asking", pl.lit(0, pl.Int64))
    told = both.with_columns(
        how=pl.when(pl.col("then").is_null())
        .then(pl.lit(CAME))
        .when(pl.col("rows").is_null())
        .then(pl.lit(WENT))
        .otherwise(pl.lit(CHANGED)),
        people=pl.when(pl.col("then").is_null())
        .then(asked - (threshold - 1))
        .when(pl.col("rows").is_null())
        .then(threshold - asked)
        .otherwise((pl.col("rows") - pl.col("then")).abs()),
    )
    return told.filter(pl.col("people") > 0).select("query", "how", "people").sort("how", "people", "query")


def _rows_per_query(release: Release) -> pl.DataFrame:
    table = _table(release)
    return table.frame.select(query=table.unit).group_by("query").agg(rows=pl.len().cast(pl.Int64))


def _people_published(release: Release, original: LogOriginal) -> pl.DataFrame:
    """The people behind each published query, by the rows that became it."""
    assert release.secret is not None
    table, rows = _table(release), release.secret.rows()
    shown = rows >= 0
    owners = original.log.frame["owner"].filter(pl.Series(shown))
    pairs = pl.DataFrame({"query": table.frame[table.unit].gather(rows[shown]), "owner": owners}).unique()
    return pairs.group_by("query").agg(published=pl.len().cast(pl.Int64))


def _people_asking(original: LogOriginal) -> pl.DataFrame:
    """The people who asked each query of the original, published or not."""
    pairs = original.log.frame.select("owner", query="payload").unique()
    return pairs.group_by("query").agg(asking=pl.len().cast(pl.Int64))


def _table(release: Release) -> RowTable:
    return release.only(RowTable)
