"""Records taken apart, as a user meets them: made, audited, measured, tampered with, and handed out as reconstructions."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from helpers.cli import Shell
from helpers.tampering import seal

SEARCHES = "\n".join(["a b", "a b c", "a c", "b c", "c d", "d e", "d e", "a b e"] * 6 + ["a name", "5551234567"]) + "\n"
PHONE = "5551234567"
MAKE = ("anonymize", "searches.txt", "--format", "transactions", "--method", "disassociation", "--k", "3", "--to", "csv")


@pytest.fixture
def searches(shell: Shell) -> Shell:
    shell.file("searches.txt", SEARCHES)
    return shell


@pytest.fixture
def made(searches: Shell) -> Shell:
    """As in the paper: rare words are published."""
    answer = searches(*MAKE, "--rare-words", "publish", "--out", "release")
    assert answer.code == 0, answer
    assert "warning: items of fewer than 3 people, such as names and phone numbers, are published as typed" in answer.err
    return searches


def manifest_of(shell: Shell, release: str = "release") -> dict[str, Any]:
    return json.loads((shell.directory / release / "manifest.json").read_text())


def everything_in(directory: Path) -> str:
    return "".join(file.read_text() for file in directory.iterdir())


def test_words_of_few_people_are_withheld_and_counted_by_default(searches: Shell) -> None:
    answer = searches(*MAKE, "--out", "release", "-v")
    assert answer.code == 0, answer
    assert "warning" not in answer.err
    assert "2 suppressed: rare items" in " ".join(answer.out.split())
    assert "100% of the items" not in answer.out
    assert re.search(r"word-support\(k=3\) verified: every published item belongs to at least \d+ people", " ".join(answer.out.split()))
    told = manifest_of(searches)
    assert told["accounting"]["occurrences"]["suppressed: rare items"] == 2
    assert told["accounting"]["records"] == {"in": 50, "published": 49, "withheld: nothing left": 1}
    assert told["metrics"]["kept"] == pytest.approx(1 - 2 / 111)
    assert told["parameters"]["rare_words"] == "withhold"
    words = everything_in(searches.directory / "release")
    assert PHONE not in words
    assert "a,name" not in words and "name" not in everything_in_tables(searches.directory / "release")
    assert "suppressed: rare items" in words
    audit = searches("audit", "release", "--original", "searches.txt", "--json")
    assert audit.code == 0, audit
    assert {claim["model"].split("(")[0]: claim["verdict"] for claim in json.loads(audit.out)["claims"]} == {
        "disassociated-km-anonymity": "verified",
        "word-support": "verified",
    }
    alone = json.loads(searches("audit", "release", "--json").out)
    assert alone["holds"]


def test_a_further_claim_does_not_hide_what_is_not_checked(searches: Shell) -> None:
    """Words are counted by one claim; which records a cluster has by none."""
    assert searches(*MAKE, "--out", "release").code == 0
    clusters = "cluster (which records a cluster has)"
    alone = json.loads(searches("audit", "release", "--json").out)
    assert alone["not_checked"][:2] == ["item (those of term chunks, published as they are)", clusters]
    assert json.loads(searches("audit", "release", "--original", "searches.txt", "--json").out)["not_checked"][:1] == [clusters]


def everything_in_tables(directory: Path) -> str:
    return "".join(file.read_text() for file in directory.glob("*.csv"))


def test_people_are_counted_where_they_are_known(shell: Shell) -> None:
    """Three records of one person hold a word that nobody else has."""
    rows = [f"{user},milk" for user in range(6)] + ["7,secret", "7,secret"] + ["7,secret"]
    shell.file("visits.csv", "user,item\n" + "\n".join(rows) + "\n")
    words = ("anonymize", "visits.csv", "--format", "table", "--per", "event", "--method", "disassociation", "--k", "3", "--to", "csv")
    answer = shell(*words, "--out", "release")
    assert answer.code == 0, answer
    assert "secret" not in everything_in(shell.directory / "release")
    assert manifest_of(shell)["accounting"]["occurrences"]["suppressed: rare items"] == 3


def test_a_rare_word_that_was_put_back_is_seen_with_the_original(searches: Shell) -> None:
    assert searches(*MAKE, "--out", "release").code == 0
    terms = searches.directory / "release" / "chunks_terms.csv"
    terms.write_text(terms.read_text().rstrip("\n") + f"\n1,{PHONE}\n")
    answer = searches("audit", "release", "--original", "searches.txt", "--claim", "word-support(k=3)")
    assert answer.code == 3, answer
    assert "1 published item of fewer than 3 people" in " ".join(answer.out.split())
    assert PHONE not in answer.everything
    assert PHONE in searches("audit", "release", "--original", "searches.txt", "--claim", "word-support(k=3)", "--show-rare").out


def test_a_word_that_too_few_records_can_hold_fails_without_the_original(searches: Shell) -> None:
    """The files bound the number of records: a word that is in no term chunk is in as many records as the chunks show."""
    assert searches(*MAKE, "--out", "release").code == 0
    answer = searches("audit", "release", "--claim", "word-support(k=30)")
    assert answer.code == 3, answer
    assert "in fewer than 30 records" in " ".join(answer.out.split())


def test_all_words_are_published_where_that_was_chosen_and_the_audit_agrees(made: Shell) -> None:
    manifest = manifest_of(made)
    assert manifest["metrics"]["kept"] == 1
    assert manifest["claims"][0]["verdict"] == "verified"
    assert manifest["notes"] == ["WARNING: 2 items of fewer than 3 people are published as typed"]
    assert "2 items of fewer than 3 people are published as typed" in (made.directory / "release" / "report.html").read_text()
    assert "WARNING: 2 items of fewer than 3 people are published as typed" in made("audit", "release").out
    for words in ((), ("--original", "searches.txt")):
        answer = made("audit", "release", *words, "--json")
        assert answer.code == 0, answer
        assert json.loads(answer.out)["claims"][0]["verdict"] == "verified"
    answer = made("measure", "release", "--original", "searches.txt", "--metric", "pair_recall", "--metric", "pair_error", "--json")
    assert answer.code == 0, answer
    assert set(json.loads(answer.out)) >= {"pair_recall", "pair_error"}
    assert "Record parts" in (made.directory / "release" / "report.html").read_text()


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
    answer = made(*MAKE[:-4], "--k", "51", "--out", "other")
    assert answer.code == 1, answer
    assert "a group needs 51 people, but the data has only 50" in answer.err
    assert made.names() == before


def records(file: Path) -> list[str]:
    return sorted(line.split(",", 1)[1] for line in file.read_text().splitlines()[1:])


def test_reconstructions_are_drawn_from_a_release_that_holds(made: Shell) -> None:
    for out, seed in (("one", "5"), ("same", "5"), ("other", "6")):
        answer = made("reconstruct", "release", "--out", out, "--number", "2", "--seed", seed)
        assert answer.code == 0, answer
        assert "verified for the chunks" in answer.out
    one, same, other = (records(made.directory / out / "reconstruction_1.csv") for out in ("one", "same", "other"))
    assert one == same != other
    assert len(one) == 50
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


def test_a_reconstruction_that_exists_is_refused_without_a_hint_at_an_option_that_is_not_there(made: Shell) -> None:
    assert made("reconstruct", "release", "--out", "drawn").code == 0
    answer = made("reconstruct", "release", "--out", "drawn")
    assert answer.code == 1, answer
    assert "choose another directory" in answer.err
    assert "--force" not in answer.err
    assert "--force" not in made("reconstruct", "--help").out


def test_the_warning_about_rare_words_cannot_be_deleted(made: Shell) -> None:
    told = manifest_of(made)
    told["notes"] = []
    seal(made.directory / "release", told)
    warning = "items of a single person may be published as typed"
    assert warning in " ".join(made("audit", "release").out.split())
    assert any(warning in text for text in json.loads(made("audit", "release", "--json").out)["warnings"])
    assert made(*MAKE, "--out", "safe").code == 0
    assert warning not in " ".join(made("audit", "safe").out.split())


def test_a_comparison_warns_of_rare_words(made: Shell) -> None:
    read = ("--format", "transactions", "--k", "3", "--json")
    cell = json.loads(made("compare", "searches.txt", *read, "--methods", "disassociation(rare_words=publish)", "--out", "table").out)
    assert "items of fewer than 3 people are published as typed" in json.dumps(cell)
