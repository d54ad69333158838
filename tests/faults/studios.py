"""A studio, as a user starts it, whose server or whose job gets a signal at a random moment while a release is published.

The release must be complete or not exist, the job must say how it ended, and the next studio in the same folder must work.
"""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import httpx2 as httpx

from faults.trials import SIGNALS, Trial
from helpers.checker import Release
from helpers.cli import clean_environment
from helpers.studio import CHANGE, baskets_csv
from shoal.io.partial_outputs import is_named_like_one
from shoal.io.studio_folder import read_events
from shoal.studio.states import CRASHED, DONE, INTERRUPTED

SERVER, WORKER = "studio", "job of a studio"
LONGEST_MOMENT, PATIENCE = 3.0, 60.0  # seconds until the signal, and until everything has ended
LEFT = {"job.toml", "events.jsonl", "private.html"}  # of a job that did not come to its end; the page is for its user alone


class Studio:
    """A server in a process of its own, with a folder that is kept, and a client with a session."""

    def __init__(self, place: Path) -> None:
        self.keep, self.temporary = place / "kept", place / "tmp"
        self.temporary.mkdir(exist_ok=True)
        words = [sys.executable, "-m", "shoal", "studio", "--no-browser", "--keep", str(self.keep), "--root", str(place)]
        environment = clean_environment() | {"TMPDIR": str(self.temporary)}
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        assert self.process.stdout is not None
        address = next(line for line in self.process.stdout if "?token=" in line).split()[-1]
        self.here = address.partition("/?")[0]
        self.client = httpx.Client(base_url=self.here, follow_redirects=True, timeout=PATIENCE)
        self.change = CHANGE.search(self.client.get(address).text)[1]  # type: ignore[index]

    def post(self, address: str, /, **fields: str) -> httpx.Response:
        """Send a form."""
        answer = self.client.post(address, data={"change": self.change, **fields}, headers={"origin": self.here})
        answer.raise_for_status()
        return answer

    def jobs(self) -> list[int]:
        """The processes of its jobs, busy or waiting."""
        found = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text(encoding="utf-8")
        return [int(word) for word in found.split()]

    def end(self) -> int:
        """Interrupt it, and wait for its end."""
        self.client.close()
        with suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)


def studio_trials(seed: int, place: Path) -> Iterator[Trial]:
    """Trials without end, in one folder."""
    rng = random.Random(f"studio {seed}")
    place.mkdir()
    (place / "baskets.csv").write_text(baskets_csv(), encoding="utf-8")
    studio = Studio(place)
    address = studio.post("/open/path", path="baskets.csv").url.path
    _wait(lambda: 'id="people"' in studio.client.get(address).text)
    studio.post(f"{address}/confirm", people="yes")
    page = studio.post(f"{address}/advise", goal="baskets", k="4", seconds="20", knows="1").url
    found: list[str] = []
    _wait(lambda: bool(found.extend(re.findall(r'name="job" value="([^"]+)"', studio.client.get(str(page)).text)) or found))
    numbers = count(seed * 10**9)
    try:
        while True:
            for fault in rng.sample([*SIGNALS, "kill"], len(SIGNALS) + 1):
                trial = Trial(next(numbers), "", fault, "", False, rng.choice([SERVER, SERVER, WORKER]))
                job = studio.post(f"{address}/publish", job=found[0], route="0", **{"route-goal": "baskets"}, attack="yes").url.path
                studio = _signalled(studio, trial, place, place / "kept" / "jobs" / job.rpartition("/")[2], rng)
                yield trial
    finally:
        studio.end()


def _signalled(studio: Studio, trial: Trial, place: Path, folder: Path, rng: random.Random) -> Studio:
    """Send the signal, and examine what is left; the studio that goes on."""
    moment = rng.uniform(0, LONGEST_MOMENT)
    trial.place = f"after {moment:.3f} s"
    time.sleep(moment)
    if trial.command == SERVER:
        jobs = studio.jobs()
        os.kill(studio.process.pid, SIGNALS[trial.fault])
        trial.code = studio.process.wait(PATIENCE)
        studio.client.close()
        _wait(lambda: not any(Path(f"/proc/{job}").exists() for job in jobs))
        if trial.fault != "kill":
            trial.wrong += [] if trial.code in {0, 1, 130} else [f"exit code {trial.code}"]
            trial.wrong += [] if "Traceback" not in studio.process.stderr.read() else ["a traceback"]  # type: ignore[union-attr]
        studio = Studio(place)
    else:
        for job in studio.jobs():  # also the one that waits for the next task
            with suppress(ProcessLookupError):
                os.kill(job, SIGNALS[trial.fault])
    _wait(lambda: any(event.get("event") == "end" for event in read_events(folder)[0]))
    trial.wrong += _left(studio, trial, folder)
    return studio


def _left(studio: Studio, trial: Trial, folder: Path) -> list[str]:
    """What is wrong with the job and its files."""
    state = read_events(folder)[0][-1].get("state")
    trial.hit, trial.code, trial.message = state != DONE, int(state != DONE), str(state)
    names = {path.name for path in folder.iterdir()}
    wrong = [] if state in {DONE, INTERRUPTED, CRASHED} else [f"the job ended as {state}"]
    if state == DONE:
        wrong += _incomplete(folder / "release")
    elif not names <= LEFT:
        wrong.append(f"left behind: {sorted(names - LEFT)}")
    wrong += [
        f"others may read {path.name}"
        for path in folder.rglob("*")
        if path.stat().st_mode & 0o077 and (folder / "release") not in path.parents
    ]
    wrong += [
        f"{path.name} is left in the directory for temporary files" for path in studio.temporary.iterdir() if not is_named_like_one(path)
    ]
    if studio.client.get(f"/jobs/{folder.name}").status_code != 200:
        wrong.append("the page of the job does not open")
    return wrong


def _incomplete(release: Path) -> list[str]:
    """Whether the files of a release are those that its manifest lists."""
    listed = {fact["name"] for fact in Release.read(release).manifest["files"]}
    missing = listed - {path.name for path in release.iterdir()}
    return [f"{', '.join(sorted(missing))} is missing in the release"] if missing else []


def _wait(done: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not done():
        if time.monotonic() > end:
            raise TimeoutError("the studio does not get there")
        time.sleep(0.02)
