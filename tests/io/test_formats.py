"""Formats are guessed from names, headers and first lines, and the guess is announced."""

from __future__ import annotations

import polars as pl
import pytest

from helpers.errors import refuses
from helpers.files import aol, written
from shoal.errors import ParameterError
from shoal.io.read.columns import find_roles
from shoal.io.read.delimited import one_byte
from shoal.io.read.formats import find_layout, guess
from shoal.io.read.options import ReadOptions
from shoal.io.read.source import Source

ROWS = ["7|a|2006-03-01 07:17:12", "8|b|2006-03-01 07:17:13"]


@pytest.mark.parametrize(
    ("name", "text", "format", "says"),
    [
        ("log.txt", aol(*ROWS), "querylog", "AOL's header"),
        ("log.txt.gz", aol(*ROWS, header=False), "querylog", "AOL's columns without a header"),
        ("log.zst", "7\ta\t2006-03-01 07:17:12\n", "querylog", "AOL's columns without a header"),
        (
            "x.log",
            "2A9E\t970916105432\t+md foods\nBED7\t970916001949\tyahoo\n",
            "querylog",
            "Excite's columns",
        ),
        ("q.csv", "user_id,query\n1,a\n", "querylog", "its header"),
        ("q.csv", "User ID;Time;Search-Term\n1;2;a\n", "querylog", "its header"),
        ("t.tsv", "user\ttime\ttag\n2\t2009-04-01\tchillout\n", "table", "its header"),
        ("t.csv", "customer,product\n1,milk\n", "table", "its header"),
        ("t.jsonl", '{"user": 1, "item": "milk"}\n', "table", "JSON lines"),
        ("q.unknown", '{"user": 1, "text": "a b"}\n', "querylog", "JSON lines"),
        ("b.jsonl", '{"id": 1, "items": ["a", "b"]}\n', "transactions", "a column of lists"),
        ("b.dat", "1 2 3\n4 5\n", "transactions", "lines without known columns"),
        ("b.csv", "milk,bread\ntea\ntea,milk,ham\n", "transactions", "lines without known columns"),
        ("b.csv", "{a,b}\n{c}\n{a,b,c}\n", "transactions", "lines without known columns"),
        ("tag,item.csv", "tag,item,term\nword,product\nitem\n", "transactions", "lines without known columns"),
    ],
)
def test_formats_are_guessed_and_announced(tmp_path, name, text, format, says):
    guessed, announcement = guess(written(tmp_path, name, text))
    assert guessed == format
    assert says in announcement
    assert format in announcement


def test_parquet_is_guessed_by_its_columns(tmp_path):
    pl.DataFrame({"AnonID": [1], "Query": ["a"]}).write_parquet(tmp_path / "a")
    assert guess(tmp_path / "a") == ("querylog", "format querylog, detected from its columns (Parquet)")
    pl.DataFrame({"basket": [["a", "b"]], "n": [1]}).write_parquet(tmp_path / "b")
    assert guess(tmp_path / "b")[0] == "transactions"


@pytest.mark.parametrize(
    ("text", "separator"),
    [("1 2 3\n4\n", ""), ("a b,c\nd\nc,d,e\n", ","), ("a b;c\nd\nc;d;e\n", ";"), ("a,b\tc\nd\te\td\nc\n", "\t")],
)
def test_the_separator_of_items_is_guessed(tmp_path, text, separator):
    layout = find_layout(Source.of(written(tmp_path, "a", text)), ReadOptions())
    assert (layout.format, layout.separator) == ("transactions", separator)
    assert "detected" in layout.notes[1]


def layout_of(tmp_path, content, /, **options):
    return find_layout(Source.of(written(tmp_path, "a.csv", content)), ReadOptions(**options))


def test_what_the_user_names_comes_first(tmp_path):
    text = "who,user,what,query\n1,2,a,b\n"
    named = layout_of(tmp_path, text, user="who", text="what")
    assert dict(named.places) == {"user": 0, "text": 2}
    assert "user = 'who', text = 'what'" in named.notes[1]
    known = layout_of(tmp_path, text)
    assert dict(known.places) == {"user": 1, "text": 3}


def test_named_columns_decide_the_format(tmp_path):
    text = "user,query,item\n1,a,b\n"
    assert layout_of(tmp_path, text).format == "querylog"
    assert layout_of(tmp_path, text, item="item").format == "table"
    assert layout_of(tmp_path, text, format="table").format == "table"
    assert layout_of(tmp_path, text, format="transactions").format == "transactions"
    assert layout_of(tmp_path, text, format="transactions").notes[0] == "format transactions (specified)"


