"""Deleting infrequent queries: against the definition in plain Python, and a worked example."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.errors import refuses
from helpers.logs import EVENTS, log_of, published_texts, shared_by_k
from shoal.data.original import LogOriginal
from shoal.data.tables.rows import RowTable
from shoal.errors import Infeasible
from shoal.methods.infrequent import Infrequent

TEXTS = st.sampled_from(["", "a", "A", "a ", "b", "c d", "null"])
LOGS = st.lists(st.tuples(st.integers(0, 5), TEXTS), min_size=1, max_size=40)


@given(LOGS, st.integers(2, 5))
def test_it_keeps_what_the_definition_keeps(events: list[tuple[int, str]], k: int) -> None:
    expected = shared_by_k(events, k)
    if not expected:
        with refuses("nothing-to-publish"):
            Infrequent(k=k).apply(LogOriginal(log_of(events)))
        return
    release = Infrequent(k=k).apply(LogOriginal(log_of(events)))
    assert published_texts(release) == expected
    assert release.accounting is not None
    empty = sum(not text for _, text in events)
    counted = {
        "published": expected.total(),
        "dropped: no query": empty,
        "dropped: fewer than k people": len(events) - empty - expected.total(),
    }
    assert release.accounting["rows"].as_dict() == {"in": len(events)} | {part: n for part, n in counted.items() if n}


def test_people_are_counted_and_not_rows() -> None:
    """Nine rows of one person are deleted, three rows of three people stay."""
    release = Infrequent(k=3).apply(LogOriginal(log_of(EVENTS["one person repeats"])))
    assert published_texts(release) == {"b": 3}


def test_texts_are_compared_letter_by_letter() -> None:
    release = Infrequent(k=3).apply(LogOriginal(log_of(EVENTS["spellings differ"])))
    assert len(published_texts(release)) == 5
    with pytest.raises(Infeasible):
        Infrequent(k=2).apply(LogOriginal(log_of([(0, "New York"), (1, "new york")])))


def test_a_row_holds_its_query_and_nothing_else() -> None:
    import polars as pl

    log = log_of(EVENTS["random"])
    timed = type(log)(log.frame.with_columns(time=pl.lit(0).cast(pl.Datetime("us")), url=pl.lit("http://x")), "text")
    table = Infrequent(k=3).apply(LogOriginal(timed)).only(RowTable)
    assert isinstance(table, RowTable)
    assert table.columns == {"query": "text"}


def test_items_are_published_as_items() -> None:
    table = Infrequent(k=3).apply(LogOriginal(log_of(EVENTS["random"], "item"))).only(RowTable)
    assert isinstance(table, RowTable)
    assert table.columns == {"item": "text"}
