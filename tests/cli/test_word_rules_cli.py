"""Terms of several words and related nouns through the command line: --terms, its accounts, audits and refusals."""

from __future__ import annotations

import json

import polars as pl
import pytest

from helpers.cli import Shell, failed
from helpers.tampering import put

FIRST, SECOND = ("hot dog", "pregnant", "cheap", "justin bieber"), ("stand", "women", "hotels", "songs")
RULES = ("--terms", "domains,phrases,collocations,related")


@pytest.fixture
def log(shell: Shell) -> Shell:
    """28 people with five queries each; their second words vary. One also has a word of her own."""
    rows = [(f"p{p}", f"2006-03-01 1{q}:00:00", f"{one} {SECOND[(p + q) % 4]}") for p in range(28) for q, one in enumerate(FIRST)]
    rows += [(f"p{p}", "2006-03-01 18:00:00", "www.ebay.com") for p in range(28)]
    rows.append(("p0", "2006-03-01 19:00:00", "old zqcanary"))
    shell.file("log.tsv", "user\ttime\tquery\n" + "".join("\t".join(row) + "\n" for row in rows))
    return shell


def test_terms_are_published_counted_and_audited(log: Shell) -> None:
    log("anonymize", "log.tsv", "--k", "3", *RULES, "--out", "release")
    manifest = json.loads((log.directory / "release" / "manifest.json").read_text())
    assert manifest["input"]["word_rules"] == "domains,phrases,collocations:10,related"
    words = manifest["accounting"]["words"]
    assert words["joined to the word before"] == 3 * 28  # dog, bieber, com
    assert words["placed by a related noun"] == 2 * 28  # pregnant, cheap
    assert words["in"] == sum(n for name, n in words.items() if name != "in")
    published = {item for record in pl.read_parquet(log.directory / "release" / "records.parquet")["items"] for item in record}
    assert {"justin bieber", "ebay.com"} <= published
    assert not {"hot", "dog", "justin", "bieber", "zqcanary"} & published
    assert "all claims hold" in log("audit", "release", "--original", "log.tsv").out

    put("input.word_rules", "related")(log.directory / "release")
    assert log("audit", "release").code == 3


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--terms", "phrase"), "unknown-choice"),
        (("--terms", "collocations:1"), "out-of-range"),
        (("--terms", "related", "--taxonomy", "topics"), "option-not-applicable"),
        (("--terms", "collocations", "--memory", "1G"), "options-conflict"),
        (("--terms", "phrases", "--method", "infrequent"), "option-not-applicable"),
    ],
)
def test_rules_that_do_not_apply_are_refused(log: Shell, options: tuple[str, ...], code: str) -> None:
    failed(log("anonymize", "log.tsv", "--k", "3", *options, "--out", "release"), code)


def test_items_have_no_words(shell: Shell) -> None:
    shell.file("baskets.csv", "hot dog,bread\n" * 6)
    rules = ("--format", "transactions", "--sep", ",", "--terms", "phrases", "--taxonomy", "generated")
    failed(shell("anonymize", "baskets.csv", "--k", "3", *rules, "--out", "r"), "option-not-applicable")


def test_other_commands_know_the_rules(log: Shell) -> None:
    looked = json.loads(log("look", "log.tsv", "--json", *RULES).out)
    plain = json.loads(log("look", "log.tsv", "--json").out)
    assert looked["occurrences"] == plain["occurrences"] - 2 * 28  # hot dog, justin bieber; ebay.com is one term as ebay is
    edges = log("taxonomy", "learn", "log.tsv", "--people", "5", "--terms", "phrases,collocations").out
    assert "justin bieber" in edges.lower()
