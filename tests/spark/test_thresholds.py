"""Thresholds on Spark: the same rows, account and verdicts as on one machine; the judge on the cluster finds what the method does wrong."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.app.distributed import shared_rows, writing
from shoal.app.distributed.run import release_on_cluster
from shoal.app.job import Preparation, Target
from shoal.data.cuts import Cut
from shoal.data.units import Beside, Unit
from shoal.engines.spark import Cluster
from shoal.errors import GuaranteeNotMet, Infeasible, ParameterError
from shoal.methods.threshold import Threshold
from shoal.privacy.support import Support
from shoal.privacy.supported_rows import CountedRows

pytestmark = pytest.mark.usefixtures("session")
TERM = Unit("term")


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A query log of 2,000 people in two files: odd blanks, capitals, rows without a query, and defective lines."""
    place = tmp_path_factory.mktemp("log")
    odd = pl.when(pl.col("AnonID") % 5 == 0).then(pl.lit(" ") + pl.col("Query").str.replace_all(" ", "  ")).otherwise(pl.col("Query"))
    shouted = pl.when(pl.col("AnonID") % 7 == 0).then(odd.str.to_uppercase()).otherwise(odd)
    frame = shoal.generate(users=2000, seed=4).with_columns(Query=shouted)
    half = len(frame) // 2
    frame[:half].write_csv(place / "one.tsv", separator="\t")
    frame[half:].write_csv(place / "two.tsv", separator="\t")
    with (place / "two.tsv").open("a") as out:
        out.write("a line of one field\n\n\tno user\t2006-03-01 10:00:00\t\t\n77\t\t2006-03-01 10:00:00\t\t\n")
    return place


def rows_in(directory: Path) -> Counter[str]:
    return Counter(pl.read_parquet(directory / "log*.parquet")["query"].to_list())


def made_there(data: Any, method: Threshold, out: Path) -> dict[str, Any]:
    return release_on_cluster(data, Preparation.default_for(method), method, Target(out), "local[2]").manifest


@pytest.mark.parametrize("method", [Threshold(k=5), Threshold(k=5, unit=TERM, words=3)], ids=["query", "term"])
def test_the_same_rows_and_manifest_as_on_one_machine(log: Path, tmp_path: Path, method: Threshold) -> None:
    here = shoal.anonymize(str(log / "*.tsv"), method).write(tmp_path / "here")
    there = made_there([str(log / "*.tsv")], method, tmp_path / "there")
    assert there == json.loads((tmp_path / "there" / "manifest.json").read_text())
    assert rows_in(tmp_path / "there") == rows_in(tmp_path / "here")
    assert sum(rows_in(tmp_path / "there").values()) > 1000
    assert there.pop("engine") == "spark"
    files = {"files", "sha256"}
    assert {part: said for part, said in there.items() if part not in files} == {
        part: said for part, said in here.items() if part not in files
    }
    (table, _), (table_here, _) = there["files"], here["files"]
    told = {"kind", "table", "rows", "columns", "format"}
    assert {name: table[name] for name in told} == {name: table_here[name] for name in told}
    assert shoal.audit(tmp_path / "there").holds is not False
    assert shoal.audit(tmp_path / "there", original=str(log / "*.tsv")).holds
    assert sorted(entry.name for entry in (tmp_path / "there").iterdir()) == ["log_00001.parquet", "manifest.json", "report.html"]
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["here", "there"]


def test_dropping_a_query_makes_other_words_rare(session: Any, tmp_path: Path) -> None:
    """Only p2 has `c`, so `b c` goes; then only p1 has `b`, and `a b` goes too."""
    asked = [("p1", "a"), ("p2", "a"), ("p1", "a b"), ("p2", "b c"), ("p3", "d  d"), ("p4", "d d"), ("p4", "d d")]
    frame = session.createDataFrame(asked, "user string, query string")
    made = shoal.anonymize(frame, "threshold", k=2, unit="term").write(tmp_path / "out")
    assert rows_in(tmp_path / "out") == {"a": 2, "d d": 3}
    assert made["claims"][0]["achieved"] == {"records": 2, "people": 2}
    assert made["accounting"]["words"] == {"in": 12, "as typed": 8, "in dropped rows": 4}


