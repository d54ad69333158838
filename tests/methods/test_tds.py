"""Top-down specialization: what it shows, and in which order."""

from __future__ import annotations

import numpy as np

from helpers.itemsets import on_nodes
from shoal.itemsets.itemset_support import PUBLIC
from shoal.methods.tds import specialize


def shown(records: list[str], k: int) -> list[str]:
    data = on_nodes(records)
    chosen, _ = specialize(data.bags, np.full(len(data.taxonomy), PUBLIC, np.uint8), k)
    return [data.taxonomy.names[i] for i in chosen]


def test_an_item_that_everybody_has_costs_nothing():
    assert shown(["a", "a", "a"], 3) == ["a"]


def test_gain_over_loss_of_anonymity_decides():
    # a: gain 4, classes of 4 and 2, loss 4, score 4/5. b: gain 3, classes of 3 and 3, loss 3, score 3/4. So a goes first,
    # and b would then leave one alone.
    assert shown(["a b", "a b", "a", "a", "b", ""], 2) == ["a"]
    assert shown(["a b", "a b", "a", "a", "b", "", "b", ""], 2) == ["a", "b"]


def test_what_leaves_one_alone_is_never_shown():
    assert shown(["a", "b", "b", "b"], 2) == []
    assert shown(["a", "", "b", "b", "a"], 2) == ["a"]  # a and b score the same; either would leave the other's class of one
