"""No line of a manifest is believed in silence: edit any of them, and the audit fails or names that very line as only stated."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helpers.cli import FOOD, Shell, baskets, query_log
from helpers.tampering import manifest_of, put
from shoal.cli.main import run

# The input, how it is anonymized, and what an audit with the original beside it has to be told.
RELEASES: dict[str, tuple[str, list[str], list[str]]] = {
    "shoal": ("baskets.txt", ["--taxonomy", "food.csv", "--k", "3", "--bound"], ["--taxonomy", "food.csv"]),
    "clump": ("log.tsv", ["--method", "clump", "--per", "session", "--gap", "2h", "--k", "2"], []),
    "coherence": ("baskets.txt", ["--method", "coherence", "--private", "private.txt", "--k", "3"], []),
}
INVENTED: dict[str, Any] = {
    "claims[0].notes[9]": "judged by experts",
    "accounting.experts": {"in": 3, "agreed": 3},
    "accounting.records.lost in the post": 0,
    "metrics.frequency_distance": 0.0,
    "input.gap": "30m",
    "files[0].pseudonyms": "fresh",
}


def leaves(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Every single value and its key, found by a walk of this test's own."""
    if isinstance(value, dict):
        for name in value:
            yield from leaves(value[name], f"{key}.{name}".lstrip("."))
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from leaves(inner, f"{key}[{at}]")
    else:
        yield key, value


def others(value: Any) -> list[Any]:
    """Values that could stand in place of this one."""
    if value is None:
        return [1, "x"]
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, max(0, value - 1)] if value else [1]
    if isinstance(value, float):
        return [value * 0.9 + 0.001, value + 0.001]
    alike = next(([w for w in words if w != value] for words in WORDS if value in words), [])
    return [*alike, value + "x", value[:-1]]


WORDS = (
    ["user", "session", "event"],
    ["sets", "bags"],
    ["keep", "drop", "refuse"],
    ["used", "whole"],
    ["lm", "height", "information"],
    ["querylog", "table", "transactions"],
    ["wordnet", "none", "generated"],
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with all inputs, and a release of each method."""
    place = tmp_path_factory.mktemp("made")
    files = {"baskets.txt": baskets(), "food.csv": FOOD, "log.tsv": query_log(), "private.txt": "Beef\n"}
    for name, content in files.items():
        (place / name).write_text(content)
    for name, (file, how, _) in RELEASES.items():
        words = [str(place / word) if word in files else word for word in how]
        assert run(["anonymize", str(place / file), *words, "--to", "csv", "--out", str(place / name)]) == 0
    return place


@pytest.fixture
def copy(shell: Shell, made: Path) -> Shell:
    shutil.copytree(made, shell.directory, dirs_exist_ok=True)
    return shell


def named_or_caught(shell: Shell, name: str, words: list[str], line: str) -> bool:
    answer = shell("audit", name, *words, "--json")
    if answer.code == 1:
        return answer.err.splitlines()[-1].startswith("shoal: ") and "unexpected" not in answer.err
    return answer.code == 3 or json.loads(answer.out)["manifest"].get(line) == "not verifiable"


def believed(shell: Shell, name: str, words: list[str], line: str, value: Any) -> list[str]:
    """The edit, if it passes in silence."""
    manifest = shell.directory / name / "manifest.json"
    before = manifest.read_bytes()
    put(line, value)(shell.directory / name)
    passed = not named_or_caught(shell, name, words, line)
    manifest.write_bytes(before)
    return [f"{line} = {value!r}"] if passed else []


@pytest.mark.parametrize("beside", [False, True], ids=["alone", "with the original"])
@pytest.mark.parametrize("name", RELEASES)
def test_every_edited_line_is_caught_or_named(copy: Shell, name: str, beside: bool):
    file, _, how = RELEASES[name]
    words = ["--original", file, *how] if beside else []
    told = manifest_of(copy.directory / name)
    assert copy("audit", name, *words).code == 0
    edits = [(line, other) for line, value in leaves(told) if line != "sha256" for other in others(value)]
    assert len(edits) > 80
    assert not [passed for line, other in edits for passed in believed(copy, name, words, line, other)]


@pytest.mark.parametrize("beside", [False, True], ids=["alone", "with the original"])
@pytest.mark.parametrize("name", RELEASES)
def test_every_invented_line_is_caught_or_named(copy: Shell, name: str, beside: bool):
    file, _, how = RELEASES[name]
    words = ["--original", file, *how] if beside else []
    told = manifest_of(copy.directory / name)
    at = {"claims[0].notes[9]": f"claims[0].notes[{len(told['claims'][0].get('notes', []))}]"}
    invented = {f"notes[{len(told['notes'])}]": "proven to be safe", **{at.get(key, key): value for key, value in INVENTED.items()}}
    for line, value in invented.items():
        for leaf, _ in leaves(value, line):
            manifest = copy.directory / name / "manifest.json"
            before = manifest.read_bytes()
            put(line, value)(copy.directory / name)
            assert named_or_caught(copy, name, words, leaf), leaf
            manifest.write_bytes(before)


@pytest.mark.parametrize("name", RELEASES)
def test_the_screen_names_all_lines_that_are_only_stated(copy: Shell, name: str):
    shown = " ".join(copy("audit", name, "-v").out.split())
    stated = shown.split("not verifiable: ")[1]
    lines = json.loads(copy("audit", name, "--json").out)["manifest"]
    told = {line for line, _ in leaves(manifest_of(copy.directory / name))}
    assert told <= lines.keys()
    for line in (line for line in told if lines[line] == "not verifiable"):
        heading, _, last = line.rpartition(".")
        assert re.sub(r"\[\d+\]$", "", last) in stated  # a list is named once
        assert f"{heading} (" in stated or not heading
