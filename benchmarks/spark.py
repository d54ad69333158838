"""Spark beside one machine: processor time, memory, loss and growth, as a table of ratios, a picture and a cost model.

    python benchmarks/spark.py [--people 2000 20000 200000] [--effort fast] [--master 'local[2]'] [--logs DIRECTORY]
                               [--method 'threshold --unit term'] [--cluster]

--method names a method, with its options; by default it is shoal at the effort asked for. --cluster starts a master and two workers of one
core and 2 GB each on this machine, with SETTINGS, and tells the most that one executor held: Java and its Python worker together.

Every run is a command of its own, and what it took is added to benchmarks/results/spark.jsonl as soon as it has ended: a benchmark that was
killed goes on where it was, and runs that are there are not made again (--again makes them). Logs are generated once into
benchmarks/results, or are taken from another directory as log-PEOPLE.tsv. Times are drawn to docs/images/scale.svg.

Processor time is that of all processes of a run (the driver, Java, the Python workers), read from /proc, so that other work on the machine
does not count. Memory is the resident set, with pages of files: of the driver's process the largest, of Java and the workers the largest
that they held together; of one executor of a cluster, what is not pages of files. At local[n] Java is driver and executor in one.
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

sys.path.insert(0, str(ROOT / "tests"))
from helpers.cluster import Standalone, standalone
from shoal.methods import METHODS

ROWS = RESULTS / "spark.jsonl"
PICTURE = ROOT / "docs" / "images" / "scale.svg"
SHOAL = "shoal"
ENGINES = {"local": "one machine", "spark": "Spark"}
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
NAP = 0.25
STAGE = re.compile(r"^(\w+): [\d.]+ s, \d+ partitions, (\d+) bytes", re.MULTILINE)
TWO_WORKERS, WORKER_MEMORY = "two workers of 2 GB", "2g"
SETTINGS = {
    "spark.executor.memory": "512m",  # the heap; Java itself takes some 250 MB beside it, and the rest is for the Python worker
    "spark.executor.cores": "1",
    "spark.executor.defaultJavaOptions": "-XX:TieredStopAtLevel=1",  # Java moves no rows of groups: its second compiler has nothing to gain
    "spark.memory.fraction": "0.5",
    "spark.driver.memory": "1g",
}
PROGRAM = """
import logging
logging.basicConfig(format="%(message)s")
logging.getLogger("shoal.spark").setLevel(logging.INFO)
from shoal.cli.start import main
main()
"""


@dataclass
class Cost:
    """What a command took; of the stages that a cluster stores, the seconds until each was stored, and its bytes."""

    seconds: float = 0.0  # of processors
    wall: float = 0.0
    driver: float = 0.0  # MB
    executors: float = 0.0
    one_executor: float = 0.0  # of a cluster, without pages of files
    stages: dict[str, tuple[float, int]] = field(default_factory=dict)


def cost_of(arguments: list[str], cluster: Standalone | None = None) -> Cost:
    """Run the program and follow all processes of its session, and of those of the workers of a cluster."""
    cost, ticks, started = Cost(), dict[int, int](), time.monotonic()
    before = {pid: used for worker in (cluster.workers if cluster else []) for pid, used, *_ in processes(worker.pid)}
    with tempfile.NamedTemporaryFile() as output:
        command = [sys.executable, "-c", PROGRAM, *arguments]
        run = subprocess.Popen(command, env=_environment(cluster), start_new_session=True, stdout=output, stderr=subprocess.STDOUT)
        while run.poll() is None:
            _look(run.pid, cost, ticks)
            for worker in cluster.workers if cluster else []:
                _look_at_executor(worker.pid, cost, ticks)
            for name, size in STAGE.findall(Path(output.name).read_text(errors="replace")):
                cost.stages.setdefault(name, (sum(ticks.values()) / TICKS, int(size)))
            time.sleep(NAP)
        if run.returncode:
            raise SystemExit(Path(output.name).read_text(errors="replace"))
    cost.seconds, cost.wall = (sum(ticks.values()) - sum(before.values())) / TICKS, time.monotonic() - started
    return cost


def _environment(cluster: Standalone | None) -> dict[str, str]:
    if cluster is None:
        return dict(os.environ)
    settings = " ".join(f"--conf {name}={value}" for name, value in SETTINGS.items())
    found: dict[str, str] = cluster.environment(PYSPARK_SUBMIT_ARGS=f"{settings} pyspark-shell")
    return found


def _look(session: int, cost: Cost, ticks: dict[int, int]) -> None:
    """Add what the processes of a session used and hold at this moment."""
    held: Counter[str] = Counter()
    for pid, used, pages, _ in processes(session):
        ticks[pid] = max(ticks.get(pid, 0), used)
        held["driver" if pid == session else "executors"] += pages * PAGE
    cost.driver = max(cost.driver, held["driver"] / 1e6)
    cost.executors = max(cost.executors, held["executors"] / 1e6)


def _look_at_executor(worker: int, cost: Cost, ticks: dict[int, int]) -> None:
    """Add what an executor, which its worker started, uses and holds: Java and the Python processes beside it."""
    held = 0
    for pid, used, _, anonymous in processes(worker):
        ticks[pid] = max(ticks.get(pid, 0), used)
        held += 0 if pid == worker else anonymous
    cost.one_executor = max(cost.one_executor, held / 1e6)


def processes(session: int) -> list[tuple[int, int, int, int]]:
    """The processes of a session: their numbers, the ticks they used, their pages, and their bytes that are not pages of files."""
    found = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = place.read_text().rpartition(")")[2].split()
            if int(fields[3]) != session:
                continue
            anonymous = re.search(r"RssAnon:\s+(\d+) kB", (place.parent / "status").read_text())
        except OSError:
            continue
        used, pages = int(fields[11]) + int(fields[12]), int(fields[21])
        found.append((int(place.parent.name), used, pages, 1024 * int(anonymous[1]) if anonymous else 0))
    return found


def multiset_of(directory: Path) -> str:
    """A digest of the published records or rows that is the same in any order: the sum of the digests of all of them. None of counts."""
    files, total = sorted([*directory.glob("records*.parquet"), *directory.glob("log*.parquet")]), 0
    if not files:
        return ""
    for file in files:
        table = pl.read_parquet(file)
        texts = table["items"].list.join("\n") if "items" in table.columns else table["query"]
        for text in texts.to_list():
            total += int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")
    return f"{total % (1 << 256):064x}"


# -- runs


def measured(run: dict[str, Any], log: Path, cluster: Standalone | None) -> dict[str, Any]:
    """One run of one engine."""
    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / "release"
        master = cluster.address if cluster else run["master"]
        there = ["--engine", "spark", "--master", master] if run["engine"] == "spark" else []
        how = ["--effort", run["effort"]] if run["method"] == SHOAL else ["--method", *run["method"].split()]
        how += ["--k", "5"] if "k" in {given.name for given in METHODS[run["method"].split()[0]].parameters()} else []
        cost = cost_of(["anonymize", str(log), *how, "--json", "--out", str(out), *there], cluster if there else None)
        metrics = json.loads((out / "manifest.json").read_text())["metrics"]
        return {**run, **asdict(cost), "loss": metrics.get("loss"), "multiset": multiset_of(out)}


def key(people: int, options: argparse.Namespace, engine: str) -> dict[str, Any]:
    """What tells a run from others."""
    master = TWO_WORKERS if options.cluster else options.master
    return {
        "people": people,
        "method": options.method,
        "effort": options.effort if options.method == SHOAL else "",
        "engine": engine,
        "master": master if engine == "spark" else "",
    }


def rows_so_far() -> list[dict[str, Any]]:
    """What earlier runs took."""
    return [{"method": SHOAL} | json.loads(line) for line in ROWS.read_text().splitlines()] if ROWS.exists() else []


def run_all(options: argparse.Namespace) -> list[dict[str, Any]]:
    """The rows of all runs that are asked for: those that are there, and others made now."""
    wanted = [key(people, options, engine) for people in options.people for engine in ENGINES]
    known = {} if options.again else {_named(row): row for row in rows_so_far()}
    for run in wanted:
        if _named(run) not in known:
            log = options.logs / f"log-{run['people']}.tsv" if options.logs else generated_log(run["people"])
            known[_named(run)] = _made(run, log, cluster=options.cluster and run["engine"] == "spark")
    return [known[_named(run)] for run in wanted]


def _made(run: dict[str, Any], log: Path, *, cluster: bool) -> dict[str, Any]:
    """A run that was not made before, which is kept."""
    if cluster:
        with tempfile.TemporaryDirectory() as place, standalone(Path(place), memory=WORKER_MEMORY) as found:
            row = measured(run, log, found)
    else:
        row = measured(run, log, None)
    RESULTS.mkdir(parents=True, exist_ok=True)
    with ROWS.open("a") as out:
        out.write(json.dumps(row) + "\n")
    return row


def _named(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in ("people", "method", "effort", "engine", "master"))


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
                "one executor of a cluster, MB": round(there.get("one_executor", 0)) or "",
                "loss, Spark / one machine": round(there["loss"] / here["loss"], 4) if here["loss"] else "",
                "same records": "" if not here["multiset"] else "yes" if here["multiset"] == there["multiset"] else "no",
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
    """The seconds between the stage before and the end of this one; small runs have no stages of a plan."""
    ends = [0.0, *(seconds for seconds, _ in run["stages"].values()), run["seconds"]]
    names = [*run["stages"], "rest"]
    if stage not in names:
        return 0.0
    at = names.index(stage)
    return float(ends[at + 1] - ends[at])


def show(lines: list[dict[str, Any]]) -> None:
    """Print lines as a table of Markdown."""
    names = list(lines[0])
    print("| " + " | ".join(names) + " |\n|" + " ---: |" * len(names))
    for line in lines:
        print("| " + " | ".join(f"{line[name]:,}" if isinstance(line[name], int) else str(line[name]) for name in names) + " |")
    print()


def _drawn_as(row: dict[str, Any]) -> str:
    return f"{ENGINES[row['engine']]}, {row['master']}" if row["master"] else ENGINES[row["engine"]]


def draw(rows: list[dict[str, Any]]) -> None:
    """Processor time against people, both on logarithmic scales."""
    try:
        import altair as alt
        import vl_convert as vlc
    except ImportError:
        print("no picture: pip install 'shoal-privacy[bench]'")
        return
    values = [{"people": row["people"], "seconds": row["seconds"], "engine": _drawn_as(row)} for row in rows]
    chart = (
        alt.Chart(alt.Data(values=values))
        .mark_line(point=True)
        .encode(
            x=alt.X("people:Q", title="people", scale=alt.Scale(type="log")),
            y=alt.Y("seconds:Q", title="processor seconds", scale=alt.Scale(type="log")),
            color=alt.Color("engine:N", title=None),
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
    parser.add_argument("--method", default=SHOAL, help="a method and its options")
    parser.add_argument("--cluster", action="store_true", help="a cluster of two workers of 2 GB each, started here, in place of --master")
    parser.add_argument("--logs", type=Path, help="a directory with log-PEOPLE.tsv")
    parser.add_argument("--again", action="store_true", help="make all runs again")
    options = parser.parse_args()
    rows = run_all(options)
    show(table_of(rows))
    costs = stage_costs(rows)
    if costs:
        show(costs)
    if options.method == SHOAL:
        latest = {_named(row): row for row in rows_so_far() if row["method"] == SHOAL and row["effort"] == options.effort}
        draw(list(latest.values()))


if __name__ == "__main__":
    main()
