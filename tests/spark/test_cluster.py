"""A standalone cluster of two workers, which the test starts: the same records, also where workers are killed in the middle of a run."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import shoal
from helpers.cluster import PATIENCE, SHORT_RUNS, Standalone, end, standalone, wait_for
from helpers.spark import published_in, records_in
from shoal.engines import ranges
from shoal.methods.shoal import Shoal

PEOPLE = 2000
SMALLEST = 300
PROGRAM = f"from shoal.engines import ranges; ranges.SMALLEST_RANGE = {SMALLEST}; from shoal.cli.start import main; main()"
IMPATIENT = f"from shoal.cluster import spark; spark.SECONDS_WITHOUT_WORKERS = 15; {PROGRAM}"
Step = tuple[str, Callable[[], None]]


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standalone]:
    with standalone(tmp_path_factory.mktemp("cluster"), java=SHORT_RUNS) as found:
        yield found


@pytest.fixture
def cluster(machines: Standalone) -> Standalone:
    """With two workers, whatever became of those of the test before."""
    machines.renew()
    return machines


def finished(cluster: Standalone, place: Path, program: str, *steps: Step, **environment: str) -> tuple[int, str]:
    """How a run ends, and what it tells, if something is done each time that something is found in its unfinished directory."""
    log = place / "log.tsv"
    shoal.generate(users=PEOPLE, seed=6).write_csv(log, separator="\t")
    said = ["anonymize", str(log), "--out", str(place / "there"), "--k", "5", "--effort", "fast"]
    asked = [sys.executable, "-c", program, *said, "--engine", "spark", "--master", cluster.address]
    run = subprocess.Popen(asked, env=cluster.environment(**environment), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        for found, action in steps:
            wait_for(found, lambda found=found: run.poll() is not None or list(place.glob(f".*/{found}")))
            assert run.poll() is None, run.communicate()[0].decode()
            action()
        told = run.communicate(timeout=PATIENCE)[0].decode()
    finally:
        run.kill()
    return run.returncode, told


def failed(place: Path, code: int, told: str) -> str:
    """The one line that is told of a run that failed as it should, with nothing left behind."""
    assert code == 1, told
    assert "Traceback" not in told
    assert {entry.name for entry in place.iterdir()} == {"log.tsv"}
    (line,) = [line for line in told.splitlines() if line.startswith("shoal: ")]
    return line


def same_as_on_one_machine(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranges, "SMALLEST_RANGE", SMALLEST)
    shoal.anonymize(place / "log.tsv", Shoal(k=5, effort="fast")).write(place / "here")
    assert records_in(place / "there") == records_in(place / "here")
    assert {entry.name for entry in place.iterdir()} == {"log.tsv", "there", "here"}


METHODS = [
    pytest.param(["--method", "clump"], id="clump"),
    pytest.param(["--method", "coherence", "--p", "2", "--per", "event"], id="coherence", marks=pytest.mark.slow),
    pytest.param(["--method", "threshold"], id="threshold", marks=pytest.mark.slow),
]


@pytest.mark.parametrize("method", METHODS)
def test_other_methods_publish_what_they_publish_on_one_machine(cluster: Standalone, tmp_path: Path, method: list[str]) -> None:
    log = tmp_path / "log.tsv"
    shoal.generate(users=PEOPLE, seed=6).write_csv(log, separator="\t")
    for place, more in (("here", []), ("there", ["--engine", "spark", "--master", cluster.address])):
        said = ["anonymize", str(log), *method, "--k", "5", "--out", str(tmp_path / place), *more]
        asked = [sys.executable, "-c", PROGRAM, *said]
        done = subprocess.run(asked, env=cluster.environment(), capture_output=True, timeout=PATIENCE, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    assert published_in(tmp_path / "there") == published_in(tmp_path / "here")


def test_a_worker_that_is_killed_changes_nothing(cluster: Standalone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, told = finished(cluster, tmp_path, PROGRAM, ("work/records/_SUCCESS", lambda: end(cluster.workers[0])))
    assert code == 0, told
    assert "verified and written" in told
    same_as_on_one_machine(tmp_path, monkeypatch)


@pytest.mark.slow
def test_a_replacement_is_all_that_is_left_after_two_were_killed(
    cluster: Standalone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def replace_one() -> None:
        end(cluster.workers[0])
        cluster.add_worker()

    steps = ("work/records/_SUCCESS", replace_one), ("work/published", lambda: end(cluster.workers[1]))
    code, told = finished(cluster, tmp_path, PROGRAM, *steps)
    assert code == 0, told
    same_as_on_one_machine(tmp_path, monkeypatch)


@pytest.mark.parametrize("first", [pytest.param("work/records/_SUCCESS", marks=pytest.mark.slow), "work"])
def test_both_workers_killed_in_turn_are_one_line_and_nothing_is_left(cluster: Standalone, tmp_path: Path, first: str) -> None:
    one, other = cluster.workers
    steps = (first, lambda: end(one)), ("work/records/_SUCCESS", lambda: end(other))
    assert "the cluster has had no workers" in failed(tmp_path, *finished(cluster, tmp_path, IMPATIENT, *steps))


@pytest.mark.slow
def test_a_cluster_without_workers_is_one_line_and_nothing_is_left(cluster: Standalone, tmp_path: Path) -> None:
    told = failed(tmp_path, *finished(cluster, tmp_path, IMPATIENT, ("work", cluster.end_workers)))
    assert "the cluster has had no workers" in told


def test_what_a_killed_driver_left_is_removed_by_the_next_run(cluster: Standalone, tmp_path: Path) -> None:
    """Its executors live on for a moment, and may write; they end before the directory is gone for good."""
    log = tmp_path / "log.tsv"
    shoal.generate(users=PEOPLE, seed=6).write_csv(log, separator="\t")
    said = [sys.executable, "-m", "shoal", "anonymize", str(log), "--out", str(tmp_path / "there"), "--method", "threshold", "--k", "5"]
    asked = [*said, "--engine", "spark", "--master", cluster.address]
    run = subprocess.Popen(asked, env=cluster.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        wait_for("rows", lambda: run.poll() is not None or list(tmp_path.glob(".*/work/rows")))
        assert run.poll() is None
    finally:
        end(run)
    (left,) = (entry.name for entry in tmp_path.iterdir() if entry != log)
    done = subprocess.run(said, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    assert f"{left}, left by a killed run, was removed" in done.stderr
    time.sleep(5)
    assert {entry.name for entry in tmp_path.iterdir()} == {"log.tsv", "there"}


@pytest.fixture
def cramped(cluster: Standalone, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standalone]:
    """Workers with room for what Spark keeps of itself, but not for shuffled rows."""
    place = tmp_path_factory.mktemp("disks")
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", place], check=False).returncode:
        pytest.skip("a small file system can be mounted by root alone")
    cluster.end_workers()
    for _ in range(2):
        cluster.add_worker(SPARK_LOCAL_DIRS=str(place))
    yield cluster
    cluster.end_workers()
    subprocess.run(["umount", "--lazy", place], check=True)  # a worker may hold a file open that it could not write


def test_no_room_for_shuffled_rows_is_one_line_and_nothing_is_left(cramped: Standalone, tmp_path: Path) -> None:
    assert "full" in failed(tmp_path, *finished(cramped, tmp_path, PROGRAM))
