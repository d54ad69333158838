"""While a command works on one machine, nobody else can read what it has not finished: looked at in the middle, under an umask of 0."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from helpers.cli import Shell
from shoal.evaluate.compare import run_cells as comparison
from shoal.io import atomic_file as whole_file
from shoal.io import partial_outputs as unfinished
from shoal.pipeline import run as pipeline

RELEASE = ["anonymize", "baskets.txt", "--taxonomy", "food.csv", "--k", "3", "--force", "--out", "new"]


@pytest.fixture
def open_to_all(kitchen: Shell, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    """An umask that forbids nothing, and a directory for temporary files that can be looked at."""
    (kitchen.directory / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(kitchen.directory / "tmp"))
    old = os.umask(0)
    yield kitchen
    os.umask(old)


def readable(place: Path) -> list[str]:
    """Files and directories that others can read or change, which a command has made and not finished."""
    found = []
    for directory, directories, files in os.walk(place):
        for name in list(directories):
            entry = Path(directory, name)
            if entry.lstat().st_mode & 0o077 == 0:
                directories.remove(name)  # nobody else gets further
            elif name.startswith("."):
                found.append(str(entry.relative_to(place)))
        found += [str(Path(directory, name).relative_to(place)) for name in files]
    return found


class Looking:
    """Looks at the directory each time that a step is taken."""

    def __init__(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        self.place, self.patch = shell.directory, monkeypatch
        self.before = set(readable(self.place))
        self.looked, self.exposed, self.hidden = 0, set[str](), set[str]()

    def at(self, owner: Any, name: str) -> None:
        step: Callable[..., Any] = getattr(owner, name)

        def looking(*given: Any, **named: Any) -> Any:
            self.look()
            made = step(*given, **named)
            self.look()
            return made

        self.patch.setattr(owner, name, looking)

    def look(self) -> None:
        self.looked += 1
        self.hidden |= {path.name for path in self.place.rglob(".*.partial")}
        self.exposed |= set(readable(self.place)) - self.before


@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl", "xlsx"])
def test_a_release(open_to_all: Shell, monkeypatch: pytest.MonkeyPatch, form: str):
    import xlsxwriter

    looking = Looking(open_to_all, monkeypatch)
    for owner, name in [(pipeline, "write_release"), (pipeline, "read_tables"), (pipeline, "render_report")]:
        looking.at(owner, name)
    looking.at(xlsxwriter.Workbook, "add_worksheet")
    looking.at(xlsxwriter.Workbook, "close")
    answer = open_to_all(*RELEASE, "--to", form, "--private-report", "private.html")
    assert answer.code == 0, answer.err
    assert looking.looked >= 6
    assert looking.hidden
    assert looking.exposed == set()
    assert (open_to_all.directory / "new").stat().st_mode & 0o777 == 0o777, "what is released is for all whom the umask allows"
    assert (open_to_all.directory / "private.html").stat().st_mode & 0o777 == 0o600
    assert list((open_to_all.directory / "tmp").iterdir()) == []


def test_what_a_comparison_prepares(open_to_all: Shell, monkeypatch: pytest.MonkeyPatch):
    looking = Looking(open_to_all, monkeypatch)
    looking.at(comparison, "_started")
    words = ("compare", "baskets.txt", "--taxonomy", "food.csv", "--methods", "clump", "--k", "2", "--targets", "20", "--out", "found")
    assert open_to_all(*words).code == 0
    assert any(name.startswith(".prepared.") for name in looking.hidden)
    assert looking.exposed <= {"found/comparison.html"}  # results alone, as in the finished page


def test_a_single_file(open_to_all: Shell, monkeypatch: pytest.MonkeyPatch):
    looking = Looking(open_to_all, monkeypatch)
    looking.at(whole_file.os, "fsync")
    assert open_to_all("generate", "log.tsv", "--users", "10").code == 0
    assert any(name.startswith(".log.tsv.") for name in looking.hidden)
    assert looking.exposed <= {"log.tsv"}


def test_it_would_be_seen(open_to_all: Shell, monkeypatch: pytest.MonkeyPatch):
    """As it was when the directory was made by the umask."""
    looking = Looking(open_to_all, monkeypatch)
    looking.at(pipeline, "render_report")
    begin = unfinished.begin

    def opened(target: Path) -> Path:
        path = begin(target)
        path.chmod(0o755)
        return path

    monkeypatch.setattr(unfinished, "begin", opened)
    assert open_to_all(*RELEASE).code == 0
    assert looking.exposed
