"""A job on Spark reports the stages and the progress of any job, and can be cancelled: nothing is left behind."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from shoal.cluster.run import SparkBackend
from shoal.errors import Cancelled
from shoal.methods import METHODS
from shoal.pipeline.events import STAGES, Cancel, Events
from shoal.pipeline.job import Job
from shoal.pipeline.options import Preparation, Target

LIMIT = 30.0  # seconds, on a machine that many use; ending the session takes part of them


class Recorded(Events):
    """Keeps the stages, and cancels at one of them."""

    def __init__(self, cancel: Cancel | None = None, at: str = "") -> None:
        self.stages: list[str] = []
        self.labels: set[str] = set()
        self.since = 0.0
        self._cancel, self._at = cancel, at

    def stage(self, name: str, index: int, count: int) -> None:
        assert (name, count) == (STAGES[index - 1], len(STAGES))
        self.stages.append(name)

    def progress(self, label: str, done: int, total: int, remark: str = "") -> None:
        self.labels.add(label)
        if self._cancel is not None and self.stages and self.stages[-1] == self._at and not self._cancel.cancelled:
            self.since = time.monotonic()
            self._cancel.cancel()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    place = tmp_path / "log.tsv"
    place.write_text("user\tquery\n" + "".join(f"p{who}\t{word}\n" for who in range(12) for word in ("milk", "bread")[: 1 + who % 2]))
    return place


def job_of(log: Path, method: str, **parameters: Any) -> Job:
    chosen = METHODS[method](**parameters)
    return Job([log], chosen, Preparation.default_for(chosen), target=Target(log.parent / "out"))


@pytest.mark.parametrize("method", ["clump", "threshold"])
def test_all_stages_are_reported_in_order(session: Any, log: Path, method: str) -> None:
    events = Recorded()
    made = job_of(log, method, k=3).run_on(SparkBackend("local[2]"), events)
    assert tuple(events.stages) == STAGES
    assert events.labels
    assert made.manifest["engine"] == "spark"
    assert all(verdict.holds for verdict in made.verdicts)


def test_a_cancelled_job_leaves_nothing(session: Any, log: Path) -> None:
    cancel, stage = Cancel(), "grouping"
    events = Recorded(cancel, stage)
    with pytest.raises(Cancelled):
        job_of(log, "coherence", k=3).run_on(SparkBackend("local[2]"), events, cancel)
    assert time.monotonic() - events.since < LIMIT
    assert events.stages[-1] == stage
    assert [entry.name for entry in log.parent.iterdir()] == [log.name]
