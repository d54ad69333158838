"""The cluster's form of publishing from below without Spark: parts are tables in memory, and counts are added up here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from shoal.cluster import km_worker as worker
from shoal.cluster.arrow_schemas import RECORDS, Fitted
from shoal.cluster.km_driver import NumberCounts, RareInParts, RecordsInParts
from shoal.cluster.read_events import PARTS
from shoal.data.bags import Bags, Ints
from shoal.data.taxonomy import Taxonomy
from shoal.itemsets.itemset_counts import key_digits
from shoal.itemsets.km_from_below import Mask


class RecordsInMemory(RecordsInParts):
    """Runs what a worker does on one table after the other."""

    def __init__(self, parts: Iterable[pa.Table], numbering: worker.Numbering, k: int, most: int, settled: Mask | None) -> None:
        super().__init__(numbering, k, most)
        first = worker.Settling(numbering, settled)
        self.parts = [table for part in parts for table in worker.first_places(first, 0, part)]

    def lift_parts(self) -> None:
        self.parts = [table for part in self.parts for table in worker.lifted(self.numbering, 0, part)]

    def tally(self, work: Any) -> NumberCounts:
        sums = np.zeros((3, len(self.numbering)), np.int64)
        for part in self.parts:
            for table in work(self.numbering, 0, part):
                for node, people, records, fresh in zip(*(column.to_pylist() for column in table.columns), strict=True):
                    sums[:, node] += people, records, fresh
        return NumberCounts(sums[0], sums[1], sums[2] > 0)

    def rare_of_size(self, sought: worker.Sought, found: list[Any]) -> tuple[Ints, Any]:
        people, held = Counter[int](), list[set[int]]()
        for number, part in enumerate(self.parts):
            held.append(set())
            for table in worker.counted_sets(sought, 0, self._with_keys(number, part, found)):
                keys = table.column("key").to_pylist()
                held[-1].update(keys)
                for key, counted in zip(keys, table.column("people").to_pylist(), strict=True):
                    people[key] += counted
        rare = {key for key, counted in people.items() if counted < self.k}
        digits = key_digits(np.array(sorted(rare), np.int64), len(self.numbering), sought.size)
        return np.bincount(digits.ravel(), minlength=len(self.numbering)), (sought.size, [sorted(rare & keys) for keys in held])

    def give_up_in_parts(self, rare: RareInParts) -> Iterable[int]:
        given = [self._with_keys(number, part, rare.keys) for number, part in enumerate(self.parts)]
        self.parts = [table for part in given for table in worker.with_less(rare.sought, 0, part)]
        return {node for part in self.parts for gone in part.column("gone").to_pylist() for node in gone}

    def words_kept(self) -> int:
        return sum(item == node for part in self.parts for pair in _pairs(part) for item, node in pair)

    def published(self) -> dict[int, list[str]]:
        """The names that each record publishes, by its number."""
        tables = [table for part in self.parts for table in worker.named(self.numbering, 0, part)]
        rows = [row for table in tables for row in zip(table.column("record").to_pylist(), table.column("items").to_pylist(), strict=True)]
        return {record % PARTS: sorted(items) for record, items in rows}

    def _with_keys(self, number: int, part: pa.Table, found: list[Any]) -> pa.Table:
        """The records of a part with the keys of rare sets that it holds, as they are sent to it."""
        sent = [(key, size) for size, keys in found for key in keys[number]]
        rows = pa.table({"key": pa.array([key for key, _ in sent], pa.int64()), "size": pa.array([size for _, size in sent], pa.int64())})
        return pa.concat_tables([part, rows], promote_options="default") if found else part


def _pairs(part: pa.Table) -> Iterable[Iterable[tuple[int, int]]]:
    """Each item of each record, and what it is published as."""
    columns = (part.column(name).to_pylist() for name in ("items", "shown"))
    return [zip(*row, strict=True) for row in zip(*columns, strict=True)]


def in_parts(bags: Bags, tree: Taxonomy, parts: int) -> list[pa.Table]:
    """Records of a tree in tables as workers store them, those of a person in one part; what is below `unlisted` are words."""
    known = len(tree) if tree.unlisted is None else tree.unlisted + 1
    rows = [bags.items[a:b].tolist() for a, b in zip(bags.indptr[:-1], bags.indptr[1:], strict=True)]
    tables = []
    for part in range(parts):
        mine = np.flatnonzero(bags.owners % parts == part).tolist()
        columns: dict[str, Any] = {name: [[] for _ in mine] for name in RECORDS.names}
        columns |= {"kind": [0] * len(mine), "record": [part * PARTS + i for i in mine], "owner": bags.owners[mine].tolist()}
        columns["nodes"] = [[node for node in rows[i] if node < known] for i in mine]
        columns["words"] = [[tree.names.names[node] for node in rows[i] if node >= known] for i in mine]
        tables.append(pa.table({name: pa.array(columns[name], RECORDS.field(name).type) for name in RECORDS.names}))
    return tables


def numbering_of(bags: Bags, tree: Taxonomy, k: int) -> worker.Numbering:
    """The tree without its words, and the words that k people hold."""
    fitted = Fitted.of(tree, np.arange(len(tree), dtype=np.int32))
    holders = {(int(item), int(owner)) for item, owner in zip(bags.items, np.repeat(bags.owners, np.diff(bags.indptr)), strict=True)}
    people = Counter(item for item, _ in holders)
    words = [tree.names.names[item] for item in sorted(people) if item >= len(fitted.names) and people[item] >= k]
    return worker.Numbering(fitted, pl.Series("item", words, pl.String))
