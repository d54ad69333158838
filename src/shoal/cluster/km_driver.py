"""Publishing from below on a cluster: what the driver asks for, step by step. What records publish stays on the workers.

First all items are tried as they were typed, then what publishes nothing yet as its parent, and so on upwards. After each step sets that
too few people hold are counted, and sent to the partitions whose records hold them; these records give up what hits them, until no set is
rare. The driver learns how many people hold each node, and in how many rare sets it is. One machine takes the same steps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shoal.cluster import itemset_counts as itemsets
from shoal.cluster import km_worker as places
from shoal.cluster.arrow_schemas import PUBLISHED
from shoal.cluster.exchange import Rows, Sent, frame_of, sent, stored_frame
from shoal.cluster.judge_records import as_it_is
from shoal.cluster.prepared import Prepared
from shoal.cluster.spark import Cluster, expressions, joined
from shoal.errors import Infeasible
from shoal.io.step_files import forget_step
from shoal.itemsets.itemset_counts import LARGEST_KEY
from shoal.itemsets.km_recoding import coherent_by_counts

COUNTED = "sum(people) as people", "sum(records) as records", "max(fresh) as fresh"


@dataclass(frozen=True, eq=False)
class Tally:
    """How many people hold each number, how many records, and which are fresh."""

    people: Any
    records: Any
    fresh: Any


class _Names:
    """The names of the steps of one ascent, of which only the last one is read again."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        self.cluster, self.name, self.number = cluster, name, 0

    @property
    def now(self) -> str:
        """That of the step under way."""
        return f"{self.name}_{self.number}"

    def go_on(self) -> None:
        """The step is stored; what led to it is not needed any more."""
        sets = [f"{self.now}_{what}_{size}" for what in ("sets", "rare") for size in range(2, itemsets.LARGEST + 1)]
        for name in [*sets, f"{self.name}_{self.number - 1}"]:
            forget_step(self.cluster.place, name)
        self.number += 1


@dataclass(frozen=True, eq=False)
class Ascent:
    """How records of a run are published from below: every set of up to `most` nodes is to be held by `k` people."""

    cluster: Cluster
    numbering: places.Numbering
    partitions: int
    k: int
    most: int

    def by_part(self, *frames: Any) -> Sent:
        """Records, and keys of sets, by the partitions of the records: all records of a person are in one."""
        return sent(self.cluster, "places", [(Rows(frame), as_it_is) for frame in frames], None, places.part_places, self.partitions)

    def tally(self, frame: Any, work: Any) -> Tally:
        """Counts of all numbers."""
        people, records, fresh = (np.zeros(len(self.numbering), np.int64) for _ in range(3))
        with frame_of(self.cluster, self.by_part(frame), work, self.numbering, places.NODES) as made:
            for row in self.cluster.collect(made.groupBy("node").agg(*expressions(*COUNTED))):
                people[row[0]], records[row[0]], fresh[row[0]] = row[1:]
        return Tally(people, records, fresh > 0)

    def climbed(self, first: Any, name: str) -> Any:
        """What the records publish in the end, from what they publish at first."""
        held, names, begun = first, _Names(self.cluster, name), False
        while True:
            held = self.cluster.map(held, places.lifted, self.numbering, places.PLACES)
            tally = self.tally(held, places.counted_nodes)
            if begun and not tally.fresh.any():  # in the first step words without a number only move on
                return held
            held, begun = self._settled(held, tally, names), True

    def _settled(self, held: Any, tally: Tally, names: _Names) -> Any:
        """The records once no set is rare any more; what is fresh may be given up."""
        changed = tally.fresh
        while True:
            anybody, enough = tally.people > 0, tally.people >= self.k
            sought = places.Sought(1, self.numbering, changed & anybody & ~enough, changed & enough)
            sought, rare = self._rare(held, sought, names.now)
            if sought.left_out.any() or rare:
                held = stored_frame(self.cluster, self.by_part(held, *rare), places.with_less, sought, places.PLACES, names.now)
            else:
                held = self.cluster.store(held, names.now)
            names.go_on()
            if not rare:  # a node that nobody publishes any more makes no set rare
                return held
            changed = np.zeros(len(self.numbering), bool)
            changed[[row[0] for row in self.cluster.collect(held.selectExpr("explode(gone) as node").distinct())]] = True
            tally = self.tally(held, places.counted_nodes)

    def _rare(self, held: Any, sought: places.Sought, name: str) -> tuple[places.Sought, list[Any]]:
        """The minimal rare sets of two nodes and more, with the partitions that hold them; and in how many of them each node is."""
        everywhere, found = np.zeros(len(self.numbering), np.int64), list[Any]()
        for size in range(2, self.most + 1):
            sought = replace(sought, size=size)
            if not sought.wanted.any():
                break
            _insist_on_keys(len(self.numbering), size)
            source = self.by_part(held, *found)
            counted = stored_frame(self.cluster, source, places.counted_sets, sought, places.SETS, f"{name}_sets_{size}")
            rare = counted.groupBy("key").agg(*expressions("sum(people) as people")).where(f"people < {self.k}").select("key")
            where = self.cluster.store(joined(counted.select("key", "part"), rare, "key"), f"{name}_rare_{size}")
            nodes = self._nodes_of(where, size)
            for node, sets in nodes:
                everywhere[node] += sets
            if nodes:
                found.append(where.selectExpr("key", "part", f"cast({size} as bigint) as size"))
        return replace(sought, size=max(2, sought.size), everywhere=everywhere), found

    def _nodes_of(self, where: Any, size: int) -> list[Any]:
        """Each node of rare sets, and how many of them hold it."""
        n = len(self.numbering)
        digits = ", ".join(f"key div {n**place} % {n}" for place in range(size))
        each = where.select("key").distinct().selectExpr(f"explode(array({digits})) as node")
        return self.cluster.collect(each.groupBy("node").agg(*expressions("count(1)")))


