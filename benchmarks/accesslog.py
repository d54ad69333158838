"""Access logs: use of browsers and numbers of sessions against k, per row with and without the session variable, per session, per owner.

    python benchmarks/accesslog.py [--k 2 3 5 10 20 30] [--out FILE.svg] [--rows 100000]

The experiment of Navarro-Arribas and Torra on a log of 10,000 lines (apache-combined-10k.log.gz). `--rows` also times the method on a
made-up log of so many lines.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

from common import data_file, show
from shoal.data.log import Log
from shoal.data.original import AccessOriginal
from shoal.io.read.dispatch import read
from shoal.methods.accesslog_mdav import AccessLogMDAV
from shoal.metrics.browsers import BrowserUse, apart, use_after, use_before
from shoal.pipeline.contract import made_by

LOG = "apache-combined-10k.log.gz"
WAYS: dict[str, dict[str, Any]] = {
    "rows": {"per": "row"},
    "rows, session variable": {"per": "row", "session": True},
    "sessions": {"per": "session"},
    "people": {"per": "owner"},
}
MOST = 5  # browsers that are shown by name
PAGES = 400


def original_at(path: Path) -> AccessOriginal:
    log = read(path).data
    assert isinstance(log, Log)
    return AccessOriginal(log)


def shares(counts: dict[str, int], names: list[str]) -> dict[str, float]:
    """The shares of these browsers in percent, and of all others together."""
    total = sum(counts.values())
    percentages = {name: 100 * counts.get(name, 0) / total for name in names}
    return {**percentages, "others": 100 - sum(percentages.values())}


def experiment(original: AccessOriginal, ks: list[int]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows for the tables, and rows for the picture: the share of each browser for each way and k."""
    before = use_before(original)
    names = sorted(before.sessions, key=lambda name: -before.sessions[name])[:MOST]
    rows, points = [], []
    for way, parameters in WAYS.items():
        points += _points(way, 1, before, names)
        for k in ks:
            started = time.process_time()
            release = made_by(AccessLogMDAV(k=k, **parameters), original)
            spent = time.process_time() - started
            after = use_after(release)
            points += _points(way, k, after, names)
            rows.append(
                {
                    "units": way,
                    "k": k,
                    "clicks": sum(after.clicks.values()),
                    "sessions": after.n_sessions,
                    "clicks moved %": 100 * apart(before.clicks, after.clicks),
                    "sessions moved %": 100 * apart(before.sessions, after.sessions),
                    "CPU seconds": spent,
                }
            )
    return rows, points


def _points(way: str, k: int, use: BrowserUse, names: list[str]) -> list[dict[str, Any]]:
    percentages = shares(dict(use.sessions), names)
    drawn = [{"units": way, "k": k, "browser": name, "share": share} for name, share in percentages.items()]
    return [*drawn, {"units": way, "k": k, "browser": "(sessions)", "share": float(use.n_sessions)}]


def spread(points: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of each browser's share per session over k from 1 on: the standard deviation and the slope, in percent, as the report prints them."""
    rows = []
    for way in WAYS:
        own = [point for point in points if point["units"] == way and point["browser"] != "(sessions)"]
        row: dict[str, Any] = {"units": way}
        for name in dict.fromkeys(point["browser"] for point in own):
            line = [(point["k"], point["share"]) for point in own if point["browser"] == name]
            ks, values = np.array(line, float).T
            row[name] = f"{values.std(ddof=1):.1f} / {np.polyfit(ks, values, 1)[0]:+.2f}"
        rows.append(row)
    return rows


def picture(points: list[dict[str, Any]], place: Path) -> None:
    """Shares of browsers per session, and numbers of sessions, against k; a panel for each way."""
    import altair as alt

    drawn = [point for point in points if point["browser"] != "(sessions)"]
    counted = [{**point, "sessions": point["share"]} for point in points if point["browser"] == "(sessions)"]
    panel = {"width": 170, "height": 150}
    order = list(WAYS)
    x = alt.X("k:Q", title="k")
    upper = (
        alt.Chart(alt.Data(values=drawn), **panel)
        .mark_line(point=True)
        .encode(x=x, y=alt.Y("share:Q", title="share of sessions, %"), color=alt.Color("browser:N", title="browser"))
        .facet(alt.Column("units:N", title=None, sort=order))
    )
    lower = (
        alt.Chart(alt.Data(values=counted), **panel)
        .mark_line(point=True, color="black")
        .encode(x=x, y=alt.Y("sessions:Q", title="sessions"))
        .facet(alt.Column("units:N", title=None, sort=order))
    )
    alt.vconcat(upper, lower).save(str(place))


def made_up(rows: int, place: Path) -> AccessOriginal:
    """A log of so many lines: visitors with two sessions of three clicks in the mean, pages and browsers by Zipf's law."""
    rng = np.random.default_rng(1)
    session = np.sort(rng.integers(0, rows // 3, rows))
    visitors = rng.integers(0, rows // 6, rows // 3)[session]
    moments = rng.integers(0, 4 * 86400 - 1800, rows // 3)[session] + rng.integers(0, 1800, rows)
    pages, browsers = (np.minimum(rng.zipf(1.3, rows), most) for most in (PAGES, 30))
    with place.open("w") as out:
        for visitor, page, moment in zip(visitors.tolist(), pages.tolist(), moments.tolist(), strict=True):
            agent = f"Mozilla/5.0 (X11; Linux x86_64; rv:{browsers[visitor]}.0) Gecko/20100101 Firefox/{browsers[visitor]}.0"
            at = f"{17 + moment // 86400}/May/2015:{moment // 3600 % 24:02}:{moment // 60 % 60:02}:{moment % 60:02} +0000"
            address = f"{visitor % 200 + 11}.{visitor // 200 % 250}.{visitor // 50000}.7"
            out.write(f'{address} - - [{at}] "GET /s{page % 7}/p{page}.html HTTP/1.1" 200 {page * 100} "-" "{agent}"\n')
    return original_at(place)


def timed(rows: int, k: int, place: Path) -> list[dict[str, Any]]:
    original = made_up(rows, place)
    lines = []
    for way in ("people", "sessions", "rows"):
        started, spent = time.perf_counter(), time.process_time()
        release = made_by(AccessLogMDAV(k=k, **WAYS[way]), original)
        wall, cpu = time.perf_counter() - started, time.process_time() - spent
        lines.append({"units": way, "lines": rows, "k": k, "published": release.n_rows, "seconds": wall, "CPU seconds": cpu})
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--k", type=int, nargs="+", default=[2, 3, 5, 10, 20, 30])
    parser.add_argument("--out", type=Path, help="where to draw the picture")
    parser.add_argument("--rows", type=int, nargs="*", default=[], help="time the method on made-up logs of so many lines")
    options = parser.parse_args()
    path = data_file(LOG)
    if path is not None:
        original = original_at(path)
        before = use_before(original)
        print(f"original: {len(original.log):,} clicks, {before.n_sessions:,} sessions, {original.n_owners:,} addresses")
        rows, points = experiment(original, options.k)
        show("use of browsers and sessions", rows)
        show("browsers per session, k = 1 and above: standard deviation / slope of the share, in percent", spread(points))
        if options.out is not None:
            picture(points, options.out)
    import tempfile

    with tempfile.TemporaryDirectory() as directory:
        for n in options.rows:
            show(f"time on {n:,} made-up lines", timed(n, 5, Path(directory) / "access.log"))


if __name__ == "__main__":
    main()
