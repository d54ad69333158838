"""A job reports its stages, can be cancelled from another thread, and owns its outputs."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.auditing.earlier_releases import Series
from shoal.errors import Cancelled, OutputError, ShoalError
from shoal.evaluate.attack.before_release import PlannedAttacks, release_checks
from shoal.io.partial_outputs import is_named_like_one
from shoal.methods import METHODS
from shoal.pipeline.events import STAGES, Cancel, Events
from shoal.pipeline.job import Done, Job
from shoal.pipeline.options import Preparation, Target

TREE = {"Goods": {"Food": ["Apple", "Milk"], "Drinks": ["Beer", "Wine"]}}


class Recorded(Events):
    """Keeps what a job reports, and calls a function at each stage and each progress."""

    def __init__(self, at: Callable[[str], None] = lambda name: None) -> None:
        self.stages: list[tuple[str, int, int]] = []
        self.labels: set[str] = set()
        self.notes: list[str] = []
        self.warnings: list[str] = []
        self._at = at

    def stage(self, name: str, index: int, count: int) -> None:
        self.stages.append((name, index, count))
        self._at(name)

    def progress(self, label: str, done: int, total: int, remark: str = "") -> None:
        self.labels.add(label)
        self._at(label)

    def note(self, line: str) -> None:
        self.notes.append(line)

    def warn(self, line: str) -> None:
        self.warnings.append(line)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("log") / "queries.tsv"
    shoal.generate(users=300, seed=3).write_csv(place, separator="\t")
    return place


def job_of(log: Path, target: Path | None = None, method: str = "clump", **more: Any) -> Job:
    chosen = METHODS[method](**more)
    return Job(log, chosen, Preparation.default_for(chosen), target=None if target is None else Target(target))


def unfinished(place: Path) -> list[str]:
    return sorted(entry.name for entry in place.iterdir() if is_named_like_one(entry))


def test_all_stages_are_reported_in_their_order(log: Path, tmp_path: Path) -> None:
    events = Recorded()
    done = job_of(log, tmp_path / "release").run(events)
    assert [name for name, _, _ in events.stages] == list(STAGES)
    assert [(index, count) for _, index, count in events.stages] == [(n, len(STAGES)) for n in range(1, len(STAGES) + 1)]
    assert any("format querylog" in line for line in events.notes)
    assert done.manifest is not None
    assert (tmp_path / "release" / "manifest.json").exists()


def test_an_attack_that_prepares_the_data_again_begins_no_stage_anew(tmp_path: Path) -> None:
    baskets = tmp_path / "baskets.txt"
    baskets.write_text("Apple Milk\nBeer Apple Milk\nMilk\n" * 8)
    (tmp_path / "goods.json").write_text(json.dumps(TREE))
    events = Recorded()
    chosen = METHODS["clump"](k=3)
    how = Preparation.default_for(chosen).choosing(taxonomy=str(tmp_path / "goods.json"))
    Job(baskets, chosen, how, checks=release_checks(Series(()), PlannedAttacks.from_options("one-more-item", targets=5))).run(events)
    assert [index for _, index, _ in events.stages] == sorted(index for _, index, _ in events.stages)


def test_without_a_target_nothing_is_written(log: Path, tmp_path: Path) -> None:
    events = Recorded()
    done = job_of(log).run(events)
    assert done.manifest is None
    assert [name for name, _, _ in events.stages] == list(STAGES)[:5]
    assert done.judged.verdicts[0].holds


@pytest.mark.parametrize("stage", STAGES)
def test_a_job_cancelled_at_a_stage_leaves_nothing(log: Path, tmp_path: Path, stage: str) -> None:
    cancel = Cancel()
    events = Recorded(lambda name: cancel.cancel() if name == stage else None)
    with pytest.raises(Cancelled):
        job_of(log, tmp_path / "release").run(events, cancel)
    assert events.stages[-1][0] == stage
    assert list(tmp_path.iterdir()) == []


def test_a_job_that_was_cancelled_before_it_began_reads_nothing(tmp_path: Path) -> None:
    cancel = Cancel()
    cancel.cancel()
    with pytest.raises(Cancelled):
        job_of(tmp_path / "missing.tsv", tmp_path / "release").run(None, cancel)


def test_three_jobs_in_one_process_end_each_for_itself(log: Path, tmp_path: Path) -> None:
    """One is cancelled and one fails while the third has begun to write: the third is right, and nothing is left of the others."""
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").write_text("not a release")
    writing, ended = threading.Event(), threading.Event()
    cancel, answers = Cancel(), {}

    def wait_for_the_others(name: str) -> None:
        if name == "reading back":
            writing.set()
            assert ended.wait(60)

    def run(name: str, job: Job, events: Events | None = None, stop: Cancel | None = None) -> None:
        try:
            answers[name] = job.run(events, stop)
        except ShoalError as error:
            answers[name] = error

    third = threading.Thread(target=run, args=("third", job_of(log, tmp_path / "third"), Recorded(wait_for_the_others)))
    third.start()
    assert writing.wait(60)
    assert len(unfinished(tmp_path)) == 1
    run("failing", job_of(log, tmp_path / "taken"))
    late = Recorded(lambda name: cancel.cancel() if name == "reading back" else None)
    run("cancelled", job_of(log, tmp_path / "cancelled"), late, cancel)
    assert len(unfinished(tmp_path)) == 1  # that of the third, which goes on
    ended.set()
    third.join(60)
    assert isinstance(answers["failing"], OutputError)
    assert isinstance(answers["cancelled"], Cancelled)
    assert isinstance(answers["third"], Done)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["taken", "third"]
    assert shoal.audit(tmp_path / "third").holds


@pytest.mark.parametrize("method", ["shoal", "km", "coherence"])
def test_cancelling_at_random_moments_takes_a_second_at_most(log: Path, tmp_path: Path, method: str) -> None:
    begun = time.monotonic()
    job_of(log, tmp_path / "whole", method).run()
    whole = time.monotonic() - begun
    for moment in (0.15, 0.4, 0.65, 0.9):
        cancel, cancelled_at = Cancel(), [0.0]

        def stop(cancel: Cancel = cancel, cancelled_at: list[float] = cancelled_at) -> None:
            cancelled_at[0] = time.monotonic()
            cancel.cancel()

        timer = threading.Timer(whole * moment, stop)
        timer.start()
        try:
            job_of(log, tmp_path / "part", method).run(None, cancel)
        except Cancelled:
            assert time.monotonic() - cancelled_at[0] < 1.0 + whole / 10
            assert sorted(entry.name for entry in tmp_path.iterdir()) == ["whole"]
        else:  # it was faster this time
            for file in (tmp_path / "part").iterdir():
                file.unlink()
            (tmp_path / "part").rmdir()
        timer.join()


def test_python_can_watch_and_cancel() -> None:
    rows = pl.DataFrame({"user": ["a", "b"], "item": ["Beer", "Beer"]})
    events = Recorded()
    result = shoal.anonymize(rows, k=2, taxonomy=TREE, events=events)
    assert [name for name, _, _ in events.stages] == list(STAGES)[:5]
    assert result.verdicts[0].holds
    cancel = shoal.Cancel()
    cancel.cancel()
    with pytest.raises(shoal.Cancelled):
        shoal.anonymize(rows, k=2, taxonomy=TREE, cancel=cancel)


def test_a_result_without_its_original(tmp_path: Path) -> None:
    result = shoal.anonymize([["Apple", "Milk"], ["Apple", "Milk"], ["Beer"], ["Beer"]], k=2, taxonomy=TREE)
    light = result.without_original()
    assert light.release.secret is None
    assert light._judged is None
    assert dict(light.manifest) == dict(result.manifest)
    assert light.report() == result.report()
    written, again = (one.write(tmp_path / name) for one, name in ((result, "whole"), (light, "light")))
    assert {key: written[key] for key in written if key not in {"files", "sha256"}} == {
        key: again[key] for key in again if key not in {"files", "sha256"}
    }
    assert shoal.audit(tmp_path / "light").holds
