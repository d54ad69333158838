"""How strong a file of records is that nobody claims anything about, as a user asks for it."""

from __future__ import annotations

import json

import polars as pl
import pytest

import shoal
from helpers.cli import Shell, failed

# Pairs of items: a with b four times, c with d three times; a, b, c and d together once, which makes every set across the pairs unique.
RECORDS = "a b\na b\na b\nc d\nc d\na b c d\n"
OWNED = "user,items\n" + "".join(f"{user},{items}\n" for user, items in zip("uuvwwx", RECORDS.replace(" ", ";").split(), strict=True))


def test_a_foreign_file_is_told_the_largest_k_at_each_m(shell: Shell) -> None:
    shell.file("other.txt", RECORDS)
    answer = shell("audit", "other.txt")
    assert answer.code == 0, answer.everything
    lines = [" ".join(line.split()) for line in answer.out.splitlines()]
    assert "1 item 3" in lines
    assert "2 items or more 1" in lines
    assert "the whole record 1" in lines
    assert "at k = 5 not k^m-anonymous for any m" in lines
    assert "not counted: one person may own several of the records" in answer.out


def test_the_largest_m_at_a_given_k(shell: Shell) -> None:
    shell.file("other.txt", RECORDS)
    told = json.loads(shell("audit", "other.txt", "--strength", "3", "--json").out)["strength"]
    assert told == {
        "k": 3,
        "counted": "records",
        "largest_m": 1,
        "largest_m_exact": True,
        "every_m": False,
        "levels": [{"m": 1, "largest_k": 3, "exact": True}, {"m": 2, "largest_k": 1, "exact": True}],
        "every_m_counted": True,
        "whole_record": 1,
    }
    assert "m up to 1, and no larger m" in shell("audit", "other.txt", "--strength", "3").out


def test_people_are_counted_where_a_column_names_them(shell: Shell) -> None:
    shell.file("owned.csv", OWNED)
    answer = shell("audit", "owned.csv", "--release-user", "user", "--allow-column", "user", "--json")
    told = json.loads(answer.out)["strength"]
    assert (told["counted"], told["levels"][0]["largest_k"]) == ("people", 2)  # c and d are of w and x
    assert "'user' contains the user IDs: 4 people" in answer.err
    assert not any(f"'{user}'" in answer.everything for user in "uvwx")
    assert "were counted" not in shell("audit", "owned.csv", "--release-user", "user", "--allow-column", "user").out


def test_claims_on_such_a_file_count_people_too(shell: Shell) -> None:
    shell.file("owned.csv", OWNED)
    question = ["audit", "owned.csv", "--allow-column", "user", "--claim", "km-anonymity(k=3, m=1)"]
    assert shell(*question).code == 0
    answer = shell(*question, "--release-user", "user")
    assert answer.code == 3
    assert "2 sets of 1 published item are shared by fewer than 3 people" in " ".join(answer.out.split())
    whole = shell("audit", "owned.csv", "--allow-column", "user", "--release-user", "user", "-c", "k-anonymity(k=2)")
    assert whole.code == 3 and "belongs to only 1 person" in whole.out


def test_a_column_of_owners_is_still_a_column_that_nobody_judged(shell: Shell) -> None:
    shell.file("owned.csv", OWNED)
    assert shell("audit", "owned.csv", "--release-user", "user").code == 3


@pytest.mark.parametrize("form", ["parquet", "jsonl", "long.csv"])
def test_every_shape_of_table_may_name_owners(shell: Shell, form: str) -> None:
    rows = [line.split() for line in RECORDS.splitlines()]
    frame = pl.DataFrame({"record": [3, 1, 4, 2, 6, 5], "user": list("uuvwwx"), "items": rows})
    place = shell.directory / f"x.{form}"
    if form == "parquet":
        frame.write_parquet(place)
    elif form == "jsonl":
        frame.write_ndjson(place)
    else:
        frame.explode("items").rename({"items": "item"}).select("record", "item", "user").write_csv(place)
    found = shoal.audit(place, release_user="user", allow_column=[*(["record"]), "user"], strength=2)
    assert found.strength is not None
    assert (found.strength.people, found.strength.levels[0].k, found.strength.whole_record) == (True, 2, 1)


def test_questions_about_owners_without_an_answer(kitchen: Shell) -> None:
    kitchen.file("lines.txt", RECORDS)
    kitchen.file("owned.csv", OWNED)
    kitchen.file("holes.csv", OWNED.replace("v,", ",", 1))
    kitchen.file("two.csv", "record,user,item\n1,u,a\n1,v,b\n")
    failed(kitchen("audit", "lines.txt", "--release-user", "user"), "missing-column")
    assert "'owner'" in failed(kitchen("audit", "owned.csv", "--release-user", "owner"), "unknown-column")
    failed(kitchen("audit", "holes.csv", "--release-user", "user"), "missing-user")
    failed(kitchen("audit", "two.csv", "--release-user", "user"), "several-users-per-record")
    assert "--release-user" in failed(kitchen("audit", "release", "--release-user", "user"), "option-not-applicable")
    failed(kitchen("audit", "owned.csv", "--strength", "1"), "out-of-range", value=1, limit=2)


def test_a_release_with_claims_tells_its_strength_when_asked(kitchen: Shell) -> None:
    assert "who knows" not in kitchen("audit", "release").out
    answer = kitchen("audit", "release", "--strength", "3")
    assert answer.code == 0 and "k^m-anonymous for every m" in answer.out


def test_strength_is_of_records(shell: Shell) -> None:
    shell.file("table.csv", "age,zip\n" + "1,2\n" * 6)
    made = shell("anonymize", "table.csv", "--format", "microdata", "--method", "mdav", "--k", "3", "--out", "made")
    assert made.code == 0, made.err
    assert "--strength" in failed(shell("audit", "made", "--strength", "3"), "option-not-applicable")
