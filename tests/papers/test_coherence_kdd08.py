"""Xu, Wang, Fu and Yu, "Anonymizing Transaction Databases for Publication", KDD'08: every worked example, and what is wrong in print."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from helpers.errors import refuses
from helpers.itemsets import brute_greedy, on_nodes, published
from shoal.data.release import Release
from shoal.itemsets.hitting_set import greedy
from shoal.itemsets.item_roles import parts_of
from shoal.itemsets.itemset_support import Power, minimal_moles, supports
from shoal.methods import Cohesion, TopDownSpecialization
from shoal.privacy import Coherence, PublicKAnonymity

FIGURE_1 = ["a c d f g Diabetes", "a b c f Hepatitis", "b d f x Hepatitis", "b c g y z HIV", "a c f g HIV"]
ILLNESSES = {"Diabetes", "Hepatitis", "HIV"}
POWER = Power(h=0.8, k=2, p=2)


@pytest.fixture(scope="module")
def example():
    return on_nodes(FIGURE_1)


def method(**more):
    return Cohesion(**{"h": 0.8, "k": 2, "p": 2, "private": ILLNESSES, **more})


def moles_of(example, power: Power = POWER, private=frozenset(ILLNESSES)):
    names = example.taxonomy.names
    parts = parts_of(names, Cohesion(private=private).private, None)
    found = minimal_moles(example.bags, parts, power)
    return found, {"".join(sorted(names[i] for i in mole)) for mole in found.sets()}


def test_example_2_three_transactions_two_with_the_toy():
    shop = on_nodes(["printer frame camera toy", "printer frame camera toy", "printer frame camera", "printer", "frame"])
    parts = parts_of(shop.taxonomy.names, Cohesion(private={"toy"}).private, None)
    known = tuple(sorted(shop.taxonomy.names.codes(["printer", "frame", "camera"]).tolist()))
    counted = supports(shop.bags, parts, [known])
    assert (counted.records[0], counted.holders[0], counted.cohort[0]) == (3, 2, 3)


def test_example_3_violates_coherence(example):
    verdict = Coherence(h=0.8, k=2, p=2, private=ILLNESSES).check(Release.from_records(example.bags))
    assert not verdict.holds
    found, _ = moles_of(example)
    facts = dict(zip(["".join(sorted(example.taxonomy.names[i] for i in m)) for m in found.sets()], range(len(found)), strict=True))
    assert found.people[facts["ab"]] == 1
    bf = facts["bf"]
    assert found.people[bf] == 2
    assert example.taxonomy.names[int(found.hidden[bf])] == "Hepatitis"
    assert (found.holders[bf], found.cohort[bf]) == (2, 2)


def test_example_4_a_is_a_non_mole(example):
    names = example.taxonomy.names
    parts = parts_of(names, Cohesion(private=ILLNESSES).private, None)
    counted = supports(example.bags, parts, [(int(names.codes(["a"])[0]),)])
    assert (counted.people[0], counted.holders[0], counted.cohort[0]) == (3, 1, 3)


def test_example_5_minimal_moles(example):
    assert moles_of(example)[1] == {"x", "y", "z", "ab", "ad", "bd", "bf", "bg", "cd", "dg"}


def test_example_6_score_table(example):
    """MM and IL of the MOLE-tree's header: d:4,2 b:4,3 a:2,3 g:2,3 c:1,4 f:1,4, over the moles of two items."""
    found, _ = moles_of(example)
    names = example.taxonomy.names
    pairs = found.without(np.isin(np.arange(len(names)), names.codes(["x", "y", "z"])))
    mm = np.bincount(pairs.items, minlength=len(names))
    il = method().losses(example.bags, np.ones(len(names), np.uint8))
    table = {names[int(i)]: (int(mm[i]), int(il[i])) for i in np.flatnonzero(mm)}
    assert table == {"d": (4, 2), "b": (4, 3), "a": (2, 3), "g": (2, 3), "c": (1, 4), "f": (1, 4)}


def test_example_7_suppresses_d_and_then_b(example):
    found, _ = moles_of(example)
    names = example.taxonomy.names
    pairs = found.without(np.isin(np.arange(len(names)), names.codes(["x", "y", "z"])))
    il = method().losses(example.bags, np.ones(len(names), np.uint8))
    chosen = greedy(pairs, il)
    assert [names[int(i)] for i in chosen.items] == ["d", "b"]
    assert chosen.removed.tolist() == [4, 3]
    after_d = pairs.without(np.arange(len(names)) == names.codes(["d"])[0])
    left = np.bincount(after_d.items, minlength=len(names))
    assert {names[int(i)]: int(left[i]) for i in np.flatnonzero(left)} == {"b": 3, "a": 1, "g": 1, "f": 1}


