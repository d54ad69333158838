"""Published records are written in an order that tells nothing, and read back exactly, whoever wrote them."""

from __future__ import annotations

import csv
import hashlib
import json
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.errors import refuses
from helpers.files import written
from shoal.data.bags import Bags
from shoal.data.release import Release
from shoal.errors import OutputError
from shoal.io.write.output_format import FileFact
from shoal.kinds.bags import write as module
from shoal.kinds.bags.read import read_published, read_records
from shoal.kinds.bags.write import write_records

RECORD_FORMATS = {
    "parquet": "records.parquet",
    "csv": "records.csv",
    "jsonl": "records.jsonl",
    "xlsx": "records.xlsx",
    "transactions": "records.txt",
}


def release_of(records, copies=None):
    bags = Bags.from_lists(records)
    return Release.of_bags(bags, np.array(copies if copies is not None else [1] * len(records), np.int64))


def multiset(bags):
    return Counter(tuple(sorted(bags.record(i).items())) for i in range(len(bags)))


def expected(records, copies):
    found = Counter()
    for record, n in zip(records, copies, strict=True):
        found[tuple(sorted(Counter(record).items()))] += n
    return found


# Anything that UTF-8 can hold; which names a format refuses is decided by the product and checked below.
names = st.text(st.characters(codec="utf-8"), min_size=0, max_size=8) | st.sampled_from(
    [
        "a",
        "b",
        "a b",
        " a",
        "a,b",
        'a"b',
        '"',
        "a;b",
        "a\tb",
        "a\nb",
        "a\r",
        "é",
        "*",
        "\ufeffa",
        "{a}",
        "PAR1",
        "\0",
        "-",
        "1",
        "007",
        "1e5",
        "=1+1",
        "@cmd",
        ";",
        '";"',
        'a";"b',
        "_x0041_",
        "http://x.org",
        "TRUE",
    ]
)
releases = st.lists(st.tuples(st.lists(names, max_size=4), st.integers(1, 3)), min_size=1, max_size=6)


TABLES = [(format, None, layout) for format in ("parquet", "jsonl", "csv", "xlsx") for layout in ("lists", "long")]
CONTROLS = {chr(c) for c in range(32)} - set("\t\n\r\v\f\x1b")
REFUSED = {"parquet": set(), "jsonl": set(), "csv": CONTROLS, "xlsx": CONTROLS | set("\v\f\x1b\ufffe\uffff")}


def may_be_refused(name: str, format: str, sep: str | None, layout: str) -> bool:
    """Whether a format has no place for this name; separators and quotes are no reason but in transactions."""
    if format == "transactions":
        return name == "" or bool(set(name) & (CONTROLS | {sep, *'\n\r"\ufeff'})) or name.strip(" \t") != name
    return bool(set(name) & REFUSED[format]) or (name == "" and layout == "long")


@pytest.mark.parametrize(("format", "sep", "layout"), [*TABLES, *(("transactions", s, "lists") for s in "\t,; |")])
@given(content=releases)
@settings(deadline=None, max_examples=40)
def test_what_is_written_is_read_back_or_was_refused(tmp_path_factory, format, sep, layout, content):
    records, copies = zip(*content, strict=True)
    path = tmp_path_factory.mktemp("records") / RECORD_FORMATS[format]
    release = release_of(records, copies)
    try:
        fact = write_records(release.bag_table, path, format, sep or "\t", layout)
    except OutputError:
        assert any(may_be_refused(name, format, sep, layout) for record in records for name in record)
        assert not path.exists()
        return
    found = read_published(path, format, fact.separator or None, fact.layout or None, own=True)
    back = found.bags
    assert found.extra_columns == ()
    assert multiset(back) == expected(records, copies)
    assert len(set(back.owners.tolist())) == len(back)
    assert fact.rows == sum(copies)


plain_names = st.sampled_from(["milk", "whole milk", "tea, green", 'the "best"', "naïve", "日本", "*", " padded ", "a:b"])


@pytest.mark.parametrize("format", ["parquet", "jsonl", "csv"])
@given(records=st.lists(st.lists(plain_names, max_size=4), min_size=1, max_size=6))
@settings(deadline=None, max_examples=40)
def test_these_formats_hold_ordinary_names_and_are_recognised(tmp_path_factory, format, records):
    path = tmp_path_factory.mktemp("records") / RECORD_FORMATS[format]
    write_records(release_of(records).bag_table, path, format)
    assert multiset(read_records(path)[0]) == expected(records, [1] * len(records))


def test_transactions_hold_ordinary_names(tmp_path):
    records = [["whole milk", 'the "best"', " padded ", "tea, green"], [], ["naïve"]]
    fact = write_records(release_of(records).bag_table, tmp_path / "a.txt", "transactions")
    back, notes = read_records(tmp_path / "a.txt", "transactions", fact.separator)
    assert multiset(back) == expected(records, [1, 1, 1])
    assert notes[0] == "one record per line, items separated by tab (specified)"


