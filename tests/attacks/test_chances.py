"""Chances of success beside those worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.data import food, on
from shoal.attacks import ATTACKS
from shoal.attacks.attacker_view import Owned, People, Scene
from shoal.attacks.known_items import KnownItems
from shoal.attacks.matching import Matcher
from shoal.attacks.one_more_item import OneMoreItem
from shoal.attacks.outcome import Interval, outcome, standing_of
from shoal.attacks.two_halves import TwoHalves

RECORDS = [["Apple", "Milk"], ["Apple", "Cheese"], ["Orange", "Milk"], ["Orange", "Cheese"]]
GROUPED = [["Apple", "Dairy"], ["Orange", "Dairy"]]  # two copies each


def scene(published: list[list[str]], copies: list[int]) -> Scene:
    tree = food()
    return Scene(on(tree, published), np.array(copies), tree, on(tree, RECORDS))


def people(rows: list[int] | None, records: list[list[str]] = RECORDS) -> People:
    return People(on(food(), records), None if rows is None else np.array(rows))


RAW, RELEASE = scene(RECORDS, [1] * 4), scene(GROUPED, [2, 2])
EVERYBODY, GROUPS = people([0, 1, 2, 3]), people([0, 0, 1, 1])


def known(found: list, what: str):
    return next(trial for trial in found if trial.knowledge == what)


def test_one_item_is_shared_by_two_and_two_items_by_nobody():
    trials = KnownItems().trials(RAW, EVERYBODY, seed=1)
    assert known(trials, "1 random item").success.tolist() == [0.5] * 4
    assert known(trials, "2 random items").success.tolist() == [1.0] * 4
    assert known(trials, "8 rarest items").success.tolist() == [1.0] * 4
    assert known(trials, "1 random item").baseline == 0.25


def test_in_a_group_of_two_nobody_is_found_with_more_than_a_half():
    trials = KnownItems().trials(RELEASE, GROUPS, seed=1)
    assert known(trials, "2 random items").success.tolist() == [0.5] * 4
    # A fruit is published as it is, by two; a dairy product as Dairy, by all four.
    assert set(known(trials, "1 random item").success.tolist()) == {0.5, 0.25}
    assert not any(trial.claimed.any() for trial in trials)


def test_the_lowest_published_node_counts():
    apple = np.array([food().names.codes(["Apple"])[0]], np.int64)
    matcher = Matcher(scene([["Apple"], ["Fruit"], ["Food"], ["Orange"]], [1] * 4))
    rows = [Owned.one_each(np.array([row])) for row in range(4)]
    scores = [int(matcher.best([apple], possible=one).top[0]) - 1 for one in rows]  # of the only row that may be meant
    assert scores[0] > scores[1] > scores[2] == scores[3] == 0  # Food is above everything and tells nothing


def test_two_sources_that_know_one_item_each():
    # Fruit: two records of four. Dairy: all four. The same record with a chance of 2 / (2 * 4).
    assert known(TwoHalves().trials(RELEASE, GROUPS, seed=0), "1 item each").success.tolist() == [0.25] * 4
    # On the original each item is held by two, and one record by both.
    assert known(TwoHalves().trials(RAW, EVERYBODY, seed=0), "1 item each").success.tolist() == [0.25] * 4


def test_whoever_has_one_item_cannot_be_known_by_halves():
    assert known(TwoHalves().trials(RAW, people([0], [["Apple"]]), seed=0), "1 item each").success.tolist() == [0.0]


def test_the_item_that_is_missing_is_read_from_the_record_that_fits():
    single = scene([["Apple", "Milk"], ["Orange", "Cheese"]], [1, 1])
    trial = OneMoreItem().trials(single, people([0, 1], [["Apple", "Milk"], ["Orange", "Cheese"]]), seed=3)[0]
    assert trial.success.tolist() == [1.0, 1.0]
    generalized = scene([["Fruit", "Dairy"]], [2])
    assert OneMoreItem().trials(generalized, people([0, 0], [["Apple", "Milk"], ["Orange", "Cheese"]]), seed=3)[0].success.sum() == 0


def test_whoever_was_not_published_is_found_only_where_a_record_may_be_theirs():
    strangers = people(None, [["Apple", "Milk"], ["Banana", "Butter"]])
    success = known(KnownItems().trials(RAW, strangers, seed=0), "2 random items").success
    assert success.tolist() == [1.0, 0.0]


def test_whoever_is_known_entirely_is_not_taken_for_somebody_with_more():
    longer = scene([["Apple", "Milk", "Beef"], ["Apple", "Milk"]], [1, 1])
    trials = KnownItems().trials(longer, people([1], [["Apple", "Milk"]]), seed=0)
    assert known(trials, "2 random items").success.tolist() == [0.5]
    assert known(trials, "the whole record, known to be complete").success.tolist() == [1.0]


@pytest.mark.parametrize("name", ATTACKS)
def test_a_release_of_nothing_and_nobody_to_attack(name: str):
    nothing, nobody = scene([], []), people([], [])
    attack = ATTACKS[name]()
    for trial in (*attack.trials(nothing, people(None), 0), *attack.trials(RAW, nobody, 0)):
        found = outcome("release", attack, trial, np.ones(len(trial.success), np.int64), None, 0.5)
        assert found.success.rate == 0
        assert found.standing in {"within the promise", "may be above the promise"}


@pytest.mark.parametrize(("hits", "standing"), [(0, "within the promise"), (25, "may be above the promise"), (90, "ABOVE THE PROMISE")])
def test_the_verdict_is_by_the_ends_of_the_interval(hits: int, standing: str):
    trial = known(KnownItems().trials(RAW, EVERYBODY, seed=1), "1 random item")
    success = np.concatenate([np.ones(hits), np.zeros(100 - hits)])
    changed = type(trial)(trial.knowledge, 1, success, 0.01)
    found = outcome("release", KnownItems(), changed, np.arange(100), changed, 0.25)
    assert found.standing == standing
    assert found.excess == 0
    assert sum(n for _, n, _ in found.by_length) == 100


def test_a_rate_of_everybody_is_judged_without_an_interval():
    """A sample's interval leaves both open; of everybody the rate is what it is, up to the last digits of a sum of thirds."""
    third = Interval(sum([1 / 3] * 6) / 6, 0.1, 0.7)
    assert standing_of(third, 1 / 3) == standing_of(third, 0.3) == "may be above the promise"
    assert standing_of(third, 1 / 3, everybody=True) == "within the promise"
    assert standing_of(third, 0.3, everybody=True) == "ABOVE THE PROMISE"
