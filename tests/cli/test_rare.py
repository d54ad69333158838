"""What few people hold is counted, and named only with --show-rare; what is published raw or looks like a formula is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers.cli import Shell, last_line
from shoal.kinds.bags.read import read_records
from shoal.privacy.coherence import Coherence

RARE = "zqrare"


def baskets(shell: Shell) -> None:
    """Ten people who hold beer, one of whom holds something that nobody else does."""
    shell.file("baskets.txt", f"beer,{RARE}\n" + "beer,wine\n" * 9)


COMMAND = ["anonymize", "baskets.txt", "--format", "transactions", "--taxonomy", "generated", "--method", "coherence", "--out", "r"]


def failing(shell: Shell) -> dict[str, list[str]]:
    """Commands that fail, or complain, because of an item of one person."""
    baskets(shell)
    shell.file("weights.tsv", "beer\t1\nwine\t2\n")
    shell.file("private.txt", f"{RARE}\n")
    shell.file("both.txt", f"beer\n{RARE}\n")
    shell.file("tree.json", json.dumps({"drink": ["beer", "wine"]}))
    return {
        "an item without a weight": [*COMMAND, "--il", "weights", "--weights", "weights.tsv"],
        "an item both public and private": [*COMMAND, "--private", "private.txt", "--public", "both.txt"],
        "a private item too frequent": [*COMMAND, "--private", "private.txt", "--h", "0.05"],
        "an audit": ["audit", "baskets.txt", "--claim", "coherence(k=2, p=2)"],
        "an audit as JSON": ["audit", "baskets.txt", "--claim", "coherence(k=2, p=2)", "--json"],
        "coverage": ["taxonomy", "coverage", "tree.json", "baskets.txt", "--format", "transactions"],
        "coverage as JSON": ["taxonomy", "coverage", "tree.json", "baskets.txt", "--format", "transactions", "--json"],
    }


CASES = [
    "an item without a weight",
    "an item both public and private",
    "a private item too frequent",
    "an audit",
    "an audit as JSON",
    "coverage",
    "coverage as JSON",
]


@pytest.mark.parametrize("name", CASES)
def test_an_item_of_one_person_is_named_only_if_asked_for(shell: Shell, name: str):
    words = failing(shell)[name]
    silent, told = shell(*words), shell(*words, "--show-rare")
    assert RARE not in silent.everything
    assert RARE in told.everything
    assert silent.code == told.code
    if not name.endswith("JSON"):
        assert "--show-rare" in silent.everything


def test_a_release_that_fails_its_claim_names_no_items(shell: Shell, monkeypatch: pytest.MonkeyPatch):
    """The claim lists private items, and its witnesses are sets of few people; neither is in the message."""
    baskets(shell)
    shell.file("private.txt", f"{RARE}\n")
    judge = Coherence.check
    stricter = Coherence(h=0.05, k=2, p=2, private=[RARE])
    monkeypatch.setattr(Coherence, "check", lambda self, release, original=None: judge(stricter, release))
    words = [*COMMAND, "--k", "2", "--h", "0.9", "--private", "private.txt"]
    silent = shell(*words)
    assert silent.code == 3, silent
    assert RARE not in silent.everything
    assert "private=1 item" in last_line(silent.err)
    assert shell(*words, "--show-rare").code == 3
    assert "r" not in shell.names()


def test_public_alone_is_warned_of_before_the_work(shell: Shell, monkeypatch: pytest.MonkeyPatch):
    baskets(shell)
    shell.file("public.txt", "beer\n")
    shell.file("private.txt", "wine\n")
    for method in ("coherence", "tds"):
        words = ["anonymize", "baskets.txt", "--format", "transactions", "--taxonomy", "generated", "--method", method, "--k", "2"]
        answer = shell(*words, "--public", "public.txt", "--out", f"alone-{method}")
        assert answer.err.startswith("warning: with --public alone, all other items are private")
        both = shell(*words, "--public", "public.txt", "--private", "private.txt", "--out", f"both-{method}")
        assert "warning" not in both.err


def test_notes_come_before_the_work(shell: Shell, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """How the input was understood is said before the method runs, in a pipe too."""
    baskets(shell)
    seen: list[str] = []

    def look(*_: object, **__: object) -> None:
        seen.append(capsys.readouterr().err)
        raise KeyboardInterrupt

    monkeypatch.setattr("shoal.pipeline.job.anonymize", look)
    shell(*COMMAND)
    assert "each line is the record of one person" in seen[0]


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)"])
def test_names_that_a_spreadsheet_takes_for_formulas_are_said_and_read_back(shell: Shell, name: str):
    shell.file("baskets.txt", f"{name},wine\n" * 3)
    words = ["anonymize", "baskets.txt", "--format", "transactions", "--sep", ",", "--taxonomy", "generated", "--k", "2"]
    made = shell(*words, "--to", "csv", "--out", "sheet")
    assert made.code == 0, made.err
    note = "1 text begins with =, +, -, @ or a tab: a spreadsheet may run such a cell of the CSV as a formula"
    assert f"warning: {note}" in made.err
    assert note in Path("sheet/report.html").read_text()
    assert any(told.startswith(note) and "write xlsx" in told for told in json.loads(Path("sheet/manifest.json").read_text())["notes"])
    assert note in shell(*words, "--to", "csv", "--out", "json", "--json").err
    assert read_records(Path("sheet/records.csv"))[0].to_polars().to_list() == [[name, "wine"]] * 3
    other = shell(*words, "--to", "jsonl", "--out", "lines")
    assert other.code == 0
    assert "spreadsheet" not in other.err
