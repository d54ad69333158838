"""shoal attack, as it is typed."""

from __future__ import annotations

import json
import re
from typing import get_args

import pytest

import shoal
from helpers.cli import Shell
from shoal.attacks import ATTACKS, Test
from shoal.attacks.logs import LOG_ATTACKS
from shoal.attacks.scenarios import SCENARIO_ATTACKS
from shoal.data.claims import Model
from shoal.evaluate.attack.before_release import PlannedAttacks
from shoal.privacy.user_k_anonymity import UserKAnonymity
from shoal.privacy.vocabulary_k_anonymity import VocabularyKAnonymity

EACH = [word for name in ATTACKS for word in ("--attack", name)]  # all attacks on published records


@pytest.fixture(scope="module")
def log() -> str:
    return shoal.generate(users=250, seed=3).write_csv(separator="\t")


@pytest.fixture
def typed(shell: Shell, log: str) -> Shell:
    shell.file("log.tsv", log)
    return shell


def rates(answer: str, subject: str) -> dict[str, tuple[float, float, float]]:
    found = json.loads(answer)["attacks"]
    return {f"{one['attack']}: {one['knowledge']}": tuple(one["success"]) for one in found if one["subject"] == subject}


def test_people_are_found_in_the_log_and_not_in_the_release(typed: Shell):
    assert typed("anonymize", "log.tsv", "--out", "release", "--k", "5").code == 0
    answer = typed("attack", "log.tsv", "release", "--targets", "150", *EACH, "--json")
    assert answer.code == 0
    before, after = rates(answer.out, "original"), rates(answer.out, "release")
    assert before["known-items: 4 random items"][0] > 0.8
    assert all(rate <= 1 / 5 for name, (rate, *_) in after.items() if not name.startswith("one-more"))
    told = json.loads(answer.out)
    assert {one["controls"] for one in told["attacks"]} == {25}
    assert "was reproduced exactly" in answer.err
    assert {one["ceiling"] for one in told["attacks"] if one["subject"] == "original"} == {None}


def test_against_whoever_knows_more_than_m_items_nothing_is_promised(typed: Shell):
    assert typed("anonymize", "log.tsv", "--out", "release", "--method", "km", "--k", "5", "--m", "2").code == 0
    answer = typed("attack", "log.tsv", "release", "--targets", "150", "--control", "0", "--attack", "known-items", "--json")
    assert answer.code == 0
    told = {one["knowledge"]: one for one in json.loads(answer.out)["attacks"] if one["subject"] == "release"}
    for size in (1, 2):
        assert told[f"{size} random item{'s' * (size > 1)}"]["ceiling"] == 0.2
        assert told[f"{size} rarest item{'s' * (size > 1)}"]["success"][0] <= 0.2
    whole = told["the whole record, known to be complete"]
    assert whole["ceiling"] is None
    assert whole["success"][1] > 0.2


def test_a_release_that_is_the_original_is_found_out(typed: Shell):
    """A file of another tool that claims nothing: people are found, and nothing was promised."""
    for name in ("raw.txt", "same.txt"):
        typed.file(name, "a b\nc d\na d\n")
    answer = typed("attack", "raw.txt", "same.txt", "--format", "transactions", "--taxonomy", "none", *EACH, "--json")
    assert answer.code == 0
    after = rates(answer.out, "release")
    assert after["known-items: 2 random items"][0] == 1
    assert "in the attacker's favour" in answer.err
    assert "no control group" in answer.err


def test_a_promise_that_does_not_hold_is_exit_code_3(typed: Shell):
    """The claim of a manifest is raised to a k that its records do not have."""
    assert typed("anonymize", "log.tsv", "--out", "release", "--method", "apriori", "--k", "2", "--m", "1").code == 0
    place = typed.directory / "release" / "manifest.json"
    manifest = json.loads(place.read_text())
    manifest["claims"][0]["model"] = "k-anonymity(k=200)"
    place.write_text(json.dumps(manifest))
    answer = typed("attack", "log.tsv", "release", "--targets", "100", "--control", "0", *EACH)
    assert answer.code == 3
    assert re.search(r"attacks? exceeds? (its|their) guaranteed bound", answer.out)


def test_what_is_shown_tells_each_story(typed: Shell):
    assert typed("anonymize", "log.tsv", "--out", "release", "--k", "5").code == 0
    answer = typed("attack", "log.tsv", "release", "--targets", "1", "--seed", "2", *EACH, "-v")
    assert answer.code == 0
    for attack in ATTACKS.values():
        assert attack.story in answer.out
    assert "within" in answer.out or "may be above" in answer.out


