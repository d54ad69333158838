"""The floor as a user meets it: the default, levels and nodes, the manifest, and an audit that finds it broken."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from helpers.cli import FOOD, Shell, baskets, one_line

METHODS = ("shoal", "clump", "partition", "ssc", "coherence")


@pytest.fixture
def kitchen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    shell = Shell(tmp_path, capsys)
    shell.file("food.csv", FOOD)
    shell.file("baskets.txt", baskets() + "Apple,Pen\nOrange,Soap\nBanana,Ink\nApple,Rope\nOrange,Wax\n")
    return shell


def released(shell: Shell, *words: str, out: str = "new") -> Any:
    paths = shell.directory / "baskets.txt", shell.directory / "food.csv", shell.directory / out
    return shell("anonymize", paths[0], "--taxonomy", paths[1], "--out", paths[2], "--to", "jsonl", "--k", "4", *words)


def manifest_of(shell: Shell, out: str = "new") -> dict[str, Any]:
    told: dict[str, Any] = json.loads((shell.directory / out / "manifest.json").read_text())
    return told


def names_in(shell: Shell, out: str = "new") -> set[str]:
    lines = (shell.directory / out / "records.jsonl").read_text().splitlines()
    return {name for line in lines for name in json.loads(line)["items"]}


@pytest.mark.parametrize("method", METHODS)
def test_neither_the_root_nor_the_node_of_unlisted_terms_is_published(kitchen: Shell, method: str) -> None:
    generalize = ("--generalize",) if method == "coherence" else ()
    assert released(kitchen, "--method", method, *generalize).code == 0
    assert not names_in(kitchen) & {"Food", "(unlisted)"}
    assert manifest_of(kitchen)["input"]["floor"] == 2


def test_level_one_publishes_the_root_as_before(kitchen: Shell) -> None:
    # Four people without a common category: the root is all that any group of four may share.
    kitchen.file("baskets.txt", "Apple\nOrange\nBeef\nChicken\n")
    assert released(kitchen, "--floor", "1", "--format", "transactions").code == 0
    assert names_in(kitchen) == {"Food"}


@pytest.mark.parametrize(("floor", "gone"), [(("3",), {"Fruit", "Meat", "Dairy"}), (("Apple", "Beef"), {"Fruit", "Meat"})])
def test_levels_and_nodes(kitchen: Shell, floor: tuple[str, ...], gone: set[str]) -> None:
    assert released(kitchen).code == 0
    assert names_in(kitchen) & gone
    words = [word for name in floor for word in ("--floor", name)]
    assert released(kitchen, *words, out="floored").code == 0
    assert not names_in(kitchen, "floored") & gone
    assert manifest_of(kitchen, "floored")["input"]["floor"] in (3, ["Apple", "Beef"])


def test_unknown_names_are_refused_with_close_ones(kitchen: Shell) -> None:
    assert "did you mean 'Fruit'?" in one_line(released(kitchen, "--floor", "Friut"))


def test_a_floor_needs_records_on_a_taxonomy(kitchen: Shell) -> None:
    line = one_line(released(kitchen, "--floor", "3", "--method", "coherence"))
    assert "--floor is for records on a taxonomy" in line


def test_an_audit_repeats_the_floor_and_finds_it_broken(kitchen: Shell) -> None:
    original = ("--original", str(kitchen.directory / "baskets.txt"), "--taxonomy", str(kitchen.directory / "food.csv"))
    assert released(kitchen, "--floor", "3").code == 0
    honest = kitchen("audit", kitchen.directory / "new", *original, "-v")
    assert honest.code == 0, honest
    assert "nothing above the floor" in honest.out
    assert released(kitchen, out="general").code == 0
    told = manifest_of(kitchen, "general")
    told["input"]["floor"] = 3
    (kitchen.directory / "general" / "manifest.json").write_text(json.dumps(told))
    broken = kitchen("audit", kitchen.directory / "general", *original)
    assert broken.code == 3
    assert "published items above the floor" in broken.everything


def test_a_file_of_records_is_held_to_a_floor_that_is_asked_for(kitchen: Shell) -> None:
    assert released(kitchen).code == 0
    shutil.copy(kitchen.directory / "new" / "records.jsonl", kitchen.directory / "records.jsonl")
    words = ("audit", kitchen.directory / "records.jsonl", "--claim", "k-anonymity(k=4)", "--original", kitchen.directory / "baskets.txt")
    tree = ("--taxonomy", kitchen.directory / "food.csv")
    assert kitchen(*words, *tree).code == 0
    assert kitchen(*words, *tree, "--floor", "3").code == 3


def test_a_config_file_may_name_several_nodes(kitchen: Shell) -> None:
    kitchen.file("run.toml", 'floor = ["Apple", "Beef"]\n')
    assert released(kitchen, "--config", str(kitchen.directory / "run.toml")).code == 0
    assert manifest_of(kitchen)["input"]["floor"] == ["Apple", "Beef"]
