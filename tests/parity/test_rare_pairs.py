"""Sets of one or two items as a graph and in batches, against the kernels that list every set."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.data import numbered
from helpers.itemsets import bags_of
from shoal import _kernels, kernels
from shoal.data.bags import Bags
from shoal.data.taxonomy import Taxonomy
from shoal.itemsets import km_from_below
from shoal.itemsets.hitting_set import hit_rare_pairs, improved
from shoal.itemsets.itemset_support import PUBLIC, Power, minimal_moles
from shoal.itemsets.km_from_below import RecordsHere, both_ways

ITEMS = 12
rows = st.lists(st.sets(st.integers(0, ITEMS - 1), max_size=6), min_size=4, max_size=40)
SOME = settings(deadline=None, max_examples=200)


@SOME
@given(rows, st.data(), st.integers(1, 4), st.integers(1, 2), st.lists(st.integers(0, 9), min_size=ITEMS, max_size=ITEMS))
def test_the_graph_gives_what_the_list_of_sets_gives(sets, data, k, most, loss):
    owners = data.draw(st.lists(st.integers(0, 9), min_size=len(sets), max_size=len(sets)) | st.just(list(range(len(sets)))))
    bags, losses = bags_of(sets, ITEMS, owners), np.array(loss, np.int64)
    if bags.n_owners < k:
        return
    listed = improved(minimal_moles(bags, np.full(ITEMS, PUBLIC, np.uint8), Power(1.0, k, most)), losses).items
    for threads in (1, 2):
        with kernels.using(threads=threads):
            assert hit_rare_pairs(bags, k, most, losses).tolist() == sorted(listed.tolist())


@SOME
@given(rows, st.randoms(use_true_random=False))
def test_the_order_of_records_does_not_matter(sets, random):
    loss = np.arange(1, ITEMS + 1)
    turned = random.sample(sets, len(sets))
    found = [hit_rare_pairs(bags_of(some, ITEMS, range(len(some))), 3, 2, loss).tolist() for some in (sets, turned)]
    assert found[0] == found[1]


def published(bags: Bags, tree: Taxonomy, k: int, m: int) -> list[list[int]]:
    settled = np.zeros(len(tree), bool)
    settled[np.unique(bags.items)[:2]] = True
    return [way.shown().tolist() for way in both_ways(lambda first: RecordsHere(bags, tree, k, m, first), settled)]


@pytest.mark.parametrize("seed", range(12))
def test_what_is_published_does_not_depend_on_how_rare_sets_are_kept(seed, monkeypatch):
    random = np.random.default_rng(seed)
    parent = np.array([-1, 0, 0, 1, 1, 1, 2, 2, 2, 8, 8], np.int32)
    tree = Taxonomy([f"n{node:02}" for node in range(len(parent))], parent)
    held = [sorted(random.choice(np.arange(3, len(parent)), int(random.integers(1, 6)), replace=False).tolist()) for _ in range(40)]
    owners = random.integers(0, 25, 40).tolist() if seed % 2 else list(range(40))
    bags, k, m = numbered(tree, held, owners), 2 + seed % 4, 1 + seed // 2 % 2
    in_one = published(bags, tree, k, m)
    monkeypatch.setattr(km_from_below, "BATCH", 1)  # a record at a time
    assert published(bags, tree, k, m) == in_one
    monkeypatch.setattr(km_from_below, "PAIRS", 0)  # every set in a list
    assert published(bags, tree, k, m) == in_one


def test_wrong_arguments_are_refused():
    bags = bags_of([{0, 1}], ITEMS, [0])
    none = np.zeros(0, np.int64)
    task = _kernels.Task()
    with pytest.raises(ValueError, match="one or two items"):
        _kernels.hit_rare_pairs(bags.view, none, 2, 3, np.ones(ITEMS, np.int64), 1, task)
    records = _kernels.PublishedRecords(bags.view, none, ITEMS, 2, 2)
    shown, fresh, node = np.array([0, 1], np.int32), np.ones(2, np.uint8), np.array([0], np.int32)
    with pytest.raises(ValueError, match="as they were published"):
        records.give_up_pairs(shown, fresh, node, 1, task)
    records.publish(np.array([0, 1]), shown)
    with pytest.raises(ValueError, match="a rare set without a fresh node"):
        records.give_up_pairs(shown, np.zeros(2, np.uint8), node, 1, task)
    with pytest.raises(ValueError, match="a batch of at least one"):
        records.give_up_pairs(shown, fresh, node, 0, task)
