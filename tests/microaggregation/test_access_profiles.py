"""What is published for a group of an access log: values of enough owners, in the right numbers, in sessions that stay sessions."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from shoal.microaggregation.access_profiles import Visit, allotted, common, generalized, representative
from shoal.taxonomy.urls import page_levels

GAP = timedelta(minutes=30)
START = datetime(2015, 5, 17, 10)
PAGES = ("/a/b/c", "/a/b/d", "/a/e", "/f?x=1", "/f?x=2", "/f", "(broken request)", "http://h/a")

values = st.lists(st.tuples(st.sampled_from(PAGES), st.integers(0, 4)), min_size=1, max_size=30)


def visit(owner: int, page: str, minute: float = 0.0, agent: str = "-", session: int | None = None, **other: object) -> Visit:
    facts = {"method": "GET", "protocol": "HTTP/1.1", "status": 200, "size": 7, "referrer": "-", "agent": agent} | other
    when = START + timedelta(minutes=minute)
    return Visit(owner, owner if session is None else session, owner, START, when, page, **facts)  # type: ignore[arg-type]


@given(values, st.integers(1, 4))
def test_a_value_stands_for_rows_of_enough_owners_or_tells_nothing(rows: list[tuple[str, int]], least: int) -> None:
    told = generalized([page for page, _ in rows], [owner for _, owner in rows], page_levels, least)
    owners: dict[str, set[int]] = {}
    for value, (page, owner) in zip(told, rows, strict=True):
        assert value in page_levels(page)
        owners.setdefault(value, set()).add(owner)
    assert all(len(who) >= least for value, who in owners.items() if value != "-")


@given(values, st.integers(1, 4))
def test_no_value_is_generalized_that_enough_owners_have(rows: list[tuple[str, int]], least: int) -> None:
    told = generalized([page for page, _ in rows], [owner for _, owner in rows], page_levels, least)
    for page in PAGES[:-2]:
        if len({owner for asked, owner in rows if asked == page}) >= least:
            assert all(value == page for value, (asked, _) in zip(told, rows, strict=True) if asked == page)


def test_pages_of_one_owner_each_meet_in_their_folder() -> None:
    assert generalized(["/a/b/c", "/a/b/d", "/a/e"], [1, 2, 3], page_levels, 2) == ["/a/b/*", "/a/b/*", "-"]
    assert generalized(["/a/b/c", "/a/b/d", "/a/e"], [1, 1, 2], page_levels, 2) == ["/a/*", "/a/*", "/a/*"]
    assert generalized(["/f?x=1", "/f"], [1, 2], page_levels, 2) == ["/f?*", "/f?*"]


@given(st.dictionaries(st.text(max_size=2), st.tuples(st.integers(1, 50), st.integers(1, 5)), min_size=1), st.integers(0, 40))
def test_places_are_shared_out_to_within_one_of_the_share(weights: dict[str, tuple[int, int]], count: int) -> None:
    places = allotted(weights, count)
    total = sum(rows for rows, _ in weights.values())
    assert sum(places.values()) == count
    assert all(abs(places.get(value, 0) - rows * count / total) < 1 for value, (rows, _) in weights.items())


def test_what_most_rows_have_is_taken_if_enough_owners_have_it() -> None:
    rows = [visit(1, "/a", status=500), visit(1, "/a", status=500), visit(1, "/a", status=500), visit(1, "/a"), visit(2, "/a")]
    assert common(rows, lambda row: row.status, 1) == 500
    assert common(rows, lambda row: row.status, 2) == 200
    assert common(rows, lambda row: row.status, 3) is None


def test_a_profile_has_the_mean_numbers_of_rows_and_of_each_page() -> None:
    rows = [visit(owner, page) for owner in (1, 2, 3) for page in ["/a"] * owner + ["/b"] * 4]
    told = representative(rows, 2, GAP)
    assert Counter(row.request for row in told) == {"GET /a HTTP/1.1": 2, "GET /b HTTP/1.1": 4}


def test_a_size_of_one_person_is_not_published() -> None:
    (row,) = representative([visit(1, "/a", size=10), visit(2, "/a", size=20)], 2, GAP)
    assert row.size == 15
    (row,) = representative([visit(1, "/a", size=10), visit(2, "/a", size=None)], 2, GAP)
    assert row.size is None


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 200), st.sampled_from(PAGES)), min_size=4, max_size=40), st.integers(1, 3))
def test_one_session_stays_one_session(rows: list[tuple[int, int, str]], least: int) -> None:
    told = representative([visit(owner, page, minute) for owner, minute, page in rows], least, GAP)
    assert all(later.time - earlier.time <= GAP for earlier, later in pairwise(told))


def test_sessions_of_one_agent_stay_apart() -> None:
    rows = [visit(owner, "/a", session=owner * 10 + turn) for owner in (1, 2, 3) for turn in range(3)]
    told = representative(rows, 2, GAP)
    assert [later.time - earlier.time > GAP for earlier, later in pairwise(told)] == [True, True]
