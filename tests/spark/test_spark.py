"""Releases made on Spark: the same records, account and numbers as on one machine; what fails leaves one line and nothing else."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

import shoal
from helpers.spark import release_on_cluster
from shoal.cluster import judge_records as judging
from shoal.cluster import run, write_files
from shoal.engines import ranges
from shoal.errors import GuaranteeNotMet, Infeasible, InputError, ParameterError
from shoal.methods import Method
from shoal.methods.clump import Clump
from shoal.methods.shoal import Shoal
from shoal.pipeline.options import Preparation, Target
from shoal.pipeline.request import parse_preparation
from shoal.privacy.k_anonymity import KAnonymity

pytestmark = pytest.mark.usefixtures("session")
OPTIONS = ("format", "per", "gap", "bag", "taxonomy", "node_loss", "unknown", "tree", "floor")


@pytest.fixture
def small_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranges of 300 people, so that small data has several."""
    monkeypatch.setattr(ranges, "SMALLEST_RANGE", 300)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A query log of 2,000 people in two files, with a byte order mark, defective lines and a spelling in capitals."""
    place = tmp_path_factory.mktemp("log")
    shouted = pl.when(pl.col("AnonID") % 7 == 0).then(pl.col("Query").str.to_uppercase()).otherwise(pl.col("Query"))
    frame = shoal.generate(users=2000, seed=4).with_columns(shouted)
    half = len(frame) // 2
    frame[:half].write_csv(place / "one.tsv", separator="\t", include_bom=True)
    frame[half:].write_csv(place / "two.tsv", separator="\t")
    with (place / "two.tsv").open("a") as out:
        out.write("a line of one field\n\n\tno user\t2006-03-01 10:00:00\t\t\n")
    return place


def how_of(method: Method, **said: Any) -> Preparation:
    return parse_preparation(dict.fromkeys(OPTIONS) | {"format": None} | said, base=Preparation.default_for(method))


def records_in(directory: Path) -> Counter[tuple[str, ...]]:
    return Counter(tuple(items) for items in pl.read_parquet(directory / "records*.parquet")["items"].to_list())


def compared(log: Path, tmp_path: Path, method: Method, **said: Any) -> dict[str, Any]:
    """The manifest of a release on Spark, after its records and its manifest were compared with those of one machine."""
    here = shoal.anonymize(str(log / "*.tsv"), method, **said).write(tmp_path / "here")
    made = release_on_cluster([str(log / "*.tsv")], how_of(method, **said), method, Target(tmp_path / "there"), "local[2]")
    there = json.loads((tmp_path / "there" / "manifest.json").read_text())
    assert there == made.manifest
    assert records_in(tmp_path / "there") == records_in(tmp_path / "here")
    for part in ("method", "parameters", "input", "claims"):
        assert there[part] == here[part], part
    assert whatever_the_spelling(there) == pytest.approx(whatever_the_spelling(here), rel=1e-12)
    amounts = {name: here["files"][0][name] for name in ("rows", "occurrences", "items", "different")}
    assert {name: there["files"][0][name] for name in amounts} == amounts
    assert sorted(entry.name for entry in (tmp_path / "there").iterdir()) == ["manifest.json", "records_00001.parquet", "report.html"]
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["here", "there"]
    return there


def whatever_the_spelling(manifest: dict[str, Any]) -> dict[str, float]:
    """Account and metrics. Which of two records of the same nodes goes where is open, and so whether its words are renamed or as typed."""
    flat = {f"{name}: {part}": n for name, ledger in manifest["accounting"].items() for part, n in ledger.items()} | manifest["metrics"]
    flat["own node"] = flat.pop("occurrences: kept", 0) + flat.pop("occurrences: renamed", 0)
    flat["one level at most"] = flat.pop("kept") + flat.pop("one_level")
    return flat


@pytest.mark.usefixtures("small_ranges")
def test_shoal_in_ranges(log: Path, tmp_path: Path) -> None:
    manifest = compared(log, tmp_path, Shoal(k=5, effort="fast"))
    assert manifest["accounting"]["rows"]["malformed: too few fields"] == 1
    assert manifest["input"]["files"] == 2
    assert shoal.audit(tmp_path / "there", original=str(log / "*.tsv")).holds


def test_an_audit_of_several_files_of_records_holds(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The numbers of their records go on from file to file."""
    monkeypatch.setattr(write_files, "ROWS_IN_A_FILE", 700)
    method = Clump(k=3)
    manifest = release_on_cluster([str(log / "*.tsv")], how_of(method), method, Target(tmp_path / "there"), "local[2]").manifest
    assert len(manifest["files"]) > 3, "several files, the rules and the report"
    numbers = [
        pl.read_parquet(tmp_path / "there" / file["name"])["record"] for file in manifest["files"] if file.get("format") == "parquet"
    ]
    assert pl.concat(numbers).to_list() == list(range(1, sum(map(len, numbers)) + 1))
    assert shoal.audit(tmp_path / "there").holds
    assert shoal.audit(tmp_path / "there", original=str(log / "*.tsv")).holds


@pytest.mark.usefixtures("small_ranges")
def test_clump_with_several_records_a_person(log: Path, tmp_path: Path) -> None:
    manifest = compared(log, tmp_path, Clump(k=3), per="session", bag=True, unknown="drop", floor=1)
    assert manifest["input"]["records"] > manifest["input"]["owners"]


