"""Distances of term frequencies, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.data import food, on, on_nodes
from shoal.data.release import Release
from shoal.metrics.frequency import frequency_distance, frequency_shift


def of(original, published, copies):
    tree = food()
    release = Release.of_bags(on(tree, published), np.array(copies))
    given = on_nodes(on(tree, original), tree)
    return frequency_distance(release, given), frequency_shift(release, given)


def test_unchanged_frequencies_are_at_distance_nothing():
    assert of([["Apple"], ["Apple"], ["Beef"]], [["Apple"], ["Beef"]], [2, 1]) == (0, 0)


def test_moving_a_term_to_its_sibling_costs_two_edges():
    """One of four uses goes from Apple to Orange."""
    assert of([["Apple", "Apple"], ["Beef", "Milk"]], [["Apple", "Orange"], ["Beef", "Milk"]], [1, 1]) == pytest.approx((0.25, 0.5))


def test_what_is_not_published_counts_at_the_root():
    """Half of the uses go from a leaf at depth 2 to the root."""
    assert of([["Apple", "Beef"]], [["Apple"]], [1]) == pytest.approx((0.5, 1.0))
