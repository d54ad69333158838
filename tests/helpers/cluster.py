"""A standalone cluster of Spark on this machine, whose workers can be ended and replaced: for tests and for benchmarks."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import shoal

PATIENCE = 900  # seconds, on a machine that many use
REGISTERED = b"Registering worker"
# Java compiles no more than short runs need, and does not check what Spark's own files hold: less than half of the processor time.
SHORT_RUNS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"


class Standalone:
    """A master and its workers, each with one core, and how programs find them."""

    def __init__(self, place: Path, memory: str = "1g", java: str = "") -> None:
        self.place, self.memory, self.java = place, memory, java
        self.workers: list[subprocess.Popen[bytes]] = []
        self.added = 0
        port = free_port()
        self.address = f"spark://127.0.0.1:{port}"
        said = ("--host", "127.0.0.1", "--port", str(port), "--webui-port", "0")
        self.master = self._started("org.apache.spark.deploy.master.Master", *said, place=place)

    def environment(self, **more: str) -> dict[str, str]:
        """That of every process of the cluster, and of programs that use it."""
        paths = os.pathsep.join([str(Path(shoal.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
        java = {"JAVA_TOOL_OPTIONS": self.java} if self.java else {}
        return os.environ | java | {"PYSPARK_PYTHON": sys.executable, "PYTHONPATH": paths, "SPARK_LOCAL_IP": "127.0.0.1"} | more

    def add_worker(self, **environment: str) -> None:
        """One worker more, once the master knows it."""
        self.added += 1
        work = self.place / f"worker{self.added}"
        work.mkdir()
        said = ("--host", "127.0.0.1", "--cores", "1", "--memory", self.memory, "--webui-port", "0", "--work-dir", str(work))
        self.workers.append(self._started("org.apache.spark.deploy.worker.Worker", *said, self.address, place=work, **environment))
        wait_for("worker", lambda: (self.place / "Master.log").read_bytes().count(REGISTERED) >= self.added)

    def renew(self, workers: int = 2) -> None:
        """Forget workers that were ended, and have so many again."""
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        while len(self.workers) < workers:
            self.add_worker()

    def end_workers(self) -> None:
        """Ends all workers; the master stays."""
        for worker in self.workers:
            end(worker)

    def _started(self, name: str, *said: str, place: Path, **environment: str) -> subprocess.Popen[bytes]:
        """A process of Spark's, in a session of its own, so that it ends together with all that it starts."""
        import pyspark

        program = Path(pyspark.__file__).parent / "bin" / "spark-class"
        with (place / f"{name.rpartition('.')[2]}.log").open("ab") as out:
            asked = [program, name, *said]
            return subprocess.Popen(asked, stdout=out, stderr=out, env=self.environment(**environment), cwd=place, start_new_session=True)

    def end(self) -> None:
        """Ends all processes of the cluster."""
        self.end_workers()
        end(self.master)


@contextmanager
def standalone(place: Path, workers: int = 2, memory: str = "1g", java: str = "") -> Iterator[Standalone]:
    """A cluster with so many workers."""
    cluster = Standalone(place, memory, java)
    try:
        cluster.renew(workers)
        yield cluster
    finally:
        cluster.end()


def end(process: subprocess.Popen[bytes]) -> None:
    """Ends a process and all that it started, without asking."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def free_port() -> int:
    """A port of this machine that nobody listens to."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def wait_for(what: str, found: Callable[[], object]) -> None:
    """Until something is found, but not for ever."""
    started = time.monotonic()
    while not found():
        assert time.monotonic() - started < PATIENCE, f"no {what} in time"
        time.sleep(0.2)
