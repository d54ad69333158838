"""The representative of a group of units of an access log: the rows that are published for each of them.

It has as many rows and sessions as a member in the mean. Its pages are the group's, each as often as in the mean; a page, a referrer or a
user agent of too few owners is generalized level by level until rows of enough owners meet. Everything else of a row is what most
of the rows with that page have, or a mean of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple, TypeVar

from shoal.taxonomy.urls import NOTHING, page_levels
from shoal.text.agents import agent_levels

Key = TypeVar("Key", bound=Hashable)

SECOND = timedelta(seconds=1)


class Visit(NamedTuple):
    """One row of a unit; `start` is when its session began."""

    unit: int
    session: int
    owner: int
    start: datetime
    time: datetime
    page: str
    method: str | None
    protocol: str | None
    status: int
    size: int | None
    referrer: str
    agent: str


class ProfileRow(NamedTuple):
    """One row of a representative."""

    time: datetime
    request: str
    status: int
    size: int | None
    referrer: str
    agent: str


@dataclass(frozen=True)
class Slot:
    """A row of a representative before it has a time and an agent: how long after the beginning of its session it comes."""

    offset: timedelta
    request: str
    status: int
    size: int | None
    referrer: str


def representative(visits: Sequence[Visit], least: int, gap: timedelta) -> list[ProfileRow]:
    """Return the rows for every unit of a group, by time; a value represents rows of at least `least` owners, or it is `-`."""
    units = len({visit.unit for visit in visits})
    slots = sorted(_slots(visits, _rounded(len(visits), units), least), key=lambda slot: (slot.offset, slot.request, slot.referrer))
    sessions = {visit.session: visit for visit in visits}
    count = min(len(slots), max(1, len(sessions) // units))  # so that the beginning of one is a mean of k or more
    own = list(sessions.values())
    return _timed(slots, _begun(own, count, least), gap, _starts_of_few(own, least))


def _rounded(total: int, parts: int) -> int:
    """Return the mean, at least 1."""
    return max(1, (2 * total + parts) // (2 * parts))


# -- which rows


def _slots(visits: Sequence[Visit], count: int, least: int) -> Iterable[Slot]:
    """This many rows: pages by how often they were requested, and for each page the referrers it was reached from."""
    usual = _mean([visit.time - visit.start for visit in visits])
    for page, with_page, rows in _shares(visits, [visit.page for visit in visits], page_levels, count, least):
        for referrer, alike, n in _shares(with_page, [visit.referrer for visit in with_page], page_levels, rows, least):
            status = common(alike, lambda visit: visit.status, least) or common(visits, lambda visit: visit.status, least) or 200
            size = _size(alike, least)
            for offset in _offsets(alike, n, least, usual):
                yield Slot(offset, _request(page, alike, visits, least), status, size, referrer)


def _shares(
    visits: Sequence[Visit], values: Sequence[str], levels: Callable[[str], tuple[str, ...]], count: int, least: int
) -> list[tuple[str, list[Visit], int]]:
    """Return the values of these rows, generalized as far as needed; the rows of each, and how many of `count` places it gets."""
    lifted = generalized(values, [visit.owner for visit in visits], levels, least)
    behind: dict[str, list[Visit]] = defaultdict(list)
    for value, visit in zip(lifted, visits, strict=True):
        behind[value].append(visit)
    places = allotted({value: (len(rows), len({row.owner for row in rows})) for value, rows in behind.items()}, count)
    return [(value, behind[value], n) for value, n in sorted(places.items())]


def generalized(values: Sequence[str], owners: Sequence[int], levels: Callable[[str], tuple[str, ...]], least: int) -> list[str]:
    """Each value, or what it is generalized to: the first of its levels at which enough owners meet.

    Those count whose values are not published more finely. The last level tells nothing, and takes all that is left.
    """
    chains = {value: levels(value)[::-1] for value in set(values)}  # from the top down
    depth = {i: len(chains[value]) - 1 for i, value in enumerate(values)}
    settled = [chains[value][0] for value in values]
    for level in range(max(depth.values(), default=0), 0, -1):
        meeting: dict[str, list[int]] = defaultdict(list)
        for i, deep in depth.items():
            if deep == level:
                meeting[chains[values[i]][level]].append(i)
        for node, rows in meeting.items():
            enough = len({owners[i] for i in rows}) >= least
            for i in rows:
                if enough:
                    settled[i] = node
                    del depth[i]
                else:
                    depth[i] = level - 1
    return settled


def allotted(weights: dict[Key, tuple[int, int]], count: int) -> dict[Key, int]:
    """This many places shared out in proportion to the rows of each value; what is left goes to the largest remainders.

    Of equal remainders those of more owners come first, then of more rows. A weight is the number of rows and of owners.
    """
    total = sum(rows for rows, _ in weights.values())
    places = {value: rows * count // total for value, (rows, _) in weights.items()}
    remainder = {value: rows * count % total for value, (rows, _) in weights.items()}
    ranked = sorted(weights, key=lambda value: (-remainder[value], -weights[value][1], -weights[value][0], str(value)))
    for value in ranked[: count - sum(places.values())]:
        places[value] += 1
    return {value: n for value, n in places.items() if n}


# -- the fields next to a page


def common(visits: Sequence[Visit], field: Callable[[Visit], Key | None], least: int) -> Key | None:
    """Return the value that most of these rows have, of those that enough owners have; None if there is none."""
    rows = Counter(field(visit) for visit in visits)
    owners = Counter(value for value, _ in {(field(visit), visit.owner) for visit in visits})
    shared = [value for value in rows if value is not None and owners[value] >= least]
    return min(shared, key=lambda value: (-rows[value], str(value)), default=None)


def _request(page: str, alike: Sequence[Visit], visits: Sequence[Visit], least: int) -> str:
    """Method, page and protocol; `-` if the page must not be disclosed."""
    if page == NOTHING:
        return NOTHING
    method = common(alike, lambda visit: visit.method, least) or common(visits, lambda visit: visit.method, least) or "GET"
    protocol = common(alike, lambda visit: visit.protocol, least) or common(visits, lambda visit: visit.protocol, least) or "HTTP/1.1"
    return f"{method} {page} {protocol}"


def _size(visits: Sequence[Visit], least: int) -> int | None:
    """Return the size that most rows have, if enough owners have it; else the mean of the known sizes, if enough owners have one."""
    sizes = [(visit.owner, visit.size) for visit in visits if visit.size is not None]
    usual = common(visits, lambda visit: visit.size, least)
    if usual is not None or len({owner for owner, _ in sizes}) < least:
        return usual
    return sum(size for _, size in sizes) // len(sizes)


# -- when, and with which agent


def _begun(sessions: Sequence[Visit], count: int, least: int) -> list[tuple[datetime, str]]:
    """When the sessions of the representative begin, and their agents: both are shared out among those of the group."""
    starts = sorted((session.start, session.owner) for session in sessions)
    moments = [_mean_start(run, starts, least) for run in _runs(starts, count)]
    return list(zip(moments, _agents(sessions, count, least), strict=True))


def _mean_start(run: Sequence[tuple[datetime, int]], starts: Sequence[tuple[datetime, int]], least: int) -> datetime:
    """Return the mean time at which the owners of a run of sessions begin; of all sessions, if the run is of too few owners.

    Each owner counts once, whatever the number of sessions: otherwise the mean of a busy owner's sessions would be published.
    """
    behind: dict[int, list[timedelta]] = defaultdict(list)
    anchor = starts[0][0]
    for start, owner in run if len({owner for _, owner in run}) >= max(2, least) else starts:
        behind[owner].append(start - anchor)
    return anchor + _mean([_mean(own) for own in behind.values()])


def _starts_of_few(sessions: Sequence[Visit], least: int) -> frozenset[datetime]:
    """Return the seconds at which sessions of too few owners begin: a published session begins at none of them."""
    owners: dict[datetime, set[int]] = defaultdict(set)
    for session in sessions:
        owners[session.start.replace(microsecond=0)].add(session.owner)
    return frozenset(start for start, those in owners.items() if len(those) < max(2, least))


def _agents(sessions: Sequence[Visit], count: int, least: int) -> list[str]:
    """Return the agents of this many sessions. One of too few owners is passed over, unless that leaves none."""
    lifted = generalized([session.agent for session in sessions], [session.owner for session in sessions], agent_levels, least)
    informative = [
        (agent, session) for agent, session in zip(lifted, sessions, strict=True) if agent != NOTHING or session.agent == NOTHING
    ]
    behind: dict[str, list[int]] = defaultdict(list)
    for agent, session in informative or [(NOTHING, session) for session in sessions]:
        behind[agent].append(session.owner)
    places = allotted({agent: (len(owners), len(set(owners))) for agent, owners in behind.items()}, count)
    return [agent for agent, n in sorted(places.items()) for _ in range(n)]


def _timed(slots: Sequence[Slot], sessions: Sequence[tuple[datetime, str]], gap: timedelta, few: Collection[datetime]) -> list[ProfileRow]:
    """Rows dealt out to the sessions in turn. Pauses within a session are at most `gap`, those between two of one agent are longer.

    No session begins at one of the times in `few`, which are those of too few owners.
    """
    rows: list[ProfileRow] = []
    ended: dict[str, datetime] = {}
    for number, (start, agent) in enumerate(sessions):
        own = slots[number :: len(sessions)]
        now = max(start, ended[agent] + gap + SECOND) if agent in ended else start
        now = now.replace(microsecond=0)
        while now in few:
            now += SECOND
        before = own[0].offset
        for slot in own:
            now += min(slot.offset - before, gap) // SECOND * SECOND
            before = slot.offset
            rows.append(ProfileRow(now, slot.request, slot.status, slot.size, slot.referrer, agent))
        ended[agent] = now
    return sorted(rows, key=lambda row: (row.time, row.request, row.referrer, row.agent))


def _offsets(visits: Sequence[Visit], count: int, least: int, usual: timedelta) -> list[timedelta]:
    """Return how long after the beginning of a session rows like these come: means of runs of them, or the usual one for a run of few
    owners.
    """
    ordered = sorted((visit.time - visit.start, visit.owner) for visit in visits)
    enough = [len({owner for _, owner in run}) >= least for run in _runs(ordered, count)]
    return [
        _mean([offset for offset, _ in run]) if suffices else usual for run, suffices in zip(_runs(ordered, count), enough, strict=True)
    ]


def _runs(values: Sequence[Key], count: int) -> list[Sequence[Key]]:
    """Sorted values cut into this many runs of nearly one length; some come twice where there are fewer."""
    cuts = [(i * len(values) // count, (i + 1) * len(values) // count) for i in range(count)]
    return [values[a:b] or values[a : a + 1] for a, b in cuts]


def _mean(values: Sequence[timedelta]) -> timedelta:
    return sum(values, timedelta()) / len(values)
