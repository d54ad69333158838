"""Records before and after go to a page of their own, marked, without owners, and never into a release."""

from __future__ import annotations

import errno
import stat
from html import unescape
from pathlib import Path

import pytest

from helpers.cli import Answer, Shell
from shoal.errors import OutputError
from shoal.io import atomic_file

TREE = "Apple\tFruit\nPear\tFruit\nFruit\tFood\nMeat\tFood\nBeef\tMeat\n"
WORDS = ("--format", "table", "--user", "user", "--item", "item", "--taxonomy", "tree.tsv", "--k", "2")


@pytest.fixture
def desk(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(shell.directory)
    shell.file("tree.tsv", TREE)
    rows = [f"owner{n},{item}" for n in range(6) for item in (["Apple", "Beef"] if n % 2 else ["Pear", "Traclind"])]
    shell.file("input.csv", "\n".join(["user,item", *rows]) + "\n")
    return shell


def asked(desk: Shell, place: str, *more: str) -> Answer:
    return desk("anonymize", "input.csv", *WORDS, "--unknown", "keep", "--out", "release", "--private-report", place, *more)


def test_the_page_shows_before_and_after_and_is_marked(desk: Shell) -> None:
    answer = asked(desk, "private.html")
    assert answer.code == 0, answer
    assert "do not publish it" in answer.err
    page = unescape(Path("private.html").read_text())
    assert page.count("NOT FOR PUBLICATION") == 3  # title, heading, end
    for word in ("Apple", "Pear", "Traclind"):
        assert word in page
    assert "owner" not in page.replace("User IDs are not shown", "")
    assert "<script" not in page
    assert stat.S_IMODE(Path("private.html").stat().st_mode) == 0o600
    assert {entry.name for entry in Path("release").iterdir()} == {"records.parquet", "manifest.json", "report.html"}


@pytest.mark.parametrize(
    "place", ["release/private.html", "release", "release/deeper/private.html", "./x/../release/private.html", "link/private.html"]
)
def test_a_path_inside_the_release_is_refused_before_the_work(desk: Shell, place: str) -> None:
    Path("x").mkdir()
    Path("link").symlink_to("release")
    answer = asked(desk, place)
    assert answer.code == 1
    assert "is inside a release, but this page is not for publication" in answer.err
    assert not Path("release").exists()


def test_a_path_inside_another_release_is_refused(desk: Shell) -> None:
    assert desk("anonymize", "input.csv", *WORDS, "--unknown", "keep", "--out", "other").code == 0
    assert "is inside a release" in asked(desk, "other/private.html").err
    assert not Path("release").exists()


@pytest.mark.parametrize("manifest", ['{"name": "a web application"}', "[1]", "7", "not JSON", "[" * 100_000])
def test_a_manifest_of_something_else_makes_no_release(desk: Shell, manifest: str) -> None:
    desk.file("manifest.json", manifest)
    answer = asked(desk, "private.html")
    assert answer.code == 0, answer.everything
    assert Path("private.html").exists()


def test_a_file_that_is_there_is_replaced_only_if_asked(desk: Shell) -> None:
    desk.file("private.html", "mine")
    assert "exists already" in asked(desk, "private.html").err
    assert Path("private.html").read_text() == "mine"
    assert asked(desk, "private.html", "--force").code == 0
    assert "NOT FOR PUBLICATION" in Path("private.html").read_text()


def test_a_page_that_cannot_be_written_is_found_before_the_work(desk: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(target: Path) -> Path:
        raise OSError(errno.EROFS, "read-only")

    monkeypatch.setattr(atomic_file.unfinished, "begin", full)
    answer = asked(desk, "private.html")
    assert answer.code == 1
    assert "private.html cannot be written" in answer.err
    assert not Path("release").exists()


def test_a_page_that_fails_after_the_release_says_that_the_release_is_there(desk: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: atomic_file.PrivateFile, page: str) -> None:
        raise OutputError("private.html cannot be written", code="output-failed")

    monkeypatch.setattr(atomic_file.PrivateFile, "write", full)
    answer = asked(desk, "private.html")
    assert answer.code == 1
    assert "release is verified and written, but private.html cannot be written" in answer.err
    assert desk("audit", "release").code == 0


def test_methods_that_publish_no_records_refuse_it(desk: Shell) -> None:
    desk.file("log.csv", "user,query\na,x\nb,x\n")
    answer = desk("anonymize", "log.csv", "--method", "infrequent", "--k", "2", "--out", "rows", "--private-report", "private.html")
    assert answer.code == 1
    assert "--private-report shows records" in answer.err
