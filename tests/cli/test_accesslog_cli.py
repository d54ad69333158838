"""Access logs typed at the command line: announced, read, and released page by page by the methods that take records."""

from __future__ import annotations

import json

import pytest

from helpers.accesslog import visits
from helpers.cli import Shell


@pytest.mark.parametrize("per", ["user", "session", "event"])
@pytest.mark.parametrize("method", ["shoal", "clump", "partition"])
def test_methods_of_records_run_on_visited_pages(shell: Shell, method: str, per: str) -> None:
    log = shell.file("access.log", visits(12, sessions=2))
    words = ("anonymize", log, "--method", method, "--k", "3", "--taxonomy", "paths", "--per", per)
    answer = shell(*words, "--floor", "1", "--out", shell.directory / "out")
    assert answer.code == 0, answer.everything
    assert "format accesslog, detected from its lines" in answer.err
    given = json.loads((shell.directory / "out" / "manifest.json").read_text())["input"]
    assert (given["format"], given["taxonomy"], given["owners"]) == ("accesslog", "paths", 12)
    assert given["records"] == {"user": 12, "session": 24, "event": 72}[per]
    assert shell("audit", shell.directory / "out", "--original", log).code == 0


def test_rare_pages_are_deleted_by_infrequent(shell: Shell) -> None:
    log = shell.file("access.log", visits(12))
    answer = shell("anonymize", log, "--method", "infrequent", "--k", "3", "--to", "csv", "--out", shell.directory / "out")
    assert answer.code == 0, answer.everything
    assert (shell.directory / "out" / "log.csv").read_text().startswith("item\n")


def test_words_have_no_paths(shell: Shell) -> None:
    baskets = shell.file("a.txt", "milk bread\ntea\nsalt wine tea\n")
    answer = shell("anonymize", baskets, "--format", "transactions", "--taxonomy", "paths", "--out", shell.directory / "out")
    assert answer.code == 1
    assert "no item is a path" in answer.err
