"""No command writes into a release, which only anonymize makes, or over what it reads."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from helpers.cli import FOOD, Shell

LEVELS = "department,product\nFruit,Apple\nFruit,Pear\nDairy,Milk\n"
PRIVATE = ("anonymize", "baskets.txt", "--taxonomy", "food.csv", "--k", "3", "--out", "r", "--private-report")
INTO_RELEASE = {
    "compare": ["compare", "baskets.txt", "--taxonomy", "food.csv", "--methods", "clump", "--k", "2", "--out", "release"],
    "compare, below": ["compare", "baskets.txt", "--taxonomy", "food.csv", "--methods", "clump", "--k", "2", "--out", "release/cmp"],
    "compare, by a link": ["compare", "baskets.txt", "--taxonomy", "food.csv", "--methods", "clump", "--k", "2", "--out", "link"],
    "anonymize, below": ["anonymize", "baskets.txt", "--taxonomy", "food.csv", "--k", "3", "--out", "release/inner"],
    "private report": [
        "anonymize",
        "baskets.txt",
        "--taxonomy",
        "food.csv",
        "--k",
        "3",
        "--out",
        "r",
        "--private-report",
        "release/p.html",
    ],
    "demo": ["demo", "--out", "release/demo"],
    "generate": ["generate", "release/log.tsv", "--users", "10"],
    "generate, over a file": ["generate", "release/records.csv", "--users", "10", "--force"],
    "taxonomy build": ["taxonomy", "build", "levels.csv", "--levels", "department,product", "--out", "release/tree.tsv"],
    "taxonomy build, over a file": [
        *("taxonomy", "build", "levels.csv", "--levels", "department,product", "--out", "release/records.csv", "--force")
    ],
    "reproduce": ["reproduce", "thesis", "--size", "20", "--out", "release", "--force"],
    "reproduce, below": ["reproduce", "thesis", "--size", "20", "--out", "release/paper"],
    "reconstruct": ["reconstruct", "release", "--out", "release/plain"],
}
OVER_INPUT = {
    "anonymize": ["anonymize", "release/records.csv", "--taxonomy", "food.csv", "--k", "3", "--out", "release", "--force"],
    "anonymize, of a pattern": ["anonymize", "release/rec*.csv", "--taxonomy", "food.csv", "--k", "3", "--out", "release", "--force"],
    "private report": [*PRIVATE, "baskets.txt", "--force"],
    "private report, over a taxonomy": [*PRIVATE, "food.csv", "--force"],
    "taxonomy build": ["taxonomy", "build", "levels.csv", "--levels", "department,product", "--out", "levels.csv", "--force"],
    "reproduce": ["reproduce", "thesis", "--data", "data", "--out", "data", "--force"],
}


@pytest.fixture
def made(kitchen: Shell) -> Shell:
    kitchen.file("levels.csv", LEVELS)
    (kitchen.directory / "link").symlink_to(kitchen.directory / "release")
    (kitchen.directory / "data").mkdir()
    kitchen.file("data/aol.tsv", "1\tapple\n")
    return kitchen


def content(place: Path) -> dict[str, bytes]:
    return {str(path.relative_to(place)): path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("words", INTO_RELEASE.values(), ids=INTO_RELEASE)
def test_no_command_writes_into_a_release(made: Shell, words: list[str]):
    before = content(made.directory)
    answer = made(*words)
    assert answer.code == 1, answer.everything
    assert "release" in answer.err
    assert "Traceback" not in answer.err
    assert content(made.directory) == before
    assert made("audit", "release").code == 0


@pytest.mark.parametrize("words", OVER_INPUT.values(), ids=OVER_INPUT)
def test_no_command_writes_over_what_it_reads(made: Shell, words: list[str]):
    before = content(made.directory)
    answer = made(*words)
    assert answer.code == 1, answer.everything
    assert "would replace the input" in answer.err, answer.err
    assert content(made.directory) == before


@pytest.mark.parametrize("manifest", ['{"shoal": "0.1"', '{"shoal": "0.1", "files": []}'])
def test_a_release_with_a_damaged_manifest_is_a_release(made: Shell, manifest: str):
    made.file("release/manifest.json", manifest)
    assert made("generate", "release/log.tsv", "--users", "10").code == 1


def test_a_manifest_of_something_else_makes_no_release(made: Shell):
    made.file("manifest.json", '{"name": "a web application"}')
    assert made("generate", "log.tsv", "--users", "10").code == 0


def test_a_comparison_has_a_directory_of_its_own(made: Shell):
    (made.directory / "thesis").mkdir()
    made.file("thesis/thesis.tex", "mine")
    answer = made("compare", "baskets.txt", "--taxonomy", "food.csv", "--methods", "clump", "--k", "2", "--out", "thesis")
    assert answer.code == 1
    assert "something else than a comparison" in answer.err
    assert [path.name for path in (made.directory / "thesis").iterdir()] == ["thesis.tex"]


def test_an_older_release_is_still_replaced_by_anonymize(made: Shell):
    shutil.rmtree(made.directory / "release")
    made.file("food.csv", FOOD)
    words = ["anonymize", "baskets.txt", "--taxonomy", "food.csv", "--k", "3", "--out", "release"]
    assert made(*words).code == 0
    assert made(*words, "--force").code == 0
