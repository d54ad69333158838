"""The foundation's promises, measured in one run: kernels against kernels, the whole path against Polars, ten times the users, memory.

    python benchmarks/foundation.py [--users 53058] [--no-large]

Logs are generated once into benchmarks/results and used again.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Literal

import polars as pl

from common import fastest_in_turn, seconds, show
from datasets import clicks, generated_log
from shoal import kernels
from shoal.methods.clump import Clump
from shoal.methods.partition import Partition
from shoal.metrics import measure
from shoal.pipeline.options import Preparation, Target
from shoal.pipeline.prepare import prepare
from shoal.pipeline.run import anonymize, publish
from shoal.taxonomy.tree_counts import tree_counts

LARGE = 500_000
BMS_LIMITS = {2: 3.49, 5: 5.14, 10: 6.31, 25: 8.10, 50: 9.68, 100: 11.48}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--users", type=int, default=53_058)
    parser.add_argument("--no-large", action="store_true", help=f"leave out the log of {LARGE:,} users")
    options = parser.parse_args()
    log = generated_log(options.users)
    clump_against_tree_counts(log)
    path_against_polars(log)
    ten_times_the_users()
    partition_on_clicks()
    if not options.no_large:
        memory(generated_log(LARGE))


Unknown = Literal["drop", "keep"]


def clump_against_tree_counts(log: Path) -> None:
    original = prepare(log, Preparation(unknown="drop")).records
    method = Clump(k=5, r=10)
    rows = []
    for threads in (1, 2):
        with kernels.using(threads=threads):
            counting = seconds(lambda: tree_counts(original.bags, original.tree), 7)
            grouping = seconds(lambda: method.form_groups(original.bags, original.tree), 7)
            everything = seconds(lambda: method.apply(original), 3)
        rows.append(
            {
                "threads": threads,
                "records": len(original.bags),
                "tree counts s": counting,
                "Clump s": grouping - counting,
                "Clump / tree counts": (grouping - counting) / counting,
                "whole method s": everything,
            }
        )
    show("Clump (r=10, with the generalizations) against building the tree counts; promised: at most 3 times", rows)


def path_against_polars(log: Path) -> None:
    def polars() -> None:
        frame = pl.read_csv(log, separator="\t", quote_char=None)
        frame.group_by("AnonID").agg(pl.col("Query"))

    def whole_path(unknown: Unknown) -> None:
        with tempfile.TemporaryDirectory() as place:
            judged = anonymize(prepare(log, Preparation(unknown=unknown)), Clump(k=5, r=10))
            publish(judged.publishable(), Target(Path(place) / "release"))

    rows = []
    choices: tuple[Unknown, ...] = ("drop", "keep")
    for unknown in choices:
        base, ours = fastest_in_turn([polars, partial(whole_path, unknown)], 7)
        size = log.stat().st_size / 2**20
        rows.append({"unknown terms": unknown, "file MB": size, "Polars s": base, "shoal s": ours, "ratio": ours / base})
    show("TSV to written, verified release against Polars reading and grouping the file; promised: at most 6 times", rows)


def released(log: Path) -> None:
    anonymize(prepare(log, Preparation()), Clump(k=5))


def ten_times_the_users() -> None:
    rows = []
    for users in (5_000, 50_000):
        log = generated_log(users)
        rows.append({"users": users, "seconds": seconds(partial(released, log))})
    rows[1]["times"] = rows[1]["seconds"] / rows[0]["seconds"]
    rows[0]["times"] = 1.0
    show("Ten times the users; promised: at most 11 times the time", rows)


def partition_on_clicks() -> None:
    original = clicks()
    if original is None:
        return
    rows = []
    for k, limit in BMS_LIMITS.items():
        started = time.perf_counter()
        release = Partition(k=k).apply(original)
        taken = time.perf_counter() - started
        lcg = Partition(k=k, publish_as="lcg").apply(original)
        ncp, loss = measure(release, original, ["ncp", "loss"]).values()
        rows.append(
            {
                "k": k,
                "NCP %": round(100 * ncp, 3),
                "others' NCP %": limit,
                "seconds": taken,
                "loss": loss,
                "loss as LCG": measure(lcg, original, ["loss"])["loss"],
            }
        )
    show("Partition on BMS-WebView-2; promised: NCP no higher than what others reach, in about a second", rows)


def memory(log: Path) -> None:
    with tempfile.TemporaryDirectory() as place:
        command = [sys.executable, "-m", "shoal", "anonymize", str(log), "--out", f"{place}/release", "--method", "clump", "--json"]
        started = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        taken = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    size = log.stat().st_size / 2**20
    show(
        f"Peak memory of the whole program on {LARGE:,} users; promised: at most 3 times the file",
        [{"file MB": size, "peak MB": peak, "ratio": peak / size, "seconds": taken}],
    )


if __name__ == "__main__":
    main()
