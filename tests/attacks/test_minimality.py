"""What the least common generalization tells: by hand, and beside all records that are possible at all."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.attacks import chances, grouped, published_as, scenario
from helpers.data import food, tree, trees
from shoal.attacks.scenarios import Skipped
from shoal.attacks.scenarios.minimality import Minimality, Nature
from shoal.data.taxonomy import Taxonomy

CERTAIN, ALONE = "an item of somebody in the group, for certain", "that item singles a record out"
Record = tuple[int, ...]


def nature(taxonomy: Taxonomy, names: list[str], *, sets: bool = True) -> Nature:
    exist = np.zeros(len(taxonomy), bool)
    exist[taxonomy.nodes(names)] = True
    return Nature(taxonomy, exist, sets=sets)


def certain(world: Nature, published: list[str]) -> set[str]:
    """The names of what somebody must hold whose group is published as this."""
    counts = Counter(published)
    nodes = world.tree.nodes(list(counts)).astype(np.int64)
    order = np.argsort(nodes)
    found = world.certain(nodes[order], np.array(list(counts.values()), np.int64)[order])
    return {world.tree.names[int(item)] for item in found}


def test_two_kinds_of_meat_and_three_of_fruit():
    """Of two kinds each is held by somebody; of three, one each tells nothing, and two each tell that all three are held."""
    world = nature(food(), ["Apple", "Orange", "Banana", "Beef", "Chicken", "Milk"])
    assert certain(world, ["Meat"]) == {"Beef", "Chicken"}
    assert certain(world, ["Fruit"]) == set()
    assert certain(world, ["Fruit", "Fruit"]) == {"Apple", "Orange", "Banana"}
    assert certain(world, ["Fruit", "Meat"]) == {"Beef", "Chicken"}
    assert certain(world, ["Apple", "Fruit"]) == {"Orange", "Banana"}  # each has an apple and one of two others
    assert certain(world, ["Apple", "Beef"]) == set()
    # All have one thing, and not all have fruit, or meat, or milk: nothing of it is certain.
    assert certain(world, ["Food"]) == set()


def test_in_bags_two_of_a_kind_may_be_the_same():
    world = nature(food(), ["Apple", "Orange", "Banana", "Beef", "Chicken"], sets=False)
    assert certain(world, ["Meat"]) == {"Beef", "Chicken"}
    assert certain(world, ["Fruit", "Fruit"]) == set()
    few = nature(food(), ["Apple", "Orange", "Beef"], sets=False)
    assert certain(few, ["Apple"]) == set()
    assert certain(few, ["Apple", "Food"]) == {"Beef"}  # somebody has a single fruit, and two things


def test_a_word_that_is_a_kind_itself_may_be_what_was_typed():
    """Where somebody may have typed Meat, two people published as Meat may both have."""
    assert certain(nature(food(), ["Meat", "Beef", "Chicken"]), ["Meat"]) == set()


# -- beside all possible records


def counts_of(record: Record, parent: tuple[int, ...]) -> tuple[int, ...]:
    found = [0] * len(parent)
    for item in record:
        node = item
        while node >= 0:
            found[node] += 1
            node = parent[node]
    return tuple(found)


def possible_records(items: list[int], most: int) -> list[Record]:
    """All sets of items, or with `most` above one all bags that hold each at most so often."""
    return [tuple(np.repeat(items, times).tolist()) for times in product(range(most + 1), repeat=len(items))]


def lowest(vectors: list[tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(min(values) for values in zip(*vectors, strict=True))


def must_be_held(published: tuple[int, ...], records: list[Record], parent: tuple[int, ...], items: list[int]) -> set[int]:
    """Items without which no group at all, of any size, is published so: the largest such group is of all records that fit."""
    vectors = [(record, counts_of(record, parent)) for record in records]
    fitting = [(record, vector) for record, vector in vectors if lowest([vector, published]) == published]
    needed = set()
    for item in items:
        without = [vector for record, vector in fitting if item not in record]
        if not without or lowest(without) != published:
            needed.add(item)
    return needed


def own_items(vector: tuple[int, ...], parent: tuple[int, ...]) -> Counter[int]:
    own = list(vector)
    for node in range(1, len(parent)):
        own[parent[node]] -= vector[node]
    return Counter({node: count for node, count in enumerate(own) if count})


@settings(max_examples=60, deadline=None)
@given(trees(8), st.data())
def test_certain_is_what_no_group_of_any_size_can_lack(parent: tuple[int, ...], data: st.DataObject):
    items = sorted(data.draw(st.sets(st.integers(0, len(parent) - 1), min_size=1, max_size=6)))
    sets = len(items) > 3 or data.draw(st.booleans())
    records = possible_records(items, 1 if sets else 6)  # a bag of two of each of three items has six
    group = data.draw(st.lists(st.sampled_from(records if sets else possible_records(items, 2)), min_size=2, max_size=4))
    published = lowest([counts_of(record, parent) for record in group])
    taxonomy = tree(parent)
    exist = np.zeros(len(parent), bool)
    exist[items] = True
    own = own_items(published, parent)
    nodes = np.array(sorted(own), np.int64)
    world = Nature(taxonomy, exist, sets=sets)
    found = set(world.certain(nodes, np.array([own[int(node)] for node in nodes], np.int64)).tolist())
    assert found == must_be_held(published, records, parent, items) - set(own)
    assert all(any(item in record for record in group) for item in found)


def test_every_group_of_three_that_is_published_so_has_what_is_certain():
    """All groups of three people over two kinds of fruit and two of meat, counted out."""
    parent = (-1, 0, 1, 1, 0, 4, 4)
    world = Nature(tree(parent), np.isin(np.arange(7), [2, 3, 5, 6]), sets=True)
    records = [record for size in range(5) for record in combinations([2, 3, 5, 6], size)]
    held: dict[tuple[int, ...], set[int]] = {}
    for group in combinations_with_replacement(records, 3):
        published = lowest([counts_of(record, parent) for record in group])
        anybody = {item for record in group for item in record}
        held[published] = held.get(published, anybody) & anybody
    for published, always in held.items():
        own = own_items(published, parent)
        nodes = np.array(sorted(own), np.int64)
        found = set(world.certain(nodes, np.array([own[int(node)] for node in nodes], np.int64)).tolist())
        assert found <= always - set(own)
    assert any(own_items(published, parent) == Counter({1: 1}) for published in held)


# -- the attack


def test_whoever_is_published_as_meat_stands_beside_beef_and_chicken():
    """{Meat} for two, one with beef and one with chicken; {Fruit} for three with a kind each."""
    records = [["Beef"], ["Chicken"], ["Apple"], ["Orange"], ["Banana"]]
    found = Minimality().tried(scenario(grouped(records, [0, 0, 1, 1, 1])))
    told = chances(found)
    assert told[CERTAIN] == [1, 1, 0, 0, 0]
    assert told[ALONE] == [1, 1, 0, 0, 0]  # one record has meat and is of beef, one of chicken
    assert [one.test for one in found.trials] == [None, "singling out"]
    assert found.trials[0].trial.baseline == 1.0  # here whatever is guessed below the published node is held by somebody


def test_a_third_person_with_beef_is_not_alone():
    records = [["Beef"], ["Chicken"], ["Beef"], ["Apple"], ["Apple"]]
    told = chances(Minimality().tried(scenario(grouped(records, [0, 0, 0, 1, 1]))))
    assert told[CERTAIN] == [1, 1, 1, 0, 0]
    assert told[ALONE] == [0.5, 0.5, 0.5, 0, 0]


def test_what_is_too_general_to_be_published_is_no_reason():
    """Food is never published: that two people are published as nothing does not tell that they share nothing."""
    made = grouped([["Beef"], ["Apple"]], [0, 0])
    assert chances(Minimality().tried(scenario(made)))[CERTAIN] == [1, 1]  # Food: only these two items exist
    barred = made.original.tree.barring(np.arange(len(made.original.tree)) == 0)
    world = Nature(barred, np.isin(np.arange(len(barred)), barred.nodes(["Beef", "Apple"])), sets=True)
    assert len(world.certain(np.zeros(0, np.int64), np.zeros(0, np.int64))) == 0


def test_records_that_are_coarser_than_they_need_be_tell_nothing():
    records = [["Beef"], ["Beef"], ["Chicken"]]
    with pytest.raises(Skipped, match="not the least common"):
        Minimality().tried(scenario(published_as(records, [0, 0, 1], [["Meat"], ["Chicken"]])))
