"""Suppression of items on a cluster: what is published of each record, and its comparison with the original.

The driver decides from counts alone which items are suppressed everywhere. The judge compares every published record with its original,
item by item, and does not use the decision.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
import pyarrow as pa

from shoal.cluster import itemset_counts as itemsets
from shoal.cluster.arrow_schemas import NUMBERED_NAMES, Fitted, numbered_names, numbers_and_names
from shoal.cluster.exchange import Step
from shoal.cluster.judge_itemsets import SHOWN_ITEMS
from shoal.cluster.judge_records import NO_ANSWER, NOTHING_WRITTEN, Outcomes, compared_records
from shoal.cluster.spark import Cluster
from shoal.cluster.typed_records import bags_in
from shoal.cluster.write_files import random_places
from shoal.data.bags import Bags
from shoal.errors import GuaranteeNotMet
from shoal.methods.bases.recoding import RecodingMethod

LEFT = pa.schema([("row", pa.int64()), ("items", NUMBERED_NAMES)])
"""What is published of a record: its row in its partition, and the remaining items."""


@dataclass(frozen=True, eq=False)
class SuppressedPairing:
    """The tree of the records, and where they are stored."""

    fitted: Fitted
    records: Step


def kept_items(cluster: Cluster, records: Step, method: RecodingMethod) -> tuple[pl.Series, list[str]]:
    """Return the published items, sorted by name, and notes about the others."""
    found = itemsets.frequent_items(cluster, records, "items", method.k)
    moles = itemsets.moles_of(cluster, records, found, method.k, method.counts_decide or 0)
    chosen, notes = method.suppressed_by_counts(moles, found.records, found.rare)
    return found.held.names.gather(np.setdiff1d(np.arange(len(found.held)), chosen)), notes


def without_others(kept: pl.Series, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return the non-empty records of a partition with the kept items only."""
    starts, items, names = numbers_and_names(table)
    stays = names.is_in(kept).to_numpy()
    numbers = np.cumsum(stays) - 1
    filled = np.flatnonzero(np.diff(starts))
    remaining = np.append(0, np.cumsum(stays[items]))[starts]
    indptr = np.append(0, remaining[1:][filled])  # an empty record has no items that are left out here
    lists = numbered_names(indptr, numbers[items[stays[items]]], names.filter(pl.Series(stays)))
    yield pa.table([filled, lists], schema=LEFT)


def judged_part(pairing: SuppressedPairing, part: int, table: pa.Table) -> Iterator[pa.Table | str]:
    """Return sums over the records of a partition and what is published of them, and the published records with their people."""
    yield json.dumps({"answers": len(table)})
    records = bags_in(pairing.records.part(part))
    n, before = len(records), len(pairing.fitted.names)
    tree = pairing.fitted.with_words(records.vocabulary.names)
    starts, items, names = numbers_and_names(table)
    codes = tree.names.codes(names)[items]
    rows = table.column("row").to_numpy()
    if (codes < before).any() or not ((rows >= 0) & (rows < n)).all():
        raise GuaranteeNotMet("published items are not names from the original", code="release-not-of-original", hint=NOTHING_WRITTEN)
    bags = Bags(records.indptr, records.items + np.int32(before), records.counts, records.owners, tree.names)
    published = Bags.from_rows(starts, codes, np.ones(len(codes), np.int32), tree.names, records.owners[rows])
    place = np.full(n, -1, np.int64)
    place[rows] = np.arange(len(rows))
    yield json.dumps(compared_records(Outcomes(tree, bags, bags, published, place, np.where(place >= 0, 0, NO_ANSWER))))
    places = random_places(len(table))
    yield pa.table([places, rows, records.owners[rows], table.column("items")], schema=SHOWN_ITEMS)
