"""Words are published as they were typed, or the renaming is counted: on the terminal, in the manifest and in the report."""

from __future__ import annotations

import json

import pytest

from helpers.cli import Shell, failed, one_line

LOG = "AnonID\tQuery\tQueryTime\n" + "".join(f"{n}\tautomobile flu\t2006-03-01 00:00:0{n}\n" for n in range(1, 4))


@pytest.fixture
def log(shell: Shell) -> Shell:
    (shell.directory / "log.tsv").write_text(LOG)
    return shell


def manifest(shell: Shell, release: str) -> dict:
    return json.loads((shell.directory / release / "manifest.json").read_text())


@pytest.mark.parametrize("method", ["coherence", "tds"])
@pytest.mark.parametrize("taxonomy", [[], ["--taxonomy", "none"], ["--taxonomy", "wordnet"]], ids=["default", "none", "wordnet"])
def test_a_method_that_needs_no_taxonomy_publishes_words_as_typed(log: Shell, method: str, taxonomy: list[str]) -> None:
    assert log("anonymize", "log.tsv", "--method", method, "--k", "2", "--to", "csv", "--out", "new", *taxonomy).code == 0
    text = (log.directory / "new" / "records.csv").read_text()
    assert text.count("automobile;flu") == 3
    assert "car" not in text
    assert "influenza" not in text
    told = manifest(log, "new")
    assert told["accounting"]["words"] == {"in": 6, "unchanged": 6}
    assert told["accounting"]["occurrences"] == {"in": 6, "kept": 6}
    assert told["input"]["names"] == "as typed"
    assert log("audit", "new", "--original", "log.tsv").code == 0


def test_renaming_is_counted_and_is_not_keeping(log: Shell) -> None:
    done = log("anonymize", "log.tsv", "--method", "clump", "--k", "3", "--to", "csv", "--out", "new", "-v")
    assert done.code == 0
    assert "car;influenza" in (log.directory / "new" / "records.csv").read_text()
    told = manifest(log, "new")
    assert told["accounting"]["words"] == {"in": 6, "under another name": 6}
    assert told["accounting"]["occurrences"] == {"in": 6, "renamed": 6}
    assert told["metrics"]["kept"] == 0.0
    assert "6 = 6 renamed" in done.out
    assert "renamed" in (log.directory / "new" / "report.html").read_text()


def test_stop_words_and_capitals_are_counted(shell: Shell) -> None:
    (shell.directory / "log.tsv").write_text(LOG.replace("automobile flu", "the Zyzzyx Car"))
    assert shell("anonymize", "log.tsv", "--method", "clump", "--k", "3", "--to", "csv", "--out", "new").code == 0
    words = manifest(shell, "new")["accounting"]["words"]
    assert words == {"in": 9, "lower-cased": 3, "not in the taxonomy": 3, "dropped: stop words and single letters": 3}
    occurrences = manifest(shell, "new")["accounting"]["occurrences"]
    assert occurrences == {"in": 6, "renamed": 6}  # Car as car, Zyzzyx as zyzzyx
    assert shell("anonymize", "log.tsv", "--method", "coherence", "--k", "3", "--to", "csv", "--out", "typed").code == 0
    assert "Car;Zyzzyx" in (shell.directory / "typed" / "records.csv").read_text()


def test_private_items_under_a_node_are_found_by_meaning(log: Shell) -> None:
    words = ["--method", "coherence", "--k", "2", "--h", "1", "--taxonomy", "wordnet", "--private", "under:illness"]
    assert log("anonymize", "log.tsv", *words, "--to", "csv", "--out", "new").code == 0
    assert manifest(log, "new")["claims"][0]["model"] == "coherence(h=1, k=2, p=2, private=items:flu)"


def test_refusals(log: Shell) -> None:
    shoal = ["anonymize", "log.tsv", "--k", "2", "--out", "new"]
    failed(log(*shoal, "--taxonomy", "none"), "needs-taxonomy")
    assert "--unknown is for records on a taxonomy" in one_line(log(*shoal, "--method", "tds", "--unknown", "drop"))
    (log.directory / "log.tsv").write_text(LOG.replace("flu", "automobile"))
    failed(log(*shoal, "--method", "tds", "--bag"), "repeated-items")
