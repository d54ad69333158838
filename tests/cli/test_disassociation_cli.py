"""Records taken apart, as a user meets them: made, audited, measured, tampered with, and handed out as reconstructions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers_cli import Shell

SEARCHES = "\n".join(["a b", "a b c", "a c", "b c", "c d", "d e", "d e", "a b e"] * 6 + ["a name"]) + "\n"
MAKE = ("anonymize", "searches.txt", "--format", "transactions", "--method", "disassociation", "--k", "3", "--to", "csv")


@pytest.fixture
def made(shell: Shell) -> Shell:
    shell.file("searches.txt", SEARCHES)
    answer = shell(*MAKE, "--out", "release")
    assert answer.code == 0, answer
    return shell


def test_all_words_are_there_as_typed_and_the_audit_agrees(made: Shell) -> None:
    manifest = json.loads((made.directory / "release" / "manifest.json").read_text())
    assert manifest["metrics"]["kept"] == 1
    assert manifest["claims"][0]["verdict"] == "verified"
    for words in ((), ("--original", "searches.txt")):
        answer = made("audit", "release", *words, "--json")
        assert answer.code == 0, answer
        assert json.loads(answer.out)["claims"][0]["verdict"] == "verified"
    answer = made("measure", "release", "--original", "searches.txt", "--metric", "pair_recall", "--metric", "pair_error", "--json")
    assert answer.code == 0, answer
    assert set(json.loads(answer.out)) >= {"pair_recall", "pair_error"}
    assert "Parts of records" in (made.directory / "release" / "report.html").read_text()


def test_a_part_that_was_put_in_is_seen(made: Shell) -> None:
    file = made.directory / "release" / "chunks_subrecords.csv"
    lines = file.read_text().splitlines()
    cluster, chunk, *_ = lines[1].split(",")
    file.write_text("\n".join([*lines, f"{cluster},{chunk},999,name"]) + "\n")
    answer = made("audit", "release", "--original", "searches.txt")
    assert answer.code == 3, answer
    assert "fewer than 3 people" in " ".join(answer.out.split())


def test_too_few_people_are_told_and_nothing_is_written(made: Shell) -> None:
    before = made.names()
    answer = made(*MAKE[:-4], "--k", "50", "--out", "other")
    assert answer.code == 1, answer
    assert "49 people cannot be hidden among 50" in answer.err
    assert made.names() == before


def records(file: Path) -> list[str]:
    return sorted(line.split(",", 1)[1] for line in file.read_text().splitlines()[1:])


def test_reconstructions_are_drawn_from_a_release_that_holds(made: Shell) -> None:
    for out, seed in (("one", "5"), ("same", "5"), ("other", "6")):
        answer = made("reconstruct", "release", "--out", out, "--number", "2", "--seed", seed)
        assert answer.code == 0, answer
        assert "verified, of the chunks" in answer.out
    one, same, other = (records(made.directory / out / "reconstruction_1.csv") for out in ("one", "same", "other"))
    assert one == same != other
    assert len(one) == 49
    assert sorted(path.name for path in (made.directory / "one").iterdir()) == ["reconstruction_1.csv", "reconstruction_2.csv"]


def test_no_reconstruction_is_drawn_from_a_release_that_fails(made: Shell) -> None:
    terms = made.directory / "release" / "chunks_terms.csv"
    terms.write_text(terms.read_text().replace("name", "other"))
    before = made.names()
    answer = made("reconstruct", "release", "--out", "drawn")
    assert answer.code == 3, answer
    assert made.names() == before


def test_reconstructions_of_other_releases_are_refused(made: Shell) -> None:
    made("anonymize", "searches.txt", "--format", "transactions", "--method", "coherence", "--k", "3", "--out", "records")
    answer = made("reconstruct", "records", "--out", "drawn")
    assert answer.code == 1, answer
    assert "reconstructions are drawn from chunks" in answer.err
