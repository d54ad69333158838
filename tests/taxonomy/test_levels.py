"""Trees from tables of levels: a brute force over paths says where items may stand, and every name is one node."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.errors import refuses
from shoal.errors import TaxonomyError
from shoal.io.read.taxonomies import taxonomy_of_text
from shoal.io.write.taxonomy_file import edges_text
from shoal.taxonomy.levels import LevelTree, tree_of_levels

LEVELS = ["department", "category", "product"]


def tree(*rows: tuple[str | None, ...]) -> LevelTree:
    return tree_of_levels(pl.DataFrame(rows, schema=LEVELS, orient="row"), LEVELS)


def path(found: LevelTree, name: str) -> list[str]:
    return found.taxonomy.path(int(found.taxonomy.nodes([name])[0]))


def test_a_plain_table_has_no_conflict():
    found = tree(("Food", "Fruit", "apple"), ("Food", "Fruit", "pear"), ("Food", "Meat", "beef"))
    assert path(found, "apple") == ["apple", "Fruit", "Food"]
    assert (found.conflicts, found.notes) == ((), ())


def test_groups_of_one_name_get_the_group_above_in_brackets():
    found = tree(("Food", "Other", "salt"), ("Home", "Other", "nail"))
    assert path(found, "salt") == ["salt", "Other (Food)", "Food", "(root)"]
    assert path(found, "nail") == ["nail", "Other (Home)", "Home", "(root)"]
    assert [(c.name, c.below, c.now) for c in found.conflicts] == [
        ("Other", ("Food", "Home"), ("group 'Other (Food)'", "group 'Other (Home)'"))
    ]


def test_the_highest_group_keeps_its_name_if_it_is_alone_on_its_level():
    found = tree(("Meat", "Meat", "beef"), ("Meat", "Pork", "ham"))
    assert path(found, "beef") == ["beef", "Meat (category)", "Meat"]
    assert [c.name for c in found.conflicts] == ["Meat"]


def test_an_item_keeps_its_name_and_the_group_is_renamed():
    found = tree(("Food", "Milk", "Milk"), ("Food", "Milk", "cream"), ("Food", "Salt", "sea salt"))
    assert path(found, "Milk") == ["Milk", "Milk (Food)", "Food"]
    assert [c.name for c in found.conflicts] == ["Milk"]


def test_an_item_below_two_groups_stands_below_the_lowest_that_holds_both():
    found = tree(("Food", "Fruit", "tomato"), ("Food", "Vegetables", "tomato"), ("Food", "Fruit", "apple"), ("Home", "Tools", "nail"))
    assert path(found, "tomato") == ["tomato", "Food", "(root)"]
    assert [c.name for c in found.conflicts] == ["tomato"]
    assert "1 group dropped" in found.notes[-1]  # Vegetables held nothing else


def test_missing_levels_and_missing_items():
    found = tree(("Food", None, "salt"), (None, " ", "stamp"), ("Food", "Fruit", "apple"), ("Food", "Fruit", ""))
    assert path(found, "salt") == ["salt", "Food", "(root)"]
    assert path(found, "stamp") == ["stamp", "(root)"]
    assert found.notes == (
        "1 row of 4 skipped: no product",
        "1 row has no department: its descendants are placed below the next level above",
        "2 rows have no category: its descendants are placed below the next level above",
    )


def test_a_name_that_is_taken_already_is_not_given_twice():
    found = tree(("Food", "Other", "salt"), ("Home", "Other", "nail"), ("Home", "Tools", "Other (Food)"), ("Home", "Tools", "(root)"))
    assert path(found, "salt")[1] == "Other (Food) #2"
    assert path(found, "Other (Food)") == ["Other (Food)", "Tools", "Home", "((root))"]


def test_numbers_are_labels_as_they_are_written():
    frame = pl.DataFrame({"a": [1.0, 1.0, 2.0], "b": [10, 11, 12]})
    found = tree_of_levels(frame, ["a", "b"]).taxonomy
    assert found.path(int(found.nodes(["11"])[0])) == ["11", "1", "(root)"]


@pytest.mark.parametrize(
    ("frame", "levels", "what"),
    [
        ({"a": ["x", "x"], "b": ["y", "z"]}, ["a"], "invalid-levels"),
        ({"a": ["x", "x"], "b": ["y", "z"]}, ["a", "a"], "invalid-levels"),
        ({"a": ["x", "x"], "b": ["y", "y"]}, ["a", "b"], "too-few-items"),
        ({"a": ["x", "x"], "b": ["y", "z\n"]}, ["a", "b"], None),
        ({"a": ["x", "x\ty"], "b": ["y", "z"]}, ["a", "b"], "taxonomy-label-invalid"),
        ({"a": [0.5, 1.0], "b": ["y", "z"]}, ["a", "b"], "wrong-column-type"),
    ],
)
def test_what_cannot_be_a_tree_is_refused(frame: dict[str, list[object]], levels: list[str], what: str | None):
    if what is None:  # blanks and line ends around a label do not count
        assert len(tree_of_levels(pl.DataFrame(frame), levels).taxonomy) == 3
        return
    with refuses(what):
        tree_of_levels(pl.DataFrame(frame), levels)


cells = st.sampled_from([None, "a", "b", "c", "a (b)", "(root)", 'q"', "child", "parent", "item", ";", ","])
tables = st.lists(st.tuples(cells, cells, cells, cells), min_size=1, max_size=12)


@given(tables)
def test_every_item_stands_below_what_all_its_rows_agree_on(rows: list[tuple[str | None, ...]]):
    items = {row[-1] for row in rows} - {None}
    levels = ["l1", "l2", "l3", "item"]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(levels, pl.String), orient="row")
    if len(items) < 2:
        with pytest.raises(TaxonomyError):
            tree_of_levels(frame, levels)
        return
    found = tree_of_levels(frame, levels)
    named = {conflict.name for conflict in found.conflicts}
    for item in items:
        paths = [[(at, cell) for at, cell in enumerate(row[:-1]) if cell is not None] for row in rows if row[-1] == item]
        shared = [same for same, *others in zip(*paths, strict=False) if all(other == same for other in others)]
        # Brute force: the agreed levels are a prefix; once two rows differ, nothing below is shared.
        agreed = next((paths[0][:n] for n in range(len(shared), -1, -1) if all(p[:n] == paths[0][:n] for p in paths)), [])
        above = list(reversed(path(found, item)[1:]))
        labels = [cell for _, cell in agreed]
        tops = above[len(above) - len(labels) :] if labels else []
        assert all(name == label or name.startswith(f"{label} (") for name, label in zip(tops, labels, strict=True))
        assert len(above) - len(labels) in {0, 1}  # a root of its own, or none
        assert (len({tuple(p) for p in paths}) == 1) or item in named
    again = taxonomy_of_text(edges_text(found.taxonomy)).taxonomy
    assert again.names.names.to_list() == found.taxonomy.names.names.to_list()
    assert again.parent.tolist() == found.taxonomy.parent.tolist()
