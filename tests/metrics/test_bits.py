"""Bits: worked out by hand, and against a count over all nodes above the items of random records."""

from __future__ import annotations

from dataclasses import replace
from math import log2

import numpy as np
import pytest

from helpers.data import food, on, on_nodes
from shoal.data.release import Release
from shoal.data.taxonomy import Taxonomy
from shoal.metrics import measure
from shoal.metrics.bits import node_bits, record_bits
from shoal.taxonomy.people_below import people_below


def of(original: list[list[str]], published: list[list[str]], copies: list[int]) -> float:
    tree = food()
    release = Release.of_bags(on(tree, published), np.array(copies))
    return measure(release, on_nodes(on(tree, original), tree), ["bits"])["bits"]


def test_what_is_true_of_everybody_tells_nothing():
    assert of([["Apple"], ["Orange"], ["Apple"]], [["Fruit"]], [3]) == 0


def test_what_is_true_of_half_of_the_people_tells_one_bit():
    """Two of four have Apple; a published Apple tells one bit each, what is not published none."""
    assert of([["Apple"], ["Apple"], ["Beef"], ["Milk"]], [["Apple"]], [2]) == pytest.approx(2 / 4)


def test_what_two_items_have_in_common_is_counted_once():
    """Fruit is true of half of the people: log2(4) for Apple, and for Orange only what it tells beyond Fruit."""
    told = of([["Apple", "Orange"], ["Orange", "Apple"], *[["Beef"]] * 4, ["Apple"], ["Orange"]], [["Apple", "Orange"]], [2])
    apple = log2(8 / 3)
    assert told == pytest.approx(2 * (2 * apple - 1) / 8)


def chain(tree: Taxonomy, node: int) -> list[int]:
    found = []
    while node >= 0:
        found.append(node)
        node = int(tree.parent[node])
    return found


@pytest.mark.parametrize("seed", range(20))
def test_random_records_against_all_nodes_above_their_items(seed: int):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 30))
    tree = Taxonomy.from_parents({"0": None} | {str(i): str(rng.integers(0, i)) for i in range(1, n)})
    rows = [[str(i) for i in rng.choice(n, rng.integers(0, min(n, 6)), replace=False)] for _ in range(12)]
    placed = replace(on(tree, rows), owners=rng.integers(0, 7, 12))
    people: list[set[int]] = [set() for _ in range(n)]
    closed = []
    for r in range(len(placed)):
        items = placed.items[placed.indptr[r] : placed.indptr[r + 1]].tolist()
        closed.append({node for item in items for node in chain(tree, item)})
        for node in closed[-1]:
            people[node].add(int(placed.owners[r]))
    counted = np.array([len(found) for found in people])
    assert people_below(placed, tree).tolist() == counted.tolist()
    share = counted / placed.n_owners
    expected = [sum(-log2(share[node] / (share[tree.parent[node]] if node else 1)) for node in nodes) for nodes in closed]
    assert record_bits(placed, tree, node_bits(placed, tree)) == pytest.approx(expected)
