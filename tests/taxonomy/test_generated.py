"""Generated taxonomies: balanced, readable, and a function of the set of names alone."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.errors import refuses
from shoal.data.bags import Vocabulary
from shoal.data.taxonomy import Taxonomy
from shoal.taxonomy.generated import generated


def leaf_names(taxonomy: Taxonomy) -> list[str]:
    return [taxonomy.names[i] for i in range(len(taxonomy)) if taxonomy.end[i] == i + 1]


def test_nine_letters_in_threes() -> None:
    taxonomy = generated("ihgfedcba", fanout=3)
    assert taxonomy.names.names.to_list() == [
        "(any item)", "(items 1 to 3 of 9)", "a", "b", "c", "(items 4 to 6 of 9)", "d", "e", "f",
        "(items 7 to 9 of 9)", "g", "h", "i",
    ]  # fmt: skip
    assert taxonomy.depth.tolist() == [0, 1, 2, 2, 2, 1, 2, 2, 2, 1, 2, 2, 2]


def test_whole_numbers_are_sorted_as_numbers() -> None:
    names = ["10", "9", "-2", "-10", "0", "+3", "03", "100000000000000000000000", "99999999999999999999999"]
    ordered = ["-10", "-2", "0", "+3", "03", "9", "10", "99999999999999999999999", "100000000000000000000000"]
    assert leaf_names(generated(names, fanout=2)) == ordered
    assert leaf_names(generated([*names, "x"], fanout=2)) == [*sorted(names), "x"]


def test_inner_names_give_way_to_items_of_the_same_name() -> None:
    taxonomy = generated(["a", "b", "(items 1 to 2 of 5)", "(any item)", "c"], fanout=2)
    assert len(set(taxonomy.names.names)) == len(taxonomy)


def test_inner_names_tell_no_item() -> None:
    names = ["aaron aardvark", "555-0199", "rare disease", "zoe zebra", "4417749"]
    taxonomy = generated(names, fanout=2)
    inner = [taxonomy.names[i] for i in range(len(taxonomy)) if taxonomy.end[i] > i + 1]
    assert len(inner) >= 3
    assert not [label for label in inner for name in names if name in label]


def test_one_item_hangs_below_a_root() -> None:
    assert generated(["a"]).names.names.to_list() == ["(any item)", "a"]


def test_nothing_and_a_fanout_of_one_are_refused() -> None:
    with refuses("no-items"):
        generated([])
    with refuses("out-of-range", value=1, limit=2):
        generated(["a", "b"], fanout=1)


@settings(deadline=None, max_examples=60)
@given(names=st.sets(st.text(max_size=3), min_size=2, max_size=60), fanout=st.integers(2, 7), data=st.data())
def test_the_shape_for_any_names(names: set[str], fanout: int, data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(sorted(names)))
    taxonomy = generated(Vocabulary(shuffled), fanout=fanout)
    assert taxonomy.names.names.to_list() == generated(sorted(names), fanout=fanout).names.names.to_list()
    assert sorted(leaf_names(taxonomy)) == sorted(names)
    children = np.bincount(taxonomy.parent[1:], minlength=len(taxonomy))
    assert set(children[taxonomy.end > np.arange(len(taxonomy)) + 1]) <= set(range(2, fanout + 1))
    assert taxonomy.height == max(1, math.ceil(math.log(len(names), fanout) - 1e-9))
    if fanout > 2:
        leaves = taxonomy.end == np.arange(len(taxonomy)) + 1
        assert set(taxonomy.depth[leaves]) == {taxonomy.height}
