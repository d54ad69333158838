"""Planted copies of a guessed record: whose group they fall into, and what it tells, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.attacks import as_it_is, chances, grouped, never, published_as, scenario
from shoal.attacks.scenarios import Made, Skipped
from shoal.attacks.scenarios.planted_people import PlantedPeople
from shoal.data.bags import Bags
from shoal.privacy.k_anonymity import KAnonymity

RECORDS = [["Apple", "Milk"], ["Apple", "Cheese"], ["Orange", "Beef"], ["Orange", "Chicken"]]
WHOLE, HALF = "the whole record, in 2 planted copies", "half of the record, in 2 planted copies"
ASKED = "all items but one, in 2 planted copies with one more"
PROMISE = [KAnonymity(3)]


def together(typed: Bags) -> Made:
    """Everybody is published as nothing but food."""
    records = typed.to_polars().to_list()
    return published_as(records, [0] * len(records), [["Food"]], typed.owners.tolist())


def test_copies_are_found_beside_whoever_is_published_alike():
    made = grouped(RECORDS, [0, 1, 2, 3])
    found = PlantedPeople().tried(scenario(made, PROMISE, remake=as_it_is))
    told = chances(found)
    assert told[WHOLE] == [1.0] * 4  # nobody else has the same record
    assert told[HALF] == [0.0] * 4  # one item alone is nobody's record: the copies are among themselves
    # Asked of the first and third about an item that they hold: the copies are like them. Otherwise nobody is beside the copies: a coin.
    assert told[ASKED] == [1.0, 0.5, 1.0, 0.5]
    assert [one.test for one in found.trials] == [None, None, "inference"]
    control = found.trials[0].control
    assert control is not None
    assert control.success.tolist() == [0.0] * 4
    assert {one.ceiling for one in found.trials} == {None}  # k-anonymity promises nothing against k - 1 members of a group


def test_two_people_with_the_same_record_are_told_apart_by_a_coin():
    made = grouped([["Apple"], ["Apple"], ["Beef"]], [0, 1, 2])
    assert chances(PlantedPeople().tried(scenario(made, PROMISE, remake=as_it_is)))[WHOLE] == [0.5, 0.5, 1.0]


def test_where_everybody_is_published_alike_nobody_is_found_and_nothing_is_learnt():
    made = together(grouped(RECORDS, [0, 1, 2, 3]).original.typed)
    told = chances(PlantedPeople().tried(scenario(made, PROMISE, remake=together)))
    assert told[WHOLE] == told[HALF] == [0.25] * 4
    # The record never shows the item, so the answer is always no: right of those who do not hold it.
    assert told[ASKED] == [0.0, 1.0, 0.0, 1.0]


def test_a_group_with_the_person_answers_the_question():
    """Neighbours and their copies are grouped: the least common generalization shows the item asked about if and only if it is held."""

    def with_the_first(typed: Bags) -> Made:
        n = len(typed)
        return grouped(typed.to_polars().to_list(), [0 if i == 0 or i >= 4 else 1 for i in range(n)], typed.owners.tolist())

    made = grouped(RECORDS, [0, 1, 2, 3])
    told = PlantedPeople().tried(scenario(made, PROMISE, remake=with_the_first, targets=[0]))
    assert chances(told) == {WHOLE: [1.0], HALF: [1.0], ASKED: [1.0]}
    assert told.trials[0].control is None


def test_copies_of_several_people_are_planted_at_once_where_there_are_many():
    names = ["Apple", "Orange", "Banana", "Beef", "Chicken", "Milk", "Cheese", "Butter"]
    made = grouped([[names[i % 8], names[(i + 1 + i // 8) % 8]] for i in range(80)], list(range(80)))
    sizes = []

    def counted(typed: Bags) -> Made:
        sizes.append(len(typed) - 80)
        return as_it_is(typed)

    PlantedPeople().tried(scenario(made, PROMISE, remake=counted, few=np.arange(5)))
    assert sizes == [4, 4, 2] * 3  # at most one person in twenty is made up: two people's copies in a release of eighty


def test_copies_for_other_people_are_no_people():
    """Copies for two people are planted at once, and all made-up people are published alike with the first person and nobody else."""

    def with_the_first(typed: Bags) -> Made:
        rows = [0 if i == 0 or i >= 80 else 1 for i in range(len(typed))]
        return published_as(typed.to_polars().to_list(), rows, [["Food"], ["Food"]], typed.owners.tolist())

    def apart(typed: Bags) -> Made:
        rows = [0 if i == 0 or i >= 80 else 1 for i in range(len(typed))]
        return published_as(typed.to_polars().to_list(), rows, [["Fruit"], ["Food"]], typed.owners.tolist())

    made = grouped([["Apple"]] * 80, list(range(80)))
    told = chances(PlantedPeople().tried(scenario(made, PROMISE, remake=apart, few=np.arange(2))))
    assert told[WHOLE] == [1.0, 0.0]  # the attacker knows all members of the group but one
    everybody = chances(PlantedPeople().tried(scenario(made, PROMISE, remake=with_the_first, few=np.arange(2))))
    assert everybody[WHOLE] == [1 / 80] * 2


def test_without_a_k_or_a_release_the_attack_is_skipped():
    made = grouped(RECORDS, [0, 1, 2, 3])
    with pytest.raises(Skipped, match="no claim guarantees groups"):
        PlantedPeople().tried(scenario(made, remake=as_it_is))
    with pytest.raises(Skipped, match="cannot be made"):
        PlantedPeople().tried(scenario(made, PROMISE, remake=never))
