"""Guessing a sensitive item: shares counted by hand, and what claims promise of them."""

from __future__ import annotations

import json

import pytest

import shoal
from helpers.attacks import as_it_is, chances, grouped, scenario
from helpers.cli import FOOD, Shell
from helpers.data import food, on
from shoal.attacks.scenarios import Scenario, Skipped, Tried
from shoal.attacks.scenarios.sensitive_inference import CLAIMED, HOMOGENEOUS, OF_RECORD, SensitiveInference
from shoal.data.items import Items
from shoal.privacy.coherence import Coherence
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.rho_uncertainty import RhoUncertainty
from shoal.privacy.sensitive_share import SensitiveShare

BEEF = Items.of(["Beef"])
RECORDS = [["Apple", "Beef"], ["Apple", "Beef"], ["Apple", "Milk"], ["Orange", "Milk"]]
RAW = grouped(RECORDS, [0, 1, 2, 3])
ALL = "all items that are not sensitive"


def on_release(found: Tried) -> Tried:
    return Tried(tuple(one for one in found.trials if not one.on_original))


def test_a_release_that_is_the_original():
    found = SensitiveInference().tried(scenario(RAW, sensitive=BEEF))
    told = chances(on_release(found))
    # Apple alone is known of the first two, and two of its three holders hold beef; all of the others is known, and shows none.
    assert told[ALL] == [2 / 3, 2 / 3, 0, 0]
    # The third is known by Apple, as before, or by Milk, whose two holders hold no beef; the last by Orange or by Milk.
    assert told["1 harmless item"][:2] == [2 / 3, 2 / 3]
    assert told["1 harmless item"][2] in {2 / 3, 0}
    assert told["1 harmless item"][3] == 0
    assert told[OF_RECORD] == told[HOMOGENEOUS] == [1, 1, 0, 0]
    assert {one.trial.baseline for one in found.trials if one.trial.knowledge == ALL} == {0.5}
    assert chances(Tried(tuple(one for one in found.trials if one.on_original))) == told


def test_a_group_that_shares_a_sensitive_item_gives_it_away():
    told = chances(on_release(SensitiveInference().tried(scenario(grouped(RECORDS, [0, 0, 1, 1]), sensitive=BEEF))))
    assert told[OF_RECORD] == told[HOMOGENEOUS] == [1, 1, 0, 0]


def test_a_mixed_group_gives_its_share_away():
    """{Apple, Food} and {Fruit, Food}: nobody's beef is published, and half of each group hold it."""
    found = on_release(SensitiveInference().tried(scenario(grouped(RECORDS, [0, 1, 0, 1]), sensitive=BEEF)))
    told = chances(found)
    assert told[OF_RECORD] == [0.5] * 4
    assert told[HOMOGENEOUS] == [0.0] * 4
    # The second is taken for one of the other group, where apples are published, and the only guess, beef, is right.
    assert told[ALL] == [0.5, 1, 0.5, 0.5]
    assert not any(one.trial.claimed.any() for one in found.trials if one.trial.claimed is not None)


def test_a_person_with_several_records_counts_once():
    """Of the two people of the class one holds beef, though two of its three records do."""
    made = grouped([["Apple", "Beef"], ["Apple", "Beef"], ["Apple", "Milk"]], [0, 0, 0], owners=[4, 4, 9])
    assert chances(on_release(SensitiveInference().tried(scenario(made, sensitive=BEEF))))[OF_RECORD] == [0.5] * 3


def ceilings(case: Scenario) -> list[float | None]:
    found = SensitiveInference().tried(case)
    assert all(one.ceiling is None for one in found.trials if one.on_original)
    return [one.ceiling for one in on_release(found).trials]


