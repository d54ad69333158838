"""Releases that are written and read back a few records at a time hold what they would hold whole."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from helpers.errors import refuses
from shoal.data import bags as bags_module
from shoal.data.bags import Bags
from shoal.data.tables import bags as bag_table
from shoal.data.tables.bags import BagTable
from shoal.io.read import parquet
from shoal.kinds.bags import read as different
from shoal.kinds.bags import read as reading
from shoal.kinds.bags import write as writing
from shoal.kinds.bags.read import DifferentRecords, names_in

record_lists = st.lists(st.lists(st.sampled_from(["a", "b", "ä", "", "long name"]), max_size=4), max_size=12)
copies_of = st.lists(st.integers(0, 4), min_size=12, max_size=12)
quick = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def few_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "ROWS_AT_ONCE", 3)
    monkeypatch.setattr(parquet, "LISTS_AT_ONCE", 2)
    for module in (bags_module, different):
        monkeypatch.setattr(module, "AT_ONCE", 3)


def backwards(n: int) -> np.ndarray:
    return np.arange(n)[::-1].astype(np.int64)


@quick
@given(records=record_lists, copies=copies_of)
def test_row_groups_hold_the_whole_table(records, copies, few_at_once, tmp_path, monkeypatch) -> None:
    """Every record in the order that was drawn, numbered from 1, its items by name; and the digest is the file's."""
    monkeypatch.setattr(bag_table, "fresh_order", backwards)
    table = BagTable(Bags.from_lists(records), np.array(copies[: len(records)], np.int64))
    path = tmp_path / "records.parquet"
    path.unlink(missing_ok=True)
    told = writing.write_records(table, path)
    expected = [sorted(record) for record, times in zip(records, copies, strict=False) for _ in range(times)][::-1]
    frame = pl.read_parquet(path)
    assert frame.schema == {"record": pl.Int64, "items": pl.List(pl.String)}
    assert frame["items"].to_list() == expected
    assert frame["record"].to_list() == list(range(1, len(expected) + 1))
    assert (told.rows, told.sha256) == (len(expected), hashlib.sha256(path.read_bytes()).hexdigest())


@quick
@given(records=record_lists, copies=copies_of, format=st.sampled_from(["parquet", "jsonl"]), layout=st.sampled_from(["lists", "long"]))
def test_what_is_read_back_are_the_different_records(records, copies, format, layout, few_at_once, tmp_path) -> None:
    filled = [record for record in records if layout == "lists" or "" not in record]
    table = BagTable(Bags.from_lists(filled), np.array(copies[: len(filled)], np.int64))
    assume(table.n_rows)  # an empty file of lines is refused
    path = tmp_path / f"records.{format}"
    path.unlink(missing_ok=True)
    told = writing.write_records(table, path, format, layout=layout).as_dict()
    seen = reading.read(tmp_path, [told], True)
    assert multiset(seen) == multiset(table) == Counter(key(r) for r, n in zip(filled, copies, strict=False) for _ in range(n))
    assert len({key(seen.records.record(i)) for i in range(len(seen.records))}) == len(seen.records)
    assert seen.copies.min(initial=1) > 0
    assert reading.count_differing(table, seen) == 0


def key(record) -> tuple:
    return tuple(sorted(Counter(record).items()))


def multiset(table: BagTable) -> Counter:
    found: Counter = Counter()
    for i, times in enumerate(table.copies.tolist()):
        found[key(table.records.record(i))] += times
    return +found


@quick
@given(parts=st.lists(record_lists, max_size=5), nulls=st.booleans())
def test_parts_are_counted_together(parts, nulls, few_at_once) -> None:
    """A null in a list is no item, and a null instead of a list is a record without items."""
    different_records = DifferentRecords()
    expected: Counter = Counter()
    for part in parts:
        lists = [[*record, None] for record in part] + [None] if nulls else part
        different_records.add_names(*names_in(pl.Series(lists, dtype=pl.List(pl.String))))
        expected.update(key(record) for record in part)
        expected[()] += nulls
    assert multiset(different_records.table()) == +expected


def test_a_file_without_one_column_of_lists_is_no_release(tmp_path: Path) -> None:
    pl.DataFrame({"record": [1], "items": ["a"]}).write_parquet(tmp_path / "x.parquet")
    with refuses("ambiguous-column"):
        reading.read(tmp_path, [{"name": "x.parquet", "format": "parquet", "layout": "lists"}], True)


@quick
@given(records=record_lists)
def test_blocks_do_not_change_lengths_and_lists(records, few_at_once) -> None:
    bags = Bags.from_lists(records)
    assert bags.lengths.tolist() == [len(record) for record in records]
    assert [Counter(items) for items in bags.to_polars().to_list()] == [Counter(record) for record in records]
    for begin, end in [(0, len(bags)), (len(bags) // 2, len(bags))]:
        part = bags.part(begin, end)
        assert [part.record(i) for i in range(len(part))] == [bags.record(i) for i in range(begin, end)]
        assert part.owners.tolist() == bags.owners[begin:end].tolist()
