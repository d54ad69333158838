"""Tasks on a release, by hand and by brute force: pairs, clusterings, nearest records, counting at each level."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.data import food, on
from shoal.data.bags import Bags
from shoal.data.original import Original
from shoal.data.release import Release, Secret
from shoal.metrics import METRICS, chunks
from shoal.metrics.chunks import top_pairs
from shoal.metrics.clusterings import adjusted_rand_index
from shoal.metrics.count_queries import drawn_at, errors_by_level
from shoal.metrics.nearest import places, unit_vectors

LEAVES = ["Apple", "Orange", "Banana", "Beef", "Chicken", "Milk", "Cheese", "Butter"]
RECORDS = st.lists(st.sets(st.sampled_from(LEAVES), max_size=5), min_size=2, max_size=12)


def original_of(records: list[list[str]]) -> Original:
    return Original.on(on(food(), records), food())


def release_of(records: list[list[str]], copies: list[int], rows: list[int]) -> Release:
    return Release.of_bags(on(food(), records), np.array(copies), secret=Secret(np.array(rows)))


def as_it_is(records: list[list[str]]) -> Release:
    return release_of(records, [1] * len(records), list(range(len(records))))


# -- pairs


@settings(max_examples=40, deadline=None)
@given(RECORDS, st.integers(1, 3))
def test_top_pairs_by_brute_force(records: list[set[str]], first: int):
    counted = Counter(pair for record in records for pair in combinations(sorted(record), 2))
    expected = sorted(counted.items(), key=lambda entry: (-entry[1], entry[0]))
    bags = Bags.from_lists([sorted(record) for record in records])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunks, "TOP", 4)
        patch.setattr(chunks, "FIRST_TERMS", first)
        assert top_pairs(bags) == expected[:4]


def test_supports_of_pairs_in_published_records():
    original = original_of([["Apple", "Beef"], ["Apple", "Beef"], ["Apple", "Milk"], ["Milk"]])
    # Apple and Beef stand in three published records instead of two, Apple and Milk in none instead of one.
    release = release_of([["Apple", "Beef"], ["Dairy"]], [3, 1], [0, 0, 0, 1])
    assert METRICS["pair_error"].measure(release, original) == pytest.approx((2 * 1 / 5 + 2) / 2)
    assert METRICS["pair_recall"].measure(release, original) == 1 / 2
    assert METRICS["pair_error"].measure(as_it_is([["Apple", "Beef"]] * 2 + [["Apple", "Milk"], ["Milk"]]), original) == 0


# -- clusterings


def test_adjusted_rand_index_of_the_textbook():
    # Of 15 pairs 2 are together in both, 6 in the first and 3 in the second: (2 - 6 * 3 / 15) / ((6 + 3) / 2 - 6 * 3 / 15).
    left, right = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 1, 1, 2, 2])
    assert adjusted_rand_index(left, right) == pytest.approx((2 - 18 / 15) / (4.5 - 18 / 15))
    assert adjusted_rand_index(left, 1 - left) == 1, "names of clusters do not matter"
    assert adjusted_rand_index(left, np.zeros(6, np.int64)) == 0


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=14))
def test_adjusted_rand_index_is_nought_on_average_over_all_orders(pairs: list[tuple[int, int]]):
    left, right = (np.array(side, np.int64) for side in zip(*pairs, strict=True))
    together = sum(left[i] == left[j] and right[i] == right[j] for i, j in combinations(range(len(left)), 2))
    ones = [sum(int(side[i] == side[j]) for i, j in combinations(range(len(side)), 2)) for side in (left, right)]
    chance, most = ones[0] * ones[1] / math.comb(len(left), 2), sum(ones) / 2
    assert adjusted_rand_index(left, right) == pytest.approx((together - chance) / (most - chance) if most != chance else 1.0)


def test_clusters_of_records_that_were_not_changed_agree():
    records = [["Apple", "Orange"], ["Beef"], ["Milk", "Cheese"]] * 8
    assert METRICS["cluster_agreement"].measure(as_it_is(records), original_of(records)) == 1
    renamed = [[{"Apple": "Beef", "Beef": "Apple"}.get(item, item) for item in record] for record in records]
    assert METRICS["cluster_agreement"].measure(as_it_is(renamed), original_of(records)) == 1, "what clusters are called does not matter"
    withheld = release_of([["Apple"]], [1], [0] + [-1] * 23)
    assert METRICS["cluster_agreement"].measure(withheld, original_of(records)) < 0.2


# -- nearest records


def test_weights_of_items_by_hand():
    vectors = unit_vectors(on(food(), [["Apple", "Beef"], ["Apple"], ["Milk"]]), np.array([1, 1, 2])).toarray()
    apple, beef = math.log(4 / 2), math.log(4 / 1)
    codes = food().names.codes(["Apple", "Beef"])
    assert vectors[0, codes] == pytest.approx(np.array([apple, beef]) / math.hypot(apple, beef))
    assert vectors[1, codes] == pytest.approx([1, 0])


def test_places_are_shared_by_equals():
    likeness = np.array([1.0, 0.5, 0.5, 0.5, 0.9, *[0.1] * 20])
    found = places(likeness, own=0)
    assert found[0] == 0
    assert found[1:5].tolist() == [1, 1, 1, 1]
    assert found[5:] == pytest.approx(6 / 20)


@settings(max_examples=25, deadline=None)
@given(RECORDS)
def test_nearest_of_records_that_were_not_changed_agree(records: list[set[str]]):
    held = [sorted(record) for record in records]
    assert METRICS["nearest_agreement"].measure(as_it_is(held), original_of(held)) == pytest.approx(1)


def test_nearest_in_a_release_of_groups_by_brute_force():
    records = [["Apple", "Beef"], ["Apple", "Beef"], ["Apple"], *[[leaf] for leaf in LEAVES[3:]] * 4]
    n = len(records)
    # Who has fruit is told as such, the others as they are, but for Butter, which is withheld.
    shown = [["Fruit"] if "Apple" in record else [] if "Butter" in record else record for record in records]
    rows = [-1 if not record else row for row, record in enumerate(shown)]
    before, after = _vectors(records), _vectors(shown)
    shares = []
    for own in range(n):
        theirs, ours = _places(before, own), _places(after, own)
        if sum(theirs):
            shares.append(sum(map(min, theirs, ours)) / sum(theirs))
    found = METRICS["nearest_agreement"].measure(release_of(shown, [1] * n, rows), original_of(records))
    assert found == pytest.approx(sum(shares) / len(shares))
    assert 0.3 < found < 0.9
    nothing = METRICS["nearest_agreement"].measure(release_of([["Food"]], [n], [0] * n), original_of(records))
    assert nothing == 0


def _vectors(records: list[list[str]]) -> list[dict[str, float]]:
    holders = Counter(item for record in records for item in record)
    return [{item: math.log(len(records) / holders[item]) for item in record} for record in records]


def _places(vectors: list[dict[str, float]], own: int) -> list[float]:
    near = [round(_cosine(vectors[own], vectors[other]), 9) if other != own else -1.0 for other in range(len(vectors))]
    last = sorted(near, reverse=True)[9]
    sure, tied = sum(one > last for one in near), near.count(last)
    return [0.0 if one <= 0 else 1.0 if one > last else (10 - sure) / tied if one == last else 0.0 for one in near]


def _cosine(left: dict[str, float], right: dict[str, float]) -> float:
    common = sum(weight * right.get(item, 0) for item, weight in left.items())
    return common / math.hypot(*left.values()) / math.hypot(*right.values()) if common else 0.0


# -- counting at each level


def test_queries_of_a_level_hold_nodes_of_that_level():
    tree, records = food(), [["Apple", "Orange", "Beef"], ["Fruit", "Milk"], ["Cheese"]]
    bags = on(tree, records)
    aisles = {frozenset(tree.names[int(node)] for node in query) for query in drawn_at(bags, tree, 2, 2)}
    assert aisles == {frozenset({"Fruit", "Meat"}), frozenset({"Fruit", "Dairy"})}
    leaves = {frozenset(tree.names[int(node)] for node in query) for query in drawn_at(bags, tree, 2, 3)}
    assert leaves == {frozenset(pair) for pair in combinations(["Apple", "Orange", "Beef"], 2)}, "Fruit is above that level"
    assert drawn_at(bags, tree, 3, 2) == []


def test_errors_by_level_by_hand():
    records = [["Apple"]] * 6 + [["Orange"]] * 3
    release = release_of([["Fruit"]], [9], [0] * 9)
    found = errors_by_level(release, original_of(records), 1)
    # Nine records hold a fruit, and the release says so. Of the three fruits below each has three of nine records: 3 instead of 6, 3 of 3.
    asked = [food().names[int(query[0])] for query in drawn_at(on(food(), records), food(), 1, 3)]
    assert found[2] == 0
    assert found[3] == pytest.approx(0.5 * asked.count("Apple") / len(asked))
    assert 0.3 < found[3] < 0.4
