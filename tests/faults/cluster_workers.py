"""Releases on a Spark cluster of two workers, one of which is killed and replaced every 30 seconds until the run ends.

The run must succeed, publish the records of a run without Spark, pass an audit, and leave nothing behind.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import shoal
from faults.trials import RELEASE, Trial
from helpers.cli import clean_environment
from helpers.cluster import PATIENCE, SHORT_RUNS, Standalone, end, standalone
from helpers.spark import published_in

PEOPLE, K = 20_000, "5"
BETWEEN_KILLS = 30.0  # seconds
METHODS: list[list[str]] = [
    ["--method", "shoal", "--effort", "fast"],
    ["--method", "threshold", "--unit", "term"],
    ["--method", "clump"],
    ["--method", "coherence", "--p", "1", "--per", "event"],
    ["--method", "km", "--m", "1", "--aim", "words"],
]
SHOAL = [sys.executable, "-m", "shoal"]
LOG = "log.tsv"


def worker_trials(seed: int, place: Path) -> Iterator[Trial]:
    """Trials without end, each of them one release on one cluster."""
    rng = random.Random(f"workers {seed}")
    (place / "cluster").mkdir(parents=True)
    with standalone(place / "cluster", java=SHORT_RUNS) as cluster:
        for number in count(seed * 10**9):
            method = METHODS[number % len(METHODS)]
            cluster.renew()
            yield _trial(number, method, place / str(number), cluster, rng)


def _trial(number: int, method: list[str], place: Path, cluster: Standalone, rng: random.Random) -> Trial:
    """A release of a log of its own, with workers killed, and what is wrong with it."""
    here, reference, temporary = (place / name for name in ("here", "reference", "tmp"))
    for path in (here, reference, temporary):
        path.mkdir(parents=True)
    generated = [*SHOAL, "generate", str(here / LOG), "--users", str(PEOPLE), "--seed", str(number)]
    subprocess.run(generated, check=True, capture_output=True, env=clean_environment())
    asked = [*SHOAL, "anonymize", str(here / LOG), *method, "--k", K, "--out"]
    subprocess.run([*asked, str(reference / RELEASE)], check=True, capture_output=True, env=clean_environment())
    on_spark = [*asked, str(here / RELEASE), "--engine", "spark", "--master", cluster.address]
    environment = cluster.environment(TMPDIR=str(temporary), SHOAL_ADVICE="0", SHOAL_PROGRESS="off")
    trial = Trial(number, method[1], "kill", "", False, "workers of Spark")
    began = time.monotonic()
    with (place / "screen.txt").open("wb") as screen:
        run = subprocess.Popen(on_spark, env=environment, stdout=screen, stderr=screen, start_new_session=True)
        try:
            kills = _kill_workers(run, cluster, rng)
        finally:
            end(run)
    trial.code, trial.hit = run.returncode, kills > 0
    trial.place = f"{kills} workers killed in {time.monotonic() - began:.0f} s"
    told = (place / "screen.txt").read_text(encoding="utf-8")
    trial.message = (told.splitlines() or [""])[-1]
    if run.returncode:
        trial.wrong.append(f"exit code {run.returncode}: {told[-600:]}")
    else:
        trial.wrong += wrong_records(here, reference) + failing_audit(here)
    trial.wrong += left_behind(here, temporary)
    return trial


def _kill_workers(run: subprocess.Popen[bytes], cluster: Standalone, rng: random.Random) -> int:
    """Kill and replace a worker again and again until the run ends; how many were killed."""
    began, pause, kills = time.monotonic(), rng.uniform(0, BETWEEN_KILLS), 0
    while True:
        try:
            run.wait(pause)
        except subprocess.TimeoutExpired:
            if time.monotonic() - began > PATIENCE:
                return kills
            end(rng.choice(cluster.workers))
            cluster.renew()
            kills, pause = kills + 1, BETWEEN_KILLS
        else:
            return kills


def left_behind(here: Path, temporary: Path) -> list[str]:
    """Whether anything but the input and the release is there."""
    others = {path.name for path in here.iterdir()} - {LOG, RELEASE} | {path.name for path in temporary.iterdir()}
    return [f"left behind: {sorted(others)}"] if others else []


def wrong_records(here: Path, reference: Path) -> list[str]:
    """Whether the records differ from those of a run without Spark."""
    if published_in(here / RELEASE) == published_in(reference / RELEASE):
        return []
    return ["the records are not those of a run without Spark"]


def failing_audit(here: Path) -> list[str]:
    """Whether an audit of the release with the original does not hold."""
    found = shoal.audit(here / RELEASE, original=here / LOG)
    return [] if found.holds else [f"the audit: {found}"]
