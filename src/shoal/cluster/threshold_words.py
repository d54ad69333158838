"""The method `threshold` on a cluster: rows whose query or words k different people share.

Rows with the same query have the same outcome, so each distinct query gets one outcome with its number of rows. These numbers are added up
again, so that rows without an outcome are noticed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl
import pyarrow as pa

from shoal.cluster.arrow_schemas import SPLIT
from shoal.cluster.spark import Cluster, expressions, joined
from shoal.data.query_units import words_of
from shoal.methods.bases.threshold import Kept

PEOPLE = "count(distinct owner) as people"
SUMS = ("count(1) as rows", "sum(terms) as terms")


def candidates(rows: Any, settings: Kept) -> Any:
    """Return the rows that may be published if enough people share them: not those without a query, or with too many words."""
    filled = rows.where("query != ''")
    return filled if settings.words is None else filled.where(f"words <= {settings.words}")


def answered_rows(cluster: Cluster, rows: Any, settings: Kept, *, by_words: bool) -> Any:
    """Return whether each candidate query `stays`, its text if it does, and its `rows` with their words (`terms`).

    With `by_words`, each word must be shared.
    """
    rows_left = candidates(rows, settings)
    if by_words:
        outcomes = joined(rows_left.groupBy("query").agg(*expressions(*SUMS)), _by_words(cluster, rows_left, settings.k), "query", "left")
    else:
        outcomes = rows_left.groupBy("query").agg(*expressions(*SUMS, PEOPLE)).selectExpr("*", f"people >= {settings.k} as stays")
    return cluster.store(outcomes.selectExpr("case when stays then query end as query", "terms", "stays", "rows"), "answered")


def published_rows(answered: Any) -> Any:
    """Return the rows that stay: each query as often as it has rows."""
    return answered.where("stays").selectExpr("query", "explode(sequence(1L, rows)) as number").select("query")


def _by_words(cluster: Cluster, rows: Any, k: int) -> Any:
    """Return which queries stay: the maximal set such that k people share each remaining word.

    Dropping queries reduces the people of their other words, so words are counted again until no query is dropped.
    """
    split = cluster.map(rows.select("query").distinct(), split_queries, None, SPLIT).selectExpr("query", "explode(words) as word")
    left = cluster.store(joined(rows.select("owner", "query").distinct(), split.distinct(), "query"), "held_words")
    answers, number = None, 0
    while True:
        number += 1
        rare = left.groupBy("word").agg(*expressions(PEOPLE)).where(f"people < {k}").select("word")
        dropped = cluster.store(joined(left, rare, "word", "left_semi").select("query").distinct(), f"dropped_{number}")
        if not cluster.collect(dropped.selectExpr("count(1)"))[0][0]:
            stay = left.select("query").distinct().selectExpr("query", "true as stays")
            return stay if answers is None else stay.union(answers)
        removed = dropped.selectExpr("query", "false as stays")
        answers = removed if answers is None else answers.union(removed)
        left = cluster.store(joined(left, dropped, "query", "left_anti"), f"held_words_{number}")


def split_queries(nothing: None, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Split queries at single blanks into words."""
    queries = pl.from_arrow(table.column("query"))
    assert isinstance(queries, pl.Series)
    found = words_of(queries)
    words = found.vocabulary.names.gather(found.items).to_arrow().cast(pa.string())
    lists = pa.ListArray.from_arrays(pa.array(found.indptr, pa.int32()), words)
    yield pa.table({"query": table.column("query"), "words": lists}, SPLIT)