def test_items_of_a_table_in_several_files(session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "ROWS_IN_A_FILE", 5)
    rows = [(f"p{i}", "Milk 1 l") for i in range(20)] + [("p2", "Rye"), ("p2", "Rye")]
    frame = session.createDataFrame(rows, "user string, item string")
    made = shoal.anonymize(frame, "threshold", k=2, unit="term").write(tmp_path / "out")
    assert len(made["files"]) > 2
    assert pl.read_parquet(tmp_path / "out" / "log*.parquet")["item"].to_list() == ["Milk 1 l"] * 20
    assert shoal.audit(tmp_path / "out", original=pl.DataFrame(rows, schema=["user", "item"], orient="row")).holds


def test_nothing_in_common_is_told_as_on_one_machine(session: Any, tmp_path: Path) -> None:
    frame = session.createDataFrame([("ann", "milk"), ("ann", "milk"), ("ben", "bread")], "user string, query string")
    with pytest.raises(Infeasible, match="no query was asked by 2 people"):
        shoal.anonymize(frame, "threshold", k=2).write(tmp_path / "out")
    assert not list(tmp_path.iterdir())


@pytest.fixture
def few(session: Any) -> Any:
    """`milk` is asked by four people, `rye` by three, one of them twice."""
    asked = [(f"p{i}", "milk") for i in range(4)] + [(f"p{i}", "rye") for i in (0, 1, 2, 2)]
    return session.createDataFrame(asked, "user string, query string")


@pytest.mark.parametrize("unit", ["query", "term"])
def test_a_query_of_fewer_people_is_refused(few: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unit: str) -> None:
    honest = shared_rows.published_rows
    lax = lambda cluster, rows, said, **how: honest(cluster, rows, replace(said, k=said.k - 1), **how)  # noqa: E731
    monkeypatch.setattr(shared_rows, "published_rows", lax)
    with pytest.raises(GuaranteeNotMet, match=r"1 (query|word) was asked by fewer than 4 people") as refused:
        shoal.anonymize(few, "threshold", k=4, unit=unit).write(tmp_path / "out")
    assert "rye" not in str(refused.value)
    assert not list(tmp_path.iterdir())


def test_rows_in_place_of_people_are_refused(few: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_rows, "PEOPLE", "count(owner) as people")
    with pytest.raises(GuaranteeNotMet, match="1 query was asked by fewer than 4 people"):
        shoal.anonymize(few, "threshold", k=4).write(tmp_path / "out")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("step", "change", "told"),
    [
        ("published", lambda found: found.union(found), "4 published rows have no row of the original"),
        ("published", lambda found: found.selectExpr("'bread' as query", "terms"), "1 query was asked by fewer than 4 people"),
        ("shuffled", lambda found: found.union(found), "the files do not hold the rows"),
        ("shuffled", lambda found: found.limit(3), "the files do not hold the rows"),
    ],
)
def test_rows_that_were_added_changed_or_lost_are_refused(
    few: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, change: Any, told: str
) -> None:
    stored = Cluster.store
    monkeypatch.setattr(Cluster, "store", lambda self, found, name: stored(self, change(found) if name == step else found, name))
    with pytest.raises(GuaranteeNotMet, match=told):
        shoal.anonymize(few, "threshold", k=4).write(tmp_path / "out")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "method",
    [
        Threshold(unit=TERM, rare="omit"),
        Threshold(unit=TERM, rare="generalize"),
        Threshold(window="day"),
        Threshold(times="day"),
        Threshold(columns=Beside.parse("url=prefix")),
        Threshold(unit=Unit("query+url")),
        Threshold(link=Cut("person")),
    ],
    ids=["omit", "generalize", "window", "times", "columns", "unit", "link"],
)
def test_what_is_for_one_machine_is_refused(method: Threshold, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="for one machine"):
        made_there(["x.tsv"], method, tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_counts_are_judged_as_they_are() -> None:
    claim = Support(k=5, words=2)
    assert claim.judge_rows(CountedRows(rows=6, people=5, short=0)).standing == "verified"
    assert claim.judge_rows(CountedRows(rows=6, people=4, short=1)).witnesses == ("1 query was asked by fewer than 5 people",)
    assert claim.judge_rows(CountedRows(rows=6, people=5, short=0, unexplained=1)).standing == "fails"
    assert claim.judge_rows(CountedRows(rows=6, people=5, short=0, long=1)).standing == "fails"
    assert claim.judge_rows(CountedRows(rows=6, people=None, short=0)).standing == "not checkable"
    assert claim.judge_rows(CountedRows(rows=4, people=None, short=1)).standing == "fails"
    with pytest.raises(ParameterError, match="one machine"):
        Support(k=5, window="day").judge_rows(CountedRows(rows=6, people=5, short=0))
