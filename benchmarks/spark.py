"""Spark beside one machine: processor time, memory, loss and growth, as a table of ratios, a picture and a cost model.

    python benchmarks/spark.py [--people 2000 20000 200000] [--effort fast] [--master 'local[2]'] [--logs DIRECTORY]

Every run is a command of its own, and what it took is added to benchmarks/results/spark.jsonl as soon as it has ended: a benchmark that was
killed goes on where it was, and runs that are there are not made again (--again makes them). Logs are generated once into
benchmarks/results, or are taken from another directory as log-PEOPLE.tsv. Times are drawn to docs/images/scale.svg.

Processor time is that of all processes of a run (the driver, Java, the Python workers), read from /proc, so that other work on the machine
does not count. Memory is the resident set, with pages of files: of the driver's process the largest, of Java and the workers the largest
that they held together. At local[n] Java is driver and executor in one.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl

from common import RESULTS, ROOT
from datasets import generated_log

ROWS = RESULTS / "spark.jsonl"
PICTURE = ROOT / "docs" / "images" / "scale.svg"
ENGINES = {"local": "one machine", "spark": "Spark"}
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
NAP = 0.25
STAGE = re.compile(r"^(\w+): [\d.]+ s, \d+ partitions, (\d+) bytes", re.MULTILINE)
PROGRAM = """
import logging
logging.basicConfig(format="%(message)s")
logging.getLogger("shoal.spark").setLevel(logging.INFO)
from shoal.app.cli.start import main
main()
"""


@dataclass
class Cost:
    """What a command took; of the stages that a cluster stores, the seconds until each was stored, and its bytes."""

    seconds: float = 0.0  # of processors
    wall: float = 0.0
    driver: float = 0.0  # MB
    executors: float = 0.0
    stages: dict[str, tuple[float, int]] = field(default_factory=dict)


def cost_of(arguments: list[str]) -> Cost:
    """Run the program and follow all processes of its session."""
    cost, ticks, started = Cost(), dict[int, int](), time.monotonic()
    with tempfile.NamedTemporaryFile() as said:
        run = subprocess.Popen([sys.executable, "-c", PROGRAM, *arguments], start_new_session=True, stdout=said, stderr=subprocess.STDOUT)
        while run.poll() is None:
            _look(run.pid, cost, ticks)
            for name, size in STAGE.findall(Path(said.name).read_text(errors="replace")):
                cost.stages.setdefault(name, (sum(ticks.values()) / TICKS, int(size)))
            time.sleep(NAP)
        if run.returncode:
            raise SystemExit(Path(said.name).read_text(errors="replace"))
    cost.seconds, cost.wall = sum(ticks.values()) / TICKS, time.monotonic() - started
    return cost


def _look(session: int, cost: Cost, ticks: dict[int, int]) -> None:
    """Add what the processes of a session used and hold at this moment."""
    held: Counter[str] = Counter()
    for pid, used, pages in processes(session):
        ticks[pid] = max(ticks.get(pid, 0), used)
        held["driver" if pid == session else "executors"] += pages * PAGE
    cost.driver = max(cost.driver, held["driver"] / 1e6)
    cost.executors = max(cost.executors, held["executors"] / 1e6)


def processes(session: int) -> list[tuple[int, int, int]]:
    """The processes of a session: their numbers, the ticks they used, and their pages."""
    found = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = place.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            found.append((int(place.parent.name), int(fields[11]) + int(fields[12]), int(fields[21])))
    return found


def multiset_of(directory: Path) -> str:
    """A digest of the published records that is the same in any order: the sum of the digests of all of them."""
    total = 0
    for file in sorted(directory.glob("records*.parquet")):
        for text in pl.read_parquet(file)["items"].list.join("\n").to_list():
            total += int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")
    return f"{total % (1 << 256):064x}"


# -- runs


def measured(people: int, effort: str, engine: str, master: str, log: Path) -> dict[str, Any]:
    """One run of one engine."""
    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / "release"
        there = ["--engine", "spark", "--master", master] if engine == "spark" else []
        cost = cost_of(["anonymize", str(log), "--k", "5", "--effort", effort, "--json", "--out", str(out), *there])
        loss = json.loads((out / "manifest.json").read_text())["metrics"]["loss"]
        return {**key(people, effort, engine, master), **asdict(cost), "loss": loss, "multiset": multiset_of(out)}


def key(people: int, effort: str, engine: str, master: str) -> dict[str, Any]:
    """What tells a run from others."""
    return {"people": people, "effort": effort, "engine": engine, "master": master if engine == "spark" else ""}


def rows_so_far() -> list[dict[str, Any]]:
    """What earlier runs took."""
    return [json.loads(line) for line in ROWS.read_text().splitlines()] if ROWS.exists() else []


def run_all(asked: argparse.Namespace) -> list[dict[str, Any]]:
    """The rows of all runs that are asked for: those that are there, and others made now."""
    wanted = [key(people, asked.effort, engine, asked.master) for people in asked.people for engine in ENGINES]
    known = {} if asked.again else {_named(row): row for row in rows_so_far()}
    rows = []
    for run in wanted:
        if _named(run) not in known:
            log = asked.logs / f"log-{run['people']}.tsv" if asked.logs else generated_log(run["people"])
            row = measured(run["people"], run["effort"], run["engine"], asked.master, log)
            RESULTS.mkdir(parents=True, exist_ok=True)
            with ROWS.open("a") as out:
                out.write(json.dumps(row) + "\n")
            known[_named(run)] = row
        rows.append(known[_named(run)])
    return rows


def _named(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in ("people", "effort", "engine", "master"))


# -- what is shown


def table_of(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One line for each number of people."""
    lines: list[dict[str, Any]] = []
    for people in sorted({row["people"] for row in rows}):
        here, there = ({row["engine"]: row for row in rows if row["people"] == people}[engine] for engine in ENGINES)
        lines.append(
            {
                "people": people,
                "one machine, s": round(here["seconds"], 1),
                "Spark, s": round(there["seconds"], 1),
                "Spark / one machine": round(there["seconds"] / here["seconds"], 2),
                "one machine, MB": round(here["driver"]),
                "driver, MB": round(there["driver"]),
                "executors, MB": round(there["executors"]),
                "loss, Spark / one machine": round(there["loss"] / here["loss"], 4),
                "same records": "yes" if here["multiset"] == there["multiset"] else "no",
                "growth of people": "",
                "growth, one machine": "",
                "growth, Spark": "",
            }
        )
    for before, after in pairwise(lines):
        names = {"growth of people": "people", "growth, one machine": "one machine, s", "growth, Spark": "Spark, s"}
        after |= {name: round(after[of] / before[of], 1) for name, of in names.items()}
    return lines


