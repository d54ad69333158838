"""Search from below on a cluster: the steps of the driver.

The steps are those of `itemsets/km_from_below.py`. The records stay in partitions on the workers, and the driver adds up their counts. Rare
sets are counted by size and sent to the partitions whose records contain them. The driver learns for each node how many people have it, and
in how many rare sets it is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shoal.cluster import itemset_counts as itemsets
from shoal.cluster import km_worker as places
from shoal.cluster.arrow_schemas import PUBLISHED
from shoal.cluster.exchange import Rows, Sent, Step, frame_of, sent, stored, stored_frame, stored_rows
from shoal.cluster.judge_records import Pairing, judged_part, pass_on, summed
from shoal.cluster.prepare import ClusterRecords
from shoal.cluster.read_events import record_places
from shoal.cluster.spark import Cluster, expressions, joined
from shoal.data.bags import Ints
from shoal.errors import Infeasible
from shoal.io.step_files import forget_step
from shoal.itemsets.itemset_counts import LARGEST_KEY
from shoal.itemsets.km_from_below import Mask, both_ways, most_words
from shoal.itemsets.km_recoding import coherent_by_counts

COUNTED = "sum(people) as people", "sum(records) as records", "max(fresh) as fresh"


@dataclass(frozen=True, eq=False)
class NumberCounts:
    """The number of people and of records for each number, and which are new."""

    people: Any
    records: Any
    fresh: Any


@dataclass(frozen=True, eq=False)
class RareInParts:
    """Rare sets: single rare nodes (in `sought`), and for each larger size the keys of the rare sets of that size."""

    sought: places.Sought
    keys: list[Any]

    @property
    def of_several(self) -> bool:
        """Whether some set has two nodes or more."""
        return bool(self.keys)


class RecordsInParts(ABC):
    """Records in partitions, as `itemsets.km_from_below.Records`; all records of a person are in one partition.

    A subclass determines how the functions of `km_worker` run on all partitions. `keys` is the subclass's representation of rare sets and
    the partitions that contain them.
    """

    def __init__(self, numbering: places.Numbering, k: int, most: int) -> None:
        self.numbering, self.k, self.most = numbering, k, most
        self._people: Ints | None = None  # that hold each node, unless this has changed since they were counted

    @abstractmethod
    def lift_parts(self) -> None:
        """Run `lifted` on all partitions."""

    @abstractmethod
    def tally(self, work: Any) -> NumberCounts:
        """Return counts of all numbers: `work` is `counted_nodes` or `counted_items`."""

    @abstractmethod
    def rare_of_size(self, sought: places.Sought, found: list[Any]) -> tuple[Ints, Any]:
        """Run `counted_sets` on all partitions. Returns in how many rare sets of this size each node is, and the keys of these sets.

        `found` has the locations of the rare sets of smaller sizes.
        """

    @abstractmethod
    def give_up_in_parts(self, rare: RareInParts) -> Iterable[int]:
        """Run `with_less` on all partitions. Returns the nodes that were given up."""

    @abstractmethod
    def words_kept(self) -> int:
        """Return the number of items that are published as typed."""

    def lift(self) -> Mask:
        """Publish what is not published yet one level higher."""
        self.lift_parts()
        tally = self.tally(places.counted_nodes)
        self._people = tally.people
        return np.asarray(tally.fresh)

    def rare_sets(self, changed: Mask) -> RareInParts:
        """Count rare sets by size: no set contains a smaller rare one."""
        people = self.tally(places.counted_nodes).people if self._people is None else self._people
        anybody, enough = people > 0, people >= self.k
        sought = places.Sought(1, self.numbering, changed & anybody & ~enough, changed & enough)
        everywhere, found = np.zeros(len(self.numbering), np.int64), list[Any]()
        for size in range(2, self.most + 1):
            if not sought.wanted.any():
                break
            _insist_on_keys(len(self.numbering), size)
            nodes, keys = self.rare_of_size(replace(sought, size=size), found)
            everywhere += nodes
            if nodes.any():
                found.append(keys)
        return RareInParts(replace(sought, everywhere=everywhere), found)

    def give_up(self, rare: RareInParts) -> Mask:
        """Let every record give up nodes of its rare sets."""
        removed = np.zeros(len(self.numbering), bool)
        removed[list(self.give_up_in_parts(rare))] = True
        self._people = None
        return removed


class _Names:
    """The names under which the steps are stored, of which only the last one is read again."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        self.cluster, self.name, self.number = cluster, name, 0

    @property
    def now(self) -> str:
        """Return the name of the current step."""
        return f"{self.name}_{self.number}"

    def go_on(self) -> None:
        """Continue after the step is stored; remove earlier ones."""
        sets = [f"{self.now}_{what}_{size}" for what in ("sets", "rare") for size in range(2, itemsets.LARGEST + 1)]
        for name in [*sets, f"{self.name}_{self.number - 1}"]:
            forget_step(self.cluster.place, name)
        self.number += 1


