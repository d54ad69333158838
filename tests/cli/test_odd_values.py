"""Values that parsers and kernels cannot take get one clear line, not an error of kind so and so."""

from __future__ import annotations

import json
import math
import time
from datetime import timedelta

import pandas as pd
import polars as pl
import pytest

from helpers.cli import Shell, failed, one_line

DEEP = 20_000
HALF = "\\ud800"

JSON_LINES = {
    "a truth value as user": ('{"user": true, "item": "a"}\n' * 3, "3 x neither text nor number: lines 1, 2, 3"),
    "lists in two columns": ('{"user": ["x"], "item": ["y"]}\n' * 3, "3 x neither text nor number"),
    "two columns of lists": ('{"a": ["x"], "b": ["y"]}\n' * 3, "several columns of input.jsonl contain lists"),
    "half a character everywhere": (f'{{"user": "{HALF}", "item": "{HALF}"}}\n' * 3, "does not have one JSON object per line"),
    "half a character below": ('{"user": "x", "item": "a"}\n' + f'{{"user": "{HALF}", "item": "b"}}\n' * 9, "9 x half a character"),
    "half a character in lists": ('{"items": ["a"]}\n' + f'{{"items": ["{HALF}"]}}\n' * 9, "9 x half a character"),
    "a key twice": ('{"user": "x", "user": "y", "item": "a"}\n' * 3, "3 x a key twice: lines 1, 2, 3"),
    "an item twice": ('{"user": "x", "item": "a", "item": "b"}\n' * 3, "3 x a key twice"),
    "a list twice": ('{"items": ["a"], "items": ["b"]}\n' * 3, "3 x a key twice"),
    "a written key twice": ('{"user": "x", "\\u0075ser": "y", "item": "a"}\n' * 3, "3 x a key twice"),
    "an infinite item": ('{"user": "x", "item": "a"}\n' + '{"user": "x", "item": Infinity}\n' * 3, "3 x an infinite number"),
    "an item that is too large": ('{"user": "x", "item": "a"}\n' + '{"user": "x", "item": 1e400}\n' * 3, "3 x an infinite number"),
    "infinite items in a list": ('{"items": ["a"]}\n' + '{"items": ["b", -Infinity]}\n' * 3, "3 x an infinite number"),
    "NaN as user": ('{"user": "x", "item": "a"}\n' + '{"user": NaN, "item": "b"}\n' * 3, "3 x no user"),
    "NaN as item": ('{"user": "x", "item": "a"}\n' + '{"user": "x", "item": NaN}\n' * 3, "3 x no item"),
    "NaN in a list": ('{"items": ["a"]}\n' + '{"items": ["b", NaN]}\n' * 3, "3 x no list of items"),
    "deep from the start": (f'{{"user": {"[" * DEEP}{"]" * DEEP}}}\n', "does not have one JSON object per line"),
    "deep below": ('{"user": 1, "item": "a"}\n' + f'{{"user": {"[" * DEEP}{"]" * DEEP}}}\n' * 9, "9 x not JSON"),
}


@pytest.mark.parametrize("rows", [5, 50])
def test_rows_without_a_user_are_nobodys(shell: Shell, rows: int):
    """NaN is how Python writes a missing number: as a person, it would make two people of one who has a word alone."""
    known = [{"user": f"u{n}", "item": "tea"} for n in range(rows)] + [{"user": "u0", "item": "secret"}]
    shell.file("input.jsonl", "".join(json.dumps(row) + "\n" for row in [*known, {"user": math.nan, "item": "secret"}]))
    answer = shell(
        "anonymize", "input.jsonl", "--method", "infrequent", "--k", "2", "--malformed", "0.5", "--to", "csv", "--out", "release"
    )
    assert "1 x no user" in answer.everything
    assert "secret" not in (shell.directory / "release" / "log.csv").read_text()


def refused(shell: Shell, *words: str) -> str:
    """The one line with which `anonymize` refuses; nothing is written."""
    before = shell.names()
    line = one_line(shell("anonymize", *words, "--taxonomy", "generated", "--k", "2", "--strict", "--out", "release"))
    assert shell.names() == before
    return line


def test_a_count_in_other_digits_is_malformed(shell: Shell):
    shell.file("input.csv", "user,item,n\nx,a,3\ny,b,\u0663\n")
    answer = shell("look", "input.csv", "--count", "n", "--malformed", "0.5")
    assert answer.code == 0
    assert "1 malformed: count is not a whole number of 1 or more" in answer.out


@pytest.mark.parametrize("name", JSON_LINES)
def test_json_lines(shell: Shell, name: str):
    content, said = JSON_LINES[name]
    shell.file("input.jsonl", content)
    assert said in refused(shell, "input.jsonl")


