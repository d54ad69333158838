"""Where hardly a word is left, that is said, with commands that are complete: typed as they stand, each makes a release."""

from __future__ import annotations

import json
import random
import re
import shlex
from pathlib import Path

import pytest

import shoal
from helpers.cli import Answer, Shell
from shoal.data.patience import patience
from shoal.evaluate.advise import trial
from shoal.evaluate.advise.sample import Samples
from shoal.methods import METHODS
from shoal.pipeline.options import Preparation

WORDS = (
    *("dog", "cat", "apple", "pear", "river", "mountain", "piano", "violin", "doctor"),
    *("teacher", "train", "ship", "window", "door", "bread", "cheese", "silver", "gold"),
    *("horse", "sheep", "lemon", "plum", "lake", "valley", "guitar", "drum", "nurse"),
    *("lawyer", "plane", "boat", "roof", "floor", "butter", "milk", "iron", "copper"),
)
PEOPLE = 40


def histories(things: int = 18, share: float = 0.6, seed: int = 1) -> list[list[int]]:
    """Of each person which things, of so many: each thing is had by most people, and no two people have the same ones."""
    rng = random.Random(seed)
    return [[thing for thing in range(things) if rng.random() < share] for _ in range(PEOPLE)]


@pytest.fixture
def log(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """People with long histories that have hardly anything in common, in short sessions that have."""
    monkeypatch.chdir(shell.directory)
    monkeypatch.setenv("SHOAL_ADVICE", "60")
    lines = ["AnonID\tQuery\tQueryTime\tItemRank\tClickURL"]
    for person, asked in enumerate(histories()):
        for day, query in enumerate(asked):
            lines.append(f"{person}\t{WORDS[2 * query]} {WORDS[2 * query + 1]}\t2006-03-{day + 1:02} 07:17:12\t\t")
    shell.file("my log.tsv", "\n".join(lines) + "\n")
    shell.file("one day.tsv", re.sub(r"2006-03-\d\d", "2006-03-01", "\n".join(lines)) + "\n")
    return shell


MEASURED = r"keeps ([\d.]+)%; an attacker who knows 4 items of a (?:person|record) finds (?:about )?([\d.]+)% of the people"


def commands(err: str) -> list[list[str]]:
    """The commands of the warning, as a shell would read them."""
    return [shlex.split("shoal" + line.split(": shoal", 1)[1]) for line in err.splitlines() if ": shoal anonymize" in line]


def flagged(answer: Answer) -> bool:
    return "of the items are published as typed" in answer.out


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--k", "20", "--effort", "fast", "--bound", "--bag", "--unknown", "keep", "--tree", "whole", "--to", "csv", "--force"],
        ["--per", "session", "--gap", "10m", "--k", "20"],
        ["--config", "options.toml"],
    ],
    ids=" ".join,
)
def test_every_command_of_the_warning_makes_a_release(log: Shell, options: list[str]) -> None:
    log.file("options.toml", 'k = 20\nmethod = "clump"\nr = 3\nnode-loss = "lm"\n')
    name = "one day.tsv" if "session" in options else "my log.tsv"
    answer = log("anonymize", name, *(options or ["--k", "20"]), "--out", "a release", "-v")
    assert answer.code == 0, answer
    assert flagged(answer)
    found = commands(answer.err)
    if "session" not in options:
        assert "threshold" in [words[words.index("--method") + 1] for words in found if "--method" in words]
    assert {words[words.index("--per") + 1] for words in found if "--per" in words} >= {"event"}
    for words in found:
        again = log(*words[1:])
        assert again.code == 0, (words, again)
        assert json.loads((Path(words[words.index("--out") + 1]) / "manifest.json").read_text())["input"]["owners"] == PEOPLE


def test_every_route_is_shown_with_its_measured_risk(log: Shell) -> None:
    err = log("anonymize", "my log.tsv", "--k", "20", "--out", "release", "-v").err
    lines = [line for line in err.splitlines() if ": shoal anonymize" in line]
    assert lines
    for line in lines:
        kept, found = map(float, re.search(MEASURED, line).groups())  # type: ignore[union-attr]
        assert kept > 5
        assert found <= 5, "no more than 1 in k"
        assert ("4 items of a record finds" in line) == ("--per" in line), "of a session or an event, not of all that a person typed"
    assert f"measured on all {PEOPLE} people; this release keeps" in err


