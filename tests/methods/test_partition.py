"""Partition on records that are long and alike; members that change groups afterwards."""

from __future__ import annotations

import time

import numpy as np
import pytest

from helpers.data import numbered, tree
from shoal.data.bags import Bags
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.taxonomy import Taxonomy
from shoal.methods.partition import Partition
from shoal.taxonomy.place_terms import place_terms


def pairs(n: int) -> list[int]:
    """A root over n groups of two leaves each, in preorder."""
    parent = [-1]
    for _ in range(n):
        group = len(parent)
        parent += [0, group, group]
    return parent


def test_long_records_that_agree_are_published_as_they_are() -> None:
    taxonomy = tree(pairs(50))
    record = [3 * i + 2 for i in range(50)]
    release = Partition(k=2).apply(Original.on(numbered(taxonomy, [record] * 4), taxonomy))
    assert release.copies.tolist() == [4]
    assert release.published.items.tolist() == record


def test_two_splits_that_gain_equally_much() -> None:
    """A node that appears after an equal one was tried may come first by its order: all records have W, so Z is replaced on the way."""
    root, z, w, a = 0, 1, 2, 24
    parent = [-1, root, z, *[w] * 19, z, z, root, *[a] * 19]
    taxonomy = tree(parent)
    below_w, below_a = [3, 3, *range(4, 22)], [*range(26, 44), 25, 25]  # one pair of records shares a leaf, all others have their own
    records = [sorted(pair) for pair in zip(below_w, below_a, strict=True)]
    release = Partition(k=2).apply(Original.on(numbered(taxonomy, records), taxonomy))
    assert release.claims[0].check(release).holds
    assert release.copies.sum() == 20


@pytest.mark.timing
def test_the_time_does_not_grow_with_the_cube_of_the_length() -> None:
    def seconds(n: int) -> float:
        taxonomy = tree(pairs(n))
        records = np.tile(3 * np.arange(n) + 2, (6, 1))
        records[:3, : n // 10] -= 1
        bags = numbered(taxonomy, records.tolist())
        started = time.perf_counter()
        release = Partition(k=2).apply(Original.on(bags, taxonomy))
        assert release.claims[0].check(release).holds
        return time.perf_counter() - started

    small, large = min(seconds(200) for _ in range(3)), min(seconds(2_000) for _ in range(2))
    assert large < 100 * small + 1


FOOD = {
    "Food": None,
    **dict.fromkeys(["Fruit", "Meat", "Dairy"], "Food"),
    **dict.fromkeys(["Apple", "Orange", "Banana"], "Fruit"),
    **dict.fromkeys(["Beef", "Chicken"], "Meat"),
    **dict.fromkeys(["Milk", "Cheese", "Butter"], "Dairy"),
}


def shared_words(original: Original, release: Release) -> int:
    """Words published as they are, counted from the two tables: records are sets here."""
    rows = release.secret.rows()
    return sum(len(set(original.bags.record(i)) & set(release.published.record(int(row)))) for i, row in enumerate(rows))


def test_people_who_bought_the_same_are_brought_together() -> None:
    """Two words can be kept, those of the two Oranges; the split itself puts them in one group with others."""
    baskets = Bags.from_lists([["Orange"], ["Apple", "Banana"], ["Orange"], ["Beef", "Milk"]])
    original = place_terms(baskets, Taxonomy.from_parents(FOOD))
    kept = {form: shared_words(original, Partition(k=2, publish_as=form).apply(original)) for form in ("set", "bag", "lcg", "words")}
    assert kept == {"set": 0, "bag": 0, "lcg": 0, "words": 2}


def worth(original: Original, release: Release) -> int:
    """The score of the exchanges, from its definition: for every record and node the least count in its group, by weight."""
    tree, rows = original.tree, release.secret.rows()
    weights = tree.weights + 4 * tree.units * np.isin(np.arange(len(tree)), original.bags.items)
    counts = np.zeros((len(rows), len(tree)), np.int64)
    for i in range(len(rows)):
        for item in original.bags.items[original.bags.indptr[i] : original.bags.indptr[i + 1]]:
            node = int(item)
            while node >= 0:
                counts[i, node] += 1
                node = int(tree.parent[node])
    groups = [counts[rows == row] for row in np.unique(rows)]
    return sum(len(group) * int(weights @ group.min(axis=0)) for group in groups)


@pytest.mark.parametrize("seed", range(8))
def test_exchanges_never_lower_their_score_and_keep_groups_of_k_people(seed: int) -> None:
    rng = np.random.default_rng(seed)
    leaves = [name for name in FOOD if name not in FOOD.values()]
    baskets = [rng.choice(leaves, rng.integers(1, 5), replace=False).tolist() for _ in range(80)]
    original = place_terms(Bags.from_lists(baskets, rng.integers(0, 50, 80)), Taxonomy.from_parents(FOOD))
    split, exchanged = (Partition(k=4, publish_as=form).apply(original) for form in ("lcg", "words"))
    assert all(claim.check(exchanged, original).holds for claim in exchanged.claims)
    assert worth(original, exchanged) > worth(original, split)
