"""Whole logs on one machine: time beside Polars, loss and memory. Ratios of processor time.

    python benchmarks/scale.py [--users 50000 200000 650000] [--efforts fast balanced] [--repeats 1]

Each run is a process of its own: the whole program from the file to the judged and written release, and Polars reading the same file and
grouping its queries by person, once before and once after. Logs are generated once into benchmarks/results and used again.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common import show
from datasets import generated_log

SIZES = (50_000, 200_000, 650_000)
EFFORTS = ("fast", "balanced")
READ_AND_GROUP = """
import sys, polars as pl
frame = pl.read_csv(sys.argv[1], separator="\\t", quote_char=None)
frame.group_by("AnonID").agg(pl.col("Query"))
"""


@dataclass(frozen=True)
class Run:
    """What a process took: seconds of processor time and of the clock, the most memory, and what it printed."""

    seconds: float
    clock: float
    megabytes: float
    printed: str


def ran(*arguments: str, python: str = sys.executable) -> Run:
    """Python with these arguments, in a process of its own; raises where it fails."""
    with tempfile.TemporaryFile() as out:
        actions = [(os.POSIX_SPAWN_DUP2, out.fileno(), 1)]
        started = time.perf_counter()
        process = os.posix_spawn(python, [python, *arguments], os.environ, file_actions=actions)
        _, status, used = os.wait4(process, 0)
        clock = time.perf_counter() - started
        if status:
            raise RuntimeError(f"{' '.join(arguments[:3])} ended with status {status}")
        out.seek(0)
        return Run(used.ru_utime + used.ru_stime, clock, used.ru_maxrss / 1024, out.read().decode())


def compile_modules(*pythons: str) -> None:
    """Compile the modules of these installations, as they are for everybody who runs a command a second time."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    for python in pythons or (sys.executable,):
        ran("-c", "import compileall, pathlib, shoal; compileall.compile_dir(pathlib.Path(shoal.__file__).parent, quiet=2)", python=python)


def whole_program(log: Path, effort: str) -> Run:
    """From the file to a release that was judged."""
    with tempfile.TemporaryDirectory() as place:
        return ran("-m", "shoal", "anonymize", str(log), "--out", f"{place}/release", "--effort", effort, "--json")


def measured(users: int, effort: str) -> dict[str, Any]:
    """One line of the table."""
    log = generated_log(users)
    before, ours, after = ran("-c", READ_AND_GROUP, str(log)), whole_program(log, effort), ran("-c", READ_AND_GROUP, str(log))
    polars = (before.seconds + after.seconds) / 2
    return {
        "users": users,
        "effort": effort,
        "file MB": log.stat().st_size / 2**20,
        "Polars s": polars,
        "shoal s": ours.seconds,
        "times Polars": ours.seconds / polars,
        "loss": json.loads(ours.printed)["metrics"]["loss"],
        "cores": ours.seconds / ours.clock,
        "peak MB": ours.megabytes,
    }


def main() -> None:
    """Measure, and print after each size, as large logs take long."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--users", type=int, nargs="+", default=SIZES)
    parser.add_argument("--efforts", nargs="+", default=EFFORTS)
    parser.add_argument("--repeats", type=int, default=1, help="of each the one nearest to Polars is shown")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for effort in options.efforts:
        for users in options.users:
            rows.append(min((measured(users, effort) for _ in range(options.repeats)), key=lambda it: it["times Polars"]))
            show("The whole program on one machine, by processor time", rows)


if __name__ == "__main__":
    main()
