"""shoal taxonomy learn, as it is typed."""

from __future__ import annotations

import csv
import io

import polars as pl
import pytest

import shoal
from helpers.cli import Shell, failed
from shoal.pipeline import prepare
from shoal.taxonomy import learned

CANARY = "zqcanary"


@pytest.fixture
def log(shell: Shell) -> Shell:
    """Two topics, searched for by twelve people each, in sessions an hour apart; one word is of one person."""
    rows = ["user\ttime\tquery"]
    for person in range(24):
        words = [["guitar song", "song lyrics", "guitar lyrics"], ["house rent", "rent flat", "house flat"]][person % 2]
        for hour, query in enumerate(words):
            rows.append(f"p{person}\t2006-03-01 {10 + 2 * hour}:00:00\t{query}{f' {CANARY}' if person == hour == 0 else ''}")
    shell.file("log.tsv", "\n".join(rows) + "\n")
    return shell


def edges(text: str) -> dict[str, str]:
    return {row[0]: row[1] for row in list(csv.reader(io.StringIO(text), delimiter="\t"))[1:]}


def test_a_file_is_learned_and_used(log: Shell):
    answer = log("taxonomy", "learn", "log.tsv", "--out", "topics.tsv")
    assert answer.code == 0, answer.err
    text = (log.directory / "topics.tsv").read_text()
    found = edges(text)
    assert {found[word] for word in ("guitar", "song", "lyrics")}.isdisjoint({found[word] for word in ("house", "rent", "flat")})
    assert CANARY not in answer.everything + text
    assert "sessions" in answer.out
    made = log("anonymize", "log.tsv", "--taxonomy", "topics.tsv", "--k", "5", "--out", "release")
    assert made.code == 0, made.err
    assert log("audit", "release", "--original", "log.tsv", "--taxonomy", "topics.tsv").code == 0


def test_words_of_few_people_are_written_only_on_request_and_with_a_warning(log: Shell):
    answer = log("taxonomy", "learn", "log.tsv", "--all-words")
    assert CANARY in edges(answer.out)
    assert "do not publish it" in answer.err
    assert CANARY not in "".join(edges(answer.out).values())


def test_words_of_few_people_where_wordnet_has_them(log: Shell):
    with (log.directory / "log.tsv").open("a") as more:
        more.write("q0\t2006-03-02 10:00:00\tpoodle\nq1\t2006-03-02 10:00:00\tbeagle\n")  # they occur with no word of many people
    found = edges(log("taxonomy", "learn", "log.tsv", "--all-words", "--with-wordnet").out)
    assert {found["poodle"], found[found["beagle"]]} & {"dog", "hunting dog", "canine"}
    assert CANARY in found
    refused = log("taxonomy", "learn", "log.tsv", "--with-wordnet")
    assert refused.code == 1
    assert "--all-words" in refused.err


def test_the_same_tree_as_that_of_a_release_on_topics(log: Shell):
    """Also for a word that is alone in its session: its records tell what it is about."""
    with (log.directory / "log.tsv").open("a") as more:
        more.write(f"p1\t2006-03-02 10:00:00\t{CANARY}alone\n")
    assert log("taxonomy", "learn", "log.tsv", "--all-words", "--out", "private.tsv").code == 0
    found = edges((log.directory / "private.tsv").read_text())
    assert found[f"{CANARY}alone"].startswith(("house", "rent", "flat"))
    for taxonomy, out in (("private.tsv", "kept"), ("topics", "learned")):
        made = log("anonymize", "log.tsv", "--taxonomy", taxonomy, "--k", "5", "--out", out)
        assert made.code == 0, made.err
    kept, learned_anew = (pl.read_parquet(log.directory / out / "records.parquet")["items"].to_list() for out in ("kept", "learned"))
    assert sorted(kept) == sorted(learned_anew)
    by_session = edges(log("taxonomy", "learn", "log.tsv", "--all-words", "--per", "session").out)
    assert by_session[f"{CANARY}alone"].startswith("(any topic")  # the contexts that are requested, and no others


def test_a_gap_ends_the_sessions_that_are_compared(log: Shell):
    answer = log("taxonomy", "learn", "log.tsv", "--gap", "1d", "--out", "topics.tsv")
    assert answer.code == 0, answer.err
    assert "sessions" in answer.out


def test_names_of_a_product_table_are_placed_by_sessions(shell: Shell):
    rows = [f"p{n},2006-03-01 10:0{at}:00,{1 + n % 2 * 3 + (n + at) % 3}" for n in range(24) for at in range(2)]
    shell.file("sales.csv", "user,time,item\n" + "\n".join(rows) + "\n")
    goods = ["guitar,music", "song,music", "band,music", "oven,home", "rent,home", "flat,home"]
    shell.file("goods.csv", "item,name,type\n" + "".join(f"{n},{one}\n" for n, one in enumerate(goods, 1)))
    found = edges(shell("taxonomy", "learn", "sales.csv", "--item", "item", "--items-table", "goods.csv", "--people", "4").out)
    assert {one.split(",")[0] for one in goods} <= set(found)


def test_the_same_in_python(log: Shell, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(log.directory)
    tree = shoal.learn_taxonomy("log.tsv")
    told = log("taxonomy", "learn", "log.tsv").out
    assert {tree.names[n]: tree.names[int(up)] for n, up in enumerate(tree.parent) if up >= 0} == edges(told)


def test_names_of_too_few_people_are_found_before_anything_is_written(log: Shell, monkeypatch: pytest.MonkeyPatch):
    """As if the learning took any word for a name."""
    real = learned.learn_topics

    def careless(contexts: object, fewest: int, wider: object) -> object:
        return real(contexts, 1, wider)  # type: ignore[arg-type]

    monkeypatch.setattr(prepare, "learn_topics", careless)
    answer = log("taxonomy", "learn", "log.tsv", "--out", "topics.tsv", "--people", "20", "--all-words")
    assert answer.code == 3
    assert "topics.tsv" not in log.names()
    assert CANARY not in answer.everything


def test_what_is_refused(log: Shell):
    failed(log("taxonomy", "learn", "log.tsv", "--people", "1000"), "nothing-to-learn")
    assert log("taxonomy", "learn", "log.tsv", "--people", "1").code != 0
    assert log("taxonomy", "learn", "log.tsv", "--out", "log.tsv", "--force").code == 1
    assert (log.directory / "log.tsv").read_text().startswith("user")
