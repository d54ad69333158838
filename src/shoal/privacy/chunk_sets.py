"""Sets of terms that stand together in a chunk, counted by a kernel that no method calls; and terms that stand where they must not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.data.bags import Bags, Ints, Vocabulary
from shoal.data.tables.chunks import CHUNK, CLUSTER, ITEM, JOINT, SUBRECORD, ChunkTable
from shoal.privacy.known_sets import Counted, Holders, Knowledge, all_public, count_sets

PART, WHOLE = "\0part", "\0whole"  # record or shared chunks; the number of the cluster or of the joint cluster


@dataclass(frozen=True, eq=False)
class Counts:
    """Sets of items of one chunk, counted; `names` has the item behind each number in the examples."""

    found: Counted
    names: pl.Series


def both_parts(subrecords: pl.DataFrame, shared: pl.DataFrame) -> pl.DataFrame:
    """Record chunks and shared chunks below one another."""
    return pl.concat(
        [
            subrecords.rename({CLUSTER: WHOLE}).with_columns(pl.lit("subrecords").alias(PART)),
            shared.rename({JOINT: WHOLE}).with_columns(pl.lit("shared").alias(PART)),
        ]
    )


def count_chunk_sets(told: pl.DataFrame, knowledge: Knowledge, owners: Ints | None = None) -> Counts:
    """Sets of one item, of two, and so on that stand together in a sub-record, each counted in its own chunk.

    `told` are rows of `both_parts`; with `owners`, by the number of the sub-record, people are counted.
    """
    codes = told.select(pl.struct(PART, WHOLE, CHUNK, ITEM).rank("dense").alias("code"))["code"].to_numpy().astype(np.int64) - 1
    numbered = told.with_columns(pl.Series("code", codes), pl.struct(PART, WHOLE, CHUNK, SUBRECORD).rank("dense").alias("row"))
    if owners is not None:
        numbered = numbered.with_columns(pl.Series("owner", owners[told[SUBRECORD].to_numpy()]))
    by_row = numbered.sort(*(["owner"] if owners is not None else []), "row", "code")
    starts = np.flatnonzero(np.diff(by_row["row"].to_numpy().astype(np.int64), prepend=-1))
    names = numbered.unique("code").sort("code")[ITEM]
    rows = Bags.from_rows(
        np.append(starts, len(by_row)), by_row["code"].to_numpy(), np.ones(len(by_row), np.int32), Vocabulary(map(str, range(len(names))))
    )
    people = by_row["owner"].to_numpy()[starts] if owners is not None else np.zeros(0, np.int64)
    repeat = len(people) and bool((people[1:] == people[:-1]).any())
    holders = Holders(rows, np.arange(len(rows), dtype=np.int64), people if repeat else np.zeros(0, np.int64))
    return Counts(count_sets(holders, all_public(len(names)), knowledge), names)


def misplaced(table: ChunkTable) -> int:
    """How many times a term of a cluster stands in more than one of its chunks."""
    own = table.subrecords.select(CLUSTER, CHUNK, ITEM).unique().select(CLUSTER, ITEM)
    shared = table.shared.select(JOINT, CHUNK, ITEM).unique().join(table.clusters, on=JOINT).select(CLUSTER, ITEM)
    everywhere = pl.concat([own, shared, table.terms.select(CLUSTER, ITEM)])
    return len(everywhere) - everywhere.n_unique()
