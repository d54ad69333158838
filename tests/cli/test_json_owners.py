"""JSON writes one person in several ways, `1`, `1.0` and `"1"`; that they are taken for one is said before the work."""

from __future__ import annotations

import pytest

from helpers.cli import Shell
from helpers.tampering import manifest_of
from shoal.io.read import json_lines

HOW = ["--taxonomy", "generated", "--k", "2", "--out", "release"]
MIXED = ["1", "1.0", '"1"', "2", "2", '"3"', "4", '"4"', '"x"']


def lines(users: list[str], times: int = 1) -> str:
    return "".join(f'{{"user": {user}, "item": "milk"}}\n' for user in users * times)


@pytest.mark.parametrize(("fewest", "times"), [(1, 50), (1 << 40, 1)], ids=["by Polars", "line by line"])
def test_one_person_in_several_forms_is_said(shell: Shell, monkeypatch: pytest.MonkeyPatch, fewest: int, times: int):
    monkeypatch.setattr(json_lines, "FEWEST_LINES", fewest)
    shell.file("in.jsonl", lines(MIXED, times))
    answer = shell("anonymize", "in.jsonl", *HOW)
    assert answer.code == 0, answer.everything
    assert f'2 people are written in several forms of a JSON value, such as 1, 1.0 and "1", in {5 * times:,} rows' in answer.err
    assert manifest_of(shell.directory / "release")["input"]["owners"] == 5


def test_it_is_said_also_where_the_work_fails(shell: Shell):
    shell.file("in.jsonl", lines(["1", "1.0"]))
    answer = shell("anonymize", "in.jsonl", *HOW)
    assert answer.code == 1
    assert "1 person is written in several forms of a JSON value" in answer.err
    assert answer.err.index("1 person is written") < answer.err.index("shoal: ")


@pytest.mark.parametrize("users", [["1", "2", "2"], ['"1"', '"2"'], ["1", '"2"', "3.0"]])
def test_one_form_each_is_not_worth_a_word(shell: Shell, users: list[str]):
    shell.file("in.jsonl", lines(users))
    answer = shell("anonymize", "in.jsonl", *HOW)
    assert answer.code == 0, answer.everything
    assert "several forms" not in answer.everything
