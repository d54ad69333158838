"""How many people have each word of a release of chunks: bounds that the files imply, and exact counts from the original.

Record chunks and shared chunks show how often a word occurs. A term chunk shows only that at least one record of its cluster holds the
word. So the files imply a lower and an upper bound on the number of records, and the original gives the number of people.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from shoal.data.tables.chunks import CLUSTER, ITEM, RECORDS, ChunkTable

if TYPE_CHECKING:
    from shoal.data.bags import Bags

LEAST, MOST, PEOPLE = "least", "most", "people"


def holder_bounds(table: ChunkTable) -> pl.DataFrame:
    """Return, for each published word, the minimum and maximum number of records that can contain it, from the files alone."""
    shown = pl.concat([table.subrecords.select(ITEM), table.shared.select(ITEM)]).group_by(ITEM).agg(pl.len().cast(pl.Int64).alias("shown"))
    listed = (
        table.terms.join(table.clusters, on=CLUSTER)
        .group_by(ITEM)
        .agg(pl.len().cast(pl.Int64).alias("clusters"), pl.col(RECORDS).sum().alias("room"))
    )
    both = shown.join(listed, on=ITEM, how="full", coalesce=True).with_columns(pl.col("shown", "clusters", "room").fill_null(0))
    return both.select(ITEM, (pl.col("shown") + pl.col("clusters")).alias(LEAST), (pl.col("shown") + pl.col("room")).alias(MOST))


def known_holders(table: ChunkTable, support: int) -> pl.DataFrame:
    """Return, for each word of a term chunk, the minimum number of records of its cluster with the word, given the known support.

    An attacker who knows that at least `support` people have a word, and that records of other clusters account for some of them, knows
    that the rest is in this cluster. One record is certain in any case.
    """
    everywhere = holder_bounds(table).select(ITEM, MOST)
    here = table.terms.join(table.clusters.select(CLUSTER, RECORDS), on=CLUSTER).join(everywhere, on=ITEM)
    elsewhere = pl.col(MOST) - pl.col(RECORDS)
    return here.select(CLUSTER, ITEM, pl.max_horizontal(pl.lit(1, pl.Int64), support - elsewhere).alias(LEAST))


def people_of_words(bags: Bags) -> pl.DataFrame:
    """Count the distinct people with each word of the original."""
    held = pl.DataFrame({"item": bags.items, "owner": bags.owners.repeat(bags.indptr[1:] - bags.indptr[:-1])})
    counts = held.group_by("item").agg(pl.col("owner").n_unique().cast(pl.Int64).alias(PEOPLE)).sort("item")
    names = bags.vocabulary.names.gather(counts["item"]).rename(ITEM)
    return counts.select(names, PEOPLE)


def published_words(table: ChunkTable) -> pl.Series:
    """Return the distinct words of all chunks."""
    return pl.concat([table.subrecords[ITEM], table.shared[ITEM], table.terms[ITEM]]).unique()


def people_of_published(table: ChunkTable, bags: Bags) -> pl.DataFrame:
    """Count the people of the original with each published word; 0 for a word that the original lacks."""
    words = published_words(table).to_frame()
    return words.join(people_of_words(bags), on=ITEM, how="left").with_columns(pl.col(PEOPLE).fill_null(0)).sort(ITEM)
