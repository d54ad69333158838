"""Use of browsers in an access log before and after, per click and per session, and the number of sessions.

The measures of Navarro-Arribas and Torra, each as one number. Sessions are found in both logs alike: one address and user agent, up to a
pause of more than 30 minutes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from shoal.data.input_shapes import Shape
from shoal.data.log import HALF_AN_HOUR
from shoal.data.original import AccessOriginal
from shoal.data.release import Release
from shoal.data.tables.access_log import VISITOR, AccessTable
from shoal.metrics import Metric
from shoal.microaggregation.visit_space import sessions_of
from shoal.text.agents import browser_of

_KINDS: frozenset[str] = frozenset({"access log"})
_TAKES: frozenset[Shape] = frozenset({"access log"})


@dataclass(frozen=True)
class BrowserUse:
    """How many clicks and sessions each browser has."""

    clicks: Mapping[str, int]
    sessions: Mapping[str, int]

    @property
    def n_sessions(self) -> int:
        """All sessions."""
        return sum(self.sessions.values())


def use_before(original: AccessOriginal) -> BrowserUse:
    """Return the use of browsers in the original."""
    return _by_timeout(original.log.frame.select(VISITOR, "time", "agent"))


def use_after(release: Release) -> BrowserUse:
    """Return the use of browsers in the published log."""
    table = release.only(AccessTable)
    return _by_timeout(table.frame.select(pl.struct("address", "agent").rank("dense").alias(VISITOR), "time", "agent"))


def use_by_session_variable(release: Release) -> BrowserUse:
    """Return the use of browsers in a log published with a session variable, which its addresses stand for: each is one session at any
    times.
    """
    return _use(release.only(AccessTable).frame.select("agent", session="address"))


def _by_timeout(rows: pl.DataFrame) -> BrowserUse:
    return _use(rows.with_columns(session=sessions_of(rows[VISITOR], rows["time"], HALF_AN_HOUR)))


def _use(rows: pl.DataFrame) -> BrowserUse:
    """Return the use of browsers in rows that have an agent and a session."""
    agents = rows["agent"].unique()
    families = pl.Series([browser_of(agent) for agent in agents.to_list()], dtype=pl.String)
    used = rows.with_columns(browser=rows["agent"].replace_strict(agents, families, return_dtype=pl.String))
    clicks = used.group_by("browser").len()
    sessions = used.group_by("browser").agg(pl.col("session").n_unique())
    return BrowserUse(dict(clicks.iter_rows()), dict(sessions.iter_rows()))


def apart(before: Mapping[str, int], after: Mapping[str, int]) -> float:
    """Half the sum of the differences of all shares: what share of the whole has moved from one browser to another."""
    totals = max(1, sum(before.values())), max(1, sum(after.values()))
    moved = (abs(before.get(name, 0) / totals[0] - after.get(name, 0) / totals[1]) for name in before.keys() | after.keys())
    return math.fsum(moved) / 2  # exact, so that the last digits do not depend on the order of the names


def click_shift(release: Release, original: AccessOriginal) -> float:
    """Return how far the shares of browsers in clicks have moved."""
    return apart(use_before(original).clicks, use_after(release).clicks)


def session_shift(release: Release, original: AccessOriginal) -> float:
    """Return how far the shares of browsers in sessions have moved."""
    return apart(use_before(original).sessions, use_after(release).sessions)


def session_ratio(release: Release, original: AccessOriginal) -> float:
    """Sessions that are found in the published log, for one in the original."""
    return use_after(release).n_sessions / max(1, use_before(original).n_sessions)


def _metric(name: str, summary: str, better: str, formula: object, highest: float | None = None) -> Metric:
    return Metric(name, summary, better, formula, highest=highest, kinds=_KINDS, takes=_TAKES)  # type: ignore[arg-type]


BROWSER_CLICKS = _metric("browser_clicks", "half the sum of the changes of the shares of browsers in clicks", "lower", click_shift, 1.0)
BROWSER_SESSIONS = _metric(
    "browser_sessions", "half the sum of the changes of the shares of browsers in sessions", "lower", session_shift, 1.0
)
SESSION_RATIO = _metric("session_ratio", "number of sessions in the published log relative to the original", "neither", session_ratio)
