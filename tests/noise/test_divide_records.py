"""DiffPart: the largest number of divisions by brute force, budgets of all paths, what one person changes, thresholds, and noise."""

from __future__ import annotations

import math
import random
from itertools import combinations

import numpy as np
import polars as pl
import pytest

from shoal.data.bags import Ints
from shoal.data.log import Log
from shoal.data.original import LogOriginal
from shoal.data.tables.counts import CountTable
from shoal.data.taxonomy import Taxonomy
from shoal.methods.diffpart import DiffPart, drawn
from shoal.noise.bounded_tree import BoundedTree, Cut, bounded_tree
from shoal.noise.divide_records import LeafEntries, PathBudget, divide, planned

ALL = 10**9  # added to every number, so that every part is divided


def random_taxonomy(rng: random.Random, size: int) -> Taxonomy:
    parents: dict[str, str | None] = {"n0": None}
    for number in range(1, size):
        parents[f"n{number}"] = f"n{rng.randrange(number)}"
    return Taxonomy.from_parents(parents)


def inner_above(tree: BoundedTree, leaves: tuple[int, ...], top: int = 0) -> int:
    """How many inner nodes below `top`, itself included, are above one of these leaves."""
    spans = [(tree.first[n], tree.end[n]) for n in range(len(tree.children)) if tree.children[n]]
    low, high = tree.first[top], tree.end[top]
    return sum(low <= a and b <= high and any(a <= leaf < b for leaf in leaves) for a, b in spans)


@pytest.mark.parametrize("seed", range(12))
def test_the_tree_has_every_item_once_and_few_children(seed: int) -> None:
    rng = random.Random(seed)
    taxonomy, fanout = random_taxonomy(rng, rng.randrange(2, 30)), rng.randrange(2, 5)
    tree = bounded_tree(taxonomy, fanout)
    assert all(len(children) in range(2, fanout + 1) for children in tree.children if children)
    leaves = tree.leaf_of[1:]
    assert sorted(leaves.tolist()) == list(range(len(leaves)))  # every node but the root is an item with a leaf of its own
    for node, shown in enumerate(tree.shown.tolist()):
        items = [item for item in range(1, len(taxonomy)) if tree.first[node] <= tree.leaf_of[item] < tree.end[node]]
        assert all(shown <= item < taxonomy.end[shown] for item in items)  # what is published is above all of them


@pytest.mark.parametrize("seed", range(12))
def test_the_largest_number_of_divisions_is_that_of_brute_force(seed: int) -> None:
    rng = random.Random(seed)
    tree = bounded_tree(random_taxonomy(rng, rng.randrange(3, 11)), rng.randrange(2, 4))
    n = int(tree.end[0])
    for cap in (1, 2, 3):
        sets = [leaves for size in range(1, cap + 1) for leaves in combinations(range(n), size)]
        assert tree.most_steps((0,), cap) == max(inner_above(tree, leaves) for leaves in sets)
        for cut in combinations([node for node in range(1, len(tree.children)) if node in tree.children[0]], min(2, cap)):
            inside = [
                leaves
                for leaves in sets
                if all(any(tree.first[node] <= leaf < tree.end[node] for leaf in leaves) for node in cut)
                and all(any(tree.first[node] <= leaf < tree.end[node] for node in cut) for leaf in leaves)
            ]
            worst = max(sum(inner_above(tree, leaves, node) for node in cut) for leaves in inside)
            assert tree.most_steps(cut, cap) == worst


@pytest.mark.parametrize("seed", range(8))
def test_the_budgets_of_every_path_add_up_to_the_whole(seed: int) -> None:
    rng = random.Random(seed)
    tree, cap = bounded_tree(random_taxonomy(rng, rng.randrange(3, 12)), 3), rng.randrange(1, 4)
    budget = PathBudget(0.7, 0.3, cap, 0.1)
    ends = []

    def walk(cut: Cut, left: float, spent: float) -> None:
        plan = planned(tree, cut, left, budget)
        for choice, complete in zip(plan.choices, plan.complete, strict=True):
            child = tuple(sorted((*cut[: plan.place], *choice, *cut[plan.place + 1 :])))
            assert len(child) <= cap
            if complete:
                ends.append(spent + 1 / plan.last_scale)
            else:
                walk(child, plan.left, spent + 1 / plan.scale)

    walk((0,), budget.dividing, 0.0)
    assert max(ends) <= 1.0
    assert min(ends) == pytest.approx(1.0)


class Recorder:
    """Keeps the numbers to which noise is added, and makes every part pass."""

    def __init__(self) -> None:
        self.calls: list[tuple[list[int], float]] = []

    def __call__(self, numbers: Ints, scale: float) -> Ints:
        self.calls.append((numbers.tolist(), scale))
        return numbers + ALL