def test_the_published_database(example):
    release = method().apply(example)
    expected = ["a c f g Diabetes", "a c f Hepatitis", "f Hepatitis", "c g HIV", "a c f g HIV"]
    assert [published(release, i) for i in range(5)] == [set(row.split()) for row in expected]
    (claim,) = release.claims
    assert claim.check(release, example).holds
    assert claim.check(Release.from_records(release.published)).achieved == {"records": 2, "breach": round(2 / 3, 6), "p": 2}


def test_item_suppression_example_of_section_2_2():
    data = on_nodes(["a b HIV", "a d f HIV", "b d Diabetes"])
    suppressed = [set(r) - {"a", "f"} for r in (["a", "b", "HIV"], ["a", "d", "f", "HIV"], ["b", "d", "Diabetes"])]
    verdict = Coherence(h=1.0, k=2, p=1, private={"HIV", "Diabetes"})
    release = Cohesion(h=1.0, k=2, p=1, private={"HIV", "Diabetes"}, public={"a", "f"}, score="rmall").apply(data)
    assert [published(release, i) for i in range(3)] == suppressed
    assert verdict.check(release, data).holds


# -- what the print gets wrong


def test_section_1_2_calls_figure_1_coherent_for_p_1_but_x_y_z_are_alone(example):
    assert moles_of(example, Power(h=0.8, k=2, p=1))[1] == {"x", "y", "z"}
    assert not Coherence(h=0.8, k=2, p=1, private=ILLNESSES).check(Release.from_records(example.bags)).holds


def test_figure_4_must_not_take_sets_of_no_record_for_moles():
    data = on_nodes(["a b", "a b", "c d", "c d"])
    _, names = moles_of(data, Power(h=1.0, k=2, p=2), private=frozenset({"a"}))
    assert names == set()
    release = Cohesion(h=1.0, k=2, p=2).apply(data)
    assert release.accounting.occurrences["suppressed"] == 0
    as_printed = [pair for pair in combinations(range(4), 2) if pair not in {(0, 1), (2, 3)}]
    assert len(brute_greedy(as_printed, [2, 2, 2, 2], "mm/il")) == 2


def test_theorem_1_covers_fewer_people_than_k(example):
    with refuses("too-few-people", value=5, limit=6):
        method(k=6).apply(example)


def test_theorem_1_names_the_item_and_the_h_at_which_a_cohesion_exists(example):
    with refuses("sensitive-item-too-frequent"):
        method(h=0.3).apply(example)
    assert method(h=0.4).apply(example).n_records == 5


@pytest.mark.parametrize(
    ("edges", "cover", "cohesion"),
    [
        ("c-1 c-2 c-3", 1, 3),  # a star: leaves have degree 1 and must go anyway, so the reduction of Theorem 2 fails
        ("1-2 1-3 1-4 2-3 2-4 3-4", 3, 3),  # a cubic graph: the reduction holds
    ],
)
def test_theorem_2_needs_graphs_without_leaves(edges: str, cover: int, cohesion: int):
    pairs = [set(edge.split("-")) for edge in edges.split()]
    vertices = sorted(set().union(*pairs))
    covers = (set(c) for n in range(len(vertices) + 1) for c in combinations(vertices, n))
    assert len(next(c for c in covers if all(c & pair for pair in pairs))) == cover
    data = on_nodes([" ".join(sorted(pair)) for pair in pairs])
    release = Cohesion(h=1.0, k=2, p=2, il="1", exact=True).apply(data)
    assert f"loss {cohesion}: the least possible loss, proven" in release.notes
    assert len(vertices) - len(np.unique(release.published.items)) == cohesion


def test_the_illustration_of_k_anonymity_leaves_a_only_under_global_suppression(example):
    release = TopDownSpecialization(k=2, private=ILLNESSES).apply(example)
    assert [published(release, i) - ILLNESSES for i in range(5)] == [{"a"}, {"a"}, set(), set(), {"a"}]
    assert PublicKAnonymity(k=2, private=ILLNESSES).check(release, example).holds


@pytest.mark.parametrize("score", ["mm/il", "mm", "1/il"])
def test_our_tie_rule_suppresses_two_items_under_every_score(example, score: str):
    release = method(score=score).apply(example)
    gone = set("abcdfgxyz") - set().union(*(published(release, i) for i in range(5)))
    assert gone == set("xyzdb")


def test_alphabetical_ties_would_make_least_loss_suppress_three():
    moles = [set(m) for m in ("ab", "ad", "bd", "bf", "bg", "cd", "dg")]
    loss = {"a": 3, "b": 3, "c": 4, "d": 2, "f": 4, "g": 3}
    order = []
    while moles:
        best = min(set().union(*moles), key=lambda i: (loss[i], i))
        order.append(best)
        moles = [m for m in moles if best not in m]
    assert order == ["d", "a", "b"]
