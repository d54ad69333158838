"""Thresholds on people against their definition in plain Python, on random logs; what is published is recounted with its owners."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import datetime, timedelta
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data.log import Log
from shoal.data.original import LogOriginal
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.data.taxonomy import Taxonomy
from shoal.errors import Infeasible
from shoal.methods.threshold import Threshold
from shoal.pipeline.contract import made_by

# Two letters each: single letters have no node.
PARENTS = {"rr": None, "xx": "rr", "yy": "rr", "aa": "xx", "bb": "xx", "cc": "yy", "dd": "yy", "ee": "dd", "ff": "dd", "gg": "ff"}
TREE = Taxonomy.from_parents(PARENTS)
START = datetime(2006, 3, 31)
Event = tuple[int, int, str, str | None]  # owner, days after the start, query, url

words = st.sampled_from(["aa", "bb", "cc", "dd", "ee", "ff", "gg", "xx", "AA", "Ee!", "uu", "v"])
queries = st.lists(words, max_size=3).map(" ".join)
urls = st.sampled_from([None, "h://p/q/1", "h://p/q/2", "h://p/r", "k"])
logs = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2), queries, urls), min_size=1, max_size=25)


def log_of(events: list[Event]) -> Log:
    columns = {
        "owner": [event[0] for event in events],
        "time": [START + timedelta(days=event[1]) for event in events],
        "payload": [event[2] for event in events],
        "url": [event[3] for event in events],
    }
    return Log(pl.DataFrame(columns, schema={"owner": pl.Int64, "time": pl.Datetime("us"), "payload": pl.String, "url": pl.String}))


def chain(word: str) -> list[str]:
    """A word, itself in lower case without marks, and the nodes above, without the root."""
    found = [word] if word == word.lower().strip("!") else [word, word.lower().strip("!")]
    at = PARENTS.get(found[-1])
    while at is not None and at != "rr":
        found.append(at)
        at = PARENTS[at]
    return found


def month(event: Event) -> datetime:
    return (START + timedelta(days=event[1])).replace(day=1)


def climbed(held: set[tuple[str, int]], k: int) -> dict[str, str]:
    """What each of these words is published as: one rung after the other, the longest way to the top first."""
    at = {word: word for word, _ in held}
    people = defaultdict(set)
    for word, owner in held:
        people[word].add(owner)
    done: dict[str, str] = {}
    above = {rung: chain(word)[i + 1 :] for word in at for i, rung in enumerate(chain(word))}
    for rung in sorted(above, key=lambda rung: -len(above[rung])):
        here = [word for word in at if word not in done and at[word] == rung]
        if len(set().union(*(people[word] for word in here))) >= k:
            done |= dict.fromkeys(here, rung)
        else:
            at |= dict.fromkeys(here, above[rung][0] if above[rung] else "")
    return done


def expected(events: list[Event], said: dict[str, Any]) -> Counter[Any]:
    """The published queries with their windows."""
    k, longest = said["k"], said.get("words", 99)
    window = month if said.get("window") else (lambda event: None)
    rows = [event for event in events if event[2] and len(event[2].split()) <= longest]
    if said.get("unit") != "term":
        of = (lambda event: (event[2], event[3])) if said.get("unit") == "query+url" else (lambda event: event[2])
        people = defaultdict(set)
        for event in rows:
            people[of(event), window(event)].add(event[0])
        return Counter((event[2], window(event)) for event in rows if len(people[of(event), window(event)]) >= k)
    if said["rare"] == "drop":
        while True:
            used = defaultdict(set)
            for event in rows:
                for word in event[2].split():
                    used[word, window(event)].add(event[0])
            left = [event for event in rows if all(len(used[word, window(event)]) >= k for word in event[2].split())]
            if left == rows:
                return Counter((" ".join(event[2].split()), window(event)) for event in rows)
            rows = left
    held = defaultdict(set)
    for event in rows:
        held[window(event)] |= {(word, event[0]) for word in event[2].split()}
    if said["rare"] == "generalize":
        told = {at: climbed(pairs, k) for at, pairs in held.items()}
    else:
        told = {at: {w: w for w, n in Counter(w for w, _ in pairs).items() if n >= k} for at, pairs in held.items()}
    texts = [(" ".join(told[window(e)][w] for w in e[2].split() if w in told[window(e)]), window(e)) for e in rows]
    return Counter(pair for pair in texts if pair[0])


RULES = [
    {"unit": "query"},
    {"unit": "query", "words": 2},
    {"unit": "query", "window": "month"},
    {"unit": "query", "window": "month", "times": "month"},
    {"unit": "query+url"},
    {"unit": "term", "rare": "drop"},
    {"unit": "term", "rare": "omit", "words": 2},
    {"unit": "term", "rare": "generalize"},
    {"unit": "term", "rare": "generalize", "link": "person", "columns": "url=prefix"},
    {"unit": "term", "rare": "generalize", "window": "month", "times": "month", "link": "rows:2"},
    {"unit": "term", "rare": "drop", "window": "month", "times": "month", "link": "day"},
]


@pytest.mark.parametrize("said", RULES, ids=str)
@settings(max_examples=25, deadline=None)
@given(events=logs, k=st.integers(2, 3))
def test_what_is_published_is_what_the_definition_says(said: dict[str, Any], events: list[Event], k: int) -> None:
    method = Threshold(k=k, **said)
    original = LogOriginal(log_of(events), TREE if method.needs_taxonomy else None)
    wanted = expected(events, {"k": k, "rare": "drop", **said})
    if not wanted:
        with pytest.raises(Infeasible):
            made_by(method, original)
        return
    release = made_by(method, original)
    table = release.only(RowTable)
    assert isinstance(table, RowTable)
    if said.get("window") and not said.get("times"):
        assert Counter(table.frame["query"].to_list()) == sum((Counter({q: n}) for (q, _), n in wanted.items()), Counter())
    else:
        times = table.frame["time"].to_list() if said.get("window") else [None] * len(table.frame)
        assert Counter(zip(table.frame["query"].to_list(), times, strict=True)) == wanted
    _judged(release, original)
    _recounted(release, original, method)


def _judged(release: Release, original: LogOriginal) -> None:
    """The judge agrees with the release, and with another only where it is as good."""
    (claim,) = release.claims
    assert claim.check(release, original).standing == "verified", claim.check(release, original).witnesses
    assert claim.check(Release(release.tables)).holds


def _recounted(release: Release, original: LogOriginal, method: Threshold) -> None:
    """Every published word, combination and cell has enough people among the owners of the rows that hold it."""
    table = release.only(RowTable)
    assert isinstance(table, RowTable)
    assert release.secret is not None
    origin = {int(row): owner for owner, row in zip(original.log.frame["owner"], release.secret.rows(), strict=True) if row >= 0}
    people = defaultdict(set)
    for number, row in enumerate(table.frame.rows(named=True)):
        at = row["time"] if method.window and "time" in row else None
        units = row["query"].split() if method.unit.splits else [tuple(row[name] for name in method.unit.columns)]
        for unit in units:
            people["unit", unit, at].add(origin[number])
        for name in method.columns.names:
            if row[name] is not None:
                people[name, row[name]].add(origin[number])
    assert min(len(found) for found in people.values()) >= method.k