def stage_costs(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of each stage on Spark: seconds for a person and fixed seconds, by the two largest runs but the last, and what they say of that."""
    runs = [row for row in sorted(rows, key=lambda row: row["people"]) if row["engine"] == "spark"]
    if len(runs) < 3:
        return []
    fewer, more, checked = runs[-3:]
    lines = []
    for name in [*more["stages"], "rest"]:
        seconds = [_seconds_of(run, name) for run in (fewer, more, checked)]
        each = (seconds[1] - seconds[0]) / (more["people"] - fewer["people"])
        fixed = seconds[0] - each * fewer["people"]
        line = {"stage": name, "us a person": round(1e6 * each, 1), "fixed s": round(fixed, 1)}
        line |= {"bytes a person": round(more["stages"][name][1] / more["people"]) if name in more["stages"] else ""}
        lines.append(line | {"foretold s": round(fixed + each * checked["people"], 1), "measured s": round(seconds[2], 1)})
    return lines


def _seconds_of(run: dict[str, Any], stage: str) -> float:
    """The seconds between the stage before and the end of this one."""
    ends = [0.0, *(seconds for seconds, _ in run["stages"].values()), run["seconds"]]
    names = [*run["stages"], "rest"]
    at = names.index(stage)
    return float(ends[at + 1] - ends[at])


def show(lines: list[dict[str, Any]]) -> None:
    """Print lines as a table of Markdown."""
    names = list(lines[0])
    print("| " + " | ".join(names) + " |\n|" + " ---: |" * len(names))
    for line in lines:
        print("| " + " | ".join(f"{line[name]:,}" if isinstance(line[name], int) else str(line[name]) for name in names) + " |")
    print()


def draw(rows: list[dict[str, Any]]) -> None:
    """Processor time against people, both on logarithmic scales."""
    try:
        import altair as alt
        import vl_convert as vlc
    except ImportError:
        print("no picture: pip install 'shoal[bench]'")
        return
    values = [
        {"people": row["people"], "seconds": row["seconds"], "engine": ENGINES[row["engine"]], "effort": row["effort"]} for row in rows
    ]
    chart = (
        alt.Chart(alt.Data(values=values))
        .mark_line(point=True)
        .encode(
            x=alt.X("people:Q", title="people", scale=alt.Scale(type="log")),
            y=alt.Y("seconds:Q", title="processor seconds", scale=alt.Scale(type="log")),
            color=alt.Color("engine:N", title=None, sort=list(ENGINES.values())),
            strokeDash=alt.StrokeDash("effort:N", title="effort"),
        )
        .properties(width=420, height=260)
    )
    PICTURE.write_text(vlc.vegalite_to_svg(chart.to_json()))
    print(f"drawn: {PICTURE.relative_to(ROOT)}")


def main() -> None:
    """Measure what is not measured yet, and show all of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, nargs="+", default=[2_000, 20_000, 200_000])
    parser.add_argument("--effort", default="fast")
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--logs", type=Path, help="a directory with log-PEOPLE.tsv")
    parser.add_argument("--again", action="store_true", help="make all runs again")
    asked = parser.parse_args()
    rows = run_all(asked)
    show(table_of(rows))
    costs = stage_costs(rows)
    if costs:
        show(costs)
    draw([row for row in rows_so_far() if row["master"] in ("", asked.master)])


if __name__ == "__main__":
    main()
