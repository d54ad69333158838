"""How many values differential privacy publishes: Korolova's algorithm, the optimal choice value by value, and choices by the l2 norm.

    python benchmarks/dp.py [tags] [others] [budgets]

Every number is a mean over fresh noise. All of the budget goes to the choice (`counts=0`) unless a table says otherwise. Caps are those of
the program, which do not depend on data, or stand in the table. Time is processor time of one run, reading left out.
"""

from __future__ import annotations

import gzip
import math
import sys
import time
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from common import data_file, peak_megabytes, show
from datasets import generated_log
from shoal.data.log import Log
from shoal.data.original import LogOriginal
from shoal.io.read.dispatch import read
from shoal.io.read.options import ReadOptions
from shoal.methods.dp_queries import DPQueries

RUNS = 20
EPSILON, DELTA = 3.0, 1e-5


def tags() -> Log | None:
    """Tags of last.fm's users, a row for each use of one."""
    path = data_file("lastfm-tags.tsv.gz")
    if path is None:
        return None
    with gzip.open(path) as file:
        rows = pl.read_csv(file.read(), separator="\t", quote_char=None)
    return Log(rows.select(owner=pl.col("user").cast(pl.Int64), payload="tag"), "item")


def searches(name: str) -> Log | None:
    path = data_file(name)
    return None if path is None else _log(path, ReadOptions())


def _log(path: Any, options: ReadOptions) -> Log:
    found = read(path, options).data
    assert isinstance(found, Log)
    return found


def published(log: Log, runs: int = RUNS, **values: Any) -> dict[str, Any]:
    """The mean number of published values, its range, and the time of a run."""
    method = DPQueries(**{"epsilon": EPSILON, "delta": DELTA, "counts": 0.0, **values})
    started = time.process_time()
    found = [method.apply(LogOriginal(log)).tables["counts"].n_rows for _ in range(runs)]
    spent = (time.process_time() - started) / runs
    chosen = next(step for step in method.noisy_steps() if step.purpose == "selection")
    return {
        "mechanism": method.mechanism,
        "cap": method.cap_in_force,
        "guide": "" if method.mechanism == "korolova" else method.guide,
        "noise": chosen.scale,
        "threshold": chosen.threshold,
        "published": f"{np.mean(found):.1f}",
        "least": min(found),
        "most": max(found),
        "s": spent,
    }


def optimal_selection(log: Log, cap: int, epsilon: float = EPSILON, delta: float = DELTA) -> float:
    """The mean number published by the best choice that looks at each value alone (Desfontaines, Voss and Gipson, PETS 2022).

    A person counts in at most `cap` values, drawn at random, each with the cap's part of the budget. The probability that a value of n
    people is published is the largest that this budget allows, by the recursion of the paper; no noise is drawn here.
    """
    counts = _people_per_value(log, cap)
    chance = _most_likely(int(counts.max()), epsilon / cap, delta / cap)
    return float(chance[counts].sum())


def _people_per_value(log: Log, cap: int) -> npt.NDArray[np.int64]:
    pairs = log.frame.select("owner", "payload").unique().sample(fraction=1.0, shuffle=True, seed=cap)
    kept = pairs.group_by("owner").head(cap)
    return kept.group_by("payload").len()["len"].cast(pl.Int64).to_numpy()


def _most_likely(most: int, epsilon: float, delta: float) -> npt.NDArray[np.float64]:
    chance = np.zeros(most + 1)
    for n in range(1, most + 1):
        before = chance[n - 1]
        chance[n] = min(math.exp(epsilon) * before + delta, 1 - math.exp(-epsilon) * (1 - before - delta), 1)
    return chance


def compare_tags() -> None:
    """Tags at epsilon 3, delta 1e-5: 9,749 different ones of 1,892 people."""
    log = tags()
    if log is None:
        return
    few = (1, 2, 3, 5, 10)
    rows = [published(log, mechanism="korolova", cap=cap) for cap in few]
    rows += [{"mechanism": "value by value", "cap": cap, "published": f"{optimal_selection(log, cap):.1f}"} for cap in few]
    rows += [published(log, mechanism=mechanism, guide=guide) for guide in (0.0, 0.2) for mechanism in ("weighted", "policy")]
    rows += [published(log, cap=cap) for cap in (16, 32, 128, 256)]
    show(f"last.fm tags, epsilon {EPSILON:g}, delta {DELTA:g}, {RUNS} runs", rows)


def compare_others() -> None:
    """The same on logs and baskets, with the caps of the program."""
    rows = []
    generated = _log(generated_log(20_000), ReadOptions())
    sets = {"Excite": searches("excite-small.log.gz"), "generated, 20,000 users": generated}
    for name, log in sets.items():
        if log is None:
            continue
        for unit in ("query", "term"):
            for mechanism, guide in (("korolova", 0.0), ("weighted", 0.0), ("policy", 0.0), ("policy", 0.2)):
                rows.append({"data": name, "unit": unit} | published(log, runs=3, mechanism=mechanism, unit=unit, guide=guide))
    show(f"epsilon {EPSILON:g}, delta {DELTA:g}, 3 runs", rows)
    print(f"most memory: {peak_megabytes():.0f} MB")


def compare_budgets() -> None:
    """What counts cost: published tags and the standard deviation of their counts."""
    log = tags()
    if log is None:
        return
    rows = []
    for epsilon in (1.0, 3.0, 6.0):
        for share in (0.0, 0.1, 0.2, 0.4):
            steps = DPQueries(epsilon=epsilon, delta=DELTA, counts=share).noisy_steps()
            noise = steps[-1].scale if share else ""
            found = published(log, runs=5, epsilon=epsilon, counts=share)["published"]
            rows.append({"epsilon": epsilon, "share of counts": share, "published": found, "noise of a count": noise})
    show("last.fm tags, policy", rows)


PARTS = {"tags": compare_tags, "others": compare_others, "budgets": compare_budgets}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
