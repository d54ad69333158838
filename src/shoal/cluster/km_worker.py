"""What every place of every record publishes, on the workers, while items are published from below: the steps of `cpp/cuts/ascend.cpp`.

A place is an item of a record. Nodes of the tree have their numbers there, and words that the taxonomy lacks and k people hold the numbers
behind them. Other words have none: no set may hold them, so they are never published, and next in turn is the node of all unknown words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa

from shoal.cluster.arrow_schemas import NUMBERS, PUBLISHED, STRANGE, Fitted, list_array, lists_of
from shoal.cluster.itemset_counts import owned_sets
from shoal.cluster.read_events import record_places
from shoal.data.bags import Bags, Ints, Small, Vocabulary
from shoal.errors import GuaranteeNotMet
from shoal.itemsets.greedy_cover import given_up
from shoal.itemsets.itemset_counts import Known, among_keys, held_sets, key_digits, tallied_sets
from shoal.kinds.bags.write import by_name

NOTHING, RARE = -1, -2  # nothing is published; a word without a number
Mask = npt.NDArray[np.bool_]
PLACES = pa.schema(
    [("record", pa.int64()), ("owner", pa.int64()), *((name, NUMBERS) for name in ("items", "shown", "above", "fresh", "gone"))]
)
"""Records as places: the item of each, what it publishes, what would be tried next, whether it publishes something only since this step.

Beside them is what the record gave up last.
"""
NODES = pa.schema([("node", pa.int64()), ("people", pa.int64()), ("records", pa.int64()), ("fresh", pa.int64())])
SETS = pa.schema([("key", pa.int64()), ("part", pa.int64()), ("people", pa.int64())])


@dataclass(frozen=True, eq=False)
class Numbering:
    """The tree without the words that it lacks, and those words that k people hold, in the order of their names."""

    fitted: Fitted
    words: pl.Series

    def __len__(self) -> int:
        return len(self.fitted.names) + len(self.words)

    @cached_property
    def names(self) -> Vocabulary:
        """The names of all that has a number."""
        return Vocabulary(pl.concat([self.fitted.names, self.words.rename("item")]))

    @cached_property
    def parent(self) -> Small:
        """What is above each of them."""
        unlisted = self.fitted.unlisted
        return np.concatenate([self.fitted.parent, np.full(len(self.words), NOTHING if unlisted is None else unlisted, np.int32)])

    @cached_property
    def publishable(self) -> Mask:
        """Which of them may be published."""
        barred = self.fitted.barred
        free = np.ones(len(self), bool)
        free[: len(self.fitted.names)] = True if barred is None else ~barred
        return free


@dataclass(frozen=True, eq=False)
class Settling:
    """Items that are published everywhere before all others."""

    numbering: Numbering
    settled: Mask


@dataclass(frozen=True, eq=False)
class Frequent:
    """Some of the numbers, in order, as items of sets that are counted."""

    numbers: Ints
    names: Vocabulary
    column = "items"

    def __len__(self) -> int:
        return len(self.numbers)

    def bags_in(self, table: pa.Table) -> Bags:
        """Those of each record."""
        begins, items = lists_of(table, self.column)
        code = np.full(len(self.names) - RARE, NOTHING, np.int32)  # the last ones are for what has no number
        code[self.numbers] = np.arange(len(self.numbers))
        few = Vocabulary(self.names.names.gather(self.numbers))
        return owned_sets(begins, code[items.to_numpy(zero_copy_only=False)], few, table)


@dataclass(frozen=True, eq=False)
class Sought:
    """Which sets are looked for: of so many nodes, none of them rare alone (`left_out`), with one at least that changed."""

    size: int
    numbering: Numbering
    left_out: Mask
    wanted: Mask
    everywhere: Ints = field(default_factory=lambda: np.zeros(0, np.int64))


# -- places


def first_places(given: Settling, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Records as places that publish nothing but settled items."""
    fitted, words = given.numbering.fitted, Vocabulary(given.numbering.words)
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
    settled = (items >= 0) & given.settled[items]
    shown = np.where(settled & given.numbering.publishable[items], items, NOTHING)
    nothing = np.zeros(len(items), np.int32)
    yield _table(table, np.concatenate([[0], np.cumsum(sizes + more)]), items, shown, np.where(settled, 0, items), nothing, ([], []))


