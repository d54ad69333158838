"""The judge: it counts what is published, people where it knows them, and believes no bookkeeping."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.data import food, on, on_nodes
from shoal.data.bags import Bags
from shoal.data.release import Release, Secret
from shoal.privacy import MODELS
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.vocabulary_k_anonymity import VocabularyKAnonymity

TREE = food()
ORIGINAL = [["Apple", "Beef"], ["Orange", "Beef"], ["Milk"], ["Milk", "Butter"]]


def release(published: list[list[str]], rows: list[int], copies: list[int] | None = None) -> Release:
    counted = np.bincount([r for r in rows if r >= 0], minlength=len(published)) if copies is None else copies
    return Release.of_bags(on(TREE, published), np.array(counted, np.int64), secret=Secret(np.array(rows, np.int64)))


def test_a_good_release() -> None:
    original = on_nodes(on(TREE, ORIGINAL), TREE)
    verdict = KAnonymity(k=2).check(release([["Fruit", "Beef"], ["Milk"]], [0, 0, 1, 1]), original)
    assert verdict.holds
    assert verdict.achieved == {"records": 2, "people": 2}
    assert verdict.as_dict() == {
        "model": "k-anonymity(k=2)",
        "verdict": "verified",
        "holds": True,
        "achieved": {"records": 2, "people": 2},
        "notes": ["no record is empty"],
    }


def test_classes_are_formed_from_what_is_published_not_from_the_groups() -> None:
    """Two groups of one record each, published alike, are one class of two."""
    original = on_nodes(on(TREE, ORIGINAL[:2]), TREE)
    verdict = KAnonymity(k=2).check(release([["Fruit", "Beef"], ["Beef", "Fruit"]], [0, 1]), original)
    assert verdict.holds
    assert verdict.achieved == {"records": 2, "people": 2}


def test_a_class_too_small() -> None:
    verdict = KAnonymity(k=3).check(release([["Food"], ["Milk"]], [0, 0, 0, 1]))
    assert not verdict.holds
    assert verdict.achieved == {"records": 1}
    assert verdict.witnesses == ("1 records are in 1 classes of fewer than 3; the smallest has 1",)


def test_bags_that_differ_in_a_count_are_not_alike() -> None:
    records = Release.from_records(on(TREE, [["Milk"], ["Milk", "Milk"]]))
    assert not KAnonymity(k=2).check(records).holds


def test_people_are_counted_where_they_are_known() -> None:
    bags = on(TREE, [["Milk"]] * 4, owners=[1, 1, 1, 2])
    made = release([["Milk"]], [0, 0, 0, 0])
    assert KAnonymity(k=3).check(made).holds
    verdict = KAnonymity(k=3).check(made, on_nodes(bags, TREE))
    assert not verdict.holds
    assert verdict.achieved == {"records": 4, "people": 2}
    assert VocabularyKAnonymity(k=3).check(made, on_nodes(bags, TREE)).holds


@pytest.mark.parametrize(
    "published",
    [["Apple"], ["Fruit", "Beef", "Food"], ["Meat", "Meat"], ["Orange", "Beef"], ["Dairy"]],
)
def test_what_was_invented_is_found(published: list[str]) -> None:
    """Two baskets of a fruit and beef: nothing of this generalizes both."""
    original = on_nodes(on(TREE, ORIGINAL[:2]), TREE)
    made = release([published], [0, 0])
    verdict = KAnonymity(k=2).check(made, original)
    assert not verdict.holds
    assert "do not generalize" in verdict.witnesses[0]
    assert VocabularyKAnonymity(k=2).check(made, original).holds


@pytest.mark.parametrize(
    ("rows", "copies", "told"),
    [
        ([0, 0, 0], [3], "refers to 3 records, but the original has 4"),
        ([0, 0, 0, 0, 0], [5], "refers to 5 records, but the original has 4"),
        ([0, 0, 0, 0], [5], "lost or added"),
        ([0, 0, 0, -1], [4], "lost or added"),
        ([0, 0, 0, 1], [4], "lost or added"),
    ],
)
def test_records_lost_or_added_are_found(rows: list[int], copies: list[int], told: str) -> None:
    original = on_nodes(on(TREE, ORIGINAL), TREE)
    for model in (KAnonymity(k=2), VocabularyKAnonymity(k=2)):
        verdict = model.check(release([["Food"]], rows, copies), original)
        assert not verdict.holds
        assert told in verdict.witnesses[0]


def test_withheld_records_are_no_class() -> None:
    original = on_nodes(on(TREE, [*ORIGINAL, []]), TREE)
    verdict = KAnonymity(k=2).check(release([["Fruit", "Beef"], ["Milk"]], [0, 0, 1, 1, -1]), original)
    assert verdict.holds


def test_rows_without_copies_are_not_published() -> None:
    original = on_nodes(on(TREE, ORIGINAL), TREE)
    verdict = KAnonymity(k=4).check(release([["Apple"], ["Food"]], [1, 1, 1, 1]), original)
    assert verdict.holds
    assert verdict.achieved == {"records": 4, "people": 4}


def test_nothing_published_breaks_no_promise() -> None:
    none = Release.from_records(on(TREE, [["Milk"]]).select([]))
    assert KAnonymity(k=2).check(none).holds
    withheld = Release.of_bags(none.published, none.copies.copy(), secret=Secret(np.array([-1, -1])))
    original = on_nodes(on(TREE, [[], []]), TREE)
    assert KAnonymity(k=2).check(withheld, original).holds


def test_empty_records_are_counted_and_told() -> None:
    records = Release.from_records(Bags.from_lists([[], [], ["a"], ["a"]]))
    verdict = KAnonymity(k=2).check(records)
    assert verdict.holds
    assert verdict.notes == ("2 empty records were counted as ordinary records",)


@pytest.mark.parametrize("name", list(MODELS))
def test_a_model_says_what_it_is_worth(name: str) -> None:
    model = MODELS[name]
    assert model.summary().endswith(".")
    assert model.protects
    assert model.does_not_protect
    assert all(declared.help for declared in model.parameters())


@pytest.mark.parametrize("name", list(MODELS))
def test_a_model_says_its_limits_in_one_sentence(name: str) -> None:
    limits = MODELS[name].limits
    assert limits.startswith("It does not ")
    assert limits.endswith(".")
    assert ". " not in limits
