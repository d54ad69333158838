"""What the method threshold counts with is broken on purpose, and releases are changed: the judge of support must see it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.data.claims import Verdict
from shoal.data.log import Log
from shoal.data.original import LogOriginal
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.data.taxonomy import Taxonomy
from shoal.methods.bases import threshold as thresholds
from shoal.methods.bases import threshold_words as shared_words
from shoal.methods.bases.threshold_ladders import Held
from shoal.methods.bases.threshold_people import OwnedRows, People, Units
from shoal.methods.threshold import Threshold
from shoal.pipeline.contract import made_by
from shoal.taxonomy.generalization_ladders import TOP, Ladder
from shoal.util.numbers import distinct, runs

FOOD = Taxonomy.from_parents(
    {"thing": None, "fruit": "thing", "apple": "fruit", "pear": "fruit", "plum": "fruit", "tool": "thing"}
    | dict.fromkeys(("saw", "axe", "hammer"), "tool")
)
MARCH, APRIL = "2006-03-01 10:00", "2006-04-01 10:00"
ROWS = [
    (1, MARCH, "apple pie", "http://a/b/1"),
    (2, MARCH, "apple pie", "http://a/b/2"),
    (3, MARCH, "pear pie", "http://a/c"),
    (3, APRIL, "apple pie", "http://a/b/1"),
    (1, APRIL, "plum rain", "http://a/b/1"),
    (2, APRIL, "rain mary", "http://a/c"),
    (3, APRIL, "mary", "http://a/c"),
    (3, APRIL, "peter", None),
    (3, APRIL, "peter", None),
    (1, APRIL, "saw", None),
    (2, APRIL, "saw", None),
    (3, APRIL, "axe", None),
    (1, APRIL, "hammer here", None),
    (2, APRIL, "hammer there", None),
]
LOG = LogOriginal(
    Log(
        pl.DataFrame(
            ROWS, schema={"owner": pl.Int64, "time": pl.String, "payload": pl.String, "url": pl.String}, orient="row"
        ).with_columns(pl.col("time").str.to_datetime("%Y-%m-%d %H:%M", time_unit="us"))
    ),
    FOOD,
)


def judged(**said: Any) -> Verdict:
    release = made_by(Threshold(k=2, **said), LOG)
    return release.claims[0].check(release, LOG)


def vouching(ladder: Ladder, held: Held, k: int, known: Any) -> Any:
    """Counts all people below a rung, also those whose own word is published."""
    span, found, pool = held.people, [], held.triples
    while len(pool):
        keys, people = runs(distinct(pool) // span)
        found.append(keys[people >= k])
        above = ladder.parent[pool // span]
        pool = distinct(above[above != TOP] * span + pool[above != TOP] % span)
    return np.unique(np.concatenate([known, *found]))


def of_all(rows: OwnedRows, units: Units, few: int = 0, true: Any = OwnedRows.people_of) -> People:
    """Returns the people of all units, as if all were few."""
    return true(rows, units, few and 1_000)


def one_round(spread: Any, rows: OwnedRows, k: int) -> Any:
    """Drops queries with rare words once, and does not look again."""
    rare = rows.people_of(spread.units).n[spread.units.items] < k
    return shared_words._how_many(rare, spread.units.starts) == 0


def rows_for_people(numbers: Any, window: Any, windows: int, owner: Any, true: Any = OwnedRows.of) -> OwnedRows:
    return true(numbers, window, windows, np.arange(len(owner)))


def fewer(true: Callable[..., Any]) -> Callable[..., Any]:
    return lambda ladder, held, k, known: true(ladder, held, k - 1, known)


# What is broken, how, the parameters that meet it, and what the judge says.
BROKEN: dict[str, tuple[Any, str, Any, dict[str, Any], str]] = {
    "rows are counted for people": (OwnedRows, "of", rows_for_people, {"unit": "query"}, "1 query was used by fewer than 2 people"),
    "rows are counted for the people of words": (
        OwnedRows,
        "of",
        rows_for_people,
        {"unit": "term", "rare": "omit"},
        "word was used by fewer",
    ),
    "published words vouch for nodes above": (
        *(shared_words, "shared_rungs", vouching, {"unit": "term", "rare": "generalize"}),
        "1 word was used by fewer than 2 people",
    ),
    "words of dropped queries are counted": (shared_words, "_without_rare", one_round, {"unit": "term"}, "used by fewer than 2 people"),
    "words of one person are left in": (
        *(shared_words, "shared_rungs", fewer(shared_words.shared_rungs), {"unit": "term", "rare": "omit"}),
        "used by fewer than 2 people",
    ),
    "cells of one person are left in": (
        *(thresholds, "shared_rungs", fewer(thresholds.shared_rungs), {"unit": "query", "columns": "url=prefix"}),
        "value of the column 'url' was of fewer than 2 people",
    ),
    "windows are forgotten": (
        *(thresholds._Rows, "_window", lambda self: (None, 1), {"unit": "query", "window": "month"}),
        "1 published row has no row of the original",
    ),
    "long queries stay": (
        *(thresholds._Rows, "_too_long", np.zeros(len(ROWS), bool), {"unit": "term", "rare": "omit", "words": 1}),
        "have more than 1 word",
    ),
    "times are too exact": (
        *(thresholds, "beginning", lambda times, period: pl.col(times), {"unit": "query", "times": "month"}),
        "more precise than the month",
    ),
    "two people get one pseudonym": (
        *(
            thresholds,
            "parts_of_people",
            lambda log, cut: np.minimum(log.frame["owner"].to_numpy(), 2),
            {"unit": "query", "link": "person"},
        ),
        "not just the rows of one person",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_the_judge_sees_a_broken_method(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    place, attribute, change, said, says = BROKEN[name]
    assert judged(**said).standing == "verified"
    if change is vouching:
        monkeypatch.setattr(OwnedRows, "people_of", of_all)
    monkeypatch.setattr(place, attribute, change)
    verdict = judged(**said)
    assert verdict.standing == "fails"
    assert any(says in witness for witness in verdict.witnesses), verdict.witnesses


# -- releases that were changed


def changed(release: Release, change: Callable[[pl.DataFrame], pl.DataFrame]) -> Release:
    (name,) = release.tables
    table = release.tables[name]
    assert isinstance(table, RowTable)
    return Release({name: RowTable(change(table.frame), table.pseudonyms)}, release.claims)


SAID = {"unit": "term", "rare": "generalize", "link": "person", "times": "month", "columns": "url=prefix"}


def with_query(old: str, new: str) -> Callable[[pl.DataFrame], pl.DataFrame]:
    return lambda frame: frame.with_columns(query=pl.col("query").replace(old, new))


# What is changed, whether the file alone shows it, and what the judge says with the original.
CHANGES: dict[str, tuple[Callable[[pl.DataFrame], pl.DataFrame], bool, str]] = {
    "a rare word is put back": (with_query("mary", "peter"), True, "used by fewer than 2 people"),
    "a word is made more specific": (with_query("fruit pie", "pear pie"), True, "used by fewer than 2 people"),
    "a row is repeated": (lambda frame: pl.concat([frame, frame.head(1)]), False, "1 published row has no row of the original"),
    "all rows of a word are renamed": (
        lambda f: f.with_columns(pl.col("query").str.replace_all("mary", "anna")),
        False,
        "no row of the original",
    ),
    "a URL is put back": (
        lambda f: f.with_columns(url=pl.when(f["url"].is_null()).then(pl.lit("http://a/b/2")).otherwise("url")),
        False,
        "url",
    ),
    "times are moved": (lambda f: f.with_columns(pl.col("time").dt.offset_by("1mo")), False, "no row of the original"),
    "rows go to another pseudonym": (lambda f: f.with_columns(user=pl.lit(1, pl.Int64)), True, "not just the rows of one person"),
    "a person is left": (lambda f: f.filter(pl.col("user") != f["user"].min()), True, ""),
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_judge_sees_a_changed_release(name: str) -> None:
    change, alone, says = CHANGES[name]
    release = made_by(Threshold(k=2, **SAID), LOG)
    (claim,) = release.claims
    assert claim.check(release, LOG).standing == claim.check(Release(release.tables)).standing == "verified"
    other = changed(release, change)
    assert claim.check(Release(other.tables)).holds != alone
    if says:
        verdict = claim.check(other, LOG)
        assert verdict.standing == "fails"
        assert any(says in witness for witness in verdict.witnesses), verdict.witnesses


def test_pseudonyms_that_a_claim_needs_must_be_there() -> None:
    release = made_by(Threshold(k=2, **{**SAID, "link": "none"}), LOG)
    claim = Threshold(k=2, **SAID).claims()[0]
    assert claim.check(Release(release.tables)).witnesses == ("the claim is about pseudonyms, but there are none",)
    bare = changed(release, lambda frame: frame.drop("url"))
    assert release.claims[0].check(Release(bare.tables)).witnesses == ("there is no column 'url'",)
