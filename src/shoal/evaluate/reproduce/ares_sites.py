"""The ARES report, section 3.1: access logs of a small and of a large site, masked row by row, with and without the session variable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from shoal.data.log import Log
from shoal.data.original import AccessOriginal
from shoal.errors import InputError
from shoal.evaluate.reproduce.experiment_page import Figure, Lines, PaperFinding, Row
from shoal.evaluate.reproduce.measuring import ExperimentProgress, released
from shoal.evaluate.reproduce.paper import ExperimentSize
from shoal.evaluate.reproduce.trends import path, span, values
from shoal.io.experiment_files import data_set
from shoal.io.read.dispatch import read
from shoal.io.read.options import ACCESSLOG, ReadOptions
from shoal.methods.accesslog_mdav import AccessLogMDAV
from shoal.metrics.browsers import BrowserUse, use_after, use_before, use_by_session_variable
from shoal.synthetic.accesslog import AccessLog

KS = (3, 6, 12, 20, 30)
GOOD_K = 30  # below it the report calls the results with a session variable quite good
SMALL_SITE, LARGE_SITE = "site A", "site B"
SESSION_CLICKS = 60.0  # a request of a page is a click, and so are those of its parts
PAUSE = 7.0  # seconds between such requests; 7.2 in the mean in a log of 10,000 lines of a real site
PAGES = {SMALL_SITE: 10, LARGE_SITE: 6_000}
CLICKS_PER_HOUR = {SMALL_SITE: 14.0, LARGE_SITE: 50.0}
WAYS: Mapping[str, dict[str, Any]] = {"rows": {"per": "row"}, "rows, session variable": {"per": "row", "session": True}}
PUBLISHED_SPREAD = 3.3  # percent, the greatest standard deviation of Table 3.1
PUBLISHED_SLOPE = 0.1  # percent for each step of k, above all regression coefficients of Table 3.1
SPREAD, SLOPE = "standard deviation", "regression coefficient"
NEAR = 0.15  # relative change of a count that is still very good


def sites(size: ExperimentSize) -> tuple[tuple[Figure, ...], tuple[PaperFinding, ...], str]:
    """Return figures 3.1 to 3.5 and Table 3.1, with findings."""
    logs = _logs(size)
    steps = ExperimentProgress("access logs", len(logs) * len(WAYS) * len(KS))
    rows = [row for site, original in logs.items() for way in WAYS for row in over_k(site, way, original, steps)]
    shares = [row for row in rows if row["browser"] != "all"]
    counts = [{name: row[name] for name in ("data", "k", "what", "count")} for row in rows if row["browser"] == "all"]
    percentages = [{"data": row["data"], "k": row["k"], "browser": row["browser"], "sessions %": row["sessions %"]} for row in shares]
    figures = (
        Figure(
            "browsers", "Figures 3.2 and 3.4: use of browsers per session", tuple(percentages), Lines("k", "sessions %", "browser", "data")
        ),
        Figure("sessions", "Figures 3.1, 3.3 and 3.5: clicks and sessions", tuple(counts), Lines("k", "count", "what", "data")),
        Figure(
            "spread", "Table 3.1: standard deviation and regression coefficient of the use of browsers per session", tuple(_spreads(shares))
        ),
    )
    text = "; ".join(f"{site}: {len(original.log):,} clicks" for site, original in logs.items())
    return figures, tuple(findings(rows)), text


def _logs(size: ExperimentSize) -> dict[str, AccessOriginal]:
    """Return the logs of the user, or generated ones: a small site with few pages, and a large one."""
    clicks = {SMALL_SITE: size.settled_size, LARGE_SITE: 3 * size.settled_size}
    made = {site: made_up_site(site, clicks[site]).log(size.seed) for site in PAGES}
    path = data_set(size.data, "access")
    if path is not None:
        found = read(path, ReadOptions(format=ACCESSLOG)).data
        if not isinstance(found, Log):
            raise InputError(f"{path.name} is not an access log", code="not-an-access-log")
        made[LARGE_SITE] = Log(found.frame.head(clicks[LARGE_SITE]), found.kind)
    return {site: AccessOriginal(log) for site, log in made.items()}


def made_up_site(site: str, clicks: int) -> AccessLog:
    """Return a site as the report describes it: its pages and its traffic. What the report does not state is as in a log of a real site."""
    return AccessLog(clicks, PAGES[site], SESSION_CLICKS, PAUSE, CLICKS_PER_HOUR[site], scattered=True)


def over_k(site: str, way: str, original: AccessOriginal, steps: ExperimentProgress) -> list[Row]:
    """Return the use of browsers in the original (k = 1) and for every k."""
    before = use_before(original)
    uses = {1: before}
    for k in KS:
        one_block = len(original.log)  # the paper compares all rows with one another
        release, _ = released(AccessLogMDAV(k=k, min_owners=1, block=one_block, **WAYS[way]), original)
        uses[k] = steps.done((use_by_session_variable if WAYS[way].get("session") else use_after)(release))
    names = sorted(before.sessions, key=lambda name: -before.sessions[name])[:4]
    return [row for k, use in uses.items() for row in _rows(site, way, k, use, names)]


def _rows(site: str, way: str, k: int, use: BrowserUse, names: Sequence[str]) -> list[Row]:
    common = {"site": site, "way": way, "data": f"{site}, {way}", "k": k}
    total = max(1, use.n_sessions)
    shares = {name: 100 * use.sessions.get(name, 0) / total for name in names}
    shares["others"] = 100 - sum(shares.values())
    counts = {"clicks": sum(use.clicks.values()), "sessions": use.n_sessions}
    return [
        *({**common, "browser": name, "sessions %": share} for name, share in shares.items()),
        *({**common, "browser": "all", "what": what, "count": float(n)} for what, n in counts.items()),
    ]


def _spreads(rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    for data in dict.fromkeys(row["data"] for row in rows):
        names = dict.fromkeys(row["browser"] for row in rows if row["data"] == data)
        lines = {name: values(rows, "sessions %", data=data, browser=name) for name in names}
        yield {"data": data, "measure": SPREAD, **{name: float(np.std(line, ddof=1)) for name, line in lines.items()}}
        yield {"data": data, "measure": SLOPE, **{name: regression_coefficient((1, *KS), line) for name, line in lines.items()}}


def regression_coefficient(levels: Sequence[float], line: Sequence[float]) -> float:
    """Return by how much a line changes for each step of the level: the slope of its regression by least squares."""
    away = np.asarray(levels, float) - np.mean(levels)
    return float(away @ np.asarray(line, float) / (away @ away))


def findings(rows: Sequence[Row]) -> Iterator[PaperFinding]:
    """Compare the statements of section 3.1 with the results."""
    plain, kept = WAYS
    ratios = {(site, way): _ratios(rows, site, way) for site in PAGES for way in WAYS}
    line = ratios[SMALL_SITE, plain]
    yield PaperFinding("Figure 3.1, site A", "very good results: sessions as in the original", _ratio_text(line), _near(line))
    line = ratios[LARGE_SITE, plain]
    yield PaperFinding("Figure 3.3, site B", "more sessions in the masked files than in the original", _ratio_text(line), min(line) > 1)
    shares = [row for row in rows if row["browser"] != "all"]
    for site, place in ((SMALL_SITE, "Figure 3.2, site A"), (LARGE_SITE, "Table 3.1, site B")):
        found = {one["measure"]: one for one in _spreads(shares) if one["data"] == f"{site}, {plain}"}
        spreads, slopes = ([value for name, value in found[what].items() if name not in ("data", "measure")] for what in (SPREAD, SLOPE))
        measured = f"standard deviations {span(spreads, 1)}%"
        yield PaperFinding(
            place, f"the use of browsers is maintained (at most {PUBLISHED_SPREAD}%)", measured, max(spreads) <= PUBLISHED_SPREAD
        )
        measured = f"regression coefficients {span(slopes, 3)}%"
        low = f"the use of browsers hardly depends on k (less than {PUBLISHED_SLOPE}% for each step)"
        yield PaperFinding(place, low, measured, max(map(abs, slopes)) < PUBLISHED_SLOPE)
    line = [ratio for k, ratio in zip(KS, ratios[LARGE_SITE, kept], strict=True) if k < GOOD_K]
    yield PaperFinding("Figure 3.5, site B", "with the session variable sessions are quite good for k < 30", _ratio_text(line), _near(line))


def _ratios(rows: Sequence[Row], site: str, way: str) -> list[float]:
    """Return the number of sessions for each k relative to the original."""
    counts = values([row for row in rows if row["browser"] == "all"], "count", site=site, way=way, what="sessions")
    return [count / counts[0] for count in counts[1:]]


def _near(line: Sequence[float]) -> bool:
    return all(abs(ratio - 1) <= NEAR for ratio in line)


def _ratio_text(line: Sequence[float]) -> str:
    return f"{path(line)} times as many"
