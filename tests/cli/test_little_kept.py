"""Where hardly a word is left, that is said, with commands that are complete: typed as they stand, each makes a release."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from helpers_cli import Shell

WORDS = (
    *("dog", "cat", "apple", "pear", "river", "mountain", "piano", "violin", "doctor"),
    *("teacher", "train", "ship", "window", "door", "bread", "cheese", "silver", "gold"),
)


@pytest.fixture
def log(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """People with long histories that have hardly anything in common, in short sessions that have."""
    monkeypatch.chdir(shell.directory)
    lines = ["AnonID\tQuery\tQueryTime\tItemRank\tClickURL"]
    for person in range(8):
        for day in range(9):
            text = f"{WORDS[(person * 5 + day * 7) % len(WORDS)]} {WORDS[(person + day * day) % len(WORDS)]}"
            lines.append(f"{person}\t{text}\t2006-03-{day + 1:02} 07:17:12\t\t")
    shell.file("my log.tsv", "\n".join(lines) + "\n")
    return shell


def commands(err: str) -> list[list[str]]:
    """The commands of the warning, as a shell would read them."""
    return [shlex.split("shoal" + line.split(": shoal", 1)[1]) for line in err.splitlines() if ": shoal anonymize" in line]


def flagged(err: str) -> bool:
    return "of the words are published as they were typed" in err


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--k", "8", "--effort", "fast", "--bound", "--bag", "--unknown", "keep", "--tree", "whole", "--to", "csv", "--force"],
        ["--per", "session", "--gap", "10m", "--k", "8"],
        ["--config", "options.toml"],
    ],
    ids=" ".join,
)
def test_every_command_of_the_warning_makes_a_release(log: Shell, options: list[str]) -> None:
    log.file("options.toml", 'k = 8\nmethod = "clump"\nr = 3\nnode-loss = "lm"\n')
    answer = log("anonymize", "my log.tsv", *(options or ["--k", "8"]), "--out", "a release")
    assert answer.code == 0, answer
    assert flagged(answer.err)
    found = commands(answer.err)
    assert [words[words.index("--method") + 1] for words in found if "--method" in words][-3:] == ["coherence", "coherence", "ssc"]
    assert {words[words.index("--per") + 1] for words in found if "--per" in words} >= {"event"}
    for words in found:
        again = log(*words[1:])
        assert again.code == 0, (words, again)
        assert json.loads((Path(words[words.index("--out") + 1]) / "manifest.json").read_text())["input"]["owners"] == 8


def test_the_guarantee_of_smaller_records_is_said_beside_the_command(log: Shell) -> None:
    err = log("anonymize", "my log.tsv", "--k", "8", "--out", "release").err
    assert "each session among k people; not a person's whole history, which is several sessions: shoal anonymize" in err


def test_a_release_worth_reading_is_not_warned_of(log: Shell) -> None:
    log.file("baskets.txt", "milk,bread\n" * 9)
    answer = log("anonymize", "baskets.txt", "--format", "transactions", "--taxonomy", "generated", "--out", "release")
    assert answer.code == 0, answer
    assert " ".join(answer.out.splitlines()[1].split()) == "as typed within one level as categories root or unlisted not at all"
    assert answer.out.splitlines()[2].split() == ["100%", "0%", "0%", "0%", "0%"]
    assert not flagged(answer.err)
    assert not commands(answer.err)


def test_words_that_are_all_published_as_their_parents_are_warned_of(log: Shell) -> None:
    log.file("food.json", '{"Food": {"Fruit": ["Apple", "Pear", "Plum"], "Meat": ["Beef"]}}')
    log.file("baskets.txt", "Apple\nPear\nPlum\n")
    answer = log("anonymize", "baskets.txt", "--format", "transactions", "--taxonomy", "food.json", "--k", "3", "--out", "release")
    assert answer.out.splitlines()[2].split() == ["0%", "100%", "0%", "0%", "0%"]
    assert "warning: only 0% of the words are published as they were typed" in answer.err
    assert commands(answer.err)


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
    )
    assert answer.code == 0, answer
    assert flagged(answer.err)
    assert not [words for words in commands(answer.err) if "--per" in words]


def test_the_warning_stands_in_the_report_without_commands(log: Shell) -> None:
    log("anonymize", "my log.tsv", "--k", "8", "--out", "release")
    page = Path("release/report.html").read_text()
    assert "of the words are published as they were typed" in page
    assert "my log.tsv" not in page


def test_single_requests_of_an_access_log_are_offered(log: Shell) -> None:
    line = '192.0.2.{n} - - [17/May/2015:10:05:03 +0000] "GET /{n}/page{n}.html HTTP/1.1" 200 5120 "-" "Mozilla/5.0"\n'
    pages = "".join(line.format(n=n) + line.format(n=n).replace(f"/{n}/page", "/a/page") for n in range(1, 7))
    log.file("access.log", pages)
    answer = log("anonymize", "access.log", "--taxonomy", "paths", "--k", "6", "--out", "release")
    assert flagged(answer.err)
    assert {words[words.index("--per") + 1] for words in commands(answer.err) if "--per" in words} == {"session", "event"}
