"""Attacks that make a release again: it comes out the same of the same records, and what is said where it is not made."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from helpers.cli import FOOD, Shell, baskets, query_log
from helpers.data import published
from shoal.attacks.scenarios import SCENARIO_ATTACKS
from shoal.attacks.scenarios.changed_records import with_people, without_person
from shoal.evaluate.attack.scenario import REMADE_RECORDS, REMAKES, Remaking, enough
from shoal.io.read.dispatch import read
from shoal.methods import METHODS
from shoal.pipeline.contract import made_by
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import prepare


@pytest.mark.parametrize(
    ("file", "how", "method"),
    [
        ("log.tsv", {}, "shoal"),
        ("log.tsv", {"taxonomy": "generated", "per": "event"}, "partition"),
        ("baskets.txt", {"taxonomy": "food.csv"}, "clump"),
        ("baskets.txt", {"taxonomy": "none"}, "coherence"),
    ],
)
def test_a_release_made_again_of_the_same_records_is_the_same(shell: Shell, file: str, how: dict[str, str], method: str):
    shell.file("food.csv", FOOD)
    shell.file("baskets.txt", baskets(40))
    shell.file("log.tsv", query_log())
    asked = Preparation(**how)
    reading = read(shell.directory / file, asked.reading)
    prepared = prepare(replace(reading), asked)
    remaking = Remaking.of(METHODS[method](k=3), prepared, reading, None)
    typed = prepared.records.typed
    first = made_by(remaking.method, prepared.records)
    assert published(remaking.of_records(typed).release) == published(first)
    # The same after a person came and went.
    person = int(typed.owners.max()) + 1
    longer = with_people(typed, typed.select([0]))
    assert longer.owners[-1] == person
    assert published(remaking.of_records(without_person(longer, person)).release) == published(first)


def test_for_how_many_people_a_release_is_made_again():
    assert enough(None, 40) == REMAKES
    assert enough(None, REMADE_RECORDS // 5) == 5
    assert enough(None, REMADE_RECORDS + 1) == 0
    assert enough(7, 10**6) == 7


@pytest.fixture
def typed(shell: Shell) -> Shell:
    shell.file("food.csv", FOOD)
    shell.file("baskets.txt", baskets(40))
    assert shell("anonymize", "baskets.txt", "--taxonomy", "food.csv", "--out", "release", "--k", "3").code == 0
    return shell


def test_all_of_them_tell_their_story_and_are_kept_within_what_is_promised(typed: Shell):
    words = [word for name in SCENARIO_ATTACKS for word in ("--attack", name)]
    answer = typed("attack", "baskets.txt", "release", "--taxonomy", "food.csv", "--control", "0", "--remakes", "3", *words, "--json")
    assert answer.code == 0
    told = json.loads(answer.out)
    made = {one["attack"] for one in told["attacks"]}
    skipped = {name for name in SCENARIO_ATTACKS if any(f"skipped {name}: " in note for note in told["notes"])}
    assert made | skipped == set(SCENARIO_ATTACKS)
    assert not made & skipped
    assert {"intersection", "differencing", "planted-people", "canaries"} <= made
    assert {one["targets"] for one in told["attacks"] if one["attack"] == "differencing"} == {3}
    canaries = [one for one in told["attacks"] if one["attack"] == "canaries"]
    assert [(one["ceiling"], one["success"][0], one["verdict"]) for one in canaries] == [(0.0, 0.0, "within the promise")] * 2


def test_no_release_is_made_again_where_none_is_asked_for(typed: Shell):
    words = ("--control", "0", "--remakes", "0", "--attack", "differencing")
    answer = typed("attack", "baskets.txt", "release", "--taxonomy", "food.csv", *words)
    assert answer.code == 0
    assert "skipped differencing:" in answer.err


def test_many_records_are_told_of(typed: Shell, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("shoal.evaluate.attack.scenario.REMADE_RECORDS", 90)
    answer = typed("attack", "baskets.txt", "release", "--taxonomy", "food.csv", "--control", "0", "--attack", "differencing")
    assert answer.code == 0
    assert "2 people are attacked where the release must be remade, because it has 40 records; --remakes 25" in answer.err


def test_a_word_of_few_people_that_is_published_is_exit_code_3(typed: Shell):
    """A claim of k = 5 is made of a release whose method keeps every item of 3 people."""
    assert typed("anonymize", "baskets.txt", "--taxonomy", "food.csv", "--method", "km", "--m", "1", "--k", "2", "--out", "km").code == 0
    place = typed.directory / "km" / "manifest.json"
    manifest = json.loads(place.read_text())
    manifest["claims"][0]["model"] = "km-anonymity(k=5, m=1)"
    place.write_text(json.dumps(manifest))
    answer = typed("attack", "baskets.txt", "km", "--taxonomy", "food.csv", "--control", "0", "--attack", "canaries")
    assert answer.code == 3, answer.everything
    assert "ABOVE" in answer.out
