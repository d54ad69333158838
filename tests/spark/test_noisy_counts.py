"""Noisy counts on Spark: without noise those of one machine; with it the same record, claims and manifest, and nothing exact told."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.cluster.noisy_counts import published_counts
from shoal.cluster.person_values import read_values
from shoal.cluster.spark import Cluster
from shoal.data.noise_record import COUNTS, GUIDE, SELECTION, NoisyStep
from shoal.errors import GuaranteeNotMet
from shoal.methods.dp_queries import DPQueries
from shoal.noise import mechanisms as passing
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import prepare

pytestmark = pytest.mark.usefixtures("session")
STILL, GRID = 1e-9, 12  # so little noise, on so coarse a grid, that there is none
LIMITS = {GUIDE: 1.2, SELECTION: 1.5}


@pytest.fixture(scope="module")
def rows() -> list[tuple[str, str]]:
    """Forty people ask one query of two words; few ask others, some of them often."""
    common = [(f"p{i}", "red car") for i in range(40)] + [(f"p{i}", "red") for i in range(9)]
    some = [(f"p{i}", f"blue {'boat' if i % 2 else 'car'}") for i in range(0, 30, 3)] * 2
    return common + some + [(f"p{i}", f"alone {i}") for i in range(40)]


@pytest.fixture
def frame(session: Any, rows: list[tuple[str, str]]) -> Any:
    return session.createDataFrame(rows, "user string, query string")


def still(step: NoisyStep) -> NoisyStep:
    return replace(step, scale=STILL, grid=GRID, **({"threshold": LIMITS[SELECTION]} if step.purpose == SELECTION else {}))


@pytest.mark.parametrize(
    "method",
    [
        DPQueries(mechanism="weighted", unit="term", cap=2, count_cap=1),
        DPQueries(mechanism="weighted", unit="query", guide=0, counts=0),
    ],
    ids=["guide and counts", "weights"],
)
def test_without_noise_the_same_values_and_counts_as_on_one_machine(
    frame: Any, rows: list[tuple[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: DPQueries
) -> None:
    steps = tuple(map(still, method.noisy_steps()))
    monkeypatch.setattr(DPQueries, "noisy_steps", lambda self: steps)
    monkeypatch.setattr(passing, "PROMISING", LIMITS[GUIDE] / STILL)
    how = Preparation.default_for(method)
    table = pl.DataFrame(rows, schema=["user", "query"], orient="row")
    here = method.counted(prepare(table, how).original).frame
    asked = read_values(Cluster.of(frame, tmp_path), frame, how, method.unit)
    assert method.summed is not None
    there = published_counts(Cluster.of(frame, tmp_path), asked.values, asked.keys, steps, method.summed.caps)
    assert Counter(tuple(row) for row in there.collect()) == Counter(here.select(*there.columns).rows())
    assert 1 < len(here) < table["query"].n_unique()
    plan = there._jdf.queryExecution().optimizedPlan().toString()
    assert plan.count("MapInArrow") == 1, "what is published must read stored noise, not draw it"


METHOD = DPQueries(mechanism="weighted", unit="query", epsilon=20.0, delta=0.01, cap=1)


def test_the_same_record_and_manifest_as_on_one_machine(frame: Any, rows: list[tuple[str, str]], tmp_path: Path) -> None:
    """Forty people lift `red car` far above the threshold; what one person asked stays below."""
    table = pl.DataFrame(rows, schema=["user", "query"], orient="row")
    here = shoal.anonymize(table, METHOD).write(tmp_path / "here")
    there = shoal.anonymize(frame, METHOD).write(tmp_path / "there")
    assert there["engine"] == "spark"
    apart = {"engine", "files", "sha256", "input"}
    assert {name: told for name, told in there.items() if name not in apart} == {
        name: told for name, told in here.items() if name not in apart
    }
    assert not any(isinstance(told, int | float) for told in there["input"].values())
    found = pl.read_parquet(tmp_path / "there" / "counts*.parquet")
    assert "red car" in found["query"].to_list()
    assert abs(dict(found.rows())["red car"] - 40) < 20
    assert shoal.audit(tmp_path / "there").holds
    assert shoal.audit(tmp_path / "there", original=table).holds


def test_where_nothing_is_chosen_the_table_is_empty(session: Any, tmp_path: Path) -> None:
    frame = session.createDataFrame([(f"p{i}", f"alone {i}") for i in range(5)], "user string, query string")
    made = shoal.anonymize(frame, replace(METHOD, epsilon=0.1, delta=1e-12)).write(tmp_path / "out")
    assert made["files"][0]["rows"] == 0
    assert pl.read_parquet(tmp_path / "out" / "counts_00001.parquet").schema == {"query": pl.String, "count": pl.Int64}
    assert shoal.audit(tmp_path / "out").holds


@pytest.mark.parametrize(
    ("step", "change", "told"),
    [
        (f"{COUNTS}_noisy", lambda found: found.selectExpr("'secret' as query", "number"), "not in the original"),
        ("shuffled", lambda found: found.union(found), "the files do not contain the counts"),
        ("rows", lambda found: found.where("query is distinct from 'red'"), "rows were lost or added"),
    ],
    ids=["invented", "twice", "lost"],
)
def test_what_was_invented_doubled_or_lost_is_refused(frame: Any, tmp_path: Path, spoil: Any, step: str, change: Any, told: str) -> None:
    spoil(step, change)
    with pytest.raises(GuaranteeNotMet, match=told) as refused:
        shoal.anonymize(frame, METHOD).write(tmp_path / "out")
    assert "secret" not in str(refused.value)
    assert not list(tmp_path.iterdir())