def lifted(given: Numbering, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """What publishes nothing yet publishes one level more than was tried before."""
    begins, items, shown, above, _ = _columns(table)
    tries = (shown < 0) & (above > 0) & given.publishable[above]
    unlisted = 0 if given.fitted.unlisted is None else given.fitted.unlisted
    behind = np.where(above == RARE, unlisted, np.where(tries, given.parent[above], above))
    yield _table(table, begins, items, np.where(tries, above, shown), behind, tries, ([], []))


def named(given: Numbering, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """What the records publish, by name."""
    lists = by_name(_bags(given, table)).to_polars().to_arrow().cast(pa.list_(pa.string()))
    yield pa.table({"record": table.column("record"), "items": lists, "withheld": np.zeros(len(table), bool)}, PUBLISHED)


# -- counting


def counted_items(given: Numbering, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """People and records of each item that has a number."""
    begins, items, *_ = _columns(table)
    yield _counted_nodes(owned_sets(begins, items, given.names, table), np.zeros(0, np.int64))


def counted_nodes(given: Numbering, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """People and records of each node that is published, and whether it is fresh somewhere."""
    _, _, shown, _, fresh = _columns(table)
    yield _counted_nodes(_bags(given, table), np.unique(shown[fresh > 0]))


def counted_sets(given: Sought, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """The sets that are sought in the records that are here, and the people who hold them here."""
    records, keys = _records_and_keys(table)
    if not len(records):
        return
    here = record_places(records)[:1]
    for found, people in tallied_sets(_bags(given.numbering, records, given.left_out), _known(given, given.size, keys)):
        yield pa.table({"key": found, "part": np.repeat(here, len(found)), "people": people}, SETS)


def _known(given: Sought, size: int, keys: dict[int, Ints]) -> Known:
    """Sets of this size that are sought; those of three hold no rare set of two."""
    pairs = None if size == 2 else keys.get(2, np.zeros(0, np.int64))
    return Known(len(given.numbering), pairs, rare=True, wanted=given.wanted)


def _counted_nodes(bags: Bags, fresh: Ints) -> pa.Table:
    holders = np.repeat(bags.owners, np.diff(bags.indptr))
    nodes, records = np.unique(bags.items, return_counts=True)
    people = np.unique(np.stack([bags.items.astype(np.int64), holders]), axis=1)[0]
    counts = np.unique(people, return_counts=True)[1]
    columns = {"node": nodes.astype(np.int64), "people": counts, "records": records, "fresh": np.isin(nodes, fresh).astype(np.int64)}
    return pa.table({name: pa.array(values, pa.int64()) for name, values in columns.items()}, NODES)


# -- giving up


def with_less(given: Sought, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """The records after each gave up, of what is fresh in it, what hits its rare sets: those of one node, and those sent here."""
    records, keys = _records_and_keys(table)
    if not len(records):
        return
    begins, items, shown, above, fresh = _columns(records)
    n = len(given.numbering)
    record = np.repeat(np.arange(len(records), dtype=np.int64), np.diff(begins))
    place = np.where(shown >= 0, record * n + shown, NOTHING)
    settled = np.unique(place[(shown >= 0) & (fresh == 0)])
    may = np.setdiff1d(place[(shown >= 0) & (fresh > 0)], settled)
    lost = np.union1d(may[given.left_out[may % n]], _hitting(given, records, keys, may))
    gone = among_keys(lost, place)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(lost // n, minlength=len(records)))])
    yield _table(records, begins, items, np.where(gone, NOTHING, shown), above, fresh, (indptr, lost % n))


def _hitting(given: Sought, records: pa.Table, keys: dict[int, Ints], may: Ints) -> Ints:
    """What the records give up for their rare sets of two nodes and more."""
    bags, n = _bags(given.numbering, records, given.left_out), len(given.numbering)
    found: list[tuple[Ints, Ints]] = []
    for size, rare in keys.items():
        for record, held in held_sets(_by_record(bags), _known(given, size, keys)):
            mine = among_keys(rare, held)
            sets = np.full((int(mine.sum()), given.size), NOTHING, np.int64)
            sets[:, :size] = key_digits(held[mine], n, size)
            found.append((record[mine], sets))
    if not found:
        return np.zeros(0, np.int64)
    return given_up(np.concatenate([record for record, _ in found]), np.concatenate([sets for _, sets in found]), may, given.everywhere)


# -- tables


def part_places(table: pa.Table) -> Ints:
    """The partition of records and of keys: that in which the records were made."""
    return record_places(table) if "record" in table.column_names else table.column("part").to_numpy().astype(np.int64)


def _records_and_keys(table: pa.Table) -> tuple[pa.Table, dict[int, Ints]]:
    """The records of a table, and the keys, rising, of rare sets of each size that came with them."""
    if "key" not in table.column_names:
        return table, {}
    if "record" not in table.column_names:
        return table.slice(0, 0), {}
    of_keys = table.column("key").is_valid()
    sent = table.filter(of_keys).select(["key", "size"])
    sizes, keys = sent.column("size").to_numpy(), sent.column("key").to_numpy()
    found = {int(size): np.unique(keys[sizes == size]) for size in np.unique(sizes)}
    return table.filter(table.column("record").is_valid()).select(PLACES.names), found


def _bags(given: Numbering, table: pa.Table, left_out: Mask | None = None) -> Bags:
    """What the records publish, without some of it."""
    begins, _, shown, _, _ = _columns(table)
    kept = shown if left_out is None else np.where((shown >= 0) & ~left_out[shown], shown, NOTHING)
    return owned_sets(begins, kept, given.names, table)


def _by_record(bags: Bags) -> Bags:
    """The same with every record for itself."""
    return Bags(bags.indptr, bags.items, bags.counts, np.arange(len(bags), dtype=np.int64), bags.vocabulary)


def _columns(table: pa.Table) -> tuple[Ints, Small, Small, Small, Small]:
    """Where the places of each record begin, and what is said about all places."""
    begins, items = lists_of(table, "items")
    shown, above, fresh = (lists_of(table, name)[1].to_numpy(zero_copy_only=False) for name in ("shown", "above", "fresh"))
    return begins, items.to_numpy(zero_copy_only=False), shown, above, fresh


def _table(table: pa.Table, begins: Ints, items: Any, shown: Any, above: Any, fresh: Any, gone: tuple[Any, Any]) -> pa.Table:
    """Records of places; `gone` says where the lists of what was given up begin, and what they hold."""
    said = {"items": items, "shown": shown, "above": above, "fresh": fresh}
    lists = {name: list_array(begins, np.asarray(values, np.int32), pa.int32()) for name, values in said.items()}
    indptr, nodes = gone if len(gone[0]) else (np.zeros(len(table) + 1, np.int64), np.zeros(0, np.int32))
    lists["gone"] = list_array(indptr, np.asarray(nodes, np.int32), pa.int32())
    return pa.table({"record": table.column("record"), "owner": table.column("owner"), **lists}, PLACES)
