"""No owner, no raw query and no rare word gets out: not in a release, nor in its report, nor in anything that is printed."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from helpers.cli import Answer, Shell
from shoal.kinds.bags.read import read_records

WORDS = ("dog", "cat", "house", "tree", "car", "river", "music", "bread", "cheese", "guitar", "piano", "tennis")
SHARED = "zqshared"
PEOPLE = 30
K = 3


def owner(n: int) -> str:
    return f"qxowner{n:03}"


def rare(n: int) -> str:
    return f"zqrare{n:03}"


def raw_log() -> str:
    """Every person types a word that nobody else does; a few share one. The last two of each three are alike."""
    rng = random.Random(4)
    rows = ["AnonID\tQuery\tQueryTime\tItemRank\tClickURL"]
    for n in range(PEOPLE):
        queries = [" ".join(rng.sample(WORDS, 2)), f"{rng.choice(WORDS)} {rare(n)}", f"http secret-{rare(n)}.example.com"]
        if n < 6:
            queries.append(f"{SHARED} dog")
        rows += [f"{owner(n)}\t{query}\t2006-03-0{day + 1} 10:00:00\t1\thttp://www.{rare(n)}.com" for day, query in enumerate(queries)]
    return "\n".join(rows) + "\n"


MARKS = ("qxowner", "zqrare", "qxowner".upper(), "10:00:00")


def assert_nothing_leaks(answer: Answer, directory: Path | None = None) -> None:
    texts = {"what was printed": answer.everything}
    if directory is not None and directory.exists():
        for file in directory.rglob("*"):
            texts[file.name] = file.read_bytes().decode("utf-8", "replace")
            if file.suffix == ".parquet":
                texts[file.name] += "\n".join(str(row) for row in pl.read_parquet(file).rows())
    for place, text in texts.items():
        for mark in MARKS:
            assert mark not in text, f"{mark} in {place}"


WAYS = {
    "as it comes": [],
    "clump": ["--method", "clump"],
    "partition": ["--method", "partition"],
    "bags": ["--bag"],
    "unknown terms dropped": ["--unknown", "drop"],
    "the whole tree": ["--tree", "whole"],
    "a generated taxonomy": ["--taxonomy", "generated:3"],
    "topics": ["--taxonomy", "topics:6"],
    "csv": ["--to", "csv"],
    "jsonl": ["--to", "jsonl"],
    "sessions": ["--per", "session"],
    "as JSON": ["--json"],
}


@pytest.mark.parametrize("name", WAYS)
def test_a_release_and_all_that_is_said_of_it(shell: Shell, name: str):
    log = shell.file("log.tsv", raw_log())
    made = shell("anonymize", log, "--k", str(K), "--out", "release", *WAYS[name])
    assert made.code == 0, made.err
    assert_nothing_leaks(made, shell.directory / "release")
    for words in (["audit", "release", "--original", log], ["measure", "release"], ["measure", "release", "--original", log]):
        assert_nothing_leaks(shell(*words))


def test_a_word_of_many_survives_and_a_word_of_one_does_not(shell: Shell):
    """Six people who typed the same and nothing else keep their word, though no taxonomy knows it."""
    rows = [f"{owner(n)},{SHARED}" for n in range(6)] + [f"{owner(n)},{rare(n)}" for n in range(6, 12)]
    shell.file("log.csv", "user,query\n" + "\n".join(rows) + "\n")
    made = shell("anonymize", "log.csv", "--k", str(K), "--unknown", "keep", "--to", "csv", "--out", "release")
    assert made.code == 0
    assert_nothing_leaks(made, shell.directory / "release")
    records = read_records(shell.directory / "release" / "records.csv")[0].to_polars().to_list()
    assert Counter(map(tuple, records))[(SHARED,)] == 6


def test_the_numbers_of_a_manifest_are_counts_only(shell: Shell):
    shell.file("log.tsv", raw_log())
    told = json.loads(shell("anonymize", "log.tsv", "--k", str(K), "--out", "release", "--json").out)
    assert set(told) == {"shoal", "method", "parameters", "input", "claims", "accounting", "metrics", "files", "notes", "sha256"}
    assert not any(isinstance(value, (list, dict)) for value in told["input"].values())


def broken_logs() -> dict[str, tuple[str, list[str]]]:
    """Logs and options for which the command fails after, or while, it looks into the data."""
    log = raw_log()
    headless = "\n".join(log.splitlines()[1:]) + "\n"
    named = "user,query\n" + "".join(f"{owner(n)},{rare(n)}\n" for n in range(5))
    return {
        "k too large": (log, ["--k", "500"]),
        "unknown terms refused": (log, ["--unknown", "refuse"]),
        "a malformed row": (log + f"{owner(1)}\t{rare(1)}\n{owner(2)}\n", ["--strict"]),
        "an unreadable time": (log + f"{owner(1)}\t{rare(1)}\tyesterday\t\t\n", ["--strict", "--per", "session"]),
        "bad bytes": (log + f"{owner(1)}\t\udcff{rare(1)}\t2006-03-01 10:00:00\t\t\n", ["--strict"]),
        "no such column": (log, ["--user", "nobody"]),
        "two parts for one column": (log, ["--user", "AnonID", "--text", "AnonID"]),
        "no header, wrong columns": (headless, ["--user", "who", "--text", "what"]),
        "no header, and one is said to be there": (headless, ["--text", "what"]),
        "a field too far": (headless, ["--user", "1", "--text", "9"]),
        "no header, of words": (f"{owner(0)},{rare(0)}\n{owner(1)},{rare(1)}\n", ["--user", "who", "--text", "what"]),
        "names that are words": (f"{owner(0)},{rare(0)}\n", ["--format", "querylog"]),
        "JSON lines by person": ("".join(json.dumps({owner(n): rare(n)}) + "\n" for n in range(3)), ["--format", "querylog"]),
        "JSON that breaks off": (json.dumps({"user": owner(1), "query": rare(1)}) + "\n" + '{"user": "' + owner(2), ["--strict"]),
        "sessions without times": (named, ["--per", "session"]),
        "a quote that never ends": (named + f'{owner(1)},"{rare(1)}\n' * 3, ["--strict"]),
        "no transactions": (log, ["--format", "table"]),
    }


@pytest.mark.parametrize("name", broken_logs())
def test_no_error_quotes_the_data(shell: Shell, name: str):
    content, words = broken_logs()[name]
    log = shell.file("log", content.encode("utf-8", "surrogateescape"))
    answer = shell("anonymize", log, "--out", "release", *words)
    assert answer.code == 1, answer.everything
    assert_nothing_leaks(answer)
    assert shell.names() == {"log"}


def test_rows_left_out_are_told_by_their_lines(shell: Shell):
    log = shell.file("log.tsv", raw_log() + f"{owner(1)}\t{rare(1)}\tyesterday\t\t\n\t{rare(2)}\t2006-03-01 10:00:00\t\t\n")
    answer = shell("anonymize", log, "--k", str(K), "--per", "session", "--out", "release")
    assert answer.code == 0
    last = len(log.read_text().splitlines())
    assert f"left out: 1 x unreadable time: line {last - 1}" in answer.err
    assert f"left out: 1 x no user: line {last}" in answer.err
    assert_nothing_leaks(answer, shell.directory / "release")