def test_a_route_that_lets_people_be_found_is_not_proposed(log: Shell) -> None:
    """Each word is had by most people, so nobody who knows one word finds anybody. Four words find many."""
    err = log("anonymize", "my log.tsv", "--k", "20", "--out", "release", "-v").err
    assert not [words for words in commands(err) if "coherence" in words and words[words.index("--p") + 1] == "1"]
    told = err[err.index("not proposed, because an attacker would find more than 5.0% of the people:") :]
    kept, found = map(float, re.search(rf"  coherence-p1: {MEASURED}", told).groups())  # type: ignore[union-attr]
    assert kept > 90
    assert found > 5
    made = log("anonymize", "my log.tsv", "--method", "coherence", "--p", "1", "--k", "20", "--out", "risky")
    assert made.code == 0, made
    tried = json.loads(log("attack", "my log.tsv", "risky", "--attack", "known-items", "--control", "0", "--json").out)
    rates = {one["knowledge"]: one["success"][0] for one in tried["attacks"] if one["subject"] == "release"}
    assert rates["4 random items"] == pytest.approx(found / 100, abs=0.001), "the advice says what the attack finds"


def test_a_release_in_which_people_are_found_is_no_reason_to_propose_another(log: Shell) -> None:
    """Four words find a third of the people in this release, and nearly as many in coherence-p1: that is above 1 in k."""
    rng = random.Random(4)
    shares = {"a": 0.35, "b": 0.2}  # each frequent word next to a rare one
    held = [[f"w{n:02}{end}" for end in shares for n in range(16) if rng.random() < shares[end]] for _ in range(PEOPLE)]
    log.file("baskets.txt", "".join(",".join(items) + "\n" for items in held))
    words = ("baskets.txt", "--format", "transactions", "--taxonomy", "generated:2", "--method", "apriori", "--m", "1", "--k", "12")
    answer = log("anonymize", *words, "--out", "release", "-v")
    assert flagged(answer)
    err = answer.err
    rates = [float(line[2]) for line in re.finditer(MEASURED + r": shoal anonymize", err)]
    assert all(rate <= 8.3 for rate in rates), rates
    told = err[err.index("not proposed, because an attacker would find more than 8.3% of the people:") :]
    kept, found = map(float, re.search(rf"  coherence-p1: {MEASURED}", told).groups())  # type: ignore[union-attr]
    assert kept > 60
    assert found > 30


def test_the_risk_of_a_sample_is_carried_over_to_all_people(log: Shell) -> None:
    """In a sample fewer words are frequent, so fewer can be known: what the risk grows by is added for every doubling."""
    words = log("generate", "log.tsv", "--users", "1200")
    assert words.code == 0
    method = METHODS["coherence"](k=5, p=1)  # type: ignore[call-arg]
    route = trial.Route(method, Preparation.default_for(method))
    samples = Samples((Path("log.tsv"),))
    whole = trial.Attempt(samples, route, 1200).go_on(600)
    assert whole.whole
    assert whole.risk is not None
    assert whole.expected == whole.risk.rate
    sample = trial.Attempt(samples, route, 1200).go_on(600, 2)
    assert sample.people == 500
    assert sample.risk is not None
    assert sample.expected is not None
    assert sample.risk.rate < whole.risk.rate - 0.1, "the sample alone would make it look safer than it is"
    assert sample.expected > sample.risk.rate + 0.05


def test_where_a_claim_bounds_the_risk_a_sample_is_enough(log: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "FIRST_PEOPLE", 25)
    method = METHODS["shoal"](k=5, effort="fast")  # type: ignore[call-arg]
    route = trial.Route(method, Preparation.default_for(method))
    found = trial.Attempt(Samples((Path("my log.tsv"),)), route, PEOPLE).go_on(20, 1)
    assert found.people == 25
    assert found.risk is not None
    assert found.expected == found.risk.rate <= 1 / 5


