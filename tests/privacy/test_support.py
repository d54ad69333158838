"""The judge of support: counts of people and rows on tables made by hand."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.errors import refuses
from helpers.logs import log_of
from shoal.data.original import LogOriginal
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.privacy.support import Support

LOG = LogOriginal(log_of([(0, "a"), (1, "a"), (2, "a"), (0, "b"), (0, "b"), (0, "b"), (1, "b"), (0, "c"), (1, "c"), (2, "c")]))


def rows(*texts: str | None, column: str = "query") -> Release:
    return Release({"log": RowTable(pl.DataFrame({column: list(texts)}, schema={column: pl.String}))})


def test_people_are_counted_with_the_original() -> None:
    verdict = Support(k=3).check(rows("a", "a", "a", "c", "c", "c"), LOG)
    assert verdict.holds
    assert not verdict.unchecked
    assert verdict.achieved == {"records": 3, "people": 3}


def test_rows_of_one_person_do_not_count_for_many() -> None:
    verdict = Support(k=3).check(rows("b", "b", "b", "b"), LOG)
    assert not verdict.holds
    assert verdict.achieved == {"records": 4, "people": 2}
    assert verdict.witnesses == ("1 query was used by fewer than 3 people",)


def test_a_file_alone_is_never_said_to_hold() -> None:
    """Four rows may be four people's or one's: the file does not tell, and the verdict says so."""
    verdict = Support(k=3).check(rows("b", "b", "b", "b"))
    assert verdict.unchecked
    assert verdict.as_dict()["holds"] is None
    assert verdict.achieved == {"records": 4}


def test_a_file_alone_fails_where_a_query_has_too_few_rows() -> None:
    verdict = Support(k=3).check(rows("a", "a", "a", "c", "c"))
    assert not verdict.holds
    assert verdict.witnesses == ("1 query was published in fewer than 3 rows",)


@pytest.mark.parametrize("wrong", [["a"] * 4, ["a"] * 3 + ["d"], ["a"] * 3 + ["A"], ["a"] * 3 + [None], ["a"] * 3 + [""]], ids=str)
def test_every_row_must_be_explained_by_one_of_the_original(wrong: list[str | None]) -> None:
    verdict = Support(k=3).check(rows(*wrong), LOG)
    assert not verdict.holds
    assert "1 published row has no row of the original" in verdict.witnesses


def test_fewer_rows_than_there_were_are_no_breach() -> None:
    assert Support(k=3).check(rows("a"), LOG).holds
    assert Support(k=3).check(rows(), LOG).holds


def test_other_tables_are_refused() -> None:
    with refuses("missing-column"):
        Support(k=3).check(rows("a", column="text"), LOG)
    from shoal.data.bags import Bags

    with refuses("claim-not-applicable"):
        Support(k=3).check(Release.from_records(Bags.from_lists([["a"]])))


EVENTS = st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abc")), max_size=15)


@given(EVENTS, st.lists(st.sampled_from("abcd"), max_size=8), st.integers(2, 4))
def test_it_agrees_with_the_definition(events: list[tuple[int, str]], texts: list[str], k: int) -> None:
    people = {text: len({owner for owner, other in events if other == text}) for text in texts}
    contained = all(texts.count(text) <= sum(other == text for _, other in events) for text in texts)
    verdict = Support(k=k).check(rows(*texts), LogOriginal(log_of(events)))
    assert verdict.holds == (contained and all(n >= k for n in people.values()))
    assert verdict.achieved["people"] == min(people.values(), default=0)
