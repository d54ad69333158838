"""Times and clicks of synthetic users: sessions over three months, with a daily rhythm, and clicks by rank.

Searches of a session follow each other within thirty minutes; sessions of a user are further apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.bags import Ints
from shoal.synthetic.chance import Flags, Weighted, waits
from shoal.synthetic.searches import Searches

DAYS = 91
DAY = 86_400
LONGEST_GAP, PAUSE = 25 * 60, 31 * 60
USUAL_GAP = 75
# How searches spread over the hours of the day.
HOURS = np.array([5, 3, 2, 1, 1, 2, 3, 5, 7, 8, 9, 9, 9, 9, 9, 9, 9, 9, 9, 10, 11, 11, 9, 7], float)

RETURNS = 1.2
SEARCHES_A_SESSION = 3.0
NEXT_PAGE = 0.12
CLICKS = Weighted(np.array([0.48, 0.39, 0.09, 0.03, 0.01]))
FINDS_ITS_SITE = 0.85
RANKS_A_PAGE = 10


@dataclass(frozen=True, eq=False)
class QueryEvents:
    """Queries ordered by user and time: the search, its text, time and result page."""

    search: Ints
    text: Ints
    second: Ints
    page: Ints


@dataclass(frozen=True, eq=False)
class Clicks:
    """The rows of the log: the event of each, the rank of the clicked result (0 for none) and its site."""

    event: Ints
    rank: Ints
    site: Ints


def events(searches: Searches, rng: np.random.Generator) -> QueryEvents:
    """Draw events: every search occurs once or more, each time in one of the user's sessions."""
    times = 1 + (RETURNS * waits(rng.random(len(searches.user)))).astype(np.int64)
    search = np.repeat(np.arange(len(times)), times)
    first = np.diff(search, prepend=-1) != 0
    session, owner = _sessions(searches, search, first, rng)
    start = _starts(len(owner), rng)
    place = np.empty(len(start), np.int64)
    in_time = np.lexsort((start, owner))
    place[in_time] = np.arange(len(start))

    shorter = first & (searches.shorter[search] >= 0)
    visit = np.concatenate([np.flatnonzero(shorter), np.arange(len(search))])
    text = np.concatenate([searches.shorter[search[shorter]], searches.text[search]])
    pages = np.where(rng.random(len(visit)) < NEXT_PAGE, 2, 1)
    turn = rng.random(len(search))
    order = np.lexsort((np.arange(len(visit)), turn[visit], place[session[visit]]))
    at = np.repeat(order, pages[order])
    page = np.where(np.diff(at, prepend=-1) == 0, 2, 1)
    second = _clock(place[session[visit[at]]], start[in_time], owner[in_time], rng)
    return QueryEvents(search[visit[at]], text[at], second, page)


def _sessions(searches: Searches, search: Ints, first: Flags, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Return the session of each visit, and the user of each session. Searches of one topic tend to share one."""
    user = searches.user[search]
    people = int(user.max()) + 1
    visits = np.bincount(user, minlength=people)
    sessions = 1 + (visits / SEARCHES_A_SESSION).astype(np.int64)
    offset = np.concatenate([[0], np.cumsum(sessions)])
    # Searches of nouns come first and in the order of topics; those for strangers come at any time.
    owned = np.argsort(searches.user, kind="stable")
    rank = np.empty(len(owned), np.int64)
    rank[owned] = np.arange(len(owned)) - np.searchsorted(searches.user[owned], searches.user[owned])
    share = (rank / np.bincount(searches.user, minlength=people)[searches.user])[search]
    anywhere = ~first | (searches.seeks_site[search] >= 0)
    share = np.where(anywhere, rng.random(len(search)), share)
    chosen = offset[user] + (share * sessions[user]).astype(np.int64)
    return chosen, np.repeat(np.arange(people), sessions)


def _starts(n: int, rng: np.random.Generator) -> Ints:
    """Return the seconds since the beginning of the log at which sessions start, more of them in the evening."""
    day = (rng.random(n) * DAYS).astype(np.int64)
    hour = Weighted(HOURS).draw(rng.random(n))
    return day * DAY + hour * 3600 + (rng.random(n) * 3600).astype(np.int64)


def _clock(session: Ints, start: Ints, owner: Ints, rng: np.random.Generator) -> Ints:
    """Return the second of each event, given the sessions of events and the sorted start times of sessions.

    A session that would begin too soon after the end of the previous one is delayed.
    """
    gaps = np.minimum(4 + USUAL_GAP * waits(rng.random(len(session))), LONGEST_GAP).astype(np.int64)
    opens = np.diff(session, prepend=-1) != 0
    gaps[opens] = 0
    run = np.cumsum(gaps)
    since = run - run[np.maximum.accumulate(np.where(opens, np.arange(len(session)), 0))]
    lasts = np.zeros(len(start), np.int64)
    np.maximum.at(lasts, session, since)
    taken = np.concatenate([[0], np.cumsum(lasts + PAUSE)[:-1]])
    # A later owner's sessions lie so much later that the running maximum never reaches across owners.
    apart = owner * (2 * (int(start.max(initial=0)) + int(taken[-1]) + 1))
    begins = np.maximum.accumulate(start - taken + apart) - apart + taken
    return np.asarray(begins[session] + since)


def clicks(happened: QueryEvents, searches: Searches, sites: int, rng: np.random.Generator) -> Clicks:
    """Draw clicks; a search without a click is one row too."""
    opened = CLICKS.draw(rng.random(len(happened.search)))
    event = np.repeat(np.arange(len(opened)), np.maximum(opened, 1))
    n = len(event)
    nth = np.arange(n) - np.searchsorted(event, event)
    search = happened.search[event]
    # The same answer has the same rank for everybody, and the first ranks are opened most.
    first = (RANKS_A_PAGE * rng.random(len(opened)) ** 3).astype(np.int64)[event]
    wanted = searches.seeks_site[search]
    direct = (wanted >= 0) & (nth == 0) & (happened.page[event] == 1) & (rng.random(n) < FINDS_ITS_SITE)
    rank = 1 + np.where(direct, 0, first + nth) + (happened.page[event] - 1) * RANKS_A_PAGE
    found = (searches.subject[search] * 7_919 + rank * 104_729) % sites
    site = np.where((wanted >= 0) & (rank == 1), wanted, found)
    return Clicks(event, np.where(opened[event] > 0, rank, 0), site)
