"""Bags: canonical rows, selection, and the ways in and out."""

from __future__ import annotations

import pickle

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.data import names_of
from helpers.errors import refuses
from shoal.data.bags import Bags, Vocabulary
from shoal.errors import InputError

SOME = settings(deadline=None, max_examples=50)

records_of_names = st.lists(st.lists(st.sampled_from(["a", "b", "c", "ä", ""]), max_size=5), max_size=6)


def plain(records: list[list[str]]) -> list[tuple[str, ...]]:
    return [tuple(sorted(record)) for record in records]


# -- vocabulary


def test_a_vocabulary_numbers_names_by_their_place() -> None:
    vocabulary = Vocabulary(["b", "a", "ä"])
    assert len(vocabulary) == 3
    assert vocabulary[0] == "b"
    assert vocabulary.codes(["ä", "b", "x", "b"]).tolist() == [2, 0, -1, 0]
    assert vocabulary.codes(pl.Series(["a", None])).tolist() == [1, -1]
    assert vocabulary.codes([]).tolist() == []


def test_many_names_are_found_like_few(monkeypatch: pytest.MonkeyPatch) -> None:
    vocabulary = Vocabulary([f"{n}é" for n in range(50)])
    wanted = pl.Series([None, "", *(f"{n}é" for n in range(60, 20, -1))], dtype=pl.String)
    few = vocabulary.codes(wanted).tolist()
    assert few == [-1] * 13 + [*range(49, 20, -1)]
    monkeypatch.setattr("shoal.data.bags.FEW_NAMES", 0)
    assert vocabulary.codes(wanted).tolist() == few


def test_a_vocabulary_without_names_knows_none() -> None:
    assert len(Vocabulary([])) == 0
    assert Vocabulary([]).codes(["a"]).tolist() == [-1]


def test_a_name_stands_once_in_a_vocabulary() -> None:
    with refuses("duplicate-item"):
        Vocabulary(["a", "b", "a"])


# -- in and out


@SOME
@given(records_of_names)
def test_lists_in_lists_out(records: list[list[str]]) -> None:
    bags = Bags.from_lists(records)
    assert names_of(bags) == plain(records)
    assert len(bags) == len(records)
    assert bags.lengths.tolist() == [len(record) for record in records]
    assert bags.occurrences == sum(len(record) for record in records)
    for i, record in enumerate(records):
        assert bags.record(i) == {name: record.count(name) for name in record}


@SOME
@given(records_of_names)
def test_polars_arrow_and_scipy_round_trips(records: list[list[str]]) -> None:
    bags = Bags.from_lists(records, owners=np.arange(len(records)) // 2)
    series = bags.to_polars()
    assert series.dtype == pl.List(pl.String)
    assert names_of(Bags.from_polars(series, bags.owners)) == plain(records)
    assert names_of(Bags.from_polars(pl.DataFrame({"items": series}))) == plain(records)
    arrow = bags.to_arrow()
    assert isinstance(arrow, pa.Array)
    assert plain(arrow.to_pylist()) == plain(records)
    back = Bags.from_scipy(bags.to_scipy(), bags.vocabulary, bags.owners)
    assert names_of(back) == plain(records)
    assert back.owners.tolist() == bags.owners.tolist()


def test_nulls_of_polars_are_no_items() -> None:
    series = pl.Series([["a", None, "b"], None, [], [None]], dtype=pl.List(pl.String))
    bags = Bags.from_polars(series)
    assert names_of(bags) == [("a", "b"), (), (), ()]
    assert bags.vocabulary.names.to_list() == ["a", "b"]


def test_a_matrix_may_be_of_any_kind_of_whole_numbers() -> None:
    vocabulary = Vocabulary(["a", "b"])
    for kind in (np.int64, np.uint8, np.float32, np.bool_):
        matrix = sp.coo_matrix(np.array([[1, 0], [1, 1]], dtype=kind))
        assert names_of(Bags.from_scipy(matrix, vocabulary)) == [("a",), ("a", "b")]


def test_entries_of_zero_are_no_items() -> None:
    matrix = sp.csr_matrix((np.array([0, 2, 1]), np.array([0, 1, 1]), np.array([0, 2, 3])), shape=(2, 2))
    bags = Bags.from_scipy(matrix, Vocabulary(["a", "b"]))
    assert bags.record(0) == {"b": 2}
    assert bags.items.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("items", "counts", "told"),
    [
        ([0, 1], [1, -1], "negative count"),
        ([0, 1], [1, 0.5], "counts must be whole numbers"),
        ([0, 1], [1, np.nan], "counts must be whole numbers"),
        ([0, 1], [1, 2**31], "counts must lie within 2,147,483,647"),
        ([0, 1], [2**31 - 1, 1], "more than 2,147,483,647 item occurrences"),
        ([0, 0], [2**31 - 1, 2**31 - 1], "more than 2,147,483,647 item occurrences"),
        ([0, 2], [1, 1], "an item is numbered 2 in a vocabulary of 2"),
        ([0, 2**32], [1, 1], "item numbers must lie within"),
    ],
)
def test_what_would_be_cut_off_or_wrap_round_is_refused(items: list[int], counts: list[float], told: str) -> None:
    with pytest.raises(InputError, match=told):
        Bags.from_rows([0, 2], items, counts, Vocabulary(["a", "b"]))


