"""Topics on Spark: learned from a sample of people on the driver, with names judged over all people; the same release as on one machine."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import shoal
from helpers.spark import compared, records_in, release_on_cluster
from shoal.engines import ranges
from shoal.errors import GuaranteeNotMet
from shoal.methods.shoal import Shoal
from shoal.pipeline.options import Preparation, Target
from shoal.taxonomy import learned

pytestmark = pytest.mark.usefixtures("session")
METHOD = Shoal(k=3, effort="fast")
PEOPLE, SAMPLE = 600, 250


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("log") / "log.tsv"
    shoal.generate(users=PEOPLE, seed=4).write_csv(place, separator="\t")
    return place


def test_the_same_release_as_on_one_machine(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Learned from a sample; the judge counts all people."""
    monkeypatch.setattr(ranges, "SMALLEST_RANGE", 300)
    told = compared(log, tmp_path, METHOD, taxonomy=f"topics:8:{SAMPLE}")
    assert told["input"]["taxonomy"] == f"topics:8:{SAMPLE}"
    assert told["input"]["learned_from"] == "sessions"
    assert [claim["model"] for claim in told["claims"]] == ["k-anonymity(k=3)", "node-names(people=8)"]
    assert told["claims"][1]["achieved"]["people"] >= 8
    assert any(" / " in item for record in records_in(tmp_path / "there") for item in record)
    audited = shoal.audit(tmp_path / "there", original=log)  # which learns the topics again, from the same people
    assert audited.holds
    assert not audited.unchecked


def test_renamed_people_and_other_files_change_nothing(log: Path, tmp_path: Path) -> None:
    frame = pl.read_csv(log, separator="\t", infer_schema=False)
    renamed = frame.with_columns(("u" + pl.col("AnonID").str.reverse()).alias("AnonID")).sort("QueryTime", "Query", "AnonID")
    half = len(renamed) // 2
    renamed[:half].write_csv(tmp_path / "one.tsv", separator="\t")
    renamed[half:].write_csv(tmp_path / "two.tsv", separator="\t")
    how = Preparation.default_for(METHOD).choosing(taxonomy=f"topics:8:{SAMPLE}")
    release_on_cluster([str(log)], how, METHOD, Target(tmp_path / "whole"))
    release_on_cluster([str(tmp_path / "one.tsv"), str(tmp_path / "two.tsv")], how, METHOD, Target(tmp_path / "parts"))
    assert records_in(tmp_path / "whole") == records_in(tmp_path / "parts")


def test_a_name_of_a_word_of_few_people_is_found(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The learner is made to name topics by words of two people; the judge counts all people, and nothing is written."""
    learn = learned.learn_topics
    monkeypatch.setattr("shoal.pipeline.prepare.learn_topics", lambda contexts, fewest, wider: learn(contexts, 2, wider))
    how = Preparation.default_for(METHOD).choosing(taxonomy="topics:40")
    with pytest.raises(GuaranteeNotMet, match="used by fewer than 40 people"):
        release_on_cluster([str(log)], how, METHOD, Target(tmp_path / "out"))
    assert not list(tmp_path.iterdir())
