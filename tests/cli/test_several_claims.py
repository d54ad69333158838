"""Releases that claim several models, and audits by several models."""

from __future__ import annotations

import json

import pytest

import shoal
from helpers.cli import Shell, failed, one_line
from helpers.errors import refuses

MADE = (
    "anonymize",
    "baskets.txt",
    "--format",
    "transactions",
    "--taxonomy",
    "food.csv",
    "--method",
    "km",
    "--k",
    "3",
    "--m",
    "2",
    "--to",
    "csv",
)
FURTHER = ("--claim", "km-anonymity(k=4, m=1)", "--claim", "k-anonymity(k=2)")


@pytest.fixture
def pantry(shell: Shell, kitchen: Shell) -> Shell:
    """Baskets of which fruit and meat are bought together by many, so that several models can hold."""
    shell.file("baskets.txt", "Apple,Beef\n" * 6 + "Orange,Beef\n" * 5 + "Milk\n" * 4)
    return shell


def test_a_release_makes_the_claims_that_were_asked_for(pantry: Shell) -> None:
    answer = pantry(*MADE, "--out", "two", *FURTHER, "--json")
    assert answer.code == 0, answer.everything
    claims = json.loads(answer.out)["claims"]
    assert [claim["model"] for claim in claims] == ["km-anonymity(k=3, m=2)", "km-anonymity(k=4, m=1)", "k-anonymity(k=2)"]
    assert all(claim["verdict"] == "verified" for claim in claims)
    for original in ([], ["--original", "baskets.txt", "--taxonomy", "food.csv"]):
        told = pantry("audit", "two", "-v", *original)
        assert told.code == 0, told.everything
        assert all(claim["model"] in told.out for claim in claims)
        assert "3 claims checked" in told.out


def test_a_release_that_fails_a_further_claim_is_not_written(pantry: Shell) -> None:
    before = pantry.names()
    answer = pantry(*MADE, "--out", "none", "--claim", "k-anonymity(k=6)")
    assert "fails k-anonymity(k=6)" in one_line(answer, 3)
    assert pantry.names() == before


def test_a_further_claim_that_was_struck_from_the_file_or_broken_is_found(pantry: Shell) -> None:
    assert pantry(*MADE, "--out", "two", *FURTHER).code == 0
    records = pantry.directory / "two" / "records.csv"
    lines = records.read_text().splitlines()
    records.write_text("\n".join(line for line in lines if "Milk" not in line) + "\n1,Milk\n")
    answer = pantry("audit", "two", "--json")
    assert answer.code == 3
    assert [claim["holds"] for claim in json.loads(answer.out)["claims"]] == [False, False, False]


def test_an_audit_by_several_models_reports_each(pantry: Shell) -> None:
    pantry.file("other.txt", "a,b\n" * 4 + "a,c\n" * 2)
    question = ("audit", "other.txt", "--claim", "k-anonymity(k=2)", "--claim", "k-anonymity(k=3)", "--claim", "km-anonymity(k=2, m=2)")
    answer = pantry(*question, "--json")
    assert answer.code == 3
    assert [claim["holds"] for claim in json.loads(answer.out)["claims"]] == [True, False, True]
    assert pantry(*question[:4], *question[6:]).code == 0


def test_the_same_claim_is_made_once(pantry: Shell) -> None:
    answer = pantry(*MADE, "--out", "two", "--claim", "km-anonymity(k=3, m=2)", "--json")
    assert len(json.loads(answer.out)["claims"]) == 1


def test_claims_in_a_file_of_options_serve_release_and_audit(pantry: Shell) -> None:
    pantry.file(
        "options.toml", 'claim = ["km-anonymity(k=4, m=1)"]\ntaxonomy = "food.csv"\nformat = "transactions"\nk = 3\nm = 2\nmethod = "km"\n'
    )
    assert pantry("anonymize", "baskets.txt", "--config", "options.toml", "--out", "two").code == 0
    told = json.loads(pantry("audit", "two", "--config", "options.toml", "--json").out)
    assert [claim["model"] for claim in told["claims"]] == ["km-anonymity(k=3, m=2)", "km-anonymity(k=4, m=1)"]
    pantry.file("options.toml", 'claim = ["k-anonymity(k=99)"]\n')
    assert pantry("audit", "two", "--config", "options.toml").code == 3


def test_claims_that_cannot_be_made(pantry: Shell) -> None:
    pantry.file("private.txt", "Beef\n")
    begun = (*MADE, "--out", "none", "--claim")
    failed(pantry(*begun, "microdata-k-anonymity(k=3)"), "claim-not-applicable")
    failed(pantry(*begun, "nonsense(k=3)"), "unknown-model", value="nonsense")
    line = one_line(pantry(*begun, "coherence(k=3, private=private.txt)"))
    assert "claims are published" in line and "Beef" not in line
    assert "none" not in pantry.names()


def test_in_python(pantry: Shell) -> None:
    data = [["Apple", "Beef"]] * 6 + [["Milk"]] * 4
    goods = {"Food": {"Fruit": ["Apple"], "Meat": ["Beef"], "Dairy": ["Milk"]}}
    result = shoal.anonymize(data, "km", k=3, taxonomy=goods, claim=["k-anonymity(k=4)"])
    assert [verdict.claim for verdict in result.verdicts] == ["km-anonymity(k=3, m=2)", "k-anonymity(k=4)"]
    with refuses("claim-fails"):
        shoal.anonymize(data, "km", k=3, taxonomy=goods, claim="k-anonymity(k=5)")
