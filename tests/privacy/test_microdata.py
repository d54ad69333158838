"""The judge of microdata: classes by brute force, people, exact means; what it says of tables that are wrong."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.microdata import exact_means, random_table
from shoal.data.column_list import ColumnNames
from shoal.data.original import TableOriginal
from shoal.data.release import Release, Secret
from shoal.data.table import Attribute, Table
from shoal.data.tables.rows import RowTable
from shoal.errors import ParameterError
from shoal.methods.mdav import MDAV
from shoal.privacy import MODELS
from shoal.privacy.microdata_k_anonymity import MicrodataKAnonymity


def released(frame, rows=None):
    return Release({"microdata": RowTable(pl.DataFrame(frame))}, secret=None if rows is None else Secret(np.array(rows)))


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 9)), min_size=1, max_size=20), st.integers(2, 4))
def test_classes_are_counted_over_the_named_columns(rows, k):
    frame = pl.DataFrame(rows, schema={"a": pl.Float64, "b": pl.Float64, "c": pl.Int64}, orient="row")
    smallest = min(Counter(row[:2] for row in rows).values())
    verdict = MicrodataKAnonymity(k=k, columns=("a", "b")).check(released(frame))
    assert (verdict.holds, verdict.achieved) == (smallest >= k, {"records": smallest})
    assert verdict.notes == ("not covered by the claim: 'c'",)


def test_without_names_a_claim_is_about_all_columns():
    frame = {"a": [1.0, 1.0], "b": ["x", "y"]}
    assert not MicrodataKAnonymity(k=2).check(released(frame)).holds
    assert MicrodataKAnonymity(k=2, columns=("a",)).check(released(frame)).holds


def test_numbers_that_are_written_differently_are_not_alike():
    assert not MicrodataKAnonymity(k=2).check(released({"a": [0.0, -0.0]})).holds
    assert not MicrodataKAnonymity(k=2).check(released({"a": [0.1, np.nextafter(0.1, 1)]})).holds


def test_a_column_that_is_not_there_cannot_be_judged():
    verdict = MicrodataKAnonymity(k=2, columns=("a", "z")).check(released({"a": [1.0, 1.0]}))
    assert "'z'" in verdict.witnesses[0]
    assert not verdict.holds


def mixed():
    """Six rows of five people, with a column that is left as it is, and a release of pairs."""
    kept = Attribute("town", "nominal", pl.Series(["x", "y", "x", None, "y", "x"]), quasi=False)
    numbers = Attribute("pay", "numeric", pl.Series([1.0, 2.0, 3.0, 4.0, 10.0, 20.0]))
    original = TableOriginal(Table((numbers, kept), np.array([0, 1, 2, 3, 4, 0])))
    return original, {"pay": [1.5, 1.5, 3.5, 3.5, 15.0, 15.0], "town": kept.values}


CLAIM = MicrodataKAnonymity(k=2, columns=("pay",))


def test_a_sound_release_in_any_order():
    original, frame = mixed()
    order = np.array([3, 0, 5, 1, 4, 2])
    shuffled = pl.DataFrame(frame)[order]
    verdict = CLAIM.check(released(shuffled, np.argsort(order)), original)
    assert (verdict.holds, verdict.achieved) == (True, {"records": 2, "people": 2})
    alone = CLAIM.check(released(shuffled), original)
    assert (alone.holds, alone.achieved) == (True, {"records": 2})
    assert "rows were counted, not people" in alone.notes[-1]


@pytest.mark.parametrize(
    ("column", "values", "says"),
    [
        ("pay", [1.5, 1.5, 3.5, 3.5, 15.5, 15.5], "the means of their rows"),
        ("pay", [3.5, 3.5, 1.5, 1.5, 15.0, 15.0], "the means of their rows"),
        ("pay", [1.5, 1.5, 3.5, 3.5, 15 + 8e-15, 15 + 8e-15], "the means of their rows"),
        ("town", ["x", "y", "x", "z", "y", "x"], "1 rows have other values"),
        ("town", ["y", "x", "x", None, "y", "x"], "2 rows have other values"),
    ],
)
def test_wrong_values_are_seen_where_it_is_known_which_row_became_which(column, values, says):
    original, frame = mixed()
    verdict = CLAIM.check(released({**frame, column: values}, range(6)), original)
    assert not verdict.holds
    assert says in " ".join(verdict.witnesses)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda f: f.with_columns(pay=pl.Series([1.5, 1.5, 3.5, 3.5, 15.5, 15.5])), "the mean of 1 columns"),
        (lambda f: f.with_columns(town=pl.Series(["x", "y", "x", "z", "y", "x"])), "1 rows have other values"),
        (lambda f: f.with_columns(more=pl.lit("1")), "columns are not those of the original"),
        (lambda f: f.drop("town"), "columns are not those of the original"),
        (lambda f: f[:4], "4 rows are published of 6"),
        (lambda f: pl.concat([f, f[:2]]), "8 rows are published of 6"),
        (lambda f: f.with_columns(pay=pl.Series([1.5, 1.5, None, None, 15.0, 15.0])), "not a finite number"),
    ],
)
def test_wrong_tables_are_seen_beside_their_original(change, says):
    original, frame = mixed()
    verdict = CLAIM.check(released(change(pl.DataFrame(frame))), original)
    assert not verdict.holds
    assert says in " ".join(verdict.witnesses)


def test_one_person_in_two_rows_counts_once():
    original, frame = mixed()
    together = {**frame, "pay": [10.5, 2.5, 2.5, 7.0, 7.0, 10.5]}
    verdict = CLAIM.check(released(together, range(6)), original)
    assert (verdict.holds, verdict.achieved["people"]) == (False, 1)


def test_a_claim_that_leaves_a_quasi_identifier_out_is_not_worth_it():
    original = TableOriginal(Table.from_numbers([[1.0, 2.0], [3.0, 4.0]], names=("a", "b")))
    verdict = MicrodataKAnonymity(k=2, columns=("a",)).check(released({"a": [2.0, 2.0], "b": [2.0, 4.0]}), original)
    assert not verdict.holds
    assert "leaves out 1 quasi-identifiers" in verdict.witnesses[0]


def test_lost_rows_are_seen():
    original, frame = mixed()
    assert not CLAIM.check(released(frame, [0, 0, 2, 3, 4, 5]), original).holds


@settings(deadline=None, max_examples=60)
@given(st.integers(4, 40), st.integers(1, 3), st.integers(3, 40), st.integers(0, 10**6))
def test_what_mdav_publishes_are_the_means_of_classes_without_rounding_but_of_the_last_digit(rows, columns, people, seed):
    original = random_table(rows, columns, people, seed)
    k = min(2, original.n_owners)
    if k < 2:
        return
    release = MDAV(k=k).apply(original)
    frame = release.tables["microdata"].frame
    classes = np.unique(frame.to_numpy(), axis=0, return_inverse=True)[1].ravel()
    means = exact_means(original.table.numbers, classes)
    for row, c in zip(frame.rows(), classes.tolist(), strict=True):
        assert all(abs(told - mean) <= np.spacing(abs(told)) for told, mean in zip(row, means[c], strict=True))
    assert release.claims[0].check(release, original).holds


def test_very_large_numbers_have_means():
    original = TableOriginal(Table.from_numbers([[1.7e308], [1.6e308], [-1.5e308], [-1.7e308]]))
    release = MDAV(k=2).apply(original)
    assert release.claims[0].check(release, original).holds
    assert sorted(set(release.tables["microdata"].frame["1"])) == pytest.approx([-1.6e308, 1.65e308])


@pytest.mark.parametrize("names", [("a", "b"), ("a,b", "c"), ("back\\slash", "=x"), ('quo"te', "(x)"), (" a ", ""), ("line\nend",)])
def test_a_claim_is_read_as_it_was_written(names):
    claim = MicrodataKAnonymity(k=4, columns=ColumnNames(names))
    assert MODELS.make(str(claim)) == claim


@pytest.mark.parametrize("wrong", ["a,a", "a\\"])
def test_columns_that_cannot_be_read_are_refused(wrong):
    with pytest.raises(ParameterError):
        ColumnNames.parse(wrong)


def test_a_claim_keeps_a_promise_of_the_same_k_only():
    promise = MDAV(k=3).claims()[0]
    made = MicrodataKAnonymity(k=3, columns=("a",))
    assert made.keeps(promise)
    assert not replace(made, k=2).keeps(promise)
    assert not MicrodataKAnonymity(k=3, columns=("b",)).keeps(made)
