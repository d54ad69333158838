"""The judge of support against a recount in plain Python: units, words, windows, further columns and pseudonyms of random releases."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import polars as pl
import pytest

from helpers.errors import refuses
from shoal.data.claims import Verdict
from shoal.data.log import Log
from shoal.data.original import LogOriginal
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.data.taxonomy import Taxonomy
from shoal.privacy.evidence.row_support import CountedRows, RowsToCount
from shoal.privacy.support import Support

START = datetime(2024, 1, 31, 22, 30)
TEXTS = ["tea", "tea pot", "pot", "green tea", "rain", "tea rain", "", "green green tea"]
URLS = ["http://a.org/x/1", "http://a.org/x/2", "http://a.org/y", None]


class Row(NamedTuple):
    owner: int
    time: datetime | None
    query: str | None
    url: str | None
    rank: int | None


Key = tuple[Any, ...]
PERIODS: dict[str, Callable[[datetime], datetime]] = {
    "hour": lambda at: at.replace(minute=0),
    "day": lambda at: at.replace(minute=0, hour=0),
    "month": lambda at: at.replace(minute=0, hour=0, day=1),
}


def drawn(rng: random.Random, n: int, people: int = 4) -> list[Row]:
    return [
        Row(
            rng.randrange(people),
            START + timedelta(minutes=rng.choice([0, 10, 70, 100, 60 * 30])),
            rng.choice(TEXTS),
            rng.choice(URLS),
            rng.choice([3, 7, 12, None]),
        )
        for _ in range(n)
    ]


def log(rows: list[Row], taxonomy: Taxonomy | None = None, kind: Any = "text") -> LogOriginal:
    schema = {"owner": pl.Int64, "time": pl.Datetime("us"), "payload": pl.String, "url": pl.String, "rank": pl.Int64}
    return LogOriginal(Log(pl.DataFrame(rows, schema=schema, orient="row"), kind), taxonomy)


class Twin:
    """The definition: original rows under the recoding that published rows imply, and the people behind each unit."""

    def __init__(self, claim: Support, shown: list[dict[str, Any]], rows: list[Row], names: list[str]) -> None:
        self.claim, self.shown, self.names = claim, shown, names
        self.unit = {"query": ["query"], "term": ["query"], "url": ["url"], "query+url": ["query", "url"]}[str(claim.unit or "query")]
        self.splits = str(claim.unit) == "term"
        finer = ("", *PERIODS)[: ("", *PERIODS).index(claim.window or "") + 1]
        self.windowed = bool(claim.window and claim.times in finer)
        self.rows = self.recoded(rows)

    def window(self, at: datetime | None) -> datetime | None:
        return PERIODS[self.claim.window](at) if self.claim.window and at else None

    def words(self, at: Any) -> set[str]:
        """The published words, of this window if windows are published."""
        return {word for row in self.shown for word in row["query"].split() if not self.windowed or self.window(row["time"]) == at}

    def recoded(self, rows: list[Row]) -> list[tuple[int, dict[str, Any], Any]]:
        """User, published columns and window of the rows that may have been published."""
        found = []
        for row in rows:
            query, window = row.query or "", self.window(row.time)
            if self.claim.words is not None and len(query.split()) > self.claim.words:
                continue
            if self.splits:
                kept = [word for word in query.split() if word in self.words(window)]
                if len(kept) < len(query.split()) and self.claim.rare != "omit":
                    continue
                query = " ".join(kept)
            if "query" in self.unit and (not query or query not in {one["query"] for one in self.shown}):
                continue
            time = PERIODS[self.claim.times](row.time) if self.claim.times and row.time else None
            values = {"query": query, "url": row.url, "rank": row.rank, "time": time}
            found.append((row.owner, {name: values[name] for name in self.names}, window))
        if self.claim.window and not self.splits:
            people = defaultdict(set)
            for owner, values, window in found:
                people[self.key(values), window].add(owner)
            found = [one for one in found if len(people[self.key(one[1]), one[2]]) >= self.claim.k]
        for name in set(self.names) - set(self.unit) - {"time"}:
            told = {row[name] for row in self.shown if row[name] is not None}
            for _, values, _ in found:
                values[name] = next((rung for rung in rungs(name, values[name], self.way(name)) if rung in told), None)
        return found

    def way(self, name: str) -> str:
        return dict(self.claim.columns.ways).get(name, "exact") if self.claim.columns else "exact"

    def key(self, values: dict[str, Any]) -> Key:
        return tuple(values[name] for name in self.unit)

    def units(self, values: dict[str, Any], window: Any) -> list[Key]:
        at = (window,) if self.windowed else ()
        if self.splits:
            return [(word, *at) for word in set(values["query"].split())]
        return [(*self.key(values), *at)]

    def judged(self) -> tuple[int, dict[str, int], bool]:
        """The published rows without an original one, the levels, and whether the claim holds."""
        shown = Counter(tuple(row[name] for name in self.names) for row in self.shown)
        there = Counter(tuple(values.values()) for _, values, _ in self.rows)
        unexplained = sum(max(0, n - there[key]) for key, n in shown.items())
        matched = [one for one in self.rows if tuple(one[1].values()) in shown]
        people: dict[Key, set[int]] = {unit: set() for row in self.shown for unit in self.units(row, self.window(row.get("time")))}
        rows: Counter[Key] = Counter()
        for row in self.shown:
            for unit in self.units(row, self.window(row.get("time"))):
                rows[unit] += row["query"].split().count(unit[0]) if self.splits else 1
        for owner, values, window in matched:
            for unit in self.units(values, window):
                if unit in people:
                    people[unit].add(owner)
        levels = {"records": min(rows.values(), default=0), "people": min(map(len, people.values()), default=0)}
        cells = [
            [len({owner for owner, values, _ in matched if values[name] == value}) for value in {row[name] for row in self.shown} - {None}]
            for name in self.names
            if name not in self.unit
        ]
        if cells:
            levels["people_of_cells"] = min(min(of, default=0) for of in cells)
        holds = not unexplained and all(len(them) >= self.claim.k for them in people.values())
        return unexplained, levels, holds and all(n >= (self.claim.group or self.claim.k) for of in cells for n in of)


def rungs(name: str, value: Any, way: str) -> Iterable[Any]:
    """What a value may be published as, from itself upwards."""
    if value is None or way == "exact":
        return [] if value is None else [value]
    if way == "ranges":
        return [str(value), *(f"{value // width * width} to {value // width * width + width - 1}" for width in (10, 100))]
    host, *path = value.removeprefix("http://").split("/")
    return [value, *(f"http://{'/'.join([host, *path[:n]])}/*" for n in range(len(path) - 1, -1, -1))]


CLAIMS: list[dict[str, Any]] = [
    {},
    {"words": 2},
    {"unit": "term"},
    {"unit": "term", "rare": "omit"},
    {"unit": "url"},
    {"unit": "query+url"},
    {"times": "day"},
    {"times": "hour", "window": "hour"},
    {"times": "hour", "window": "day"},
    {"window": "month"},
    {"times": "month", "window": "day"},
    {"unit": "term", "window": "day", "times": "day"},
    {"unit": "term", "window": "hour", "times": "hour"},
    {"unit": "term", "window": "day", "times": "day", "rare": "omit"},
    {"columns": "url"},
    {"columns": "url, rank", "group": 3},
    {"columns": "rank=ranges"},
    {"unit": "url", "columns": "query"},
    {"unit": "term", "columns": "url"},
]


def published(twin_of: Support, rows: list[Row], rng: random.Random) -> tuple[list[dict[str, Any]], list[str]]:
    """Rows of the original as this claim publishes them, without those of rare units; some are lost, repeated or invented."""
    unit = {"term": ["query"], "query+url": ["query", "url"], "url": ["url"]}.get(str(twin_of.unit), ["query"])
    further = [name for name, _ in twin_of.columns.ways] if twin_of.columns else []
    names = [*unit, *further, *(["time"] if twin_of.times else [])]
    shown = []
    for row in rows:
        values = row._asdict()
        values["time"] = PERIODS[twin_of.times](row.time) if twin_of.times and row.time else row.time
        if twin_of.columns and dict(twin_of.columns.ways).get("rank") == "ranges":
            values["rank"] = None if row.rank is None else rng.choice(list(rungs("rank", row.rank, "ranges"))[:2])
        if row.query and not (twin_of.words and len(row.query.split()) > twin_of.words):
            shown.append({name: values[name] for name in names})
    keep = rng.choice([0.5, 0.9, 1.0])
    shown = [row for row in shown if rng.random() < keep]
    for _ in range(rng.choice([0, 0, 1])):
        shown += [dict(rng.choice(shown))] if shown else []
    if rng.random() < 0.5:  # units of few people are left out
        for row in list(shown):
            words = row["query"].split() if str(twin_of.unit) == "term" else []
            owners = [
                {one.owner for one in rows if all(getattr(one, name) == row[name] for name in unit)},
                *({one.owner for one in rows if word in (one.query or "").split()} for word in words),
            ]
            if len(owners[0]) < 2 and (not words or min(map(len, owners[1:])) < 2):
                shown.remove(row)
    return shown, names


def table(shown: list[dict[str, Any]], names: list[str], ranges: bool) -> RowTable:
    kinds = {"query": pl.String, "url": pl.String, "rank": pl.String if ranges else pl.Int64, "time": pl.Datetime("us")}
    return RowTable(pl.DataFrame(shown, schema={name: kinds[name] for name in names}, orient="row"))


@pytest.mark.parametrize("words", CLAIMS, ids=str)
def test_people_and_rows_behind_units(words: dict[str, Any]) -> None:
    rng = random.Random(str(words))
    standings = set()
    for number in range(16):
        claim = Support(k=rng.choice([2, 2, 3]), **words)
        rows = drawn(rng, rng.choice([3, 8, 14, 20]), rng.choice([2, 4, 6]))
        shown, names = published(claim, rows, rng)
        twin = Twin(claim, shown, rows, names)
        unexplained, levels, holds = twin.judged()
        release = Release({"log": table(shown, names, claim.columns is not None and "ranges" in str(claim.columns))})
        verdict = claim.check(release, log(rows))
        assert (verdict.achieved, verdict.holds) == (levels, holds), (number, shown, rows)
        text = " ".join(verdict.witnesses)
        assert (f"{unexplained} published row" in text) == (unexplained > 0)
        alone = claim.check(release)
        assert alone.achieved == {"records": levels["records"]}
        few = levels["records"] < claim.k and bool(shown)
        assert alone.standing == ("fails" if few else "not checkable")
        standings.add(verdict.standing)
    assert standings == {"verified", "fails"} or "window" in words


def test_faults_of_rows_alone() -> None:
    def says(words: dict[str, Any], shown: list[dict[str, Any]], names: list[str]) -> str:
        return " ".join(Support(k=2, **words).check(Release({"log": table(shown, names, False)})).witnesses)

    three = [{"query": "a b c"}, {"query": "a b c"}, {"query": "d e  f"}, {"query": "g"}]
    assert says({"words": 2}, three, ["query"]) == "2 published queries have more than 2 words"
    assert says({"words": 3}, three[:2], ["query"]) == ""
    assert says({"words": 2}, three[:1] * 2, ["query"]) == "1 published query has more than 2 words"
    hours = [{"query": "a", "time": START}, {"query": "a", "time": PERIODS["hour"](START)}]
    assert says({"times": "hour"}, hours, ["query", "time"]) == "1 published time is more precise than the hour"
    assert says({"times": "hour"}, hours[:1] * 2, ["query", "time"]) == "2 published times are more precise than the hour"
    assert says({"times": "hour"}, hours[1:] * 2, ["query", "time"]) == ""
    untimed = [{"query": "a", "time": None}] * 2
    assert "rows have no time" in says({"unit": "term", "times": "day", "window": "day"}, untimed, ["query", "time"])
    assert says({"times": "day", "window": "day"}, untimed, ["query", "time"]) == ""
    assert says({"times": "day"}, [{"query": "a", "url": "u"}], ["query", "url"]) == "there is no column 'time'"
    assert "about pseudonyms" in says({"pseudonyms": "people"}, [{"query": "a"}], ["query"])
    texts = RowTable(pl.DataFrame({"query": ["a", "a"], "time": ["2024", "2024"]}))
    assert "does not contain times" in " ".join(Support(k=2, times="day").check(Release({"log": texts})).witnesses)
    assert "more than 2 words" in says({"unit": "url", "columns": "query", "words": 2}, [{"url": "u", "query": "a b c"}], ["url", "query"])


# -- pseudonyms


def linked(rows: list[tuple[int, str]], **columns: Any) -> Release:
    frame = pl.DataFrame({"who": [who for who, _ in rows], "query": [text for _, text in rows], **columns})
    return Release({"log": RowTable(frame, "who")})


def judged(release: Release, original: LogOriginal | None = None, **words: Any) -> Verdict:
    return Support(k=2, **words).check(release, original)


def test_pseudonyms_are_counted_if_they_are_people() -> None:
    shared = [(1, "a"), (2, "a"), (2, "b"), (3, "b"), (3, "b")]
    verdict = judged(linked(shared), pseudonyms="people")
    assert (verdict.standing, verdict.achieved) == ("verified", {"records": 2, "people": 2}) and verdict.notes
    alone = judged(linked([(1, "a"), (1, "a")]), pseudonyms="people")
    assert (alone.standing, alone.achieved) == ("fails", {"records": 2, "people": 1})
    assert alone.witnesses == ("1 query was published under fewer than 2 pseudonyms",)
    parts = judged(linked(shared), pseudonyms="parts")
    assert (parts.standing, parts.achieved) == ("not checkable", {"records": 2, "pseudonyms": 2})
    few = judged(linked([(1, "a"), (1, "a")]), pseudonyms="parts")
    assert (few.standing, few.achieved) == ("fails", {"records": 2, "pseudonyms": 1})
    unsaid = judged(linked(shared))
    assert (unsaid.standing, unsaid.achieved) == ("not checkable", {"records": 2})


def test_pseudonyms_within_windows() -> None:
    days = [datetime(2024, 1, 1), datetime(2024, 1, 1), datetime(2024, 1, 2), datetime(2024, 1, 2)]
    both = linked([(1, "a"), (2, "a"), (1, "a"), (3, "a")], time=days)
    verdict = judged(both, pseudonyms="people", window="day", times="day")
    assert (verdict.standing, verdict.achieved) == ("verified", {"records": 2, "people": 2, "people_of_cells": 2})
    apart = linked([(1, "a"), (2, "a"), (1, "a"), (1, "a")], time=days)
    verdict = judged(apart, pseudonyms="people", window="day", times="day")
    assert verdict.achieved == {"records": 2, "people": 1, "people_of_cells": 1}
    assert "1 query was published under fewer than 2 pseudonyms within one day" in verdict.witnesses
    untold = judged(linked([(1, "a"), (2, "a")]), pseudonyms="people", window="day")
    assert untold.standing == "not checkable" and "the day of a row" in untold.unchecked
    words = judged(linked([(1, "a b"), (2, "b a")]), pseudonyms="people", unit="term")
    assert words.achieved == {"records": 2, "people": 2}
    words = judged(linked([(1, "a b"), (2, "b"), (1, "a")]), pseudonyms="people", unit="term")
    assert (words.achieved, words.witnesses) == ({"records": 2, "people": 1}, ("1 word was published under fewer than 2 pseudonyms",))


def test_values_next_to_pseudonyms() -> None:
    cells = linked([(1, "a"), (2, "a"), (3, "a")], url=["u", "u", "v"])
    verdict = judged(cells, pseudonyms="people", columns="url")
    assert verdict.achieved == {"records": 3, "people": 3, "people_of_cells": 1}
    assert verdict.witnesses == ("1 value of the column 'url' was of fewer than 2 people",)
    assert judged(linked([(1, "a"), (2, "a")], url=["u", "u"]), pseudonyms="people", columns="url").holds
    three = judged(linked([(1, "a"), (2, "a")], url=["u", "u"]), pseudonyms="people", columns="url", group=3)
    assert (three.holds, three.witnesses) == (False, ("1 value of the column 'url' was of fewer than 3 people",))


def test_pseudonyms_have_exactly_the_rows_of_one_person() -> None:
    rows = [Row(1, START, "a", None, None), Row(2, START, "a", None, None), Row(2, START, "b", None, None), Row(3, START, "b", None, None)]
    original = log(rows)
    shown = [(11, "a"), (12, "a"), (12, "b"), (13, "b")]
    assert judged(linked(shown), original, pseudonyms="people").holds
    for wrong, n in (([(11, "a"), (12, "a"), (13, "b"), (13, "b")], 2), ([(11, "a"), (11, "b"), (12, "a"), (12, "b")], 1)):
        verdict = judged(linked(wrong), original, pseudonyms="people")
        what = "pseudonym has" if n == 1 else "pseudonyms have"
        assert f"{n} {what} not just the rows of one person" in verdict.witnesses, verdict.witnesses
        assert judged(linked(wrong), original, pseudonyms="parts").holds
    assert judged(linked([(11, "a"), (12, "a")]), log(rows[:2]), pseudonyms="people").holds


# -- generalized words and items; prefixes


FOOD = Taxonomy.from_parents({"thing": None, "fruit": "thing", "apple": "fruit", "pear": "fruit", "tool": "thing", "saw": "tool"})


@pytest.mark.parametrize(
    ("texts", "holds", "people"),
    [
        (["fruit pie", "fruit pie", "apple"], False, 1),
        (["fruit pie", "fruit pie", "fruit", "fruit"], True, 2),
        (["apple pie", "apple pie"], False, 1),
        (["thing pie", "thing pie", "thing", "thing"], False, 0),
        (["fruit pie", "fruit pie", "fruit", "fruit", "fruit"], False, 3),
    ],
    ids=str,
)
def test_words_are_published_as_the_lowest_published_name(texts: list[str], holds: bool, people: int) -> None:
    rows = [Row(1, START, "apple pie", None, None), Row(2, START, "pear pie", None, None), Row(3, START, "apple", None, None)]
    rows += [Row(4, START, "pear", None, None)]
    release = Release({"log": RowTable(pl.DataFrame({"query": texts}))})
    verdict = Support(k=2, unit="term", rare="generalize").check(release, log(rows, FOOD))
    if holds:
        assert verdict.holds and verdict.achieved["people"] == people
    else:
        assert not verdict.holds


def test_items_are_generalized_as_a_whole() -> None:
    rows = [Row(owner, START, item, None, None) for owner, item in enumerate(["apple", "pear", "saw"])]
    for texts, holds in ((["fruit", "fruit"], True), (["fruit", "fruit", "saw"], False), (["apple", "fruit"], False)):
        release = Release({"log": RowTable(pl.DataFrame({"item": texts}))})
        verdict = Support(k=2, unit="term", rare="generalize").check(release, log(rows, FOOD, "item"))
        assert verdict.holds == holds, verdict


def test_paths_are_published_as_the_lowest_published_folder() -> None:
    rows = [Row(owner, START, "a", url, None) for owner, url in enumerate(["http://a.org/x/1", "http://a.org/x/2", "http://b.org/y"])]
    for urls, holds in (
        (["http://a.org/x/*", "http://a.org/x/*", None], True),
        (["http://a.org/x/1", "http://a.org/x/*", None], False),
        (["http://a.org/*", "http://a.org/*", None], True),
        (["http://a.org/x/*", None, None], False),
    ):
        frame = pl.DataFrame({"query": ["a"] * 3, "url": urls})
        verdict = Support(k=2, columns="url=prefix").check(Release({"log": RowTable(frame)}), log(rows))
        assert verdict.holds == holds, (urls, verdict)


# -- as workers count


@pytest.mark.parametrize(
    ("counted", "standing", "achieved"),
    [
        (CountedRows(2, None, 0), "not checkable", {"records": 2}),
        (CountedRows(1, None, 3), "fails", {"records": 1}),
        (CountedRows(2, 2, 0), "verified", {"records": 2, "people": 2}),
        (CountedRows(2, 1, 1), "fails", {"records": 2, "people": 1}),
        (CountedRows(2, 2, 0, unexplained=1), "fails", {"records": 2, "people": 2}),
        (CountedRows(2, 2, 0, long=1), "fails", {"records": 0}),
    ],
    ids=str,
)
def test_rows_counted_by_workers(counted: CountedRows, standing: str, achieved: dict[str, int]) -> None:
    verdict = Support(k=2, words=3).judge_rows(counted)
    assert (verdict.standing, verdict.achieved) == (standing, achieved)


def test_what_workers_can_count() -> None:
    assert Support(k=2).rows_to_count == RowsToCount(2, None, False)
    assert Support(k=2, words=3).rows_to_count == RowsToCount(2, 3, False)
    assert Support(k=2, unit="term").rows_to_count == RowsToCount(2, None, True)
    for words in ({"unit": "url"}, {"unit": "query+url"}, {"times": "day"}, {"columns": "url"}, {"unit": "term", "rare": "omit"}):
        assert Support(k=2, **words).rows_to_count is None
    for words in ({"window": "day"}, {"pseudonyms": "people"}, {"columns": "url", "group": 3}):
        assert Support(k=2, **words).rows_to_count is None
    with refuses("not-on-a-cluster"):
        Support(k=2, times="day").judge_rows(CountedRows(2, 2, 0))


def test_what_is_promised_for_further_columns() -> None:
    assert (Support(k=4).promised("people_of_cells"), Support(k=4, group=3).promised("people_of_cells")) == (4, 3)
    assert Support(k=4).promised("records") == 4 and Support(k=4).promised("window") is None
