"""The method `threshold` on a cluster: queries that k different people share, or whose words k different people share.

Each partition counts the rows and people of its different texts. All rows of a person are in one partition, so the people of a query are
the sum over the partitions. The counts of a query meet in one partition, which decides.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
import pyarrow as pa

from shoal.cluster.arrow_schemas import list_array, lists_of
from shoal.cluster.exchange import ByText, Step, collected_words, sent, stored
from shoal.cluster.log_rows import UNACCOUNTED, Logged, TypedTexts
from shoal.cluster.shared_words import texts_with_shared_words
from shoal.cluster.spark import Cluster
from shoal.cluster.write_files import random_places
from shoal.data.bags import Ints
from shoal.data.query_units import with_single_blanks
from shoal.errors import GuaranteeNotMet
from shoal.methods.bases.threshold import Kept
from shoal.methods.bases.threshold_people import Mask

COUNTED = pa.schema(
    {
        **{"query": pa.string(), "text": pa.string(), "candidate": pa.bool_()},
        **{"rows": pa.int64(), "people": pa.int64(), "terms": pa.int64(), "stays": pa.bool_()},
    }
)
"""A text of a partition: the query as it would be published, the text if it differs, whether it may be published if enough people share it,
its rows, people, and words that are counted separately; and whether it stays, if that is decided by its words."""

QUERIES = pa.schema([("query", pa.string()), ("place", pa.list_(pa.int64()))])
"""A published query, with a random number for each of its rows, by which they are written."""


@dataclass(frozen=True)
class Sharing:
    """What is published; `by_words`: each word of a query must be shared, and `stays` has which texts these are."""

    settings: Kept
    by_words: bool
    stays: Step | None = None


def candidates(sharing: Sharing, queries: pl.Series, words: Ints) -> Mask:
    """Return which queries may be published if enough people share them: not those without content, or with too many words."""
    filled = (queries != "").to_numpy()
    return filled if sharing.settings.words is None else filled & (words <= sharing.settings.words)


def published_queries(cluster: Cluster, logged: Logged, settings: Kept, *, by_words: bool) -> tuple[Step, Counter[str]]:
    """Return the published queries, and sums of rows, words and texts. Raise unless each candidate row has one outcome."""
    sharing = Sharing(settings, by_words)
    if by_words:
        sharing = replace(sharing, stays=texts_with_shared_words(cluster, logged, settings))
    asked = sent(cluster, "asked", [(logged.rows, counted_queries)], sharing, ByText("query", logged.partitions), logged.partitions)
    published, words = stored(cluster, asked, answered_queries, sharing, "answered")
    sums: Counter[str] = Counter()
    for word in (*asked.words, *words):
        sums.update(json.loads(word))
    answered = sums["published"] + sums["rare"] + sums["empty"] + sums["long"]
    if sums["lost"] or not answered == sums["rows"] == logged.sums["used"]:
        raise GuaranteeNotMet(UNACCOUNTED, code="accounting-incomplete", hint="nothing was written")
    return published, sums


def people_asking(cluster: Cluster, logged: Logged, settings: Kept, *, by_words: bool) -> int:
    """Count the people with a query that may be published."""
    return sum(map(int, collected_words(cluster, logged.rows, asking_people, Sharing(settings, by_words))))


# -- on the workers


def _read(sharing: Sharing, typed: TypedTexts) -> tuple[pl.Series, Ints, Mask]:
    """Return the query of each text, the number of its words, and which of them may be published."""
    queries = with_single_blanks(typed.texts) if sharing.by_words else typed.texts
    counts = sharing.by_words or sharing.settings.words is not None
    words = typed.texts.str.count_matches(r"\S+").to_numpy().astype(np.int64) if counts else np.zeros(len(typed), np.int64)
    return queries, words, candidates(sharing, queries, words)


def _stays(left: pa.Table) -> pl.Series:
    """Return which texts stay, as it was stored."""
    return pl.Series(lists_of(left, "stays")[1], dtype=pl.Boolean)


def asking_people(sharing: Sharing, part: int, table: pa.Table) -> Iterator[str]:
    """Count the people of this partition with a query that may be published."""
    typed = TypedTexts.of_table(table)
    yield str(typed.people_of_any(np.flatnonzero(_read(sharing, typed)[2])))


def counted_queries(sharing: Sharing, part: int, table: pa.Table) -> Iterator[pa.Table | str]:
    """Count the rows and people of each text of this partition, and sum over all of them."""
    typed = TypedTexts.of_table(table)
    queries, words, candidate = _read(sharing, typed)
    filled = (queries != "").to_numpy()
    terms = words if sharing.by_words else filled.astype(np.int64)
    rows = typed.rows
    sums = {"rows": rows, "empty": rows[~filled], "long": rows[filled & ~candidate], "words": rows * terms}
    yield json.dumps({name: int(numbers.sum()) for name, numbers in sums.items()})
    frame = pl.DataFrame({"query": queries, "candidate": candidate, "rows": rows, "people": typed.people, "terms": terms})
    other = pl.when(pl.col("query") != typed.texts).then(typed.texts)
    decided = pl.lit(None, pl.Boolean) if sharing.stays is None else _stays(sharing.stays.part(part))
    made = frame.with_columns(text=other, stays=decided).filter(typed.texts != "")
    yield made.select(COUNTED.names).to_arrow().cast(COUNTED)


def answered_queries(sharing: Sharing, part: int, table: pa.Table) -> Iterator[pa.Table | str]:
    """Decide about the queries of this partition: return those that stay, with random numbers, and sums over all of them."""
    counted = pl.from_arrow(table if len(table) else COUNTED.empty_table())
    assert isinstance(counted, pl.DataFrame)
    everywhere, somewhere = pl.col("stays").all(ignore_nulls=False), pl.col("stays").any(ignore_nulls=False)
    enough = pl.col("people").sum() >= sharing.settings.k
    stays = pl.when(everywhere == somewhere).then(everywhere) if sharing.by_words else enough
    terms = (pl.col("rows") * pl.col("terms")).sum()
    found = counted.filter("candidate").group_by("query").agg(pl.col("rows").sum(), terms=terms, stays=stays)
    left, rare = found.filter("stays"), found.filter(~pl.col("stays"))
    sums = {"published": left["rows"], "rare": rare["rows"], "published_words": left["terms"]}
    others = {"lost": found["stays"].null_count(), "texts": counted.select(pl.coalesce("text", "query")).to_series().n_unique()}
    yield json.dumps({name: int(numbers.sum()) for name, numbers in sums.items()} | others)
    often = left["rows"].to_numpy()
    places = list_array(np.append(0, np.cumsum(often)), random_places(int(often.sum())))
    yield pa.table({"query": left["query"].to_arrow(), "place": places}).cast(QUERIES)
