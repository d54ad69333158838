"""Honest releases of every method, per user, session and event, in every format, with and without the original: all audits are clean."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from helpers.cli import Shell
from shoal.methods import METHODS

WORDS = ["dog", "cat", "house", "tree", "car", "river"]
FORMATS = ["parquet", "csv", "jsonl", "transactions"]


def searches(seed: int = 5) -> str:
    """Twelve people with two sessions of two or three queries each, so that people own several records per session and per event.

    Two of them also ask for what is sensitive.
    """
    rng = random.Random(seed)
    rows = ["user,time,query", "3,2006-03-01 20:00:00,guitar", "7,2006-03-01 20:00:00,guitar"]
    for user in range(12):
        for hour in (9, 15):
            for minute in range(rng.choice((2, 3))):
                rows.append(f"{user},2006-03-01 {hour:02}:{minute:02}:00,{' '.join(rng.sample(WORDS, rng.choice((1, 2))))}")
    return "\n".join(rows) + "\n"


@pytest.fixture
def desk(shell: Shell) -> Shell:
    shell.file("log.csv", searches())
    shell.file("private.txt", "river\n")
    return shell


# What a method needs beside k, or instead of it.
SENSITIVE = ("--sensitive", "items:guitar")
OWN = {
    "coherence": ("--k", "3", "--private", "private.txt", "--h", "0.9"),
    "suppress-control": ("--rho", "0.5", *SENSITIVE),
    "td-control": ("--rho", "0.5", *SENSITIVE),
    "cahd": ("--p", "2", *SENSITIVE),
}


def written_in(method: str) -> list[str]:
    """The formats of what a method publishes: lines of items are for records alone."""
    return FORMATS if METHODS[method].publishes in {"sets", "bags"} else FORMATS[:-1]


MADE_OF_SETS = [name for name, kind in METHODS.items() if "sets" in kind.takes]


@pytest.mark.parametrize("per", ["user", "session", "event"])
@pytest.mark.parametrize(("method", "form"), [(method, form) for method in MADE_OF_SETS for form in written_in(method)])
def test_an_honest_release(desk: Shell, method: str, per: str, form: str):
    words = ["anonymize", "log.csv", "--taxonomy", "generated", "--method", method, "--per", per, "--to", form]
    made = desk(*words, *OWN.get(method, ("--k", "3")), "--out", "release")
    assert made.code == 0, made.err
    for original in ([], ["--original", "log.csv"]):
        answer = desk("audit", "release", *original)
        assert answer.code == 0, answer.everything
        assert "all claims hold" in answer.out
        assert "statements cannot be verified from the files: -v lists" in answer.out


@pytest.mark.parametrize("per", ["session", "event"])
def test_levels_say_what_they_count(desk: Shell, per: str):
    """People own several records, so a set of items is held by more records than people; each level is compared with its like."""
    words = ["anonymize", "log.csv", "--taxonomy", "generated", "--method", "coherence", "--k", "3", "--p", "1", "--per", per]
    made = desk(*words, "--out", "release", "--json")
    (claim,) = json.loads(made.out)["claims"]
    assert claim["achieved"]["people"] < claim["achieved_from_file"]["records"]
    assert "records" not in claim["achieved"]
    told = json.loads(desk("audit", "release", "--json").out)
    assert told["holds"] is True
    assert told["claims"][0]["achieved"] == claim["achieved_from_file"]
    assert told["manifest"]["claims[0].achieved.people"] == "not verifiable"
    assert told["manifest"]["claims[0].achieved_from_file.records"] == "recomputed"


def test_every_line_of_the_manifest_is_told(desk: Shell):
    """Without the original the input is only stated; with it, no more than settings and what only the groups tell."""
    made = desk("anonymize", "log.csv", "--taxonomy", "generated", "--k", "3", "--out", "release", "--json")
    alone = json.loads(desk("audit", "release", "--json").out)["manifest"]
    beside = json.loads(desk("audit", "release", "--original", "log.csv", "--json").out)["manifest"]
    assert set(alone) - set(beside) == {"the text of report.html"}
    assert set(alone.values()) == {"recomputed", "not verifiable"}
    assert {alone[f"input.{name}"] for name in ("owners", "records", "items", "rows")} == {"not verifiable"}
    assert {beside[f"input.{name}"] for name in ("owners", "records", "items", "rows")} == {"recomputed"}
    assert {beside[key] for key in beside if key.startswith("accounting.rows.")} == {"recomputed"}
    assert beside["metrics.loss"] == alone["metrics.mean_length"] == alone["files[0].occurrences"] == "recomputed"
    assert beside["metrics.ncp"] == beside["input.per"] == beside["accounting.occurrences.kept"] == "not verifiable"
    assert {key.split(".")[0].split("[")[0] for key in beside} == {key for key, value in json.loads(made.out).items() if value != []}


def test_a_release_of_the_python_interface(tmp_path: Path):
    """It has no file that it was read from; the manifest says so, and the audit does not ask for one."""
    import polars as pl

    import shoal

    table = pl.DataFrame({"user": [u for u in range(6) for _ in range(2)], "item": ["a", "b"] * 6})
    shoal.anonymize(table, k=3, taxonomy="generated").write(tmp_path / "release")
    assert shoal.audit(tmp_path / "release").holds
    table.write_csv(tmp_path / "table.csv")
    found = shoal.audit(tmp_path / "release", original=tmp_path / "table.csv")
    assert found.holds, found.as_dict()
