"""The judge of published records on a cluster, of claims on sets of items: Spark itself forms the sets, and counts who holds them.

Nothing of the method's counting is used. Sets are taken from the published records as they stand, people are the owners of the original
records; what comes to the driver are sums and the fewest people behind any set, and no item.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shoal.cluster.spark import Cluster, expressions
from shoal.privacy.known_sets import CountedSets, Knowledge

HELD = "array_sort(array_distinct(items))"


@dataclass(frozen=True)
class Shown:
    """Published records (`items`, perhaps their `owner` and the `words` they represent), and sums over them.

    `repeated` are items that their record holds already, `strange` those that the original record does not hold.
    """

    frame: Any
    records: int
    people: int
    repeated: int
    strange: int = 0

    @classmethod
    def of(cls, cluster: Cluster, frame: Any, *, with_original: bool) -> Shown:
        """Sum up; without the original each record counts as a person."""
        repeated = "coalesce(sum(size(items) - size(array_distinct(items))), 0)"
        strange = "coalesce(sum(size(array_except(items, words))), 0)"
        others = ["count(distinct owner)", repeated, strange] if with_original else ["count(1)", repeated]
        return cls(frame, *(int(n) for n in cluster.collect(frame.selectExpr("count(1)", *others))[0]))

    @property
    def several(self) -> bool:
        """Whether somebody owns more than one record."""
        return self.people < self.records


def counted_known_sets(cluster: Cluster, shown: Shown, wanted: Knowledge) -> CountedSets:
    """All sets of up to so many items that published records hold, by people where one has several.

    Sets of no item come first, then of one, and so on. Where some of a size are held by too few the claim is broken, and the count ends.
    """
    people, several = shown.people, shown.several
    counted = CountedSets(people=several).with_level(0, _level(1 if people else 0, people, int(0 < people < wanted.k)))
    held = shown.frame.selectExpr("owner" if several else "0 as owner", "cast(array() as array<string>) as known", f"{HELD} as rest")
    for size in range(1, wanted.most + 1):
        if counted.unsafe:
            break
        held = _one_larger(held)
        sets, fewest, few = cluster.collect(_by_set(held, wanted.k, several=several))[0]
        counted = counted.with_level(size, _level(int(sets), int(fewest or 0), int(few)))
        if not sets:
            break
    return counted


def _level(sets: int, fewest: int, few: int) -> dict[str, Any]:
    """Sets of one size as `Counted` takes them: no item is private, and none is named."""
    return {"counted": sets, "fewest": fewest, "few": few, "telling": 0, "holders": 0, "cohort": 1, "examples": ()}


def _one_larger(held: Any) -> Any:
    """Sets of one item more: each with every item that stands behind its last one in the record."""
    each = held.selectExpr("owner", "known", "rest", "posexplode(rest) as (place, item)")
    return each.selectExpr("owner", "array_append(known, item) as known", "slice(rest, place + 2, size(rest)) as rest")


def _by_set(held: Any, k: int, *, several: bool) -> Any:
    """How many sets there are, the fewest people behind one, and how many have fewer than k."""
    each = held.select("owner", "known").distinct() if several else held.select("known")
    people = each.groupBy("known").agg(*expressions("count(1) as people"))
    return people.selectExpr("count(1)", "min(people)", f"count_if(people < {k})")


def repeated_in(shown: Shown) -> list[str]:
    """That items are repeated in their record, where some are."""
    repeated = f"{shown.repeated:,} items are repeated in their record, but the number of repetitions is knowledge too"
    return [repeated] if shown.repeated else []


def defects_of(cluster: Cluster, shown: Shown, *, with_original: bool) -> list[str]:
    """What else is wrong: an item is repeated in its record, and how often is knowledge too; or the original was not merely suppressed."""
    told = repeated_in(shown)
    if shown.strange:
        told.append(f"{shown.strange:,} published items match nothing in their record")
    partly = _suppressed_in_part(cluster, shown.frame) if with_original else 0
    return [*told, *([f"{partly:,} items were changed in some records but not in all"] if partly else [])]


def _suppressed_in_part(cluster: Cluster, frame: Any) -> int:
    each = frame.selectExpr("explode(words) as item", "items").selectExpr("item", "array_contains(items, item) as left")
    items = each.groupBy("item").agg(*expressions("count(1) as total", "count_if(left) as left"))
    return int(cluster.collect(items.selectExpr("count_if(left > 0 and left < total)"))[0][0])
