"""The floor: which nodes it bars, what it refuses, and what it makes of the node loss."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.data import food, tree, trees
from helpers.errors import refuses
from shoal.data.bags import Bags
from shoal.data.taxonomy import Floor, Taxonomy
from shoal.errors import ParameterError
from shoal.taxonomy.place_terms import place_terms


def barred(taxonomy: Taxonomy, floor: object) -> set[str]:
    return {taxonomy.names[int(node)] for node in np.flatnonzero(Floor.of(floor).bars(taxonomy))}


def test_a_level_bars_inner_nodes_above_it_and_no_leaf() -> None:
    assert barred(food(), 1) == set()
    assert barred(food(), 2) == {"Food"}
    assert barred(food(), 3) == {"Food", "Fruit", "Meat", "Dairy"}
    with pytest.raises(ParameterError) as error:
        barred(food(), 99)
    assert error.value.facts["limit"] == 3


def test_a_node_above_all_leaves_says_no_more_than_the_root() -> None:
    chain = Taxonomy.from_parents({"(root)": None, "/*": "(root)", "/a/*": "/*", "/a/x": "/a/*", "/a/y": "/a/*", "/b": "/*"})
    assert barred(chain, 2) == {"(root)", "/*"}
    assert barred(chain, 1) == set()


def test_named_nodes_bar_what_lies_above_them() -> None:
    assert barred(food(), "Fruit") == {"Food"}
    assert barred(food(), ["Apple", "Meat"]) == {"Food", "Fruit"}
    assert barred(food(), "Food") == {"Food"}  # the root is never worth publishing unless level 1 is asked for


@given(trees(12), st.integers(1, 6))
def test_with_a_node_all_above_it_are_barred(parent: tuple[int, ...], level: int) -> None:
    taxonomy = tree(parent)
    above = Floor(level=min(level, max(2, taxonomy.height + 1))).bars(taxonomy)
    assert all(above[taxonomy.parent[node]] for node in np.flatnonzero(above) if node)
    losses = taxonomy.barring(above).unit_losses
    assert all(losses[taxonomy.parent[node]] >= losses[node] for node in range(1, len(taxonomy)))
    assert all(losses[node] == taxonomy.units for node in np.flatnonzero(above))


@pytest.mark.parametrize(
    ("floor", "said"),
    [
        (0, "at least 1"),
        ("fruit", "did you mean 'Fruit'"),
        ("Chiken", "did you mean 'Chicken'"),
        ("zzz", "no node of the taxonomy is called 'zzz'"),
        (["3", "Fruit"], "one level or some nodes"),
        ([], "a level, such as 3, or names of nodes"),
        (2.5, "a level, such as 3, or names of nodes"),
    ],
)
def test_what_is_no_floor_is_refused(floor: object, said: str) -> None:
    with pytest.raises(ParameterError) as error:
        Floor.of(floor).bars(food())
    assert said in str(error.value)


def test_a_number_that_is_a_level_and_a_node_must_be_said_plainly() -> None:
    years = Taxonomy.from_parents({"any": None, "2": "any", "20": "2", "21": "2", "3": "any"})
    with refuses("ambiguous-floor"):
        Floor.of("2").bars(years)
    assert barred(years, "level:2") == {"any"}
    assert barred(years, "node:20") == {"any", "2"}
    assert barred(years, 2) == {"any"}


def test_a_floor_survives_the_manifest() -> None:
    for floor in (Floor(), Floor(level=4), Floor(nodes=("3", "Fruit"))):
        assert Floor.from_recorded(floor.recorded) == floor


def test_unlisted_terms_may_be_published_and_their_node_may_not() -> None:
    bags = Bags.from_lists([["Apple", "pen"], ["Orange", "soap"]])
    placed = place_terms(bags, food(), floor=Floor()).tree
    assert placed.unlisted is not None
    assert barred_of(placed) == {"Food", placed.names[placed.unlisted]}
    assert place_terms(bags, food(), floor=Floor(level=1)).tree.barred is None


def test_a_node_that_no_record_uses_still_bars_those_above_it() -> None:
    placed = place_terms(Bags.from_lists([["Apple"], ["Fruit"]]), food(), floor=Floor.of("Banana")).tree
    assert barred_of(placed) == {"Food", "Fruit"}


def barred_of(taxonomy: Taxonomy) -> set[str]:
    assert taxonomy.barred is not None
    return {taxonomy.names[int(node)] for node in np.flatnonzero(taxonomy.barred)}