COLUMNS: dict[str, tuple[dict[str, list[object]], str]] = {
    "lists as users": ({"user": [["x"], ["y"]], "item": [["a"], ["b"]]}, "the column 'user' contains lists"),
    "lists as items": ({"user": ["x", "y"], "item": [["a"], ["b"]]}, "the column 'item' contains lists"),
    "structures": ({"user": ["x", "y"], "item": [{"a": 1}, {"a": 2}]}, "the column 'item' contains structures"),
    "truth values": ({"user": [True, False], "item": ["a", "b"]}, "the column 'user' contains truth values"),
    "bytes": ({"user": [b"\xff", b"x"], "item": ["a", "b"]}, "the column 'user' contains bytes"),
    "durations as items": ({"user": ["x", "y"], "item": [timedelta(days=1)] * 2}, "the column 'item' contains durations"),
    "durations as users": ({"user": [timedelta(days=1)] * 2, "item": ["a", "b"]}, "the column 'user' contains durations"),
    "lists of lists": ({"a": [[["x"]], [["y"]]]}, "the lists of the column 'a' contain lists that are not names of items"),
    "lists of structures": ({"a": [[{"x": 1}]] * 2}, "the lists of the column 'a' contain structures that are not names of items"),
    "two columns of lists": ({"a": [["x"]], "b": [["y"]]}, "contain lists: 'a', 'b' (name the one of the items with --item)"),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_of_parquet(shell: Shell, name: str):
    columns, said = COLUMNS[name]
    pl.DataFrame(columns).write_parquet(shell.directory / "input.parquet")
    assert said in refused(shell, "input.parquet")


@pytest.mark.parametrize("role", ["user", "item"])
def test_periods_of_pandas(shell: Shell, role: str):
    texts = {"user": list("abcd"), "item": list("wxyz")}
    pd.DataFrame({**texts, role: pd.period_range("2020-01", periods=4)}).to_parquet(shell.directory / "input.parquet")
    assert f"the column '{role}' contains values of a type that is defined elsewhere" in refused(shell, "input.parquet")


def test_infinite_numbers_are_nobody_and_no_item(shell: Shell):
    """They would be counted as one more person, of whom nothing is known."""
    infinite = [float("inf"), -float("inf"), float("nan")]
    frame = pl.DataFrame({"user": [1.0, 2.0, *infinite, 3.0], "item": [7.0] * 5 + [infinite[0]]})
    frame.write_parquet(shell.directory / "input.parquet")
    answer = shell("look", "input.parquet", "--malformed", "0.9", "--taxonomy", "none", "--json")
    assert answer.code == 0, answer
    assert json.loads(answer.out)["people"] == 2
    assert "3 malformed: no user + 1 malformed: no item" in shell("look", "input.parquet", "--malformed", "0.9", "--taxonomy", "none").out


def test_two_columns_of_lists_are_read_if_one_is_named(shell: Shell):
    shell.file("input.jsonl", '{"a": ["x", "z"], "b": ["y"]}\n' * 3)
    done = shell("anonymize", "input.jsonl", "--format", "transactions", "--item", "a", "--taxonomy", "generated", "--k", "2", "--out", "o")
    assert done.code == 0, done.err
    assert "items: the lists in 'a'" in done.err


def test_lists_with_owners_beside_them_are_not_taken_for_one_person_each(shell: Shell):
    shell.file("input.jsonl", '{"email": "ann", "items": ["a", "b"]}\n' * 3)
    assert "lists of items and, next to them, user IDs in 'email'" in refused(shell, "input.jsonl")
    said = ("anonymize", "input.jsonl", "--format", "transactions", "--taxonomy", "generated", "--k", "2", "--out", "release")
    assert "3 records of 3 people" in shell(*said).out


@pytest.fixture
def lines(shell: Shell) -> Shell:
    shell.file("lines", "a b c\na b\nb c d a\na\n")
    return shell


def test_deep_nesting_in_the_options_file(lines: Shell):
    lines.file("deep.toml", f"k = {'[' * DEEP}{']' * DEEP}\n")
    assert "deep.toml is nested too deeply" in refused(lines, "lines", "--config", "deep.toml")


@pytest.mark.parametrize("command", ["anonymize", "bound"])
def test_more_threads_than_there_can_be(lines: Shell, command: str):
    out = ["--out", "release"] if command == "anonymize" else []
    assert "not in the range 1 to 1,024" in one_line(lines(command, "lines", "--threads", "99999999999", *out))


def test_an_attacker_who_knows_everything(lines: Shell):
    assert "p must be at most 10000" in refused(lines, "lines", "--method", "coherence", "--p", str(2**63 - 1))
    failed(lines("audit", "lines", "--claim", f"coherence(p={2**63 - 1})"), "out-of-range", limit=10000)


@pytest.mark.parametrize("content", [f'{{"Food": ["{HALF}", "a"]}}', "[" * DEEP + "]" * DEEP, "[" * 990 + "]" * 990])
def test_a_taxonomy_that_no_tree_can_be_made_of(lines: Shell, content: str):
    lines.file("tree.json", content)
    assert "tree.json" in one_line(lines("taxonomy", "check", "tree.json"))


@pytest.mark.timing
def test_a_very_deep_taxonomy_takes_seconds(shell: Shell):
    shell.file("chain.csv", "child,parent\n" + "".join(f"n{i + 1},n{i}\n" for i in range(100_000)))
    shell.file("lines", "n100000 n5 n7\nn100000\nn7 n5 n100000 n3\n")
    start = time.process_time()
    assert "100,000" in shell("taxonomy", "check", "chain.csv").out
    assert shell("anonymize", "lines", "--taxonomy", "chain.csv", "--k", "2", "--out", "release").code == 0
    assert time.process_time() - start < 20  # before: some 80 for each
