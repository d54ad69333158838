"""Thresholds on Spark: the same rows, account and verdicts as on one machine; the judge on the cluster finds what the method does wrong."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import shoal
from helpers.spark import release_on_cluster
from shoal.cluster import shared_queries, write_files
from shoal.cluster.exchange import Step
from shoal.cluster.judge_rows import Judging, count_made
from shoal.cluster.log_rows import Logged, TypedTexts
from shoal.cluster.spark import Cluster
from shoal.data.log import Log
from shoal.data.pseudonym_scope import PseudonymScope
from shoal.data.query_units import PublishedColumns, Unit
from shoal.errors import GuaranteeNotMet, Infeasible, ParameterError
from shoal.io.step_files import read_stored, write_stored
from shoal.methods import Method
from shoal.methods.bases.threshold import Kept
from shoal.methods.infrequent import Infrequent
from shoal.methods.threshold import Threshold
from shoal.pipeline.options import Preparation, Target
from shoal.privacy.evidence.row_support import CountedRows, RowsToCount
from shoal.privacy.support import Support

pytestmark = pytest.mark.usefixtures("session")
TERM = Unit("term")


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A query log of 300 people in two files: odd blanks, capitals, rows without a query, and defective lines."""
    place = tmp_path_factory.mktemp("log")
    odd = pl.when(pl.col("AnonID") % 5 == 0).then(pl.lit(" ") + pl.col("Query").str.replace_all(" ", "  ")).otherwise(pl.col("Query"))
    shouted = pl.when(pl.col("AnonID") % 7 == 0).then(odd.str.to_uppercase()).otherwise(odd)
    frame = shoal.generate(users=300, seed=4).with_columns(Query=shouted)
    half = len(frame) // 2
    frame[:half].write_csv(place / "one.tsv", separator="\t")
    frame[half:].write_csv(place / "two.tsv", separator="\t")
    with (place / "two.tsv").open("a") as out:
        out.write("a line of one field\n\n\tno user\t2006-03-01 10:00:00\t\t\n77\t\t2006-03-01 10:00:00\t\t\n")
    return place


def rows_in(directory: Path) -> Counter[str]:
    return Counter(pl.read_parquet(directory / "log*.parquet")["query"].to_list())


def made_there(data: Any, method: Method, out: Path) -> dict[str, Any]:
    return release_on_cluster(data, Preparation.default_for(method), method, Target(out), "local[2]").manifest


@pytest.mark.parametrize("method", [Infrequent(k=3), Threshold(k=3, unit=TERM, words=3)], ids=["infrequent", "term"])
def test_the_same_rows_and_manifest_as_on_one_machine(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: Method) -> None:
    monkeypatch.setattr(write_files, "ROWS_IN_A_FILE", 150)
    here = shoal.anonymize(str(log / "*.tsv"), method).write(tmp_path / "here")
    there = made_there([str(log / "*.tsv")], method, tmp_path / "there")
    assert there == json.loads((tmp_path / "there" / "manifest.json").read_text())
    assert rows_in(tmp_path / "there") == rows_in(tmp_path / "here")
    assert len(rows_in(tmp_path / "there")) > 30
    assert there.pop("engine") == "spark"
    files = {"files", "sha256"}
    assert {part: said for part, said in there.items() if part not in files} == {
        part: said for part, said in here.items() if part not in files
    }
    (table, *others), (table_here, _) = there["files"], here["files"]
    told = {"kind", "table", "rows", "columns", "format"}
    assert {name: table[name] for name in told} == {name: table_here[name] for name in told}
    assert shoal.audit(tmp_path / "there").holds is not False
    assert shoal.audit(tmp_path / "there", original=str(log / "*.tsv")).holds
    assert len(others) > 1, "several files, and the report"
    names = {"manifest.json", *(file["name"] for file in there["files"])}
    assert {entry.name for entry in (tmp_path / "there").iterdir()} == names
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["here", "there"]


def test_nothing_in_common_is_told_as_on_one_machine(session: Any, tmp_path: Path) -> None:
    frame = session.createDataFrame([("ann", "milk"), ("ann", "milk"), ("ben", "bread")], "user string, query string")
    with pytest.raises(Infeasible, match="no query was used by 2 people"):
        shoal.anonymize(frame, "threshold", k=2).write(tmp_path / "out")
    assert not list(tmp_path.iterdir())


