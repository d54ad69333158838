"""The largest k at each m, against counting every set in plain Python."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data.bags import Bags
from shoal.data.release import Release
from shoal.privacy.evidence.file_strength import HolderLevel, strength_of

RECORDS = st.lists(st.sets(st.sampled_from("abcdef"), max_size=5), min_size=1, max_size=14)


def fewest(records: list[frozenset[str]], owners: list[int], m: int) -> int:
    """The fewest people who hold a set of up to m items that somebody holds, straight from the definition."""
    held = {known for record in records for size in range(m + 1) for known in combinations(sorted(record), size)}
    return min(len({owner for record, owner in zip(records, owners, strict=True) if record.issuperset(known)}) for known in held)


def fewest_alike(records: list[frozenset[str]], owners: list[int]) -> int:
    return min(len({owner for other, owner in zip(records, owners, strict=True) if other == record}) for record in records)


@settings(max_examples=200)
@given(RECORDS, st.data())
def test_the_largest_k_at_each_m_is_that_of_the_definition(drawn: list[set[str]], data: st.DataObject) -> None:
    records = [frozenset(record) for record in drawn]
    owners = data.draw(st.lists(st.integers(0, 4), min_size=len(records), max_size=len(records)))
    known = data.draw(st.booleans())
    people = owners if known else list(range(len(records)))
    found = strength_of(Release.from_records(Bags.from_lists(records, people), owned=known), 2, people=known)
    assert found.whole_record == fewest_alike(records, people)
    assert found.every_m_counted and all(level.exact for level in found.levels)
    counted = {level.m: level.k for level in found.levels}
    for m in range(1, 7):
        expected = fewest(records, people, m)
        assert counted.get(m, counted[max(counted)] if counted else expected) == expected
    holding = [m for m in range(1, 7) if fewest(records, people, m) >= 2]
    assert found.every_m == (len(holding) == 6)
    assert found.every_m or (found.largest_m, found.largest_m_exact) == (max(holding, default=0), True)


@settings(max_examples=150)
@given(RECORDS, st.integers(0, 60), st.integers(2, 4))
def test_what_a_small_budget_leaves_uncounted_is_only_bounded_from_above(drawn: list[set[str]], budget: int, k: int) -> None:
    records = [frozenset(record) for record in drawn]
    owners = list(range(len(records)))
    found = strength_of(Release.from_records(Bags.from_lists(records)), k, budget=budget)
    for level in found.levels:
        expected = fewest(records, owners, level.m)
        assert level.k == expected if level.exact else level.k >= expected
    if found.largest_m and not found.every_m:
        assert fewest(records, owners, found.largest_m) >= k
    if not found.every_m and found.largest_m_exact:
        assert fewest(records, owners, found.largest_m + 1) < k
    if found.every_m:
        assert fewest(records, owners, 6) >= k


def test_too_many_sets_are_not_counted_and_said_not_to_be() -> None:
    rng = np.random.default_rng(1)
    rows = [sorted(set(rng.integers(0, 30, 20).tolist())) for _ in range(400)]
    found = strength_of(Release.from_records(Bags.from_lists([map(str, row) for row in rows])), 5, budget=30_000)
    assert found.levels[0].exact and found.levels[0].k > 5
    assert not found.every_m_counted and not found.levels[-1].exact
    assert found.largest_m >= 1


def test_nothing_published_is_no_strength() -> None:
    found = strength_of(Release.from_records(Bags.from_lists([])), 2)
    assert (found.levels, found.whole_record, found.every_m, found.largest_m) == ((), 0, False, 0)


def test_a_set_of_one_persons_records_is_of_one_person() -> None:
    bags = Bags.from_lists([["a", "b"], ["a", "b"], ["a", "b"]], [7, 7, 8])
    assert strength_of(Release.from_records(bags, owned=True), 2, people=True).levels == (HolderLevel(1, 2),)
    assert strength_of(Release.from_records(Bags.from_lists([["a"], ["a"], ["a"]])), 3).levels == (HolderLevel(1, 3),)


@pytest.mark.parametrize("k", [2, 3])
def test_records_alike_are_safe_for_every_m(k: int) -> None:
    found = strength_of(Release.from_records(Bags.from_lists([["a", "b", "c"]] * k)), k)
    assert found.every_m and found.as_dict()["largest_m"] is None and found.as_dict()["largest_m_exact"]
