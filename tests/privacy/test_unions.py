"""Models that say that they hold of unions: two releases that each keep the claim keep it together."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shoal.data.bags import Bags
from shoal.data.claims import Model
from shoal.data.release import Release
from shoal.privacy import MODELS
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.km_anonymity import KmAnonymity

MADE: dict[str, Callable[[int], Model]] = {
    "k-anonymity": lambda k: KAnonymity(k=k),
    "km-anonymity": lambda k: KmAnonymity(k=k, m=2),
}

Owned = list[tuple[int, tuple[str, ...]]]


def release_of(records: Owned) -> Release:
    return Release.from_records(Bags.from_lists([items for _, items in records], [owner for owner, _ in records]), owned=True)


def copies() -> st.SearchStrategy[Owned]:
    """A few records, most of them published for enough people, who may own several of them."""
    record = st.lists(st.sampled_from("abc"), max_size=2, unique=True).map(tuple)
    people = st.lists(st.integers(0, 6), min_size=3, max_size=6, unique=True) | st.lists(st.integers(0, 6), min_size=1, max_size=3)
    group = st.tuples(record, people)
    return st.lists(group, min_size=1, max_size=2).map(lambda groups: [(owner, items) for items, owners in groups for owner in owners])


def test_every_model_that_says_so_is_tried() -> None:
    assert {name for name in MODELS if MODELS[name].holds_of_unions} == set(MADE)


@pytest.mark.parametrize("name", MADE)
@settings(max_examples=60, deadline=None)
@given(one=copies(), other=copies(), k=st.integers(2, 3))
def test_a_claim_that_holds_of_both_holds_of_the_union(name: str, one: Owned, other: Owned, k: int) -> None:
    claim = MADE[name](k)
    assume(claim.check(release_of(one)).holds and claim.check(release_of(other)).holds)
    assert claim.check(release_of([*one, *other])).standing == "verified"
