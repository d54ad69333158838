"""Search from below on the workers: what the records of one partition publish, their itemsets, and what they give up.

The steps and their order are those of `itemsets/km_from_below.py`. Nodes of the tree are numbered as there. Items that the taxonomy lacks
get the next numbers if k people have them. All other items have no number: no set may contain them, so they are never published, and the
node of all unknown items is tried instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from shoal import _kernels
from shoal.cluster.arrow_schemas import NUMBERS, PUBLISHED, STRANGE, Fitted, list_array, lists_of, present_in
from shoal.cluster.itemset_counts import owned_sets
from shoal.cluster.read_events import record_places
from shoal.data.bags import Bags, Ints, Vocabulary
from shoal.errors import GuaranteeNotMet
from shoal.itemsets.itemset_counts import Known, among_keys, held_sets, key_digits, tallied_sets
from shoal.itemsets.km_from_below import NOTHING, Mask, Places, PublishableTree
from shoal.kinds.bags.write import by_name

RARE = -2  # a word without a number
COLUMNS = ("items", "shown", "above", "fresh")
PLACES = pa.schema([("record", pa.int64()), ("owner", pa.int64()), *((name, NUMBERS) for name in (*COLUMNS, "gone"))])
"""Records as places (`Places`), and what each record gave up last."""
NODES = pa.schema([("node", pa.int64()), ("people", pa.int64()), ("records", pa.int64()), ("fresh", pa.int64())])
SETS = pa.schema([("key", pa.int64()), ("part", pa.int64()), ("people", pa.int64())])


@dataclass(frozen=True, eq=False)
class Numbering:
    """The tree without unknown words, and the unknown words of k people, sorted by name."""

    fitted: Fitted
    words: pl.Series

    def __len__(self) -> int:
        return len(self.fitted.names) + len(self.words)

    @cached_property
    def names(self) -> Vocabulary:
        """The names of all numbers."""
        return Vocabulary(pl.concat([self.fitted.names, self.words.rename("item")]))

    @cached_property
    def ladder(self) -> PublishableTree:
        """The parent of each of them, and which may be published."""
        unlisted, barred = self.fitted.unlisted, self.fitted.barred
        above = np.full(len(self.words), NOTHING if unlisted is None else unlisted, np.int32)
        free = np.ones(len(self), bool)
        free[: len(self.fitted.names)] = True if barred is None else ~barred
        return PublishableTree(np.concatenate([self.fitted.parent, above]), free)


@dataclass(frozen=True, eq=False)
class Settling:
    """Items that are published everywhere before all others."""

    numbering: Numbering
    settled: Mask | None


@dataclass(frozen=True, eq=False)
class FrequentNumbers:
    """Some of the numbers, sorted, as items of counted sets."""

    numbers: Ints
    names: Vocabulary
    column = "items"

    def __len__(self) -> int:
        return len(self.numbers)

    def bags_in(self, table: pa.Table) -> Bags:
        """Return those of each record."""
        begins, items = lists_of(table, self.column)
        code = np.full(len(self.names) - RARE, NOTHING, np.int32)  # the last ones are for what has no number
        code[self.numbers] = np.arange(len(self.numbers))
        few = Vocabulary(self.names.names.gather(self.numbers))
        return owned_sets(begins, code[items.to_numpy(zero_copy_only=False)], few, table)


@dataclass(frozen=True, eq=False)
class Sought:
    """The sets to search for: of this many nodes, none of them rare alone (`left_out`), with at least one that changed (`wanted`).

    When all are found, `everywhere` has the number of sets with each node.
    """

    size: int
    numbering: Numbering
    left_out: Mask
    wanted: Mask
    everywhere: Ints = field(default_factory=lambda: np.zeros(0, np.int64))


# -- occurrences


def present_rows(nothing: None, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return the non-empty records."""
    yield present_in(table).select(["record", "owner", "nodes", "words"])


