"""Supports of itemsets on a cluster.

Each task counts itemsets in the records of its partition. All records of a person are in one partition, so the people of a set are the sum
over the partitions, which the task of the set adds up. Only the requested counts leave the cluster.

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

from shoal.cluster.arrow_schemas import numbers_and_names
from shoal.cluster.exchange import ByRemainder, ByText, Step, gathered, sent, stored
from shoal.cluster.spark import Cluster
from shoal.data.bags import Bags, Ints, Vocabulary
from shoal.errors import Infeasible, option
from shoal.itemsets.itemset_counts import LARGEST_KEY, Known, key_digits, tallied_sets
from shoal.itemsets.itemset_support import Moles
from shoal.util.wording import counted

LARGEST = 3  # largest size of the sets that are counted on a cluster
MOST_MOLES = 50_000_000  # sets of few people that the driver holds
COUNTED_ITEMS = pa.schema([("item", pa.string()), ("records", pa.int64()), ("people", pa.int64())])
COUNTED_SETS = pa.schema([("key", pa.int64()), ("people", pa.int64())])
FEWER = f"other records ({option('per')}), a greater k, or fewer items that are known"


@dataclass(frozen=True, eq=False)
class Named:
    """Frequent items by name, sorted; records have a column of names."""

    names: pl.Series
    column: str

    def __len__(self) -> int:
        return len(self.names)

    def bags_in(self, table: pa.Table) -> Bags:
        """Return the frequent items of records."""
        begins, items, names = numbers_and_names(table, self.column)
        vocabulary = Vocabulary(self.names)
        return owned_sets(begins, vocabulary.codes(names)[items], vocabulary, table)


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


@dataclass(frozen=True)
class ItemsIn:
    """Which column of records has their items, and how many people are enough."""

    column: str
    k: int


# -- on the driver


def frequent_items(cluster: Cluster, records: Step, column: str, k: int) -> FrequentItems:
    """Count all items in a column of names."""
    asked, parts = ItemsIn(column, k), len(records.files)
    counts = sent(cluster, "item_counts", [(records, counted_items)], asked, ByText("item", parts), parts)
    items, words = stored(cluster, counts, summed_items, asked, "items")
    found = gathered(cluster, items, enough_people, k)
    ordered = pl.DataFrame(found).sort("item")
    return FrequentItems(Named(ordered["item"], column), ordered["records"].to_numpy().astype(np.int64), sum(map(int, words)))


def moles_of(cluster: Cluster, records: Step, found: FrequentItems, k: int, most: int) -> Moles:
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
        sets, rare = _people_with_sets(cluster, records, Counting(found.held, known), k, size)
        _insist_on_room(rare, k, size)
        levels.append(_in_order(_keys(cluster, sets, rare_keys, k), rank, size))
        if size < most:
            known = Known(n, np.sort(_keys(cluster, sets, frequent_keys, k)))
    return Moles.of_levels(levels)


def _people_with_sets(cluster: Cluster, records: Step, counting: Counting, k: int, size: int) -> tuple[Step, int]:
    """Count the people with each set of this size, and the sets of too few people."""
    parts = len(records.files)
    counts = sent(cluster, "set_counts", [(records, counted_sets)], counting, ByRemainder("key", parts), parts)
    sets, words = stored(cluster, counts, summed_sets, k, f"sets_{size}")
    return sets, sum(map(int, words))


def _insist_on_room(rare: int, k: int, size: int) -> None:
    if rare > MOST_MOLES:
        sets = counted(rare, f"set of {size} items is", f"sets of {size} items are")
        what = f"{sets} shared by fewer than {k:,} people, more than the driver can keep ({MOST_MOLES:,})"
        raise Infeasible(what, code="too-many-itemsets", hint=FEWER, value=rare, limit=MOST_MOLES)


def _keys(cluster: Cluster, sets: Step, chosen: Any, k: int) -> Ints:
    return np.asarray(gathered(cluster, sets, chosen, k).column("key").to_numpy())


def _in_order(keys: Ints, rank: Ints, size: int) -> Any:
    """Return the sorted items of each set; the sets are ordered by the ranks of their items, the rarest first."""
    items = key_digits(keys, len(rank), size)
    ranked = np.sort(rank[items], axis=1)
    place = ranked[:, 0]
    for column in range(1, size):
        place = place * len(rank) + ranked[:, column]
    return items[np.argsort(place)].astype(np.int32)


# -- on the workers


def counted_items(asked: ItemsIn, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Count the records and people of each item of this partition."""
    if len(table):
        begins, items, names = numbers_and_names(table, asked.column)
        bags = owned_sets(begins, items, Vocabulary.of_different(names), table)
        records, people = np.bincount(bags.items, minlength=len(names)), bags.people_per_item
        found = pa.table({"item": names.to_arrow(), "records": records, "people": people}).cast(COUNTED_ITEMS)
        yield found.filter(pa.array(records > 0))


def summed_items(asked: ItemsIn, part: int, table: pa.Table) -> Iterator[pa.Table | str]:
    """Add up the counts of the items of this partition, and count those of too few people."""
    counts = pl.DataFrame(table if len(table) else COUNTED_ITEMS.empty_table())
    items = counts.group_by("item").agg(pl.col("records", "people").sum())
    yield str(int((items["people"] < asked.k).sum()))
    yield items.to_arrow().cast(COUNTED_ITEMS)


def enough_people(k: int, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return the items of at least k people."""
    yield table.filter(pa.array(table.column("people").to_numpy() >= k))


def counted_sets(counting: Counting, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Count the sets of frequent items in the records of this partition, in people."""
    if len(table):
        found = [COUNTED_SETS.empty_table()]
        for keys, people in tallied_sets(counting.held.bags_in(table), counting.known):
            found.append(pa.table({"key": keys, "people": people}, COUNTED_SETS))
        yield _summed(pa.concat_tables(found))


def summed_sets(k: int, part: int, table: pa.Table) -> Iterator[pa.Table | str]:
    """Add up the people of the sets of this partition, and count those of too few people."""
    sets = _summed(table if len(table) else COUNTED_SETS.empty_table())
    yield str(int((sets.column("people").to_numpy() < k).sum()))
    yield sets


def _summed(sets: pa.Table) -> pa.Table:
    """Add up the people of equal sets."""
    return pl.DataFrame(sets).group_by("key").agg(pl.col("people").sum()).to_arrow().cast(COUNTED_SETS)


def rare_keys(k: int, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return the sets of fewer than k people."""
    yield table.filter(pa.array(table.column("people").to_numpy() < k)).select(["key"])


def frequent_keys(k: int, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return the sets of at least k people."""
    yield table.filter(pa.array(table.column("people").to_numpy() >= k)).select(["key"])


def owned_sets(begins: Ints, codes: Any, vocabulary: Vocabulary, table: pa.Table) -> Bags:
    """Return records as sets of these codes, without negative ones, with the users of the table."""
    owners = np.unique(table.column("owner").to_numpy(), return_inverse=True)[1]
    return Bags.from_rows(begins, codes, np.ones(len(codes), np.int32), vocabulary, owners, as_sets=True)
