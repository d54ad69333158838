"""Columns beside the items: a name makes a release worthless, so none goes unjudged without being allowed by name."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest

from helpers.cli import Shell, failed

CLAIM = ["--claim", "k-anonymity(k=2)"]

NAMED = {
    "a.jsonl": '{"name":"Ann","ssn":"078","items":["HIV"]}\n{"name":"Bob","ssn":"079","items":["HIV"]}\n',
    "list.jsonl": '{"name":["Ann"],"items":["HIV"]}\n{"name":["Bob"],"items":["HIV"]}\n',
    "b.csv": "name,items\nAnn,HIV\nBob,HIV\n",
    "c.csv": "record,items,name\n1,HIV,Ann\n2,HIV,Bob\n",
    "d.csv": "record,name,items\n1,Ann,HIV\n2,Bob,HIV\n",
    "e.csv": "record,item,name\n1,HIV,Ann\n2,HIV,Bob\n",
    "f.tsv": "record\titems\tname\n1\tHIV\tAnn\n2\tHIV\tBob\n",
}


@pytest.mark.parametrize("name", NAMED)
def test_a_column_beside_the_items_fails(shell: Shell, name: str):
    shell.file(name, NAMED[name])
    answer = shell("audit", name, *CLAIM)
    assert answer.code == 3, answer.everything
    assert "THE AUDIT FAILS" in answer.out
    assert "'name' is not covered by any claim" in answer.out
    assert re.search(r"k-anonymity\(k=2\) +verified", answer.out)
    assert "Ann" not in answer.everything
    assert shell("audit", name).code == 3


def test_a_column_beside_the_items_in_parquet(shell: Shell):
    place = shell.directory / "a.parquet"
    pl.DataFrame({"name": ["Ann", "Bob"], "items": [["HIV"], ["HIV"]]}).write_parquet(place)
    assert "'name' is not covered by any claim" in shell("audit", "a.parquet", *CLAIM).out
    pl.DataFrame({"name": ["Ann", "Bob"], "record": [1, 2], "item": ["HIV", "HIV"]}).write_parquet(place)
    assert "'name' is not covered by any claim" in shell("audit", "a.parquet", *CLAIM).out


def test_the_metadata_of_parquet(shell: Shell):
    table = pl.DataFrame({"record": [1, 2], "items": [["HIV"], ["HIV"]]})
    table.write_parquet(shell.directory / "a.parquet")
    assert shell("audit", "a.parquet", *CLAIM).code == 0
    table.write_parquet(shell.directory / "a.parquet", metadata={"people": "Ann, Bob"})
    answer = shell("audit", "a.parquet", *CLAIM)
    assert answer.code == 3
    assert "'metadata:people' is not covered by any claim" in answer.out
    assert shell("audit", "a.parquet", *CLAIM, "--allow-column", "metadata:people").code == 0


def test_columns_are_allowed_one_by_one(shell: Shell):
    shell.file("a.jsonl", NAMED["a.jsonl"])
    half = shell("audit", "a.jsonl", *CLAIM, "--allow-column", "name")
    assert half.code == 3
    assert "'name' was allowed without verification" in half.out
    assert "'ssn' is not covered by any claim" in half.out
    full = shell("audit", "a.jsonl", *CLAIM, "--allow-column", "name", "--allow-column", "ssn")
    assert full.code == 0
    assert "'ssn' was allowed without verification" in full.out
    told = json.loads(shell("audit", "a.jsonl", *CLAIM, "--allow-column", "name", "--allow-column", "ssn", "--json").out)
    assert told["checks"][0]["notes"] == ["'name' was allowed without verification", "'ssn' was allowed without verification"]
    assert "'age'" in failed(shell("audit", "a.jsonl", "--allow-column", "age"), "unknown-column")


NUMBERED = {
    "from 1": ([1, 2, 3], True),
    "from 0": ([0, 1, 2], True),
    "permuted": ([1, 3, 2], False),
    "with a gap": ([1, 2, 4], False),
    "from 7": ([7, 8, 9], False),
    "repeated": ([1, 1, 2], False),
    "text": (["1", "2", "x"], False),
    "padded": (["01", "02", "03"], False),
    "fractions": ([1.0, 2.0, 3.0], False),
}


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "long"])
@pytest.mark.parametrize("name", NUMBERED)
def test_only_fresh_numbers_of_the_records_are_passed_over(shell: Shell, name: str, form: str):
    numbers, fresh = NUMBERED[name]
    place: Path = shell.directory / f"a.{form}"
    frame = pl.DataFrame({"record": numbers, "items": [["HIV"]] * 3})
    if form == "csv":
        place.write_text("record,items\n" + "".join(f"{n},HIV\n" for n in numbers))
    elif form == "jsonl":
        place.write_text("".join(json.dumps({"record": n, "items": ["HIV"]}) + "\n" for n in numbers))
    elif form == "parquet":
        frame.write_parquet(place)
    else:
        place = shell.file("a.csv", "record,item\n" + "".join(f"{n},HIV\n{n},AIDS\n" for n in numbers))
        fresh = fresh or name == "repeated"  # two rows of one record, and it is the first
    assert shell("audit", place).code == (0 if fresh else 3)


def test_a_number_that_some_records_lack(shell: Shell):
    shell.file("a.jsonl", '{"record":1,"items":["a"]}\n{"items":["a"]}\n{"record":3,"items":["a"]}\n')
    assert "'record' is not covered by any claim" in shell("audit", "a.jsonl").out


def test_the_owners_of_a_long_table(shell: Shell):
    shell.file("a.csv", "user,item\nann,x\nann,y\nbob,x\nbob,y\n")
    assert "'user' is not covered by any claim" in shell("audit", "a.csv", *CLAIM).out


def test_a_key_given_twice_hides_nothing(shell: Shell):
    shell.file("a.jsonl", '{"items":["Ann"],"items":["HIV"]}\n{"items":["Bob"],"items":["HIV"]}\n')
    assert "a.jsonl" in failed(shell("audit", "a.jsonl", *CLAIM), "duplicate-key")


@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl", "transactions"])
def test_a_name_added_to_a_release_of_shoal(kitchen: Shell, form: str):
    made = kitchen("anonymize", "baskets.txt", "--taxonomy", "food.csv", "--k", "3", "--to", form, "--out", "new")
    assert made.code == 0, made.err
    assert kitchen("audit", "new").code == 0
    (file,) = (kitchen.directory / "new").glob("records.*")
    if form == "parquet":
        frame = pl.read_parquet(file)
        frame.with_columns(name=pl.Series([f"Ann {i}" for i in range(len(frame))])).write_parquet(file)
    elif form == "jsonl":
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        file.write_text("".join(json.dumps({**line, "name": f"Ann {i}"}) + "\n" for i, line in enumerate(lines)))
    elif form == "csv":
        header, *lines = file.read_text().splitlines()
        file.write_text("\n".join([f"{header},name", *(f"{line},Ann {i}" for i, line in enumerate(lines))]) + "\n")
    else:
        file.write_text("".join(f"{line}\tAnn {i}\n" for i, line in enumerate(file.read_text().splitlines())))
    answer = kitchen("audit", "new")
    assert answer.code == 3
    if form != "transactions":  # there the name is an item like any other
        assert "'name' is not covered by any claim" in answer.out


COUNTING = {
    "a.jsonl": '{"ssn":1,"items":["HIV"]}\n{"ssn":2,"items":["HIV"]}\n',
    "b.csv": "ssn,items\n1,HIV\n2,HIV\n",
    "c.csv": "record,items,ssn\n1,HIV,0\n2,HIV,1\n",
}


@pytest.mark.parametrize("name", COUNTING)
def test_a_column_that_only_numbers_the_records_is_named(shell: Shell, name: str):
    shell.file(name, COUNTING[name])
    answer = shell("audit", name, *CLAIM)
    assert answer.code == 0, answer.everything
    assert "ignoring 'ssn': it only numbers the rows" in answer.err


def test_the_numbers_of_a_long_table_are_named(shell: Shell):
    shell.file("a.csv", "user,item\n1,HIV\n1,flu\n2,HIV\n2,flu\n")
    answer = shell("audit", "a.csv", *CLAIM)
    assert answer.code == 0, answer.everything
    assert "ignoring 'user': it only numbers the rows" in answer.err
