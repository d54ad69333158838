"""Thresholds on people: every option on a small log with the rows that are published written by hand."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any

import polars as pl
import pytest

from helpers.errors import refuses
from shoal.data.log import Log
from shoal.data.original import LogOriginal
from shoal.data.query_units import Unit
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.data.taxonomy import Taxonomy
from shoal.errors import ParameterError
from shoal.methods.threshold import Threshold
from shoal.metrics import measure
from shoal.pipeline.contract import made_by

FOOD = Taxonomy.from_parents(
    {
        "thing": None,
        "food": "thing",
        "fruit": "food",
        "apple": "fruit",
        "pear": "fruit",
        "quince": "fruit",
        "milk": "food",
        "tool": "thing",
        "saw": "tool",
    }
)
Row = tuple[int, str, str, int | None, str | None]  # owner, time, query, rank, url

# Three people in March and April. Rows by hand: who, when, what, the rank and URL of the click.
LOG: list[Row] = [
    (1, "2006-03-01 10:00", "weather", 1, "http://w.org/a/b"),
    (1, "2006-03-01 10:05", "apple pie", None, None),
    (1, "2006-04-02 09:00", "my own name", 3, "http://name.org/x"),
    (2, "2006-03-01 10:30", "weather", 2, "http://w.org/a/c"),
    (2, "2006-03-09 23:00", "apple tart", None, None),
    (2, "2006-04-02 11:00", "pear pie", 14, "http://w.org/a/b"),
    (3, "2006-04-02 09:30", "weather", 1, "http://w.org/a/b"),
    (3, "2006-04-02 09:45", "Quince pie", None, None),
    (3, "2006-04-03 08:00", "", None, None),
]


def log_of(rows: list[Row]) -> Log:
    schema = {"owner": pl.Int64, "time": pl.String, "payload": pl.String, "rank": pl.Int64, "url": pl.String}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return Log(frame.with_columns(pl.col("time").str.to_datetime("%Y-%m-%d %H:%M", time_unit="us")))


def released(rows: list[Row] = LOG, taxonomy: Taxonomy | None = FOOD, **said: Any) -> Release:
    """The release, judged with the original and from its rows alone."""
    method = Threshold(**said)
    original = LogOriginal(log_of(rows), taxonomy if method.needs_taxonomy else None)
    release = made_by(method, original)
    (claim,) = release.claims
    beside, alone = claim.check(release, original), claim.check(Release(release.tables))
    assert beside.standing == "verified", beside.witnesses
    assert alone.holds, alone.witnesses
    return release


def shown(release: Release, *columns: str) -> Counter[Any]:
    table = release.only(RowTable)
    assert isinstance(table, RowTable)
    rows = table.frame.select(columns or table.frame.columns).rows()
    return Counter(row[0] if len(row) == 1 else row for row in rows)


def account(release: Release, name: str = "rows") -> dict[str, int]:
    assert release.accounting is not None
    return release.accounting[name].as_dict()


# -- units


def test_whole_queries() -> None:
    release = released(k=3)
    assert shown(release) == {"weather": 3}
    assert account(release) == {"in": 9, "published": 3, "dropped: fewer than k people": 5, "dropped: no query": 1}


def test_queries_with_a_rare_word_are_dropped_until_all_words_are_shared() -> None:
    """pie has three people and apple two, but tart, pear and Quince one each: only *apple pie* has frequent words, and without the
    queries that go pie and apple have one person each."""
    assert shown(released(k=2, unit="term")) == {"weather": 3}


def test_words_that_few_people_use_are_left_out() -> None:
    release = released(k=2, unit="term", rare="omit")
    assert shown(release) == {"weather": 3, "apple pie": 1, "apple": 1, "pie": 2}
    assert account(release) == {
        "in": 9,
        "published": 4,
        "published with other words": 3,
        "dropped: fewer than k people": 1,
        "dropped: no query": 1,
    }
    # weather 3, apple pie 2, apple 1, pie 2 as typed; tart, pear, Quince left out; my own name dropped with its row.
    assert account(release, "words") == {"in": 14, "as typed": 8, "left out: fewer than k people": 3, "in dropped rows": 3}


def test_rare_words_are_replaced_by_the_lowest_node_that_k_people_share() -> None:
    """pear of person 2 and Quince of person 3 meet at fruit; apple has its own two people, who do not count for fruit."""
    release = released(k=2, unit="term", rare="generalize")
    assert shown(release) == {"weather": 3, "apple pie": 1, "apple": 1, "fruit pie": 2}
    assert account(release, "words") == {
        "in": 14,
        "as typed": 8,
        "generalized": 2,
        "left out: fewer than k people": 1,
        "in dropped rows": 3,
    }


def test_people_of_a_published_word_do_not_vouch_for_the_node_above() -> None:
    """Two people use apple and one pear. Were pear published as fruit, because three people use fruits, fruit would be one person's."""
    rows: list[Row] = [(n, "2006-03-01 10:00", text, None, None) for n, text in ((1, "apple"), (2, "apple"), (3, "pear"))]
    release = released(rows, k=2, unit="term", rare="generalize")
    assert shown(release) == {"apple": 2}
    assert account(release) == {"in": 3, "published": 2, "dropped: fewer than k people": 1}


