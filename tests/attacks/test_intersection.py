"""Two releases of the same people: who is alone where the two groups meet, counted by hand."""

from __future__ import annotations

import json

import pytest

import shoal
from helpers.attacks import chances, grouped, never, published_as, scenario
from helpers.cli import FOOD, Shell, baskets
from shoal.attacks.scenarios import Skipped
from shoal.attacks.scenarios.intersection import Intersection
from shoal.privacy.k_anonymity import KAnonymity

PAIRS = grouped([["Apple", "Beef"], ["Apple"], ["Beef", "Milk"], ["Milk"]], [0, 0, 1, 1])


def test_groups_of_two_that_meet_in_one():
    other = grouped([["Apple", "Beef"], ["Apple"], ["Beef", "Milk"], ["Milk"]], [0, 1, 0, 1])
    found = Intersection().tried(scenario(PAIRS, [KAnonymity(2)], others=(("b", other),)))
    assert chances(found) == {
        "the group in this release": [0.5] * 4,
        "this release and b": [1.0] * 4,
        "this release and b: alone in both": [1.0] * 4,
    }
    assert [one.ceiling for one in found.trials] == [0.5, None, None]  # of two releases together nothing is promised


def test_the_same_release_twice_tells_nothing_more():
    found = chances(Intersection().tried(scenario(PAIRS, others=(("b", PAIRS),))))
    assert found["this release and b"] == [0.5] * 4
    assert found["this release and b: alone in both"] == [0.0] * 4


def test_three_releases_together():
    """Six records with the same published row in groups of three: {012}{345}, {013}{245}, {023}{145}."""
    records = [["Apple", name] for name in ("Beef", "Beef", "Beef", "Beef", "Beef", "Beef")]
    releases = [["Apple", "Beef"], ["Apple"]]
    parts = [_split(records, releases, first) for first in ({0, 1, 2}, {0, 1, 3}, {0, 2, 3})]
    found = chances(Intersection().tried(scenario(parts[0], others=(("b", parts[1]), ("c", parts[2])))))
    # 0 and 1 meet in the first two releases; 2 is alone; 3 is alone; 4 and 5 meet.
    assert found["this release and b"] == [0.5, 0.5, 1, 1, 0.5, 0.5]
    # In all three: 0 is always in the first group; 1, 2 and 3 each have a pattern of their own; 4 and 5 are never parted.
    assert found["all of them"] == [1, 1, 1, 1, 0.5, 0.5]


def _split(records, published, first):
    return published_as(records, [0 if i in first else 1 for i in range(6)], published)


def test_records_of_one_person_are_one_person():
    both = grouped([["Apple"], ["Apple"], ["Apple"]], [0, 0, 0], owners=[7, 7, 8])
    assert chances(Intersection().tried(scenario(both, others=(("b", both),))))["this release and b"] == [0.5] * 3


def test_whoever_is_missing_in_one_release_is_not_found_in_both():
    other = published_as([["Apple", "Beef"], ["Apple"], ["Beef", "Milk"], ["Milk"]], [-1, 0, 1, 1], [["Apple"], ["Milk"]])
    assert chances(Intersection().tried(scenario(PAIRS, others=(("b", other),))))["this release and b"] == [0, 1, 0.5, 0.5]


def test_without_another_release_one_is_made_with_another_seed_and_k():
    asked = []

    def varied(changed):
        asked.append(dict(changed))
        return PAIRS

    found = Intersection().tried(scenario(PAIRS, varied=varied, parameters={"k": 2, "seed": 4, "effort": "fast"}))
    assert asked == [{"seed": 5}, {"k": 3}]
    assert len(found.trials) == 5


def test_releases_that_cannot_be_made_are_told_and_without_any_the_attack_is_skipped():
    with pytest.raises(Skipped, match="no other release"):
        Intersection().tried(scenario(PAIRS, varied=never, parameters={"k": 2}))
    with pytest.raises(Skipped, match="no other release"):
        Intersection().tried(scenario(PAIRS, parameters={"distinct": True}))


# -- as it is typed


@pytest.fixture
def typed(shell: Shell) -> Shell:
    """Forty baskets, published in groups of 3 and of 4."""
    shell.file("food.csv", FOOD)
    shell.file("baskets.txt", baskets(40, seed=5))
    for k in ("3", "4"):
        assert shell("anonymize", "baskets.txt", "--taxonomy", "food.csv", "--out", f"k{k}", "--k", k).code == 0
    return shell


ATTACK = ("attack", "baskets.txt", "k3", "--taxonomy", "food.csv", "--attack", "intersection", "--control", "0", "--other-release")


def test_another_release_of_the_same_baskets(typed: Shell):
    answer = typed(*ATTACK, "k4", "--json")
    assert answer.code == 0
    told = {one["knowledge"]: one for one in json.loads(answer.out)["attacks"]}
    assert told["the group in this release"]["success"][0] <= 1 / 3
    assert told["this release and other release 1"]["success"][0] > 1 / 3
    assert told["this release and other release 1"]["ceiling"] is None
    found = shoal.attack("baskets.txt", "k3", "intersection", taxonomy="food.csv", control=0, other_releases=["k4"])
    assert found.as_dict()["attacks"] == json.loads(answer.out)["attacks"]
    itself = json.loads(typed(*ATTACK, "k3", "--json").out)["attacks"]
    assert itself[1]["success"] == itself[0]["success"]


def test_a_release_of_something_else_is_refused(typed: Shell):
    typed.file("later.txt", baskets(40, seed=6))
    typed.file("more.txt", baskets(41, seed=5))
    for name in ("later", "more"):
        assert typed("anonymize", f"{name}.txt", "--taxonomy", "food.csv", "--out", name, "--k", "3").code == 0
    for other, why in (
        ("later", "not what its method makes"),
        ("more", "not what its method makes"),
        ("later.txt", "not a release directory"),
    ):
        answer = typed(*ATTACK, other)
        assert answer.code == 1, other
        assert why in answer.err


def test_a_release_that_cannot_be_made_again_is_no_ground_for_this_attack(shell: Shell):
    for name in ("raw.txt", "same.txt"):
        shell.file(name, "a b\nc d\na d\n")
    answer = shell("attack", "raw.txt", "same.txt", "--format", "transactions", "--taxonomy", "none", "--attack", "intersection")
    assert answer.code == 0
    assert "skipped intersection: the release cannot be reproduced" in answer.err
    assert "no attack was run" in answer.out
