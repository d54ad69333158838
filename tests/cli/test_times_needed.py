"""A column of times is used only where something needs it: nothing is refused because of a time that nobody needs."""

from __future__ import annotations

import json

import pytest

from helpers.cli import Shell, failed, one_line

WHEN = ["10/Oct/2000:13:55:36 -0700", "10/Oct/2000:13:58:36 -0700", "10/Oct/2000:23:55:36 -0700"]


def table(times: list[str], payload: str = "item") -> str:
    rows = [f"u{n},{time},thing{n % 2}\n" for n in range(3) for time in times]
    return f"user,when,{payload}\n" + "".join(rows)


def seen(shell: Shell, *words: str) -> dict[str, object]:
    done = shell("look", "input", "--taxonomy", "none", "--json", *words)
    assert done.code == 0, done.err
    return json.loads(done.out)


@pytest.mark.parametrize("per", ["user", "event"])
@pytest.mark.parametrize("payload", ["item", "query"])
def test_unreadable_times_that_nobody_needs(shell: Shell, payload: str, per: str):
    shell.file("input", table(["sometime", "10/11/2000", ""], payload))
    found = seen(shell, "--per", per)
    assert found["rows"] == {"in": 9, "used": 9}
    assert found["people"] == 3
    done = shell("anonymize", "input", "--per", per, "--taxonomy", "generated", "--floor", "1", "--k", "2", "--out", "release")
    assert done.code == 0, done.err
    assert shell("audit", "release", "--original", "input").code == 0
    assert json.loads((shell.directory / "release" / "manifest.json").read_text())["accounting"]["rows"] == {"in": 9, "used": 9}


def test_they_are_counted_where_they_are_looked_at(shell: Shell):
    shell.file("input", table(["sometime", "2000-10-10 13:55"], "query"))
    assert "3 times cannot be parsed; their rows are kept, because times are not needed" in seen(shell)["notes"]
    shell.file("input", table(["sometime"]))
    assert "times are not read, because they are not needed" in seen(shell)["notes"]


@pytest.mark.parametrize("words", [("--per", "session"), ("--time", "when", "--user", "user", "--item", "item")])
def test_where_they_are_needed_or_named_they_must_be_readable(shell: Shell, words: tuple[str, ...]):
    shell.file("input", table(["sometime"]))
    assert "no usable row: 3 x unreadable time" in one_line(shell("look", "input", *words))


def test_two_columns_of_times_are_no_question_where_none_is_needed(shell: Shell):
    shell.file("input", "user,date,time,item\nann,1,1,tea\nbob,2,2,tea\n")
    assert seen(shell)["people"] == 2
    failed(shell("look", "input", "--per", "session"), "ambiguous-column")


def test_repeated_clicks_are_still_one_event(shell: Shell):
    shell.file("input", "user,time,query\n" + "ann,2000-10-10 13:55,tea\n" * 3 + "ann,never,tea\n" * 2 + "bob,2000-10-10 13:55,tea\n")
    assert seen(shell, "--per", "event")["rows"] == {"in": 6, "used": 4, "repeated clicks": 2}


def test_apaches_times_make_sessions(shell: Shell):
    shell.file("input", table(WHEN))
    found = seen(shell, "--per", "session")
    assert (found["people"], found["records"]) == (3, 6)
    assert "time format: a server's time" in found["notes"]
