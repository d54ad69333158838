"""The commands beside anonymize and audit, and what they say."""

from __future__ import annotations

import json

import pytest

from helpers.cli import Shell, failed, one_line

# -- demo


def test_the_demo_replaces_a_release(shell: Shell):
    assert shell("generate", "log.tsv", "--users", "20").code == 0
    assert shell("anonymize", "log.tsv", "--k", "2", "--out", "demo-release").code == 0
    (shell.directory / "log.tsv").unlink()
    answer = shell("demo")
    assert answer.code == 0, answer.err
    for said in ("input  ", "published", "utility  ", "k-anonymity(k=5) verified", "demo-release/report.html"):
        assert said in answer.out
    assert shell.names() == {"demo-release"}
    assert shell("audit", "demo-release").code == 0


def test_the_demo_replaces_releases_only(shell: Shell):
    (shell.directory / "demo-release").mkdir()
    shell.file("demo-release/diary.txt", "mine")
    assert "diary.txt" in failed(shell("demo"), "directory-has-other-files")
    assert (shell.directory / "demo-release" / "diary.txt").read_text() == "mine"
    failed(shell("demo", "--out", "no/where"), "no-such-directory")
    assert "--k" in one_line(shell("demo", "--k", "1"))


# -- generate


def test_a_log_is_generated_and_not_overwritten(shell: Shell):
    assert shell("generate", "log.tsv", "--users", "20", "--seed", "3").code == 0
    first = (shell.directory / "log.tsv").read_bytes()
    assert "log.tsv" in failed(shell("generate", "log.tsv", "--users", "20"), "output-exists")
    assert shell("generate", "log.tsv", "--users", "20", "--seed", "3", "--force").code == 0
    assert (shell.directory / "log.tsv").read_bytes() == first
    assert shell("anonymize", "log.tsv", "--out", "release").code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["log.tsv", "--users", "0"], "users must be at least 1"),
        (["log.tsv", "--users", "many"], "users must be a whole number"),
        (["no/log.tsv"], "there is no directory"),
        (["folder", "--force"], "folder is a directory"),
        (["log.parquet"], "cannot be written as .parquet"),
    ],
)
def test_a_log_that_cannot_be_generated(shell: Shell, words: list[str], said: str):
    (shell.directory / "folder").mkdir()
    assert said in one_line(shell("generate", *words))
    assert shell.names() == {"folder"}


# -- measure


def test_recorded_and_measured_numbers_agree(kitchen: Shell):
    recorded = json.loads(kitchen("measure", "release", "--json").out)
    measured = json.loads(kitchen("measure", "release", "--original", "baskets.txt", "--taxonomy", "food.csv", "--json").out)
    assert recorded == json.loads((kitchen.directory / "release" / "manifest.json").read_text())["metrics"]
    assert {"loss", "ggd", "mean_length", "mean_level"} <= set(measured)
    for name, value in measured.items():
        assert value == pytest.approx(recorded[name]), name
    assert json.loads(kitchen("measure", "release", "-m", "ncp", "--json").out) == {"ncp": recorded["ncp"]}


def test_what_cannot_be_measured(kitchen: Shell):
    failed(kitchen("measure", "release", "-m", "ncp", "--original", "baskets.txt", "--taxonomy", "food.csv"), "mapping-not-recorded")
    failed(kitchen("measure", "release", "-m", "beauty"), "unknown-metric", value="beauty")
    failed(kitchen("measure", "release/records.csv"), "metrics-not-recorded")
    assert "--original" in failed(kitchen("measure", "release", "--taxonomy", "food.csv"), "option-not-applicable")
    line = one_line(kitchen("measure", "release", "--original", "baskets.txt", "--taxonomy", "wordnet"))
    assert "published items are not names from the original" in line


# -- taxonomy


def test_a_taxonomy_is_checked_and_drawn(kitchen: Shell):
    checked = json.loads(kitchen("taxonomy", "check", "food.csv", "--json").out)
    assert (checked["nodes"], checked["leaves"], checked["height"], checked["root"]) == (12, 8, 2, "Food")
    drawn = kitchen("taxonomy", "show", "food.csv", "Meat")
    assert drawn.out.splitlines() == ["Meat (2 leaves)", "├── Beef", "└── Chicken"]
    assert "did you mean 'Beef'?" in one_line(kitchen("taxonomy", "show", "food.csv", "Beeef"))
    failed(kitchen("taxonomy", "check", "generated"), "taxonomy-needs-data")
    failed(kitchen("taxonomy", "check", "nowhere"), "file-not-found")


