"""Verification of itemset claims on a cluster. Spark forms the sets and counts the people.

The judge uses none of the method's counts. It takes the sets from the published records, and the people from the original records. The
driver gets sums and the minimum number of people per set, but no item.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shoal.cluster.spark import Cluster, expressions
from shoal.privacy.evidence.known_sets import AttackerKnowledge, CountedSets

HELD = "array_sort(array_distinct(items))"


@dataclass(frozen=True)
class Shown:
    """Published records (`items`, optionally their `owner` and the `words` they represent), and sums over them.

    `repeated` counts repeated items of a record, `strange` items that the original record lacks.
    """

    frame: Any
    records: int
    people: int
    repeated: int
    strange: int = 0

    @classmethod
    def of(cls, cluster: Cluster, frame: Any, *, with_original: bool) -> Shown:
        """Compute the sums; without the original each record counts as a person."""
        repeated = "coalesce(sum(size(items) - size(array_distinct(items))), 0)"
        strange = "coalesce(sum(size(array_except(items, words))), 0)"
        others = ["count(distinct owner)", repeated, strange] if with_original else ["count(1)", repeated]
        return cls(frame, *(int(n) for n in cluster.collect(frame.selectExpr("count(1)", *others))[0]))

    @property
    def several(self) -> bool:
        """Whether somebody owns more than one record."""
        return self.people < self.records


def counted_known_sets(cluster: Cluster, shown: Shown, knowledge: AttackerKnowledge) -> CountedSets:
    """Count all sets of up to this many items in published records, by people if one has several records.

    The empty set comes first, then single items, and so on. Counting stops at the first size with too rare sets, because the claim fails.
    """
    people, several = shown.people, shown.several
    counted = CountedSets(people=several).with_level(0, _level(1 if people else 0, people, int(0 < people < knowledge.k)))
    held = shown.frame.selectExpr("owner" if several else "0 as owner", "cast(array() as array<string>) as known", f"{HELD} as rest")
    for size in range(1, knowledge.most + 1):
        if counted.unsafe:
            break
        held = _one_larger(held)
        sets, fewest, few = cluster.collect(_by_set(held, knowledge.k, several=several))[0]
        counted = counted.with_level(size, _level(int(sets), int(fewest or 0), int(few)))
        if not sets:
            break
    return counted


def _level(sets: int, fewest: int, few: int) -> dict[str, Any]:
    """Return sets of one size as `Counted` takes them: no item is private, and none is named."""
    return {"counted": sets, "fewest": fewest, "few": few, "telling": 0, "holders": 0, "cohort": 1, "examples": ()}


def _one_larger(held: Any) -> Any:
    """Extend each set by every item after its last one in the record."""
    each = held.selectExpr("owner", "known", "rest", "posexplode(rest) as (place, item)")
    return each.selectExpr("owner", "array_append(known, item) as known", "slice(rest, place + 2, size(rest)) as rest")


def _by_set(held: Any, k: int, *, several: bool) -> Any:
    """Return the number of sets, the minimum number of people per set, and the number of sets with fewer than k."""
    each = held.select("owner", "known").distinct() if several else held.select("known")
    people = each.groupBy("known").agg(*expressions("count(1) as people"))
    return people.selectExpr("count(1)", "min(people)", f"count_if(people < {k})")


def repeated_in(shown: Shown) -> list[str]:
    """Return a fault if items are repeated in a record."""
    repeated = f"{shown.repeated:,} items are repeated in their record, but the number of repetitions is knowledge too"
    return [repeated] if shown.repeated else []


def defects_of(cluster: Cluster, shown: Shown, *, with_original: bool) -> list[str]:
    """Return other faults: repeated items, whose counts would be knowledge too; or changes of the original other than suppression."""
    defects = repeated_in(shown)
    if shown.strange:
        defects.append(f"{shown.strange:,} published items match nothing in their record")
    partly = _suppressed_in_part(cluster, shown.frame) if with_original else 0
    return [*defects, *([f"{partly:,} items were changed in some records but not in all"] if partly else [])]


def _suppressed_in_part(cluster: Cluster, frame: Any) -> int:
    each = frame.selectExpr("explode(words) as item", "items").selectExpr("item", "array_contains(items, item) as left")
    items = each.groupBy("item").agg(*expressions("count(1) as total", "count_if(left) as left"))
    return int(cluster.collect(items.selectExpr("count_if(left > 0 and left < total)"))[0][0])