@pytest.mark.parametrize("seed", range(10))
def test_one_person_more_costs_epsilon_over_the_whole_tree(seed: int) -> None:
    """The sum of all changes of numbers divided by the scales of their noise, where all parts are divided: what the noise must cover."""
    rng = random.Random(seed)
    tree, cap = bounded_tree(random_taxonomy(rng, rng.randrange(3, 9)), rng.randrange(2, 4)), rng.randrange(1, 4)
    budget, n = PathBudget(0.6, 0.4, cap, 0.1), int(tree.end[0])
    people = [rng.sample(range(n), rng.randrange(1, min(cap, n) + 1)) for _ in range(6)]
    entries = [(person, leaf) for person, leaves in enumerate(people) for leaf in sorted(leaves)]

    def numbers(some: list[tuple[int, int]]) -> list[tuple[list[int], float]]:
        seen = Recorder()
        divide(tree, LeafEntries(*(np.array(column, np.int64) for column in zip(*some, strict=True))), budget, seen)
        return seen.calls

    before, after = numbers([entry for entry in entries if entry[0]]), numbers(entries)
    assert [scale for _, scale in before] == [scale for _, scale in after]
    moved = [sum(abs(x - y) for x, y in zip(a, b, strict=True)) for (a, _), (b, _) in zip(before, after, strict=True)]
    assert set(moved) <= {0, 1}  # one part of each division
    loss = sum(change / scale for change, (_, scale) in zip(moved, after, strict=True))
    assert loss <= 1.0
    assert loss == pytest.approx(1.0)  # and the budget is used up


def test_parts_without_anybody_pass_as_often_as_stated() -> None:
    tree = bounded_tree(Taxonomy.from_parents({"all": None, **dict.fromkeys("abcdef", "all")}), 6)
    for spurious in (0.01, 0.5, 3.0):
        plan = planned(tree, (0,), 0.5, PathBudget(0.5, 0.5, 3, spurious))
        assert len(plan.choices) == 6 + 15 + 20
        rate = math.exp(-1 / plan.last_scale)
        passing = rate ** plan.limit(True, spurious) / (1 + rate)  # P(noise >= limit) of discrete Laplace noise, exactly
        assert len(plan.choices) * passing <= spurious * (1 + 1e-9)
        assert len(plan.choices) * passing > spurious * rate * (1 - 1e-9)


def test_without_noise_the_sets_of_people_are_found() -> None:
    taxonomy = Taxonomy.from_parents({"food": None, "fruit": "food", "apple": "fruit", "pear": "fruit", "beer": "food"})
    tree = bounded_tree(taxonomy, 3)
    apple, pear, beer, fruit = (int(tree.leaf_of[taxonomy.names.codes([name])[0]]) for name in ("apple", "pear", "beer", "fruit"))
    held = [[apple, pear]] * 3 + [[beer]] * 2 + [[fruit, beer]] * 4
    entries = [(person, leaf) for person, leaves in enumerate(held) for leaf in leaves]
    records = LeafEntries(*(np.array(column, np.int64) for column in zip(*entries, strict=True)))
    found = divide(tree, records, PathBudget(1e6, 1e6, 3, 0.1), lambda numbers, scale: numbers)
    names = {tuple(sorted(taxonomy.names[int(tree.shown[node])] for node in cut)): count for cut, count in found.items()}
    assert names == {("apple", "pear"): 3, ("beer",): 2, ("beer", "fruit"): 4}


def flat(people: int, items: int = 40) -> LogOriginal:
    names = [f"i{number:02d}" for number in range(items)]
    payload = pl.Series(names).gather(np.repeat(np.arange(items), people))
    log = Log(pl.DataFrame({"owner": np.arange(items * people), "payload": payload}), "item")
    return LogOriginal(log, Taxonomy.from_parents({"all": None, **dict.fromkeys(names, "all")}))


def test_counts_have_the_noise_of_their_share(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("opendp")
    method, found = DiffPart(epsilon=1.0, cap=1, fanout=7), []
    for _ in range(10):
        table = method.apply(flat(200)).only(CountTable).frame
        assert len(table) >= 40
        found += [count - 200 for count in table["count"].to_list() if count > 150]
    # 40 items in groups of at most 7: two divisions, of which the last gets all that is left: 1/2 + 1/4
    scale = 1 / 0.75
    assert len(found) == 400
    deviation = scale * math.sqrt(1 / 400)
    assert np.mean(np.abs(found)) == pytest.approx(1 / math.sinh(1 / scale), abs=5 * deviation)  # the mean of discrete Laplace noise
    assert abs(np.mean(found)) < 5 * math.sqrt(2) * deviation


def test_drawn_noise_is_of_the_given_scale() -> None:
    pytest.importorskip("opendp")
    noise = drawn(np.zeros(20_000, np.int64), 3.0)
    assert np.abs(noise).mean() == pytest.approx(1 / math.sinh(1 / 3), rel=0.05)


def test_categories_take_the_people_that_sets_do_not() -> None:
    """With `rest`, a part is published with what its noisy number exceeds those of its children by."""
    taxonomy = Taxonomy.from_parents({"food": None, "fruit": "food", **dict.fromkeys("abcdefgh", "fruit"), "beer": "food"})
    tree = bounded_tree(taxonomy, 9)
    leaves = [int(tree.leaf_of[taxonomy.names.codes([name])[0]]) for name in "abcdefgh"]
    entries = [(person, leaves[person % 8]) for person in range(80)]
    records = LeafEntries(*(np.array(column, np.int64) for column in zip(*entries, strict=True)))
    budget = PathBudget(1.0, 0.1, 2, 0.1)
    found = divide(tree, records, budget, lambda numbers, scale: numbers, rest=True)
    shown = {tuple(taxonomy.names[int(tree.shown[node])] for node in cut): count for cut, count in found.items()}
    assert sum(shown.values()) == 80
    assert shown.get(("fruit",), 0) + sum(shown.get((name,), 0) for name in "abcdefgh") == 80
