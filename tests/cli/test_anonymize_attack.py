"""Attacks that are made before a release is written: `shoal anonymize --attack`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import shoal
from helpers.cli import FOOD, ITEMS, Shell, one_line
from shoal.attacks import ATTACKS
from shoal.attacks.outcome import wilson
from shoal.data.bags import Bags
from shoal.pipeline.disclosure import disclosed
from shoal.pipeline.manifest_schema import digest_of, faults
from shoal.privacy.differential_privacy import DifferentialPrivacy
from shoal.privacy.k_anonymity import KAnonymity

Key = tuple[str, str, str]


def baskets(n: int, seed: int = 1) -> list[list[str]]:
    chance = np.random.default_rng(seed)
    return [sorted(chance.choice(ITEMS, size=chance.integers(1, 5), replace=False).tolist()) for _ in range(n)]


@pytest.fixture
def shop(shell: Shell) -> Shell:
    shell.file("food.csv", FOOD)
    shell.file("baskets.txt", "\n".join("\t".join(one) for one in baskets(60)))
    return shell


def anonymize(shell: Shell, *words: str, k: int = 3):
    return shell("anonymize", "baskets.txt", "--sep", "\\t", "--taxonomy", "food.csv", "--k", str(k), "--out", "release", *words)


def manifest(shell: Shell) -> dict[str, Any]:
    return json.loads((shell.directory / "release" / "manifest.json").read_text())


def rates(outcomes: list[dict[str, Any]]) -> dict[Key, float]:
    return {(one["subject"], one["attack"], one["knowledge"]): one["success"] for one in outcomes}


def test_the_outcome_is_that_of_shoal_attack(shop: Shell) -> None:
    """The release and its secret at hand give what reading both from disk and making the release again gives."""
    answer = anonymize(shop, "--attack", "--targets", "40", "-v")
    assert answer.code == 0, answer.err
    assert "made again" not in answer.err
    told = manifest(shop)["attacks"]
    assert {one["attack"] for one in told["outcomes"]} == set(ATTACKS)
    apart = shop("attack", "baskets.txt", "release", "--taxonomy", "food.csv", "--targets", "40", "--json")
    found = [one for one in json.loads(apart.out)["attacks"] if one["attack"] in ATTACKS]
    assert rates(told["outcomes"]) == {key: rate for key, (rate, *_) in rates(found).items()}
    assert told["targets"] == 40
    assert told["seed"] == 0
    for name in ATTACKS:
        assert name in answer.out


def test_what_is_published_tells_of_nobody_alone(shop: Shell) -> None:
    """Six people are left out, too few to tell a rate of; how long records are that were found is not told at all."""
    assert anonymize(shop, "--attack", "known-items", "--targets", "40", "--control", "0.1").code == 0
    told = manifest(shop)["attacks"]["outcomes"]
    assert {one["attack"] for one in told} == {"known-items"}
    assert all({"controls", "control", "worst_hit", "by_length"}.isdisjoint(one) for one in told)
    assert anonymize(shop, "--attack", "known-items", "--control", "0.5", "--force").code == 0
    assert {one["controls"] for one in manifest(shop)["attacks"]["outcomes"]} == {30}
    answer = anonymize(shop, "--attack", "known-items", "--targets", "9", "--control", "0", "--force")
    assert manifest(shop)["attacks"]["outcomes"] == []
    assert manifest(shop)["attacks"]["few"] == ["known-items"]
    assert "known-items: run on fewer than 10 people" in " ".join(answer.out.split())


def test_a_skipped_attack_is_told_as_skipped(shop: Shell) -> None:
    """Baskets have no times, so there is no earlier period: that is not a lack of people."""
    answer = anonymize(shop, "--attack", "profile-over-time,two-halves", "--control", "0")
    assert answer.code == 0, answer.err
    assert manifest(shop)["attacks"]["skipped"] == ["profile-over-time"]
    assert "profile-over-time: could not be run" in answer.out
    assert "few" not in manifest(shop)["attacks"]
    assert shop("audit", "release", "--original", "baskets.txt", "--taxonomy", "food.csv").code == 0


def test_where_everybody_is_attacked_the_rate_itself_is_judged(shop: Shell) -> None:
    """Two groups of three people alike: whoever knows all of a record finds it in exactly a third of the cases, as 3-anonymity promises.

    The interval of six cases reaches far above a third, and no number of targets makes it smaller.
    """
    shop.file("baskets.txt", "\n".join(["Apple\tMilk"] * 3 + ["Beef\tCheese\tButter"] * 3))
    assert anonymize(shop, "--attack", "known-items", "--control", "0").code == 0
    words = ("attack", "baskets.txt", "release", "--taxonomy", "food.csv", "--attack", "known-items", "--control", "0")
    found = [one for one in json.loads(shop(*words, "--json").out)["attacks"] if one["subject"] == "release"]
    whole = next(one for one in found if one["knowledge"].startswith("the whole record"))
    assert whole["success"][0] == pytest.approx(1 / 3)
    assert whole["success"][2] > 1 / 2
    assert {one["verdict"] for one in found if one["ceiling"] is not None} == {"within the promise"}
    answer = shop(*words)
    assert answer.code == 0
    assert "more targets" not in answer.out
    assert "no attack exceeds its guaranteed bound" in answer.out
    sample = shop(*words, "--targets", "5")
    assert "may be above; attack more targets to decide" in sample.out


def test_a_promise_that_an_attack_breaks_is_not_published(shop: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """With 3 people alike somebody who knows everything finds the record in about a third of the cases: a promise of 1% is broken."""
    monkeypatch.setattr(KAnonymity, "ceiling", lambda self, test, known: 0.01)
    answer = anonymize(shop, "--attack", "known-items", "--control", "0")
    assert answer.code == 3
    assert "exceed their guaranteed bounds" in answer.err
    assert "nothing was written" in answer.err
    assert not (shop.directory / "release").exists()


def test_a_rate_of_a_handful_of_people_is_in_no_error(shop: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KAnonymity, "ceiling", lambda self, test, known: 0.01)
    many = anonymize(shop, "--attack", "known-items", "--control", "0", "--targets", "10")
    few = anonymize(shop, "--attack", "known-items", "--control", "0", "--targets", "9")
    assert many.code == few.code == 3
    assert "succeeds at least" in many.err
    assert "at least" not in few.err
    assert re.findall(r"[\d.]+%", few.err) == ["1.0%"], "what is promised, and nothing else"


def test_a_promise_that_may_be_broken_is_warned_of(shop: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of ten people a rate of 1/3 lies between 12% and 65%: neither above a promise of one half nor for certain within."""
    monkeypatch.setattr(KAnonymity, "ceiling", lambda self, test, known: 0.5 if test == "singling out" else None)
    answer = anonymize(shop, "--attack", "known-items", "--targets", "10", "--control", "0")
    assert answer.code == 0
    assert "may exceed their guaranteed bounds" in answer.err


