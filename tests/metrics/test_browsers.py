"""Browsers per click and per session, and numbers of sessions, counted by hand."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from helpers.accesslog import CHROME, line
from shoal.data.log import Log
from shoal.data.original import AccessOriginal
from shoal.data.release import Release
from shoal.data.tables.access_log import AccessTable
from shoal.io.read.dispatch import read
from shoal.kinds.access_log import read as read_back
from shoal.metrics import measure
from shoal.metrics.browsers import BrowserUse, use_after, use_before, use_by_session_variable

AT = "17/May/2015:{} +0000".format


def original(directory: Path) -> AccessOriginal:
    """Firefox: 3 clicks in 2 sessions; Chrome: 1 click in 1 session."""
    lines = [line("a", AT("10:00:00")), line("a", AT("10:29:00")), line("a", AT("12:00:00")), line("b", AT("10:00:00"), agent=CHROME)]
    (directory / "before.log").write_text("".join(lines))
    log = read(directory / "before.log").data
    assert isinstance(log, Log)
    return AccessOriginal(log)


def published(directory: Path) -> AccessTable:
    """Firefox: 2 clicks in 1 session; Chrome: 2 clicks in 2 sessions."""
    lines = [line("c", AT("10:00:00")), line("c", AT("10:00:00"))]
    lines += [line("d", AT("10:00:00"), agent=CHROME), line("d", AT("10:30:01"), agent="Chrome/32.0")]
    (directory / "access.log").write_text("".join(lines))
    return read_back(directory, [{"name": "access.log"}], False)


def test_use_is_counted_per_click_and_per_session(tmp_path: Path) -> None:
    assert use_before(original(tmp_path)) == BrowserUse({"Firefox": 3, "Chrome": 1}, {"Firefox": 2, "Chrome": 1})
    assert use_after(Release({"access": published(tmp_path)})) == BrowserUse({"Firefox": 2, "Chrome": 2}, {"Firefox": 1, "Chrome": 2})


def test_with_a_session_variable_times_do_not_end_a_session(tmp_path: Path) -> None:
    """The two clicks of Chrome are two sessions by the timeout, and one by their address."""
    found = use_by_session_variable(Release({"access": published(tmp_path)}))
    assert found == BrowserUse({"Firefox": 2, "Chrome": 2}, {"Firefox": 1, "Chrome": 1})
    assert found.n_sessions == 2


def test_the_three_numbers(tmp_path: Path) -> None:
    found = measure(Release({"access": published(tmp_path)}), original(tmp_path))
    assert found == pytest.approx({"browser_clicks": 1 / 4, "browser_sessions": 1 / 3, "session_ratio": 1.0})


def test_a_log_against_itself_has_not_moved(tmp_path: Path) -> None:
    before = original(tmp_path)
    same = before.log.frame.select(
        pl.col("visitor").alias("address"), "time", pl.lit("-").alias("request"), "status", "size", "referrer", "agent"
    )
    found = measure(Release({"access": AccessTable(same)}), before)
    assert found == {"browser_clicks": 0.0, "browser_sessions": 0.0, "session_ratio": 1.0}
