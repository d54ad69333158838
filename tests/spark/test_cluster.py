"""A standalone cluster of two workers, which the test starts: the same records, also where a worker is killed in the middle of a run."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.engines import plan
from shoal.methods.shoal import Shoal

PEOPLE = 2000
SMALLEST = 300
SHORT_RUNS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # Java compiles no more than short runs need
PATIENCE = 900  # seconds, on a machine that many use
PROGRAM = f"from shoal.engines import plan; plan.SMALLEST_RANGE = {SMALLEST}; from shoal.app.cli.start import main; main()"


def environment() -> dict[str, str]:
    paths = os.pathsep.join([str(Path(shoal.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    said = {"PYSPARK_PYTHON": sys.executable, "PYTHONPATH": paths, "SPARK_LOCAL_IP": "127.0.0.1", "JAVA_TOOL_OPTIONS": SHORT_RUNS}
    return os.environ | said


def spark_class(name: str, *arguments: str, place: Path) -> subprocess.Popen[bytes]:
    """A process of Spark's, in a session of its own, so that it ends together with all that it starts."""
    import pyspark

    program = Path(pyspark.__file__).parent / "bin" / "spark-class"
    with (place / f"{name.rpartition('.')[2]}.log").open("ab") as out:
        return subprocess.Popen([program, name, *arguments], stdout=out, stderr=out, env=environment(), cwd=place, start_new_session=True)


def end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def wait_for(what: str, found: object) -> None:
    started = time.monotonic()
    while not found():  # type: ignore[operator]
        assert time.monotonic() - started < PATIENCE, f"no {what} in time"
        time.sleep(0.2)


@pytest.fixture
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The address of a master and its two workers, each with one core."""
    place = tmp_path_factory.mktemp("cluster")
    port = free_port()
    address = f"spark://127.0.0.1:{port}"
    running = [
        spark_class("org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0", place=place)
    ]
    workers = []
    try:
        for number in (1, 2):
            work = place / f"worker{number}"
            work.mkdir()
            options = ("--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--webui-port", "0", "--work-dir", str(work))
            workers.append(spark_class("org.apache.spark.deploy.worker.Worker", *options, address, place=work))
        wait_for("master", lambda: b"Registering worker" in (place / "Master.log").read_bytes())
        yield address, workers
    finally:
        for process in (*workers, *running):
            end(process)


def records_in(directory: Path) -> Counter[tuple[str, ...]]:
    return Counter(tuple(items) for items in pl.read_parquet(directory / "records*.parquet")["items"].to_list())


def test_a_worker_that_is_killed_changes_nothing(
    cluster: tuple[str, list[subprocess.Popen[bytes]]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, workers = cluster
    log, out = tmp_path / "log.tsv", tmp_path / "there"
    shoal.generate(users=PEOPLE, seed=6).write_csv(log, separator="\t")
    said = ["anonymize", str(log), "--out", str(out), "--k", "5", "--effort", "fast", "--engine", "spark", "--master", address]
    run = subprocess.Popen([sys.executable, "-c", PROGRAM, *said], env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        wait_for("stored step", lambda: run.poll() is not None or list(tmp_path.glob(".*/work/records/_SUCCESS")))
        assert run.poll() is None, run.communicate()[0].decode()
        end(workers[0])
        told = run.communicate(timeout=PATIENCE)[0].decode()
    finally:
        run.kill()
    assert run.returncode == 0, told
    assert "verified and written" in told
    monkeypatch.setattr(plan, "SMALLEST_RANGE", SMALLEST)
    shoal.anonymize(log, Shoal(k=5, effort="fast")).write(tmp_path / "here")
    assert records_in(out) == records_in(tmp_path / "here")
    assert {entry.name for entry in tmp_path.iterdir()} == {"log.tsv", "there", "here"}


def test_a_cluster_without_workers_is_one_line_and_nothing_is_left(
    cluster: tuple[str, list[subprocess.Popen[bytes]]], tmp_path: Path
) -> None:
    address, workers = cluster
    log = tmp_path / "log.tsv"
    shoal.generate(users=PEOPLE, seed=6).write_csv(log, separator="\t")
    said = ["anonymize", str(log), "--out", str(tmp_path / "there"), "--engine", "spark", "--master", address]
    program = f"from shoal.engines import spark; spark.SECONDS_WITHOUT_WORKERS = 15; {PROGRAM}"
    run = subprocess.Popen([sys.executable, "-c", program, *said], env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        wait_for("unfinished directory", lambda: run.poll() is not None or list(tmp_path.glob(".*/work")))
        for worker in workers:
            end(worker)
        told = run.communicate(timeout=PATIENCE)[0].decode()
    finally:
        run.kill()
    assert run.returncode == 1, told
    assert "the cluster has no workers" in told
    assert "Traceback" not in told
    assert {entry.name for entry in tmp_path.iterdir()} == {"log.tsv"}
