"""Streams: results on one, news on the other; terminals and pipes of every kind."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.cli import FOOD, Answer, Shell, baskets, clean_environment, typed

ASCII = {"LANG": "C", "LC_ALL": "C", "PYTHONIOENCODING": "ascii"}


def in_a_terminal(*words: str, columns: int = 80) -> Answer:
    """A command whose two streams are a terminal."""
    main, side = pty.openpty()
    command = [sys.executable, "-m", "shoal", *words]
    env = {**clean_environment(), "TERM": "xterm", "COLUMNS": str(columns)}
    process = subprocess.Popen(command, stdin=side, stdout=side, stderr=side, env=env)
    os.close(side)
    shown = b""
    while True:
        try:
            piece = os.read(main, 65536)
        except OSError:  # the terminal is closed when its last user has gone
            break
        if not piece:
            break
        shown += piece
    os.close(main)
    return Answer(process.wait(), shown.decode(), "")


# -- JSON


JSON = {
    "anonymize": ["anonymize", "baskets.txt", "--taxonomy", "food.csv", "--out", "again", "--json"],
    "audit": ["audit", "release", "--json"],
    "measure": ["measure", "release", "--json"],
    "methods": ["methods", "--json"],
    "one method": ["methods", "clump", "--json"],
    "models": ["models", "--json"],
    "metrics": ["metrics", "--json"],
    "doctor": ["doctor", "--json"],
    "taxonomy check": ["taxonomy", "check", "food.csv", "--json"],
    "taxonomy coverage": ["taxonomy", "coverage", "food.csv", "baskets.txt", "--json"],
}


@pytest.mark.parametrize("name", JSON)
def test_json_is_all_there_is_on_the_output_stream(kitchen: Shell, name: str):
    answer = kitchen(*JSON[name])
    assert answer.code == 0, answer.err
    assert isinstance(json.loads(answer.out), dict)
    assert answer.out.isascii()


def test_json_of_anonymize_is_the_manifest(kitchen: Shell):
    answer = kitchen(*JSON["anonymize"])
    assert json.loads(answer.out) == json.loads((kitchen.directory / "again" / "manifest.json").read_text())
    assert "format transactions" in answer.err


def test_json_of_a_failing_audit_is_whole(kitchen: Shell):
    answer = kitchen("audit", "release", "--claim", "k-anonymity(k=30)", "--json")
    assert answer.code == 3
    told = json.loads(answer.out)
    assert told["holds"] is False
    assert [claim["holds"] for claim in told["claims"]] == [False]


# -- pipes


@pytest.mark.parametrize("words", [["methods"], ["methods", "--json"], ["--help"], ["taxonomy", "show", "wordnet", "--depth", "3"]])
def test_a_reader_who_leaves_is_no_catastrophe(words: list[str]):
    read, write = os.pipe()
    os.close(read)
    answer = typed(*words, stdout=write)
    os.close(write)
    assert answer.code == 1
    assert [line for line in answer.err.splitlines() if "NAME`" not in line] == []


def test_a_pipe_gets_no_blanks_at_line_ends_and_no_control_characters(kitchen: Shell):
    for words in (["audit", "release"], ["methods"], ["measure", "release"], ["doctor"]):
        out = kitchen(*words).out
        assert "\x1b" not in out
        assert all(line == line.rstrip() for line in out.splitlines())


def test_an_output_that_takes_nothing_is_told():
    with Path("/dev/full").open("wb") as full:
        answer = typed("methods", "--json", stdout=full.fileno())
    assert answer.code == 1
    assert answer.err == "shoal: the output: No space left on device\n"


def test_closed_streams():
    command = f"{sys.executable} -m shoal methods >&-"
    assert subprocess.run(command, shell=True, env=clean_environment(), stderr=subprocess.PIPE, check=False).returncode == 0
    command = f"{sys.executable} -m shoal methods 2>&-"
    done = subprocess.run(command, shell=True, env=clean_environment(), stdout=subprocess.PIPE, check=False)
    assert done.returncode == 0
    assert b"clump" in done.stdout


# -- terminals


def test_a_terminal_that_knows_ascii_only(shell: Shell):
    shell.file("käse.txt", baskets())
    shell.file("essen.csv", FOOD.replace("Food", "Eßbares"))
    made = typed("anonymize", "käse.txt", "--taxonomy", "essen.csv", "--out", "größe", env=ASCII)
    assert made.code == 0, made.err
    assert "verified and written" in made.out
    assert typed("taxonomy", "show", "essen.csv", env=ASCII).code == 0
    missing = typed("anonymize", "wärme.txt", "--out", "none", env=ASCII)
    assert missing.code == 1
    assert "there is no file w" in missing.err
    told = typed("taxonomy", "check", "essen.csv", "--json", env=ASCII)
    assert json.loads(told.out)["root"] == "Eßbares"


def test_a_name_that_is_no_text(shell: Shell):
    """Names of files are bytes; what cannot be shown is shown escaped."""
    odd = os.fsdecode(b"food\xff.csv")
    shell.file("baskets.txt", baskets())
    shell.file(odd, FOOD)
    made = typed("anonymize", "baskets.txt", "--taxonomy", odd, "--to", "csv", "--out", os.fsdecode(b"out\xff"))
    assert made.code == 0, made.err
    assert "out\\udcff: verified and written" in made.out
    refused = typed("anonymize", "baskets.txt", "--taxonomy", odd, "--out", os.fsdecode(b"more\xff"))
    assert refused.code == 1
    assert "is not UTF-8 (rename it" in refused.err
    assert "food\\udcff" in typed("anonymize", "baskets.txt", "--taxonomy", os.fsdecode(b"no food\xff"), "--out", "x").err


def test_a_narrow_terminal(kitchen: Shell):
    for words in (["methods"], ["anonymize", "--help"], ["audit", "release"], ["measure", "release"]):
        shown = in_a_terminal(*words, columns=40)
        assert shown.code == 0
        widest = max(len(line) for line in shown.out.replace("\x1b[1m", "").replace("\x1b[0m", "").replace("\x1b[2m", "").splitlines())
        assert widest <= 80, words


def test_progress_is_shown_to_a_person(kitchen: Shell):
    shown = in_a_terminal("anonymize", "baskets.txt", "--taxonomy", "food.csv", "--out", "seen")
    assert shown.code == 0
    assert "counting subtrees" in shown.out
    assert "\x1b[" in shown.out


def test_progress_is_not_shown_to_a_pipe(kitchen: Shell):
    answer = typed("anonymize", "baskets.txt", "--taxonomy", "food.csv", "--out", "piped")
    assert answer.code == 0
    assert "\x1b" not in answer.everything
    assert "counting subtrees" not in answer.everything
    assert "clustering" not in answer.everything
