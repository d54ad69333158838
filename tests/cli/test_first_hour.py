"""Files as new users bring them, typed without a single option on how to read them: people are counted right, or nothing is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers.cli import Shell, one_line

GOODS = ("milk", "bread", "tea", "salt", "beer", "jam", "eggs")
TWO_PEOPLE = "".join(f"{who}@example.org,{what}\n" for what in GOODS for who in ("ann", "bob"))
REQUEST = '192.0.2.{n} - - [17/May/2015:10:05:0{n} +0000] "GET /a/{page}.html HTTP/1.1" 200 5120 "-" "Mozilla/5.0 (X11; Linux; rv:24.0)"\n'


def published(directory: Path) -> str:
    """All that was written, as text."""
    return "".join(file.read_text("utf-8") for file in directory.iterdir())


def test_two_people_are_never_five(shell: Shell):
    shell.file("em.csv", "email,item\n" + TWO_PEOPLE)
    line = one_line(shell("anonymize", "em.csv", "--k", "5", "--taxonomy", "generated", "--out", "release"))
    assert "a group needs 5 people, but the data has only 2" in line
    assert "@example.org" not in line
    assert shell.names() == {"em.csv"}


def test_a_retailers_table_counts_households(shell: Shell):
    rows = [f"h{house},b{house}{n},2024-05-0{n} 09:00,{GOODS[(house + n) % 7]},1\n" for house in range(1, 9) for n in range(1, 6)]
    shell.file("transactions.csv", "household,basket,time,product,quantity\n" + "".join(rows))
    words = ("--record", "basket", "--count", "quantity", "--taxonomy", "generated", "--k", "4", "--to", "csv", "--out", "release")
    answer = shell("anonymize", "transactions.csv", *words)
    assert answer.code == 0, answer.err
    given = json.loads(Path("release/manifest.json").read_text("utf-8"))["input"]
    assert (given["owners"], given["records"]) == (8, 40)
    assert not [name for name in ("h1", "b11", "2024-05") if name in Path("release/records.csv").read_text("utf-8")]


@pytest.mark.parametrize("options", [[], ["--sep", ";"]], ids=["as it is", "split at semicolons"])
def test_a_web_servers_log_publishes_no_address(shell: Shell, options: list[str]):
    shell.file("access.log", "".join(REQUEST.format(n=n, page=page) for n in range(1, 7) for page in ("x", "y")))
    answer = shell("anonymize", "access.log", *options, "--taxonomy", "paths", "--k", "3", "--to", "csv", "--out", "release")
    assert "192.0.2." not in answer.everything
    if options:
        assert answer.code == 1
        assert shell.names() == {"access.log"}
    else:
        assert json.loads(Path("release/manifest.json").read_text("utf-8"))["input"]["owners"] == 6
        assert "192.0.2." not in published(Path("release"))
