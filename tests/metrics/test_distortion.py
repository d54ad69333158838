"""Distortion: exact where nothing is lost, and no gain for a release that publishes more than it was given."""

from __future__ import annotations

import numpy as np

from shoal.data.bags import Bags
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.taxonomy import Taxonomy
from shoal.metrics import METRICS

FOOD = {"Food": None, "Fruit": "Food", "Apple": "Fruit", "Orange": "Fruit", "Pear": "Fruit", "Meat": "Food", "Beef": "Meat"}


def measured(records: list[list[str]], published: list[list[str]]) -> dict[str, float]:
    tree = Taxonomy.from_parents(FOOD)
    original, shown = (_on(tree, lists) for lists in (records, published))
    release = Release.from_records(shown)
    return {name: METRICS[name].measure(release, Original.on(original, tree)) for name in ("ggd", "loss", "added_loss")}


def _on(tree: Taxonomy, lists: list[list[str]]) -> Bags:
    items = np.concatenate([tree.names.codes(names) for names in lists]) if lists else np.zeros(0, np.int32)
    indptr = np.cumsum([0, *map(len, lists)])
    return Bags.from_rows(indptr, items, np.ones(len(items), np.int32), tree.names)


def test_what_is_published_unchanged_adds_no_loss_at_all() -> None:
    records = [["Fruit", "Apple"], ["Fruit", "Meat"], ["Fruit"]] * 7
    assert measured(records, records)["added_loss"] == 0.0


def test_a_surplus_of_published_items_is_no_gain() -> None:
    found = measured([["Apple"], ["Beef"]], [["Apple", "Orange", "Pear"], ["Beef", "Apple"]])
    assert found["ggd"] == 0.0  # leaves cost nothing, and nothing was suppressed


def test_published_roots_cost_one_each_however_many_there_are() -> None:
    found = measured([["Apple"], ["Beef"]], [["Food", "Food"], ["Food", "Food"]])
    assert found["loss"] == 2.0
