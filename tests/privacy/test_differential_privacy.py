"""The judge of differential privacy adds up what is recorded, and objects to every record that does not give what is claimed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from helpers.cli import Shell
from shoal.data.log import Log
from shoal.data.noise_record import NoisyStep
from shoal.data.original import LogOriginal
from shoal.data.release import Release
from shoal.data.tables.counts import CountTable
from shoal.methods.dp_queries import DPQueries
from shoal.pipeline.manifest_schema import digest_of
from shoal.privacy.differential_privacy import DifferentialPrivacy

CLAIM = DifferentialPrivacy(epsilon=3.0, delta=1e-5)
COUNTS = {"counts": {"query": ["weather"], "count": [812]}}
BOTH = COUNTS | {"clicks": {"query": ["weather"], "url": ["http://a.org"], "count": [55]}}


def steps_of(**values: Any) -> tuple[NoisyStep, ...]:
    return DPQueries(**{"epsilon": 3.0, "delta": 1e-5, **values}).noisy_steps()


def verdict(steps: tuple[NoisyStep, ...], columns: dict[str, Any] = COUNTS, original: LogOriginal | None = None) -> Any:
    tables = {name: CountTable(pl.DataFrame(content)) for name, content in columns.items()}
    return CLAIM.check(Release(tables, mechanism=steps), original)


@pytest.mark.parametrize("mechanism", ["policy", "weighted", "korolova"])
@pytest.mark.parametrize("guide", [0.0, 0.2])
def test_recorded_noise_gives_the_claim_by_construction(mechanism: str, guide: float) -> None:
    found = verdict(steps_of(mechanism=mechanism, guide=guide, clicks=0.3), BOTH)
    assert found.standing == "by construction"
    assert found.achieved["epsilon"] <= 3.0
    assert 0 < found.achieved["delta"] <= 1e-5


def test_without_a_record_nothing_can_be_said() -> None:
    found = verdict(())
    assert found.standing == "not checkable"
    assert "not recorded" in found.unchecked


def changed(**changes: Any) -> Callable[[tuple[NoisyStep, ...]], tuple[NoisyStep, ...]]:
    """Changes the selection."""
    return lambda steps: tuple(replace(step, **changes) if step.purpose == "selection" else step for step in steps)


def scaled(purpose: str, factor: float) -> Callable[[tuple[NoisyStep, ...]], tuple[NoisyStep, ...]]:
    return lambda steps: tuple(replace(step, scale=step.scale * factor) if step.purpose == purpose else step for step in steps)


BROKEN: dict[str, tuple[Callable[[tuple[NoisyStep, ...]], tuple[NoisyStep, ...]], str]] = {
    "no cap": (changed(cap=None), "has no cap"),
    "a cap of zero": (changed(cap=0), "has no cap"),
    "no threshold": (changed(threshold=None), "no threshold"),
    "a lower threshold": (changed(threshold=7.0), "gives a delta of"),
    "a cap that is larger than the threshold allows": (changed(cap=900), "gives a delta of"),
    "no sensitivity": (changed(sensitivity=None), "sensitivity"),
    "too small a sensitivity": (changed(sensitivity=0.5), "sensitivity"),
    "less noise in the choice": (scaled("selection", 0.97), "gives a delta of"),
    "less noise in the guide": (scaled("guide", 0.9), "gives a delta of"),
    "less noise in the counts": (scaled("counts", 0.9), "gives a delta of"),
    "no noise": (scaled("selection", 0.0), "too little noise"),
    "a coarse grid": (changed(grid=10), "too coarse a grid"),
    "weights of which nothing is proved": (changed(weights="whole"), "there is no proof"),
    "two kinds of noise": (changed(noise="laplace", weights="whole", sensitivity=64.0), "mixes kinds of noise"),
    "counts without a choice": (lambda steps: steps[-1:], "not one selection"),
    "a choice made twice": (lambda steps: (*steps, steps[1]), "not one selection"),
    "another table": (lambda steps: tuple(replace(step, table="clicks") for step in steps), "no noise is recorded for the table 'counts'"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_record_fails(name: str) -> None:
    change, says = BROKEN[name]
    found = verdict(change(steps_of()))
    assert found.standing == "fails"
    assert any(says in witness for witness in found.witnesses), found.witnesses


def test_less_laplace_noise_is_more_epsilon() -> None:
    found = verdict(scaled("counts", 0.9)(steps_of(mechanism="korolova")))
    assert found.standing == "fails"
    assert "gives an epsilon of" in found.witnesses[0]


def test_published_values_stand_in_the_original() -> None:
    rows = {"owner": [1, 2], "payload": ["weather", "rain"]}
    log = Log(pl.DataFrame(rows, schema={"owner": pl.Int64, "payload": pl.String}))
    assert verdict(steps_of(), original=LogOriginal(log)).holds
    invented = {"counts": {"query": ["snow"], "count": [812]}}
    found = verdict(steps_of(), invented, LogOriginal(log))
    assert found.witnesses == ("1 published value of 'query' not in the original",)


# -- as a user meets it


@pytest.fixture
def released(shell: Shell) -> Shell:
    rows = [f"{user},{query}" for user in range(300) for query in ("weather", "news")]
    shell.file("log.csv", "user,query\n" + "\n".join(rows) + "\n")
    words = ("--method", "dp-queries", "--epsilon", "3", "--delta", "1e-5", "--to", "csv")
    assert shell("anonymize", "log.csv", *words, "--out", "release").code == 0
    return shell


def edited(release: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Changes a manifest, and its digest with it."""
    place = release / "manifest.json"
    manifest = json.loads(place.read_text())
    change(manifest)
    manifest["sha256"] = digest_of(manifest)
    place.write_text(json.dumps(manifest))


def claims_less(manifest: dict[str, Any]) -> None:
    manifest["claims"][0]["model"] = "differential-privacy(epsilon=1, delta=1e-05)"
    manifest["claims"][0]["achieved"]["epsilon"] = manifest["claims"][0]["achieved_from_file"]["epsilon"] = 1.0


def claims_less_and_asks_for_it(manifest: dict[str, Any]) -> None:
    claims_less(manifest)
    manifest["parameters"]["epsilon"] = 1.0


def lower_threshold(manifest: dict[str, Any]) -> None:
    manifest["mechanism"][1]["threshold"] -= 2


def no_cap(manifest: dict[str, Any]) -> None:
    del manifest["mechanism"][1]["cap"]


def another_cap(manifest: dict[str, Any]) -> None:
    manifest["mechanism"][1]["cap"] = 3


def no_record(manifest: dict[str, Any]) -> None:
    del manifest["mechanism"]


def another_delta(manifest: dict[str, Any]) -> None:
    manifest["claims"][0]["achieved"]["delta"] = 1e-7


def no_counts(manifest: dict[str, Any]) -> None:
    del manifest["mechanism"][2]


TAMPERED = (claims_less, claims_less_and_asks_for_it, lower_threshold, no_cap, another_cap, another_delta, no_record, no_counts)


@pytest.mark.parametrize("change", TAMPERED, ids=lambda change: change.__name__)
def test_an_edited_manifest_is_seen(released: Shell, change: Callable[[dict[str, Any]], None]) -> None:
    assert released("audit", "release").code == 0
    edited(released.directory / "release", change)
    assert released("audit", "release").code == 3
    assert released("audit", "release", "--original", "log.csv").code == 3


def test_an_invented_row_is_seen(released: Shell) -> None:
    file = released.directory / "release" / "counts.csv"
    file.write_text(file.read_text() + "my own name,12\n")
    assert released("audit", "release").code == 3
