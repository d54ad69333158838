"""What an attacker can do in fact is shown next to what was promised; a release of unique records is called that wherever it is shown."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from helpers.cli import Shell, typed

UNIQUE = "every published record is unique"
KNOWS_FOUR = "an attacker who knows 4 random items of a person finds"


def unlike(people: int = 60, items: int = 12, each: int = 6, seed: int = 3) -> str:
    """Baskets of frequent things, no two of them the same."""
    rng = random.Random(seed)
    names = [f"thing{n}" for n in range(items)]
    found: set[tuple[str, ...]] = set()
    while len(found) < people:
        found.add(tuple(sorted(rng.sample(names, each))))
    return "".join(",".join(basket) + "\n" for basket in sorted(found))


@pytest.fixture
def shop(shell: Shell) -> Shell:
    """A release that keeps its promise against attackers who know one thing, and in which nobody is like anybody else."""
    shell.file("baskets.txt", unlike())
    words = ("--format", "transactions", "--sep", ",", "--method", "coherence", "--p", "1", "--k", "5", "--to", "csv")
    answer = shell("anonymize", "baskets.txt", *words, "--out", "release")
    assert answer.code == 0, answer
    assert f"WARNING: {UNIQUE}" in answer.out
    return shell


def test_the_verdict_of_an_attack_has_two_lines(shop: Shell) -> None:
    answer = shop("attack", "baskets.txt", "release", "--attack", "known-items", "--control", "0")
    assert answer.code == 0, answer
    promised, fact, warning = answer.out.splitlines()[-3:]
    assert re.match(r"guarantee: no attack exceeds its guaranteed bound; \d+ of \d+ rates? ha(s|ve) no guaranteed bound", promised)
    assert fact.startswith(f"measured risk: {KNOWS_FOUR}")
    assert float(fact.split("finds ")[1].split("%")[0]) > 40
    assert warning.startswith(f"WARNING: {UNIQUE}")


def test_programs_get_both_lines(shop: Shell) -> None:
    answer = shop("attack", "baskets.txt", "release", "--attack", "known-items", "--control", "0", "--json")
    told = json.loads(answer.out)
    assert told["verdict"]["promised"].startswith("no attack exceeds its guaranteed bound")
    assert KNOWS_FOUR in told["verdict"]["in_fact"]
    assert told["verdict"]["finds_most_people"] is True
    assert UNIQUE in told["warnings"][0]


def test_attacks_before_a_release_is_written_have_both_lines_too(shop: Shell) -> None:
    words = ("--format", "transactions", "--sep", ",", "--method", "coherence", "--p", "1", "--k", "5")
    answer = shop("anonymize", "baskets.txt", *words, "--out", "tried", "--attack", "known-items", "--control", "0", "-v")
    assert answer.code == 0, answer
    told = " ".join(answer.out.split())
    assert "guarantee no attack exceeds its guaranteed bound" in told
    assert f"measured risk {KNOWS_FOUR}" in told
    assert f"WARNING: most people can be found: {KNOWS_FOUR}" in told
    page = (shop.directory / "tried" / "report.html").read_text()
    assert "<dt>Bounds on attacks</dt>" in page
    assert f'<div class="alarm"><dt>Measured risk</dt><dd>{KNOWS_FOUR.replace("an attacker", "An attacker")}' in page
    assert f"<b>Warning:</b> {UNIQUE}" in page


def test_an_audit_calls_a_release_of_unique_records_that(shop: Shell) -> None:
    answer = shop("audit", "release")
    assert answer.code == 0, answer
    assert "all claims hold" in answer.out
    assert f"WARNING: {UNIQUE}" in answer.out
    assert UNIQUE in json.loads(shop("audit", "release", "--json").out)["warnings"][0]
    alone = shop("audit", shop.directory / "release" / "records.csv", "--claim", "km-anonymity(k=5, m=1)")
    assert f"WARNING: {UNIQUE}" in alone.out


def test_the_warning_is_red_on_a_terminal(shop: Shell) -> None:
    answer = typed("audit", shop.directory / "release", env={"FORCE_COLOR": "1"})
    assert f"\x1b[1;31mWARNING: {UNIQUE}" in answer.out


def test_json_of_a_release_stays_json(shop: Shell) -> None:
    words = ("--format", "transactions", "--sep", ",", "--method", "coherence", "--p", "1", "--k", "5")
    answer = shop("anonymize", "baskets.txt", *words, "--out", "other", "--json")
    json.loads(answer.out)
    assert f"WARNING: {UNIQUE}" in answer.err


def test_nearly_unique_records_are_called_that(shell: Shell) -> None:
    """Of 22 records 20 are unique and two are the same: at least 2 x 21 - 22 of 22 are unique."""
    lines = unlike(20).splitlines()
    shell.file("baskets.txt", "\n".join([*lines, "thing1,thing2", "thing1,thing2"]) + "\n")
    words = ("--format", "transactions", "--sep", ",", "--method", "coherence", "--p", "1", "--k", "2")
    answer = shell("anonymize", "baskets.txt", *words, "--out", "release")
    assert "WARNING: at least 90.9% of the published records are unique" in answer.out, answer


def test_a_release_of_groups_is_not_warned_of(shell: Shell) -> None:
    shell.file("baskets.txt", unlike())
    answer = shell("anonymize", "baskets.txt", "--format", "transactions", "--sep", ",", "--taxonomy", "generated", "--out", "release")
    assert answer.code == 0, answer
    assert "WARNING" not in answer.everything
    tried = shell("attack", "baskets.txt", "release", "--attack", "known-items", "--control", "0")
    assert "guarantee: no attack exceeds its guaranteed bound" in tried.out
    assert "measured risk: an attacker who knows 4 random items" in tried.out
    assert "WARNING" not in tried.everything


def test_nothing_promised_is_not_called_kept(shell: Shell) -> None:
    shell.file("log.tsv", url_log())
    assert shell("anonymize", "log.tsv", "--method", "threshold", "--k", "3", "--out", "release").code == 0
    answer = shell("attack", "log.tsv", "release", "--attack", "known-items", "--control", "0")
    assert "guarantee: the release guarantees nothing against these attacks" in answer.out


def test_the_comparison_shows_both_and_warns(shop: Shell) -> None:
    words = ("--methods", "coherence(p=1)", "--format", "transactions", "--sep", ",", "--taxonomy", "generated")
    answer = shop("compare", "baskets.txt", *words, "--k", "5", "--out", "compared")
    assert answer.code == 0, answer
    assert UNIQUE in answer.out
    page = next((shop.directory / "compared").glob("*.html")).read_text()
    assert '<th scope="col">Measured risk</th>' in page
    assert KNOWS_FOUR in page
    assert f"<b>Warning:</b> {UNIQUE}" in page


def url_log(people: int = 40) -> str:
    rows = ["AnonID\tQuery\tQueryTime\tItemRank\tClickURL"]
    for user in range(people):
        rows += [f"{user}\tquery {q}\t2006-03-01 07:1{user % 10}:12\t1\thttp://site{(user + 3 * q) % 8}.com/" for q in range(3)]
    return "\n".join(rows) + "\n"


def test_linked_histories_that_are_unique_are_called_that(shell: Shell) -> None:
    rng = random.Random(5)
    rows = ["AnonID\tQuery\tQueryTime\tItemRank\tClickURL"]
    for user in range(30):
        rows += [f"{user}\t{query}\t2006-03-01 07:17:12\t\t" for query in rng.sample([f"word{n}" for n in range(12)], 6)]
    shell.file("log.tsv", "\n".join(rows) + "\n")
    answer = shell("anonymize", "log.tsv", "--method", "threshold", "--k", "3", "--link", "person", "--out", "release")
    assert answer.code == 0, answer
    assert "of the published histories are unique" in answer.out or "every published history is unique" in answer.out
    assert "unique" in (shell.directory / "release" / "report.html").read_text()
    assert "unique" in shell("audit", "release").out


def test_a_release_of_urls_is_attacked_by_what_was_clicked(shell: Shell) -> None:
    shell.file("log.tsv", url_log())
    assert shell("anonymize", "log.tsv", "--method", "threshold", "--unit", "url", "--k", "3", "--out", "release").code == 0
    answer = shell("attack", "log.tsv", "release", "--attack", "known-items", "--control", "0.2", "--json")
    assert answer.code == 0, answer
    found = {one["knowledge"]: one["success"][0] for one in json.loads(answer.out)["attacks"] if one["subject"] == "release"}
    assert 0 < found["1 random item"] <= 1 / 3


def test_one_row_with_noise_is_warned_of(shell: Shell) -> None:
    shell.file("log.csv", "user,query\n" + "".join(f"u{i},weather\n" for i in range(400)) + "u1,rare\n")
    answer = shell("anonymize", "log.csv", "--method", "dp-queries", "--epsilon", "5", "--out", "release")
    assert answer.code == 0, answer
    assert "WARNING: almost nothing is published: 1 row." in answer.out
    assert "almost nothing is published: 1 row" in Path(shell.directory / "release" / "report.html").read_text()


def test_of_sessions_the_attacker_knows_items_of_one_record(shell: Shell) -> None:
    """Each person has two sessions, and all that is known is of one of them."""
    rows = [(n, day, item) for n, line in enumerate(unlike().split()) for day, item in enumerate(line.split(","), 1)]
    shell.file("log.csv", "user,time,item\n" + "".join(f"{n},2024-01-{1 + day // 4:02} 10:00:00,{item}\n" for n, day, item in rows))
    words = ("--user", "user", "--time", "time", "--item", "item", "--method", "coherence", "--p", "1", "--k", "2")
    attacks = ("--attack", "known-items", "--control", "0")
    answer = shell("anonymize", "log.csv", *words, "--per", "session", *attacks, "--out", "release")
    assert answer.code == 0, answer
    knows = KNOWS_FOUR.replace("person", "record")
    assert knows in " ".join(answer.out.split())
    assert knows in shell("attack", "log.csv", "release", *attacks).out
    assert knows.replace("an attacker", "An attacker") in (shell.directory / "release" / "report.html").read_text()
    whole = shell("anonymize", "log.csv", *words, *attacks, "--out", "whole")
    assert KNOWS_FOUR in " ".join(whole.out.split())