def test_fields_may_be_numbered(tmp_path):
    layout = layout_of(tmp_path, "1,x,a b\n", user="1", text="3")
    assert (dict(layout.places), layout.header) == ({"user": 0, "text": 2}, False)
    assert "user = field 1, text = field 3" in layout.notes[1]
    with_header = layout_of(tmp_path, "id,user,query\n1,x,a b\n", user="2", text="3")
    assert (dict(with_header.places), with_header.header) == ({"user": 1, "text": 2}, True)
    with refuses("missing-column", value="4"):
        layout_of(tmp_path, "1,x,a b\n", user="1", text="4")


def test_a_few_malformed_lines_do_not_hide_the_format(tmp_path):
    rows = [*ROWS * 5, "9|c|never"]
    assert guess(written(tmp_path, "a", aol(*rows, header=False)))[0] == "querylog"
    with refuses("unrecognized-input"):
        guess(written(tmp_path, "a", aol(*["9|c|never", "a|b"] * 9, header=False)))


def test_a_missing_column_is_named_with_those_there_are(tmp_path):
    with refuses("missing-column", columns=["who", "when", "what"]) as caught:
        layout_of(tmp_path, "who,when,what\nalice,2,a\n", user="who", text="query")
    assert "alice" not in str(caught.value)


@pytest.mark.parametrize("text", ["alice,secret query\nalice,other\n", "2A9E,970916105432,x\n", "alice,tea\nbob,milk\nalice,ham\n"])
def test_data_in_place_of_a_header_is_not_shown(tmp_path, text):
    with refuses("missing-column") as caught:
        layout_of(tmp_path, text, user="who", item="what")
    assert not any(word in str(caught.value) for word in ("alice", "secret", "2A9E", "tea"))


@pytest.mark.parametrize(("options", "code"), [({}, "unrecognized-input"), ({"user": "who"}, "missing-column")])
def test_a_first_line_that_was_said_to_be_data_is_not_shown(tmp_path, options, code):
    """Although it holds a name of a column: here somebody bought a card."""
    with refuses(code) as caught:
        layout_of(tmp_path, "alice,card,12\nbob,milk,13\ncid,tea,14\n", header=False, **options)
    assert "alice" not in str(caught.value)


@pytest.mark.parametrize(
    ("names", "time"), [(["user", "item", "sold_at"], 2), (["user", "order_date", "item", "ts"], 3), (["user", "item", "sold"], None)]
)
def test_a_longer_name_is_a_time_only_without_a_shorter_one(names: list[str], time: int | None) -> None:
    assert find_roles(names, ReadOptions(needs_times=True)).get("time") == time


def test_columns_of_one_name_are_refused_where_they_matter(tmp_path):
    with refuses("duplicate-column", value="who"):
        layout_of(tmp_path, "who,who,query\n1,2,a\n", user="who")
    with refuses("ambiguous-column", role="user", columns=["user", "user"]):
        layout_of(tmp_path, "user,user,query\n1,2,a\n")
    with refuses("ambiguous-column", role="time", columns=["date", "time"]):
        layout_of(tmp_path, "user,date,time,query\n1,2,3,a\n")
    assert layout_of(tmp_path, "user,x,x,query\n1,2,3,a\n").format == "querylog"


def test_a_column_cannot_have_two_roles(tmp_path):
    with pytest.raises(ParameterError) as refused:
        layout_of(tmp_path, "user,query\n1,a\n", user="query")
    assert refused.value.code == "column-role-conflict"


def test_a_broken_first_line_is_no_header(tmp_path):
    path = written(tmp_path, "a.csv", b"user,qu\xe9ry\nuser,query\n")
    with refuses("not-utf8") as refused:
        find_layout(Source.of(path), ReadOptions(user="user", text="query"))
    assert "encoding" in refused.value.options


def test_options_that_contradict_each_other_are_refused():
    with refuses("unknown-format", value="xml"):
        ReadOptions(format="xml")
    with refuses("options-conflict"):
        ReadOptions(text="a", item="b")
    with refuses("option-not-applicable"):
        ReadOptions(format="querylog", item="b")


def test_separators_may_be_written_as_words():
    assert [one_byte(s) for s in ("tab", "\\t", "\t", "comma", "blanks", "|")] == [
        "\t",
        "\t",
        "\t",
        ",",
        "",
        "|",
    ]
    for wrong in ("ab", "é", "\n", '"'):
        with refuses("invalid-separator"):
            one_byte(wrong)


def test_a_file_of_json_that_are_no_objects_is_refused(tmp_path):
    with refuses("not-json-lines"):
        guess(written(tmp_path, "a.jsonl", "1\n2\n"))
