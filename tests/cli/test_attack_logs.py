"""shoal attack on logs: old remedies are broken, releases of groups are not."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest

import shoal
from helpers.cli import Shell

PLANTED = 40
GROUPS = [("shoal",), ("clump",), ("partition",), ("ssc",)]
REMEDIES = {
    "ids hashed": ("old-remedies", "--no-guarantee"),
    "scrubbed": ("old-remedies", "--no-guarantee", "--scrub"),
    "old rows deleted": ("old-remedies", "--no-guarantee", "--since", "2006-03-10"),
    "sessions shortened": ("old-remedies", "--no-guarantee", "--ids", "gap:30m"),
    "a pseudonym a day": ("old-remedies", "--no-guarantee", "--ids", "day"),
    "ids deleted": ("old-remedies", "--no-guarantee", "--ids", "none"),
    "personas": ("split-personality", "--no-guarantee"),
}


@pytest.fixture(scope="module")
def log() -> str:
    """A generated log, and people each of whom asks on three days, weeks apart, for words that nobody else has, and for a common one."""
    made = shoal.generate(users=120, seed=3)
    rows = [
        (900_000 + person, query, f"2006-{month:02}-15 1{hour}:0{hour}:00", None, None)
        for person in range(PLANTED)
        for month in (3, 4, 5)
        for hour, query in enumerate((f"family{person} street{person}", f"village{person}", "weather"), 1)
    ]
    planted = pl.DataFrame(rows, schema=made.schema, orient="row", strict=False)
    return pl.concat([made, planted]).write_csv(separator="\t")


@pytest.fixture
def typed(shell: Shell, log: str) -> Shell:
    shell.file("log.tsv", log)
    return shell


def attacked(typed: Shell, method: tuple[str, ...], *options: str, code: int = 0) -> dict[str, Any]:
    made = typed("anonymize", "log.tsv", "--out", "release", "--method", *method)
    assert made.code == 0, made.err
    answer = typed("attack", "log.tsv", "release", "--json", *options)
    assert answer.code == code, answer.err
    return json.loads(answer.out)


def outcome(found: dict[str, Any], attack: str, knowledge: str, subject: str = "release") -> dict[str, Any]:
    key = subject, attack, knowledge
    return next(one for one in found["attacks"] if (one["subject"], one["attack"], one["knowledge"]) == key)


OF_LOGS = ("--attack", "known-items", "--attack", "two-halves", "--attack", "profile-over-time", "--attack", "personas")


@pytest.mark.parametrize("remedy", REMEDIES)
def test_people_are_found_in_the_raw_log_and_after_each_old_remedy(typed: Shell, remedy: str):
    found = attacked(typed, REMEDIES[remedy], *OF_LOGS, "--control", "0")
    for subject in ("original", "release"):
        assert outcome(found, "known-items", "2 rarest items", subject)["success"][0] > 0.8
        # Everybody who is planted is found again in the later period: nobody else has their words.
        assert outcome(found, "profile-over-time", "all of an earlier period", subject)["success"][0] > 0.6
    assert outcome(found, "two-halves", "1 item each")["ceiling"] is None
    assert found["tests"]["singling out"]["success"] > 0.8
    several = remedy in {"sessions shortened", "a pseudonym a day", "ids deleted", "personas"}
    assert any(one["attack"] == "personas" for one in found["attacks"]) == several
    if several:
        joined = [one["success"][0] for one in found["attacks"] if one["attack"] == "personas"]
        assert max(joined) > 0.4 > 50 * outcome(found, "personas", "the words of one")["baseline"]


@pytest.mark.parametrize("method", GROUPS, ids=lambda method: method[0])
def test_nobody_is_found_with_more_than_1_in_k_in_a_release_of_groups(typed: Shell, method: tuple[str, ...]):
    found = attacked(typed, (*method, "--k", "5"), *OF_LOGS[:6], "--targets", "100", "--control", "0")
    after = [one for one in found["attacks"] if one["subject"] == "release"]
    assert {one["attack"] for one in after} == {"known-items", "two-halves", "profile-over-time"}
    for one in after:
        assert one["ceiling"] == 0.2
        assert one["success"][0] <= 0.2 + 1e-12
        assert one["worst_hit"] <= 0.2 + 1e-12
    assert outcome(found, "profile-over-time", "all of an earlier period", "original")["success"][0] > 0.5
    assert found["holds"]


def test_common_histories_stay_within_1_in_k(typed: Shell):
    found = attacked(typed, ("user-microaggregation", "--k", "4"), *OF_LOGS[:4], "--targets", "60", "--control", "0")
    for one in found["attacks"]:
        if one["subject"] == "release":
            assert one["ceiling"] == 0.25
            assert one["success"][0] <= 0.25 + 1e-12


def test_what_cannot_be_compared_is_said(typed: Shell):
    assert typed("anonymize", "log.tsv", "--out", "release", "--method", "old-remedies", "--no-guarantee", "--queries", "hash").code == 0
    answer = typed("attack", "log.tsv", "release", "--attack", "known-items", "--attack", "profile-over-time", "--json")
    assert answer.code == 0
    assert "skipped known-items: queries are hashed" in answer.err
    assert "skipped profile-over-time: queries are hashed" in answer.err
    assert json.loads(answer.out)["attacks"] == []


def test_rows_without_pseudonyms_are_records_of_their_own(typed: Shell):
    assert typed("anonymize", "log.tsv", "--out", "release", "--method", "infrequent", "--k", "3").code == 0
    answer = typed("attack", "log.tsv", "release", "--attack", "known-items", "--targets", "50", "--control", "0", "--json")
    assert "rows have no pseudonyms" in answer.err
    found = outcome(json.loads(answer.out), "known-items", "1 random item")
    assert found["targets"] == 50
    assert found["ceiling"] is None


def test_without_times_there_is_no_earlier_period(shell: Shell):
    shell.file("log.csv", "user,query\n" + "".join(f"u{i},word{i % 3}\n" for i in range(12)))
    assert shell("anonymize", "log.csv", "--out", "release", "--method", "old-remedies", "--no-guarantee").code == 0
    answer = shell("attack", "log.csv", "release", "--attack", "profile-over-time")
    assert answer.code == 0
    assert "skipped profile-over-time: the original has no times" in answer.err
    assert "no attack was run" in answer.out


def test_hashed_words_are_read_with_half_of_the_people_and_with_another_log(shell: Shell):
    shell.file("log.tsv", shoal.generate(users=2000, seed=1).write_csv(separator="\t"))
    shell.file("other.tsv", shoal.generate(users=2000, seed=1).write_csv(separator="\t"))
    made = shell("anonymize", "log.tsv", "--out", "release", "--method", "old-remedies", "--no-guarantee", "--queries", "hash-words")
    assert made.code == 0
    halves = json.loads(shell("attack", "log.tsv", "release", "--attack", "tokens", "--json").out)
    assert outcome(halves, "tokens", "the 10 most frequent")["success"][0] >= 0.6
    fifty = outcome(halves, "tokens", "the 50 most frequent")
    assert fifty["success"][0] > fifty["baseline"]
    same = json.loads(shell("attack", "log.tsv", "release", "--attack", "tokens", "--reference", "other.tsv", "--json").out)
    assert outcome(same, "tokens", "the 50 most frequent")["success"][0] > 0.9  # the log itself: every count is the same
    answer = shell("attack", "log.tsv", "release", "--reference", "missing.tsv")
    assert answer.code == 1


def test_the_terminal_shows_precision_recall_excess_and_the_three_tests(typed: Shell):
    assert typed("anonymize", "log.tsv", "--out", "release", "--method", "old-remedies", "--no-guarantee").code == 0
    answer = typed("attack", "log.tsv", "release", "--targets", "20", "--attack", "known-items", "--attack", "profile-over-time", "-v")
    assert answer.code == 0
    for word in ("precision if certain", "recall if certain", "excess", "guessing", "control", "criterion"):
        assert word in answer.out
    assert any(line.startswith("singling out") and "known-items" in line for line in answer.out.splitlines())
    assert any(line.startswith("linking") and "profile-over-time" in line for line in answer.out.splitlines())
