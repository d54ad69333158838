"""The distance of units of an access log, against the fields one by one; sessions, against a plain loop."""

from __future__ import annotations

import math
from datetime import datetime, timedelta

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.microaggregation.visit_space import NODES, NUMBERS, Visits, VisitSpace, address_nodes, sessions_of

START = datetime(2015, 5, 17, 10)
CHROME = "Mozilla/5.0 (Windows NT 6.1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/32.0.1700.77 Safari/537.36"
CHROME_33 = CHROME.replace("Chrome/32", "Chrome/33")
FIREFOX = "Mozilla/5.0 (Windows NT 6.1; rv:24.0) Gecko/20100101 Firefox/24.0"


def rows(**fields: list[object]) -> pl.DataFrame:
    """Rows of different owners that agree in all other fields."""
    n = len(next(iter(fields.values())))
    plain: dict[str, list[object]] = {
        "owner": list(range(n)),
        "time": [START] * n,
        "payload": ["/a"] * n,
        "visitor": list(range(n)),
        "address": ["10.0.0.1"] * n,
        "method": ["GET"] * n,
        "protocol": ["HTTP/1.1"] * n,
        "status": [200] * n,
        "size": [100] * n,
        "referrer": ["-"] * n,
        "agent": [CHROME] * n,
    }
    return pl.DataFrame(plain | fields)


def distance(field: str, **fields: list[object]) -> float:
    """How far the second row is from the first, by one field alone."""
    visits = Visits.of(rows(**fields), "row", timedelta(minutes=30))
    order = visits.frame["unit"].to_list()
    space = VisitSpace(visits, {name: float(name == field) for name in (*NODES, *NUMBERS)})
    return float(space.distances(space.point(order[0]), np.array([order[1]]))[0])


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("/a/b/c", "/a/b/c", 0),
        ("/a/b/c", "/a/b/d", (4 + 4 - 2 * 3) / 8),
        ("/a/b/c", "/a/e", (4 + 3 - 2 * 2) / 7),
        ("/a/b/c", "http://e.org/x", 1),
        ("/s?q=1", "/s?q=2", (3 + 3 - 2 * 2) / 6),
        ("/s?q=1", "/s", (3 + 2 - 2 * 2) / 5),
    ],
)
def test_paths_differ_by_their_levels(one: str, other: str, expected: float) -> None:
    assert distance("page", payload=[one, other]) == pytest.approx(expected)
    assert distance("referrer", referrer=[one, other]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("10.1.2.3", "10.1.2.4", 1 / 4),
        ("10.1.2.3", "11.1.2.3", 1),
        ("2001:db8::1", "2001:db8::2", 1 / 8),
        ("2001:db8::1", "10.1.2.3", 1),
        ("a.example.org", "b.example.org", 1 / 3),
    ],
)
def test_addresses_differ_by_their_beginnings(one: str, other: str, expected: float) -> None:
    assert distance("address", address=[one, other]) == pytest.approx(expected)


def test_agents_differ_by_four_levels() -> None:
    assert distance("agent", agent=[CHROME, CHROME]) == 0
    assert distance("agent", agent=[CHROME, CHROME_33]) == pytest.approx(1 / 4)
    assert distance("agent", agent=[CHROME, FIREFOX]) == pytest.approx(2 / 4)


def test_plain_values_are_alike_or_not() -> None:
    assert distance("status", status=[200, 404]) == 1
    assert distance("method", method=["GET", None]) == 1
    assert distance("protocol", protocol=["HTTP/1.0", "HTTP/1.0"]) == 0


def test_times_and_sizes() -> None:
    assert distance("time", time=[START, START + timedelta(hours=1), START + timedelta(hours=4)]) == pytest.approx(1 / 4)
    assert distance("size", size=[1023, 31]) == pytest.approx(math.log(1024 / 32) / math.log(1024))
    assert distance("size", size=[0, 10**9]) == 1


def test_units_of_several_rows_share_what_both_hold() -> None:
    frame = rows(payload=["/a", "/b", "/a", "/a"], owner=[0, 0, 1, 1], visitor=[0, 0, 1, 1])
    space = VisitSpace(Visits.of(frame, "owner", timedelta(minutes=30)), {name: float(name == "page") for name in (*NODES, *NUMBERS)})
    found = space.distances(space.point(0), np.array([0, 1]))
    assert found.tolist() == pytest.approx([0, 1 - 2 * (2 + 1) / (4 + 4)])  # the folder twice, one page


def test_address_nodes() -> None:
    assert address_nodes("10.1.2.3") == ("10.", "10.1.", "10.1.2.", "10.1.2.3.")
    assert address_nodes("b.example.org") == ("b.example.org", "example.org", "org")


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 300)), max_size=30), st.integers(1, 60))
def test_sessions_by_a_plain_loop(events: list[tuple[int, int]], gap: int) -> None:
    moments = [START + timedelta(minutes=minute) for _, minute in events]
    told = sessions_of(
        pl.Series([who for who, _ in events], dtype=pl.Int64), pl.Series(moments, dtype=pl.Datetime("us")), timedelta(minutes=gap)
    ).to_list()
    expected: dict[int, int] = {}
    number, last = -1, None
    for place in sorted(range(len(events)), key=lambda i: (events[i], i)):
        who, minute = events[place]
        if last is None or who != last[0] or minute - last[1] > gap:
            number += 1
        expected[place], last = number, (who, minute)
    assert told == [expected[place] for place in range(len(events))]
