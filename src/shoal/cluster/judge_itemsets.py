"""Verification of itemset claims on a cluster.

The judge uses none of the method's counts, and none of its code. It takes the sets from the published records, and the people from the
original records: each task counts the people of each set in its partition, and the task of the set adds them up. The driver gets sums, the
minimum number of people per set, and the names of published items that k people have.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from shoal.cluster.arrow_schemas import NUMBERED_NAMES, WORDS, frame_as, numbers_and_names
from shoal.cluster.exchange import ByRemainder, ByText, NumberedPartitions, Step, collected_words, sent, stored
from shoal.cluster.spark import Cluster
from shoal.data.bags import Bags, Ints, Small, Vocabulary
from shoal.errors import GuaranteeNotMet, Infeasible, option
from shoal.io.step_files import published_in
from shoal.privacy.evidence.known_sets import AttackerKnowledge, CountedSets
from shoal.privacy.evidence.numbered_words import different_pairs

SHOWN_ITEMS = pa.schema([("place", pa.int64()), ("row", pa.int64()), ("owner", pa.int64()), ("items", NUMBERED_NAMES)])
"""A published record: a random number that says where it is written, the row of its original in its partition, its person and items."""
HELD = pa.schema([("item", pa.string()), ("people", pa.int64()), ("before", pa.int64()), ("left", pa.int64())])
"""An item of a partition: the people who publish it, the records that had it, and those of them that publish it."""
SETS = pa.schema([("key", pa.int64()), ("people", pa.int64())])
CONTENTS = pa.schema([("content", pa.large_binary()), ("made", pa.int64()), ("written", pa.int64())])
"""The numbers of a record's items, sorted, as bytes, and how often it was made, or written."""
SETS_AT_ONCE = 1 << 22
LARGEST_KEY = 1 << 62
DIFFERENT_FILES = "the files do not contain the records of the release"


