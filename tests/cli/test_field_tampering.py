"""Fields of published tables that were tampered with: every edit is caught, or the audit names the field as not checked."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers.cli import Answer, Shell
from helpers.field_releases import HONEST, RELEASES, SOURCES, make
from helpers.field_tamperings import TAMPERINGS, Named
from helpers.tamperings import Caught
from shoal.methods import METHODS

Copy = Callable[[str], Shell]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory for the releases, each of which is made when it is first wanted."""
    return tmp_path_factory.mktemp("fields")


@pytest.fixture
def copy(shell: Shell, made: Path, monkeypatch: pytest.MonkeyPatch) -> Copy:
    """A copy of a release, to be tampered with, and of all that it was made from."""

    def copied(name: str) -> Shell:
        if not (made / name).exists():
            monkeypatch.chdir(made)
            make(made, name)
            monkeypatch.chdir(shell.directory)
        for source in SOURCES:
            shutil.copy(made / source, shell.directory / source)
        shutil.copytree(made / name, shell.directory / name)
        return shell

    return copied


def check(answer: Answer, told: Answer, outcome: Caught | Named) -> None:
    if isinstance(outcome, Named):
        assert answer.code == 0, answer.everything
        assert "statements cannot be verified from the files: -v lists" in answer.out
        assert any(outcome.field in text for text in json.loads(told.out)["not_checked"]), told.out
    else:
        assert answer.code == outcome.code, answer.everything
        assert outcome.words in " ".join(answer.everything.split())
        assert "Traceback" not in answer.err
        assert "unexpected error" not in answer.err
    assert not re.search(r"\bann\b", answer.everything)


@pytest.mark.parametrize("with_original", [False, True], ids=["files alone", "with the original"])
@pytest.mark.parametrize("name", TAMPERINGS)
def test_an_audit_finds_or_names_it(copy: Copy, name: str, with_original: bool):
    told = TAMPERINGS[name]
    shell = copy(told.release)
    told.tamper(shell.directory / told.release)
    words = RELEASES[told.release].original if with_original else RELEASES[told.release].alone
    expected = told.with_original if with_original else told.alone
    check(shell("audit", told.release, *words), shell("audit", told.release, *words, "--json"), expected)


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_release_holds(copy: Copy, name: str):
    shell = copy(name)
    for words in (HONEST[name].alone, HONEST[name].original):
        answer = shell("audit", name, *words)
        assert answer.code == 0, answer.everything


def test_every_method_has_an_honest_release():
    """Those that take records have theirs in test_audit_honest.py."""
    used = {word for made in HONEST.values() for word in made.words}
    assert {name for name, kind in METHODS.items() if "sets" not in kind.takes} <= used


def test_with_the_original_fewer_fields_are_not_checked(copy: Copy):
    shell = copy("linked")
    alone, beside = (json.loads(shell("audit", "linked", *words, "--json").out) for words in ((), RELEASES["linked"].original))
    assert alone["not_checked"] == [
        "user (whose rows they link)",
        "time, query, url",
        "whether the published rows and the pseudonyms are in a random order",
    ]
    assert beside["not_checked"] == []


def test_there_are_enough_of_them():
    assert len(TAMPERINGS) >= 140
    assert {told.release for told in TAMPERINGS.values()} == set(RELEASES)
