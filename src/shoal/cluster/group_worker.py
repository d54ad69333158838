"""Grouping on the workers: hashes for the sample, leaves of the fixed cuts, and the groups of one range."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
import pyarrow as pa

from shoal.cluster.arrow_schemas import DRAWN, HASHES, PUBLISHED, SAMPLED, Fitted, bags_of, list_array, present_in, words_in
from shoal.cluster.exchange import Step
from shoal.data.bags import Bags, Ints
from shoal.engines.ranges import Cuts, Hashes, Size, drawn_times, formed_range, hashes_of, leaves_of
from shoal.kinds.bags.write import by_name
from shoal.methods.bases.grouping import GroupingMethod
from shoal.methods.bases.release_builder import within_floor
from shoal.util.numbers import distinct

RANGE, LEAF = "range", "leaf"
LEAVES = pa.schema([(LEAF, pa.int64())])


@dataclass(frozen=True, eq=False)
class Drawn:
    """The tree of the records, and the hashes drawn for the sample."""

    fitted: Fitted
    hashes: Hashes


@dataclass(frozen=True, eq=False)
class Frozen:
    """The tree of the records, and the cuts."""

    fitted: Fitted
    cuts: Cuts


@dataclass(frozen=True, eq=False)
class LeafRanges:
    """The range of each leaf, and where the leaf of each record is stored; None if there is only one leaf."""

    of_leaves: Ints
    leaves: Step | None = None

    @property
    def number(self) -> int:
        """The number of ranges."""
        return int(self.of_leaves.max()) + 1


@dataclass(frozen=True, eq=False)
class Grouping:
    """The tree of the records, and the method."""

    fitted: Fitted
    method: GroupingMethod


def hashes(fitted: Fitted, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return the hash of each record."""
    yield pa.table({"hash": _hashes(fitted, present_in(table))[1].view(np.int64)}, HASHES)


def hash_places(partitions: int, table: pa.Table) -> Ints:
    """Return the partition of each hash."""
    return np.asarray(table.column("hash").to_numpy() % partitions, np.int64)


def drawn(size: Size, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return the hashes drawn for the sample, and how often."""
    if len(table):
        found, here = np.unique(table.column("hash").to_numpy().view(np.uint64), return_counts=True)
        times = drawn_times(found, here.astype(np.int64), size)
        chosen = times > 0
        yield pa.table({"hash": found[chosen].view(np.int64), "times": times[chosen]}, DRAWN)


def sampled(sample: Drawn, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return the contents of records whose hash was drawn, with unknown words as their common node."""
    bags, found = _hashes(sample.fitted, present_in(table))
    chosen = np.flatnonzero(np.isin(found, sample.hashes))
    held = bags.select(chosen)
    lists = {name: list_array(held.indptr, values) for name, values in (("nodes", held.items), ("counts", held.counts))}
    yield pa.table({"hash": found[chosen].view(np.int64), **lists}, SAMPLED)


def different(nothing: None, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return the distinct rows."""
    if len(table):
        frame = pl.from_arrow(table)
        assert isinstance(frame, pl.DataFrame)
        yield frame.unique().to_arrow().cast(table.schema)


def leaves(frozen: Frozen, part: int, table: pa.Table) -> Iterator[pa.Table | str]:
    """Return the leaf of each non-empty record, and the number of people in each leaf: all records of a person are here."""
    bags = bags_of(present_in(table), frozen.fitted, frozen.fitted.coarse())
    found, n = leaves_of(bags, frozen.cuts), max(1, bags.n_owners)
    people = distinct(found * n + bags.owners) // n
    yield json.dumps(np.bincount(people, minlength=frozen.cuts.leaves).tolist())
    yield pa.table({LEAF: found}, LEAVES)


def with_range(ranges: LeafRanges, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return the non-empty records, each with its range."""
    held = present_in(table)
    leaf = np.zeros(len(held), np.int64) if ranges.leaves is None else ranges.leaves.part(part).column(LEAF).to_numpy()
    yield held.append_column(RANGE, pa.array(ranges.of_leaves[leaf], pa.int64()))


def range_places(table: pa.Table) -> Ints:
    """Return the range of each record."""
    return np.asarray(table.column(RANGE).to_numpy(), np.int64)


def published_ranges(grouping: Grouping, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return the outcome of every record of the range in this partition."""
    yield published_range(grouping, table) if len(table) else PUBLISHED.empty_table()


def published_range(grouping: Grouping, table: pa.Table) -> pa.Table:
    """Return the outcome of every record of one range: records of groups that share nothing below the floor are marked as suppressed."""
    tree = grouping.fitted.with_words(words_in(table))
    bags = bags_of(table, grouping.fitted, tree)
    groups, published = formed_range(grouping.method.form_groups, bags, tree)
    published = within_floor(published, tree)
    withheld = (published.lengths == 0)[groups] if tree.barred is not None else np.zeros(len(groups), bool)
    names = by_name(published).to_polars()
    lists = names.gather(pl.Series(groups).set(pl.Series(withheld), None)).to_arrow().cast(pa.list_(pa.string()))
    return pa.table({"record": table.column("record"), "items": lists, "withheld": withheld}, PUBLISHED)


def _hashes(fitted: Fitted, table: pa.Table) -> tuple[Bags, Hashes]:
    tree = fitted.coarse()
    bags = bags_of(table, fitted, tree)
    return bags, hashes_of(bags, tree)


def sample_of(rows: pa.Table, fitted: Fitted) -> tuple[Bags, Hashes]:
    """Return the sampled contents and their hashes on the driver."""
    frame = pl.from_arrow(rows)
    assert isinstance(frame, pl.DataFrame)
    sizes = frame["nodes"].list.len().to_numpy().astype(np.int64)
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    items, counts = (frame[name].explode().to_numpy().astype(np.int32) for name in ("nodes", "counts"))
    return Bags.from_rows(indptr, items, counts, fitted.coarse().names), frame["hash"].to_numpy().view(np.uint64)
