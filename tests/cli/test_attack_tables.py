"""Attacks on tables of microdata, as they are typed: rates that follow from the groups, bounds, and what cannot be attacked."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from helpers.cli import Shell, failed
from shoal.attacks.tables import TABLE_ATTACKS
from shoal.attacks.tables.row_linkage import agreement_weights

AGES = [10 * decade + year for decade in (1, 5, 9) for year in range(3)]
ILLNESS = ["flu", "flu", "cold", "ulcer", "ulcer", "ulcer", "flu", "cold", "cough"]
WORDS = ["--format", "microdata", "--keep-column", "illness"]


@pytest.fixture
def ages(shell: Shell) -> Shell:
    """Nine people in three groups by age: two of the first have the flu, all of the second an ulcer, the third all differ."""
    shell.file("ages.csv", "age,illness\n" + "".join(f"{age},{ill}\n" for age, ill in zip(AGES, ILLNESS, strict=True)))
    made = shell("anonymize", "ages.csv", *WORDS, "--method", "mdav", "--k", "3", "--to", "csv", "--out", "release")
    assert made.code == 0, made.everything
    return shell


def rates(shell: Shell, *words: str) -> dict[tuple[str, str, str], dict[str, Any]]:
    answer = shell("attack", "ages.csv", *words, "--json")
    assert answer.code == 0, answer.everything
    return {(one["attack"], one["subject"], one["knowledge"]): one for one in json.loads(answer.out)["attacks"]}


def test_every_attack_on_a_table_of_groups_of_three(ages: Shell) -> None:
    found = rates(ages, "release")
    assert {name for name, *_ in found} == set(TABLE_ATTACKS) - {"row-and-items", "population-unique"}  # neither item sets nor a population
    linked = found["nearest-row", "release", "all quasi-identifiers"]
    assert linked["success"][0] == pytest.approx(1 / 3)
    assert (linked["ceiling"], linked["verdict"]) == (pytest.approx(1 / 3), "within the promise")
    assert found["nearest-row", "original", "all quasi-identifiers"]["success"][0] == 1
    assert found["probable-row", "release", "all quasi-identifiers"]["success"][0] <= 1 / 3 + 1e-9
    guessed = found["kept-values", "release", "all quasi-identifiers; illness"]
    assert guessed["success"][0] == pytest.approx((2 + 3 + 3 * (1 / 3)) / 9)
    assert guessed["baseline"] == pytest.approx(3 / 9)
    assert guessed["ceiling"] is None
    near = [found["value-intervals", "release", f"the row; within {width} of the ranks"]["success"][0] for width in ("1%", "5%", "10%")]
    assert near == sorted(near) == pytest.approx([1 / 3, 1 / 3, 1 / 3])  # the middle one of each group has its published age
    assert found["value-intervals", "original", "the row; within 1% of the ranks"]["success"][0] == 1


def test_a_table_of_others_is_attacked_in_the_attackers_favour(ages: Shell) -> None:
    ages.file("other.csv", (ages.directory / "ages.csv").read_text())
    found = rates(ages, "other.csv", *WORDS, "--attack", "nearest-row", "--attack", "value-intervals")
    assert found["nearest-row", "release", "all quasi-identifiers"]["success"][0] == 1
    assert found["nearest-row", "release", "all quasi-identifiers"]["ceiling"] is None
    assert not any(name == "value-intervals" for name, *_ in found)


def test_attacks_on_other_data(ages: Shell) -> None:
    failed(ages("attack", "ages.csv", "release", "--attack", "known-items"), "attack-not-applicable", value="known-items")
    ages.file("baskets.txt", "Apple,Milk\nApple\nApple,Milk\nApple,Milk\n")
    ages.file("food.csv", "child,parent\nApple,Food\nMilk,Food\n")
    assert ages("anonymize", "baskets.txt", "--format", "transactions", "--taxonomy", "food.csv", "--k", "3", "--out", "records").code == 0
    answer = ages(
        "attack",
        "baskets.txt",
        "records",
        "--attack",
        "nearest-row",
        "--attack",
        "known-items",
        "--control",
        "0",
        "--json",
        "--taxonomy",
        "food.csv",
    )
    assert answer.code == 0, answer.everything
    assert any("skipped nearest-row: it applies to tables" in note for note in json.loads(answer.out)["notes"])


def test_agreement_in_a_telling_column_weighs_more() -> None:
    """Of 20 people the first column agrees for the true pair alone, the second for half of all pairs."""
    pattern = [np.array([[i == j, (i - j) % 2 == 0] for j in range(20)]) for i in range(20)]
    telling, common = agreement_weights(pattern, 1 / 20)
    assert telling > common
