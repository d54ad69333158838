"""Access logs at limits that random releases rarely reach: values that nobody or just enough people have, and profiles of several sizes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.data.log import Log
from shoal.data.original import AccessOriginal
from shoal.data.release import Release, Secret
from shoal.data.tables.access_log import SCHEMA, AccessTable
from shoal.privacy import AccessKAnonymity

START = datetime(2024, 5, 1, 10, 0)


@dataclass(frozen=True)
class Row:
    """One request; `who` is the user in the original, and the address in the release."""

    who: int
    minute: float = 0.0
    page: str = "/a"
    method: str = "GET"
    status: int = 200
    agent: str = "Firefox"
    size: int | None = 100

    @property
    def time(self) -> datetime:
        return START + timedelta(minutes=self.minute)


def original_of(rows: list[Row]) -> AccessOriginal:
    plain: dict[str, list[Any]] = {
        "owner": [row.who for row in rows],
        "time": [row.time for row in rows],
        "payload": [row.page for row in rows],
        "visitor": [row.who for row in rows],
        "address": [f"10.0.0.{row.who}" for row in rows],
        "method": [row.method for row in rows],
        "protocol": ["HTTP/1.1"] * len(rows),
        "status": [row.status for row in rows],
        "size": [row.size for row in rows],
        "referrer": ["-"] * len(rows),
        "agent": [row.agent for row in rows],
    }
    kinds = {"owner": pl.Int64, "time": pl.Datetime("us"), "visitor": pl.Int64, "status": pl.Int64, "size": pl.Int64}
    return AccessOriginal(Log(pl.DataFrame(plain, schema={name: kinds.get(name, pl.String) for name in plain})))


def table_of(rows: list[Row]) -> AccessTable:
    plain: dict[str, list[Any]] = {
        "address": [row.who for row in rows],
        "time": [row.time for row in rows],
        "request": [f"{row.method} {row.page} HTTP/1.1" for row in rows],
        "status": [row.status for row in rows],
        "size": [row.size for row in rows],
        "referrer": ["-"] * len(rows),
        "agent": [row.agent for row in rows],
    }
    return AccessTable(pl.DataFrame(plain, schema=dict(SCHEMA)))


def judged(shown: list[Row], rows: list[Row], secret: bool = True, **words: Any) -> Any:
    mapping = Secret(np.arange(len(rows))) if secret else None
    return AccessKAnonymity(**{"k": 2, **words}).check(Release({"access": table_of(shown)}, secret=mapping), original_of(rows))


@pytest.mark.parametrize("secret", [True, False])
def test_values_that_nobody_has(secret: bool) -> None:
    """One person is enough, but not nobody."""
    rows = [Row(1), Row(2)]
    assert judged(rows, rows, secret, min_owners=1).holds
    page = judged([Row(1, page="/b"), Row(2, page="/b")], rows, secret, min_owners=1)
    assert page.witnesses == ("1 values of page are published that fewer than 1 people share",) and page.achieved["owners"] == 0
    status = judged([Row(1, status=404), Row(2, status=404)], rows, secret, min_owners=1)
    assert status.witnesses == ("1 values of status are published that fewer than 1 people share",)
    method = judged([Row(1, method="POST"), Row(2, method="POST")], rows, secret, min_owners=1)
    assert method.witnesses == ("1 values of method are published that fewer than 1 people share",)


@pytest.mark.parametrize(
    ("sizes", "shown", "wrong"), [([None, None], 100, 2), ([None, 100], 100, 0), ([90, 110], 111, 2), ([90, 110], 110, 0)]
)
@pytest.mark.parametrize("secret", [True, False])
def test_sizes_that_nobody_has(sizes: list[int | None], shown: int, wrong: int, secret: bool) -> None:
    """A published size is compared with the known ones, and is wrong if there are none."""
    verdict = judged([Row(n, size=shown) for n in (1, 2)], [Row(n, size=size) for n, size in enumerate(sizes, 1)], secret)
    told = f"{wrong} values of size lie outside the range of the original"
    assert verdict.holds == (not wrong) and (told in verdict.witnesses) == (wrong > 0)
    nothing = [Row(n, size=None) for n in (1, 2)]
    assert judged(nothing, nothing, secret).holds


@pytest.mark.parametrize(("least", "holds"), [(1, True), (2, True), (3, True), (4, False)])
def test_values_that_just_enough_people_have(least: int, holds: bool) -> None:
    """Three of four people have the status; four addresses have it."""
    rows = [Row(n, status=404 if n < 3 else 200) for n in range(4)]
    shown = [Row(n, status=404) for n in range(4)]
    for secret in (True, False):
        verdict = judged(shown, rows, secret, min_owners=least)
        assert verdict.holds == holds
        assert ("1 values of status are published" in " ".join(verdict.witnesses)) == (not holds)
    pages = [Row(n, page="/own" if n == 3 else "/a") for n in range(4)]
    for secret in (True, False):
        verdict = judged([Row(n) for n in range(4)], pages, secret, min_owners=least)
        assert (verdict.holds, verdict.achieved["owners"]) == (holds, 3)


def test_profiles_of_two_and_of_three_people() -> None:
    """Two people ask for one page, three for another one, or the same person several times."""
    rows = [Row(n, page="/a" if n < 2 else "/b") for n in range(5)]
    for per in ("owner", "session"):
        verdict = judged(rows, rows, per=per)
        assert (verdict.holds, verdict.achieved) == (True, {"records": 2, "people": 2, "owners": 2})
    apart = [Row(0, page="/a"), Row(0, 600, page="/a"), *rows[2:]]
    shown = [Row(0, page="/a"), Row(1, page="/a"), *rows[2:]]
    verdict = judged(shown, apart, per="session", min_owners=1)
    assert verdict.achieved == {"records": 2, "people": 1, "owners": 1}
    assert verdict.witnesses[0] == "1 profiles have fewer than 2 people behind them"
    assert judged([], []).achieved == {"records": 0, "people": 0, "owners": 0}


@pytest.mark.parametrize(("minute", "holds"), [(2.0, True), (2 + 3 * 30.0, True), (2 + 3 * 30 + 0.1, False)])
def test_pauses_are_as_many_as_the_longest_profile_has_rows(minute: float, holds: bool) -> None:
    """Two people with one request each, and two with three: the last one may be later by three pauses and three seconds."""
    rows = [Row(n) for n in (1, 2)] + [Row(n, at) for n in (3, 4) for at in (0.0, 1.0, 2.0)]
    shown = [*rows[:4], Row(3, minute), *rows[5:7], Row(4, minute)]
    verdict = judged(shown, rows)
    assert verdict.holds == holds and bool(verdict.witnesses) != holds


def test_sessions_of_people_with_several() -> None:
    """Units are people, sessions or rows: two people with two sessions of two requests each."""
    rows = [Row(n, at) for n in (1, 2) for at in (0.0, 5.0, 600.0, 605.0)]
    assert judged(rows, rows).achieved["people"] == 2
    shown = [Row(2 * n + (at >= 600), at) for n in (1, 2) for at in (0.0, 5.0, 600.0, 605.0)]
    sessions = judged(shown, rows, per="session")
    assert (sessions.holds, sessions.achieved) == (True, {"records": 2, "people": 2, "owners": 2})
    assert judged(shown, rows).witnesses == ("4 profiles are published for 2 users of the original",)
    assert judged(rows, rows, per="session").witnesses[-1] == "2 profiles are published for 4 sessions of the original"
    assert judged(rows[:7], rows, per="row").witnesses[-1] == "7 profiles are published for 8 rows of the original"


@pytest.mark.parametrize(("least", "alone"), [(1, 4), (2, 4), (3, 4)])
def test_when_sessions_begin(least: int, alone: int) -> None:
    """Of four people, two begin at different times, which are published; the other two begin a minute later, together."""
    rows = [Row(n, at) for n, first in enumerate((0.0, 0.5, 1.0, 1.0)) for at in (first, 2.0)]
    shown = [Row(n, at) for n in range(4) for at in (0.0, 2.0)]
    verdict = judged(shown, rows, min_owners=least)
    told = f"{alone} published sessions begin when a session of too few people began"
    assert told in verdict.witnesses and not verdict.holds
    together = [Row(n, at) for n in range(4) for at in (1.0, 2.0)]
    fewer = judged(together, rows, min_owners=least)
    assert ("4 published sessions begin when a session of too few people began" in fewer.witnesses) == (least > 2)
    late = [Row(n, at) for n in range(4) for at in (1.5, 2.0)]
    assert judged(late, rows, min_owners=least).holds


def test_rows_begin_by_themselves() -> None:
    """Per row, every row of a class is compared: here the last row of one person has a time of its own."""
    rows = [Row(0, 0.0), Row(1, 0.0), Row(0, 1.0)]
    shown = [Row(0, 1.0), Row(0, 1.0), Row(0, 1.0)]
    told = "3 published sessions begin when a session of too few people began"
    assert told in judged(shown, rows, per="row", k=3, min_owners=1).witnesses
    both = judged([Row(0, 0.0)] * 3, rows, per="row", k=3, min_owners=1)
    assert both.holds and both.achieved["records"] == 3