@pytest.mark.parametrize(
    ("claim", "promised"),
    [
        (SensitiveShare(h=0.5, items=BEEF), [None, None, None, None, 0.5, None]),
        (Coherence(h=0.4, k=2, p=2, private=BEEF), [0.4, 0.4, None, None, None, None]),
        (RhoUncertainty(rho=0.6, sensitive=BEEF), [0.6, 0.6, 0.6, 0.6, None, None]),
        (RhoUncertainty(rho=0.6, sensitive=BEEF, antecedent=1), [0.6, None, None, None, None, None]),
        (SensitiveShare(h=0.5, items=Items.parse(BEEF.sealed)), [None, None, None, None, 0.5, None]),
        (SensitiveShare(h=0.5, items=Items.of(["Milk"])), [None] * 6),
        (KAnonymity(2), [None] * 6),
    ],
)
def test_what_claims_promise_of_the_items_that_are_looked_for(claim, promised):
    assert ceilings(scenario(RAW, [claim], sensitive=BEEF)) == promised


def test_items_of_a_claim_are_looked_for_unless_others_are_named():
    assert ceilings(scenario(RAW, [SensitiveShare(h=0.5, items=BEEF)]))[4] == 0.5
    for claims in ([KAnonymity(2)], [SensitiveShare(h=0.5, items=Items.parse(BEEF.sealed))]):
        with pytest.raises(Skipped, match="no sensitive items are listed"):
            SensitiveInference().tried(scenario(RAW, claims))


def test_items_that_a_claim_leaves_out_are_looked_for_and_only_those_of_the_claim_are_promised():
    """A method suppressed beef, and claims something of milk alone."""
    claim = RhoUncertainty(rho=0.6, sensitive=Items.of(["Milk"]))
    found = on_release(SensitiveInference().tried(scenario(RAW, [claim], sensitive=Items.of(["Beef", "Milk"]))))
    assert [one.ceiling for one in found.trials] == [None] * 6 + [0.6] * 4 + [None] * 2
    told, alone = chances(found), chances(on_release(SensitiveInference().tried(scenario(RAW, [claim]))))
    assert {name.removesuffix(CLAIMED): rates for name, rates in told.items() if name.endswith(CLAIMED)} == alone
    assert told[OF_RECORD] == [1.0] * 4  # everybody holds one of the two
    assert alone[OF_RECORD] == [0, 0, 1, 1]


def test_people_who_were_left_out_hold_the_guess_or_not():
    strangers = on(food(), [["Apple", "Beef"], ["Apple", "Milk"], ["Orange"]])
    found = on_release(SensitiveInference().tried(scenario(RAW, sensitive=BEEF, left_out=(strangers, as_it_is(RAW.original.typed)))))
    control = {one.trial.knowledge: one.control for one in found.trials}[ALL]
    assert control is not None
    assert control.success.tolist() == [1.0, 0.0, 0.0]


# -- as it is typed


LINES = ["Apple,Beef"] * 3 + ["Apple,Milk"] * 5 + ["Orange,Milk"] * 6 + ["Orange,Beef"] * 2 + ["Apple,Cheese"] * 4


@pytest.fixture
def typed(shell: Shell) -> Shell:
    shell.file("food.csv", FOOD)
    shell.file("beef.txt", "Beef\n")
    shell.file("baskets.txt", "\n".join(LINES) + "\n")
    return shell


def attack(shell: Shell, *more: str):
    return shell("attack", "baskets.txt", "release", "--taxonomy", "food.csv", "--attack", "sensitive-inference", *more)


@pytest.mark.parametrize(
    ("method", "given"),
    [
        (("--k", "3", "--sensitive", "beef.txt", "--h", "0.5"), ("--sensitive", "beef.txt")),
        (("--k", "3", "--method", "coherence", "--private", "beef.txt", "--h", "0.5"), ()),
        (("--method", "suppress-control", "--sensitive", "beef.txt", "--rho", "0.5"), ()),
    ],
)
def test_releases_with_sensitive_items_keep_their_promise(typed: Shell, method: tuple[str, ...], given: tuple[str, ...]):
    assert typed("anonymize", "baskets.txt", "--format", "transactions", "--taxonomy", "food.csv", "--out", "release", *method).code == 0
    answer = attack(typed, *given, "--json")
    assert answer.code == 0, answer.everything
    assert "was reproduced exactly" in answer.err
    told = [one for one in json.loads(answer.out)["attacks"] if one["subject"] == "release"]
    assert {one["ceiling"] for one in told} == {0.5, None}
    assert all(one["success"][0] <= 0.5 for one in told if one["ceiling"] is not None)
    assert told[0]["controls"] > 0