def test_coverage_counts_and_lists_what_is_missed(kitchen: Shell):
    kitchen.file("more.txt", "Apple,Wine\nWine,Water\nMilk\n")
    told = json.loads(kitchen("taxonomy", "coverage", "food.csv", "more.txt", "--show-rare", "--json").out)
    assert (told["terms"], told["terms_covered"], told["occurrences"], told["occurrences_covered"]) == (4, 2, 5, 2)
    assert told["missing"] == [["Wine", 2], ["Water", 1]]
    assert told["records_uncovered"] == 1


def test_coverage_says_what_is_covered_by_what(kitchen: Shell):
    assert kitchen("taxonomy", "coverage", "food.csv", "baskets.txt").out.startswith("Coverage of baskets.txt by food.csv\n")


# -- anonymize, as it is shown


def test_one_is_not_several(kitchen: Shell):
    kitchen.file("two.txt", "Apple\nApple\nWine\nWine\n")
    words = ["--format", "transactions", "--taxonomy", "food.csv", "--unknown", "keep", "--k", "2", "-v", "--out", "few"]
    shown = kitchen("anonymize", "two.txt", *words).out
    assert "4 records of 4 people, 2 distinct items" in shown
    assert "1 item, 2 occurrences (keep)" in shown
    kitchen.file("one.txt", "Apple\nApple\n")
    assert "2 people, 1 distinct item\n" in kitchen("anonymize", "one.txt", *words[:-1], "fewer").out


def test_the_outcome_tells_the_whole_story(kitchen: Shell):
    answer = kitchen(
        "anonymize", "baskets.txt", "--taxonomy", "food.csv", "--method", "clump", "--k", "40", "--floor", "1", "--out", "all", "-v"
    )
    assert answer.code == 0
    shown = {line.split("  ")[0]: line for line in answer.out.splitlines()}
    assert "40 records of 40 people" in shown["input"]
    assert "40 records in 1 group of identical records," in shown["published"]
    assert "verified: every published record belongs to at least 40 people" in shown["k-anonymity(k=40)"]
    assert "distinct=no" in " ".join(answer.out.split())
    assert shown["report"].endswith("all/report.html")
    assert "items separated by comma (detected)" in answer.err


@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl", "transactions"])
def test_every_form_is_written_and_audited(kitchen: Shell, form: str):
    words = ["anonymize", "baskets.txt", "--taxonomy", "food.csv", "--k", "3", "--to", form, "--out", form]
    assert kitchen(*words).code == 0
    assert kitchen("audit", form, "--original", "baskets.txt", "--taxonomy", "food.csv").code == 0


def test_clump_as_printed_and_by_length_are_verified_and_audited(kitchen: Shell):
    """Four baskets of which BUIG, record by record, makes <Food,Fruit> instead of <Fruit,Fruit>: GGD 4 (1 + 1/2) + 2, not 4 (2/2) + 2."""
    kitchen.file("four.txt", "Orange,Apple\nOrange,Banana,Milk\nBanana,Apple,Beef\nOrange,Apple\n")
    found = {}
    for name, words in {"exact": [], "printed": ["--lcg", "printed"], "length": ["--r-by", "length"]}.items():
        words += ["--criterion", "total", "--ties", "given", "--floor", "1", "--node-loss", "lm", "--to", "csv", "--out", name]
        made = kitchen("anonymize", "four.txt", "--taxonomy", "food.csv", "--method", "clump", "--k", "4", *words)
        assert made.code == 0, made.everything
        assert kitchen("audit", name, "--original", "four.txt", "--taxonomy", "food.csv").code == 0
        found[name] = json.loads(kitchen("measure", name, "--metric", "ggd", "--json").out)["ggd"]
    assert found == pytest.approx({"exact": 6, "printed": 8, "length": 6})


def test_transaction_lines_with_a_separator_of_choice(kitchen: Shell):
    words = ["anonymize", "baskets.txt", "--taxonomy", "food.csv", "--k", "3", "--to", "transactions", "--to-sep", "|", "--out", "bars"]
    assert kitchen(*words).code == 0
    assert "|" in (kitchen.directory / "bars" / "records.txt").read_text()
    assert kitchen("audit", "bars").code == 0