def test_a_frame_of_items_with_a_taxonomy_of_a_file(session: Any, tmp_path: Path) -> None:
    taxonomy = tmp_path / "food.csv"
    taxonomy.write_text("Apple;Fruit;Food\nPear;Fruit;Food\nMilk;Dairy;Food\nButter;Dairy;Food\n")
    rows = [(f"p{i}", item) for i in range(60) for item in (["Apple", "Milk"], ["Pear", "Butter"], ["Pear", "Quince"])[i % 3]]
    data = tmp_path / "data"
    frame = session.createDataFrame(rows, "user string, item string")
    there = shoal.anonymize(frame, k=25, taxonomy=str(taxonomy))
    assert "not made yet" in repr(there)
    manifest = there.write(data)
    here = shoal.anonymize(pl.DataFrame(rows, schema=["user", "item"], orient="row"), k=25, taxonomy=str(taxonomy))
    assert records_in(data) == Counter(tuple(items) for items in here.to_polars()["items"].to_list())
    assert manifest["claims"][0]["achieved"]["people"] >= 25
    assert shoal.audit(data).holds


UNLIKE = ("zzqa", "zzqb", "zzqc", "zzqd", "zzqe")  # words that no taxonomy knows: all of them meet at the node of unknown words


def nothing_left(tmp_path: Path, kept: set[str]) -> None:
    assert {entry.name for entry in tmp_path.iterdir()} == kept


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file"):
        release_on_cluster([str(tmp_path / "none.tsv")], Preparation(), Shoal(k=5), Target(tmp_path / "out"), "local[2]")
    nothing_left(tmp_path, set())


def test_too_few_people_and_spellings_are_told_as_on_one_machine(session: Any, tmp_path: Path) -> None:
    few = session.createDataFrame([("ann", "milk"), ("ben", "milk")], "user string, query string")
    with pytest.raises(Infeasible, match="a group needs 5 people, but the data has only 2"):
        shoal.anonymize(few, k=5).write(tmp_path / "out")
    spelled = session.createDataFrame([("ann", "milk"), ("Ann", "milk"), ("ben", "milk")], "user string, query string")
    with pytest.raises(InputError, match="3 different user IDs, 2 if"):
        shoal.anonymize(spelled, k=2).write(tmp_path / "out")
    nothing_left(tmp_path, set())


def turning() -> Any:
    """Makes a wheel of bread; workers cannot import what stands in a module of tests."""

    def turned(made: pa.Table) -> pa.Table:
        items = [["wheel"] if names[0] == "bread" else names for names in made.column("items").to_pylist()]
        return made.set_column(1, made.schema.field("items"), pa.array(items, made.schema.field("items").type))

    return turned


@pytest.mark.parametrize(
    ("step", "change", "told"),
    [
        ("published", turning(), ""),
        ("published", lambda made: made.slice(10), "lost or added"),
        ("published", lambda made: pa.concat_tables([made, made]), "lost or added"),
        ("joined", lambda made: made.slice(1), "lost or added"),
    ],
)
def test_a_method_that_publishes_what_is_not_there_is_found(
    session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, change: Any, told: str
) -> None:
    """Records that a method moved to groups of another content are untrue; records that a task lost are missed, not called withheld."""
    stored = run.stored

    def spoiled(cluster: Any, source: Any, work: Any, shared: Any, name: str) -> Any:
        def changed(shared: Any, part: int, table: pa.Table) -> Any:
            yield from (made if isinstance(made, str) or not len(made) else change(made) for made in work(shared, part, table))

        return stored(cluster, source, changed if name == step else work, shared, name)

    monkeypatch.setattr(run, "stored", spoiled)
    rows = [(f"p{i}", "milk bread" if i % 2 else "car wheel") for i in range(40)]
    with pytest.raises(GuaranteeNotMet, match=told):
        shoal.anonymize(session.createDataFrame(rows, "user string, query string"), k=5).write(tmp_path / "out")
    nothing_left(tmp_path, set())


def test_records_with_nothing_in_common_below_the_floor_are_withheld_and_counted(session: Any, tmp_path: Path) -> None:
    """Five words of one kind stay; no two of the others meet below the root."""
    rows = [(f"p{i}", "milk") for i in range(5)] + [(f"q{i}", word) for i, word in enumerate(UNLIKE)]
    here = shoal.anonymize(pl.DataFrame(rows, schema=["user", "query"], orient="row"), k=5).write(tmp_path / "here")
    there = shoal.anonymize(session.createDataFrame(rows, "user string, query string"), k=5).write(tmp_path / "there")
    assert there["accounting"]["records"] == here["accounting"]["records"]
    assert there["accounting"]["records"]["withheld: nothing in common"] == len(UNLIKE)


@pytest.mark.parametrize(
    ("method", "said"),
    [
        (Shoal(k=5, outliers=0.1), {}),
        (Shoal(k=5, seconds=1.0), {}),
        (Clump(k=5, ties="given"), {}),
        (Shoal(k=5), {"taxonomy": "generated"}),
        (Shoal(k=5), {"taxonomy": "topics+wordnet"}),
        (Shoal(k=5), {"terms": "phrases"}),
        (Shoal(k=5), {"tree": "whole"}),
    ],
)
def test_what_is_for_one_machine_is_refused(method: Method, said: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="one machine"):
        release_on_cluster(["x.tsv"], how_of(method, **said), method, Target(tmp_path / "out"), "local[2]")
    nothing_left(tmp_path, set())


def test_classes_are_summed_as_they_are() -> None:
    found = judging.counts_of({"smallest": 4, "fewest": 3, "short": 2, "short_records": 8, "different": 9}, empty=0)
    verdict = KAnonymity(k=5).judge_counted(found)
    assert verdict.standing == "fails"
    assert verdict.achieved == {"records": 4, "people": 3}