@pytest.fixture
def few(session: Any) -> Any:
    """`milk` is asked by five people, one of them twice, `rye` by three, one of them twice."""
    asked = [(f"p{i}", "milk") for i in (0, 1, 2, 3, 4, 4)] + [(f"p{i}", "rye") for i in (0, 1, 2, 2)]
    return session.createDataFrame(asked, "user string, query string")


UNACCOUNTED = "rows were lost or added without being accounted for"


@pytest.mark.parametrize(
    ("module", "step", "change", "told"),
    [
        (shared_queries, "asked", lambda made: made.set_column(4, "people", made["rows"]), "1 query was used by fewer than 4 people"),
        (shared_queries, "asked", lambda made: made.slice(1), UNACCOUNTED),
        (shared_queries, "answered", lambda made: made.set_column(1, "place", pc.list_slice(made["place"], 1)), UNACCOUNTED),
        (shared_queries, "answered", lambda made: pa.concat_tables([made, made]), "6 published rows have no row of the original"),
        (
            shared_queries,
            "answered",
            lambda made: made.set_column(0, "query", pa.array(["oats"])),
            "6 published rows have no row of the original",
        ),
        (write_files, "files", lambda made: made.slice(1), "the files do not contain the rows"),
        (
            write_files,
            "files",
            lambda made: made.set_column(2, "query", pa.array(["oats"] * len(made))),
            "the files do not contain the rows",
        ),
    ],
    ids=["rows for people", "missing", "withheld", "doubled", "invented", "unwritten", "miswritten"],
)
def test_rows_that_were_added_changed_or_lost_are_refused(
    few: Any, tmp_path: Path, spoil_tables: Any, module: Any, step: str, change: Any, told: str
) -> None:
    spoil_tables(module, step, change)
    with pytest.raises(GuaranteeNotMet, match=told):
        shoal.anonymize(few, "threshold", k=4).write(tmp_path / "out")
    assert not list(tmp_path.iterdir())


# -- the steps by themselves, compared with plain counts


Rows = list[tuple[int, str]]


def asked_by(session: Any, place: Path, *partitions: Rows) -> tuple[Cluster, Logged]:
    """Rows of a log as they are stored: a user and a text each; the people of the partitions differ."""
    directory = place / "rows"
    directory.mkdir()
    logs = [Log(pl.DataFrame(rows, schema={"owner": pl.Int64, "payload": pl.String}, orient="row")) for rows in partitions]
    files = [write_stored(TypedTexts.of_log(log).table, directory, number)[0] for number, log in enumerate(logs)]
    used = sum(map(len, partitions))
    return Cluster(session, place), Logged(Step(directory, tuple(files)), Counter(used=used), None)  # type: ignore[arg-type]


def some_rows(seed: int, n: int = 60) -> tuple[Rows, Rows]:
    """Queries of up to three of five words by four people in each of two partitions; some with odd blanks, some empty."""
    random = np.random.default_rng(seed)

    def text() -> str:
        words = random.choice(list("abcde"), int(random.integers(0, 4)), p=(0.5, 0.2, 0.1, 0.1, 0.1))
        return random.choice([" ", "  "], p=(0.8, 0.2)).join(words)

    one, other = ([(int(random.integers(4)), text()) for _ in range(n)] for _ in range(2))
    return one, other


def units_of(query: str, by_words: bool) -> list[str]:
    return query.split() if by_words else [query]


def query_of(text: str, by_words: bool) -> str:
    return " ".join(text.split()) if by_words else text


def people_of(rows: Rows, by_words: bool) -> Counter[str]:
    return Counter(unit for _, unit in {(owner, unit) for owner, query in rows for unit in units_of(query, by_words)})


def published_plainly(rows: Rows, k: int, words: int | None, by_words: bool) -> Counter[str]:
    """Rows are dropped until k people share every unit of the others."""
    left = [(owner, query_of(text, by_words)) for owner, text in rows if words is None or len(text.split()) <= words]
    left = [(owner, query) for owner, query in left if query]
    while True:
        people = people_of(left, by_words)
        stay = [(owner, query) for owner, query in left if all(people[unit] >= k for unit in units_of(query, by_words))]
        if len(stay) == len(left):
            return Counter(query for _, query in left)
        left = stay