@dataclass(frozen=True)
class ShownRecords:
    """Published records: as they were made, or in the files of a release, where each counts as a person.

    Attributes:
        k: How many people must have a set.
        step: Where they are stored, as they were made.
        parts: The number of partitions.
        files: The files.
        originals: Where the original records are stored, if items are suppressed everywhere or nowhere.
    """

    k: int
    parts: int
    step: Step | None = None
    files: tuple[Path, ...] = ()
    originals: Step | None = None

    @property
    def source(self) -> Step | NumberedPartitions:
        """Return where tasks read them."""
        return NumberedPartitions(len(self.files)) if self.step is None else self.step

    def read(self, table: pa.Table) -> tuple[Ints, Small, pl.Series, Ints]:
        """Return the records of a task: offsets, items as numbers of names, the names, sorted, and the person of each record."""
        if self.step is None:
            lists = pl.concat([published_in(self.files[number]) for number in table.column("id").to_pylist()])
            table = pa.table([lists.to_arrow().cast(WORDS), np.arange(len(lists))], names=["items", "owner"])
        starts, items, names = numbers_and_names(table)
        order = names.arg_sort().to_numpy()
        rank = np.empty(len(order), np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        return starts, rank[items], names.gather(order), table.column("owner").to_numpy()


@dataclass(frozen=True, eq=False)
class SetsToCount:
    """The published records, their items by name, sorted, and the size of the sets."""

    shown: ShownRecords
    names: pl.Series
    size: int


@dataclass(frozen=True, eq=False)
class NumberedContents:
    """The published records, and their items by name."""

    shown: ShownRecords
    names: pl.Series


@dataclass(frozen=True)
class KnownSetsJudged:
    """Counted sets, other sums over the records, and the names of their items, if enough people have each."""

    sets: CountedSets
    sums: Counter[str]
    names: tuple[str, ...] = field(default=(), repr=False)


# -- on the driver


def counted_known_sets(cluster: Cluster, shown: ShownRecords, knowledge: AttackerKnowledge) -> KnownSetsJudged:
    """Count all sets of up to this many items in published records, by people if one has several records.

    The empty set comes first, then single items, and so on. Counting stops at the first size with too rare sets, because the claim fails.
    """
    held = sent(cluster, "held", [(shown.source, held_items)], shown, ByText("item", shown.parts), shown.parts)
    sums, names, level = Counter[str](), list[str](), list[dict[str, Any]]()
    for word in map(json.loads, held.words):
        sums.update(word)
    for word in map(json.loads, collected_words(cluster, held, judged_items, shown.k)):
        names += word.pop("names")
        sums["changed"] += word.pop("changed")
        level.append(word)
    people = sums["people"]
    counted = CountedSets(people=people < sums["records"])
    counted = counted.with_level(0, _level([{"counted": int(people > 0), "fewest": people, "few": int(0 < people < knowledge.k)}]))
    for size in range(1, knowledge.most + 1):
        if counted.unsafe:
            break
        if size > 1:
            level = _sets_of_size(cluster, SetsToCount(shown, pl.Series("item", sorted(names), dtype=pl.String), size))
        counted = counted.with_level(size, found := _level(level))
        if not found["counted"]:
            break
    return KnownSetsJudged(counted, sums, tuple(sorted(names)))


def _sets_of_size(cluster: Cluster, asked: SetsToCount) -> list[dict[str, Any]]:
    """Count the people of each set of this size; return sums of each partition."""
    n, parts = len(asked.names), asked.shown.parts
    if n**asked.size > LARGEST_KEY:
        what = f"sets of {asked.size} of {n:,} items are too many to count on a cluster"
        raise Infeasible(what, code="too-many-itemsets", hint=f"other records ({option('per')}), or a greater k", value=n)
    held = sent(cluster, "known", [(asked.shown.source, people_of_sets)], asked, ByRemainder("key", parts), parts)
    return [json.loads(word) for word in collected_words(cluster, held, judged_sets, asked.shown.k)]


def _level(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return sets of one size as `CountedSets` takes them: no item is private, and none is named."""
    fewest = min((part["fewest"] for part in parts if part["counted"]), default=0)
    sums = {name: sum(part[name] for part in parts) for name in ("counted", "few")}
    return sums | {"fewest": fewest, "telling": 0, "holders": 0, "cohort": 1, "examples": ()}


def repeated_in(judged: KnownSetsJudged) -> list[str]:
    """Return a fault if items are repeated in a record."""
    repeated = f"{judged.sums['repeated']:,} items are repeated in their record, but the number of repetitions is knowledge too"
    return [repeated] if judged.sums["repeated"] else []


def defects_of(judged: KnownSetsJudged) -> list[str]:
    """Return other faults: repeated items, whose counts would be knowledge too; or changes of the original other than suppression."""
    defects, changed, strange = repeated_in(judged), judged.sums["changed"], judged.sums["strange"]
    if strange:
        defects.append(f"{strange:,} published items match nothing in their record")
    return [*defects, *([f"{changed:,} items were changed in some records but not in all"] if changed else [])]


def insist_on_files(cluster: Cluster, made: ShownRecords, written: ShownRecords, names: Sequence[str]) -> int:
    """Raise unless every record is written as often as it was made; return the number of different records. `names` are their items."""
    parts, items = made.parts, pl.Series("item", names, dtype=pl.String)
    by_content = ByText("content", parts)
    there = sent(cluster, "made", [(made.source, contents_of)], NumberedContents(made, items), by_content, parts)
    contents, _ = stored(cluster, there, summed_contents, None, "contents")
    files = sent(cluster, "written", [(written.source, contents_of)], NumberedContents(written, items), by_content, parts)
    sums = Counter[str]()
    for word in collected_words(cluster, files, compared_contents, contents):
        sums.update(json.loads(word))
    if sums["differing"]:
        raise GuaranteeNotMet(DIFFERENT_FILES, code="files-differ-from-release", hint="nothing was written")
    return sums["different"]


# -- on the workers: single items


def held_items(shown: ShownRecords, part: int, table: pa.Table) -> Iterator[pa.Table | str]:
    """Return the people of each item of some records, and sums over the records."""
    starts, items, names, owners = shown.read(table)
    row, people = np.repeat(np.arange(len(owners)), np.diff(starts)), len(np.unique(owners))
    repeated = _repeated(row, items.astype(np.int64), len(names))
    yield json.dumps({"records": len(owners), "people": people, "repeated": repeated})
    held = items if people == len(owners) and not repeated else different_pairs(items.astype(np.int64), owners[row])[0]
    yield _of_items(names, people=np.bincount(held, minlength=len(names)))
    if shown.originals is not None:
        yield from _changes(shown.originals.part(part), table.column("row").to_numpy(), starts, items, names)


def _repeated(row: Ints, items: Ints, n: int) -> int:
    """Count the items that are repeated in their record; records that are sorted, as they usually are, need no search."""
    if (np.diff(row * n + items) > 0).all():
        return 0
    return len(items) - len(different_pairs(row, items)[0])


def _changes(originals: pa.Table, rows: Ints, starts: Ints, items: Small, names: pl.Series) -> Iterator[pa.Table | str]:
    """Count the published records whose originals had each item, those that publish it, and published items that are in no original."""
    begins, before, typed = numbers_and_names(originals)
    origin = np.repeat(np.arange(len(begins) - 1), np.diff(begins))
    is_shown = np.zeros(len(begins) - 1, bool)
    is_shown[rows] = True
    origin, before = origin[is_shown[origin]], before[is_shown[origin]]
    width = len(typed) + 1
    held = origin * width + before + 1  # sorted, as records are stored
    sought = np.repeat(rows, np.diff(starts)) * width + Vocabulary(typed).codes(names)[items] + 1
    at = np.minimum(np.searchsorted(held, sought), max(0, len(held) - 1))
    found = held[at] == sought if len(held) else np.zeros(len(sought), bool)
    left = np.zeros(len(held), bool)
    left[at[found]] = True
    yield json.dumps({"strange": int((~found).sum())})
    counts = {"before": np.bincount(before, minlength=len(typed)), "left": np.bincount(before[left], minlength=len(typed))}
    yield _of_items(typed, **counts)


def _of_items(names: pl.Series, **counts: Any) -> pa.Table:
    return pa.table({"item": names.to_arrow(), **counts}).cast(pa.schema([HELD.field(name) for name in ("item", *counts)]))


def judged_items(k: int, part: int, table: pa.Table) -> Iterator[str]:
    """Sum over the items of this partition, and return the names of those that k people publish."""
    items = frame_as(table, HELD).group_by("item").agg(pl.col("people", "before", "left").sum())
    shown = items.filter(pl.col("people") > 0)
    changed = int(((items["left"] > 0) & (items["left"] < items["before"])).sum())
    yield json.dumps(_sums(shown["people"], k) | {"changed": changed, "names": shown.filter(pl.col("people") >= k)["item"].to_list()})


def _sums(people: pl.Series, k: int) -> dict[str, Any]:
    return {"counted": len(people), "fewest": people.min(), "few": int((people < k).sum())}


# -- on the workers: sets of several items


def people_of_sets(asked: SetsToCount, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Count the people of each set of items in some records."""
    starts, items, names, owners = asked.shown.read(table)
    codes = Vocabulary(asked.names).codes(names)[items].astype(np.int64)
    if (codes < 0).any():
        raise GuaranteeNotMet("published items were not counted", code="cluster-result-inconsistent", hint="nothing was written")
    order = np.argsort(owners, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    row, codes = different_pairs(np.repeat(place, np.diff(starts)), codes)
    owners, found = owners[order], [SETS.empty_table()]
    ends = np.searchsorted(row, row, side="right")
    for begin, end in _portions(row, owners, asked.size):
        at, keys = _sets(codes[begin:end], ends[begin:end] - begin, asked.size, len(asked.names))
        keys, _ = different_pairs(keys, owners[row[begin:end][at]])
        different, people = np.unique(keys, return_counts=True)
        found.append(pa.table([different, people], schema=SETS))
    yield pl.DataFrame(pa.concat_tables(found)).group_by("key").agg(pl.col("people").sum()).to_arrow().cast(SETS)


def _portions(row: Ints, owners: Ints, size: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of items with all records of some people, which have few sets together, or are one person."""
    rows, begins, sizes = np.unique(row, return_index=True, return_counts=True)
    held = np.array([comb(n, size) for n in range(int(sizes.max(initial=0)) + 1)], np.float64)[sizes]
    fresh = np.flatnonzero(np.append(True, owners[rows[1:]] != owners[rows[:-1]])[: len(rows)])
    before = np.append(0, np.cumsum(held))[fresh]
    cuts = fresh[np.flatnonzero(np.diff(before // SETS_AT_ONCE, prepend=-1))]
    bounds = np.append(begins[cuts], len(row)).tolist()
    yield from pairwise(bounds)


def _sets(codes: Ints, ends: Ints, size: int, n: int) -> tuple[Ints, Ints]:
    """Return all sets of this many items of a record as keys, and the position of the last item of each.

    Codes of a record are sorted, and end before `ends`. A set is extended by every item behind its last one.
    """
    at, keys = np.arange(len(codes)), codes
    for _ in range(size - 1):
        longer, behind = [(at[:0], keys[:0])], 0
        while len(at):
            behind += 1
            room = at + behind < ends[at]
            at, keys = at[room], keys[room]
            longer.append((at + behind, keys * n + codes[at + behind]))
        at, keys = (np.concatenate(columns) for columns in zip(*longer, strict=True))
    return at, keys


def judged_sets(k: int, part: int, table: pa.Table) -> Iterator[str]:
    """Sum over the sets of this partition."""
    yield json.dumps(_sums(frame_as(table, SETS).group_by("key").agg(pl.col("people").sum())["people"], k))


# -- on the workers: whole records


def contents_of(recorded: NumberedContents, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return the different records, as the numbers of their items, and how often each was made, or is written."""
    starts, items, names, _ = recorded.shown.read(table)
    codes = Vocabulary(recorded.names).codes(names)
    if (codes < 0).any():
        raise GuaranteeNotMet(DIFFERENT_FILES, code="files-differ-from-release", hint="nothing was written")
    bags = Bags.from_rows(starts, codes[items], np.ones(len(items), np.int32), Vocabulary.of_different(recorded.names))
    numbers = np.repeat(bags.items, bags.counts)
    ends = starts.astype(np.int64) * numbers.itemsize
    content = pa.Array.from_buffers(pa.large_binary(), len(bags), [None, pa.py_buffer(ends), pa.py_buffer(numbers)])
    name = "written" if recorded.shown.step is None else "made"
    different = pl.DataFrame(pa.table([content], names=["content"])).group_by("content").agg(pl.len().cast(pl.Int64).alias(name))
    yield different.to_arrow().cast(pa.schema([CONTENTS.field("content"), CONTENTS.field(name)]))


def summed_contents(nothing: None, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Add up how often each record of this partition was made."""
    made = frame_as(table, CONTENTS).group_by("content").agg(pl.col("made", "written").sum())
    yield made.to_arrow().cast(CONTENTS)


def compared_contents(contents: Step, part: int, table: pa.Table) -> Iterator[str]:
    """Count the records of this partition that are written, and those that are not written as often as they were made."""
    both = pl.concat([frame_as(contents.part(part), CONTENTS), frame_as(table, CONTENTS)])
    sums = both.group_by("content").agg(pl.col("made", "written").sum())
    yield json.dumps({"different": int((sums["written"] > 0).sum()), "differing": int((sums["made"] != sums["written"]).sum())})
