"""Bits: worked out by hand, and against a count over all nodes above the items of random records."""

from __future__ import annotations

from dataclasses import replace
from math import log2

import numpy as np
import pytest

from helpers.data import food, on, on_nodes
from shoal.data.bags import Bags
from shoal.data.release import Release
from shoal.data.taxonomy import Taxonomy
from shoal.metrics import measure
from shoal.metrics.bits import Pairs, node_bits, record_bits
from shoal.taxonomy.people_below import people_below

BOTH = ("bits", "joint_bits")


def of(original: list[list[str]], published: list[list[str]], copies: list[int], name: str = "joint_bits") -> float:
    tree = food()
    release = Release.of_bags(on(tree, published), np.array(copies))
    return measure(release, on_nodes(on(tree, original), tree), [name])[name]


@pytest.mark.parametrize("name", BOTH)
def test_what_is_true_of_everybody_tells_nothing(name: str):
    assert of([["Apple"], ["Orange"], ["Apple"]], [["Fruit"]], [3], name) == 0


@pytest.mark.parametrize("name", BOTH)
def test_what_is_true_of_half_of_the_people_tells_one_bit(name: str):
    """Two of four have Apple; a published Apple tells one bit each, what is not published none."""
    assert of([["Apple"], ["Apple"], ["Beef"], ["Milk"]], [["Apple"]], [2], name) == pytest.approx(2 / 4)


@pytest.mark.parametrize("name", BOTH)
def test_what_two_items_have_in_common_is_counted_once(name: str):
    """Fruit is true of half of the people: log2(8 / 3) for Apple, and for Orange only what it tells beyond Fruit."""
    told = of([["Apple", "Orange"], ["Orange", "Apple"], *[["Beef"]] * 4, ["Apple"], ["Orange"]], [["Apple", "Orange"]], [2], name)
    apple = log2(8 / 3)
    assert told == pytest.approx(2 * (2 * apple - 1) / 8)


def test_joint_bits_count_items_that_always_occur_together_once_on_a_tree_that_separates_them():
    """Half of 40 people have Apple and Milk, the others neither: both tell one bit, and together hardly more."""
    people = [["Apple", "Milk"], ["Beef"]] * 20
    assert of(people, [["Apple", "Milk"]] * 5, [4] * 5, "bits") == pytest.approx(20 * 2 / 40)
    assert of(people, [["Apple", "Milk"]], [20]) == pytest.approx(20 * 2 / 40)  # no other people have both
    assert of(people, [["Apple", "Milk"]] * 5, [4] * 5) < 1.3 * 20 / 40
    apart = [["Apple", "Milk"], ["Apple"], ["Milk"], ["Beef"]] * 10
    assert of(apart, [["Apple", "Milk"]] * 2, [5] * 2) == pytest.approx(10 * 2 / 40)


def chain(tree: Taxonomy, node: int) -> list[int]:
    found = []
    while node >= 0:
        found.append(node)
        node = int(tree.parent[node])
    return found


def heaviest(weights: dict[tuple[int, int], float], nodes: list[int]) -> float:
    """The weight of the heaviest tree on all nodes, edge by edge (Kruskal)."""
    part, total = {node: node for node in nodes}, 0.0
    for (a, b), weight in sorted(weights.items(), key=lambda one: -one[1]):
        if part[a] != part[b]:
            total += weight
            old, new = part[a], part[b]
            part = {node: new if of == old else of for node, of in part.items()}
    return total


def random_records(seed: int) -> tuple[Bags, Taxonomy, list[set[int]]]:
    """Records on a random tree, and the people behind each node, node by node."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 30))
    tree = Taxonomy.from_parents({"0": None} | {str(i): str(rng.integers(0, i)) for i in range(1, n)})
    rows = [[str(i) for i in rng.choice(n, rng.integers(0, min(n, 6)), replace=False)] for _ in range(12)]
    placed = replace(on(tree, rows), owners=rng.integers(0, 7, 12))
    people: list[set[int]] = [set() for _ in range(n)]
    for r in range(len(placed)):
        for item in placed.items[placed.indptr[r] : placed.indptr[r + 1]].tolist():
            for node in chain(tree, item):
                people[node].add(int(placed.owners[r]))
    return placed, tree, people


@pytest.mark.parametrize("seed", range(20))
def test_bits_against_a_sum_over_all_nodes_above_the_items(seed: int):
    """Each node that a record makes true counts once, by its share of the people of its parent."""
    placed, tree, people = random_records(seed)
    copies = np.random.default_rng(seed).integers(1, 4, len(placed))
    release = Release.of_bags(placed, copies)
    told = 0.0
    for r in range(len(placed)):
        true = {node for item in placed.items[placed.indptr[r] : placed.indptr[r + 1]].tolist() for node in chain(tree, item)}
        above = [placed.n_owners if node == 0 else len(people[tree.parent[node]]) for node in true]
        told += copies[r] * sum(log2(up / len(people[node])) for up, node in zip(above, true, strict=True))
    assert measure(release, on_nodes(placed, tree), ["bits"])["bits"] == pytest.approx(told / len(placed))


@pytest.mark.parametrize("seed", range(20))
def test_joint_bits_against_a_plain_count(seed: int):
    placed, tree, people = random_records(seed)
    assert people_below(placed, tree).tolist() == [len(found) for found in people]
    everybody, copies = placed.n_owners, 2
    told = [log2(everybody / len(found)) if found else 0.0 for found in people]

    def common(a: int, b: int) -> float:
        one, other, both = (max(0, len(found) - copies) for found in (people[a], people[b], people[a] & people[b]))
        lift = log2((both + 1) / (one * other / max(1, everybody - copies) + 1))
        above = next(node for node in chain(tree, a) if node in chain(tree, b))
        return min(max(lift, told[above]), told[a], told[b])

    for r in range(len(placed)):
        items = placed.items[placed.indptr[r] : placed.indptr[r + 1]]
        held = items.tolist()
        weights = {(a, b): common(a, b) for a in held for b in held if a < b}
        expected = sum(told[node] for node in held) - heaviest(weights, held)
        assert record_bits(items, copies, node_bits(placed, tree), Pairs(placed, tree)) == pytest.approx(expected)
