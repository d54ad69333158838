"""Measure how long a job takes to stop: `python benchmarks/cancelling.py --users 1000 --times 40`.

Each job runs once to its end, then again this many times, cancelled from another thread at random moments. The longest times from the
request to the end are printed with the stage of the job and the processor time of this process meanwhile, which shows how much of the
time is due to other load on the machine. Nothing may be left behind.
"""

from __future__ import annotations

import argparse
import random
import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import shoal
from shoal.cli.options import DATA_PARAMETERS
from shoal.errors import Cancelled
from shoal.evaluate.compare.grid import Cell, prepared_for
from shoal.evaluate.compare.run_cells import CellLimits, ComparisonEvents, compare
from shoal.evaluate.compare.worst_attack import AttackEffort
from shoal.io.comparison_files import CellFiles
from shoal.methods import METHODS
from shoal.pipeline.events import Cancel, Events, running
from shoal.pipeline.job import Job
from shoal.pipeline.options import Preparation, Target

Run = Callable[[Path, Events, Cancel | None], object]
CELLS = [Cell("clump", (("k", "5"),), "user"), Cell("shoal", (("k", "5"),), "user"), Cell("km", (("k", "5"), ("m", "2")), "user")]


class Last(Events):
    """Records the current stage."""

    name = ""

    def stage(self, name: str, index: int, count: int) -> None:
        self.name = name


def releasing(method: str, log: Path, **values: int) -> Run:
    """A job of this method."""
    chosen = METHODS[method](**values)
    how = Preparation.default_for(chosen)
    how = replace(how, per="event") if method == "coherence" else how
    return lambda out, events, cancel: Job(log, chosen, how, target=Target(out, force=True)).run(events, cancel)


def comparing(log: Path) -> Run:
    """A comparison of three cells."""

    def run(out: Path, events: Events, cancel: Cancel | None) -> object:
        with running(events, cancel):
            how = lambda cell: prepared_for(cell, dict.fromkeys(DATA_PARAMETERS))  # noqa: E731
            return compare([log], CELLS, how, CellFiles(out), AttackEffort(100, 0), CellLimits(jobs=2, seconds=600), ComparisonEvents())

    return run


def measured(name: str, run: Run, place: Path, times: int) -> None:
    """Cancel a run at random moments."""
    begun = time.monotonic()
    run(place / "whole", Last(), None)
    whole, draw, found = time.monotonic() - begun, random.Random(1), []
    for _ in range(times):
        cancel, events, request = Cancel(), Last(), [0.0, 0.0]
        stage = [""]

        def stop(cancel: Cancel = cancel, events: Last = events, request: list[float] = request, stage: list[str] = stage) -> None:
            request[:] = [time.monotonic(), time.process_time()]
            stage[:] = [events.name]
            cancel.cancel()

        timer = threading.Timer(draw.random() * whole, stop)
        timer.start()
        try:
            run(place / "part", events, cancel)
        except Cancelled:
            found.append((time.monotonic() - request[0], time.process_time() - request[1], stage[0]))
            left = [path.name for path in place.iterdir() if path.name not in {"whole", "part"}]
            assert not left, left
        timer.cancel()
        timer.join()
        shutil.rmtree(place / "part", ignore_errors=True)
    found.sort(reverse=True)
    longest = ", ".join(f"{seconds:.2f} s ({used:.2f} s of processor time, {at or 'comparing'})" for seconds, used, at in found[:3])
    print(f"{name:10} whole run {whole:6.1f} s; {len(found)} of {times} cancelled before their end; longest {longest}", flush=True)


def main() -> None:
    """Measure all of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=1000)
    parser.add_argument("--times", type=int, default=40)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        log = Path(place) / "log.tsv"
        shoal.generate(users=options.users, seed=3).write_csv(log, separator="\t")
        runs = {
            "shoal": releasing("shoal", log),
            "km": releasing("km", log, m=2),
            "coherence": releasing("coherence", log, p=2),
            "compare": comparing(log),
        }
        for name, run in runs.items():
            own = Path(place) / name
            own.mkdir()
            measured(name, run, own, options.times)


if __name__ == "__main__":
    main()
