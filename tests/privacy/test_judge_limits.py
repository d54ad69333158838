"""Small cases at the limits of judges, where random releases rarely get: each was a change of a judge that no other test noticed."""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

from helpers.chunks import chunk_release, chunk_table
from helpers.data import food, on, on_nodes
from helpers.errors import refuses
from shoal.data.bags import Bags
from shoal.data.items import Items
from shoal.data.release import Release, Secret
from shoal.data.table import Attribute
from shoal.data.tables.access_log import SCHEMA, AccessTable
from shoal.data.tables.rows import RowTable
from shoal.privacy import (
    AccessKAnonymity,
    Coherence,
    DisassociatedKmAnonymity,
    KAnonymity,
    KDeltaAnonymity,
    KmAnonymity,
    PublicKAnonymity,
    QueryAffinity,
    RhoUncertainty,
    WordSupport,
    XYAnonymity,
)
from shoal.privacy.evidence.chunk_evidence import ClusterChunks, Joint
from shoal.privacy.evidence.cluster_judging import JudgesClasses, JudgesSets
from shoal.privacy.evidence.known_sets import CountedSets
from shoal.privacy.evidence.microdata_evidence import is_centroid
from shoal.taxonomy.place_terms import as_typed


@pytest.mark.parametrize(("few", "defects", "holds"), [(0, [], True), (1, [], False), (0, ["an item is repeated"], False)])
def test_sets_counted_by_workers(few: int, defects: list[str], holds: bool) -> None:
    counted = CountedSets(True, 1, 4, 2, Fraction(1, 3), few)
    km = KmAnonymity(k=2, m=3).judge_sets(counted, defects)
    assert (km.holds, km.achieved) == (holds, {"people": 2, "m": 3})
    coherence = Coherence(k=2, p=3).judge_sets(counted, defects)
    assert (coherence.holds, coherence.achieved) == (holds, {"people": 2, "p": 3, "breach": 0.333334})
    assert "no private item was listed: only linkage to a record was verified" in coherence.notes
    with refuses("not-on-a-cluster"):
        Coherence(k=2, private={"a"}).judge_sets(counted, defects)


def test_claims_that_workers_can_judge() -> None:
    claims = [KAnonymity(k=2), KAnonymity(k=3)]
    assert JudgesClasses.among(claims) == claims
    with refuses("not-on-a-cluster"):
        JudgesSets.among(claims)


def test_what_an_attacker_knows_in_sentences() -> None:
    assert Coherence(p=1).in_sentences == {"known": "public item"}
    assert Coherence(p=3).in_sentences == {"known": "set of up to 3 public items"}
    assert Coherence(p=3, costs={"a": 2}).in_sentences == {"known": "set of public items with a total cost of up to 3"}


def test_decimals_of_distances() -> None:
    for model, name in ((KDeltaAnonymity, "delta"), (QueryAffinity, "theta")):
        model(**{name: 0.123456})
        model(**{name: 0.000001 if name == "delta" else 0.500001})
        with refuses("too-many-decimals"):
            model(**{name: 0.1234567})
    with refuses("out-of-range"):
        RhoUncertainty(rho=1.0)
    RhoUncertainty(rho=0.999)


def test_sides_that_are_not_named() -> None:
    release = Release({"microdata": RowTable(pl.DataFrame({"x": [1], "y": [2]}))})
    for words in ({"x": ["x"]}, {"y": ["y"]}, {}):
        with refuses("missing-column"):
            XYAnonymity(**words).check(release)


def test_words_that_remain_open() -> None:
    table = chunk_table((2, [["a", "a"]], "t"))
    alone, beside = (set(WordSupport().not_checked(table, with_original=known)) for known in (False, True))
    assert alone - beside == {"item"} and {"cluster", "chunk", "subrecord"} <= beside


def test_profiles_of_several_sizes() -> None:
    """Two addresses have one profile, three another one."""
    pages = ["/a", "/a", "/b", "/b", "/b"]
    plain = {"address": [1, 2, 3, 4, 5], "time": [datetime(2024, 1, 1)] * 5, "request": [f"GET {page} HTTP/1.1" for page in pages]}
    rest: dict[str, Any] = {"status": [200] * 5, "size": [1] * 5, "referrer": ["-"] * 5, "agent": ["Firefox"] * 5}
    release = Release({"access": AccessTable(pl.DataFrame(plain | rest, schema=dict(SCHEMA)))})
    assert AccessKAnonymity(k=2).check(release).achieved == {"records": 2}
    assert AccessKAnonymity(k=2).check(release).holds
    assert AccessKAnonymity(k=3).check(release).witnesses == ("1 profiles have fewer than 3 addresses",)


