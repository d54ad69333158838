"""Verification of published rows on a cluster.

The judge counts from the published queries and the original rows, independently of the method. It reads the original texts again: their
words, and the query that would be published for each row. The driver gets sums.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl
import pyarrow as pa

from shoal.cluster.arrow_schemas import READ
from shoal.cluster.spark import Cluster, expressions, joined
from shoal.data.query_units import WORD
from shoal.privacy.evidence.row_support import CountedRows, RowsToCount


@dataclass(frozen=True)
class Judging:
    """What is counted for a claim on rows; `by_words`: words of a query count separately; those of items do not."""

    claim: RowsToCount
    by_words: bool

    @property
    def reads_words(self) -> bool:
        """Whether words matter: otherwise a query is its text."""
        return self.by_words or self.claim.words is not None


@dataclass(frozen=True)
class PublishedQueries:
    """The distinct published queries with their rows (`shown`), and their units (a query, or each word of it), with multiplicities."""

    queries: Any
    units: Any
    long: int = 0


def read_texts(by_words: bool, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Parse texts for verification: the query of each, its units, and its number of words."""
    texts = pl.from_arrow(table.column("text"))
    assert isinstance(texts, pl.Series)
    words = texts.str.extract_all(WORD)
    units = words if by_words else texts.reshape((-1, 1)).arr.to_list()
    read = {"text": texts, "query": words.list.join(" ") if by_words else texts, "words": units, "length": words.list.len().cast(pl.Int64)}
    yield pl.DataFrame(read).to_arrow().cast(READ)


def count_published(cluster: Cluster, published: Any, judging: Judging, name: str) -> PublishedQueries:
    """Count published rows by query; `name` distinguishes the stored steps of several counts."""
    shown = cluster.store(published.groupBy("query").agg(*expressions("count(1) as shown")), f"{name}_queries")
    if not judging.reads_words:
        return PublishedQueries(shown, shown.selectExpr("query", "query as unit", "shown"))
    read = cluster.store(cluster.map(shown.selectExpr("query as text"), read_texts, judging.by_words, READ), f"{name}_words")
    units = joined(shown, read.selectExpr("text as query", "explode(words) as unit"), "query")
    most = judging.claim.words
    long = 0 if most is None else cluster.collect(read.selectExpr(f"count_if(length > {most})"))[0][0]
    return PublishedQueries(shown, units, int(long))


def counted_from_file(cluster: Cluster, published_queries: PublishedQueries, claim: RowsToCount) -> CountedRows:
    """Count the rows of each unit, as anybody can."""
    rows = published_queries.units.groupBy("unit").agg(*expressions("sum(shown) as n"))
    least, short = cluster.collect(rows.selectExpr("min(n)", f"count_if(n < {claim.k})"))[0]
    return CountedRows(int(least or 0), None, int(short), long=published_queries.long)


def counted_with_original(cluster: Cluster, published_queries: PublishedQueries, rows: Any, judging: Judging) -> tuple[CountedRows, int]:
    """Count the rows of each unit and the people of the original with it; `rows` are those of the original, with `owner` and `text`.

    Also count rows of published queries that are not published: a query is published in all its rows, so these were lost.
    """
    there, people = _matching_originals(cluster, published_queries, rows, judging)
    more = joined(published_queries.queries, there, "query", "left").selectExpr("shown - coalesce(there, 0) as more")
    unexplained, lost = cluster.collect(more.selectExpr("sum(greatest(more, 0))", "sum(greatest(-more, 0))"))[0]
    units = published_queries.units.groupBy("unit").agg(*expressions("sum(shown) as n"))
    held = joined(units, people, "unit", "left").selectExpr("n", "coalesce(people, 0) as people")
    sums = cluster.collect(held.selectExpr("min(n)", "min(people)", f"count_if(people < {judging.claim.k})"))[0]
    return CountedRows(int(sums[0] or 0), int(sums[1] or 0), int(sums[2]), int(unexplained or 0), published_queries.long), int(lost or 0)


def _matching_originals(cluster: Cluster, published_queries: PublishedQueries, rows: Any, judging: Judging) -> tuple[Any, Any]:
    """Return the original rows that equal published ones: their number for each query (`there`), and the people of each unit."""
    typed = rows.selectExpr("owner", "text as query") if not judging.reads_words else _read(cluster, rows, judging)
    filled, published = typed.where("query != ''"), published_queries.queries.select("query")
    if not judging.by_words:
        counted = filled.groupBy("query").agg(*expressions("count(1) as there", "count(distinct owner) as people"))
        found = cluster.store(joined(counted, published, "query", "left_semi"), "stood_for")
        return found.select("query", "there"), found.selectExpr("query as unit", "people")
    of_people = joined(filled, published, "query", "left_semi").groupBy("query", "owner").agg(*expressions("count(1) as n"))
    found = cluster.store(of_people, "stood_for")
    units = joined(found.select("query", "owner"), published_queries.units.select("query", "unit").distinct(), "query")
    people = units.groupBy("unit").agg(*expressions("count(distinct owner) as people"))
    return found.groupBy("query").agg(*expressions("sum(n) as there")), people


def _read(cluster: Cluster, rows: Any, judging: Judging) -> Any:
    """Return the user and the query of every original row with few enough words."""
    read, most = cluster.map(rows.select("text").distinct(), read_texts, judging.by_words, READ), judging.claim.words
    within = read if most is None else read.where(f"length <= {most}")
    return joined(rows.select("owner", "text"), within.select("text", "query"), "text").select("owner", "query")


def differing(cluster: Cluster, made: PublishedQueries, written: PublishedQueries) -> int:
    """Count the distinct queries that are not written as often as they were made."""
    both = joined(made.queries, written.queries.withColumnRenamed("shown", "written"), "query", "full")
    return int(cluster.collect(both.where("not (shown <=> written)").selectExpr("count(1)"))[0][0])