class RecordsOnCluster(RecordsInParts):
    """Records in the partitions of a Spark data frame; the frame is stored whenever records gave something up."""

    def __init__(self, cluster: Cluster, first: Any, name: str, numbering: places.Numbering, partitions: int, k: int, most: int) -> None:
        super().__init__(numbering, k, most)
        self.cluster, self.partitions = cluster, partitions
        self.held, self._names = first, _Names(cluster, name)

    def lift_parts(self) -> None:
        """Lift lazily: Spark repeats it whenever it reads the records, until they are stored."""
        self.held = self.cluster.map(self.held, places.lifted, self.numbering, places.PLACES)

    def tally(self, work: Any) -> NumberCounts:
        """Add up counts with Spark."""
        people, records, fresh = (np.zeros(len(self.numbering), np.int64) for _ in range(3))
        with frame_of(self.cluster, self.by_part(), work, self.numbering, places.NODES) as made:
            for row in self.cluster.collect(made.groupBy("node").agg(*expressions(*COUNTED))):
                people[row[0]], records[row[0]], fresh[row[0]] = row[1:]
        return NumberCounts(people, records, fresh > 0)

    def rare_of_size(self, sought: places.Sought, found: list[Any]) -> tuple[Ints, Any]:
        """Add up the counts of all partitions with Spark, where the keys of rare sets stay."""
        name, size = self._names.now, sought.size
        counted = stored_frame(self.cluster, self.by_part(*found), places.counted_sets, sought, places.SETS, f"{name}_sets_{size}")
        rare = counted.groupBy("key").agg(*expressions("sum(people) as people")).where(f"people < {self.k}").select("key")
        keys = self.cluster.store(joined(counted.select("key", "part"), rare, "key"), f"{name}_rare_{size}")
        return self._sets_of_nodes(keys, size), keys.selectExpr("key", "part", f"cast({size} as bigint) as size")

    def give_up_in_parts(self, rare: RareInParts) -> Iterable[int]:
        """Send the keys of rare sets to the partitions that contain them."""
        name = self._names.now
        if rare.of_several or rare.sought.left_out.any():
            self.held = stored_frame(self.cluster, self.by_part(*rare.keys), places.with_less, rare.sought, places.PLACES, name)
        else:
            self.held = self.cluster.store(self.held, name)
        self._names.go_on()
        return [row[0] for row in self.cluster.collect(self.held.selectExpr("explode(gone) as node").distinct())]

    def words_kept(self) -> int:
        """Count with Spark."""
        return int(self.cluster.collect(self.held.selectExpr(f"coalesce(sum(size({_LIKE_ITEMS})), 0)"))[0][0])

    def by_part(self, *keys: Any) -> Sent:
        """Return records, and keys of sets, by the partitions of the records."""
        frames = [(Rows(frame), pass_on) for frame in (self.held, *keys)]
        return sent(self.cluster, "places", frames, None, places.part_places, self.partitions)

    def _sets_of_nodes(self, rare: Any, size: int) -> Ints:
        """Count in how many of these sets each node is."""
        n = len(self.numbering)
        digits = ", ".join(f"key div {n**place} % {n}" for place in range(size))
        each = rare.select("key").distinct().selectExpr(f"explode(array({digits})) as node")
        sets = np.zeros(n, np.int64)
        for node, number in self.cluster.collect(each.groupBy("node").agg(*expressions("count(1)"))):
            sets[node] = number
        return sets


def published_from_below(cluster: Cluster, prepared: ClusterRecords, k: int, most: int) -> tuple[Any, int]:
    """Return what is published of all records, and the number of items merged with another item of their record."""
    present, _ = stored(cluster, prepared.records, places.present_rows, None, "present")
    words = itemsets.frequent_items(cluster, present, "words", k)
    numbering = places.Numbering(prepared.fitted, words.held.names)

    def first(settled: Mask | None) -> Any:
        settling = places.Settling(numbering, settled)
        return stored_rows(cluster, present, places.first_places, settling, places.PLACES)

    plain = cluster.store(first(None), "places")

    def begin(settled: Mask | None) -> RecordsOnCluster:
        frame, name = (plain, "plain") if settled is None else (first(settled), "settled")
        return RecordsOnCluster(cluster, frame, name, numbering, prepared.partitions, k, most)

    best = most_words(both_ways(begin, _coherent(begin(None), words.rare))).held
    published = cluster.store(cluster.map(best, places.named, numbering, PUBLISHED), "published")
    shown = "sum(size(filter(shown, node -> node >= 0)))"
    merged = f"coalesce({shown} - sum(size(array_distinct(filter(shown, node -> node >= 0)))), 0)"
    return published, int(cluster.collect(best.selectExpr(merged))[0][0])


def judged_from_below(cluster: Cluster, prepared: ClusterRecords, published: Any) -> tuple[Step, Counter[str]]:
    """Return the published records next to their originals, and sums over both."""
    answers = sent(cluster, "answers", [(Rows(published), pass_on)], None, record_places, prepared.partitions)
    shown, words = stored(cluster, answers, judged_part, Pairing(prepared.fitted, prepared.records), "joined")
    return shown, summed([(word,) for word in words])


_LIKE_ITEMS = "filter(zip_with(items, shown, (item, node) -> item = node), same -> same)"


def _coherent(plain: RecordsOnCluster, rare_words: int) -> Mask:
    """Return the items that suppression alone would publish; those of too few people are counted, but not named."""
    tally, k = plain.tally(places.counted_items), plain.k
    numbers = np.flatnonzero(tally.people >= k)
    rare = int(((tally.people > 0) & (tally.people < k)).sum()) + rare_words
    found = itemsets.FrequentItems(places.FrequentNumbers(numbers, plain.numbering.names), tally.records[numbers], rare)
    records, _ = stored(plain.cluster, plain.by_part(), pass_on, None, "numbered")
    moles = itemsets.moles_of(plain.cluster, records, found, k, plain.most)
    settled = np.zeros(len(plain.numbering), bool)
    settled[numbers[coherent_by_counts(moles, np.concatenate([found.records, np.ones(rare, np.int64)]))]] = True
    return settled


def _insist_on_keys(n: int, size: int) -> None:
    if n**size > LARGEST_KEY:
        raise Infeasible(
            f"sets of {size} of {n:,} nodes are too many to count on a cluster", code="too-many-itemsets", hint=itemsets.FEWER, value=n
        )
