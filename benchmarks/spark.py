"""Spark beside one machine: processor time, memory, loss and growth, as a table of ratios.

    python benchmarks/spark.py --people 20000 200000 --effort fast

Every run is a command of its own. Processor time is that of all its processes (the driver, Java, the Python workers), read from /proc, so
that other work on the machine does not count; memory is the largest that a process of each sort ever held.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import polars as pl

import shoal

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
NAP = 0.25


@dataclass(frozen=True)
class Cost:
    """What a command took."""

    seconds: float  # of processors
    wall: float
    driver: float  # MB
    java: float
    worker: float


def cost_of(arguments: list[str]) -> Cost:
    """Run the program and follow all processes of its session."""
    started = time.monotonic()
    run = subprocess.Popen(
        [sys.executable, "-m", "shoal", *arguments], start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    ticks: dict[int, int] = {}
    most: Counter[str] = Counter()
    while run.poll() is None:
        for pid, used, pages, sort in processes(run.pid):
            ticks[pid] = max(ticks.get(pid, 0), used)
            most[sort] = max(most[sort], pages * PAGE)
        time.sleep(NAP)
    assert run.stdout is not None
    if run.returncode:
        raise SystemExit(run.stdout.read().decode())
    megabytes = {sort: size / 1e6 for sort, size in most.items()}
    found = (megabytes.get(sort, 0.0) for sort in ("driver", "java", "worker"))
    return Cost(sum(ticks.values()) / TICKS, time.monotonic() - started, *found)


def processes(session: int) -> list[tuple[int, int, int, str]]:
    """The processes of a session: their numbers, the ticks they used, their pages, and what they are."""
    found = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = place.read_text().rpartition(")")[2].split()
            name = place.with_name("comm").read_text().strip()
        except OSError:
            continue
        if int(fields[3]) == session:
            pid = int(place.parent.name)
            sort = "driver" if pid == session else "java" if name == "java" else "worker"
            found.append((pid, int(fields[11]) + int(fields[12]), int(fields[21]), sort))
    return found


def records_in(directory: Path) -> Counter[tuple[str, ...]]:
    return Counter(tuple(items) for items in pl.read_parquet(directory / "records*.parquet")["items"].to_list())


def measured(people: int, effort: str, master: str, place: Path) -> dict[str, float | int | str]:
    log = place / f"{people}.tsv"
    with log.open("wb") as out:
        shoal.generate(users=people, seed=1).write_csv(out, separator="\t")
    common = ["anonymize", str(log), "--k", "5", "--effort", effort, "--json"]
    here = cost_of([*common, "--out", str(place / f"here{people}")])
    there = cost_of([*common, "--out", str(place / f"there{people}"), "--engine", "spark", "--master", master])
    loss = [json.loads((place / f"{side}{people}" / "manifest.json").read_text())["metrics"]["loss"] for side in ("here", "there")]
    same = records_in(place / f"here{people}") == records_in(place / f"there{people}")
    return {
        "people": people,
        "one machine, s": round(here.seconds, 1),
        "Spark, s": round(there.seconds, 1),
        "Spark / one machine": round(there.seconds / here.seconds, 2),
        "one machine, MB": round(here.driver),
        "driver, MB": round(there.driver),
        "Java, MB": round(there.java),
        "worker, MB": round(there.worker),
        "loss, Spark / one machine": round(loss[1] / loss[0], 4),
        "same records": "yes" if same else "no",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, nargs="+", default=[20_000, 200_000])
    parser.add_argument("--effort", default="fast")
    parser.add_argument("--master", default="local[2]")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        rows = [measured(people, asked.effort, asked.master, Path(place)) for people in asked.people]
    names = list(rows[0])
    print("| " + " | ".join(names) + " |\n|" + " ---: |" * len(names))
    for row in rows:
        print("| " + " | ".join(f"{row[name]:,}" if isinstance(row[name], int) else str(row[name]) for name in names) + " |")
    for before, after in pairwise(rows):
        growth = [after[name] / before[name] for name in ("people", "one machine, s", "Spark, s")]  # type: ignore[operator]
        print(f"{growth[0]:.1f} times the people take {growth[1]:.1f} times as long on one machine, {growth[2]:.1f} times on Spark")


if __name__ == "__main__":
    main()