def test_the_files_look_as_promised(tmp_path):
    release = release_of([["b", "a", "b"]], [2])
    texts = {}
    for format, name in RECORD_FORMATS.items():
        write_records(release.bag_table, tmp_path / name, format)
        texts[format] = (tmp_path / name).read_bytes()
    assert texts["csv"] == b"record,items\n1,a;b;b\n2,a;b;b\n"
    assert texts["transactions"] == b"a\tb\tb\na\tb\tb\n"
    assert [json.loads(line) for line in texts["jsonl"].splitlines()] == [
        {"record": 1, "items": ["a", "b", "b"]},
        {"record": 2, "items": ["a", "b", "b"]},
    ]
    assert pl.read_parquet(tmp_path / "records.parquet").to_dict(as_series=False) == {
        "record": [1, 2],
        "items": [["a", "b", "b"]] * 2,
    }
    with (tmp_path / "records.csv").open(newline="") as file:
        assert list(csv.reader(file)) == [["record", "items"], ["1", "a;b;b"], ["2", "a;b;b"]]


@pytest.mark.parametrize("format", RECORD_FORMATS)
def test_the_facts_are_those_of_the_file(tmp_path, format, monkeypatch):
    monkeypatch.setattr(module, "ROWS_AT_ONCE", 7)
    path = tmp_path / "a"
    fact = write_records(release_of([["a"], ["b"], []], [20, 30, 4]).bag_table, path, format)
    assert (fact.name, fact.rows, fact.format) == ("a", 54, format)
    assert fact.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert multiset(read_records(path, format, fact.separator or None)[0]) == expected([["a"], ["b"], []], [20, 30, 4])


def test_records_are_shuffled_and_numbered_afresh(tmp_path):
    release = release_of([[f"item{i:03}"] for i in range(200)])
    orders = []
    for n in range(2):
        write_records(release.bag_table, tmp_path / str(n), "jsonl")
        lines = [json.loads(line) for line in (tmp_path / str(n)).read_text().splitlines()]
        assert [line["record"] for line in lines] == list(range(1, 201))
        orders.append([line["items"][0] for line in lines])
    assert sorted(orders[0]) == sorted(orders[1])
    assert orders[0] != orders[1]
    assert orders[0] != sorted(orders[0])


def test_items_are_sorted_by_name_whatever_their_numbers(tmp_path):
    write_records(release_of([["z", "é", "b"], ["b", "z"]]).bag_table, tmp_path / "a", "jsonl")
    for line in (tmp_path / "a").read_text().splitlines():
        items = json.loads(line)["items"]
        assert items == sorted(items)


@pytest.mark.parametrize(
    ("format", "sep", "name"),
    [
        ("transactions", "\t", "a\tb"),
        ("transactions", "blanks", "a b"),
        ("transactions", "\t", "a\nb"),
        ("transactions", ",", 'a"b'),
        ("csv", "\t", "a\0b"),
        ("transactions", "\t", ""),
    ],
)
def test_names_that_a_format_cannot_hold_are_refused(tmp_path, format, sep, name):
    with refuses("value-not-writable", value=1) as caught:
        write_records(release_of([[name, "x"]]).bag_table, tmp_path / "a", format, sep)
    assert "parquet" in caught.value.hint
    assert not (tmp_path / "a").exists()


def test_only_names_that_are_published_matter(tmp_path):
    bags = Bags.from_lists([["a\0b"], ["c"]])
    release = Release.of_bags(bags.select([1]), np.array([1]))
    assert write_records(release.bag_table, tmp_path / "a", "csv").rows == 1


def test_nothing_is_overwritten(tmp_path):
    path = written(tmp_path, "a", "precious")
    with refuses("not-writable"):
        write_records(release_of([["a"]]).bag_table, path, "csv")
    assert path.read_text() == "precious"


def test_unknown_formats_are_refused(tmp_path):
    with refuses("unknown-output-format", value="xml"):
        write_records(release_of([["a"]]).bag_table, tmp_path / "a", "xml")
    with refuses("unknown-release-format", value="xml"):
        read_records(written(tmp_path, "a", "a\n"), "xml")


def test_facts_for_the_manifest():
    assert FileFact("a", 3, "00").as_dict() == {"name": "a", "rows": 3, "sha256": "00"}
    assert FileFact("a", 3, "00", "csv", ";").as_dict()["separator"] == ";"


# -- files that other tools made


def lists(bags):
    return [sorted(Counter(bags.record(i)).elements()) for i in range(len(bags))]


