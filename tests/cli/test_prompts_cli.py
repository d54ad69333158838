"""Prompt logs through the commands: looked at, released by methods of records and of rows, audited; no answer of a model gets out."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from helpers.cli import Shell, one_line
from helpers.prompts import TEA, lines, sharegpt, wildchat


@pytest.fixture
def chats(shell: Shell) -> Path:
    return shell.file("chats.jsonl", lines(*TEA))


def everything(place: Path) -> str:
    return "".join(file.read_text("utf-8", "replace") for file in place.iterdir())


def test_look_shows_what_was_understood(shell: Shell, chats: Path) -> None:
    answer = shell("look", chats, "--taxonomy", "none", "--json")
    told = json.loads(answer.out)
    assert (told["format"], told["people"]) == ("prompts", 3)
    assert told["rows"] == {"in": 11, "used": 6, "left out: turns of models": 5}
    assert "secretanswer" not in answer.everything


@pytest.mark.parametrize("method", ["shoal", "coherence", "infrequent"])
def test_methods_of_records_and_of_rows_release_prompts_that_an_audit_verifies(shell: Shell, chats: Path, method: str) -> None:
    options = {"shoal": ("--taxonomy", "generated"), "coherence": ("--p", "2"), "infrequent": ()}[method]
    done = shell("anonymize", chats, "--method", method, "--k", "2", *options, "--to", "csv", "--out", shell.directory / "out")
    assert done.code == 0, done.err
    for original in ((), ("--original", chats)):
        assert shell("audit", shell.directory / "out", *original).code == 0
    assert "secretanswer" not in everything(shell.directory / "out")
    assert json.loads((shell.directory / "out" / "manifest.json").read_text())["input"]["format"] == "prompts"


def test_infrequent_counts_people_who_typed_a_prompt(shell: Shell, chats: Path) -> None:
    """`green tea` was typed by two people (three times), `black tea` by two, `green tea please` by one."""
    shell("anonymize", chats, "--method", "infrequent", "--k", "2", "--to", "csv", "--out", shell.directory / "out")
    with (shell.directory / "out" / "log.csv").open() as file:
        assert sorted(row["query"] for row in csv.DictReader(file)) == ["black tea"] * 2 + ["green tea"] * 3


def test_conversations_are_records_with_record(shell: Shell, chats: Path) -> None:
    answer = shell("look", chats, "--taxonomy", "none", "--record", "conversation_hash", "--json")
    assert json.loads(answer.out)["records"] == 4


def test_an_export_without_owners_exits_with_1_and_quotes_no_prompt(shell: Shell) -> None:
    place = shell.file("shared.jsonl", lines(*(sharegpt([("human", f"canary {n}")]) for n in range(3))))
    said = one_line(shell("look", place))
    assert "has no user IDs for its conversations" in said
    assert "canary" not in said


def test_malformed_conversations_are_counted_by_line(shell: Shell, chats: Path) -> None:
    place = shell.file("odd.jsonl", lines(*TEA * 5, wildchat("zz", [("stranger", "canary")])))
    answer = shell("look", place, "--taxonomy", "none")
    assert answer.code == 0
    assert "1 x speaker of a turn is not known: line 21" in answer.err
    assert "canary" not in answer.everything