def test_the_root_and_what_is_above_all_leaves_is_not_published() -> None:
    """A quince and a saw meet at the root alone."""
    rows: list[Row] = [(n, "2006-03-01 10:00", text, None, None) for n, text in ((1, "quince x"), (2, "saw x"), (3, "x"))]
    assert shown(released(rows, k=2, unit="term", rare="generalize")) == {"x": 3}


def test_spelling_is_the_first_step_up() -> None:
    rows: list[Row] = [(1, "2006-03-01 10:00", "Zürich!", None, None), (2, "2006-03-01 10:00", "zürich", None, None)]
    release = released(rows, k=2, unit="term", rare="generalize")
    assert shown(release) == {"zürich": 2}
    assert account(release, "words") == {"in": 2, "as typed": 1, "lower-cased": 1}


def test_names_of_nodes_stay_one_word() -> None:
    tree = Taxonomy.from_parents({"thing": None, "stone fruit": "thing", "plum": "stone fruit", "peach": "stone fruit", "saw": "thing"})
    rows: list[Row] = [(1, "2006-03-01 10:00", "plum  jam", None, None), (2, "2006-03-01 10:00", "peach jam", None, None)]
    assert shown(released(rows, tree, k=2, unit="term", rare="generalize")) == {"stone_fruit jam": 2}


def test_queries_with_what_was_clicked() -> None:
    release = released(k=2, unit="query+url")
    assert shown(release) == {("weather", "http://w.org/a/b"): 2}
    assert list(release.only(RowTable).frame.columns) == ["query", "url"]  # type: ignore[attr-defined]


def test_any_column_can_be_the_unit() -> None:
    assert shown(released(k=3, unit="url")) == {"http://w.org/a/b": 3}
    release = released(k=3, unit="url", columns="query", group=2)
    assert shown(release, "query", "url") == {("weather", "http://w.org/a/b"): 2, (None, "http://w.org/a/b"): 1}
    assert account(release, "values") == {"in": 3, "kept": 2, "left empty: too few people": 1}


# -- windows, lengths, times


def test_k_people_within_one_month() -> None:
    """Two people asked for the weather in March, and one in April, whose row goes though three people asked it altogether."""
    release = released(k=2, window="month")
    assert shown(release) == {"weather": 2}
    with refuses("nothing-to-publish", value=3, limit=3):
        released(k=3, window="month")


def test_words_within_one_month() -> None:
    """In March apple has two people; in April pie has two, and the fruits of persons 2 and 3 meet."""
    release = released(k=2, unit="term", rare="generalize", window="month", times="month")
    march, april = datetime(2006, 3, 1), datetime(2006, 4, 1)
    assert shown(release, "time", "query") == {(march, "weather"): 2, (march, "apple"): 2, (april, "fruit pie"): 2}


def test_words_within_windows_need_their_times() -> None:
    with refuses("options-conflict"):
        Threshold(unit="term", window="day", times="month")


def test_the_longest_query() -> None:
    release = released(k=2, unit="term", rare="omit", words=1)
    assert shown(release) == {"weather": 3}
    assert account(release) == {"in": 9, "published": 3, "dropped: too many words": 5, "dropped: no query": 1}


@pytest.mark.parametrize(
    ("times", "expected"),
    [("month", [(3, 1), (3, 1), None]), ("day", [(3, 1), (3, 1), None]), ("hour", [(3, 1), (3, 1), None])],
)
def test_times_are_coarsened_and_left_empty_where_few_people_have_them(times: str, expected: list[tuple[int, int] | None]) -> None:
    """Two people asked for the weather in one hour of March; the one of April is alone in it."""
    found = shown(released(k=3, times=times, group=2), "time")
    hour = 10 if times == "hour" else 0
    assert found == Counter(None if day is None else datetime(2006, *day, hour) for day in expected)


