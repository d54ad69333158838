"""A release with and without a person: what is missing, worked out by hand."""

from __future__ import annotations

import json

import pytest

from helpers.attacks import as_it_is, chances, grouped, never, published_as, scenario
from helpers.cli import FOOD, Shell, baskets
from shoal.attacks.scenarios import Made, Skipped
from shoal.attacks.scenarios.differencing import EXACT, PUBLISHED, Differencing
from shoal.data.bags import Bags
from shoal.errors import Infeasible

RECORDS = [["Apple", "Milk"], ["Apple", "Cheese"], ["Orange", "Beef"], ["Orange", "Chicken"]]


def neighbours(typed: Bags) -> Made:
    """Records in groups of two neighbours, and three where one is left over."""
    n = len(typed)
    return grouped(typed.to_polars().to_list(), [min(i // 2, n // 2 - 1) for i in range(n)], typed.owners.tolist())


def test_a_release_that_is_the_original_gives_each_record_away():
    made = grouped(RECORDS, [0, 1, 2, 3])
    found = Differencing().tried(scenario(made, remake=as_it_is))
    assert chances(found) == {PUBLISHED: [1.0] * 4, EXACT: [1.0] * 4}
    assert all(one.control is not None and one.control.success.tolist() == [0.0] * 4 for one in found.trials)
    assert all(one.trial.claimed is not None and one.trial.claimed.all() for one in found.trials)
    assert [one.ceiling for one in found.trials] == [None, None]


def test_groups_that_change_hide_who_is_missing():
    """{Apple, Dairy} twice and {Orange, Meat} twice; without anybody {Fruit, Food} three times: all four records are missing."""
    found = Differencing().tried(scenario(neighbours(as_it_is_of(RECORDS)), remake=neighbours))
    assert chances(found) == {PUBLISHED: [0.5] * 4, EXACT: [0.0] * 4}
    control = found.trials[0].control
    assert control is not None
    assert control.success.tolist() == [0.5] * 4  # what is missing is the same, whoever is left out: nothing is learnt


def as_it_is_of(records: list[list[str]]) -> Bags:
    return grouped(records, list(range(len(records)))).original.typed


def test_a_recoding_that_stays_the_same_gives_the_published_record_away():
    """Every kind of food is published as its group: without a person one record is missing, which is not what the person held."""

    def by_group(typed: Bags) -> Made:
        above = {"Apple": "Fruit", "Orange": "Fruit", "Milk": "Dairy", "Cheese": "Dairy", "Beef": "Meat", "Chicken": "Meat"}
        records = typed.to_polars().to_list()
        return published_as(records, list(range(len(records))), [[above[name] for name in record] for record in records])

    found = Differencing().tried(scenario(by_group(as_it_is_of(RECORDS)), remake=by_group))
    assert chances(found) == {PUBLISHED: [1.0] * 4, EXACT: [0.0] * 4}
    control = found.trials[0].control
    assert control is not None
    # The first two are published alike, and so are the last two: two of four are told by their neighbour's absence.
    assert control.success.tolist() == [1.0, 0.0, 1.0, 0.0]


def test_all_records_of_a_person_leave_together():
    made = grouped(RECORDS, [0, 1, 2, 3], owners=[5, 5, 6, 7])
    found = chances(Differencing().tried(scenario(made, remake=as_it_is, targets=[0, 2])))
    assert found[PUBLISHED] == [0.5, 1.0]


def test_one_target_has_no_control_and_people_who_are_needed_are_counted():
    made = grouped(RECORDS, [0, 1, 2, 3])
    assert Differencing().tried(scenario(made, remake=as_it_is, targets=[1])).trials[0].control is None
    with pytest.raises(Skipped, match="cannot be made"):
        Differencing().tried(scenario(made, remake=never))
    with pytest.raises(Skipped, match="would have to be remade for each person"):
        Differencing().tried(scenario(made, remake=as_it_is, few=made.rows[:0]))

    def not_without_the_first(typed: Bags) -> Made:
        if 0 not in typed.owners:
            raise Infeasible("the first is needed")
        return as_it_is(typed)

    found = Differencing().tried(scenario(made, remake=not_without_the_first))
    assert len(found.trials[0].trial.success) == 3
    assert found.notes == ("differencing: 1 of 4 people were skipped: the release cannot be made without them",)


def test_where_a_recoding_stays_the_same_the_record_of_everybody_is_told(shell: Shell):
    """Every food is in far more than two of forty baskets, so coherence suppresses nothing, with and without any one of them."""
    shell.file("baskets.txt", baskets(40))
    shell.file("food.csv", FOOD)
    words = ("--method", "coherence", "--k", "2", "--p", "1", "--taxonomy", "food.csv")
    assert shell("anonymize", "baskets.txt", "--out", "release", *words).code == 0
    answer = shell("attack", "baskets.txt", "release", "--taxonomy", "food.csv", "--control", "0", "--attack", "differencing", "--json")
    assert answer.code == 0
    told = {one["knowledge"]: one for one in json.loads(answer.out)["attacks"]}
    assert [told[words]["success"][0] for words in (PUBLISHED, EXACT)] == [1.0, 1.0]
    assert {one["targets"] for one in told.values()} == {25}
