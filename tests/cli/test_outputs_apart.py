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
    "private report, over sensitive items": [*PRIVATE, "sensitive.txt", "--sensitive", "sensitive.txt", "--force"],
    "private report, over sensitive items with @": [*PRIVATE, "sensitive.txt", "--sensitive", "@sensitive.txt", "--force"],
    "private report, over options": [*PRIVATE, "options.toml", "--config", "options.toml", "--force"],
    "private report, over sensitive items that options name": [*PRIVATE, "sensitive.txt", "--config", "options.toml", "--force"],
    "private report, over rules": [
        *("anonymize", "baskets.txt", "--taxonomy", "food.csv", "--rules", "rules.json", "--out", "r"),
        *("--private-report", "rules.json", "--force"),
    ],
    "private report, over a hierarchy": [
        *("anonymize", "table.csv", "--method", "mdav", "--k", "2", "--quasi", "age", "--hierarchy", "town=towns.csv"),
        *("--out", "r", "--private-report", "towns.csv", "--force"),
    ],
    "private report, over a key": [
        *("anonymize", "baskets.txt", "--method", "old-remedies", "--key", "key.txt", "--no-guarantee"),
        *("--out", "r", "--private-report", "key.txt", "--force"),
    ],
    "anonymize, over the release before": [
        *("anonymize", "baskets.txt", "--taxonomy", "food.csv", "--k", "3", "--previous", "release", "--out", "release", "--force")
    ],
    "anonymize, over the release of the rules": [
        *("anonymize", "baskets.txt", "--taxonomy", "food.csv", "--rules", "ruled", "--out", "ruled", "--force")
    ],
    "taxonomy build": ["taxonomy", "build", "levels.csv", "--levels", "department,product", "--out", "levels.csv", "--force"],
    "reproduce": ["reproduce", "thesis", "--data", "data", "--out", "data", "--force"],
}


@pytest.fixture
def made(kitchen: Shell) -> Shell:
    kitchen.file("levels.csv", LEVELS)
    (kitchen.directory / "link").symlink_to(kitchen.directory / "release")
    (kitchen.directory / "data").mkdir()
    kitchen.file("data/aol.tsv", "1\tapple\n")
    kitchen.file("sensitive.txt", "Beef\n")
    kitchen.file("options.toml", 'sensitive = "sensitive.txt"\n')
    kitchen.file("key.txt", "0123456789abcdef0123456789abcdef")
    kitchen.file("table.csv", "age,town\n30,Ulm\n31,Ulm\n32,Bonn\n33,Bonn\n")
    kitchen.file("towns.csv", "child,parent\nUlm,South\nBonn,West\nSouth,Land\nWest,Land\n")
    ruled = kitchen("anonymize", "baskets.txt", "--taxonomy", "food.csv", "--method", "apriori", "--k", "3", "--out", "ruled")
    assert ruled.code == 0, ruled.err
    shutil.copy(kitchen.directory / "ruled/rules.json", kitchen.directory / "rules.json")
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


@pytest.mark.parametrize("manifest", ['{"shoal": "0.1"', '{"shoal": "0.1", "files": []}', "[" * 100_000])
@pytest.mark.parametrize("lost", ["records.csv", "report.html"])
def test_a_release_with_a_damaged_manifest_is_a_release(made: Shell, manifest: str, lost: str):
    made.file("release/manifest.json", manifest)
    (made.directory / "release" / lost).unlink()
    for words in (["generate", "release/log.tsv", "--users", "10"], [*PRIVATE, "release/private.html"]):
        answer = made(*words)
        assert answer.code == 1
        assert "release" in answer.err
        assert "Traceback" not in answer.err


@pytest.mark.parametrize("manifest", ['{"name": "a web application"}', "[1]", "7", "// not JSON", "[" * 100_000])
def test_a_manifest_of_something_else_makes_no_release(made: Shell, manifest: str):
    made.file("manifest.json", manifest)
    answer = made("generate", "log.tsv", "--users", "10")
    assert answer.code == 0, answer.everything


def test_a_comparison_has_a_directory_of_its_own(made: Shell):
    (made.directory / "thesis").mkdir()
    made.file("thesis/thesis.tex", "mine")
    answer = made("compare", "baskets.txt", "--taxonomy", "food.csv", "--methods", "clump", "--k", "2", "--out", "thesis")
    assert answer.code == 1
    assert "contains files that do not belong to a comparison" in answer.err
    assert [path.name for path in (made.directory / "thesis").iterdir()] == ["thesis.tex"]


def test_an_older_release_is_still_replaced_by_anonymize(made: Shell):
    shutil.rmtree(made.directory / "release")
    made.file("food.csv", FOOD)
    words = ["anonymize", "baskets.txt", "--taxonomy", "food.csv", "--k", "3", "--out", "release"]
    assert made(*words).code == 0
    assert made(*words, "--force").code == 0
