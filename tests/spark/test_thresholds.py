"""Thresholds on Spark: the same rows, account and verdicts as on one machine; the judge on the cluster finds what the method does wrong."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from helpers.spark import release_on_cluster
from shoal.cluster import row_manifest as row_outcome
from shoal.cluster import threshold_words as shared_rows
from shoal.cluster import write_files as writing
from shoal.cluster.judge_rows import Judging, count_published, counted_with_original
from shoal.cluster.log_rows import Logged, Splitting, rows_of_log
from shoal.cluster.spark import Cluster
from shoal.data.log import Log
from shoal.data.pseudonym_scope import PseudonymScope
from shoal.data.query_units import PublishedColumns, Unit
from shoal.errors import GuaranteeNotMet, Infeasible, ParameterError
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
    monkeypatch.setattr(writing, "ROWS_IN_A_FILE", 150)
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


def test_rows_in_place_of_people_are_refused(few: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_rows, "PEOPLE", "count(owner) as people")
    with pytest.raises(GuaranteeNotMet, match="1 query was used by fewer than 4 people"):
        shoal.anonymize(few, "threshold", k=4).write(tmp_path / "out")
    assert not list(tmp_path.iterdir())


def one_row_less(answered: Any) -> Any:
    """One of the rows that stay is said not to."""
    stays = answered.where("stays")
    others = stays.selectExpr("query", "terms - 1 as terms", "stays", "rows - 1 as rows")
    return answered.where("not stays").union(others).union(stays.selectExpr("null as query", "1L as terms", "false as stays", "1L as rows"))


UNACCOUNTED = "rows were lost or added without being accounted for"


@pytest.mark.parametrize(
    ("step", "change", "told"),
    [
        ("answered", lambda found: found.where("stays"), UNACCOUNTED),
        ("answered", one_row_less, UNACCOUNTED),
        ("shuffled", lambda found: found.limit(3), "the files do not contain the rows"),
    ],
    ids=["missing", "withheld", "unwritten"],
)
def test_rows_that_were_added_changed_or_lost_are_refused(few: Any, tmp_path: Path, spoil: Any, step: str, change: Any, told: str) -> None:
    spoil(step, change)
    with pytest.raises(GuaranteeNotMet, match=told):
        shoal.anonymize(few, "threshold", k=4).write(tmp_path / "out")
    assert not list(tmp_path.iterdir())


# -- the steps by themselves


def rows_of(session: Any, *asked: tuple[int, str]) -> Any:
    """Rows of a log as they are stored, of an owner and a text each."""
    told = [(owner, text, " ".join(text.split()), len(text.split()), len(text.split())) for owner, text in asked]
    return session.createDataFrame(told, "owner long, text string, query string, words long, terms long")


def test_dropping_a_query_makes_other_words_rare(session: Any, tmp_path: Path) -> None:
    """Only 2 has `c`, so `b c` goes; then only 1 has `b`, and `a b` goes too."""
    rows = rows_of(session, (1, "a"), (2, "a"), (1, "a b"), (2, "b c"), (3, "d  d"), (4, "d d"), (4, "d d"))
    made = shared_rows.answered_rows(Cluster(session, tmp_path), rows, Kept(k=2, unit=TERM), by_words=True)
    answers = [("a", 2, True, 2), ("d d", 6, True, 3), (None, 2, False, 1), (None, 2, False, 1)]
    assert Counter(map(tuple, made.collect())) == Counter(answers)
    assert Counter(row.query for row in shared_rows.published_rows(made).collect()) == {"a": 2, "d d": 3}


def test_what_became_of_rows_is_counted(session: Any, tmp_path: Path) -> None:
    """Of five rows one has no query and one too many words; of the others one has no answer."""
    rows = rows_of(session, (1, "a"), (2, "a"), (3, "b"), (3, ""), (3, "a b c"))
    told: Any = Logged(rows, Counter(used=5), None)  # type: ignore[arg-type]
    answers = [("a", 2, True, 2), (None, 1, False, 1)]
    for change, fine in ((answers, True), ([answers[0], (None, 1, None, 1)], False), ([*answers, ("a", 1, True, 1)], False)):
        frame = session.createDataFrame(change, "query string, terms long, stays boolean, rows long")
        if fine:
            sums = row_outcome.summed(Cluster(session, tmp_path), told, frame, Kept(k=2, words=2))
            assert (sums["published"], sums["rare"], sums["empty"], sums["long"]) == (2, 1, 1, 1)
        else:
            with pytest.raises(GuaranteeNotMet, match=UNACCOUNTED):
                row_outcome.summed(Cluster(session, tmp_path), told, frame, Kept(k=2, words=2))


@pytest.mark.parametrize(
    ("by_words", "published", "told"),
    [
        (True, ["a b", "a b", "b", "b"], (2, 2, 0, 0, 0)),  # a has 2 rows and people, b 4 rows of 3 people
        (False, ["a b", "a  b", "b", "b"], (1, 1, 2, 0, 0)),  # as whole texts
        (False, ["a b", "a b", "b", "c"], (1, 0, 2, 2, 1)),  # one row too many, one that nobody asked; one of b is missing
    ],
    ids=["words", "queries", "wrong"],
)
def test_the_judge_counts_rows_and_people_by_itself(
    session: Any, tmp_path: Path, by_words: bool, published: list[str], told: tuple[int, ...]
) -> None:
    rows = rows_of(session, (1, "a b"), (2, "a  b"), (2, "b"), (3, "b"))
    shown = session.createDataFrame([(query,) for query in published], "query string")
    judging = Judging(RowsToCount(k=2, words=None, by_words=by_words), by_words)
    cluster = Cluster(session, tmp_path)
    counted, lost = counted_with_original(cluster, count_published(cluster, shown, judging, "made"), rows, judging)
    found = (counted.rows, counted.people, counted.short, counted.unexplained, lost)
    assert found == told


def test_an_item_is_one_word() -> None:
    """`Milk 1 l` is published whole, also where the words of queries count each for themselves."""
    log = Log(pl.DataFrame({"owner": [0, 0], "payload": ["Milk 1 l", ""]}), "item")
    how = Splitting(Preparation(), text=False, drops_repeats=False, by_spelling=False, splits=True)
    made = rows_of_log(log, how, 0).to_pydict()
    assert (made["query"], made["words"], made["terms"]) == (["Milk 1 l", ""], [3, 0], [1, 0])


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