@pytest.mark.parametrize(
    ("name", "text", "found", "says"),
    [
        (
            "a.txt",
            "1 2 3\n\n4 4\n",
            [["1", "2", "3"], [], ["4", "4"]],
            "items separated by blanks (detected)",
        ),
        (
            "a.csv",
            "milk,bread,\n*,*,bread\n,,\n",
            [["bread", "milk"], ["*", "*", "bread"], []],
            "separated by comma (detected)",
        ),
        ("a.csv", '"tea, green",b\n', [["b", "tea, green"]], "separated by comma (detected)"),
        ("a.csv", "id;items\n1;a|b|b\n2;\n", [["a", "b", "b"], []], "separated by bar (detected)"),
        ("a.csv", 'items\n"a, b"\nc\n', [["a", "b"], ["c"]], "separated by comma (detected)"),
        ("a.csv", "items\n1 2\n3\n", [["1", "2"], ["3"]], "separated by blanks (detected)"),
        (
            "a.csv",
            "items\nwhole milk\ntea\n",
            [["whole milk"], ["tea"]],
            "separated by semicolon (detected)",
        ),
        (
            "a.csv",
            "record,item\nx,a\ny,b\nx,c\nz,\n",
            [["a", "c"], ["b"], []],
            "one row per record and item",
        ),
        (
            "a.tsv",
            "TID\titem\tcount\n1\ta\t2\n1\tb\t1\n",
            [["a", "a", "b"]],
            "one row per record and item",
        ),
        ("a.jsonl", '["a", "b"]\n[]\n', [["a", "b"], []], "one JSON record per line"),
        ("a", '{"n": 1, "terms": ["a", 2]}\n', [["2", "a"]], "one JSON record per line"),
        ("a.txt.gz", "a\tb c\n", [["a", "b c"]], "separated by tab (detected)"),
    ],
)
def test_files_of_other_tools(tmp_path, name, text, found, says):
    bags, notes = read_records(written(tmp_path, name, text))
    assert lists(bags) == found
    assert any(says in note for note in notes)


def test_the_separator_of_another_tool_may_be_named(tmp_path):
    bags, notes = read_records(written(tmp_path, "a.csv", "items\na-b\nc\n"), sep="-")
    assert lists(bags) == [["a", "b"], ["c"]]
    assert "the items in column 'items' are separated by '-' (specified)" in notes
    assert lists(read_records(written(tmp_path, "a", "a|b c\n"), sep="|")[0]) == [["a", "b c"]]


def test_what_was_counted_how_is_said(tmp_path):
    _, notes = read_records(written(tmp_path, "a.txt", "* a *\n\n\nb\n"))
    assert "4 records" in notes
    assert "2 records are empty; they count as records" in notes
    assert "'*' occurs 2 times; it counts as an ordinary item" in notes


def test_long_tables_and_lists_in_parquet(tmp_path):
    pl.DataFrame({"record": [5, 5, 9], "item": ["a", "b", "a"], "count": [1, 3, 1]}).write_parquet(tmp_path / "long")
    assert lists(read_records(tmp_path / "long")[0]) == [["a", "b", "b", "b"], ["a"]]
    pl.DataFrame({"set": [["a", None], [], None]}).write_parquet(tmp_path / "lists")
    bags, notes = read_records(tmp_path / "lists")
    assert lists(bags) == [["a"], [], []]
    assert "1 nulls in the lists are ignored" in notes
    pl.DataFrame({"items": ["a;b", "c"]}).write_parquet(tmp_path / "joined")
    assert lists(read_records(tmp_path / "joined")[0]) == [["a", "b"], ["c"]]


def test_a_release_is_judged_whole_or_not_at_all(tmp_path):
    for name, raw in {
        "a.txt": b"a b\n\xe9\n",
        "a.csv": b"record,item\n1,a\n2\n",
        "a.jsonl": b'["a"]\n{"x": 1}\n',
    }.items():
        with refuses("defective-rows") as caught:
            read_records(written(tmp_path, name, raw))
        assert "whole or not at all" in caught.value.hint


def test_counts_must_be_positive_numbers(tmp_path):
    with refuses("invalid-counts"):
        read_records(written(tmp_path, "a.csv", "record,item,count\n1,a,1\n1,b,0\n"))


def test_parquet_without_records_is_refused(tmp_path):
    pl.DataFrame({"x": [1], "y": [2]}).write_parquet(tmp_path / "a")
    with refuses("missing-column", columns=["x", "y"]):
        read_records(tmp_path / "a")
    with refuses("unreadable-file"):
        read_records(written(tmp_path, "b", "a\n"), "parquet")


def test_a_file_of_empty_records_is_read(tmp_path):
    write_records(release_of([[]], [3]).bag_table, tmp_path / "a", "transactions")
    assert lists(read_records(tmp_path / "a")[0]) == [[], [], []]
