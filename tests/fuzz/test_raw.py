"""The checker reads odd files as the documentation says, by itself: whose a row is, which rows are malformed, and what must be refused."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from fuzz.case import Case
from fuzz.check.raw import must_refuse, one_spelling, read_raw, read_time
from fuzz.check.records import raw_records

JSON_LINES = [
    ('{"user": "ann", "item": "tea"}', ""),
    ('{"user": NaN, "item": "tea"}', "no user"),
    ('{"user": "ann", "item": null}', "no item"),
    ('{"user": "ann", "item": "tea", "item": "tea"}', "a key twice"),
    ('{"user": "ann", "item": "tea", "other": 1, "other": 2}', ""),
    ('{"user": "ann", "item": ["tea"]}', "neither text nor number"),
    ('{"user": "ann", "item": Infinity}', "an infinite number"),
    ('{"user": "ann", "item": 1e999}', "an infinite number"),
    ('{"user": "ann", "item": "\\ud800"}', "half a character"),
    ("[1]", "not a JSON object"),
    ('{"user": "ann"', "not JSON"),
]
TABLE_LINES = [
    (b"ann,tea", ""),
    (b"ann", "too few fields"),
    (b"ann,tea,x", "too many fields"),
    (b"user,item", "repeated header"),
    (b"\xef\xbb\xbfuser,item", "repeated header"),
    (b"User,ITEM", "repeated header"),
    (b",tea", "no user"),
    (b"ann, ", "no item"),
    (b"ann,\xff", "not UTF-8"),
    (b"ann,\0", "binary bytes"),
    (b'ann,"tea"x', "misplaced quote"),
    (b'ann,"a, b"', ""),
    (b'ann,"te', "quote never closed"),
]
REQUEST = '[17/May/2015:10:05:03 +0000] "GET /a HTTP/1.1" 200 5'
ADDRESS_LINES = [
    (f"192.0.2.1 - - {REQUEST}", ""),
    (f"shop.example.org:443 192.0.2.1 - - {REQUEST}", "not a line of an access log"),
    (f"192.0.2.1, 10.0.0.1 - - {REQUEST}", "not a line of an access log"),
    (f"192.0.2.1,10.0.0.1 - - {REQUEST}", "not an address"),
    (f"192.0.2.1:5000 - - {REQUEST}", "not an address"),
    (f"010.0.2.1 - - {REQUEST}", "not an address"),
    (f"- - - {REQUEST}", "no user"),
    (f"192.0.2.1 - - {REQUEST.replace('May', 'Mai')}", "unreadable time"),
]


@pytest.mark.parametrize(
    ("form", "name", "head", "lines"),
    [
        ("table", "input.jsonl", b"", [(text.encode(), reason) for text, reason in JSON_LINES]),
        ("table", "input.csv", b"user,item\n", TABLE_LINES),
        ("accesslog", "input.log", b"", [(text.encode(), reason) for text, reason in ADDRESS_LINES]),
    ],
)
def test_each_reason(tmp_path: Path, form: str, name: str, head: bytes, lines: list[tuple[bytes, str]]) -> None:
    for line, reason in lines:
        (tmp_path / name).write_bytes(head + line + b"\n\n")
        raw = read_raw(Case(0, "km", form, [name]), tmp_path)
        assert (raw.defects, len(raw.rows)) == (([{reason}], 0) if reason else ([], 1)), line
        assert raw.blank == 1
    (tmp_path / name).write_bytes(head + b"\n".join(line for line, _ in lines) + b"\n")
    assert read_raw(Case(0, "km", form, [name]), tmp_path).reasons == Counter(reason for _, reason in lines if reason)


def test_one_person_in_json_is_one_whatever_the_form(tmp_path: Path) -> None:
    values = ["7", "7.0", '"7"', "7e0", '" 7 "']
    (tmp_path / "input.jsonl").write_text("".join(f'{{"user": {value}, "item": "tea"}}\n' for value in values))
    raw = read_raw(Case(0, "km", "table", ["input.jsonl"]), tmp_path)
    assert {row["user"] for row in raw.rows} == {"7"}


@pytest.mark.parametrize("form", ["ANN", "an\u200bn", "\ufeffann", "ａnn", "ann\ufe0f", "an\x01n", "'ann'"])
def test_spellings_of_one_name_must_be_refused_until_an_option_decides(tmp_path: Path, form: str) -> None:
    (tmp_path / "input.csv").write_text(f"user,item\nann,tea\n{form},tea\n", encoding="utf-8")
    case = Case(0, "km", "table", ["input.csv"])
    assert must_refuse(case, read_raw(case, tmp_path)) == ["user IDs differ in spelling only"]
    for owners, people in (("folded", 1), ("exact", 2)):
        case.said["owners"] = owners
        raw = read_raw(case, tmp_path)
        assert not must_refuse(case, raw)
        assert len({row["user"] for row in raw.rows}) == people


def test_repeated_prompts_are_events_and_repeated_clicks_are_one(tmp_path: Path) -> None:
    query = {"user": "ann", "time": "2020-01-01 09:00:00", "query": "green tea"}
    prompt = {"user": "ann", "timestamp": "2020-01-01T09:00:00Z", "conversation": [{"role": "user", "content": "green tea"}]}
    for form, row, events in (("querylog", query, 1), ("prompts", prompt, 2)):
        (tmp_path / f"{form}.jsonl").write_text(f"{json.dumps(row)}\n" * 2)
        records = raw_records(Case(0, "km", form, [f"{form}.jsonl"], {"per": "event"}), tmp_path)
        assert [record.items for record in records] == [("green", "tea")] * events


def test_forms_of_one_number() -> None:
    for form in ("7", "07", "7.0", "+7", "7e0", "70e-1", "７"):
        assert one_spelling(form) == "7"
    assert one_spelling("1000") == one_spelling("1e3")
    assert len({one_spelling(name) for name in ("7", "70", "-7", "0.7", "x7", "7x")}) == 6


def test_a_leap_second_is_the_second_after_it() -> None:
    assert str(read_time("2016-12-31 23:59:60")) == "2017-01-01 00:00:00"
    assert read_time("2016-12-31 23:59:61") is None
    assert read_time("yesterday") is None


def test_too_many_malformed_rows_must_be_refused(tmp_path: Path) -> None:
    (tmp_path / "input.csv").write_text("user,item\n" + "ann,tea\n" * 8 + ",tea\n")
    case = Case(0, "km", "table", ["input.csv"])
    assert must_refuse(case, read_raw(case, tmp_path)) == ["too many rows are malformed"]
    case.said["malformed"] = "0.2"
    assert must_refuse(case, read_raw(case, tmp_path)) == []
    case.said["strict"] = True
    assert must_refuse(case, read_raw(case, tmp_path)) == ["rows are malformed"]


@pytest.mark.parametrize(
    ("name", "text"),
    [("tree.json", '{"a": {"b": {"c": {}}, "d": {"c": {}}}}'), ("tree.tsv", "b\ta\nc\tb\nd\ta\nc\td\n")],
)
def test_a_taxonomy_with_a_name_twice_must_be_refused(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / "input.csv").write_text("user,item\nann,tea\n")
    (tmp_path / name).write_text(text)
    case = Case(0, "km", "table", ["input.csv"], {"taxonomy": name})
    assert must_refuse(case, read_raw(case, tmp_path)) == ["the taxonomy has a name twice"]
