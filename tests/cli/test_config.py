"""Options from a file: keys are the names of options, what is typed goes before, and what is unknown is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers.cli import FOOD, ITEMS, Shell, failed, one_line

SETTINGS = """
out = "from-file"
taxonomy = "food.csv"
method = "clump"
k = 4
r = 7
distinct = true
to = "csv"
bag = true
strict = true
threads = 1
"""


def test_a_file_of_options(kitchen: Shell):
    kitchen.file("settings.toml", SETTINGS)
    told = json.loads(kitchen("anonymize", "baskets.txt", "--config", "settings.toml", "--json").out)
    assert told["method"] == "clump"
    assert told["parameters"] | {"k": 4, "r": 7, "distinct": True} == told["parameters"]
    assert told["input"]["records_as"] == "bags"
    assert told["input"]["taxonomy"] == "a file"
    assert told["files"][0]["name"] == "records.csv"
    assert kitchen("audit", "from-file").code == 0


def test_what_is_typed_goes_before(kitchen: Shell):
    kitchen.file("settings.toml", SETTINGS)
    words = ["anonymize", "baskets.txt", "--config", "settings.toml", "--k", "2", "--set", "--out", "typed", "--json"]
    told = json.loads(kitchen(*words).out)
    assert (told["parameters"]["k"], told["input"]["records_as"]) == (2, "sets")
    assert "typed" in kitchen.names()


def test_the_second_name_of_a_switch(kitchen: Shell):
    kitchen.file("settings.toml", 'set = false\nno-header = true\ntaxonomy = "food.csv"\nout = "x"\n')
    told = json.loads(kitchen("anonymize", "baskets.txt", "--config", "settings.toml", "--json").out)
    assert told["input"]["records_as"] == "bags"


WRONG = {
    "an unknown key": ("kk = 3", "has a key 'kk'"),
    "a key that is nearly one": ('taxonmy = "food.csv"', "did you mean taxonomy?"),
    "a table": ("[k]\nvalue = 3", "k is one value"),
    "a list": ("k = [3]", "k is one value"),
    "a switch in words": ('strict = "yes"', "strict is true or false"),
    "a value out of range": ("k = 1", "k must be at least 2"),
    "a value of a wrong type": ('k = "few"', "k must be a whole number"),
    "a fraction": ("k = 2.5", "k must be a whole number"),
    "a wrong choice": ('per = "month"', "'month' is not one of"),
    "an option of another method": ("r = 3", "has no option --r"),
    "the file itself": ('config = "settings.toml"', "has a key 'config'"),
    "what is no TOML": ("k: 3", "is not TOML"),
    "what is no text": (b"\xff\xfe\x00", "is not UTF-8"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_in_a_file_of_options(kitchen: Shell, name: str):
    content, said = WRONG[name]
    kitchen.file("settings.toml", content)
    before = kitchen.names()
    line = one_line(kitchen("anonymize", "baskets.txt", "--taxonomy", "food.csv", "--out", "x", "--config", "settings.toml"))
    assert said in line
    assert kitchen.names() == before


def test_a_file_of_options_that_is_not_there(kitchen: Shell):
    assert "nowhere.toml" in failed(kitchen("anonymize", "baskets.txt", "--config", "nowhere.toml"), "file-not-found")
    failed(kitchen("anonymize", "baskets.txt", "--config", "release"), "path-is-a-directory")


def test_it_is_documented(shell: Shell):
    assert "--config" in shell("anonymize", "--help").out
    assert "TOML" in shell("anonymize", "--help-all").out


# -- the same file for audit and measure

SALES = "who,what\n" + "".join(f"{n},{item}\n" for n in range(12) for item in (ITEMS[n % 8], ITEMS[(n + 3) % 8]))
OPTIONS = 'user = "who"\nitem = "what"\ntaxonomy = "food.csv"\nk = 3\nmethod = "clump"\nr = 5\nto = "csv"\nlayout = "long"\nheader = true\n'


@pytest.fixture
def released(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    shell = Shell(tmp_path, capsys)
    for name, content in (("food.csv", FOOD), ("sales.csv", SALES), ("options.toml", OPTIONS)):
        shell.file(name, content)
    assert shell("anonymize", "sales.csv", "--config", "options.toml", "--out", "release").code == 0
    return shell


@pytest.mark.parametrize("command", ["audit", "measure"])
def test_the_file_that_made_a_release_serves_its_audit(released: Shell, command: str):
    for words in ([], ["--original", "sales.csv"]):
        with_file = released(command, "release", *words, "--config", "options.toml")
        without = released(command, "release", *words, *(["--taxonomy", "food.csv"] if words else []))
        assert with_file.code == 0, with_file
        assert with_file.out == without.out


def test_what_the_file_says_of_the_input_counts(released: Shell):
    released.file("other.toml", 'user = "what"\nitem = "who"\n')
    answer = released("audit", "release", "--original", "sales.csv", "--taxonomy", "food.csv", "--config", "other.toml")
    assert answer.code != 0
    assert "user = 'what'" in answer.err


@pytest.mark.parametrize("command", ["audit", "measure"])
def test_a_key_that_nobody_has_is_refused(released: Shell, command: str):
    released.file("odd.toml", 'usr = "who"\n')
    line = one_line(released(command, "release", "--config", "odd.toml"))
    assert f"which is not an option of {command}" in line
    assert "did you mean user?" in line


def test_typed_options_still_need_an_original(released: Shell):
    assert "no --original is given" in one_line(released("audit", "release", "--user", "who", "--config", "options.toml"))


def test_a_taxonomy_is_typed_again(released: Shell, monkeypatch: pytest.MonkeyPatch):
    elsewhere = released.directory / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    for command in ("audit", "measure"):
        answer = released(command, "../release", "--original", "../sales.csv", "--taxonomy", "../food.csv")
        assert answer.code == 0, answer
        failed(released(command, "../release", "--original", "../sales.csv"), "taxonomy-not-located")