def test_times_can_be_part_of_the_unit() -> None:
    assert shown(released(k=2, unit="query+time", times="day")) == {(datetime(2006, 3, 1), "weather"): 2}


# -- columns and pseudonyms


def test_paths_and_numbers_become_more_general_until_enough_people_have_them() -> None:
    """Of the weather: a/b has persons 1 and 3, so a/c of person 2 would be alone in a/*; rank 1 has two people, and 2 is alone."""
    release = released(k=3, columns={"url": "prefix", "rank": "ranges"}, group=2)
    assert shown(release, "rank", "url") == {("1", "http://w.org/a/b"): 2, (None, None): 1}
    release = released(k=3, columns={"url": "prefix", "rank": "ranges"}, group=3)
    assert shown(release, "rank", "url") == {("0 to 9", "http://w.org/a/*"): 3}
    assert account(release, "values") == {"in": 6, "generalized": 6}


def test_without_columns_of_clicks_they_are_not_there() -> None:
    release = released(k=3)
    assert any("all other columns are dropped" in note for note in release.notes)
    with refuses("missing-column", value="town"):
        released(k=3, columns="town")
    with refuses("wrong-column-type"):
        released(k=3, columns="url=ranges")


@pytest.mark.parametrize(
    ("link", "sizes"), [("person", [2, 2, 3]), ("day", [1, 1, 1, 2, 2]), ("gap:1h", [1, 1, 1, 2, 2]), ("rows:2", [1, 2, 2, 2])]
)
def test_pseudonyms(link: str, sizes: list[int]) -> None:
    """By word of k = 2: person 1 has weather and apple pie on one day, person 2 weather, apple and pie, person 3 weather and pie."""
    release = released(k=2, unit="term", rare="omit", link=link)
    assert sorted(shown(release, "user").values()) == sizes
    assert any("rows of one pseudonym are linked" in note for note in release.notes)


def test_people_are_counted_from_the_file_where_pseudonyms_are_people() -> None:
    release = released(k=2, unit="term", rare="omit", link="person")
    (claim,) = release.claims
    alone = claim.check(Release(release.tables))
    assert (alone.standing, alone.achieved) == ("verified", {"records": 2, "people": 2})
    parts = released(k=2, unit="term", rare="omit", link="rows:2")
    alone = parts.claims[0].check(Release(parts.tables))
    assert alone.standing == "not checkable"
    assert "one person may have several" in alone.unchecked


def test_every_release_says_what_is_not_protected() -> None:
    assert any("rare combinations of words" in note for note in released(k=2, unit="term", rare="omit").notes)
    assert any("not linked to each other" in note for note in released(k=2, unit="query+url").notes)


@pytest.mark.parametrize(
    "wrong",
    [
        {"unit": "query", "rare": "omit"},
        {"unit": "query+time"},
        {"unit": "term+url"},
        {"unit": "user"},
        {"unit": "query+query"},
        {"unit": ""},
        {"columns": "url=suffix"},
        {"columns": "time"},
        {"columns": "url, url=prefix"},
        {"unit": "query+url", "columns": "url"},
        {"columns": "query"},
        {"window": "week"},
        {"unit": "term", "window": "month", "times": "day"},
        {"unit": "term", "window": "month", "times": "month", "group": 6},
        {"times": "never"},
        {"group": 1},
        {"k": 1},
        {"link": "week"},
    ],
    ids=str,
)
def test_what_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        Threshold(**wrong)


def test_items_are_words_of_their_own() -> None:
    rows = [(1, "apple"), (2, "apple"), (3, "pear"), (4, "quince"), (4, "saw")]
    frame = pl.DataFrame(rows, schema={"owner": pl.Int64, "payload": pl.String}, orient="row")
    original = LogOriginal(Log(frame, "item"), FOOD)
    release = made_by(Threshold(k=2, unit="term", rare="generalize"), original)
    assert shown(release, "item") == {"apple": 2, "fruit": 2}
    assert release.claims[0].check(release, original).standing == "verified"


def test_the_original_stays_as_it_was_typed() -> None:
    """Of two different queries, which differ in their blanks, one is published as it was asked."""
    original = LogOriginal(Log(pl.DataFrame({"owner": [1, 2], "payload": ["apple  pie", "apple pie"]})))
    release = made_by(Threshold(k=2, unit=Unit("term")), original)
    assert original.log.texts.vocabulary.names.to_list() == ["apple  pie", "apple pie"]
    assert measure(release, original)["queries_kept"] == 0.5
