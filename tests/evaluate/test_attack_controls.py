"""The control group of attacks: what is known of people who were left out, and what is said where there are none."""

from __future__ import annotations

import json

import pytest

from helpers.cli import Shell
from helpers.data import names_of, on, on_nodes
from shoal.data.taxonomy import Taxonomy
from shoal.evaluate.attack.targets import widened

PEOPLE, OWN = 200, 9  # everybody holds one common item, and so many that nobody else does
HELD = [["c", *(f"u{person}_{item}" for item in range(OWN))] for person in range(PEOPLE)]
FILES = {
    "log.csv": "user,item\n" + "".join(f"p{person},{item}\n" for person, items in enumerate(HELD) for item in items),
    "sets.txt": "".join(f"{' '.join(items)}\n" for items in HELD),
}


def controls(shell: Shell, file: str, *options: str) -> dict[str, tuple[float, int]]:
    shell.file(file, FILES[file])
    asked = ("--attack", "one-more-item", "--control", "0.5", "--out", f"{file}.out")
    made = shell("anonymize", file, *options, *asked)
    assert made.code == 0, made.err
    found = json.loads((shell.directory / f"{file}.out" / "manifest.json").read_text())["attacks"]["outcomes"]
    return {one["subject"]: (one["control"], one["controls"]) for one in found}


def test_what_only_those_left_out_hold_is_known_of_them_and_never_guessed(shell: Shell):
    """One of ten items of each can be guessed: the common one. So it is in rows of a log as in records."""
    method = ("--method", "coherence", "--k", "3", "--p", "1", "--taxonomy", "none")
    of_log, of_sets = controls(shell, "log.csv", *method), controls(shell, "sets.txt", "--format", "transactions", *method)
    assert of_log == of_sets
    for rate, people in of_log.values():
        assert people == PEOPLE // 2
        assert 0 < rate < 0.25


def test_the_same_of_rows_of_a_log(shell: Shell):
    for rate, _ in controls(shell, "log.csv", "--method", "old-remedies", "--no-guarantee").values():
        assert 0 < rate < 0.25


def test_an_item_that_a_tree_lacks_stands_below_the_lowest_node_that_it_has():
    rest = Taxonomy.from_parents({"Food": None, "Fruit": "Food", "Apple": "Fruit", "Beef": "Food"})
    whole = Taxonomy.from_parents(
        {"Food": None, "Fruit": "Food", "Apple": "Fruit", "Kiwi": "Fruit", "Beef": "Food", "Dairy": "Food", "Milk": "Dairy"}
    )
    records = [["Apple", "Beef"], ["Beef"]]
    wider = widened(on_nodes(on(rest, records), rest), on_nodes(on(whole, [["Kiwi", "Milk", "Apple"]]), whole))
    assert {wider.tree.names[node]: wider.tree.path(node)[1:] for node in range(1, len(wider.tree))} == {
        "Fruit": ["Food"],
        "Apple": ["Fruit", "Food"],
        "Kiwi": ["Fruit", "Food"],
        "Beef": ["Food"],
        "Milk": ["Food"],
    }
    assert wider.on_taxonomy
    assert names_of(wider.bags) == names_of(on(rest, records))
    assert widened(wider, on_nodes(on(rest, records), rest)) is wider


def typed_queries(queries: dict[str, list[str]]) -> str:
    return "user,query\n" + "".join(f"{user},{query}\n" for user, theirs in queries.items() for query in theirs)


@pytest.mark.parametrize(
    ("queries", "k", "told"),
    [
        ({f"u{i:02}": ["the of"] if i == 10 else ["apple pear", "apple plum"] for i in range(13)}, "3", "cannot be processed separately"),
        ({f"u{i:02}": ["apple pear"] for i in range(4)}, "3", "made without 1 person"),
    ],
)
def test_people_who_cannot_be_prepared_alone_are_no_error(shell: Shell, queries: dict[str, list[str]], k: str, told: str):
    shell.file("log.csv", typed_queries(queries))
    answer = shell("anonymize", "log.csv", "--method", "shoal", "--k", k, "--taxonomy", "generated", "--attack", "--out", "release")
    assert answer.code == 0, answer.err
    assert told in answer.err


def test_where_everybody_is_left_out_there_is_no_control_group(shell: Shell):
    shell.file("log.csv", typed_queries({"u": ["apple pear", "plum"]}))
    assert shell("anonymize", "log.csv", "--method", "old-remedies", "--no-guarantee", "--out", "release").code == 0
    answer = shell("attack", "log.csv", "release", "--attack", "known-items")
    assert answer.code == 0, answer.err
    assert "no control group: too few people would remain" in answer.err


def test_tokens_are_read_the_same_whatever_the_key_is(shell: Shell):
    """All words are equally frequent: which of them is taken first must not depend on the random key of each remake."""
    words = [f"word{i}" for i in range(40)]
    shell.file("log.csv", typed_queries({f"u{i:02}": [words[i], words[(i * 7 + 3) % 40]] for i in range(40)}))
    made = shell("anonymize", "log.csv", "--method", "old-remedies", "--no-guarantee", "--queries", "hash-words", "--out", "release")
    assert made.code == 0, made.err
    found = {shell("attack", "log.csv", "release", "--attack", "tokens", "--json").out for _ in range(4)}
    assert len(found) == 1


def test_tokens_without_words_that_can_be_read_are_skipped(shell: Shell):
    shell.file("log.csv", typed_queries({"u": ["apple pear"]}))  # half of one person is nobody
    made = shell("anonymize", "log.csv", "--method", "old-remedies", "--no-guarantee", "--queries", "hash-words", "--out", "release")
    assert made.code == 0, made.err
    answer = shell("attack", "log.csv", "release", "--attack", "tokens", "--json")
    assert "skipped tokens: there are no words that can be read" in answer.err
    assert json.loads(answer.out)["attacks"] == []
