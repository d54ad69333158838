"""Synthetic web access logs: visitors, each with a browser, who come in sessions and click from page to page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
import polars as pl

from shoal.data.bags import Ints
from shoal.data.log import Log
from shoal.data.tables.access_log import VISITOR

FIRST = datetime(2010, 3, 1)
HOURS = 14 * 24.0
SESSION_CLICKS, VISITOR_SESSIONS = 5.0, 1.6  # means
PAUSE = 90.0  # mean seconds between clicks
OF_ADDRESSES = 1  # a stream of random numbers of its own, so that pages and times do not depend on it
AGENTS = (
    "Mozilla/5.0 (X11; U; Linux x86_64; en-US; rv:1.9.2) Gecko/20100115 Firefox/3.6",
    "Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 6.0)",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_6_2) AppleWebKit/531.21.8 (KHTML, like Gecko) Version/4.0.4 Safari/531.21.10",
    "Opera/9.80 (Windows NT 5.1; U; en) Presto/2.2.15 Version/10.10",
    "Mozilla/5.0 (Windows; U; Windows NT 6.1; en-US) AppleWebKit/532.5 (KHTML, like Gecko) Chrome/4.0.249.78 Safari/532.5",
)
SHARES = (0.42, 0.28, 0.14, 0.06, 0.10)


@dataclass(frozen=True)
class AccessLog:
    """A log of about this many clicks on a site of this many pages; fewer pages give more uniform paths.

    `session_clicks` is the mean number of clicks in a session, `pause` the mean number of seconds between them, `clicks_per_hour` the
    traffic of the site (None: the log covers two weeks). Visitors have addresses of one network, or of networks all over the world
    (`scattered`). Lengths of sessions have a geometric distribution, or are all the same (`even`).
    """

    clicks: int
    pages: int
    session_clicks: float = SESSION_CLICKS
    pause: float = PAUSE
    clicks_per_hour: float | None = None
    scattered: bool = False
    even: bool = False

    def log(self, seed: int) -> Log:
        """Generate the log as a reader returns it, ordered by time."""
        rng = np.random.default_rng(seed)
        length = rng.geometric(1 / self.session_clicks, max(2, round(self.clicks / self.session_clicks)))
        if self.even:
            length[:] = round(self.session_clicks)
        visitors = max(1, round(len(length) / VISITOR_SESSIONS))
        session = np.repeat(np.arange(len(length)), length)
        visitor = np.concatenate([np.arange(visitors), rng.integers(0, visitors, len(length) - visitors)])[session]
        pages = self._pages(session, rng)
        agent = rng.choice(len(AGENTS), visitors, p=SHARES)[visitor]
        frame = pl.DataFrame(
            {
                "owner": visitor,
                "time": self._times(session, length, rng),
                "payload": _names(pages),
                VISITOR: visitor,
                "address": self._addresses(visitors, seed).gather(visitor),
                "method": pl.Series(["GET"] * len(session)),
                "protocol": pl.Series(["HTTP/1.1"] * len(session)),
                "status": np.where(rng.random(len(session)) < 0.95, 200, 404),
                "size": 500 + 37 * pages,
                "referrer": _referrers(session, pages),
                "agent": pl.Series(AGENTS).gather(agent),
            }
        )
        return Log(frame.sort("time", maintain_order=True), "item")

    def _pages(self, session: Ints, rng: np.random.Generator) -> Ints:
        """Draw a visit: it starts at a popular page and continues near the previous page, or jumps."""
        popular = np.minimum(rng.zipf(1.4, len(session)) - 1, self.pages - 1)
        near = rng.integers(1, 4, len(session))
        pages = popular.astype(np.int64)
        continues = (np.diff(session, prepend=-1) == 0) & (rng.random(len(session)) < 0.7)
        for i in np.flatnonzero(continues):
            pages[i] = (pages[i - 1] + near[i]) % self.pages
        return pages

    def _addresses(self, visitors: int, seed: int) -> pl.Series:
        """Return an address for each visitor, all different."""
        numbers = np.arange(visitors)
        if self.scattered:
            numbers = np.random.default_rng([seed, OF_ADDRESSES]).choice(223 * 250**3, visitors, replace=False)
        first = numbers // 250**3 + (1 if self.scattered else 10)
        rest = [numbers // 250**2 % 250, numbers // 250 % 250, numbers % 250 + 1]
        return pl.Series([".".join(map(str, octets)) for octets in zip(first.tolist(), *(part.tolist() for part in rest), strict=True)])

    def _times(self, session: Ints, length: Ints, rng: np.random.Generator) -> pl.Series:
        hours = HOURS if self.clicks_per_hour is None else self.clicks / self.clicks_per_hour
        start = rng.random(len(length)) * hours * 3_600
        steps = np.cumsum(rng.exponential(self.pause, len(session)))
        before = np.repeat(steps[np.concatenate([[0], np.cumsum(length)[:-1]])], length)
        seconds = np.round(start[session] + steps - before).astype(int)
        return pl.Series([FIRST + timedelta(seconds=second) for second in seconds.tolist()], dtype=pl.Datetime("us"))


def _names(pages: Ints) -> pl.Series:
    return pl.Series([f"/part{page // 20}/page{page}.html" for page in pages.tolist()])


def _referrers(session: Ints, pages: Ints) -> pl.Series:
    """Return the previous page, or an external referrer."""
    names = _names(pages)
    first = pl.Series(np.diff(session, prepend=-1) != 0)
    return pl.select(
        pl.when(first).then(pl.lit("http://search.example/")).otherwise(pl.lit("http://site.example") + names.shift(1))
    ).to_series()
