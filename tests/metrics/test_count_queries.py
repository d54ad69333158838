"""Errors of counting with a release, beside answers worked out by hand and by brute force."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.data import food, on
from shoal.data.bags import Bags
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.metrics import METRICS
from shoal.metrics.count_queries import Postings, _Answers, _exact
from shoal.taxonomy.place_terms import place_terms

LEAVES = ["Apple", "Orange", "Banana", "Beef", "Chicken", "Milk", "Cheese", "Butter"]
NODES = [*LEAVES, "Fruit", "Meat", "Dairy"]


def codes(*names: str) -> np.ndarray:
    return food().names.codes(list(names)).astype(np.int64)


def expected(published: list[list[str]], copies: list[int], *query: str) -> float:
    return _Answers(on(food(), published), np.array(copies), food()).expected(codes(*query))


def test_what_is_published_above_the_query_counts_by_its_share_of_leaves():
    assert expected([["Apple"], ["Fruit"], ["Beef"]], [2, 3, 5], "Apple") == pytest.approx(2 + 3 / 3)
    assert expected([["Apple"], ["Fruit"], ["Beef"]], [2, 3, 5], "Fruit") == 5
    assert expected([["Food"]], [8], "Apple") == pytest.approx(1)
    assert expected([["Fruit", "Dairy"], ["Apple", "Dairy"]], [9, 1], "Apple", "Milk") == pytest.approx(9 / 9 + 1 / 3)


@given(
    st.lists(st.sets(st.sampled_from(NODES), min_size=1, max_size=4), min_size=1, max_size=6),
    st.lists(st.sampled_from(NODES), min_size=1, max_size=3, unique=True),
)
@settings(max_examples=60, deadline=None)
def test_answers_by_brute_force(records: list[set[str]], query: list[str]):
    tree, bags = food(), on(food(), [sorted(record) for record in records])
    below = {name: set(range(node, int(tree.end[node]))) for name, node in zip(NODES, codes(*NODES), strict=True)}
    number = dict(zip(NODES, codes(*NODES).tolist(), strict=True))
    exact = sum(all(any(number[item] in below[asked] for item in record) for asked in query) for record in records)
    assert _exact(Postings(bags, tree), codes(*query), len(records)) == exact
    total = Fraction(0)
    for record in records:
        chance = Fraction(1)
        for asked in query:
            missing = Fraction(1)
            for item in record:
                if number[item] in below[asked]:
                    missing = Fraction(0)
                elif number[asked] in below[item]:
                    missing *= 1 - Fraction(int(tree.leaves[number[asked]]), int(tree.leaves[number[item]]))
            chance *= 1 - missing
        total += chance
    assert expected([sorted(record) for record in records], [1] * len(records), *query) == pytest.approx(float(total))


def original() -> Original:
    chance = np.random.default_rng(0)
    lists = [[LEAVES[i] for i in chance.choice(8, 3, replace=False)] for _ in range(40)]
    return place_terms(Bags.from_lists(lists), food(), unknown="refuse", scope="whole", as_sets=True)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_original_answers_without_error_and_nothing_answers_nothing(size: int):
    whole = original()
    metric = METRICS[f"count_error_{size}"]
    same = Release.of_bags(whole.bags, np.ones(len(whole.bags), np.int64))
    assert metric.measure(same, whole) == 0
    empty = Release.of_bags(whole.bags.select(np.zeros(0, np.int64)), np.zeros(0, np.int64))
    assert metric.measure(empty, whole) == pytest.approx(1)