def stored_queries(step: Step) -> Counter[str]:
    found = [row for number in range(len(step.files)) for row in step.part(number).to_pylist()]
    assert len({row["query"] for row in found}) == len(found)
    assert len({place for row in found for place in row["place"]}) == sum(len(row["place"]) for row in found)
    return Counter({row["query"]: len(row["place"]) for row in found})


@pytest.mark.parametrize(("seed", "k", "words", "by_words"), [(1, 3, None, True), (2, 5, 2, True), (3, 3, 2, False), (4, 4, None, False)])
def test_what_is_published_and_what_became_of_the_rows(
    session: Any, tmp_path: Path, seed: int, k: int, words: int | None, by_words: bool
) -> None:
    one, other = some_rows(seed)
    rows = one + [(owner + 10, text) for owner, text in other]
    settings = Kept(k=k, unit=TERM if by_words else Unit(), words=words)
    published, sums = shared_queries.published_queries(*asked_by(session, tmp_path, one, other), settings, by_words=by_words)
    expected = published_plainly(rows, k, words, by_words)
    assert stored_queries(published) == expected
    assert 0 < len(expected) < len({query_of(text, by_words) for _, text in rows})
    empty = sum(not query_of(text, by_words) for _, text in rows)
    long = sum(words is not None and len(text.split()) > words for _, text in rows)
    kept_words = sum(n * len(units_of(query, by_words)) for query, n in expected.items())
    told = {"rows": len(rows), "published": expected.total(), "empty": empty, "long": long, "published_words": kept_words}
    told |= {"rare": len(rows) - expected.total() - empty - long, "texts": len({text for _, text in rows} - {""})}
    assert {name: sums[name] for name in told} == told


def test_dropping_a_query_makes_other_words_rare(session: Any, tmp_path: Path) -> None:
    """Only 2 has `c`, so `b c` goes; then only 1 has `b`, and `a b` goes too."""
    one, other = [(1, "a"), (2, "a"), (1, "a b")], [(0, "b c"), (3, "d  d"), (4, "d d"), (4, "d d")]
    cluster, logged = asked_by(session, tmp_path, one, other)
    published, _ = shared_queries.published_queries(cluster, logged, Kept(k=2, unit=TERM), by_words=True)
    assert stored_queries(published) == {"a": 2, "d d": 3}
    assert not list(tmp_path.glob("left_0*")), "earlier rounds are removed"


def test_a_query_that_stays_in_one_partition_only_has_no_answer(session: Any, tmp_path: Path, spoil_tables: Any) -> None:
    rows = [(owner, "a") for owner in range(3)]
    spoil_tables(shared_queries, "asked", lambda made: made.set_column(6, "stays", pa.array([made["rows"][0].as_py() > 3])))
    with pytest.raises(GuaranteeNotMet, match=UNACCOUNTED):
        shared_queries.published_queries(*asked_by(session, tmp_path, rows, [*rows, (3, "a")]), Kept(k=2, unit=TERM), by_words=True)


def published_there(place: Path, *partitions: Counter[str]) -> Step:
    """Published queries as they are stored, with their random numbers."""
    directory = place / "published"
    directory.mkdir()
    tables = [
        pa.table({"query": list(queries), "place": [list(range(n)) for n in queries.values()]}, shared_queries.QUERIES)
        for queries in partitions
    ]
    return Step(directory, tuple(write_stored(table, directory, number)[0] for number, table in enumerate(tables)))


