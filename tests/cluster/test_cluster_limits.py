"""What a cluster cannot do is in one table, which is checked before anything is read, and which the docs show."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from helpers.data import food
from shoal.auditing.earlier_releases import Series
from shoal.cluster.limits import CODE, LIMITS, OTHER_OPTIONS
from shoal.cluster.run import SparkBackend
from shoal.data.min_support import MinSupport
from shoal.errors import ParameterError, options_of
from shoal.evaluate.attack.before_release import release_checks
from shoal.io.read.options import ItemsTable, ReadOptions
from shoal.io.read.sql import from_sql
from shoal.io.rules_file import RulesFile
from shoal.methods import METHODS, Method
from shoal.pipeline.job import Job
from shoal.pipeline.options import Memory, Preparation, Target

ROOT = Path(__file__).parents[2]


def job_of(method: str, parameters: dict[str, Any] | None = None, how: dict[str, Any] | None = None, **more: Any) -> Job:
    chosen: Method = METHODS[method](**parameters or {})
    return Job(["absent.tsv"], chosen, Preparation.default_for(chosen).choosing(**how or {}), target=Target(Path("out")), **more)


SUPPORTED = [
    job_of("shoal"),
    job_of("clump"),
    job_of("threshold"),
    job_of("infrequent"),
    job_of("coherence"),
    job_of("km", {"aim": "words"}),
    job_of("dp-queries", {"mechanism": "weighted"}),
]
TO = replace(job_of("shoal"), target=Target(Path("out"), format="csv"))
REFUSED: dict[str, Job] = {
    "rules": job_of("coherence", rules=RulesFile(None, "coherence", {}, None)),  # type: ignore[arg-type]
    "claim": job_of("shoal", claims=METHODS["clump"]().claims()),
    "bound": job_of("shoal", metrics=["bound"]),
    "previous": job_of("shoal", checks=release_checks(Series((Path("earlier"),)), None)),
    "threads": job_of("shoal", threads=2),
    "memory": job_of("shoal", how={"memory": Memory.parse("2G", Path())}),
    "patience": job_of("shoal", patience=2.0),
    "to": TO,
    "layout": replace(TO, target=Target(Path("out"), layout="long")),
    "taxonomy in memory": job_of("shoal", taxonomy=food()),
    "method": job_of("ssc"),
    "ranges": job_of("shoal", {"seconds": 1.0}),
    "partition": job_of("partition"),
    "outliers": job_of("shoal", {"outliers": 0.1}),
    "loss": job_of("km"),
    "recoding": job_of("apriori"),
    "many known items": job_of("km", {"aim": "words", "m": 4}),
    "record": job_of("coherence", how={"read": ReadOptions(record="basket")}),
    "generated": job_of("shoal", how={"taxonomy": "generated"}),
    "topics": job_of("km", {"aim": "words"}, {"taxonomy": "topics"}),
    "topics and wordnet": job_of("shoal", how={"taxonomy": "topics+wordnet"}),
    "word rules": job_of("shoal", how={"word_rules": "phrases"}),
    "people": job_of("shoal", how={"loss": "people"}),
    "no taxonomy": job_of("km", {"aim": "words"}, {"taxonomy": "none"}),
    "whole": job_of("shoal", how={"scope": "whole"}),
    "unchanged names": job_of("coherence", how={"taxonomy": "wordnet"}),
    "unit": job_of("threshold", {"unit": "host"}),
    "mechanism": job_of("dp-queries"),
    "rows": job_of("threshold", how={"taxonomy": "wordnet"}),
    "sql": replace(job_of("shoal"), data=from_sql("select 1", "duckdb:")),
    "encoding": job_of("shoal", how={"read": ReadOptions(encoding="latin-1")}),
    "min-support": job_of("shoal", how={"min_support": MinSupport.parse("5")}),
    "items-table": job_of("shoal", how={"read": ReadOptions(items=ItemsTable("goods.csv"))}),
}


@pytest.mark.parametrize("job", SUPPORTED, ids=lambda job: job.method.name)
def test_what_a_cluster_can_do_is_not_refused(job: Job) -> None:
    SparkBackend().refuse(job)


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_cluster_cannot_do_is_refused_before_anything_is_read(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ParameterError) as refused:
        REFUSED[name].run_on(SparkBackend())
    assert refused.value.code == CODE
    assert refused.value.hint
    assert not list(tmp_path.iterdir())


def test_the_option_is_named() -> None:
    for name in ("rules", "claim", "bound", "previous", "threads", "memory", "patience", "outliers"):
        with pytest.raises(ParameterError) as refused:
            SparkBackend().refuse(REFUSED[name])
        assert name in refused.value.options


def test_options_beside_the_job_are_refused() -> None:
    for name in OTHER_OPTIONS:
        with pytest.raises(ParameterError) as refused:
            SparkBackend(other_options=(name,)).refuse(SUPPORTED[0])
        assert options_of(refused.value.marked_message) == (name,)


def test_every_entry_of_the_table_can_be_met() -> None:
    met = set[int]()
    for job in REFUSED.values():
        met.add(next(i for i, limit in enumerate(LIMITS) if isinstance(job.method, limit.methods) and limit.is_requested(job)))
    never = {limit.what for i, limit in enumerate(LIMITS) if i not in met}
    assert {options_of(what) or what for what in never} <= {("attack",), "a claim that does not hold for a union of ranges"}


def test_the_docs_show_the_table() -> None:
    spec = spec_from_file_location("cluster_limits", ROOT / "scripts" / "cluster_limits.py")
    assert spec is not None
    assert spec.loader is not None
    script = module_from_spec(spec)
    spec.loader.exec_module(script)
    text = script.PAGE.read_text("utf-8")
    assert text == script.page(text), "run python scripts/cluster_limits.py"