def test_people_are_found_in_a_log_under_pseudonyms(typed: Shell):
    """Hashing ids was the remedy of 2006: all rows of a person stay together, and a few words tell which."""
    assert typed("anonymize", "log.tsv", "--out", "rows", "--method", "old-remedies", "--no-guarantee").code == 0
    answer = typed("attack", "log.tsv", "rows", "--targets", "100", "--attack", "known-items", "--attack", "two-halves", "--json")
    assert answer.code == 0
    assert "was reproduced exactly" in answer.err
    before, after = rates(answer.out, "original"), rates(answer.out, "release")
    assert after == before  # hashing ids changes nothing for whoever knows words
    assert after["known-items: 4 random items"][0] > 0.8
    assert after["two-halves: 3 items each"][0] > 0.7


@pytest.mark.parametrize(("option", "value"), [("--targets", "0"), ("--control", "1"), ("--seed", "-1"), ("--attack", "guess")])
def test_absurd_values(typed: Shell, option: str, value: str):
    assert typed("anonymize", "log.tsv", "--out", "release", "--k", "5").code == 0
    answer = typed("attack", "log.tsv", "release", option, value)
    assert answer.code == 1
    assert len(answer.err.strip().splitlines()) == 1


def test_the_same_in_python(typed: Shell):
    assert typed("anonymize", "log.tsv", "--out", "release", "--k", "5").code == 0
    answer = typed("attack", "log.tsv", "release", "--targets", "50", "--attack", "two-halves", "--json")
    found = shoal.attack("log.tsv", "release", "two-halves", targets=50)
    assert found.as_dict()["attacks"] == json.loads(answer.out)["attacks"]
    assert found.holds


def test_a_release_without_a_record_is_refused_in_one_line(typed: Shell):
    typed.file("raw.txt", "a b\nc d\na d\n")
    typed.file("nothing.txt", "")
    answer = typed("attack", "raw.txt", "nothing.txt", "--format", "transactions", "--taxonomy", "none")
    assert (answer.code, answer.err) == (1, "shoal: nothing.txt is empty (name a file with data)\n")


def test_one_target_has_a_wide_interval_and_fails_nothing(typed: Shell):
    assert typed("anonymize", "log.tsv", "--out", "release", "--k", "5").code == 0
    answer = typed("attack", "log.tsv", "release", "--targets", "1", "--attack", "known-items", "--control", "0", "--json")
    assert answer.code == 0
    for one in json.loads(answer.out)["attacks"]:
        assert one["targets"] == 1
        assert one["success"][2] - one["success"][1] > 0.7


def test_where_nearly_everybody_is_left_out_the_note_says_that_there_is_no_control_group(shell: Shell):
    shell.file("raw.txt", "a b\nc d\na d\nb c\na c\nb d\n")
    made = shell(
        "anonymize",
        "raw.txt",
        "--format",
        "transactions",
        "--method",
        "apriori",
        "--taxonomy",
        "generated",
        "--k",
        "2",
        "--m",
        "1",
        "--out",
        "r",
    )
    assert made.code == 0, made.err
    answer = shell("attack", "raw.txt", "r", "--control", "0.9", "--attack", "known-items", "--json")
    assert answer.code == 0
    assert "no control group: the release cannot be made without some people" in answer.err
    assert {one["controls"] for one in json.loads(answer.out)["attacks"]} == {0}


def test_an_unknown_attack_is_answered_with_all_that_there_are(typed: Shell):
    answer = typed("anonymize", "log.tsv", "--out", "release", "--k", "5", "--attack", "guess")
    assert answer.code == 1
    for name in (*ATTACKS, *LOG_ATTACKS, *SCENARIO_ATTACKS):
        assert name in answer.err


def test_basic_may_stand_beside_other_names():
    asked = PlannedAttacks.from_options("basic,canaries,known-items")
    assert asked is not None
    assert asked.names == (*ATTACKS, "canaries")


def test_another_release_beside_rows_of_a_log_is_refused_by_its_option(typed: Shell):
    assert typed("anonymize", "log.tsv", "--out", "rows", "--method", "old-remedies", "--no-guarantee").code == 0
    answer = typed("attack", "log.tsv", "rows", "--other-release", "rows", "--attack", "known-items")
    assert answer.code == 1
    assert "--other-release compares published records, but rows of a log are published" in answer.err


@pytest.mark.parametrize("model", [VocabularyKAnonymity(k=4), UserKAnonymity(k=4)], ids=lambda model: model.name)
def test_groups_promise_nothing_against_whoever_infers(model: Model):
    promised = {test: model.ceiling(test, None) for test in (*get_args(Test), "sensitive inference", "sensitive record")}
    assert {test for test, limit in promised.items() if limit is not None} == {"singling out", "linking"}
