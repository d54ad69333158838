"""Every kind of table is written and read back the same, in a fresh order and with fresh numbers, and a difference is seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.errors import refuses
from shoal import kinds
from shoal.data.bags import Bags
from shoal.data.release import Release
from shoal.data.tables import KINDS, PublishedTable
from shoal.data.tables.bags import BagTable
from shoal.data.tables.chunks import SCHEMAS, ChunkTable
from shoal.data.tables.counts import CountTable
from shoal.data.tables.groups import GroupTable
from shoal.data.tables.profiles import ProfileTable
from shoal.data.tables.rows import RowTable
from shoal.data.tables.weighted_bags import WeightedBagTable
from shoal.errors import InputError, OutputError, ShoalError
from shoal.kinds import read_tables, rows_differing, write_release

NAMES = ["plain", "a;b", 'with "quotes"', "two\nlines", "ünï", "", " blanks ", "1"]
DAY = datetime(2006, 3, 1, 7, 17, 12)


def rows(n: int = 60, **changed: pl.Expr) -> RowTable:
    frame = pl.DataFrame(
        {
            "user": [7 * (i % 9) for i in range(n)],
            "query": [None if i % 11 == 5 else NAMES[i % 8] for i in range(n)],
            "rank": [None if i % 7 == 3 else i for i in range(n)],
            "score": [i / 3 for i in range(n)],
            "time": [DAY.replace(microsecond=i % 3 * 125) for i in range(n)],
        },
        schema={"user": pl.Int64, "query": pl.String, "rank": pl.Int64, "score": pl.Float64, "time": pl.Datetime("us")},
    )
    return RowTable(frame.with_columns(**changed), "user")


def bags(n: int = 60) -> BagTable:
    return Release.from_records(Bags.from_lists([[f"item {j}" for j in range(i % 5)] for i in range(n)])).bag_table


def weighted(n: int = 60) -> WeightedBagTable:
    items = [[f"term {j}" for j in range(i % 4)] for i in range(n)]
    weights = [[(i + j) / 7 for j in range(i % 4)] for i in range(n)]
    return WeightedBagTable(pl.DataFrame({"items": items, "weights": weights}, schema=dict(WEIGHTED)))


WEIGHTED = {"items": pl.List(pl.String), "weights": pl.List(pl.Float64)}


COUNTED = {"query": pl.String, "day": pl.Int64, "count": pl.Float64}


def counts(n: int = 60) -> CountTable:
    return CountTable(
        pl.DataFrame({"query": [f"q{i}" for i in range(n)], "day": list(range(n)), "count": [i * 1.5 - 3 for i in range(n)]}, COUNTED)
    )


def groups(n: int = 60) -> GroupTable:
    exact = pl.DataFrame(
        {"group": [100 + i // 4 for i in range(n)], "bought": [f"{i % 3}" for i in range(n)]}, {"group": pl.Int64, "bought": pl.String}
    )
    values = [(100 + g, v, 1 + (g + j) % 3) for g in range((n + 3) // 4) for j, v in enumerate(("flu", "cold")[: 1 + g % 2])]
    return GroupTable(exact, pl.DataFrame(values, schema={"group": pl.Int64, "ill": pl.String, "count": pl.Int64}, orient="row"))


def chunks(n: int = 60) -> ChunkTable:
    """So many items of sub-records of one to three items, in clusters of two chunks, the first two of which share one."""
    clusters = n // 12 + (n > 0)
    rows = {
        "subrecords": [(10 + i // 12, i // 6 % 2, i // (1 + i // 12 % 3), f"{NAMES[i % 6]}{i}") for i in range(n)],
        "shared": [(7, 3, i, f"common {i % 5}") for i in range(min(24, n))],
        "terms": [(10 + c, f"{NAMES[c % 6]} in {c}") for c in range(clusters)],
        "clusters": [(10 + c, 7 if c < 2 else c + 50, 12 + c) for c in range(clusters)],
    }
    return ChunkTable(**{part: pl.DataFrame(rows[part], schema=dict(schema), orient="row") for part, schema in SCHEMAS.items()})


def profiles(n: int = 60) -> ProfileTable:
    return ProfileTable(rows(n).frame, "user")


MADE: dict[str, Callable[[int], PublishedTable]] = {
    "bags": bags,
    "weighted bags": weighted,
    "rows": rows,
    "counts": counts,
    "groups": groups,
    "chunks": chunks,
    "profiles": profiles,
}
FORMATS = ("parquet", "csv", "jsonl")
IN_ITS_OWN_FORMAT = {"access log"}  # and tested where that format is


def there_and_back(table: PublishedTable, directory: Path, format: str, layout: str = "lists") -> PublishedTable:
    files = write_release(Release({"some": table}), directory, format, layout=layout)
    assert all(file.table == "some" and file.kind == table.kind for file in files)
    assert files[0].rows == table.n_rows
    return read_tables(directory, [file.as_dict() for file in files])["some"]


def test_every_kind_has_a_writer_a_reader_and_a_table_here() -> None:
    assert set(KINDS) == set(kinds.KINDS) == {*MADE, *IN_ITS_OWN_FORMAT}
    assert all(KINDS[kind].kind == kind == MADE[kind](1).kind for kind in MADE)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("n", [60, 1, 0])
@pytest.mark.parametrize("kind", MADE)
def test_what_is_written_is_read_back(tmp_path: Path, kind: str, n: int, format: str) -> None:
    if (kind, n, format) == ("bags", 0, "jsonl"):
        pytest.skip("a file of nothing at all is not read as records")
    made = MADE[kind](n)
    seen = there_and_back(made, tmp_path, format)
    assert (type(seen), seen.n_rows, seen.facts()) == (type(made), made.n_rows, made.facts())
    assert list(made.facts()) == list(made.amounts)
    assert rows_differing({"t": made}, {"t": seen}) == 0


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("n", [60, 1, 0])
@pytest.mark.parametrize("kind", ["bags", "weighted bags"])
def test_the_long_layout_is_read_back(tmp_path: Path, kind: str, n: int, format: str) -> None:
    if (n, format) == (0, "jsonl"):
        pytest.skip("a file of nothing at all is not read as records")
    made = MADE[kind](n)
    seen = there_and_back(made, tmp_path, format, "long")
    assert (seen.n_rows, seen.facts()) == (made.n_rows, made.facts())
    assert rows_differing({"t": made}, {"t": seen}) == 0


@pytest.mark.parametrize("kind", ["rows", "counts", "groups", "chunks"])
def test_other_kinds_have_one_layout(tmp_path: Path, kind: str) -> None:
    with refuses("option-not-applicable"):
        write_release(Release({"some": MADE[kind](3)}), tmp_path, "csv", layout="long")


def in_tenths(table: PublishedTable) -> PublishedTable:
    """The same without what a sheet cannot hold: numbers of many digits, empty texts."""
    number, text = pl.col(pl.Float64).round(1), pl.col(pl.String).replace("", "none")
    if isinstance(table, RowTable):
        return RowTable(table.frame.with_columns(number, text), table.pseudonyms)
    if isinstance(table, WeightedBagTable):
        return WeightedBagTable(table.frame.with_columns(pl.col("weights").list.eval(pl.element().round(1))))
    return table


@pytest.mark.parametrize("kind", MADE)
def test_excel_holds_every_kind(tmp_path: Path, kind: str) -> None:
    made = in_tenths(MADE[kind](60))
    seen = there_and_back(made, tmp_path, "xlsx")
    assert rows_differing({"t": made}, {"t": seen}) == 0


@pytest.mark.parametrize("number", [float("inf"), float("nan")])
def test_infinite_numbers_are_refused_where_they_cannot_be_written(tmp_path: Path, number: float) -> None:
    odd = Release({"some": RowTable(pl.DataFrame({"user": [1, 2], "score": [0.5, number]}), "user")})
    for form in ("xlsx", "jsonl"):
        with refuses("value-not-writable", value=1):
            write_release(odd, tmp_path, form)
    assert len(write_release(odd, tmp_path, "parquet")) == 1


def test_what_a_sheet_cannot_hold_is_refused(tmp_path: Path) -> None:
    with refuses("value-not-writable"):
        write_release(Release({"some": weighted()}), tmp_path, "xlsx", layout="long")
    with refuses("value-not-writable"):
        write_release(Release({"some": RowTable(rows().frame.with_columns(score=0.5), "user")}), tmp_path, "xlsx")
    long_record = Release.from_records(Bags.from_lists([[f"item number {n}" for n in range(3000)]]))
    with refuses("value-not-writable"):
        write_release(long_record, tmp_path, "xlsx")
    assert len(write_release(long_record, tmp_path, "xlsx", layout="long")) == 1


def test_more_rows_than_a_sheet_has_are_refused(tmp_path: Path) -> None:
    one = Bags.from_lists([["a"]])
    assert (
        workbook_rows(Release.of_bags(one, np.array([1_048_576])), tmp_path)
        == "there are 1,048,576 rows, more than 1,048,575 below a header"
    )


def workbook_rows(release: Release, directory: Path) -> str:
    with pytest.raises(OutputError) as caught:
        write_release(release, directory, "xlsx", layout="long")
    return caught.value.message.split(", which")[0]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("kind", MADE)
def test_the_order_is_fresh(tmp_path: Path, kind: str, format: str) -> None:
    written = []
    for place in (tmp_path / "one", tmp_path / "other"):
        place.mkdir()
        written.append([(place / file.name).read_bytes() for file in write_release(Release({"some": MADE[kind](60)}), place, format)])
    assert all(one != other for one, other in zip(*written, strict=True))


@pytest.mark.parametrize("kind", MADE)
def test_a_difference_is_counted(kind: str) -> None:
    make = MADE[kind]
    assert rows_differing({"t": make(60)}, {"t": make(59)}) > 0
    assert rows_differing({"t": make(60)}, {}) == rows_differing({}, {"t": make(60)}) >= 60
    assert rows_differing({"t": make(60)}, {"t": rows(60) if kind != "rows" else counts(60)}) >= 60


QUERIES = st.lists(st.tuples(st.sampled_from(["a", "b", "A", "", None]), st.sampled_from([1, 2])), max_size=7)


@given(QUERIES, QUERIES)
def test_rows_without_a_counterpart_are_counted_with_their_multiplicity(made: list[tuple[str | None, int]], seen: Any) -> None:
    schema = {"query": pl.String, "rank": pl.Int64}
    tables = [{"t": RowTable(pl.DataFrame(own, schema=schema, orient="row"))} for own in (made, seen)]
    left, right = Counter(made), Counter(seen)
    assert rows_differing(*tables) == ((left - right) + (right - left)).total()


@pytest.mark.parametrize("columns", [{"item": [1, 2]}, {"query": ["a", "b"], "item": ["c", "d"]}])
def test_columns_of_other_tables_may_be_called_as_those_of_logs(columns: dict[str, list[Any]]) -> None:
    frame = pl.DataFrame(columns)
    assert rows_differing({"t": RowTable(frame)}, {"t": RowTable(frame[::-1])}) == 0
    assert rows_differing({"t": RowTable(frame)}, {"t": RowTable(frame[:1])}) == 1


@pytest.mark.parametrize("changed", ["", "order", "text", "row"])
def test_what_was_written_is_compared_text_by_text(tmp_path: Path, changed: str) -> None:
    """Rows that are equal in the order of the file take the numbers of the table that was written; any other file is numbered by itself."""
    texts, numbers = pl.Series(["a", "b", "a b"]), np.array([0, 1, 2, 1, 1, 0] * 20, np.int32)
    made = RowTable.of_numbered({}, "query", texts, numbers, None)
    files = [file.as_dict() for file in write_release(Release({"log": made}), tmp_path)]
    path = tmp_path / files[0]["name"]
    frame = pl.read_parquet(path)
    assert sorted(frame["query"].to_list()) == sorted(texts.gather(numbers).to_list())
    if changed == "order":
        frame = frame.reverse()
    elif changed == "text":
        frame = pl.concat([frame[:-1], pl.DataFrame({"query": ["c"]})])
    elif changed == "row":
        frame = frame[:-1]
    frame.write_parquet(path)
    seen = read_tables(tmp_path, files)
    assert rows_differing({"log": made}, seen) == {"": 0, "order": 0, "text": 2, "row": 1}[changed]
    table = seen["log"]
    assert isinstance(table, RowTable)
    assert (table.numbered_unit[0] is texts) == (not changed)
    assert table.numbered_unit[0].gather(table.numbered_unit[1]).to_list() == frame["query"].to_list()


@pytest.mark.parametrize("columns", [{}, {"user": [7, 8, 7]}, {"query": [], "rank": [1, None, 2]}])
def test_rows_with_numbered_queries_are_those_with_texts(columns: dict[str, list[Any]]) -> None:
    given = {name: pl.Series(values, dtype=pl.Int64) for name, values in columns.items()}
    numbered = RowTable.of_numbered(
        given, "query", pl.Series(["a", "b c"]), np.array([1, 0, 1], np.int32), "user" if "user" in given else None
    )
    plain = RowTable(pl.DataFrame({**given, "query": ["b c", "a", "b c"]}), numbered.pseudonyms)
    assert (numbered.n_rows, numbered.columns, numbered.unit) == (plain.n_rows, plain.columns, plain.unit)
    assert list(numbered.columns) == plain.frame.columns
    assert sorted(map(sorted, numbered.texts())) == sorted(map(sorted, plain.texts()))
    assert numbered.others.equals(plain.others)
    order = np.array([2, 0, 1])
    assert numbered.in_order(order).frame.equals(plain.in_order(order).frame)
    assert numbered.frame.equals(plain.frame)


def test_pseudonyms_are_drawn_anew_and_still_tell_which_rows_belong_together(tmp_path: Path) -> None:
    seen = there_and_back(rows(), tmp_path, "csv")
    assert isinstance(seen, RowTable)
    assert sorted(seen.frame["user"].unique().to_list()) == list(range(1, 10))
    by_rank = {table: dict(table.frame.drop_nulls("rank").select("rank", "user").iter_rows()) for table in (rows(), seen)}
    made, read = by_rank.values()
    assert len({(made[rank], read[rank]) for rank in made}) == 9


def test_rows_that_moved_to_another_person_are_seen() -> None:
    moved = rows(user=pl.when(pl.col("rank") == 0).then(7).otherwise("user"))
    assert rows_differing({"t": rows()}, {"t": moved}) > 0
    renumbered = rows(user=pl.col("user") + 1000)
    assert rows_differing({"t": rows()}, {"t": renumbered}) == 0


def test_a_histogram_that_moved_to_another_group_is_seen() -> None:
    made = groups()
    moved = GroupTable(made.rows, made.histogram.with_columns(group=pl.col("group").replace({100: 101, 101: 100})))
    assert rows_differing({"t": made}, {"t": moved}) > 0


def test_a_weight_that_changed_is_seen() -> None:
    made = weighted()
    heavier = pl.DataFrame({"items": made.frame["items"], "weights": [[w + 1e-9 for w in row] for row in made.frame["weights"]]})
    assert rows_differing({"t": made}, {"t": WeightedBagTable(heavier)}) > 0


@pytest.mark.parametrize("kind", [kind for kind in MADE if kind != "bags"])
def test_transactions_hold_bags_only(tmp_path: Path, kind: str) -> None:
    with refuses("output-format-not-applicable", value="transactions"):
        write_release(Release({"some": MADE[kind](3)}), tmp_path, "transactions")
    assert not list(tmp_path.iterdir())


def test_a_file_with_a_column_more_is_refused(tmp_path: Path) -> None:
    (file,) = write_release(Release({"some": counts()}), tmp_path, "csv")
    place = tmp_path / file.name
    place.write_text("\n".join(f"{line},{'name' if i == 0 else i}" for i, line in enumerate(place.read_text().splitlines())) + "\n")
    with refuses("columns-differ"):
        read_tables(tmp_path, [file.as_dict()])


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_a_value_of_another_type_is_refused(tmp_path: Path, format: str) -> None:
    (file,) = write_release(Release({"some": counts()}), tmp_path, format)
    place = tmp_path / file.name
    place.write_text(place.read_text().replace("85.5", '"many"' if format == "jsonl" else "many"))
    with pytest.raises(InputError):
        read_tables(tmp_path, [file.as_dict()])


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: RowTable(pl.DataFrame({"a": [[1]]})),
        lambda: RowTable(pl.DataFrame({"a": ["x"]}), "a"),
        lambda: RowTable(pl.DataFrame({"a": [1, None]}), "a"),
        lambda: CountTable(pl.DataFrame({"count": [1]})),
        lambda: CountTable(pl.DataFrame({"a": ["x", "x"], "count": [1, 2]})),
        lambda: CountTable(pl.DataFrame({"a": ["x"], "count": [None]}, schema={"a": pl.String, "count": pl.Int64})),
        lambda: WeightedBagTable(pl.DataFrame({"items": [["a", "b"]], "weights": [[1.0]]})),
        lambda: WeightedBagTable(pl.DataFrame({"items": [["a", "a"]], "weights": [[1.0, 2.0]]})),
        lambda: WeightedBagTable(pl.DataFrame({"items": [["a"]], "weights": [[float("nan")]]})),
        lambda: GroupTable(pl.DataFrame({"group": [1]}), pl.DataFrame({"group": [2], "count": [1]})),
        lambda: GroupTable(pl.DataFrame({"group": [1]}), pl.DataFrame({"group": [1], "count": [0]})),
    ],
)
def test_tables_that_are_none(wrong: Callable[[], PublishedTable]) -> None:
    with pytest.raises(ShoalError):
        wrong()


def test_a_release_of_another_kind_has_no_records() -> None:
    release = Release({"log": rows()})
    with refuses("wrong-kind-of-table"):
        _ = release.published
    assert release.kinds == {"rows"}
    assert release.n_rows == 60
