"""Closed patterns and what is found again of them, on small data worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.cli import Shell, failed
from helpers.data import food, on, on_nodes
from helpers.errors import refuses
from shoal.data.release import Release
from shoal.metrics.patterns import closed_patterns, counting_patterns, distance_of, recall, recall_of, semantic_distance
from shoal.taxonomy.distance import SemanticDistance


def listed(patterns):
    return [(dict(patterns.bags.record(i)), int(patterns.support[i])) for i in range(len(patterns))]


def test_closed_patterns_of_bags():
    """Apple twice is a pattern of its own; Beef alone is not closed, as it never comes without Apple."""
    bags = on(food(), [["Apple", "Apple", "Beef"], ["Apple", "Beef"], ["Apple", "Apple"], ["Milk"]])
    assert listed(closed_patterns(bags)) == [
        ({"Apple": 1}, 3),
        ({"Apple": 2}, 2),
        ({"Apple": 1, "Beef": 1}, 2),
        ({"Apple": 2, "Beef": 1}, 1),
        ({"Milk": 1}, 1),
    ]
    assert listed(closed_patterns(bags, 1, shortest=2)) == [({"Apple": 2}, 2)]


def test_weights_count_records():
    bags = on(food(), [["Apple"], ["Milk"]])
    assert listed(closed_patterns(bags, weights=[0, 5])) == [({"Milk": 1}, 5)]


def test_recall_is_the_best_overlap_with_one_pattern():
    tree = food()
    original = on(tree, [["Apple", "Apple", "Beef"], ["Milk"]])
    published = on(tree, [["Apple", "Beef", "Milk"], ["Apple", "Apple"]])
    assert recall_of(original, published) == pytest.approx((2 + 1) / 4)
    assert recall_of(original, on(tree, [])) == 0
    assert recall_of(original, original) == 1


def test_distance_is_to_the_nearest_pattern_per_term():
    tree = food()
    distance = SemanticDistance(tree, eps=2, omega=3)
    original = on(tree, [["Apple", "Beef"], ["Milk"]])
    published = on(tree, [["Orange", "Chicken"], ["Apple"]])
    assert distance_of(original, published, distance) == pytest.approx((3 + 6) / 3)
    assert distance_of(original, on(tree, []), distance) == 3


def test_a_release_of_everything_loses_no_pattern():
    tree = food()
    bags = on(tree, [["Apple", "Beef"], ["Apple", "Milk"], ["Apple", "Beef"]])
    release = Release.of_bags(bags, np.ones(3, np.int64))
    assert recall(release, on_nodes(bags, tree)) == 1
    assert semantic_distance(release, on_nodes(bags, tree)) == 0


def test_fewer_patterns_are_compared_on_request():
    """Apple is the most frequent pattern, then Beef; the release has no Beef, so of two patterns half are found."""
    tree = food()
    bags = on(tree, [["Apple"], ["Apple"], ["Apple"], ["Beef"], ["Beef"], ["Milk"]])
    release = Release.of_bags(on(tree, [["Apple"], ["Milk"]]), np.array([3, 1]))
    original = on_nodes(bags, tree)
    for n, share in ((1, 1.0), (2, 1 / 2), (3, 2 / 3), (None, 2 / 3)):
        with counting_patterns(n):
            assert recall(release, original) == pytest.approx(share)
    with refuses("out-of-range", value=0), counting_patterns(0):
        pass
    assert recall(release, original) == pytest.approx(2 / 3)


def test_the_option_is_for_metrics_that_are_computed(shell: Shell):
    shell.file("baskets.txt", "Apple,Beef\nApple,Beef\nApple\nApple\nMilk\nMilk\n")
    assert shell("anonymize", "baskets.txt", "--taxonomy", "none", "--method", "coherence", "--k", "2", "--out", "release").code == 0
    asked = ("measure", "release", "--metric", "pattern_recall", "--patterns", "1")
    failed(shell(*asked), "option-not-applicable")
    assert shell(*asked, "--original", "baskets.txt", "--taxonomy", "none").code == 0
