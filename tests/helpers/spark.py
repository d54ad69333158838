"""Releases of both engines, compared."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.cluster.run import SparkBackend
from shoal.io.rules_file import RULES
from shoal.methods import Method
from shoal.pipeline.job import Job, WrittenRelease
from shoal.pipeline.options import Preparation, Target


def records_in(directory: Path) -> Counter[tuple[str, ...]]:
    return Counter(tuple(items) for items in pl.read_parquet(directory / "records*.parquet")["items"].to_list())


def published_in(directory: Path) -> Counter[tuple[str, ...]]:
    """The records, or the rows of a log, of a release."""
    log = list(directory.glob("log*.parquet"))
    return Counter((query,) for query in pl.read_parquet(log)["query"].to_list()) if log else records_in(directory)


def release_on_cluster(data: Any, how: Preparation, method: Method, target: Target, master: str = "local[2]") -> WrittenRelease:
    """A job that is run on Spark."""
    return Job(data, method, how, target=target).run_on(SparkBackend(master))


def compared(log: Path, tmp_path: Path, method: Method, **said: Any) -> dict[str, Any]:
    """The manifest of a release on Spark, after its records and its manifest were compared with those of one machine."""
    here = shoal.anonymize(log, method, **said).write(tmp_path / "here")
    how = Preparation.default_for(method).choosing(**said)
    there = release_on_cluster([str(log)], how, method, Target(tmp_path / "there"), "local[2]").manifest
    assert records_in(tmp_path / "there") == records_in(tmp_path / "here")
    assert there == json.loads((tmp_path / "there" / "manifest.json").read_text())
    assert there["engine"] == "spark"
    assert there["metrics"] == pytest.approx(here["metrics"], rel=1e-12)
    apart = {"engine", "files", "sha256", "metrics"}
    assert {part: told for part, told in there.items() if part not in apart} == {
        part: told for part, told in here.items() if part not in apart
    }
    amounts = {name: here["files"][0][name] for name in ("rows", "occurrences", "items", "different")}
    assert {name: there["files"][0][name] for name in amounts} == amounts
    rules = [place.read_bytes() if (place := tmp_path / engine / RULES).exists() else None for engine in ("here", "there")]
    assert rules[0] == rules[1]
    assert {entry.name for entry in tmp_path.iterdir()} - {log.name} == {"here", "there"}
    return there
