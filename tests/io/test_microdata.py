"""Microdata: which columns are protected, and what is refused with its lines but never with its values."""

from __future__ import annotations

from datetime import timedelta

import polars as pl
import pytest

from helpers.errors import error, refuses
from helpers.files import written
from shoal.errors import InputError
from shoal.io.read.frames_in_memory import in_memory
from shoal.io.read.microdata import read_microdata
from shoal.io.read.options import ReadOptions
from shoal.io.read.source import Source


def read(path, **said):
    return read_microdata([Source.of(path)], ReadOptions(format="microdata", **said))


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.csv.zst"])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_every_column_of_numbers_is_a_quasi_identifier(tmp_path, name, ends):
    reading = read(written(tmp_path, name, ends.join(["age,income", "30,1e3", " 41 ,-2.5", ""])))
    assert reading.data.numbers.tolist() == [[30, 1000], [41, -2.5]]
    assert reading.data.owners.tolist() == [0, 1]
    assert reading.rows.total == 2
    assert reading.notes == (
        "format microdata, fields separated by comma, named by the first line",
        "quasi-identifiers: 'age', 'income'",
        "one user per row",
    )


def test_columns_are_kept_dropped_and_own_rows(tmp_path):
    path = written(tmp_path, "a.tsv", "who\tage\ttown\tzip\tpay\nx\t1\tBern\t3000\t5\ny\t2\t\t3001\t6\nx\t3\tBasel\t4000\t7\n")
    reading = read(path, user="who", keep=("town",), drop=("4",))
    assert [(a.name, a.kind, a.quasi) for a in reading.data.attributes] == [
        ("age", "numeric", True),
        ("town", "nominal", False),
        ("pay", "numeric", True),
    ]
    assert reading.data.attributes[1].values.to_list() == ["Bern", None, "Basel"]
    assert reading.data.owners.tolist() == [0, 1, 0]
    assert reading.notes[1:] == (
        "quasi-identifiers: 'age', 'pay'",
        "unchanged, without any protection: 'town'",
        "dropped: 'zip'",
        "user: column 'who'",
    )


def test_durations_are_refused_as_values_of_a_nominal_column():
    frame = in_memory(pl.DataFrame({"age": [1, 2, 3], "spent": [timedelta(minutes=1)] * 3}))
    with refuses("nested-values"):
        read_microdata([frame], ReadOptions(format="microdata", nominal=("spent",)))


def test_quasi_identifiers_that_are_chosen_leave_the_others_to_be_named(tmp_path):
    path = written(tmp_path, "a.csv", "a,b,c\n1,2,3\n4,5,6\n")
    with refuses("column-role-missing", columns=["2", "3"]):
        read(path, quasi=("a",))
    assert read(path, quasi=("a",), keep=("b",), drop=("c",)).data.numbers.tolist() == [[1], [4]]


def test_text_is_neither_published_nor_left_out_unasked(tmp_path):
    path = written(tmp_path, "a.csv", "a,name\n1,alice\n2,bob\n")
    with refuses("column-role-missing", columns=["2"]) as raised:
        read(path)
    assert "alice" not in str(raised.value)


def test_a_column_that_seems_to_name_owners_is_not_averaged(tmp_path):
    path = written(tmp_path, "a.csv", "User ID,a\n1,5\n1,6\n")
    with refuses("user-column-unclear"):
        read(path)
    assert read(path, user="User ID").data.n_owners == 1
    assert read(path, drop=("User ID",)).data.n_owners == 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a,b\n1,2\n3,\n\n,5\n", ["1 x missing in column 'b': line 3", "1 x missing in column 'a': line 5"]),
        ("a,b\n1,secret\n3,4\n5,hidden\n", ["2 x not a number in column 'b': lines 2, 4"]),
        ("a,b\n1,nan\n3,4\n5,-inf\n", ["2 x not finite in column 'b': lines 2, 4"]),
        ("a,b\n1,2\n3\n4,5\n", ["1 x too few fields: line 3"]),
        ("a,b\n1,2\n\ufeffa,b\n3,4\na,b\n", ["2 x repeated header: lines 3, 5"]),
        ("a,b\n1,2\nA,B\n3,4\n", ["1 x repeated header: line 3"]),
        ("a,b\n1,2\n3,4,secret\n", ["1 x too many fields: line 3"]),
        ('a,b\n1,"x\ny"\n3,"secret"\n5,6\n', ["2 x not a number in column 'b': lines 2, 4"]),
        ('a,b\n1,"2"\n3,"secret"\n', ["1 x not a number in column 'b': line 3"]),
    ],
)
def test_defects_are_refused_with_their_lines_and_without_their_values(tmp_path, text, told):
    with pytest.raises(InputError) as raised:
        read(written(tmp_path, "a.csv", text))
    assert all(words in str(raised.value) for words in told)
    assert "secret" not in str(raised.value)
    assert "hidden" not in str(raised.value)


