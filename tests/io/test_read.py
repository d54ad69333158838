"""Reading query logs and tables: every row is used, or counted and placed."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, date, datetime

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.errors import refuses
from helpers.files import AOL_HEADER, aol, written
from shoal import kernels
from shoal.errors import in_python
from shoal.io.read import json_lines, parquet, source
from shoal.io.read.dispatch import ReadOptions, read

AT = "2006-03-01 07:17:12"
LINES = {"format": "transactions"}


def events_of(reading):
    """The events as (owner, time, payload)."""
    frame = reading.data.frame
    times = frame["time"].to_list() if "time" in frame.columns else [None] * len(frame)
    return list(zip(frame["owner"].to_list(), times, frame["payload"].to_list(), strict=True))


def read_text(tmp_path, name, content, /, **options):
    return read(written(tmp_path, name, content), ReadOptions(**{"malformed": 1.0} | options))


@pytest.fixture(params=[7, 64, 8 << 20], ids=["tiny chunks", "small chunks", "whole"])
def any_chunk(request, monkeypatch):
    monkeypatch.setattr(source, "CHUNK", request.param)


# -- query logs


@pytest.mark.parametrize("name", ["log", "log.gz", "log.zst"])
@pytest.mark.parametrize("header", [True, False])
def test_clicks_on_one_query_count_once(tmp_path, any_chunk, name, header):
    rows = [
        f"142|rentdirect.com|{AT}|1|http://a",
        f"142|rentdirect.com|{AT}|2|http://b",
        f"142|a much longer query than that|{AT}",
        "142|rentdirect.com|2006-03-01 07:17:13",
        f"217|rentdirect.com|{AT}",
        f"142|rentdirect.com|{AT}|9|http://c",
    ]
    reading = read_text(tmp_path, name, aol(*rows, header=header))
    first = datetime(2006, 3, 1, 7, 17, 12)
    assert events_of(reading) == [
        (0, first, "rentdirect.com"),
        (0, first, "a much longer query than that"),
        (0, datetime(2006, 3, 1, 7, 17, 13), "rentdirect.com"),
        (1, first, "rentdirect.com"),
    ]
    assert reading.rows.as_dict() == {"in": 6, "used": 4, "repeated clicks": 2}
    assert (reading.format, reading.data.kind, bool(reading.defects)) == ("querylog", "text", False)


def test_excites_log(tmp_path):
    text = "2A9E\t970916105432\t+md foods +proteins\nBED7\t970916001949\tyahoo chat\n2A9E\t991231235959\t\n"
    reading = read_text(tmp_path, "x.log", text)
    assert events_of(reading) == [
        (0, datetime(1997, 9, 16, 10, 54, 32), "+md foods +proteins"),
        (1, datetime(1997, 9, 16, 0, 19, 49), "yahoo chat"),
        (0, datetime(1999, 12, 31, 23, 59, 59), ""),
    ]
    assert reading.empty_texts == 1
    assert "1 queries are empty" in reading.notes


def test_a_dash_is_an_empty_query_in_aols_log(tmp_path):
    reading = read_text(tmp_path, "log", aol(f"1|-|{AT}", f"2|a|{AT}"))
    assert (reading.empty_texts, reading.rows["used"]) == (1, 2)
    assert [b.n_owners for b in [reading.data.bags()]] == [2]
    assert reading.data.bags().lengths.tolist() == [0, 1]


def test_stripped_trailing_tabs_do_no_harm_in_aols_log(tmp_path):
    reading = read_text(tmp_path, "log", f"{AOL_HEADER}\n1\ta\t{AT}\n2\tb\t{AT}\t1\thttp://b\n")
    assert reading.rows.as_dict() == {"in": 2, "used": 2}


def test_quotes_in_a_log_with_tabs_are_letters(tmp_path):
    reading = read_text(tmp_path, "log", aol(f'1|"open|{AT}', f'2|b "c" d|{AT}'))
    assert [e[2] for e in events_of(reading)] == ['"open', 'b "c" d']


def test_times_are_optional(tmp_path):
    reading = read_text(tmp_path, "a.csv", "user,query\n1,a\n1,a\n")
    assert events_of(reading) == [(0, None, "a"), (0, None, "a")]
    assert "no time column" in reading.notes


@pytest.mark.parametrize(
    ("written_as", "says"),
    [
        ("2006-03-01 07:17:12", "date and time"),
        ("2006-03-01T07:17:12Z", "date and time"),
        ("060301071712", "digits"),
        ("1141197432", "seconds since 1970"),
        ("1141197432000", "milliseconds since 1970"),
    ],
)
def test_times_may_be_written_in_several_ways(tmp_path, written_as, says):
    reading = read_text(tmp_path, "a.csv", f"user,time,query\n1,{written_as},a\n")
    assert events_of(reading)[0][1] == datetime(2006, 3, 1, 7, 17, 12)
    assert f"time format: {says}" in reading.notes


def test_a_mixture_of_times_is_announced(tmp_path):
    reading = read_text(tmp_path, "a.csv", "user,time,query\n1,2006-03-01,a\n1,2006-03-02 10:00,b\n1,2006-03-03,c\n")
    assert "time formats: date and time (1 rows), date (2 rows)" in reading.notes


# -- defects


def test_headers_of_joined_files_are_nobodys_rows(tmp_path, any_chunk):
    rows = "1\tsome words\t2006-03-01 07:17:12\t\t\n2\tothers\t2006-03-01 07:17:13\t\t\n"
    one = f"{AOL_HEADER}\n{rows}"
    odd = "AnonID\tQuery\t2006-03-02 07:17:12\t\t\nAnonID\twords\tQueryTime\t\t\n"  # a user and a query of these names
    reading = read_text(tmp_path, "joined", f"{one}{one}\ufeff{one}{odd}".encode())
    assert dict(reading.defects.lines) == {"repeated header": (4, 7), "unreadable time": (11,)}
    assert sorted({payload for _, _, payload in events_of(reading)}) == ["Query", "others", "some words"]
    assert reading.data.n_owners == 3
    assert reading.rows.as_dict() == {
        "in": 10,
        "used": 3,
        "repeated clicks": 4,
        "malformed: repeated header": 2,
        "malformed: unreadable time": 1,
    }


def test_a_repeated_header_is_no_person_where_times_are_not_needed(tmp_path):
    rows = "1\tsome words\t2006-03-01 07:17:12\t\t\n"
    reading = read_text(tmp_path, "log", f"{AOL_HEADER}\n{rows}{AOL_HEADER}\n".encode(), needs_times=False)
    assert reading.data.n_owners == 1
    assert dict(reading.defects.lines) == {"repeated header": (3,)}


def test_the_mark_of_a_joined_file_may_be_before_any_column(tmp_path):
    reading = read_text(tmp_path, "joined.csv", "item,user\ntea,ann\n\ufeffitem,user\ntea,bob\n")
    assert dict(reading.defects.lines) == {"repeated header": (3,)}


@pytest.mark.parametrize("header", ["USER\tITEM", "User\tItem", "\ufeffUser\titem", '"USER"\t"item"', '\ufeff"user"\t"item"'])
def test_a_header_in_capitals_or_quotes_is_nobodys_row_either(tmp_path, header: str):
    reading = read_text(tmp_path, "joined.tsv", f"user\titem\nann\ttea\n{header}\nuser\ttea\nann\titem\n")
    assert dict(reading.defects.lines) == {"repeated header": (3,)}
    assert reading.data.n_owners == 2
    assert not [note for note in reading.notes if "cannot be parsed" in note]


def test_defective_rows_are_counted_and_placed(tmp_path, any_chunk):
    lines = [
        AOL_HEADER.encode(),
        b"1\tgood\t2006-03-01 07:17:12\t\t",  # 2
        b"1\tshort",
        b"",
        b"1\tgood\t2006-03-01 07:17:13\t\t\tlong",  # 5
        b"1\tl\xe4tin\t2006-03-01 07:17:14\t\t",
        b"1\tzero\0\t2006-03-01 07:17:15\t\t",
        b"\tnobody\t2006-03-01 07:17:16\t\t",  # 8
        b"  \tnobody\tnever\t\t",
        b"1\twhen\t2006-02-30 07:17:16\t\t",
        b"1\twhen\t\t\t",  # 11
        b"2\tl\xc3\xa4st\t2006-03-01 07:17:17\t\t",
    ]
    for end, name in ((b"\n", "a.gz"), (b"\r\n", "b"), (b"\n", "c.zst")):
        reading = read_text(tmp_path, name, end.join(lines))
        assert dict(reading.defects.lines) == {
            "too few fields": (3,),
            "too many fields": (5,),
            "not UTF-8": (6,),
            "binary bytes": (7,),
            "no user": (8, 9),
            "unreadable time": (10, 11),
        }
        assert [e[2] for e in events_of(reading)] == ["good", "läst"]
        assert reading.rows["malformed: no user"] == 2
        assert reading.rows.as_dict() == {
            "in": 11,
            "used": 2,
            "blank lines": 1,
            **{f"malformed: {k}": n for k, n in reading.defects.counts.items()},
        }


def test_only_the_first_lines_of_many_defects_are_listed(tmp_path):
    rows = [f"1|a|{AT}", *["1|a|never"] * 1000]
    reading = read_text(tmp_path, "log", aol(*rows))
    assert reading.defects.counts == {"unreadable time": 1000}
    assert reading.defects.lines["unreadable time"] == tuple(range(3, 23))
    assert reading.defects.described()[0].endswith("21, 22 and 980 more")


def test_under_strict_a_defect_is_an_error_that_names_its_line(tmp_path, any_chunk):
    text = aol(f"1|a|{AT}", "1|a secret|never", "1|b|never")
    with refuses("defective-rows") as caught:
        read_text(tmp_path, "log", text, strict=True)
    assert caught.value.facts["rows"]["unreadable time"][0] == 3
    assert "secret" not in str(caught.value)
    assert len(read_text(tmp_path, "log", aol(f"1|a|{AT}"), strict=True).data) == 1


def test_a_file_without_a_usable_row_is_refused(tmp_path):
    with refuses("no-usable-rows"):
        read_text(tmp_path, "log", AOL_HEADER + "\n")
    with refuses("no-usable-rows"):
        read_text(tmp_path, "log", AOL_HEADER)
    with refuses("no-usable-rows", rows={"unreadable time": [2, 3]}):
        read_text(tmp_path, "log", aol("1|a|never", "1|b|never"))
    with refuses("no-usable-rows"):
        read_text(tmp_path, "blank", "\n\n \n")


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(tmp_path, any_chunk):
    reading = read_text(tmp_path, "a.csv", b"\xef\xbb\xbfuser,query\r\n1,a\r\n2,b\r\n")
    assert events_of(reading) == [(0, None, "a"), (1, None, "b")]


def test_quoted_fields_may_hold_separators_quotes_and_line_ends(tmp_path, any_chunk):
    text = 'user,query,"time"\n1,"a, ""b""\nc",2006-03-01\n1,"broken,2006-03-01\n2,d,never\n3,e,2006-03-01\n'
    reading = read_text(tmp_path, "a.csv", text)
    assert [e[2] for e in events_of(reading)] == ['a, "b"\nc', "e"]
    assert dict(reading.defects.lines) == {"quote never closed": (4,), "unreadable time": (5,)}


def test_blanks_around_a_name_do_not_make_another_person(tmp_path):
    reading = read_text(tmp_path, "a.csv", 'user,query\n 7,a\n7 ,b\n"7",c\n')
    assert reading.data.n_owners == 1


def test_a_very_long_line_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "CHUNK", 1 << 16)
    long = "word " * 400_000
    reading = read_text(tmp_path, "a.csv", f"user,query\n1,{long}\n2,b\n")
    assert [len(e[2]) for e in events_of(reading)] == [len(long.strip()), 1]


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 5), st.sampled_from(["a", "b c", "a rather long query"])),
        min_size=1,
        max_size=40,
    ),
    st.integers(1, 200),
    st.integers(1, 3),
)
@settings(deadline=None, max_examples=60)
def test_any_log_in_any_chunks_is_a_set_of_events(tmp_path_factory, rows, chunk, threads):
    text = aol(*(f"u{u}|{q}|2006-03-01 07:17:{s:02}" for u, s, q in rows))
    with pytest.MonkeyPatch.context() as patch, kernels.using(threads=threads):
        patch.setattr(source, "CHUNK", chunk)
        reading = read_text(tmp_path_factory.mktemp("read"), "log", text)
    codes = {u: i for i, u in enumerate(dict.fromkeys(u for u, _, _ in rows))}
    expected = [(codes[u], datetime(2006, 3, 1, 7, 17, s), q) for u, s, q in dict.fromkeys(rows)]
    assert events_of(reading) == expected
    assert reading.rows.as_dict()["in"] == len(rows)


# -- tables


def test_tables_keep_every_row(tmp_path):
    rows = ["2\t2009-04-01\ttrip-hop"] * 2 + ["3\t2009-04-02\t", "4\t2009-04-02\ttrip-hop"]
    text = "\n".join(["user\ttime\ttag", *rows]) + "\n"
    reading = read_text(tmp_path, "t.tsv", text)
    assert (reading.format, reading.data.kind) == ("table", "item")
    bags = reading.data.bags()
    assert [bags.record(i) for i in range(len(bags))] == [{"trip-hop": 2}, {"trip-hop": 1}]
    assert dict(reading.defects.lines) == {"no item": (4,)}


def test_items_are_not_split(tmp_path):
    bags = read_text(tmp_path, "t.csv", "user,item\n1,whole milk\n1,tea\n").data.bags()
    assert bags.record(0) == {"whole milk": 1, "tea": 1}


# -- JSON lines and Parquet


@pytest.mark.parametrize("fewest", [1, 32])
def test_json_lines(tmp_path, any_chunk, monkeypatch, fewest):
    monkeypatch.setattr(json_lines, "FEWEST_LINES", fewest)
    lines = [
        '{"user": 7, "time": "2006-03-01 07:17:12", "text": "a b", "more": [1]}',
        "not json",
        '{"user": "7", "time": 1141197432, "text": "a b"}',
        "",
        '{"user": 7.0, "time": 1141197433}',
        '{"user": null, "time": 1141197433, "text": "x"}',
        "[1, 2]",
        '{"user": 8, "time": 1141197433, "text": ["x"]}',
        '{"user": 8, "time": true, "text": "x"}',
        '{"user": 9, "time": 1141197433, "text": "ü\\n"}',
    ]
    reading = read_text(tmp_path, "a.jsonl.gz", "\n".join(lines))
    moment = datetime(2006, 3, 1, 7, 17, 12)
    later = moment.replace(second=13)
    assert events_of(reading) == [(0, moment, "a b"), (0, later, ""), (1, later, "ü")]
    assert dict(reading.defects.lines) == {
        "not JSON": (2,),
        "no user": (6,),
        "not a JSON object": (7,),
        "neither text nor number": (8, 9),
    }
    assert reading.rows["repeated clicks"] == 1
    with refuses("defective-rows", rows={"not JSON": [2]}):
        read_text(tmp_path, "a.jsonl.gz", "\n".join(lines[:2] + lines[3:5]), strict=True)


def test_parquet(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "ROWS_AT_ONCE", 2)
    path = tmp_path / "a.parquet"
    moment = datetime(2006, 3, 1, 7, 17, 12)
    pl.DataFrame(
        {
            "user": [1, 1, None, 2, 2],
            "time": [moment, moment, moment, None, moment],
            "text": ["a", "a", "b", "c", None],
            "rank": [1, 2, 3, 4, 5],
        }
    ).write_parquet(path)
    reading = read(path, ReadOptions(malformed=1.0))
    assert events_of(reading) == [(0, moment, "a"), (1, moment, "")]
    assert dict(reading.defects.lines) == {"no user": (3,), "unreadable time": (4,)}
    with refuses("defective-rows", rows={"no user": [3], "unreadable time": [4]}):
        read(path, ReadOptions(strict=True))


def test_a_rank_in_other_digits_is_malformed(tmp_path):
    text = "user,time,text,rank\n1,2006-03-01,a,3\n2,2006-03-01,a,\u0663\n3,2006-03-01,a,1.0\n"
    reading = read_text(tmp_path, "a.csv", text, rank="rank", needs_clicks=True, malformed=0.5)
    assert dict(reading.defects.lines) == {"rank is not a whole number": (3,)}
    assert reading.data.frame["rank"].to_list() == [3, 1]


def test_typed_times_of_parquet_are_understood(tmp_path):
    moment = datetime(2006, 3, 1, 7, 17, 12, 345678)
    columns = {
        "ns": (pl.Series([moment], dtype=pl.Datetime("ns")), moment),
        "zoned": (
            pl.Series([moment.replace(tzinfo=UTC)], dtype=pl.Datetime("us", "UTC")).dt.convert_time_zone("Asia/Tokyo"),
            moment,
        ),
        "date": (pl.Series([date(2006, 3, 1)]), datetime(2006, 3, 1)),
        "epoch": (pl.Series([1141197432]), moment.replace(microsecond=0)),
    }
    for name, (series, expected) in columns.items():
        pl.DataFrame({"user": [1], "when": series, "query": ["a"]}).write_parquet(tmp_path / name)
        assert events_of(read(tmp_path / name))[0][1] == expected


def test_damaged_parquet_is_refused(tmp_path):
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1" + bytes(100) + b"PAR1")
    with refuses("damaged-file"):
        read(path)


# -- transactions


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("1 2 3 \n4 5\n", {}, [["1", "2", "3"], ["4", "5"]]),
        ("citrus fruit,milk\nmilk,milk\n", LINES, [["citrus fruit", "milk"], ["milk", "milk"]]),
        ('"a, b", c\n', LINES, [["a, b", "c"]]),
        ("a b\tc\nd\n", LINES, [["a b", "c"], ["d"]]),
        ("a|b c\n", LINES | {"sep": "|"}, [["a", "b c"]]),
        ("a b,c\n", LINES | {"sep": "blanks"}, [["a", "b,c"]]),
        ("items here\na b\n", LINES | {"header": True}, [["a", "b"]]),
        ("items here\na b\n", LINES, [["items", "here"], ["a", "b"]]),
        ('{"items": ["a", "a b"]}\n{"items": []}\n', {}, [["a", "a b"], []]),
    ],
)
def test_transactions(tmp_path, any_chunk, text, options, expected):
    reading = read_text(tmp_path, "a", text, **options)
    bags = reading.data
    assert reading.format == "transactions"
    assert [Counter(bags.record(i)) for i in range(len(bags))] == [Counter(e) for e in expected]
    assert bags.owners.tolist() == list(range(len(expected)))
    assert reading.rows.as_dict() == {"in": len(expected), "used": len(expected)}


def test_blank_and_broken_lines_of_transactions_are_counted(tmp_path, any_chunk):
    reading = read_text(tmp_path, "a.gz", b"1 2\n\n3 \xe9\n \n4\n")
    assert reading.rows.as_dict() == {"in": 5, "used": 2, "blank lines": 2, "malformed: not UTF-8": 1}
    assert dict(reading.defects.lines) == {"not UTF-8": (3,)}
    assert 'encoding="latin-1"' in in_python(reading.notes[-1])
    with refuses("defective-rows", rows={"not UTF-8": [3]}):
        read_text(tmp_path, "a.gz", b"1 2\n\n3 \xe9\n \n4\n", strict=True)


def test_lists_in_parquet_are_transactions(tmp_path):
    path = tmp_path / "a"
    pl.DataFrame({"basket": [["b", "a", None], None, [], ["a", "a"]]}).write_parquet(path)
    reading = read(path, ReadOptions(malformed=1.0))
    assert "1 nulls in the lists are ignored" in reading.notes
    assert [reading.data.record(i) for i in range(3)] == [{"b": 1, "a": 1}, {}, {"a": 2}]
    assert dict(reading.defects.lines) == {"no list of items": (2,)}


def test_json_without_a_list_is_a_defect(tmp_path):
    lines = [{"items": ["a"]}, {"items": "a"}, {"other": []}, {"items": [["a"]]}, {"items": [1, "b"]}]
    reading = read_text(tmp_path, "a.jsonl", "\n".join(map(json.dumps, lines)))
    assert dict(reading.defects.lines) == {"no list of items": (2, 3, 4)}
    assert [reading.data.record(i) for i in range(2)] == [{"a": 1}, {"1": 1, "b": 1}]
