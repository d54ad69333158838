"""dp-queries as a user types it: units, clicks, baskets, fresh noise, and no exact number anywhere."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import polars as pl
import pytest

import shoal
from helpers.cli import Shell

PEOPLE, NAMES = 2_347, 61  # numbers that nothing else in an output is likely to be
ROWS = 3 * PEOPLE + NAMES
BUDGET = ("--method", "dp-queries", "--epsilon", "3", "--delta", "1e-5", "--to", "csv")


@pytest.fixture
def log(shell: Shell) -> Shell:
    """Everybody asks three queries and clicks after one of them; a few ask for a name of their own; two rows are malformed."""
    lines = ["AnonID\tQuery\tQueryTime\tItemRank\tClickURL"]
    for user in range(PEOPLE):
        at = f"2006-03-01 07:{user % 60:02}:00"
        lines += [f"{user}\train today\t{at}\t1\thttp://rain.org", f"{user}\tcheap flights\t{at}\t\t", f"{user}\train boots\t{at}\t\t"]
    lines += [f"{user}\tmy name is {user}\t2006-03-02 08:00:00\t2\thttp://me{user}.org" for user in range(NAMES)]
    shell.file("log.tsv", "\n".join([*lines, "broken", "broken too"]) + "\n")
    return shell


def counts(shell: Shell, table: str = "counts", release: str = "release") -> pl.DataFrame:
    return pl.read_csv(shell.directory / release / f"{table}.csv")


@pytest.mark.parametrize("mechanism", ["policy", "weighted", "korolova"])
def test_queries_of_many_are_published_and_names_are_not(log: Shell, mechanism: str) -> None:
    answer = log("anonymize", "log.tsv", *BUDGET, "--mechanism", mechanism, "--cap", "3", "--out", "release")
    assert answer.code == 0, answer.everything
    assert "by construction" in answer.out
    found = counts(log)
    assert set(found["query"]) == {"rain today", "cheap flights", "rain boots"}
    assert ((found["count"] - PEOPLE).abs() < 200).all()
    for words in ((), ("--original", "log.tsv")):
        audited = log("audit", "release", *words, "--json")
        assert audited.code == 0, audited.everything
        assert json.loads(audited.out)["claims"][0]["verdict"] == "by construction"


def test_no_exact_number_is_told(log: Shell) -> None:
    answer = log("anonymize", "log.tsv", *BUDGET, "--out", "release", "--clicks", "0.3")
    place = log.directory / "release"
    manifest = json.loads((place / "manifest.json").read_text())
    assert manifest["counts"] == "withheld"
    assert manifest["accounting"] == manifest["metrics"] == {}
    page = (place / "report.html").read_text()
    for file in manifest["files"]:
        page = page.replace(file.pop("sha256"), "")
    manifest.pop("sha256")
    page = page.replace(page[page.index("<style") : page.index("</style>")], "")
    told = json.dumps(manifest) + page + answer.everything.replace(str(log.directory), "")
    for number in (PEOPLE, ROWS, ROWS + 2, PEOPLE - NAMES):
        assert f"{number:,}" not in told
        assert str(number) not in told
    assert "left out: unreadable rows; publishing their number would break the guarantee" in answer.err
    assert "lines" not in answer.err
    assert "not published: exact numbers would break the guarantee" in answer.out


def test_the_share_of_words_is_told_to_whoever_has_the_log(log: Shell) -> None:
    """Six words of everybody, four of a few who ask for a name of their own."""
    log("anonymize", "log.tsv", *BUDGET, "--out", "release")
    told = json.loads(log("measure", "release", "--original", "log.tsv", "--json").out)
    assert told["words_counted"] == pytest.approx(6 * PEOPLE / (6 * PEOPLE + 4 * NAMES))
    assert json.loads(log("measure", "release", "--json").out) == {}


def test_noise_is_fresh_while_the_budget_stays(log: Shell) -> None:
    manifests, drawn = [], []
    for name in ("one", "two"):
        log("anonymize", "log.tsv", *BUDGET, "--out", name)
        manifests.append(json.loads((log.directory / name / "manifest.json").read_text()))
        drawn.append(counts(log, release=name).sort("query")["count"].to_list())
    first, second = manifests
    assert drawn[0] != drawn[1]  # three counts with a deviation of about ten, alike once in thousands of runs
    for part in ("mechanism", "claims", "parameters", "input"):
        assert first[part] == second[part]
    assert "noise is random: another run gives other counts" in first["notes"]


def test_there_is_no_seed(log: Shell) -> None:
    assert log("anonymize", "log.tsv", *BUDGET, "--seed", "1", "--out", "release").code == 1


def test_clicks_of_published_queries(log: Shell) -> None:
    assert log("anonymize", "log.tsv", *BUDGET, "--clicks", "0.4", "--out", "release").code == 0
    assert set(counts(log, "clicks").select("query", "url").rows()) == {("rain today", "http://rain.org")}
    assert log("audit", "release", "--original", "log.tsv").code == 0


def test_clicks_need_a_column_of_urls_and_whole_queries(log: Shell) -> None:
    log.file("plain.csv", "user,query\n" + "".join(f"{user},rain\n" for user in range(300)))
    answer = log("anonymize", "plain.csv", *BUDGET, "--clicks", "0.4", "--out", "release")
    assert (answer.code, "no column of URLs" in answer.err) == (1, True)
    answer = log("anonymize", "log.tsv", *BUDGET, "--clicks", "0.4", "--unit", "term", "--out", "release")
    assert (answer.code, "clicks are counted for whole queries" in answer.err) == (1, True)


def test_terms_and_pairs_of_terms(log: Shell) -> None:
    assert log("anonymize", "log.tsv", *BUDGET, "--unit", "term", "--out", "terms").code == 0
    words = set(counts(log, release="terms")["term"])  # dozens also typed "name", which may be published or not
    assert {"rain", "today", "cheap", "flights", "boots"} <= words <= {"rain", "today", "cheap", "flights", "boots", "name"}
    assert log("anonymize", "log.tsv", *BUDGET, "--unit", "pair", "--out", "pairs").code == 0
    pairs = {("rain", "today"), ("cheap", "flights"), ("boots", "rain")}
    assert set(counts(log, release="pairs").select("first", "second").rows()) == pairs
    for release in ("terms", "pairs"):
        assert log("audit", release, "--original", "log.tsv").code == 0


def test_items_of_baskets_and_pairs_of_them(shell: Shell) -> None:
    shell.file("baskets.txt", "".join(f"bread milk own{i}\n" for i in range(400)))
    words = ("--format", "transactions", "--sep", " ", *BUDGET)
    assert shell("anonymize", "baskets.txt", *words, "--out", "items").code == 0
    assert set(counts(shell, release="items")["item"]) == {"bread", "milk"}
    assert shell("anonymize", "baskets.txt", *words, "--unit", "pair", "--out", "pairs").code == 0
    assert counts(shell, release="pairs").select("first", "second").rows() == [("bread", "milk")]
    for release in ("items", "pairs"):
        answer = shell("audit", release, "--original", "baskets.txt")
        assert answer.code == 0, answer.everything
    answer = shell("anonymize", "baskets.txt", *words, "--unit", "query", "--out", "release")
    assert (answer.code, "there is no query to count" in answer.err) == (1, True)


@pytest.mark.parametrize("format", ["csv", "parquet", "jsonl"])
def test_nothing_may_be_published_at_all(shell: Shell, format: str) -> None:
    """With three people nothing reaches the threshold; that is an outcome like any other, in every format."""
    shell.file("log.csv", "user,query\n1,rain\n2,rain\n3,rain\n")
    words = ("--method", "dp-queries", "--epsilon", "0.5", "--delta", "1e-9", "--to", format)
    answer = shell("anonymize", "log.csv", *words, "--out", "release")
    assert answer.code == 0, answer.everything
    assert "published  0 rows" in answer.out
    assert shell("audit", "release", "--original", "log.csv").code == 0


def test_weights_instead_of_counts(log: Shell) -> None:
    answer = log("anonymize", "log.tsv", *BUDGET, "--counts", "0", "--out", "release", "-v")
    assert "not a number of people" in " ".join(answer.out.split())
    assert (counts(log)["count"] < PEOPLE / 2).all()


def test_without_opendp_nothing_is_written(log: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opendp", None)
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    answer = log("anonymize", "log.tsv", *BUDGET, "--out", "release")
    assert answer.code == 1
    assert "pip install 'shoal-privacy[dp]'" in answer.err
    assert not (log.directory / "release").exists()


def test_from_python_and_from_a_config_file(log: Shell) -> None:
    result = shoal.anonymize(log.directory / "log.tsv", "dp-queries", epsilon=3.0, delta=1e-5)
    assert result.verdicts[0].standing == "by construction"
    assert set(result.to_polars()["query"]) == {"rain today", "cheap flights", "rain boots"}
    assert not any(str(PEOPLE) in note or f"{PEOPLE:,}" in note for note in result.notes)
    log.file("shoal.toml", 'method = "dp-queries"\nepsilon = 3.0\ndelta = 1e-5\nunit = "term"\n')
    assert log("anonymize", "log.tsv", "--config", "shoal.toml", "--out", "release").code == 0
    assert Path(log.directory / "release" / "counts.parquet").exists()
