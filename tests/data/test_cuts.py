"""Rows of people cut into parts, and times made coarser: by hand, and against the definition in plain Python."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.errors import refuses
from shoal.data.bags import Ints
from shoal.data.durations import PERIODS, at_least_as_fine, beginning
from shoal.data.log import Log
from shoal.data.pseudonym_scope import PseudonymScope, parts_of_people
from shoal.errors import ParameterError

START = datetime(2006, 3, 1, 22, 0)
Event = tuple[int, int, str]  # owner, minutes after the start, payload


def log_of(events: list[Event]) -> Log:
    times = [START + timedelta(minutes=minute) for _, minute, _ in events]
    columns = {"owner": [owner for owner, _, _ in events], "time": times, "payload": [text for *_, text in events]}
    return Log(pl.DataFrame(columns, schema={"owner": pl.Int64, "time": pl.Datetime("us"), "payload": pl.String}))


def sets_of(part: Ints) -> set[frozenset[int]]:
    """The rows of each part."""
    rows = defaultdict(set)
    for row, number in enumerate(part.tolist()):
        rows[number].add(row)
    return {frozenset(found) for found in rows.values()}


# Two people; the first asks before and after midnight, which is 120 minutes after the start.
BY_HAND: list[Event] = [(0, 0, "a"), (1, 5, "a"), (0, 20, "b"), (0, 119, "c"), (0, 121, "d"), (1, 400, "e")]


@pytest.mark.parametrize(
    ("cut", "parts"),
    [
        ("person", [{0, 2, 3, 4}, {1, 5}]),
        ("day", [{0, 2, 3}, {4}, {1}, {5}]),
        ("gap:30m", [{0, 2}, {3, 4}, {1}, {5}]),
        ("gap:20m", [{0, 2}, {3, 4}, {1}, {5}]),  # a pause of just so long ends nothing
        ("gap:19m", [{0}, {2}, {3, 4}, {1}, {5}]),
        ("rows:3", [{0, 2, 3}, {4}, {1, 5}]),
        ("rows:1", [{0}, {1}, {2}, {3}, {4}, {5}]),
    ],
)
def test_parts_by_hand(cut: str, parts: list[set[int]]) -> None:
    assert sets_of(parts_of_people(log_of(BY_HAND), PseudonymScope(cut))) == {frozenset(rows) for rows in parts}


def twin(events: list[Event], cut: PseudonymScope) -> list[list[Event]]:
    """Parts one event after the other."""
    found: list[list[Event]] = []
    for event in sorted(events):
        last = found[-1] if found else []
        new = not last or last[0][0] != event[0]
        if not new and cut.rows is not None:
            new = len(last) == cut.rows
        elif not new and cut.gap is not None:
            new = timedelta(minutes=event[1] - last[-1][1]) > cut.gap
        elif not new and cut.text == "day":
            new = (START + timedelta(minutes=event[1])).date() != (START + timedelta(minutes=last[-1][1])).date()
        if new:
            found.append([])
        found[-1].append(event)
    return sorted(found)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3000), st.sampled_from("abc")), max_size=25),
    st.sampled_from(["person", "day", "gap:30m", "gap:2h", "rows:1", "rows:4"]),
    st.randoms(use_true_random=False),
)
def test_parts_against_the_definition_whatever_the_order(events: list[Event], text: str, chance: object) -> None:
    chance.shuffle(events)  # type: ignore[attr-defined]
    part = parts_of_people(log_of(events), PseudonymScope(text))
    found = sorted(sorted(events[row] for row in np.flatnonzero(part == number)) for number in np.unique(part))
    assert found == twin(events, PseudonymScope(text))


def test_cutting_needs_times() -> None:
    untimed = Log(log_of(BY_HAND).frame.drop("time"))
    assert sets_of(parts_of_people(untimed, PseudonymScope("person"))) == {frozenset({0, 2, 3, 4}), frozenset({1, 5})}
    with refuses("missing-times"):
        parts_of_people(untimed, PseudonymScope("rows:3"))
    missing = Log(log_of(BY_HAND).frame.with_columns(time=pl.when(pl.col("payload") != "a").then("time")))
    with refuses("missing-times"):
        parts_of_people(missing, PseudonymScope("day"))


@pytest.mark.parametrize("wrong", ["", "week", "gap", "gap:", "gap:soon", "rows:0", "rows:-1", "rows:x", "rows:3.5", "person "])
def test_other_cuts_are_refused(wrong: str) -> None:
    with pytest.raises(ParameterError):
        PseudonymScope.parse(wrong)
    with pytest.raises(ParameterError):
        PseudonymScope.of(3)


def test_what_is_linked() -> None:
    assert [
        (PseudonymScope(text).links, PseudonymScope(text).divides_people) for text in ("none", "person", "day", "gap:1h", "rows:2")
    ] == [
        (False, False),
        (True, False),
        (True, True),
        (True, True),
        (True, True),
    ]


def test_times_by_their_period() -> None:
    frame = pl.DataFrame({"time": [datetime(2006, 3, 9, 22, 59, 59, 5), None]}, schema={"time": pl.Datetime("us")})
    found = {period: frame.select(beginning("time", period)).to_series().to_list() for period in PERIODS}
    assert found == {
        "hour": [datetime(2006, 3, 9, 22), None],
        "day": [datetime(2006, 3, 9), None],
        "month": [datetime(2006, 3, 1), None],
    }
    assert [at_least_as_fine(period, "day") for period in PERIODS] == [True, True, False]
