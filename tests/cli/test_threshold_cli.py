"""Thresholds from the command line: presets, options in files and in Python, audits, and canaries that must not get out."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest

import shoal
from helpers.cli import Answer, Shell, one_line
from helpers.docs import ROOT
from helpers.errors import refuses
from helpers.tampering import renew
from shoal.methods import presets_of
from shoal.methods.threshold import Threshold

K = 4
PEOPLE = 12
HEAD = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL"


def canaries() -> str:
    """A log in which 12 people share words, queries, URLs and days, and others are planted that fewer than 4 people have.

    Each person has a name (qxowner), a word (zqword) and a page (zqpage) of their own; three people share a query (zqthree), and three
    a page and a word of a frequent query; one rare word is typed in two spellings by two people each.
    """
    rows = [HEAD]
    for n in range(PEOPLE):
        who = f"qxowner{n:03}"
        typed = [
            ("weather today", "http://rain.example/maps/all"),
            (f"weather zqword{n:03}", f"http://rain.example/maps/zqpage{n:03}"),
            (f"zqword{n:03}", ""),
            ("cheap beagle food" if n % 2 else "cheap dachshund food", "http://dogs.example/food"),
        ]
        typed += [("zqthree people", "http://three.example/zqpage")] if n < K - 1 else []
        typed += [("ZQSpelled word" if n % 2 else "zqspelled word", "")] if n < K - 1 else []
        for minute, (query, url) in enumerate(typed):
            rows.append(f"{who}\t{query}\t2006-03-{1 + n % 3:02} 1{n % 7}:{10 + minute}:37\t{n + 1 if url else ''}\t{url}")
    return "\n".join(rows) + "\n"


MARKS = ("qxowner", "zqword", "zqpage", "zqthree", "zqspelled", "ZQSpelled", ":37")

WAYS: dict[str, list[str]] = {
    "queries": [],
    "queries with clicks": ["--unit", "query+url"],
    "urls": ["--unit", "url", "--columns", "query"],
    "words dropped": ["--unit", "term"],
    "words left out": ["--unit", "term", "--rare", "omit", "--link", "person"],
    "words replaced": ["--unit", "term", "--rare", "generalize", "--link", "gap:30m", "--times", "day"],
    "all columns": ["--unit", "term", "--rare", "omit", "--columns", "url=prefix, rank=ranges", "--times", "hour", "--link", "rows:2"],
    "days": ["--unit", "query", "--window", "day", "--times", "day", "--link", "day"],
    "words of days": ["--unit", "term", "--rare", "generalize", "--window", "day", "--times", "day", "--words", "2"],
}


@pytest.fixture
def desk(shell: Shell) -> Shell:
    shell.file("log.tsv", canaries())
    return shell


def assert_nothing_leaks(answer: Answer, directory: Path | None = None) -> None:
    texts = {"what was printed": answer.everything}
    for file in directory.iterdir() if directory is not None else ():
        texts[file.name] = file.read_bytes().decode("utf-8", "replace")
        if file.suffix == ".parquet":
            texts[file.name] += "\n".join(str(row) for row in pl.read_parquet(file).rows())
    for place, text in texts.items():
        for mark in MARKS:
            assert mark not in text, f"{mark} in {place}"


@pytest.mark.parametrize("name", WAYS)
def test_no_canary_gets_out(desk: Shell, name: str) -> None:
    """Neither into a file nor onto the terminal, whether the run succeeds or not."""
    words = ["anonymize", "log.tsv", "--method", "threshold", *WAYS[name]]
    made = desk(*words, "--k", str(K), "--out", "release", "--to", "csv" if len(name) % 2 else "parquet")
    assert made.code == 0, made.err
    assert_nothing_leaks(made, desk.directory / "release")
    told = json.loads((desk.directory / "release" / "manifest.json").read_text())
    assert any("not protected" in note or "dropped" in note or "not linked" in note for note in told["notes"])
    for asked in (["audit", "release", "--original", "log.tsv"], ["measure", "release", "--original", "log.tsv"]):
        answer = desk(*asked)
        assert answer.code == 0, answer.everything
        assert_nothing_leaks(answer)
    assert_nothing_leaks(desk(*words, "--k", str(PEOPLE + 1), "--out", "other"))


def test_the_canaries_are_seen_where_the_threshold_lets_them_pass(desk: Shell) -> None:
    """Three people share a query: at k = 3 it is published, so that the test above can fail."""
    made = desk("anonymize", "log.tsv", "--method", "threshold", "--k", str(K - 1), "--to", "csv", "--out", "release")
    assert made.code == 0
    assert "zqthree people" in (desk.directory / "release" / "log.csv").read_text()
    with pytest.raises(AssertionError, match="zqthree in"):
        assert_nothing_leaks(made, desk.directory / "release")


def test_an_audit_of_the_file_alone(desk: Shell) -> None:
    """People are told by pseudonyms for people, and by nothing else."""
    standing = {}
    for link in ("none", "person", "rows:2"):
        rule = ["--unit", "term", "--rare", "omit", "--k", str(K), "--link", link]
        assert desk("anonymize", "log.tsv", "--method", "threshold", *rule, "--out", link.replace(":", "-")).code == 0
        found = json.loads(desk("audit", link.replace(":", "-"), "--json").out)
        standing[link] = (found["claims"][0]["verdict"], sorted(found["claims"][0]["achieved"]))
    assert standing == {
        "none": ("not checkable", ["records"]),
        "person": ("verified", ["people", "records"]),
        "rows:2": ("not checkable", ["pseudonyms", "records"]),
    }


def test_a_tampered_release_fails_its_audit(desk: Shell) -> None:
    rule = ["--unit", "term", "--rare", "omit", "--k", str(K), "--link", "person", "--to", "csv"]
    assert desk("anonymize", "log.tsv", "--method", "threshold", *rule, "--out", "release").code == 0
    place = desk.directory / "release"
    file = place / "log.csv"
    file.write_text(file.read_text().replace("weather today", "weather zqword001", 1))
    renew(place)
    for words in (["audit", "release"], ["audit", "release", "--original", "log.tsv"]):
        found = desk(*words)
        assert found.code == 3, found.everything
        assert_nothing_leaks(found)


def rows_of(place: Path) -> list[tuple[object, ...]]:
    return sorted(pl.read_parquet(place / "log.parquet").rows(), key=str)


def test_presets_are_the_same_on_the_command_line_in_a_file_and_in_python(desk: Shell) -> None:
    """A parameter that is given goes before that of the preset."""
    common = ["anonymize", "log.tsv", "--out"]
    assert desk(*common, "typed", "--method", "threshold", "--preset", "words-of-50-general", "--k", str(K)).code == 0
    desk.file("options.toml", f'method = "threshold"\npreset = "words-of-50-general"\nk = {K}\n')
    assert desk(*common, "filed", "--config", "options.toml").code == 0
    shoal.anonymize(desk.directory / "log.tsv", "threshold", preset="words-of-50-general", k=K).write(desk.directory / "python")
    manifests = [json.loads((desk.directory / name / "manifest.json").read_text()) for name in ("typed", "filed", "python")]
    assert all(found["parameters"] == manifests[0]["parameters"] for found in manifests)
    assert {**manifests[0]["parameters"]} == {
        **{"k": K, "unit": "term", "rare": "generalize", "words": 8, "window": None},
        **{"link": "none", "times": "dropped", "columns": "none", "group": None},
    }
    assert rows_of(desk.directory / "typed") == rows_of(desk.directory / "filed") == rows_of(desk.directory / "python")


def test_other_presets_are_refused(desk: Shell) -> None:
    line = one_line(desk("anonymize", "log.tsv", "--method", "threshold", "--preset", "words-of-5", "--out", "x"))
    assert "no preset of threshold is called 'words-of-5'" in line
    assert "words-of-50" in line
    line = one_line(desk("anonymize", "log.tsv", "--method", "infrequent", "--preset", "words-of-50", "--out", "x"))
    assert "the method infrequent has no option --preset" in line
    with refuses("unknown-option", value="preset"):
        shoal.anonymize(desk.directory / "log.tsv", "infrequent", preset="words-of-50")


def test_every_preset_can_be_had_and_says_what_it_does_not_protect(shell: Shell) -> None:
    page = (ROOT / "docs" / "methods" / "threshold.md").read_text("utf-8")
    told = {name: (values, text) for name, values, text in re.findall(r"^\| `([\w-]+)` \| `(--k [^|]*)` \| (.+) \|$", page, re.MULTILINE)}
    presets = presets_of("threshold")
    typed = {name: " ".join(f"--{key} {value}" for key, value in one.values.items()) for name, one in presets.items()}
    assert told == {name: (typed[name], one.does_not_protect) for name, one in presets.items()}
    listed = " ".join(shell("anonymize", "--method", "threshold", "--help").out.split())
    for name, one in presets.items():
        assert Threshold(**one.values).values().items() >= {key: one.values[key] for key in ("k",)}.items()
        assert f"Not protected: {one.does_not_protect}" in listed.replace("- ", "-") or one.does_not_protect in listed
        assert name in json.loads(shell("methods", "threshold", "--json").out)["threshold"]["presets"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--unit", "query", "--rare", "omit"], "use unit=term"),
        (["--unit", "term", "--window", "day"], "use times=day"),
        (["--unit", "term", "--per", "user"], "this method publishes the rows of a log"),
        (["--columns", "town"], "this log has no column 'town'"),
        (["--taxonomy", "wordnet"], "this method publishes the rows of a log"),
        (["--link", "weekly"], "such as gap:30m or rows:10"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused_in_one_line(desk: Shell, words: list[str], says: str) -> None:
    line = one_line(desk("anonymize", "log.tsv", "--method", "threshold", *words, "--out", "x"))
    assert says in line
    assert "x" not in desk.names()


def test_cutting_sessions_needs_times(shell: Shell) -> None:
    shell.file("log.csv", "user,query\nann,rain\nben,rain\n")
    line = one_line(shell("anonymize", "log.csv", "--method", "threshold", "--k", "2", "--link", "day", "--out", "x"))
    assert "divides the rows of a person by time, but this log has no times" in line
    line = one_line(shell("anonymize", "log.csv", "--method", "threshold", "--k", "2", "--times", "day", "--out", "x"))
    assert "times are needed" in line
