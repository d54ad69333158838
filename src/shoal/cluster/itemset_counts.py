"""Supports of itemsets on a cluster.

Workers count itemsets in their records, and Spark adds the counts. Only the requested counts leave the cluster.

Itemsets are counted level by level, as in Apriori: single items, then pairs of items that k people have, then sets of three whose pairs all
belong to k people. The names of rarer items stay on the cluster.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from shoal.cluster.arrow_schemas import lists_of
from shoal.cluster.spark import Cluster, expressions
from shoal.data.bags import Bags, Ints, Vocabulary
from shoal.errors import Infeasible, option
from shoal.io.step_files import stored_step
from shoal.itemsets.itemset_counts import LARGEST_KEY, Known, key_digits, tallied_sets
from shoal.itemsets.itemset_support import Moles
from shoal.util.wording import counted

LARGEST = 3  # largest size of the sets that are counted on a cluster
MOST_MOLES = 50_000_000  # sets of few people that the driver holds
COUNTS = pa.schema([("key", pa.int64()), ("people", pa.int64())])
FEWER = f"other records ({option('per')}), a greater k, or fewer items that are known"


@dataclass(frozen=True, eq=False)
class Named:
    """Frequent items by name, sorted; records have a column of names."""

    names: pl.Series
    column = "words"

    def __len__(self) -> int:
        return len(self.names)

    def bags_in(self, table: pa.Table) -> Bags:
        """Return the frequent items of records."""
        begins, words = lists_of(table, self.column)
        held = pl.from_arrow(words)
        assert isinstance(held, pl.Series)
        vocabulary = Vocabulary(self.names)
        return owned_sets(begins, vocabulary.codes(held.cast(pl.String)), vocabulary, table)


@dataclass(frozen=True, eq=False)
class FrequentItems:
    """Items of at least k people, sorted, with the number of records with each, and the number of other items."""

    held: Named | Any
    records: Ints
    rare: int


@dataclass(frozen=True, eq=False)
class Counting:
    """The frequent items, and which sets of them are counted."""

    held: Named | Any
    known: Known


def frequent_items(cluster: Cluster, records: Any, k: int, *, several: bool) -> FrequentItems:
    """Count all items; `several`: whether somebody owns more than one record."""
    people = "count(distinct owner)" if several else "count(1)"
    held = records.selectExpr("owner", "explode(words) as item").groupBy("item")
    stored = cluster.store(held.agg(*expressions("count(1) as records", f"{people} as people")), "items")
    rare = cluster.collect(stored.selectExpr(f"count_if(people < {k})"))[0][0]
    ordered = stored_step(cluster.place, "items").filter(pl.col("people") >= k).sort("item").collect()
    return FrequentItems(Named(ordered["item"]), ordered["records"].to_numpy().astype(np.int64), int(rare))


def moles_of(cluster: Cluster, records: Any, found: FrequentItems, k: int, most: int, *, several: bool) -> Moles:
    """Return all minimal sets of at most `most` items that fewer than k people have, in the order of one machine.

    Items are numbered in order; those of too few people have no names here, and the last numbers.
    """
    n = len(found.held)
    rank = np.empty(n, np.int64)
    rank[np.argsort(found.records, kind="stable")] = np.arange(n)
    levels = [n + np.arange(found.rare, dtype=np.int32).reshape(-1, 1)]
    known = Known(n)
    for size in range(2, most + 1):
        if n**size > LARGEST_KEY:
            raise Infeasible(
                f"sets of {size} of {n:,} items are too many to count on a cluster", code="too-many-itemsets", hint=FEWER, value=n
            )
        sets = _people_with_sets(cluster, records, Counting(found.held, known), size, several=several)
        levels.append(_in_order(_rare_keys(cluster, sets, k, size), rank, size))
        if size < most:
            known = Known(n, np.sort(_keys(cluster, size, pl.col("people") >= k)))
    return Moles.of_levels(levels)


def counted_sets(counting: Counting, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Count the sets of frequent items in the records of this partition, in people."""
    for keys, people in tallied_sets(counting.held.bags_in(table), counting.known):
        yield pa.table({"key": keys, "people": people}, COUNTS)


def owned_sets(begins: Ints, codes: Any, vocabulary: Vocabulary, table: pa.Table) -> Bags:
    """Return records as sets of these codes, without negative ones, with the users of the table."""
    owners = np.unique(table.column("owner").to_numpy(), return_inverse=True)[1]
    return Bags.from_rows(begins, codes, np.ones(len(codes), np.int32), vocabulary, owners, as_sets=True)


def _people_with_sets(cluster: Cluster, records: Any, counting: Counting, size: int, *, several: bool) -> Any:
    """Count the people with each set of this size."""
    whole = records.select("owner", counting.held.column)
    here = whole.repartition(cluster.partitions, "owner") if several else whole
    parts = cluster.map(here, counted_sets, counting, COUNTS)
    return cluster.store(parts.groupBy("key").agg(*expressions("sum(people) as people")), f"sets_{size}")


def _rare_keys(cluster: Cluster, sets: Any, k: int, size: int) -> Ints:
    n = int(cluster.collect(sets.selectExpr(f"count_if(people < {k})"))[0][0])
    if n > MOST_MOLES:
        rare = counted(n, f"set of {size} items is", f"sets of {size} items are")
        what = f"{rare} shared by fewer than {k:,} people, more than the driver can keep ({MOST_MOLES:,})"
        raise Infeasible(what, code="too-many-itemsets", hint=FEWER, value=n, limit=MOST_MOLES)
    return _keys(cluster, size, pl.col("people") < k)


def _keys(cluster: Cluster, size: int, condition: pl.Expr) -> Ints:
    return stored_step(cluster.place, f"sets_{size}").filter(condition).select("key").collect()["key"].to_numpy()


def _in_order(keys: Ints, rank: Ints, size: int) -> Any:
    """Return the sorted items of each set; the sets are ordered by the ranks of their items, the rarest first."""
    items = key_digits(keys, len(rank), size)
    ranked = np.sort(rank[items], axis=1)
    place = ranked[:, 0]
    for column in range(1, size):
        place = place * len(rank) + ranked[:, column]
    return items[np.argsort(place)].astype(np.int32)