@pytest.mark.parametrize("by_words", [True, False], ids=["words", "queries"])
@pytest.mark.parametrize("seed", [5, 6])
def test_the_judge_counts_rows_and_people_by_itself(session: Any, tmp_path: Path, by_words: bool, seed: int) -> None:
    """What is published has rows too many, too few, and queries that nobody asked or that are too long."""
    one, other = some_rows(seed)
    rows = [(owner, query_of(text, by_words)) for owner, text in one + [(owner + 10, text) for owner, text in other]]
    honest = Counter(query for _, query in rows if query)
    shown = Counter({query: n + place % 3 - 1 for place, (query, n) in enumerate(sorted(honest.items()))} | {"z a": 2, "b b b b b": 1})
    shown = +shown
    k, words = 4, 2
    within = [(owner, query) for owner, query in rows if query and len(query.split()) <= words]
    there = Counter(query for _, query in within)
    stood_for = [(owner, query) for owner, query in within if query in shown]
    people, times = people_of(stood_for, by_words), Counter[str]()
    for query, n in shown.items():
        for unit in units_of(query, by_words):
            times[unit] += n
    halves = [Counter({query: n for place, (query, n) in enumerate(shown.items()) if place % 2 == half}) for half in (0, 1)]
    cluster, logged = asked_by(session, tmp_path, one, other)
    judging = Judging(RowsToCount(k=k, words=words, by_words=by_words), by_words, logged.rows, "query")
    _, found = count_made(cluster, published_there(tmp_path, *halves), judging)
    typed = {text for _, text in one + other if len(text.split()) <= words}
    owners = {owner for owner, text in one + [(owner + 10, text) for owner, text in other] if text in shown and text in typed}
    assert found == {
        "unexplained": sum((shown - there).values()),
        "lost": sum(max(0, n - shown[query]) for query, n in there.items() if query in shown),
        "long": sum(len(query.split()) > words for query in shown),
        "fewest_rows": min(times.values()),
        "fewest_people": min(people[unit] for unit in times),
        "few_rows": sum(n < k for n in times.values()),
        "few_people": sum(people[unit] < k for unit in times),
        "published_texts": len(typed & set(shown)),
        "published_people": len(owners),
    }


def test_rows_of_a_log_are_stored_as_they_are(tmp_path: Path) -> None:
    rows = [(1, "a"), (0, None), (1, "b"), (1, "a"), (0, "a"), (1, None)]
    log = Log(pl.DataFrame(rows, schema={"owner": pl.Int64, "payload": pl.String}, orient="row"))
    for made in (log, log.without_times(), Log(log.frame[:0])):
        table = TypedTexts.of_log(made).table
        name, _ = write_stored(table, tmp_path, 0)
        for stored in (table, read_stored(tmp_path / name)):
            found = TypedTexts.of_table(stored)
            texts = found.texts.gather(found.numbers).to_list()
            typed = Counter((owner, text or "") for owner, text in made.frame.rows())
            assert Counter(dict(zip(zip(found.owners.tolist(), texts, strict=True), found.times.tolist(), strict=True))) == typed
            assert found.texts.n_unique() == len(found.texts) == len({text for _, text in typed})


@pytest.mark.parametrize("unit", [TERM, Unit()], ids=["term", "query"])
def test_an_item_is_one_word(session: Any, tmp_path: Path, unit: Unit) -> None:
    """`Milk 1 l` is published whole, also where the words of queries count each for themselves."""
    frame = session.createDataFrame([("ann", "Milk 1 l"), ("ben", "Milk 1 l"), ("ben", "Milk")], "user string, item string")
    manifest = shoal.anonymize(frame, Threshold(k=2, unit=unit)).write(tmp_path / "out")
    assert pl.read_parquet(tmp_path / "out" / "log*.parquet")["item"].to_list() == ["Milk 1 l"] * 2
    if unit == TERM:
        assert manifest["accounting"]["words"]["as typed"] == 2


@pytest.mark.parametrize(
    "method",
    [
        Threshold(unit=TERM, rare="omit"),
        Threshold(unit=TERM, rare="generalize"),
        Threshold(window="day"),
        Threshold(times="day"),
        Threshold(columns=PublishedColumns.parse("url=prefix")),
        Threshold(unit=Unit("query+url")),
        Threshold(link=PseudonymScope("person")),
    ],
    ids=["omit", "generalize", "window", "times", "columns", "unit", "link"],
)
def test_what_is_for_one_machine_is_refused(method: Threshold, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="one machine only"):
        made_there(["x.tsv"], method, tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_counts_are_judged_as_they_are() -> None:
    claim = Support(k=5, words=2)
    assert claim.judge_rows(CountedRows(rows=6, people=5, short=0)).standing == "verified"
    assert claim.judge_rows(CountedRows(rows=6, people=4, short=1)).witnesses == ("1 query was used by fewer than 5 people",)
    assert claim.judge_rows(CountedRows(rows=6, people=5, short=0, unexplained=1)).standing == "fails"
    assert claim.judge_rows(CountedRows(rows=6, people=5, short=0, long=1)).standing == "fails"
    assert claim.judge_rows(CountedRows(rows=6, people=None, short=0)).standing == "not checkable"
    assert claim.judge_rows(CountedRows(rows=4, people=None, short=1)).standing == "fails"
    with pytest.raises(ParameterError, match="one machine"):
        Support(k=5, window="day").judge_rows(CountedRows(rows=6, people=5, short=0))