def first_places(settling: Settling, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return records that publish only settled items."""
    fitted, words = settling.numbering.fitted, Vocabulary(settling.numbering.words)
    starts, nodes = lists_of(table, "nodes")
    begins, named = lists_of(table, "words")
    known = fitted.renumbered[nodes.to_numpy(zero_copy_only=False)]
    if (known < 0).any():
        raise GuaranteeNotMet(STRANGE, code="cluster-result-inconsistent", hint="nothing was written")
    held = pl.from_arrow(named)
    assert isinstance(held, pl.Series)
    codes = words.codes(held.cast(pl.String))
    sizes, more = np.diff(starts), np.diff(begins)
    rows = np.concatenate([np.repeat(np.arange(len(sizes)), sizes), np.repeat(np.arange(len(more)), more)])
    order = np.argsort(rows, kind="stable")
    items = np.concatenate([known, np.where(codes < 0, RARE, len(fitted.names) + codes)]).astype(np.int32)[order]
    begins = np.concatenate([[0], np.cumsum(sizes + more)])
    yield _table(table, Places.first(begins, items, settling.numbering.ladder, settling.settled))


def lifted(numbering: Numbering, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Publish one level more than was tried before, where nothing is published; words without a number only move on."""
    before = _places(table)
    unlisted = 0 if numbering.fitted.unlisted is None else numbering.fitted.unlisted
    after = before.lifted(numbering.ladder)
    yield _table(table, replace(after, above=np.where(before.above == RARE, unlisted, after.above)))


def named(numbering: Numbering, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return what the records publish, by name."""
    lists = by_name(_bags(numbering, table)).to_polars().to_arrow().cast(pa.list_(pa.string()))
    yield pa.table({"record": table.column("record"), "items": lists, "withheld": np.zeros(len(table), bool)}, PUBLISHED)


# -- counting


def counted_items(numbering: Numbering, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Count the people and records of each numbered item."""
    places = _places(table)
    yield _counted_nodes(owned_sets(places.begins, places.items, numbering.names, table), np.zeros(0, np.int64))


def counted_nodes(numbering: Numbering, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Count the people and records of each published node, and whether it is new somewhere."""
    places = _places(table)
    yield _counted_nodes(_bags(numbering, table), np.unique(places.shown[places.fresh > 0]))


def counted_sets(sought: Sought, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Count the sought sets in the records of this partition, in people."""
    records, keys = _records_and_keys(table)
    if not len(records):
        return
    here = record_places(records)[:1]
    for found, people in tallied_sets(_bags(sought.numbering, records, sought.left_out), _known(sought, sought.size, keys)):
        yield pa.table({"key": found, "part": np.repeat(here, len(found)), "people": people}, SETS)


def _known(sought: Sought, size: int, keys: dict[int, Ints]) -> Known:
    """Return the sought sets of this size; those of three contain no rare set of two."""
    pairs = None if size == 2 else keys.get(2, np.zeros(0, np.int64))
    return Known(len(sought.numbering), pairs, rare=True, wanted=sought.wanted)


def _counted_nodes(bags: Bags, fresh: Ints) -> pa.Table:
    holders = np.repeat(bags.owners, np.diff(bags.indptr))
    nodes, records = np.unique(bags.items, return_counts=True)
    people = np.unique(np.stack([bags.items.astype(np.int64), holders]), axis=1)[0]
    counts = np.unique(people, return_counts=True)[1]
    columns = {"node": nodes.astype(np.int64), "people": counts, "records": records, "fresh": np.isin(nodes, fresh).astype(np.int64)}
    return pa.table({name: pa.array(values, pa.int64()) for name, values in columns.items()}, NODES)


# -- giving up


def with_less(sought: Sought, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return the records after each gave up new nodes of its rare sets: those of one node, and those sent here."""
    records, keys = _records_and_keys(table)
    if not len(records):
        return
    places = _places(records)
    removed = places.removed_places(_rare_sets(sought, records, places, keys), sought.everywhere)
    yield _table(records, places.without(removed), removed=np.where(removed, places.shown, NOTHING))


def _rare_sets(sought: Sought, records: pa.Table, places: Places, keys: dict[int, Ints]) -> _kernels.RareSets:
    """Return the rare sets in the records: of one node, and of two and more, whose keys are known."""
    record = np.repeat(np.arange(len(records), dtype=np.int64), np.diff(places.begins))
    alone = np.flatnonzero(sought.left_out)
    lone = (places.shown >= 0) & sought.left_out[places.shown]
    sets, holders = [alone.reshape(-1, 1)], [(record[lone], np.searchsorted(alone, places.shown[lone]))]
    bags, n, before = _by_record(_bags(sought.numbering, records, sought.left_out)), len(sought.numbering), len(alone)
    for size, rare in keys.items():
        for owners, held in held_sets(bags, _known(sought, size, keys)):
            mine = among_keys(rare, held)
            holders.append((owners[mine], before + np.searchsorted(rare, held[mine])))
        sets.append(key_digits(rare, n, size))
        before += len(rare)
    start = np.concatenate([[0], np.cumsum(np.concatenate([np.full(len(level), level.shape[1]) for level in sets]))])
    nodes = np.concatenate([level.ravel() for level in sets])
    owners, set_numbers = (np.concatenate([pair[side] for pair in holders]) for side in (0, 1))
    return _kernels.RareSets(start.astype(np.int64), nodes.astype(np.int32), owners.astype(np.int32), set_numbers.astype(np.int32))


# -- tables


def part_places(table: pa.Table) -> Ints:
    """Return the partition of records and of keys: the one in which the records were made."""
    return record_places(table) if "record" in table.column_names else table.column("part").to_numpy().astype(np.int64)


def _records_and_keys(table: pa.Table) -> tuple[pa.Table, dict[int, Ints]]:
    """Return the records of a table, and the sorted keys of rare sets of each size that came with them."""
    if "key" not in table.column_names:
        return table, {}
    if "record" not in table.column_names:
        return table.slice(0, 0), {}
    of_keys = table.column("key").is_valid()
    sent = table.filter(of_keys).select(["key", "size"])
    sizes, keys = sent.column("size").to_numpy(), sent.column("key").to_numpy()
    found = {int(size): np.unique(keys[sizes == size]) for size in np.unique(sizes)}
    return table.filter(table.column("record").is_valid()).select(PLACES.names), found


def _bags(numbering: Numbering, table: pa.Table, left_out: Mask | None = None) -> Bags:
    """Return what the records publish, without some of it."""
    places = _places(table)
    if left_out is not None:
        places = places.without((places.shown >= 0) & left_out[places.shown])
    return owned_sets(places.begins, places.shown, numbering.names, table)


def _by_record(bags: Bags) -> Bags:
    """Return the same with every record separate."""
    return Bags(bags.indptr, bags.items, bags.counts, np.arange(len(bags), dtype=np.int64), bags.vocabulary)


def _places(table: pa.Table) -> Places:
    """Return the occurrences of a table's records."""
    columns = {name: lists_of(table, name) for name in COLUMNS}
    begins = columns["items"][0]
    items, shown, above, fresh = (values.to_numpy(zero_copy_only=False) for _, values in columns.values())
    return Places(begins, items, shown, above, fresh.astype(np.uint8))


def _table(table: pa.Table, places: Places, removed: Any = None) -> pa.Table:
    """Return records of occurrences; `removed` has the node given up for each, or NOTHING."""
    lists = {name: list_array(places.begins, np.asarray(getattr(places, name), np.int32), pa.int32()) for name in COLUMNS}
    nodes = np.full(len(places.items), NOTHING) if removed is None else removed
    ends = np.concatenate([[0], np.cumsum(nodes >= 0)])
    lists["gone"] = list_array(ends[places.begins], nodes[nodes >= 0].astype(np.int32), pa.int32())
    return pa.table({"record": table.column("record"), "owner": table.column("owner"), **lists}, PLACES)
