"""MDAV: the losses that the literature prints, time against a reference in numpy, growth and memory.

    python benchmarks/mdav.py [--rows 20000 50000 100000] [--k 3] [--reference 20000]

Ends with exit code 1 where a published loss is not reached to its digits or the reference forms other groups.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

import numpy as np

from common import data_file, forget_peak, peak_since, show
from shoal.data.bags import Ints
from shoal.data.table import Floats, Table
from shoal.io.read.microdata import read_microdata
from shoal.io.read.options import ReadOptions
from shoal.io.read.source import Source
from shoal.microaggregation.attributes import information_loss, standardised
from shoal.microaggregation.spaces import groups_of_table

PUBLISHED = {
    "tarragona.csv": {3: "16.9326", 4: "19.5460", 5: "22.46", 10: "33.1929"},
    "census.csv": {3: "5.6922", 4: "7.4947", 5: "9.0884", 10: "14.1559"},
}
COLUMNS = 10


def numpy_mdav(values: Floats, k: int) -> Ints:
    """MDAV with one array operation a step; of equals the first row is taken."""
    live, group, count = np.arange(len(values)), np.empty(len(values), np.int64), 0

    def squared(point: Floats) -> Floats:
        return np.asarray(((values[live] - point) ** 2).sum(axis=1))

    def gather(seed: int) -> None:
        nonlocal live, count
        distances = squared(values[seed])
        within = np.flatnonzero(distances <= np.partition(distances, k - 1)[k - 1])
        nearest = within[np.argsort(distances[within], kind="stable")[:k]]
        group[live[nearest]] = count
        live, count = np.delete(live, nearest), count + 1

    def farthest(point: Floats) -> int:
        return int(live[np.argmax(squared(point))])

    while len(live) >= 3 * k:
        first = farthest(values[live].mean(axis=0))
        gather(first)
        gather(farthest(values[first]))
    if len(live) >= 2 * k:
        gather(farthest(values[live].mean(axis=0)))
    group[live] = count
    return group


def made_up(kind: str, rows: int) -> Floats:
    """Independent normal numbers, the hardest case for bounds, or numbers that follow three causes and some noise."""
    rng = np.random.default_rng(rows)
    noise = rng.normal(size=(rows, COLUMNS))
    return noise if kind == "independent" else rng.normal(size=(rows, 3)) @ rng.normal(size=(3, COLUMNS)) + 0.3 * noise


def published_losses() -> list[dict[str, Any]]:
    found = []
    for name, losses in PUBLISHED.items():
        if (path := data_file(name)) is None:
            continue
        table = read_microdata([Source.of(path)], ReadOptions(format="microdata")).data
        assert isinstance(table, Table)
        for k, printed in losses.items():
            loss = 100 * information_loss(table.numbers, groups_of_table(table, k))
            reached = f"{loss:.{len(printed.split('.')[1])}f}" == printed
            found.append({"data": name, "k": k, "published": printed, "L": f"{loss:.6f}", "reached": reached})
    return found


def against_numpy(rows: int, k: int) -> dict[str, Any]:
    """Both in turn, sorting and standardising included; seconds of processor time, which a busy machine changes less."""
    table = Table.from_numbers(made_up("independent", rows))
    started = time.process_time()
    ours = groups_of_table(table, k)
    between = time.process_time()
    order = table.content_order()
    theirs = numpy_mdav(standardised(table.numbers)[order], k)
    ended = time.process_time()
    times = {"CPU seconds": between - started, "numpy": ended - between, "ratio": (ended - between) / (between - started)}
    return {"rows": rows, "k": k, **times, "same groups": bool(np.array_equal(ours[order], theirs))}


def growth(kind: str, rows: int, k: int) -> dict[str, Any]:
    table = Table.from_numbers(made_up(kind, rows))
    held, started, cpu = forget_peak(), time.perf_counter(), time.process_time()
    group = groups_of_table(table, k)
    took, worked = time.perf_counter() - started, time.process_time() - cpu
    added = peak_since() - held
    row = {"data": kind, "rows": rows, "columns": COLUMNS, "k": k, "seconds": took, "CPU seconds": worked, "added MB": added}
    return row | {"L": 100 * information_loss(table.numbers, group)}


def main() -> int:
    """Measure and print; 1 where a number differs from what it must be."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, nargs="*", default=[20_000, 50_000, 100_000])
    parser.add_argument("--k", type=int, default=3)
    parser.add_argument("--reference", type=int, default=20_000)
    options = parser.parse_args()
    losses = published_losses()
    show("published losses", losses)
    beside = against_numpy(options.reference, options.k)
    show("beside numpy", [beside])
    show("growth", [growth(kind, rows, options.k) for kind in ("correlated", "independent") for rows in options.rows])
    return 0 if all(row["reached"] for row in losses) and beside["same groups"] else 1


if __name__ == "__main__":
    sys.exit(main())