def test_a_file_of_options_and_python_ask_for_the_same(shop: Shell) -> None:
    shop.file("all.toml", "attack = true\ntargets = 30\ncontrol = 0\n")
    shop.file("none.toml", "attack = false\n")
    assert anonymize(shop, "--config", "none.toml").code == 0
    assert "attacks" not in manifest(shop)
    assert anonymize(shop, "--config", "all.toml", "--force").code == 0
    told = manifest(shop)["attacks"]
    food = str(shop.directory / "food.csv")
    result = shoal.anonymize(baskets(60), k=3, taxonomy=food, attack=True, targets=30, control=0.0)
    assert result.attacks == told
    assert shoal.anonymize(baskets(60), k=3, taxonomy=food).attacks == {}
    one = shoal.anonymize(baskets(60), k=3, taxonomy=food, attack=["two-halves"], targets=30, control=0)
    assert {found["attack"] for found in one.attacks["outcomes"]} == {"two-halves"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--attack", "guess"), "guess"),
        (("--attack", "known-items,,"), "attack"),
        (("--targets", "5"), "--attack"),
        (("--attack", "basic", "--targets", "0"), "targets"),
        (("--attack", "basic", "--control", "1"), "control"),
    ],
)
def test_absurd_values_are_refused_before_the_work(shop: Shell, words: tuple[str, ...], said: str) -> None:
    answer = anonymize(shop, *words)
    assert answer.code == 1
    assert said in one_line(answer)
    assert not (shop.directory / "release").exists()


def test_rates_would_break_a_promise_that_rests_on_noise(shell: Shell) -> None:
    shell.file("log.csv", "user,query\n" + "".join(f"u{i},weather\n" for i in range(50)))
    answer = shell("anonymize", "log.csv", "--method", "dp-queries", "--out", "release", "--attack")
    assert answer.code == 1
    assert "differential-privacy" in answer.err
    told = {"input": {}, "accounting": {}, "metrics": {}, "attacks": {"outcomes": [{"success": 0.5}]}}
    assert "attacks" not in disclosed(told, [DifferentialPrivacy()])
    assert "attacks" in disclosed(told, [KAnonymity()])


