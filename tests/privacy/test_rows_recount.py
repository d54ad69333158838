"""Published rows in hand-made cases: missing values, negative pseudonyms, columns of numbers, tables with the same queries."""

from __future__ import annotations

import random
from collections import defaultdict
from datetime import datetime
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
from shoal.privacy.evidence.row_support import CountedRows
from shoal.privacy.support import Support

START = datetime(2024, 1, 31, 22, 30)
FOOD = Taxonomy.from_parents({"thing": None, "fruit": "thing", "apple": "fruit", "pear": "fruit", "tool": "thing", "saw": "tool"})


def log(rows: list[tuple[Any, ...]], *columns: str, taxonomy: Taxonomy | None = None) -> LogOriginal:
    """Rows of user, query and further columns, all at one time."""
    frame = pl.DataFrame(rows, schema=["owner", "payload", *columns], orient="row", infer_schema_length=None)
    return LogOriginal(Log(frame.with_columns(time=pl.lit(START)).cast({"owner": pl.Int64})), taxonomy)


def published(**columns: list[Any]) -> Release:
    return Release({"log": RowTable(pl.DataFrame(columns), "who" if "who" in columns else None)})


def judged(release: Release, original: LogOriginal | None = None, k: int = 2, **words: Any) -> Verdict:
    return Support(k=k, **words).check(release, original)


def test_counts_of_workers_have_no_faults_by_default() -> None:
    assert Support(k=2, words=3).judge_rows(CountedRows(2, 2, 0)).holds


def test_tables_with_the_same_texts_are_split_each_in_its_way() -> None:
    """Words of queries, then items as a whole, then the queries again, and those of another table."""
    texts, other = pl.Series(["a b", "b"]), pl.Series(["x y z", "x"])
    tables = [
        RowTable.of_numbered({unit: pl.Series([""] * 3)}, unit, series, np.array([0, 0, 1], np.int32), None)
        for unit, series in (("query", texts), ("item", texts), ("query", texts), ("query", other))
    ]
    found = [judged(Release({"log": table}), unit="term").achieved["records"] for table in tables]
    assert found == [2, 1, 2, 2]
    words = [judged(Release({"log": table}), unit="term", k=3).witnesses for table in tables]
    assert [int(one[0].split()[0]) for one in words] == [1, 2, 1, 2]


def test_rows_without_a_query_are_a_unit_of_their_own() -> None:
    assert judged(published(query=["a", "a", None])).achieved == {"records": 1}
    assert judged(published(query=["a", "a", None, None])).achieved == {"records": 2}
    for others, people in (([1, 2], 2), ([3, 3], 1), ([-4, 0], 2)):
        release = published(who=[1, 2, *others], query=["a", "a", None, None])
        assert judged(release, pseudonyms="people").achieved == {"records": 2, "people": people}


@pytest.mark.parametrize("numbers", [[-1, 0, 2], [0, 1, 2], [-3, -2, -1], [2**40, 0, 5]], ids=str)
@pytest.mark.parametrize("unit", ["query", "term", "rank", "query+rank"])
def test_pseudonyms_may_be_any_numbers(numbers: list[int], unit: str) -> None:
    rng = random.Random(str(numbers) + unit)
    for turn in range(15):
        ranks = [[0, 1], [-1, 0, 1], [0, 1, None]][turn % 3]
        rows = [(rng.choice(numbers), rng.choice(["a", "b", "a b"]), rng.choice(ranks)) for _ in range(rng.randint(4, 24))]
        people: dict[Any, set[int]] = defaultdict(set)
        often: dict[Any, int] = defaultdict(int)
        for who, text, rank in rows:
            for one in text.split() if unit == "term" else [{"query": text, "rank": rank}.get(unit, (text, rank))]:
                people[one].add(who)
                often[one] += 1
        columns = {"who": [row[0] for row in rows], "query": [row[1] for row in rows], "rank": [row[2] for row in rows]}
        verdict = judged(published(**columns), pseudonyms="people", unit=unit)
        if min(often.values()) >= 2:
            assert verdict.achieved == {"records": min(often.values()), "people": min(map(len, people.values()))}, rows
            assert verdict.holds == (min(map(len, people.values())) >= 2)


def test_the_rarest_value_of_all_further_columns() -> None:
    release = published(who=[1, 2, 3], query=["a"] * 3, url=["u"] * 3, rank=[5, 5, 6])
    for columns in ("url, rank", "rank, url"):
        verdict = judged(release, pseudonyms="people", columns=columns)
        assert (verdict.achieved["people_of_cells"], verdict.achieved["people"]) == (1, 3)
    assert judged(release, pseudonyms="people", columns="url").achieved["people_of_cells"] == 3


def test_units_without_a_value_within_windows() -> None:
    original = log([(1, "a", None), (2, "a", None), (3, "a", "u"), (3, "b", "u")], "url")
    verdict = judged(published(query=["a", "a"], url=pl.Series([None, None], dtype=pl.String)), original, unit="query+url", window="day")
    assert (verdict.holds, verdict.achieved) == (True, {"records": 2, "people": 2})
    verdict = judged(published(query=["a", "a"], url=["u", None]), original, unit="query+url", window="day")
    assert verdict.achieved == {"records": 1, "people": 0}


def test_longer_queries_are_not_published_without_their_rare_words() -> None:
    """With at most two words, the third person's query is not published at all, although two of its words are."""
    original = log([(1, "a b"), (2, "a b"), (3, "a b c"), (4, "a")])
    release = published(query=["a b", "a b", "a"])
    for words, people in ((2, 2), (3, 3), (None, 3)):
        assert judged(release, original, unit="term", rare="omit", words=words).achieved["people"] == people
    assert not judged(release, original, unit="term", rare="omit", words=2, k=3).holds
    more = judged(published(query=["a b", "a b", "a b", "a"]), original, unit="term", rare="omit", words=2)
    assert more.witnesses == ("1 published row has no row of the original",)


@pytest.mark.parametrize("first", ["fruit", "apple", "tool"])
def test_a_typed_word_may_be_above_others(first: str) -> None:
    """The words of the first row have the first numbers; one of them is the published name of those below it."""
    rows = [(0, first), (1, "apple"), (2, "pear"), (3, "fruit"), (4, "saw"), (5, "tool")]
    original = log(rows, taxonomy=FOOD)
    held = {"fruit": ["apple", "pear", "fruit"], "tool": ["saw", "tool"]}
    shown = [name for name, below in held.items() for _, text in rows if text in below]
    verdict = judged(published(query=shown), original, unit="term", rare="generalize")
    assert (verdict.holds, verdict.achieved["people"]) == (True, 3 if first == "tool" else 2)
    verdict = judged(published(query=[*shown, "tool"]), original, unit="term", rare="generalize")
    assert verdict.witnesses == ("1 published row has no row of the original",)


def test_paths_may_begin_with_a_folder() -> None:
    rows = [(0, "a", "http://a.org/x/*"), (1, "a", "http://a.org/x/1"), (2, "a", "http://a.org/x/2")]
    release = published(query=["a"] * 3, url=["http://a.org/x/*"] * 3)
    verdict = judged(release, log(rows, "url"), columns="url=prefix")
    assert (verdict.holds, verdict.achieved["people_of_cells"]) == (True, 3)
