"""The judge of k-delta-anonymity against distances of plain sets, and releases that fail."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.errors import refuses
from shoal.data.bags import Bags
from shoal.data.release import Release, Secret
from shoal.privacy import MODELS
from shoal.privacy import k_delta as distances
from shoal.privacy.k_delta import KDeltaAnonymity, close_records
from shoal.taxonomy.place_terms import as_typed

RECORDS = st.lists(st.frozensets(st.sampled_from("abcdefg"), max_size=6), min_size=1, max_size=10)


def distance(one: frozenset[str], other: frozenset[str]) -> Fraction:
    union = one | other
    return Fraction(len(one ^ other), len(union)) if union else Fraction(0)


@settings(max_examples=150)
@given(RECORDS, st.sampled_from(["0", "0.2", "0.25", "0.5", "0.6", "0.75", "0.95"]), st.data())
def test_what_is_near_is_what_plain_distances_say(records: list[frozenset[str]], delta: str, data: st.DataObject) -> None:
    owners = data.draw(st.lists(st.integers(0, 3), min_size=len(records), max_size=len(records)))
    rows = np.arange(len(records))
    bags = Bags.from_lists([sorted(record) for record in records])
    found = close_records(bags, np.ones(len(records), np.int64), Fraction(delta), (rows, np.array(owners)))
    different = list(dict.fromkeys(records))
    near = {one: [i for i, other in enumerate(records) if distance(one, other) <= Fraction(delta)] for one in different}
    assert sorted(found.records) == sorted(len(near[one]) for one in different)
    assert found.people is not None
    assert sorted(zip(found.records, found.people, strict=True)) == sorted(
        (len(near[o]), len({owners[i] for i in near[o]})) for o in different
    )


def test_work_in_small_pieces_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    bags = Bags.from_lists([[f"i{item}" for item in sorted(set(rng.integers(0, 30, 8).tolist()))] for _ in range(300)])
    whole = close_records(bags, np.ones(300, np.int64), Fraction(4, 5), None)
    monkeypatch.setattr(distances, "MEETINGS_AT_ONCE", 100)
    monkeypatch.setattr(distances, "PAIRS_AT_ONCE", 11)
    assert close_records(bags, np.ones(300, np.int64), Fraction(4, 5), None) == whole
    assert max(whole.records) > 1


def test_copies_count_as_records_and_unpublished_rows_do_not() -> None:
    bags = Bags.from_lists([["a", "b"], ["a"], ["z"]])
    found = close_records(bags, np.array([2, 1, 0]), Fraction(1, 2), None)
    assert sorted(found.records) == [3, 3]
    verdict = KDeltaAnonymity(k=3, delta=0.5).check(Release.of_bags(bags, np.array([2, 1, 0])))
    assert (verdict.standing, verdict.achieved) == ("verified", {"records": 3})
    assert not KDeltaAnonymity(k=3, delta=0.4).check(Release.of_bags(bags, np.array([2, 1, 0]))).holds


def test_people_are_counted_where_they_are_known() -> None:
    original = as_typed(Bags.from_lists([["a"], ["a"], ["a"]], owners=[0, 0, 1]))
    release = Release.of_bags(original.bags, np.ones(3, np.int64), secret=Secret(np.arange(3)))
    verdict = KDeltaAnonymity(k=3).check(release, original)
    assert not verdict.holds
    assert verdict.achieved == {"records": 3, "people": 2}
    assert verdict.witnesses == ("1 different record with fewer than 3 people within 0.5 of it; the least has 2 people",)
    assert KDeltaAnonymity(k=2).check(release, original).holds


def test_a_release_that_forgets_records_or_invents_them_fails() -> None:
    original = as_typed(Bags.from_lists([["a"], ["a"]]))
    more = Release.of_bags(original.bags, np.array([2, 2]))
    assert "4 records are published of only 2" in KDeltaAnonymity(k=2).check(more, original).witnesses
    short = Release.of_bags(original.bags, np.array([1, 1]), secret=Secret(np.zeros(1, np.int64)))
    assert not KDeltaAnonymity(k=2).check(short, original).holds


def test_a_claim_is_written_and_read_with_its_distance() -> None:
    assert str(KDeltaAnonymity(k=4, delta=0.25)) == "k-delta-anonymity(k=4, delta=0.25)"
    assert MODELS.make("k-delta-anonymity(k=4, delta=0.25)") == KDeltaAnonymity(k=4, delta=0.25)
    with refuses("too-many-decimals", value=0.3333333333333333):
        KDeltaAnonymity(delta=1 / 3)
    with refuses("out-of-range", value=1.0, limit=0.95):
        KDeltaAnonymity(delta=1.0)