def test_a_manifest_that_withholds_counts_has_no_rates(shop: Shell) -> None:
    assert anonymize(shop, "--attack", "known-items", "--targets", "20", "--control", "0").code == 0
    told = manifest(shop) | {"counts": "withheld", "accounting": {}, "metrics": {}, "input": {"format": "transactions"}}
    assert any("attacks is present although counts are withheld" in fault for fault in faults(told))


def _first(told: dict[str, Any]) -> dict[str, Any]:
    return next(one for one in told["attacks"]["outcomes"] if one["subject"] == "release")


_ALL = wilson(60, 60)
ABOVE = {"success": 1.0, "low": _ALL.low, "high": _ALL.high, "ceiling": 1 / 3, "verdict": "ABOVE THE PROMISE"}
EDITS: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "rate": (lambda told: _first(told).update(success=0.0), "the interval is not that of the rate"),
    "ceiling": (lambda told: _first(told).update(ceiling=0.9), "no claim guarantees this bound"),
    "verdict": (lambda told: _first(told).update(verdict="may be above the promise"), "the verdict is not that of the interval"),
    "name": (lambda told: _first(told).update(attack="magic"), "there is no such attack"),
    "few": (lambda told: _first(told).update(targets=3), "fewer than 10 people"),
    "control": (lambda told: _first(told).update(control=0.5, controls=1), "for at least 10 people"),
    "control alone": (lambda told: _first(told).update(control=0.5), "reported only with its size"),
    "worst": (lambda told: _first(told).update(worst_hit=0.5), "the worst-case rate"),
    "above": (lambda told: _first(told).update(ABOVE), "is never written"),
    "everybody": (lambda told: told["attacks"].update(targets=20), "not everybody can have been attacked"),
    "skipped": (lambda told: told["attacks"].update(skipped=["known-items"]), "the attack has outcomes"),
    "skipped name": (lambda told: told["attacks"].update(skipped=["magic"]), "there is no such attack"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_audit_finds_edited_rates(shop: Shell, edit: str) -> None:
    assert anonymize(shop, "--attack", "known-items", "--control", "0").code == 0
    assert shop("audit", "release", "--original", "baskets.txt", "--taxonomy", "food.csv").code == 0
    told = manifest(shop)
    change, said = EDITS[edit]
    change(told)
    told["sha256"] = digest_of(told)
    (shop.directory / "release" / "manifest.json").write_text(json.dumps(told))
    answer = shop("audit", "release")
    assert answer.code == 3
    assert said in " ".join(answer.out.split())


def test_a_subject_is_the_original_or_the_release(shop: Shell) -> None:
    assert anonymize(shop, "--attack", "known-items", "--control", "0").code == 0
    told = manifest(shop)
    assert not list(faults(told))
    _first(told).update(subject="somebody")
    assert any("subject must be one of original, release" in fault for fault in faults(told))


def test_a_release_under_rules_is_attacked_with_a_control_group_under_the_same_rules(shop: Shell) -> None:
    words = ("--method", "apriori", "--m", "2")
    assert anonymize(shop, *words).code == 0
    (shop.directory / "release").rename(shop.directory / "before")
    answer = anonymize(shop, "--rules", "before", "--attack", "--targets", "30", "--control", "0.5")
    assert answer.code == 0, answer.err
    assert "control group: another release was made without 30 people" in answer.err


def test_attacks_that_need_more_are_made_by_name(shop: Shell) -> None:
    """Their rates are told like those of others, and an honest release with them is clean."""
    answer = anonymize(shop, "--attack", "intersection,differencing", "--targets", "30", "--control", "0")
    assert answer.code == 0, answer.err
    assert "intersection" in {one["attack"] for one in manifest(shop)["attacks"]["outcomes"]}
    assert shop("audit", "release", "--original", "baskets.txt", "--taxonomy", "food.csv").code == 0


def test_people_with_several_records_are_one_target_each() -> None:
    bags = Bags.from_lists(baskets(60), owners=np.repeat(np.arange(30), 2))
    result = shoal.anonymize(bags, k=3, taxonomy="generated", attack="known-items", control=0)
    assert {one["targets"] for one in result.attacks["outcomes"]} == {30}
