"""An original is read as when the release was made: the manifest tells what was said of it, and typed options go before."""

from __future__ import annotations

import json

import pytest

from helpers_cli import Shell, one_line
from helpers_tampering import manifest_of, put

ROWS = "".join(f"{who};2006-03-01 10:00:00;{what}\n" for who in ("Ann", "ann", "Bob", "Cid") for what in ("milk", "beer"))
SAID = ["--user", "whose", "--item", "bought", "--sep", ";", "--owners", "folded", "--malformed", "0.4"]


@pytest.fixture
def made(shell: Shell) -> Shell:
    """A release of a file that cannot be read without a number of options."""
    shell.file("in.txt", "whose;when;bought\n" + ROWS + "broken\nbroken;too\n")
    answer = shell("anonymize", "in.txt", *SAID, "--taxonomy", "generated", "--k", "3", "--out", "release")
    assert answer.code == 0, answer.everything
    return shell


def test_the_manifest_tells_what_was_said(made: Shell):
    assert manifest_of(made.directory / "release")["input"]["reading"] == {
        "columns": {"user": "whose", "item": "bought"},
        "separator": ";",
        "owners": "folded",
        "malformed": 0.4,
    }
    assert "ann" not in (made.directory / "release" / "manifest.json").read_text().lower().replace("cannot", "")


def test_audit_and_measure_need_nothing_typed_again(made: Shell):
    answer = made("audit", "release", "--original", "in.txt")
    assert answer.code == 0, answer.everything
    assert "all claims hold" in answer.out
    loss = json.loads(made("measure", "release", "--original", "in.txt", "-m", "loss", "--json").out)["loss"]
    assert loss == pytest.approx(manifest_of(made.directory / "release")["metrics"]["loss"])


def test_what_is_typed_goes_before(made: Shell):
    exact = made("audit", "release", "--original", "in.txt", "--owners", "exact")
    assert exact.code == 3
    assert "input.owners: the manifest says 3, recomputed 4" in exact.out
    assert "malformed, more than 0%" in one_line(made("audit", "release", "--original", "in.txt", "--malformed", "0"))
    assert "'nobody'" in one_line(made("measure", "release", "--original", "in.txt", "--user", "nobody", "--item", "bought"))


def test_a_file_without_a_header(shell: Shell):
    shell.file("in.txt", ROWS.replace("ann", "Eve"))
    said = ["--user", "1", "--item", "3", "--sep", ";", "--no-header"]
    assert shell("anonymize", "in.txt", *said, "--taxonomy", "generated", "--k", "2", "--out", "release").code == 0
    told = manifest_of(shell.directory / "release")["input"]["reading"]
    assert told == {"columns": {"user": "1", "item": "3"}, "separator": ";", "header": False}
    assert shell("audit", "release", "--original", "in.txt").code == 0


def test_nothing_said_is_nothing_told(shell: Shell):
    shell.file("in.txt", "a\tb\na\tb\n")
    assert shell("anonymize", "in.txt", "--format", "transactions", "--taxonomy", "generated", "--k", "2", "--out", "release").code == 0
    assert "reading" not in manifest_of(shell.directory / "release")["input"]


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("columns", {"password": "x"}, "input.reading.columns.'password' is not a key"),
        ("columns", "whose", "input.reading.columns must be an object"),
        ("owners", "all", "input.reading.owners must be one of exact, folded"),
        ("malformed", 2, "input.reading.malformed must be a share from 0 to 1"),
        ("path", "/etc/passwd", "input.reading.'path' is not a key"),
        ("separator", ";;", "separator"),
        ("columns", {"text": "a", "item": "b"}, "not both"),
    ],
)
def test_a_forged_reading_is_refused(made: Shell, key: str, value: object, words: str):
    put(f"input.reading.{key}", value)(made.directory / "release")
    assert words in one_line(made("audit", "release", "--original", "in.txt"))
