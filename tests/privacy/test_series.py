"""What two releases tell together, against a plain recount of small data."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.data import forests, numbered, tree
from helpers.twins import generalizes
from shoal.data.bags import Bags
from shoal.data.log import Log
from shoal.data.original import LogOriginal, Original
from shoal.data.release import Release, Secret
from shoal.data.tables.rows import RowTable
from shoal.privacy.evidence import release_series
from shoal.privacy.evidence.release_series import disclosed_by_comparing, exact_meetings, meetings

Asked = list[tuple[int, str]]


def published(asked: Asked, k: int) -> tuple[Release, LogOriginal]:
    """The queries of at least k people, as rows, and what they were made from."""
    people = {query: len({one for one, other in asked if other == query}) for _, query in asked}
    frame = pl.DataFrame(asked, schema={"owner": pl.Int64, "payload": pl.String}, orient="row")
    rows = [at for at, (_, query) in enumerate(asked) if people[query] >= k]
    secret = np.full(len(asked), -1, np.int64)
    secret[rows] = np.arange(len(rows))
    table = RowTable(frame[rows].select(query="payload"))
    return Release({"log": table}, secret=Secret(secret)), LogOriginal(Log(frame))


def recounted(before: Asked, after: Asked, was: int, now: int) -> set[tuple[str, str, int]]:
    """Query by query: the fewest people between the two logs that explain what is seen, or the most behind a change of rows."""

    def seen(asked: Asked, k: int) -> tuple[Counter[str], dict[str, set[int]]]:
        people: dict[str, set[int]] = defaultdict(set)
        for person, query in asked:
            people[query].add(person)
        return Counter(query for _, query in asked if len(people[query]) >= k), people

    (old, _), (new, people) = seen(before, was), seen(after, now)
    found = set()
    for query in old.keys() | new.keys():
        if query not in old:
            fewest = min(len(people[query]) - n for n in range(was))
            found |= {(query, "came", fewest)} if fewest > 0 else set()
        elif query not in new:
            fewest = was - len(people[query])
            found |= {(query, "went", fewest)} if fewest > 0 else set()
        elif old[query] != new[query]:
            found.add((query, "changed", abs(old[query] - new[query])))
    return found


EVENTS = st.lists(st.tuples(st.integers(0, 5), st.sampled_from("uvw")), min_size=1, max_size=16)


@settings(max_examples=60)
@given(EVENTS, EVENTS, st.integers(2, 4), st.integers(2, 4))
def test_queries_that_come_go_and_change_are_those_of_a_recount(before: Asked, after: Asked, was: int, now: int) -> None:
    earlier, _ = published(before, was)
    release, original = published(after, now)
    told = disclosed_by_comparing(earlier, release, original, was)
    assert set(told.select("query", "how", "people").iter_rows()) == recounted(before, after, was, now)


@settings(max_examples=60)
@given(forests(nodes=7, items=(0, 3)), st.data())
def test_people_where_groups_meet_are_those_of_a_recount(case: tuple[tuple[int, ...], list[list[int]]], data: st.DataObject) -> None:
    parent, records = case
    taxonomy = tree(parent)
    owners = data.draw(st.lists(st.integers(0, 4), min_size=len(records), max_size=len(records)))
    node = st.integers(0, len(parent) - 1)
    old = data.draw(st.lists(st.lists(node, max_size=2, unique=True), min_size=1, max_size=4))
    group = data.draw(st.lists(st.integers(-1, 2), min_size=len(records), max_size=len(records)))
    k = data.draw(st.integers(2, 3))
    # Three published records that differ, whatever the records are: who is in a group is the method's word, judged elsewhere.
    shown = numbered(taxonomy, [[], [0], [0, 0]])
    release = Release.of_bags(
        shown, np.bincount([g for g in group if g >= 0], minlength=3).astype(np.int64), secret=Secret(np.array(group))
    )
    kept = [g for g in range(3) if g in group]
    earlier = Release.from_records(numbered(taxonomy, old))
    original = Original.on(numbered(taxonomy, records, owners), taxonomy)
    found = meetings(earlier, release, original, k)

    sorts = sorted({tuple(sorted(record)) for record in old})
    fits = {i: [s for s in sorts if generalizes(parent, s, record)] for i, record in enumerate(records)}
    few = [
        (i, s)
        for s in sorts
        for g in kept
        for i in range(len(records))
        if group[i] == g and s in fits[i]
        if len({owners[j] for j in range(len(records)) if group[j] == g and s in fits[j]}) < k
    ]
    sure = {owners[i] for i, _ in few if len(fits[i]) == 1}
    assert found.sure == len(sure)
    assert found.perhaps == len({owners[i] for i, _ in few} - sure)
    assert found.unfitting == sum(not any(s in held for held in fits.values()) for s in sorts)


def test_work_in_small_pieces_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    taxonomy = tree((-1, 0, 0, 1, 1, 2, 2))
    records = [sorted({int(n) for n in rng.integers(3, 7, 3)}) for _ in range(60)]
    original = Original.on(numbered(taxonomy, records), taxonomy)
    group = rng.integers(0, 3, 60)
    release = Release.of_bags(numbered(taxonomy, [[], [1], [2]]), np.bincount(group), secret=Secret(group))
    earlier = Release.from_records(numbered(taxonomy, [[int(n)] for n in rng.integers(1, 7, 30)]))
    whole = meetings(earlier, release, original, 12)
    monkeypatch.setattr(release_series, "PAIRS_AT_ONCE", 1)
    pieces = meetings(earlier, release, original, 12)
    assert (pieces.sure, pieces.perhaps, pieces.unfitting, pieces.rows) == (whole.sure, whole.perhaps, whole.unfitting, whole.rows)
    assert whole.perhaps > 0


def test_records_of_names_that_are_not_in_the_original_fit_nobody() -> None:
    taxonomy = tree((-1, 0, 0))
    original = Original.on(numbered(taxonomy, [[1], [2]]), taxonomy)
    earlier = Release.from_records(Bags.from_lists([[taxonomy.names[1]], [taxonomy.names[1], "of another log"]]))
    release = Release.of_bags(numbered(taxonomy, [[0]]), np.array([2]), secret=Secret(np.zeros(2, np.int64)))
    found = meetings(earlier, release, original, 2)
    assert (found.sure, found.perhaps, found.unfitting) == (1, 0, 1)


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(-1, 2), st.integers(-1, 2)), min_size=1, max_size=10), st.integers(2, 3))
def test_where_both_groupings_are_known_people_are_counted_in_their_intersections(people: list[tuple[int, int, int]], k: int) -> None:
    taxonomy = tree((-1, 0, 0))
    owners = [owner for owner, _, _ in people]
    original = Original.on(numbered(taxonomy, [[1]] * len(people), owners), taxonomy)

    def grouped(group: list[int]) -> Release:
        copies = np.array([group.count(g) for g in range(3)])
        return Release.of_bags(numbered(taxonomy, [[], [0], [1]]), copies, secret=Secret(np.array(group)))

    found = exact_meetings(grouped([was for _, was, _ in people]), grouped([now for _, _, now in people]), original, k)
    together: dict[tuple[int, int], set[int]] = defaultdict(set)
    for owner, was, now in people:
        if was >= 0 and now >= 0:
            together[was, now].add(owner)
    few = [members for members in together.values() if len(members) < k]
    assert found.sure == len(set().union(*few))
    assert (found.perhaps, found.unfitting, len(found.rows)) == (0, 0, len(few))