def test_a_row_without_an_owner_is_refused(tmp_path):
    with refuses("defective-rows", rows={"no owner": [3]}):
        read(written(tmp_path, "a.csv", "who,a\nx,1\n,2\n"), user="who")


def test_empty_lines_are_counted_and_constant_columns_announced(tmp_path):
    reading = read(written(tmp_path, "a.csv", "a,b\n1,2\n\n1,4\n\n"))
    assert reading.data.numbers.tolist() == [[1, 2], [1, 4]]
    assert reading.rows.as_dict() == {"in": 4, "used": 2, "empty lines": 2}
    assert reading.notes[-2:] == ("constant, so no information is lost: 'a'", "2 empty lines are skipped")


def test_a_first_line_of_numbers_is_not_guessed(tmp_path):
    path = written(tmp_path, "a.csv", "1,2\n3,4\n")
    with refuses("header-unclear"):
        read(path)
    assert read(path, header=False).data.numbers.tolist() == [[1, 2], [3, 4]]
    assert [a.name for a in read(path, header=True).data.attributes] == ["1", "2"]


@pytest.mark.parametrize(
    ("text", "said", "match"),
    [
        ("a,b\n", {}, "no-usable-rows"),
        ("a,a\n1,2\n", {}, "invalid-column-names"),
        ("a,\n1,2\n", {}, "invalid-column-names"),
        ("name,town\nalice,Bern\n", {}, "no-numeric-column"),
        ("a,b\n1,2\n", {"quasi": ("z",)}, error("missing-column", value="z")),
        ('{"a": 1}\n', {}, "wrong-kind-of-input"),
        (b'a,b\n1,"2\n', {}, error("defective-rows", rows={"quote never closed": [2]})),
        (b"a,b\n1,\xff\n", {}, error("defective-rows", rows={"not UTF-8": [2]})),
        (b'a,"b\n1,2\n', {}, "unreadable-header"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path, text, said, match):
    with refuses(match):
        read(written(tmp_path, "a.csv", text), **said)


def test_a_column_has_one_role(tmp_path):
    with refuses("duplicate-column", value="a"):
        ReadOptions(format="microdata", quasi=("a",), drop=("a",))
    with refuses("column-role-conflict"):
        read(written(tmp_path, "a.csv", "a,b\n1,2\n"), quasi=("a",), drop=("1",))


def test_parquet(tmp_path):
    path = tmp_path / "a.parquet"
    pl.DataFrame({"a": [1, 2], "b": [0.5, 1.5], "day": ["mo", "tu"], "n": [7, 8]}).write_parquet(path)
    table = read(path, keep=("day", "n")).data
    assert table.numbers.tolist() == [[1, 0.5], [2, 1.5]]
    assert table.attributes[3].values.to_list() == [7, 8]
    pl.DataFrame({"a": [1, None, 2], "b": [1.0, float("nan"), 2.0]}).write_parquet(path)
    with refuses("defective-rows", rows={"missing in column 'a'": [2], "missing in column 'b'": [2]}):
        read(path)


def test_a_kept_column_of_categories_is_kept_as_texts(tmp_path):
    path = tmp_path / "a.parquet"
    for kind in (pl.Categorical(), pl.Enum(["x", "y"])):
        pl.DataFrame({"a": [1, 2, 3], "kept": pl.Series(["x", "y", None], dtype=kind)}).write_parquet(path)
        assert read(path, keep=("kept",)).data.attributes[1].values.to_list() == ["x", "y", None]


@pytest.mark.parametrize("forms", [("ann", "Ann", "ANN"), ("7", "7.0", "07"), ("7", "+7", " 7.0")])
def test_users_that_differ_in_spelling_are_asked_about(tmp_path, forms):
    path = tmp_path / "a.csv"
    path.write_text("id,age\n" + "".join(f"{form},{age}\n" for age, form in enumerate(forms)))
    with refuses("user-spelling-unclear"):
        read(path, user="id")
    assert read(path, user="id", owners="folded").data.n_owners == 1
    assert read(path, user="id", owners="exact").data.n_owners == 3


def test_blanks_of_a_user_do_not_count(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id\tage\n1\t20\n 1\t21\n1 \t22\n")
    assert read(path, user="id").data.n_owners == 1
    path.write_text("id\tage\n1\t20\n \t21\n")
    with refuses("defective-rows"):
        read(path, user="id")
    pl.DataFrame({"id": [1.0, float("nan")], "age": [20, 21]}).write_parquet(tmp_path / "a.parquet")
    with refuses("defective-rows"):
        read(tmp_path / "a.parquet", user="id")
