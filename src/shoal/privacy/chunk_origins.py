"""Whether chunks are made of the original's records: every record in one cluster, taken apart as the chunks say, and nothing beside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.data.bags import Ints
from shoal.data.tables.chunks import CHUNK, CLUSTER, ITEM, JOINT, RECORDS, SUBRECORD, ChunkTable

if TYPE_CHECKING:
    from shoal.data.original import Original

SIDE = "\0side"
ONE_CLUSTER_EACH = "files do not tell which records a cluster has; the terms of all clusters were compared with those of all records"


@dataclass(frozen=True, eq=False)
class TakenApart:
    """The original's records, taken apart as the chunks say: rows as those of the table, with the record as sub-record.

    `members` are the records of each cluster; `untold` occurrences are in none of its chunks, `withheld` records in no cluster.
    """

    subrecords: pl.DataFrame
    shared: pl.DataFrame
    terms: pl.DataFrame
    members: pl.DataFrame
    untold: int
    withheld: int

    def differences(self, table: ChunkTable) -> list[str]:
        """What the published chunks have that the records do not give, or lack."""
        counts = {
            "sub-records of record chunks": _differing(self.subrecords, table.subrecords, CLUSTER),
            "sub-records of shared chunks": _differing(self.shared, table.shared, JOINT),
            "terms of term chunks": _surplus(self.terms, table.terms),
            "sizes of clusters": _surplus(self.sizes(), table.clusters.select(CLUSTER, RECORDS)),
        }
        broken = [f"{n:,} {what} are not those of the original" for what, n in counts.items() if n]
        broken += [f"{self.untold:,} occurrences are in no chunk of their cluster"] if self.untold else []
        return broken + ([f"{self.withheld:,} records that hold something are in no cluster"] if self.withheld else [])

    def sizes(self) -> pl.DataFrame:
        """How many records each cluster has."""
        return self.members.group_by(CLUSTER).agg(pl.len().cast(pl.Int64).alias(RECORDS))


def taken_apart(table: ChunkTable, original: Original, rows: Ints) -> TakenApart:
    """The records of an original by the chunks of their clusters; `rows` has the row of each record's cluster, -1 where it has none."""
    bags = original.bags
    record = np.repeat(np.arange(len(bags)), np.diff(bags.indptr))
    clusters = table.clusters.select(CLUSTER, JOINT).with_row_index("row").cast({"row": pl.Int64})
    held = pl.DataFrame({"row": rows[record], SUBRECORD: record.astype(np.int64), ITEM: bags.vocabulary.names.gather(bags.items)})
    told = held.join(clusters, on="row")
    own = told.join(table.subrecords.select(CLUSTER, CHUNK, ITEM).unique(), on=[CLUSTER, ITEM])
    shared = told.join(table.shared.select(JOINT, CHUNK, ITEM).unique(), on=[JOINT, ITEM])
    terms = told.join(table.terms, on=[CLUSTER, ITEM])
    members = pl.DataFrame({"row": rows, SUBRECORD: np.arange(len(rows), dtype=np.int64)}).join(clusters, on="row")
    return TakenApart(
        own.select(CLUSTER, CHUNK, SUBRECORD, ITEM),
        shared.select(JOINT, CHUNK, SUBRECORD, ITEM),
        terms.select(CLUSTER, ITEM).unique(),
        members.select(CLUSTER, SUBRECORD),
        len(told) - len(own) - len(shared) - len(terms),
        int(((rows < 0) & (bags.lengths > 0)).sum()),
    )


def compared(table: ChunkTable, original: Original) -> list[str]:
    """The same as far as it can be told without knowing which records a cluster has."""
    bags = original.bags
    filled = int((bags.lengths > 0).sum())
    broken = [f"the clusters have {table.n_records:,} records, and the original {filled:,}"] if table.n_records != filled else []
    held = pl.DataFrame({ITEM: bags.vocabulary.names.gather(bags.items)}).group_by(ITEM).agg(pl.len().cast(pl.Int64).alias("held"))
    chunks = pl.concat([table.subrecords.select(ITEM), table.shared.select(ITEM)]).group_by(ITEM).agg(pl.len().cast(pl.Int64).alias("told"))
    terms = table.terms.group_by(ITEM).agg(pl.len().cast(pl.Int64).alias("least"))
    both = held.join(chunks, on=ITEM, how="full", coalesce=True).join(terms, on=ITEM, how="full", coalesce=True).fill_null(0)
    open_end = both["least"] > 0  # a term chunk tells that a term is there, not how often
    wrong = both.filter((both["told"] + both["least"] > both["held"]) | (~open_end & (both["told"] != both["held"])))
    return broken + ([f"{len(wrong):,} terms are not told as often as the original holds them"] if len(wrong) else [])


def _differing(made: pl.DataFrame, seen: pl.DataFrame, whole: str) -> int:
    """How many sub-records of either side have no counterpart with the same items in the same chunk of the other."""
    return _surplus(_contents(made, whole), _contents(seen, whole))


def _contents(frame: pl.DataFrame, whole: str) -> pl.DataFrame:
    held = frame.group_by(whole, CHUNK, SUBRECORD).agg(pl.col(ITEM).sort().alias("items"))
    return held.drop(SUBRECORD)


def _surplus(made: pl.DataFrame, seen: pl.DataFrame) -> int:
    both = pl.concat([made.with_columns(pl.lit(1).alias(SIDE)), seen.select(made.columns).with_columns(pl.lit(-1).alias(SIDE))])
    return int(both.group_by(made.columns).agg(pl.col(SIDE).sum())[SIDE].abs().sum())
