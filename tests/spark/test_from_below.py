"""k^m-anonymity from below on Spark: the same records, account and verdicts as on one machine; the judge there finds what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shoal
from helpers.spark import compared, release_on_cluster
from shoal.cli.main import run
from shoal.cluster import itemset_counts as itemsets
from shoal.cluster.km_driver import RecordsOnCluster
from shoal.errors import GuaranteeNotMet, Infeasible, ParameterError
from shoal.methods import Method
from shoal.methods.km import Km
from shoal.pipeline.options import Preparation, Target

pytestmark = pytest.mark.usefixtures("session")
KINDS, SORTS, ITEMS = 2, 3, 6
FLAT = {f"item{i}": f"kind{i % KINDS}" for i in range(ITEMS)} | {f"kind{i}": "all" for i in range(KINDS)}
DEEP = FLAT | {f"item{i}": f"sort{i % SORTS}" for i in range(ITEMS)} | {f"sort{i}": f"kind{i % KINDS}" for i in range(SORTS)}
SECRET = "milk"


def tree_in(place: Path, above: dict[str, str]) -> str:
    """A file outside the directory that is compared."""
    file = place.parent / f"{place.name}.csv"
    file.write_text("item,parent\nall,\n" + "".join(f"{name},{parent}\n" for name, parent in above.items()))
    return str(file)


def random_log(place: Path, seed: int) -> Path:
    """People with items of the tree, some of them general, and words that it lacks; some have several records."""
    random = np.random.default_rng(seed)
    names = [*(f"item{i}" for i in range(ITEMS)), "kind0", "kind1", *(f"word{i}" for i in range(3))]
    weight = random.dirichlet(np.full(len(names), 0.4)) * 0.8 + 0.2 / len(names)
    rows = []
    for who in range(40):
        for hour in range(int(random.integers(1, 4))):
            held = random.choice(names, int(random.integers(1, 4)), replace=False, p=weight / weight.sum())
            rows += [f"p{who}\t{name}\t2006-03-01 {10 + 3 * hour:02}:00:00\n" for name in held]
    log = place / "log.tsv"
    log.write_text("user\titem\ttime\n" + "".join(rows))
    return log


@pytest.mark.parametrize(
    ("seed", "method", "tree", "per"),
    [
        pytest.param(1, Km(k=4, m=1, aim="words"), DEEP, "user", id="one", marks=pytest.mark.slow),
        pytest.param(2, Km(k=3, m=2, aim="words"), FLAT, "user", id="two", marks=pytest.mark.slow),
        pytest.param(3, Km(k=3, m=3, aim="words"), FLAT, "event", id="three, of people with several records"),
    ],
)
def test_the_same_records_as_on_one_machine(tmp_path: Path, seed: int, method: Km, tree: dict[str, str], per: str) -> None:
    log = random_log(tmp_path, seed)
    manifest = compared(log, tmp_path, method, taxonomy=tree_in(tmp_path, tree), per=per)
    achieved = manifest["claims"][0]["achieved"]
    assert achieved["records" if per == "user" else "people"] >= method.k
    assert (manifest["input"]["records"] > manifest["input"]["owners"]) == (per == "event")
    assert manifest["metrics"]["kept"] > 0
    assert manifest["metrics"]["suppressed"] < 1
    assert shoal.audit(tmp_path / "there", original=log, taxonomy=tree_in(tmp_path, tree)).holds


@pytest.fixture
def few(tmp_path: Path) -> tuple[Path, str]:
    """Three people have milk, four bread, one of them both."""
    log = tmp_path / "log.tsv"
    log.write_text("user\titem\n" + "".join(f"p{i}\t{SECRET}\n" for i in range(3)) + "".join(f"p{i}\tbread\n" for i in range(2, 6)))
    return log, tree_in(tmp_path, {SECRET: "drink", "tea": "drink", "drink": "all", "bread": "meal", "meal": "all"})


def made(few: tuple[Path, str], tmp_path: Path, m: int) -> None:
    method = Km(k=3, m=m, aim="words")
    how = Preparation.default_for(method).choosing(taxonomy=few[1])
    release_on_cluster([str(few[0])], how, method, Target(tmp_path / "out"), "local[2]")


@pytest.mark.parametrize(
    ("step", "change", "told"),
    [
        ("published", lambda made: made.limit(4), "lost or added"),
        ("published", lambda made: made.selectExpr("record", "array('bread') as items", "withheld"), "do not generalize"),
        ("published", lambda made: made.selectExpr("record", "array('all') as items", "withheld"), "above the floor"),
    ],
)
def test_records_that_were_changed_or_lost_are_refused(
    few: tuple[Path, str], tmp_path: Path, spoil: Any, step: str, change: Any, told: str
) -> None:
    spoil(step, change)
    with pytest.raises(GuaranteeNotMet, match=told) as found:
        made(few, tmp_path, m=1)
    assert SECRET not in str(found.value)
    assert [entry.name for entry in tmp_path.iterdir()] == ["log.tsv"]


def test_rare_pairs_that_are_overlooked_end_the_command_with_exit_code_3(
    few: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(RecordsOnCluster, "rare_of_size", lambda self, sought, found: (np.zeros(len(self.numbering), np.int64), None))
    asked = ["anonymize", str(few[0]), "--taxonomy", few[1], "--method", "km", "--aim", "words", "--k", "3", "--out", str(tmp_path / "out")]
    assert run([*asked, "--engine", "spark", "--master", "local[2]"]) == 3
    told = capsys.readouterr().err
    assert "fails km-anonymity" in told
    assert SECRET not in told
    assert [entry.name for entry in tmp_path.iterdir()] == ["log.tsv"]


def test_more_rare_sets_than_the_driver_holds_are_refused(few: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(itemsets, "MOST_MOLES", 0)
    with pytest.raises(Infeasible, match="1 set of 2 items is shared by fewer than 3 people"):
        made(few, tmp_path, m=2)
    assert [entry.name for entry in tmp_path.iterdir()] == ["log.tsv"]


@pytest.mark.parametrize(
    ("method", "said"),
    [
        (Km(), {}),
        (Km(aim="words", m=4), {}),
        (Km(aim="words"), {"taxonomy": "none"}),
        (Km(aim="words"), {"scope": "whole"}),
    ],
    ids=["loss", "m", "no taxonomy", "whole taxonomy"],
)
def test_what_is_for_one_machine_is_refused(method: Method, said: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="one machine"):
        release_on_cluster(["x.tsv"], Preparation.default_for(method).choosing(**said), method, Target(tmp_path / "out"), "local[2]")
    assert not list(tmp_path.iterdir())
