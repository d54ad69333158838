"""Options of the coherence method: losses, weights, the exact search, generalization, and what it refuses."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.errors import error, refuses
from helpers.itemsets import bags_of, brute_moles, databases, on_nodes, published
from shoal.data.items import Items, ItemWeights
from shoal.data.original import Original
from shoal.errors import ParameterError
from shoal.itemsets.generalize_moles import Recoding
from shoal.itemsets.hitting_set import exact_hitting, greedy, improved
from shoal.itemsets.itemset_support import PUBLIC, Moles, Power
from shoal.methods import Cohesion
from shoal.taxonomy.place_terms import as_typed


def shown(release) -> set[str]:
    names = release.published.vocabulary
    return {names[int(i)] for i in np.unique(release.published.items)}


# Only {a, b} is a mole: one record holds both.
PAIR = on_nodes(["a b", "a", "a", "a", "b", "b", "c", "c"])


def test_loss_by_support_suppresses_the_rarer_item():
    assert shown(Cohesion(k=2, p=2).apply(PAIR)) == {"a", "c"}


def test_loss_of_one_leaves_the_choice_to_the_tie_rule():
    assert shown(Cohesion(k=2, p=2, il="1").apply(PAIR)) == {"b", "c"}


def test_weights_decide():
    weights = {"a": 0.1, "b": "0.25", "c": 1}
    assert shown(Cohesion(k=2, p=2, il="weights", weights=weights).apply(PAIR)) == {"b", "c"}
    assert shown(Cohesion(k=2, p=2, il="weights", weights={**weights, "b": "0.09"}).apply(PAIR)) == {"a", "c"}


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        ({"a": 1, "b": 1}, "weights-missing"),
        ({"a": 1, "b": 1, "c": 1, "zzz": 1}, error("items-not-in-data", items=["zzz"])),
        ({"a": "1e-20", "b": 1, "c": 1}, error("weights-too-different", value="1")),
    ],
)
def test_weights_must_fit_the_data(weights, says: str):
    with refuses(says):
        Cohesion(k=2, p=2, il="weights", weights=weights).apply(PAIR)


@pytest.mark.parametrize("wrong", [0, -1, "x", float("nan"), float("inf")])
def test_a_weight_is_a_positive_number(wrong):
    with refuses("out-of-range"):
        ItemWeights.of({"a": wrong})


def test_large_weights_do_not_lose_digits():
    assert ItemWeights.of({"a": "0.1"}).weights == (("a", Decimal("0.1")),)


@pytest.mark.parametrize(
    "more",
    [
        {"h": -0.1},
        {"h": 1.01},
        {"h": float("nan")},
        {"p": 0},
        {"k": 1},
        {"il": "weights"},
        {"weights": {"a": 1}},
        {"exact": True, "generalize": True},
        {"exact": True, "score": "rmall"},
        {"generalize": True, "score": "mm"},
        {"time_limit": 0.0},
        {"private": 5},
    ],
)
def test_wrong_parameters_are_refused_when_the_method_is_made(more):
    with pytest.raises(ParameterError):
        Cohesion(**more)


def test_items_are_named_in_several_ways():
    assert Items.of(["a", "b"]) == Items.of({"b", "a"})
    assert Items.parse("under:food").under == "food"
    assert Items.parse("@list.txt") == Items.parse("list.txt") == Items(file="list.txt")
    assert Items.parse(str(Items.of({"x|y", "50%"}))) == Items.of({"x|y", "50%"})


def test_unread_files_unknown_and_doubly_named_items_are_refused():
    for more, says in [
        ({"private": "list.txt"}, "file-not-read"),
        ({"private": {"a", "nope"}}, error("items-not-in-data", items=["nope"])),
        ({"public": {"n1", "n2", "n3", "n4"}}, "items-not-in-data"),
        ({"private": {"a"}, "public": {"a", "b"}}, "item-role-conflict"),
        ({"private": "under:nowhere"}, error("items-not-in-data", items=["nowhere"])),
    ]:
        with refuses(says):
            Cohesion(h=1.0, k=2, **more).apply(PAIR)


def test_only_public_items_named_makes_the_others_private():
    release = Cohesion(h=0.5, k=2, p=1, public={"c"}).apply(PAIR)
    assert release.claims[0].private == Items.of({"a", "b"})


def test_the_claim_does_not_name_suppressed_items():
    data = on_nodes(["a b o", "a", "a", "a", "b", "b", "c", "c"])
    release = Cohesion(h=1.0, k=2, p=2, private={"c"}, public={"a", "b"}).apply(data)
    assert release.claims[0].public == Items.of({"a"})
    assert "b" not in str(release.claims[0]).split("public=")[1]
    assert release.parameters["public"] == "a list"
    assert "o" in shown(release)


def test_infeasible_by_people_not_records():
    data = on_nodes(["a", "a", "a"])
    owned = type(data.bags)(*(x.copy() for x in data.bags.rows), np.array([1, 1, 2]), data.bags.vocabulary)
    with refuses("too-few-people", value=2, limit=3):
        Cohesion(k=3, p=1).apply(Original.on(owned, data.taxonomy))


def _moles(sets) -> Moles:
    start = np.cumsum([0, *(len(s) for s in sets)]).astype(np.int64)
    zeros = np.zeros(len(sets), np.int32)
    return Moles(start, np.array([i for s in sets for i in s], np.int32), zeros, zeros, zeros, zeros, 0, 0.0, 0)


def test_the_exact_search_beats_the_greedy_one_where_that_errs():
    # The hub of six moles looks best per loss, but all six rim items are needed for the other moles anyway.
    sets = [(0, i) for i in range(1, 7)] + [(i, i + 6) for i in range(1, 7)]
    loss = np.array([9, *[2] * 6, *[9] * 6], np.int64)
    assert greedy(_moles(sets), loss, "mm").loss > exact_hitting(_moles(sets), loss, 10).loss == 12


def test_exchanges_find_what_the_greedy_choices_miss():
    # The same hub, which every greedy choice but one suppresses beside the rim.
    sets = [(0, i) for i in range(1, 7)] + [(i, i + 6) for i in range(1, 7)]
    loss = np.array([9, *[2] * 6, *[9] * 6], np.int64)
    assert improved(_moles(sets), loss).loss == 12


@settings(deadline=None, max_examples=80)
@given(databases(repeat_owners=False), st.integers(2, 3), st.integers(1, 3))
def test_no_suppressed_item_could_be_published(case, k, p):
    """By brute force over all sets: putting any one suppressed item back everywhere gives a mole."""
    rows, owners, _ = case
    n = 1 + max((max(row, default=0) for row in rows), default=0)
    if len([row for row in rows if row]) < k:
        return
    original = as_typed(bags_of(rows, n, owners), None)
    release = Cohesion(k=k, p=p).apply(original)
    kept = {int(name[1:]) for i in np.unique(release.published.items) for name in [release.published.vocabulary[int(i)]]}
    power = Power(h=0.4, k=k, p=p)
    for item in {i for row in rows for i in row} - kept:
        shown = [frozenset(row) & (kept | {item}) for row in rows]
        assert brute_moles(shown, owners, [PUBLIC] * n, power)


def test_a_search_cut_short_says_so_and_proves_what_it_can():
    rng = np.random.default_rng(1)
    sets = sorted({tuple(sorted(rng.choice(300, 3, replace=False).tolist())) for _ in range(6000)})
    loss = rng.integers(50, 100, 300)
    found = exact_hitting(_moles(sets), loss, seconds=0.2)
    assert found.timed_out
    assert 0 <= found.bound <= found.loss <= min(greedy(_moles(sets), loss, score).loss for score in ("mm/il", "mm", "1/il"))
    assert 0 < found.gap <= 1
    chosen = set(found.items.tolist())
    assert all(chosen & set(s) for s in sets)


def test_notes_of_an_exact_release_tell_the_gap():
    release = Cohesion(k=2, p=2, exact=True).apply(PAIR)
    assert release.notes == ("1 of 3 public items were suppressed", "loss 3: the least possible loss, proven")


# -- generalization

DRINKS = {"beer": "alcohol", "wine": "alcohol", "tea": "hot", "coffee": "hot", "milk": "cold", "juice": "cold", "cola": "cold"}


def test_rare_siblings_are_published_as_their_parent():
    records = ["beer", "wine", *["tea coffee milk juice cola"] * 6]
    data = on_nodes(records, under=DRINKS)
    release = Cohesion(k=2, p=1, generalize=True).apply(data)
    assert [published(release, i) for i in (0, 1)] == [{"alcohol"}, {"alcohol"}]
    assert release.accounting.occurrences["generalized"] == 2
    assert release.accounting.occurrences["suppressed"] == 0
    assert release.claims[0].check(release, data).holds
    plain = Cohesion(k=2, p=1).apply(data)
    assert published(plain, 0) == set()
    assert "1 groups of items were published as their parent" in release.notes[0]


def test_siblings_that_meet_in_a_record_are_merged_and_counted():
    data = on_nodes(["beer wine", "beer", *["tea coffee milk juice cola"] * 6], under=DRINKS)
    release = Cohesion(k=2, p=1, generalize=True).apply(data)
    # Wine alone is a mole. Suppressing it loses 1, publishing three occurrences as alcohol loses a sixth each.
    assert [published(release, i) for i in (0, 1)] == [{"alcohol"}, {"alcohol"}]
    assert release.accounting.occurrences.as_dict() == {"in": 33, "kept": 30, "generalized": 2, "merged": 1}


def test_generalizing_that_gives_a_private_item_away_is_found_out():
    """Of six who have beer and six who have wine half have the flu, but nobody who has both: of the nine who have either, two thirds."""
    records = ["beer wine", "beer wine", "beer wine", *["beer flu"] * 3, *["wine flu"] * 3, *["tea"] * 20, "coffee"]
    data = on_nodes(records, under=DRINKS)
    method = Cohesion(h=0.5, k=7, p=1, private={"flu"}, generalize=True)
    release = method.apply(data)
    assert release.claims[0].check(release, data).holds
    assert not any("alcohol" in published(release, i) for i in range(len(records)))


def test_a_node_that_is_private_or_suppressed_itself_is_no_target():
    records = ["beer", "wine", *["alcohol"] * 3, *["tea"] * 9]
    data = on_nodes(records, under={**DRINKS})
    release = Cohesion(h=0.9, k=2, p=1, private={"alcohol"}, generalize=True).apply(data)
    assert [published(release, i) for i in (0, 1)] == [set(), set()]


def test_recoding():
    code = Recoding.identity(5).generalizing(np.array([3, 4]), 2).suppressing(np.array([1]))
    assert code.code.tolist() == [0, -1, 2, 2, 2]
    assert code.targets.tolist() == [2]