def test_what_there_is_no_time_for_is_not_proposed(log: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.evaluate.advise.goals.seconds_after", lambda run: 1e-9)
    answer = log("anonymize", "my log.tsv", "--k", "20", "--out", "release", "-v")
    assert flagged(answer)
    assert not commands(answer.err)
    assert re.search(r"^\d+ other changes could not be tried in the time there was", answer.err, re.M)


def test_claims_that_were_asked_for_are_kept_by_what_is_proposed(log: Shell) -> None:
    """Rows of a log are not judged by this model, and coherence leaves histories that are unique."""
    claim = ("--claim", "k-anonymity(k=20)")
    answer = log("anonymize", "my log.tsv", "--k", "20", *claim, "--out", "release", "-v")
    assert flagged(answer)
    err = answer.err
    assert "could not be measured" in err
    assert commands(err)
    for words in commands(err):
        assert "--claim" in words
        assert log(*words[1:]).code == 0, words
    assert not [words for words in commands(err) if "threshold" in words]
    assert "coherence-p1" not in err


def test_trials_have_the_patience_that_was_asked_for(log: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr(trial, "_found_by_items", lambda judged: seen.append(patience()))
    assert log("anonymize", "my log.tsv", "--k", "20", "--patience", "3", "--out", "release").code == 0
    assert set(seen) == {3.0}


def test_nothing_is_proposed_where_rules_were_given(log: Shell) -> None:
    """What a sample of its own would give under no rules is not this release."""
    log.file("food.json", '{"Food": {"Fruit": ["Apple", "Pear", "Plum"], "Meat": ["Beef", "Lamb"]}}')
    log.file("baskets.txt", "Apple,Beef\nPear,Beef\nPlum,Lamb\n" * 3)
    words = ("baskets.txt", "--format", "transactions", "--taxonomy", "food.json")
    first = log("anonymize", *words, "--method", "apriori", "--k", "4", "--out", "first")
    assert commands(first.err) or "not proposed" in first.err, first.everything
    again = log("anonymize", *words, "--rules", "first", "--out", "second")
    assert again.code == 0 and flagged(again), again.everything
    assert not commands(again.err) and "this release" not in again.err and "proposed" not in again.err
    result = shoal.anonymize("baskets.txt", rules="first", format="transactions", taxonomy="food.json")
    assert result.headline.warning and not result.advice and not result.advice_notes


def test_the_guarantee_of_smaller_records_is_said_beside_the_command(log: Shell) -> None:
    err = log("anonymize", "my log.tsv", "--k", "20", "--out", "release").err
    assert "each session among at least k people, but not a person's whole history of several sessions; keeps " in err


def test_a_release_worth_reading_is_not_warned_of(log: Shell) -> None:
    log.file("baskets.txt", "milk,bread\n" * 9)
    answer = log("anonymize", "baskets.txt", "--format", "transactions", "--taxonomy", "generated", "--out", "release")
    assert answer.code == 0, answer
    assert "] 100% as typed\n" in answer.out
    assert not flagged(answer)
    assert not commands(answer.err)


def test_words_that_are_all_published_as_their_parents_are_warned_of(log: Shell) -> None:
    log.file("food.json", '{"Food": {"Fruit": ["Apple", "Pear", "Plum"], "Meat": ["Beef"]}}')
    log.file("baskets.txt", "Apple\nPear\nPlum\n")
    answer = log("anonymize", "baskets.txt", "--format", "transactions", "--taxonomy", "food.json", "--k", "3", "--out", "release", "-v")
    shown = answer.out.splitlines()
    assert " ".join(shown[2].split()) == "as typed renamed or one level up as categories as the root or (unlisted) suppressed"
    assert shown[3].split() == ["0%", "100%", "0%", "0%", "0%"]
    assert shown[1] == "WARNING: none of the items are published as typed"
    assert not commands(answer.err), "nothing else keeps a word of three people who have nothing in common"


def test_transactions_have_no_smaller_records(log: Shell) -> None:
    log.file("baskets.txt", "".join(f"{first},{second}\n" for first in "abcdef" for second in "uvwxyz"))
    answer = log(
        "anonymize",
        "baskets.txt",
        "--format",
        "transactions",
        "--taxonomy",
        "generated:40",
        "--k",
        "30",
        "--floor",
        "1",
        "--out",
        "release",
        "-v",
    )
    assert answer.code == 0, answer
    assert flagged(answer)
    assert not [words for words in commands(answer.err) if "--per" in words]


def test_the_warning_stands_in_the_report_without_commands(log: Shell) -> None:
    log("anonymize", "my log.tsv", "--k", "20", "--out", "release")
    page = Path("release/report.html").read_text()
    assert "of the items are published as typed" in page
    assert "my log.tsv" not in page


def test_single_requests_of_an_access_log_are_offered(log: Shell) -> None:
    line = '192.0.2.{n} - - [{day:02}/May/2015:10:05:03 +0000] "GET /{page}/page{page}.html HTTP/1.1" 200 5120 "-" "Mozilla/5.0"\n'
    visits = [(visitor, day, page) for visitor, held in enumerate(histories(), 1) for day, page in enumerate(held, 1)]
    pages = "".join(line.format(n=visitor, day=day, page=page) for visitor, day, page in visits)
    log.file("access.log", pages)
    answer = log("anonymize", "access.log", "--per", "user", "--k", "20", "--out", "release", "-v")
    assert flagged(answer)
    assert {words[words.index("--per") + 1] for words in commands(answer.err) if "--per" in words} == {"session", "event"}


def test_after_a_small_release_the_command_that_measures_is_shown(log: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trying other methods would take longer than the release."""
    monkeypatch.delenv("SHOAL_ADVICE")
    words = ("my log.tsv", "--user", "AnonID", "--time", "QueryTime", "--text", "Query", "--k", "20", "--effort", "fast")
    answer = log("anonymize", *words, "--per", "user", "--out", "release")
    assert answer.code == 0, answer
    assert flagged(answer)
    assert not commands(answer.err)
    (typed,) = (line[line.index("shoal advise") :] for line in answer.err.splitlines() if "shoal advise" in line)
    assert typed == "shoal advise 'my log.tsv' --user AnonID --time QueryTime --text Query --k 20"
    advised = log(*shlex.split(typed)[1:], "--seconds", "5", "--json")
    assert advised.code == 0, advised.err
    assert json.loads(advised.out)["goals"]