def published_from_below(cluster: Cluster, prepared: Prepared, present: Any, k: int, most: int) -> tuple[Any, int]:
    """What is published of all records, and how many items of theirs became one with another item of the record.

    Done twice, once beginning with the items that suppression alone would publish; what keeps more items as they are is taken.
    """
    several = prepared.sums["several"] > 0
    words = itemsets.frequent_items(cluster, present, k, several=several)
    numbering = places.Numbering(prepared.fitted, words.held.names)
    ascent = Ascent(cluster, numbering, prepared.partitions, k, most)
    columns = present.select("record", "owner", "nodes", "words")
    nothing = np.zeros(len(numbering), bool)
    plain = cluster.store(cluster.map(columns, places.first_places, places.Settling(numbering, nothing), places.PLACES), "places")
    settled = _coherent(ascent, plain, words.rare, several=several)
    first = cluster.map(columns, places.first_places, places.Settling(numbering, settled), places.PLACES)
    ways = [ascent.climbed(plain, "plain"), ascent.climbed(first, "settled")]
    kept = [cluster.collect(way.selectExpr(f"coalesce(sum(size({_LIKE_ITEMS})), 0)"))[0][0] for way in ways]
    best = ways[0] if kept[0] >= kept[1] else ways[1]
    published = cluster.store(cluster.map(best, places.named, numbering, PUBLISHED), "published")
    shown = "sum(size(filter(shown, node -> node >= 0)))"
    merged = f"coalesce({shown} - sum(size(array_distinct(filter(shown, node -> node >= 0)))), 0)"
    return published, int(cluster.collect(best.selectExpr(merged))[0][0])


_LIKE_ITEMS = "filter(zip_with(items, shown, (item, node) -> item = node), same -> same)"


def _coherent(ascent: Ascent, plain: Any, rare_words: int, *, several: bool) -> Any:
    """The items that suppression alone would publish."""
    tally, k = ascent.tally(plain, places.counted_items), ascent.k
    numbers = np.flatnonzero(tally.people >= k)
    rare = int(((tally.people > 0) & (tally.people < k)).sum()) + rare_words
    found = itemsets.Frequent(places.Frequent(numbers, ascent.numbering.names), tally.records[numbers], rare)
    moles = itemsets.moles_of(ascent.cluster, plain, found, k, ascent.most, several=several)
    settled = np.zeros(len(ascent.numbering), bool)
    settled[numbers[coherent_by_counts(moles, found.records, rare)]] = True
    return settled


def _insist_on_keys(n: int, size: int) -> None:
    if n**size > LARGEST_KEY:
        raise Infeasible(
            f"sets of {size} of {n:,} nodes are too many to count on a cluster", code="too-many-itemsets", hint=itemsets.FEWER, value=n
        )