def test_a_promise_that_is_broken_is_exit_code_3(typed: Shell):
    """All who hold beef hold apples, and the claim is lowered to what that is above."""
    typed.file("baskets.txt", "Apple,Beef\n" * 30 + "Orange,Milk\n" * 30)
    words = ("--method", "coherence", "--k", "3", "--private", "beef.txt", "--h", "1")
    assert typed("anonymize", "baskets.txt", "--format", "transactions", "--taxonomy", "food.csv", "--out", "release", *words).code == 0
    assert attack(typed, "--control", "0").code == 0
    place = typed.directory / "release" / "manifest.json"
    manifest = json.loads(place.read_text())
    manifest["claims"][0]["model"] = manifest["claims"][0]["model"].replace("h=1,", "h=0.2,")
    place.write_text(json.dumps(manifest))
    answer = attack(typed, "--control", "0")
    assert answer.code == 3, answer.everything


def test_items_that_were_all_suppressed_are_named_by_the_user_and_nothing_is_promised_of_them(typed: Shell):
    """The claim lists the sensitive items that are left, none; whoever knows which they were can still look for them."""
    typed.file("baskets.txt", "Apple,Beef\n" * 5 + "Orange,Milk\n" * 5 + "Orange,Milk,Butter\n" * 5)
    words = ("--method", "suppress-control", "--sensitive", "beef.txt", "--rho", "0.2")
    assert typed("anonymize", "baskets.txt", "--format", "transactions", "--taxonomy", "food.csv", "--out", "release", *words).code == 0
    assert "--sensitive names the items that it was made with" in attack(typed, "--control", "0").err
    answer = attack(typed, "--control", "0", "--sensitive", "beef.txt", "--json")
    assert answer.code == 0
    assert {one["ceiling"] for one in json.loads(answer.out)["attacks"]} == {None}


def test_without_sensitive_items_the_attack_says_so(typed: Shell):
    assert typed("anonymize", "baskets.txt", "--format", "transactions", "--taxonomy", "food.csv", "--out", "release", "--k", "3").code == 0
    answer = attack(typed, "--control", "0")
    assert answer.code == 0
    assert "skipped sensitive-inference: no sensitive items are listed; name them with" in answer.err
    answer = attack(typed, "--control", "0", "--sensitive", "under:Meat", "--json")
    assert {one["ceiling"] for one in json.loads(answer.out)["attacks"]} == {None}
    answer = attack(typed, "--control", "0", "--sensitive", "under:Meet")
    assert answer.code == 1


def test_suppressed_items_are_attacked_before_a_release_is_written(shell: Shell):
    """All sensitive items are suppressed, so the claim names none; the people still hold them, and can be asked about."""
    shell.file("sets.txt", "".join(f"{'ab'[person % 2]} {'hiv' if person % 4 else 'milk'}\n" for person in range(40)))
    shell.file("sensitive.txt", "hiv\n")
    how = ("--format", "transactions", "--taxonomy", "none", "--method", "suppress-control", "--rho", "0.3", "--sensitive", "sensitive.txt")
    answer = shell("anonymize", "sets.txt", *how, "--attack", "sensitive-inference", "--control", "0", "--out", "release")
    assert answer.code == 0, answer.err
    assert "skipped" not in answer.err
    told = json.loads((shell.directory / "release" / "manifest.json").read_text())
    assert "hiv" not in json.dumps(told)
    assert "attacks" not in told  # a rate would tell how many people hold the suppressed item
    result = shoal.anonymize("sets.txt", "suppress-control", format="transactions", taxonomy="none", rho=0.3, sensitive="sensitive.txt",
                             attack="sensitive-inference", control=0)  # fmt: skip
    found = {one["knowledge"]: one for one in result.attacks["outcomes"] if one["subject"] == "release"}
    assert found[OF_RECORD]["baseline"] == 0.75  # three of four people hold it
    assert all("ceiling" not in one for one in found.values())