def test_public_parts_beside_the_original() -> None:
    tree = food()
    original = on_nodes(on(tree, [["Apple", "Beef"], ["Orange"], ["Apple"]], [0, 1, 1]), tree)
    claim = PublicKAnonymity(k=2, private={"Beef"})
    bags = on(tree, [["Fruit", "Beef"], ["Fruit"], ["Fruit"]])
    good = claim.check(Release.of_bags(bags, np.ones(3, np.int64), secret=Secret(np.arange(3))), original)
    assert (good.standing, good.achieved) == ("verified", {"records": 3, "people": 2})
    loose = claim.check(Release.of_bags(bags, np.ones(3, np.int64)), original)
    assert (loose.standing, loose.achieved) == ("verified", {"records": 3})
    lone = PublicKAnonymity(k=3, private={"Beef"}).check(Release.of_bags(bags, np.ones(3, np.int64), secret=Secret(np.arange(3))), original)
    assert not lone.holds
    gone = on(tree, [["Fruit"], ["Fruit"], ["Fruit"]])
    wrong = claim.check(Release.of_bags(gone, np.ones(3, np.int64), secret=Secret(np.arange(3))), original)
    assert "1 items that are private were changed" in wrong.witnesses and not wrong.holds
    partly = on(tree, [["Fruit", "Beef"], ["Fruit"], ["Apple"]])
    assert not claim.check(Release.of_bags(partly, np.ones(3, np.int64), secret=Secret(np.arange(3))), original).holds
    with refuses("items-not-in-data"):
        PublicKAnonymity(k=2, private={"Beef", "Tofu"}).check(Release.of_bags(bags, np.ones(3, np.int64)), original)
    assert any("do not occur" in note for note in PublicKAnonymity(k=2, private={"Beef", "Tofu"}).check(Release.from_records(bags)).notes)


def test_sensitive_items_of_an_original() -> None:
    """Without the mapping, people with several records cannot be told apart; a release of other records is refused."""
    original = as_typed(Bags.from_lists([["a", "X"], ["a"], ["a"]], owners=[0, 0, 1]))
    claim = RhoUncertainty(rho=0.5, sensitive={"X"})
    loose = claim.check(Release.from_records(original.bags), original)
    assert loose.holds and any("people have several records" in note for note in loose.notes)
    alone = claim.check(Release.from_records(original.bags))
    assert alone.holds and not any("people have several" in note for note in alone.notes)
    none = claim.check(Release.from_records(Bags.from_lists([["a"], ["X"]]).select(np.array([0]))))
    assert none.achieved == {"certainty": 0.0} and "no sensitive item is published" in none.notes


def test_numbers_of_joint_clusters() -> None:
    both = chunk_release((2, [["a", "a"]], ""), (2, [["b", "b"]], ""), shared=[["c", "c"], ["d"] * 5])
    assert "1 cluster with more sub-records in a chunk than records" in DisassociatedKmAnonymity(k=2, m=1).check(both).witnesses
    assert ClusterChunks(2, [[("a",)] * 3, [("b",)]]).overfull() and Joint(1, [ClusterChunks(2)], [[("a",)] * 3, [("b",)]]).overfull()
    uneven = [[("c",), ("c",), ("c",), ("d",)], [("e",)]]
    assert Joint(1, [ClusterChunks(2), ClusterChunks(1)], uneven).bound_to_meet(), "c in all three records, and e in one"
    owners = as_typed(Bags.from_lists([["a", "b"], ["a", "b"], ["a", "b"]], owners=[0, 0, 1]))
    release = Release({"chunks": chunk_table((3, [["a"] * 3, ["b"] * 3], ""))}, secret=Secret(np.zeros(3, np.int64)))
    verdict = DisassociatedKmAnonymity(k=2, m=2).check(release, owners)
    assert verdict.achieved == {"people": 2, "m": 2} and verdict.holds


def test_medians_and_means_next_to_each_other() -> None:
    ranks = Attribute("rank", "ordinal", pl.Series([1.0, 2.0, 3.0, 4.0]))
    assert [is_centroid(ranks, rank, [1.0, 2.0, 3.0, 4.0]) for rank in (1.0, 2.0, 3.0, 4.0)] == [False, True, False, False]
    assert [is_centroid(ranks, rank, [1.0, 2.0, 3.0, 4.0, 4.0, 4.0]) for rank in (1.0, 2.0, 3.0, 4.0)] == [False, False, True, False]


def test_equal_shares_reveal_the_first_item() -> None:
    hidden = Items(names=frozenset("XY"))
    release = Release.from_records(Bags.from_lists([["a", "X", "Y"], ["a", "X", "Y"], ["a"], ["b"], ["b"], ["b"]]))
    verdict = Coherence(k=2, p=1, h=0.5, private=hidden).check(release)
    told = [f"{{a}} reveals {item!r} with a confidence of 66.7%" for item in "XY"]
    assert sum(one in verdict.witnesses for one in told) == 1 and verdict.rare == ()
