"""Jobs in processes of their own: cancelled at random moments, two at once, and a server that is killed and started again."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2 as httpx
import pytest

from helpers.cli import clean_environment
from helpers.rotation import current_turn
from helpers.studio import CHANGE, Visitor, baskets_csv, records, unzipped, visited, wait_for
from shoal.io.studio_folder import read_events
from shoal.studio.open_pages import sample_path
from shoal.studio.processes import WORKER, Processes
from shoal.studio.states import CANCELLED, DONE, INTERRUPTED, PUBLISH, RUNNING
from shoal.studio.worker import LOWER_PRIORITY

LONGEST = 4.0  # seconds until the release of the sample is cancelled


def begin(visitor: Visitor, path: Path, method: str, **settings: str) -> str:
    """Start a release in a process of its own."""
    task = {"name": path.name, "path": str(path), "typed": path.name, "origin": "path", "protects": "x", "expected": "x"}
    folder = visitor.studio.store.add_job(PUBLISH, **task, method=method, options={}, settings=settings)
    assert visitor.client.portal is not None
    visitor.client.portal.call(visitor.studio.processes.start, folder)
    return f"/jobs/{folder.name}"


@pytest.mark.parametrize("moment", range(5))
def test_a_job_that_is_cancelled_at_any_moment_leaves_nothing(tmp_path: Path, moment: int) -> None:
    seconds = random.Random(5 * current_turn() + moment).uniform(0, LONGEST)
    with visited(tmp_path, processes=Processes(1)) as found:
        job = begin(found, sample_path("queries"), "shoal", k="5")
        time.sleep(seconds)
        found.post(f"{job}/cancel")
        state = wait_for(found, job)
        folder = found.studio.store.folder.path / "jobs" / job.rpartition("/")[2]
        left = {path.name for path in folder.iterdir()}
        assert state in {CANCELLED, DONE}, f"after {seconds:.2f} s"
        assert state == DONE or left <= {"job.toml", "events.jsonl"}, f"after {seconds:.2f} s"
        assert (found.get(f"{job}/release.zip").status_code == 200) == (state == DONE)


def test_a_job_gives_way_to_the_server(tmp_path: Path) -> None:
    with visited(tmp_path, processes=Processes(1)) as found:
        job = begin(found, sample_path("queries"), "shoal", k="5")
        end, lower = time.monotonic() + 60, os.getpriority(os.PRIO_PROCESS, 0) + LOWER_PRIORITY
        while lower not in [os.getpriority(os.PRIO_PROCESS, one.pid) for one in found.studio.processes._running.values()]:
            assert time.monotonic() < end, "it has the priority of the server"
            time.sleep(0.01)
        found.post(f"{job}/cancel")
        wait_for(found, job)


def test_two_jobs_at_once_make_what_each_makes_alone(tmp_path: Path) -> None:
    path = tmp_path / "b.csv"
    path.write_text(baskets_csv())
    with visited(tmp_path, processes=Processes(2)) as found:
        jobs = [begin(found, path, "coherence", k="3", p="1"), begin(found, path, "coherence", k="3", p="1")]
        end = time.monotonic() + 60
        while list(found.studio.processes.alive.values()) != [RUNNING, RUNNING]:
            assert time.monotonic() < end, "they do not run at the same time"
            time.sleep(0.01)
        assert [wait_for(found, job) for job in jobs] == [DONE, DONE]
        one, two = (records(unzipped(found, job, tmp_path / str(n))) for n, job in enumerate(jobs))
    assert one == two


def test_a_worker_whose_task_is_done_ends_without_a_fault(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text(baskets_csv())
    (tmp_path / "job.toml").write_text(f'kind = "look"\nname = "b.csv"\npath = "{tmp_path / "b.csv"}"\n')
    with subprocess.Popen([sys.executable, "-m", WORKER], stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(bytes(tmp_path) + b"\n")
        process.stdin.flush()  # it stays open, as that of a server does
        assert (process.wait(60), process.stderr.read()) == (0, b"")


@dataclass
class Served:
    """A client with a session at a server."""

    client: httpx.Client
    here: str
    change: str
    first: str

    def post(self, path: str, **fields: str) -> httpx.Response:
        return self.client.post(path, data={"change": self.change, **fields}, headers={"origin": self.here})


@contextmanager
def served(keep: Path | None, *options: str, **variables: str) -> Iterator[Served]:
    """A server as a user starts it, which is killed at the end."""
    words = [sys.executable, "-m", "shoal", "studio", "--no-browser", *([] if keep is None else ["--keep", str(keep)]), *options]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=clean_environment() | variables) as process:
        try:
            assert process.stdout is not None
            # The first line may be about unfinished jobs, if their workers did not end by themselves.
            address = next(line for line in process.stdout if "?token=" in line).split()[-1]
            here = address.partition("/?")[0]
            with httpx.Client(base_url=here, follow_redirects=True, timeout=90) as client:
                page = client.get(address)
                yield Served(client, here, CHANGE.search(page.text)[1], page.url.path)  # type: ignore[index]
        finally:
            process.kill()


def test_a_server_that_is_killed_and_started_again_marks_its_jobs(tmp_path: Path) -> None:
    with served(tmp_path / "kept", "--demo") as first:
        source = first.first
        assert source.startswith("/sources/")  # the sample is open
        first.post(f"{source}/confirm", people="yes")
        begun = first.post(f"{source}/advise", goal="baskets", k="5", seconds="600", knows="1")
        assert "Trying routes" in begun.text
    with served(tmp_path / "kept") as second:
        job = str(begun.url).rpartition("job=")[2]
        assert read_events(tmp_path / "kept" / "jobs" / job)[0][-1]["state"] == INTERRUPTED
        assert second.client.get(source).status_code == 200
        assert "interrupted" in second.client.get(f"{source}/choose?job={job}").text


def test_a_studio_removes_the_temporary_folder_of_one_that_was_killed(tmp_path: Path) -> None:
    def folders() -> list[str]:
        return [path.name for path in tmp_path.iterdir() if "shoal-studio" in path.name]

    with served(None, "--demo", TMPDIR=str(tmp_path)) as first:
        (killed,) = folders()
        assert (tmp_path / killed).stat().st_mode & 0o077 == 0
        assert first.first.startswith("/sources/")
    assert folders() == [killed]
    with served(None, TMPDIR=str(tmp_path)):
        assert len(folders()) == 1
        assert killed not in folders()
