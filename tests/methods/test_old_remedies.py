"""Every operator of Cooper's survey on one small log, with the rows that it must give written by hand."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import shoal
from helpers.errors import error, refuses
from shoal.data.log import Log
from shoal.data.original import LogOriginal
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.errors import ParameterError
from shoal.keyed.keys import SecretKey, token_of
from shoal.kinds import rows_differing
from shoal.methods.old_remedies import OldRemedies
from shoal.pipeline.contract import made_by

KEY = SecretKey.of_bytes(b"a key that only these tests have")
PEOPLE = ["ann", "ben", "cat"]
# person, time, query
ROWS = [
    (0, "2006-03-01 07:00", "weather"),
    (0, "2006-03-01 07:02", "ann miller 12 elm street"),
    (0, "2006-03-02 09:30", "call 555-123-4567"),
    (1, "2006-03-01 08:15", "Weather today"),
    (1, "2006-03-02 12:00", "4111 1111 1111 1111"),
    (2, "2006-02-28 23:59", "mail bob@example.org"),
    (2, "2006-03-01 00:10", ""),
]
ALL = list(range(len(ROWS)))


def log(names: bool = False) -> Log:
    owners, times, queries = zip(*ROWS, strict=True)
    times = pl.Series(times).str.to_datetime("%Y-%m-%d %H:%M", time_unit="us")
    frame = pl.DataFrame({"owner": owners, "time": times, "payload": queries, "rank": [1] * len(ROWS)})
    return Log(frame, "text", pl.Series(PEOPLE) if names else None)


def run(**parameters: Any) -> Release:
    method = OldRemedies(**parameters)
    return made_by(method, LogOriginal(log(method.reads_names)))


def rows(release: Release) -> pl.DataFrame:
    table = release.only(RowTable)
    assert isinstance(table, RowTable)
    return table.frame


def groups(users: pl.Series) -> set[frozenset[int]]:
    """Which rows bear one id."""
    return {frozenset(at for at, user in enumerate(users.to_list()) if user == one) for one in users.unique().to_list()}


def account(release: Release) -> dict[str, int]:
    assert release.accounting is not None
    return release.accounting["rows"].as_dict()


def words(release: Release) -> dict[str, int]:
    assert release.accounting is not None
    return release.accounting["words"].as_dict()


def test_words_are_accounted_for() -> None:
    """16 words were typed between blanks: 1 + 5 + 2 + 2 + 4 + 2. Of the scrubbed queries ann miller, call and mail are left."""
    assert words(run()) == {"in": 16, "as typed": 16}
    assert words(run(scrub=True)) == {"in": 16, "as typed": 7, "scrubbed": 9}
    assert words(run(queries="hash")) == words(run(queries="hash-words", scrub=True)) == {"in": 16, "hashed": 16}
    assert words(run(since="2006-03-01")) == {"in": 16, "as typed": 14, "in dropped rows": 2}
    odd = Log(pl.DataFrame({"owner": [0, 0], "payload": ["what ?? is-this", "a & b"]}))
    assert words(made_by(OldRemedies(queries="hash-words"), LogOriginal(odd))) == {"in": 6, "hashed": 4, "left out: no letter or digit": 2}
    assert words(made_by(OldRemedies(queries="hash"), LogOriginal(odd))) == {"in": 6, "hashed": 6}


def test_ids_hashed() -> None:
    """What AOL did: a pseudonym for each person, and everything else as it was."""
    release = run()
    assert rows(release).columns == ["user", "time", "query"]
    assert groups(rows(release)["user"]) == {frozenset({0, 1, 2}), frozenset({3, 4}), frozenset({5, 6})}
    assert rows(release)["query"].to_list() == [query for _, _, query in ROWS]
    assert account(release) == {"in": 7, "published": 7}


def test_ids_hashed_with_a_key() -> None:
    """The token of a name is the same whatever the number of the person; so are the tokens of two releases with one key."""
    ann, ben, cat = (token_of(f"0 {name}", KEY, b"old:ids") for name in PEOPLE)
    assert rows(run(key=KEY))["user"].to_list() == [ann, ann, ann, ben, ben, cat, cat]
    other = log(names=True)
    renamed = Log(other.frame.with_columns(owner=2 - pl.col("owner")), "text", pl.Series(PEOPLE[::-1]))
    assert rows_differing(run(key=KEY).tables, made_by(OldRemedies(key=KEY), LogOriginal(renamed)).tables) == 0
    assert not set(rows(run(key=SecretKey.fresh()))["user"]) & {ann, ben, cat}


def test_ids_deleted() -> None:
    release = run(ids="none")
    assert rows(release).columns == ["time", "query"]
    assert account(release) == {"in": 7, "published": 7}


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ("day", [{0, 1}, {2}, {3}, {4}, {5}, {6}]),
        ("gap:30m", [{0, 1}, {2}, {3}, {4}, {5, 6}]),
        ("gap:11m", [{0, 1}, {2}, {3}, {4}, {5, 6}]),
        ("gap:10m", [{0, 1}, {2}, {3}, {4}, {5}, {6}]),
        ("rows:2", [{0, 1}, {2}, {3, 4}, {5, 6}]),
        ("rows:1", [{row} for row in ALL]),
    ],
)
def test_sessions_shortened(ids: str, expected: list[set[int]]) -> None:
    for parameters in ({}, {"key": KEY}):
        release = run(ids=ids, **parameters)
        assert groups(rows(release)["user"]) == set(map(frozenset, expected))
        assert account(release) == {"in": 7, "published": 7}


def test_whole_queries_hashed() -> None:
    release = run(queries="hash", key=KEY)
    assert rows(release)["query"].to_list() == [token_of(query, KEY, b"old:queries") if query else "" for _, _, query in ROWS]
    assert account(release) == {"in": 7, "published": 1, "hashed": 6}


def test_words_hashed() -> None:
    def tokens(*spoken: str) -> str:
        return " ".join(token_of(word, KEY, b"old:words") for word in spoken)

    release = run(queries="hash-words", key=KEY)
    assert rows(release)["query"].to_list() == [
        tokens("weather"),
        tokens("ann", "miller", "12", "elm", "street"),
        tokens("call", "555", "123", "4567"),
        tokens("weather", "today"),
        tokens("4111", "1111", "1111", "1111"),
        tokens("mail", "bob", "example", "org"),
        "",
    ]
    assert account(release) == {"in": 7, "published": 1, "hashed": 6}


def test_scrubbed() -> None:
    release = run(scrub=True, names=["Ann Miller"])
    assert rows(release)["query"].to_list() == [
        "weather",
        "<name> <address>",
        "call <phone>",
        "Weather today",
        "<card>",
        "mail <e-mail>",
        "",
    ]
    assert account(release) == {"in": 7, "published": 3, "scrubbed": 4}
    assert "scrubbed: 1 e-mail, 1 card, 1 phone, 1 address, 1 name" in release.notes


def test_scrubbed_and_then_hashed_counts_once() -> None:
    release = run(scrub=True, queries="hash", key=KEY)
    assert rows(release)["query"][4] == token_of("<card>", KEY, b"old:queries")
    assert account(release) == {"in": 7, "published": 1, "hashed": 6}


def test_old_rows_deleted() -> None:
    release = run(since="2006-03-01")
    assert rows(release)["query"].to_list() == [query for _, _, query in ROWS[:5]] + [""]
    assert account(release) == {"in": 7, "published": 6, "dropped: too old": 1}
    assert account(run(since="2006-03-01T12:00")) == {"in": 7, "published": 2, "dropped: too old": 5}
    with refuses("nothing-to-publish"):
        run(since="2007-01-01")


def test_without_a_key_tokens_are_new_every_time() -> None:
    for queries in ("hash", "hash-words"):
        one, other = (rows(run(queries=queries))["query"] for _ in range(2))
        assert not set(one) & set(other) - {""}
        assert OldRemedies.varies in run(queries=queries).notes


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"names": ["ann"]}, "option-not-applicable"),
        ({"key": KEY, "ids": "none"}, "option-not-applicable"),
        ({"since": "yesterday"}, error("unreadable-value", value="yesterday")),
        ({"since": "2006-03-01T00:00+01:00"}, error("unreadable-value", value="2006-03-01T00:00+01:00")),
        ({"queries": "md5"}, error("unknown-choice", value="md5")),
        ({"ids": "hour"}, "unreadable-value"),
    ],
)
def test_what_makes_no_sense_is_refused(parameters: dict[str, Any], said: str) -> None:
    with refuses(said):
        OldRemedies(**parameters)


@pytest.mark.parametrize("parameters", [{"ids": "day"}, {"since": "2006-03-01"}])
def test_what_needs_times_is_refused_without(parameters: dict[str, Any]) -> None:
    untimed = Log(log().frame.drop("time"))
    with pytest.raises(ParameterError) as refused:
        made_by(OldRemedies(**parameters), LogOriginal(untimed))
    assert (refused.value.code, refused.value.options) == ("missing-times", ("time",))


def test_a_key_needs_the_names_of_people() -> None:
    with refuses("missing-user"):
        made_by(OldRemedies(key=KEY), LogOriginal(log()))


def test_what_is_not_protected_is_told_of_the_chosen_remedies() -> None:
    told = {
        ids: OldRemedies(ids=ids, queries=queries).not_protected
        for ids, queries in (("none", "typed"), ("person", "hash"), ("day", "hash-words"))
    }
    assert "linked again by their times" in told["none"] and "everything else that people typed" in told["none"]
    assert "one ID links all their rows" in told["person"] and "recovered from their frequencies" in told["person"]
    assert "sessions can be linked again" in told["day"] and "frequency and context" in told["day"]
    assert "matches no pattern" in OldRemedies(scrub=True).not_protected
    assert "gets the key" in OldRemedies(key=KEY).not_protected


def test_names_are_read_from_frames_also_where_spellings_are_folded() -> None:
    frame = pl.DataFrame({"user": ["Ann", "ann", "ben"], "query": ["a b", "c", "d"]})
    found = shoal.anonymize(frame, "old-remedies", owners="folded", key=KEY, no_guarantee=True, user="user", text="query")
    ann, ben = (token_of(f"0 {name}", KEY, b"old:ids") for name in ("ann", "ben"))
    assert sorted(found.to_polars().select("user", "query").rows()) == sorted([(ann, "a b"), (ann, "c"), (ben, "d")])
