"""Whether `--memory` holds: the most anonymous memory of each method that takes records, beside what it is estimated to need.

    python benchmarks/memory.py [--people 5000] [--long 1000] [--baskets 20000] [--only METHOD ...]

Every run is a process of its own, from the file to the written release, with a limit that allows it. Anonymous memory (RssAnon of
/proc/PID/status: what the system cannot drop) is looked at 50 times a second. A row is marked where it exceeds the estimate, with which
the limit is compared before the method starts. The files are a generated search log, long records (people with 300 different words each of
50,000) and baskets (people with 10 items each of 500).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from common import RESULTS, show
from datasets import generated_log
from real_sizes import long_records

NAP = 0.02
WITHOUT_ADVICE = os.environ | {"SHOAL_ADVICE": "0"}  # after a poor release others are tried, which are not what is measured
RUN = """
import json, sys
import shoal
from shoal.pipeline import run
judged, estimates = run._insist_on_memory, []
def noted(prepared, method):
    estimates.append(run.needs_of(method, prepared).of(prepared.records.typed))
    judged(prepared, method)
run._insist_on_memory = noted
shoal.anonymize(sys.argv[1], memory="900G", **json.loads(sys.argv[3])).write(sys.argv[2])
print(json.dumps(estimates[0]))
"""
GENERATED = {"taxonomy": "generated"}
SENSITIVE = {"sensitive": "items:w5|w6"}
OF_LOGS, OF_ITEMS = ("ssc", "k-delta"), ("cahd", "suppress-control", "td-control")  # the others are measured on all files
METHODS: dict[str, dict[str, Any]] = {
    "shoal": {"k": 5},
    "shoal, fast": {"method": "shoal", "k": 5, "effort": "fast"},
    "shoal, outliers": {"method": "shoal", "k": 5, "outliers": 0.01},
    "clump": {"method": "clump", "k": 5},
    "partition": {"method": "partition", "k": 5},
    "coherence": {"method": "coherence", "k": 5, "p": 2},
    "km, m = 1": {"method": "km", "k": 5, "m": 1},
    "km, m = 2": {"method": "km", "k": 5, "m": 2},
    "apriori": {"method": "apriori", "k": 5, "m": 2},
    "direct": {"method": "direct", "k": 5, "m": 2},
    "local": {"method": "local", "k": 5, "m": 2},
    "vertical": {"method": "vertical", "k": 5, "m": 2},
    "hghs": {"method": "hghs", "k": 5, "m": 2},
    "disassociation": {"method": "disassociation", "k": 5, "m": 2},
    "tds": {"method": "tds", "k": 5},
    "cahd": {"method": "cahd", "p": 3} | SENSITIVE,
    "suppress-control": {"method": "suppress-control", "rho": 0.7} | SENSITIVE,
    "td-control": {"method": "td-control", "rho": 0.7} | SENSITIVE,
    "ssc": {"method": "ssc", "k": 5},
    "k-delta": {"method": "k-delta", "k": 5},
}


def table_of(lines: Path) -> Path:
    """The same records as a table of people and items."""
    path = lines.with_suffix(".table.tsv")
    if not path.exists():
        rows = (f"{who}\t{item}\n" for who, line in enumerate(lines.read_text().splitlines()) for item in line.split())
        path.write_text("user\titem\n" + "".join(rows))
    return path


def anonymous(pid: int) -> int:
    """The bytes that the system cannot drop; 0 once the process has ended."""
    try:
        found = re.search(r"RssAnon:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return 0
    return 1024 * int(found[1]) if found else 0


def measured(path: Path, options: dict[str, Any], seconds: float) -> dict[str, Any]:
    """One run: its most anonymous memory and the estimate, or how it ended."""
    with tempfile.TemporaryDirectory() as place, tempfile.TemporaryFile("w+") as output:
        command = [sys.executable, "-c", RUN, str(path), f"{place}/release", json.dumps(options)]
        process, most, ends = (
            subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=WITHOUT_ADVICE),
            0,
            time.monotonic() + seconds,
        )
        while process.poll() is None:
            most = max(most, anonymous(process.pid))
            if time.monotonic() > ends:
                process.kill()
            time.sleep(NAP)
        output.seek(0)
        last = (output.read().splitlines() or [""])[-1]
    if process.returncode:
        return {"peak MB": round(most / 2**20), "estimate MB": "", "over": "", "ended": "too long" if process.returncode < 0 else last[:90]}
    estimate = int(last)
    return {"peak MB": round(most / 2**20), "estimate MB": round(estimate / 2**20), "over": most > estimate, "ended": ""}


def runs(arguments: argparse.Namespace) -> Iterator[tuple[str, Path, str, dict[str, Any]]]:
    """The file and the options of every run."""
    log, long = generated_log(arguments.people), table_of(long_records(arguments.long))
    baskets = table_of(long_records(arguments.baskets, 10, 500))
    for name, options in METHODS.items():
        method = name.split(",")[0]
        if arguments.only and method not in arguments.only:
            continue
        if method not in OF_LOGS:
            with_tree = options | ({} if method in ("coherence", "disassociation", "cahd") else GENERATED)
            yield f"baskets, {arguments.baskets:,} people", baskets, name, with_tree
            yield f"long records, {arguments.long:,} people", long, name, with_tree
        if method not in OF_ITEMS:
            yield f"log, {arguments.people:,} people", log, name, options


def main() -> None:
    """Measure and print after each run."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--people", type=int, default=5_000)
    parser.add_argument("--long", type=int, default=1_000)
    parser.add_argument("--baskets", type=int, default=20_000)
    parser.add_argument("--only", nargs="+", metavar="METHOD")
    parser.add_argument("--seconds", type=float, default=300, help="of the clock, after which a run is stopped")
    arguments = parser.parse_args()
    RESULTS.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    for data, path, name, options in runs(arguments):
        rows.append({"data": data, "method": name} | measured(path, options, arguments.seconds))
        show("Anonymous memory of whole runs", rows)


if __name__ == "__main__":
    main()
