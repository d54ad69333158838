"""Data in memory is read by the rules of files: the same published records, the same refusals, whatever holds the rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from helpers.cli import ITEMS, Shell, baskets
from helpers.data import food, published
from helpers.errors import Expected, error, refuses
from shoal.errors import InputError

ROWS = [(f"u{n}", ITEMS[(n * 7 + j) % len(ITEMS)]) for n in range(12) for j in range(1 + n % 3)]
COLUMNS: dict[str, list[Any]] = {"user": [who for who, _ in ROWS], "item": [what for _, what in ROWS]}
RECORDS = [line.split(",") for line in baskets().splitlines()]

FRAMES: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "polars": pl.DataFrame,
    "lazy": lambda columns: pl.DataFrame(columns).lazy(),
    "pandas": pd.DataFrame,
    "pandas with its owners as index": lambda columns: pd.DataFrame(columns).set_index("user"),
    "pandas categories": lambda columns: pd.DataFrame(columns).astype("category"),
    "polars categories": lambda columns: pl.DataFrame(columns).cast(pl.Categorical),
    "arrow": pa.table,
    "arrow batches": lambda columns: pa.table(columns).to_reader(),
    "dictionary of columns": dict,
    "rows as dictionaries": lambda columns: [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)],
    "reversed": lambda columns: pl.DataFrame(columns).reverse(),
}

LISTS: dict[str, Callable[[list[list[str]]], Any]] = {
    "lists": list,
    "tuples": lambda records: tuple(tuple(record) for record in records),
    "a polars column": pl.Series,
    "a pandas column": pd.Series,
    "an arrow column": pa.array,
    "arrow chunks": lambda records: pa.chunked_array([records[:7], records[7:]]),
    "a frame with one column of lists": lambda records: pl.DataFrame({"basket": records}),
    "a pandas frame with one column of lists": lambda records: pd.DataFrame({"basket": records}),
    "backwards": lambda records: records[::-1],
}


def released(data: Any, **how: Any) -> Any:
    return shoal.anonymize(shoal.read(data, **how), "shoal(k=3)", taxonomy=food()).release


@pytest.mark.parametrize("kind", FRAMES)
def test_a_frame_gives_what_its_file_gives(shell: Shell, kind: str):
    shell.file("table.csv", "user,item\n" + "".join(f"{who},{what}\n" for who, what in ROWS))
    assert published(released(FRAMES[kind](COLUMNS))) == published(released("table.csv"))


@pytest.mark.parametrize("kind", LISTS)
def test_lists_give_what_their_file_gives(shell: Shell, kind: str):
    shell.file("baskets.txt", baskets())
    assert published(released(LISTS[kind](RECORDS))) == published(released("baskets.txt", format="transactions"))


# A header, the same as names of a frame's columns, and one row below it.
UNCLEAR: dict[str, dict[str, list[Any]]] = {
    "nobody is the owner": {"visit": ["a1", "a2"], "item": ["milk", "beer"]},
    "nothing is the item": {"user": ["a1", "a2"], "colour": ["red", "blue"]},
    "two owners": {"user": ["a1", "a2"], "email": ["b1", "b2"], "item": ["milk", "beer"]},
    "nothing is known": {"one": ["a1", "a2"], "two": ["milk", "beer"]},
    "lists beside owners": {"user": ["a1", "a2"], "items": [["milk"], ["beer"]]},
    "two columns of lists": {"left": [["milk"], ["beer"]], "right": [["milk"], ["beer"]]},
}


@pytest.mark.parametrize("kind", ["polars", "lazy", "pandas", "arrow"])
@pytest.mark.parametrize("case", UNCLEAR)
def test_a_frame_is_refused_in_the_words_of_its_file(shell: Shell, case: str, kind: str):
    place = shell.directory / "table.parquet"
    pl.DataFrame(UNCLEAR[case]).write_parquet(place)
    with pytest.raises(InputError) as of_file:
        shoal.read(place)
    with pytest.raises(InputError) as of_frame:
        shoal.read(FRAMES[kind](UNCLEAR[case]))
    assert str(of_frame.value) == str(of_file.value).replace(str(place), "the frame")


NOTHING_TO_READ: dict[str, tuple[Any, str | Expected]] = {
    "texts in a list": (["milk", "beer"], "unsupported-data"),
    "numbers in a list": ([1, 2], "unsupported-data"),
    "a float among items": ([["milk"], ["beer", 1.5]], "unsupported-data"),
    "nothing among items": ([["milk", None]], "unsupported-data"),
    "an empty list": ([], "empty-input"),
    "an empty frame": (pl.DataFrame({"user": [], "item": []}), "empty-input"),
    "a number": (5, "unsupported-data"),
    "a generator": ((record for record in RECORDS), "unsupported-data"),
    "columns of several lengths": ({"user": ["a"], "item": ["x", "y", "z"]}, "unsupported-data"),
    "half a character": ([["a\ud800"], ["b"]], "unsupported-data"),
    "a column of texts": (pl.Series(["milk"]), error("missing-column", columns=["items"])),
    "a lazy frame whose query fails": (pl.DataFrame({"user": ["a"]}).lazy().select("secret"), "lazy-query-failed"),
}


@pytest.mark.parametrize("case", NOTHING_TO_READ)
def test_what_has_no_rows_is_refused(case: str):
    data, said = NOTHING_TO_READ[case]
    with refuses(said):
        shoal.read(data)


ROWS_OF_A_TABLE: dict[str, tuple[Any, str]] = {
    "rows of owner and item": ([list(row) for row in ROWS], "all its lists have 2 items, like rows of a table"),
    "the same as tuples": (ROWS, "all its lists have 2 items"),
    "with a few broken ones": ([*ROWS, ("u1",), ("u2", "a", "b")], "nearly all its lists have 2 items"),
    "owners before their items": (
        [[who, *ITEMS[: n % 3 + 1]] for n, (who, _) in enumerate(ROWS)],
        "the first field of its lines never occurs",
    ),
    "times among the items": ([["2024-05-01 10:00:00", *ITEMS[: n % 4]] for n in range(12)], "its lines hold times"),
    "owners as the index of a column": (pd.DataFrame(COLUMNS).groupby("user")["item"].agg(list), "next to them, user IDs in 'user'"),
}


@pytest.mark.parametrize("case", ROWS_OF_A_TABLE)
def test_rows_of_a_table_are_not_taken_for_people(case: str):
    """Twelve people would be as many as there are rows, and their names would be published."""
    data, said = ROWS_OF_A_TABLE[case]
    with pytest.raises(InputError, match=said) as refused:
        shoal.anonymize(data, k=2, taxonomy=food(), unknown="keep")
    assert 'format="transactions"' in str(refused.value)
    assert len(shoal.read(data, format="transactions").data) == len(data)


def test_a_value_that_is_no_number_is_a_missing_one():
    frame = pl.DataFrame({"user": [1.0, float("nan"), float("nan"), 2.0], "item": ["a", "b", "c", "d"]})
    reading = shoal.read(frame, malformed=0.5)
    assert reading.data.n_owners == 2
    assert reading.rows["malformed: no user"] == 2


@pytest.mark.parametrize("kind", [list, dict, pd.DataFrame])
def test_nan_between_texts_is_a_missing_value(kind: Any):
    """As a text it would be a person, or an item that nobody has."""
    users, items = ["ann", "ben", math.nan, math.nan, "cy"], ["a", "b", "secret", "secret", math.nan]
    rows = [{"user": user, "item": item} for user, item in zip(users, items, strict=True)]
    reading = shoal.read({"user": users, "item": items} if kind is dict else kind(rows), malformed=0.9)
    assert reading.data.n_owners == 2
    assert (reading.rows["malformed: no user"], reading.rows["malformed: no item"]) == (2, 1)


@pytest.mark.parametrize("nan", [np.float32("nan"), np.float16("nan"), Decimal("nan")], ids=["float32", "float16", "decimal"])
def test_nan_of_any_type_is_a_missing_value(nan: Any):
    reading = shoal.read(
        [{"user": "ann" if isinstance(nan, np.floating) else Decimal(1), "item": "a"}, {"user": nan, "item": "a"}], malformed=0.9
    )
    assert reading.data.n_owners == 1


def test_late_rows_keep_their_values():
    """Polars looks at a hundred rows only, and makes 1 of 1.5 after that."""
    rows = [{"user": 1, "item": 7} for _ in range(150)] + [{"user": 1.5, "item": 7.9}, {"user": 1.25, "item": 7.9}]
    assert shoal.read(rows).data.n_owners == 3


@pytest.mark.parametrize("data", [[{"user": user, "item": "a"} for user in (1, True, 2)], {"user": [2, 1, True], "item": ["a", "b", "c"]}])
def test_truth_values_among_numbers_are_no_numbers(data: Any):
    with refuses("mixed-values"):
        shoal.read(data)


def test_nan_in_lists_is_left_out():
    reading = shoal.read(pl.DataFrame({"items": [[1.5, math.nan], [2.5]]}))
    assert reading.data.vocabulary.names.to_list() == ["1.5", "2.5"]


def test_odd_columns_of_pandas_are_named():
    frame = pd.DataFrame({"user": [1, 2], "item": ["a", "b"]})
    with refuses("duplicate-column", value="user"):
        shoal.read(frame.set_axis(["user", "user"], axis=1))
    with refuses("mixed-values"):
        shoal.read(frame.assign(item=["a", 2.5]))


LAZY = pl.DataFrame({"user": ["ann", "bob"] * 2, "item": ["secret"] * 4}).lazy()
FAILING = {
    "a cast": LAZY.with_columns(pl.col("item").cast(pl.Int64)),
    "a function": LAZY.with_columns(pl.col("item").map_elements(lambda item: [][len(item)], return_dtype=pl.String)),
    "a file that is not there": pl.scan_csv("nowhere.csv"),
}


@pytest.mark.parametrize("name", FAILING)
def test_a_lazy_query_that_fails_is_one_line_without_data(name: str):
    with refuses("lazy-query-failed") as caught:
        shoal.look(FAILING[name], taxonomy="none")
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_type_that_polars_does_not_have_is_refused():
    wide = pa.array([Decimal(n) for n in range(4)], pa.decimal256(50, 2))
    with refuses("unsupported-data"):
        shoal.look(pa.table({"user": wide, "item": list("aabb")}))


@pytest.mark.parametrize("said", [{"sep": ","}, {"header": True}])
def test_what_only_text_has_is_not_said_of_a_frame(said: dict[str, Any]):
    with refuses("option-not-applicable"):
        shoal.read(pl.DataFrame(COLUMNS), **said)


def test_whole_numbers_beside_missing_ones_stay_whole():
    """pandas makes 7 of a column with a gap 7.0; an item of that name is in no taxonomy and in no file."""
    frame = pd.DataFrame({"user": ["a", "b", "c"], "item": [7, None, 12]})
    assert frame["item"].dtype.kind == "f"
    reading = shoal.read(frame, malformed=0.5)
    assert sorted(reading.data.frame["payload"]) == ["12", "7"]
    assert reading.rows["malformed: no item"] == 1


def test_a_lazy_frame_is_asked_once():
    """Another run of a query may give other rows: owners of the one beside items of the other."""
    asked = []

    def noted(frame: pl.DataFrame) -> pl.DataFrame:
        asked.append(len(frame))
        return frame

    lazy = pl.DataFrame(COLUMNS).lazy().map_batches(noted, schema={"user": pl.String(), "item": pl.String()})
    assert len(shoal.read(lazy).data) == len(ROWS)
    assert asked == [len(ROWS)]