def test_the_largest_counts_are_kept() -> None:
    bags = Bags.from_rows([0, 2], [0, 0], [2**31 - 2, 1], Vocabulary(["a"]))
    assert bags.occurrences == 2**31 - 1
    sets = Bags.from_rows([0, 2], [0, 0], [2**31 - 1, 2**31 - 1], Vocabulary(["a"]), as_sets=True)
    assert sets.record(0) == {"a": 1}


def test_one_owner_a_record() -> None:
    with pytest.raises(InputError, match="2 records but 1 users"):
        Bags.from_lists([["a"], ["b"]], owners=[1])


# -- values


def test_bags_do_not_change() -> None:
    owners = np.array([3, 3])
    bags = Bags.from_lists([["a"], ["b"]], owners)
    for array in (bags.indptr, bags.items, bags.counts, bags.owners):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    owners[0] = 4  # the caller's own array stays the caller's
    assert bags.owners.tolist() == [3, 3]


def test_bags_that_kernels_have_seen_go_to_other_processes() -> None:
    bags = Bags.from_lists([["a", "b"], ["b"]])
    assert bags.view is bags.view
    copied = pickle.loads(pickle.dumps(bags))
    assert names_of(copied) == names_of(bags)
    assert names_of(copied.select([1])) == names_of(bags.select([1]))
    with pytest.raises(ValueError, match="read-only"):
        copied.items[0] = 1


def test_owners_are_counted() -> None:
    bags = Bags.from_lists([["a"], ["b"], ["c"]], owners=[7, 5, 7])
    assert (bags.n_owners, bags.owners_repeat) == (2, True)
    assert not Bags.from_lists([["a"], ["b"]]).owners_repeat
    assert "3 records, 2 users, 3 occurrences" in repr(bags)


@SOME
@given(records_of_names, st.data())
def test_select(records: list[list[str]], data: st.DataObject) -> None:
    bags = Bags.from_lists(records, owners=np.arange(len(records)) + 10)
    chosen = data.draw(st.lists(st.integers(0, len(records) - 1)) if records else st.just([]))
    found = bags.select(chosen)
    assert names_of(found) == [plain(records)[i] for i in chosen]
    assert found.owners.tolist() == [i + 10 for i in chosen]
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(records), max_size=len(records))), bool)
    assert names_of(bags.select(mask)) == [plain(records)[i] for i in np.flatnonzero(mask)]


def test_selecting_no_record_gives_no_record() -> None:
    bags = Bags.from_lists([["a"], ["b", "b"]])
    assert len(bags.select([])) == 0
    assert bags.select([]).occurrences == 0


def test_as_sets_and_relabelled() -> None:
    bags = Bags.from_lists([["a", "a", "b"], ["c"]])
    assert names_of(bags.as_sets()) == [("a", "b"), ("c",)]
    assert names_of(bags) == [("a", "a", "b"), ("c",)]
    target = Vocabulary(["x", "y"])
    codes = np.array([0, 0, -1], np.int32)
    assert names_of(bags.relabelled(codes, target)) == [("x", "x", "x"), ()]
    assert names_of(bags.relabelled(codes, target, as_sets=True)) == [("x",), ()]


@SOME
@given(st.lists(st.lists(st.sampled_from("abcdef"), max_size=5), max_size=8))
def test_renumbering_in_the_same_order_is_relabelling(records: list[list[str]]) -> None:
    bags = Bags.from_lists([*records, list("abcdef")])
    names = Vocabulary([f"n{i}" for i in range(20)])
    codes = np.arange(1, 19, 3, dtype=np.int32)
    assert names_of(bags.renumbered(codes, names)) == names_of(bags.relabelled(codes, names))
    assert len(bags.renumbered(codes, names).view) == len(bags)  # kernels take rows in order alone


def test_no_records_at_all() -> None:
    bags = Bags.from_lists([])
    assert (len(bags), bags.occurrences, bags.n_owners) == (0, 0, 0)
    assert bags.to_polars().to_list() == []
    assert bags.to_scipy().shape == (0, 0)
    assert names_of(Bags.from_lists([[], []])) == [(), ()]
