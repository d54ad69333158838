"""The method `threshold` on a cluster: rows of queries, or of words, that k different people have in common."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl
import pyarrow as pa

from shoal.app.distributed.tables import SPLIT
from shoal.data.words import words_of
from shoal.engines.spark import Cluster, expressions, joined
from shoal.methods.thresholds import Kept

PEOPLE = "count(distinct owner) as people"


def candidates(rows: Any, said: Kept) -> Any:
    """The rows that may be published, if enough people share them: not those without a query, or with too many words."""
    filled = rows.where("query != ''")
    return filled if said.words is None else filled.where(f"words <= {said.words}")


def published_rows(cluster: Cluster, rows: Any, said: Kept, *, by_words: bool) -> Any:
    """The query of every row that is published, and how many words it has; `by_words` says that each word must be shared."""
    asked = candidates(rows, said)
    shared = _of_shared_words(cluster, asked, said.k) if by_words else _shared(asked, said.k)
    return cluster.store(joined(asked.select("query", "terms"), shared, "query", "left_semi"), "published")


def _shared(asked: Any, k: int) -> Any:
    return asked.groupBy("query").agg(*expressions(PEOPLE)).where(f"people >= {k}").select("query")


def _of_shared_words(cluster: Cluster, asked: Any, k: int) -> Any:
    """The queries that stay: the most that can, so that k people share each of their words in what stays.

    Dropping queries takes people from their other words, so words are counted again until no query is dropped.
    """
    split = cluster.map(asked.select("query").distinct(), split_queries, None, SPLIT).selectExpr("query", "explode(words) as word")
    left = cluster.store(joined(asked.select("owner", "query").distinct(), split.distinct(), "query"), "held_words")
    number = 0
    while True:
        number += 1
        rare = left.groupBy("word").agg(*expressions(PEOPLE)).where(f"people < {k}").select("word")
        dropped = cluster.store(joined(left, rare, "word", "left_semi").select("query").distinct(), f"dropped_{number}")
        if not cluster.collect(dropped.selectExpr("count(1)"))[0][0]:
            return left.select("query").distinct()
        left = cluster.store(joined(left, dropped, "query", "left_anti"), f"held_words_{number}")


def split_queries(nothing: None, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """The words of queries, between which stands one blank."""
    queries = pl.from_arrow(table.column("query"))
    assert isinstance(queries, pl.Series)
    found = words_of(queries)
    words = found.vocabulary.names.gather(found.items).to_arrow().cast(pa.string())
    lists = pa.ListArray.from_arrays(pa.array(found.indptr, pa.int32()), words)
    yield pa.table({"query": table.column("query"), "words": lists}, SPLIT)
