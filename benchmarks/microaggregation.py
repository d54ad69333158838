"""Microaggregation: what each effort loses on the literature's two reference files, and time, growth and memory beside MDAV.

    python benchmarks/microaggregation.py [--rows 20000 100000] [--k 3]
    python benchmarks/microaggregation.py --exchanges      large groups, and attributes of several kinds

Ends with exit code 1 where the default effort does not lose less than a plain search by moves and swaps, or a greater effort loses more.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

import numpy as np
import polars as pl

from common import data_file, forget_peak, peak_since, show
from mdav import made_up
from shoal.data.original import TableOriginal
from shoal.data.table import Attribute, Table
from shoal.io.read.microdata import read_microdata
from shoal.io.read.options import ReadOptions
from shoal.io.read.source import Source
from shoal.methods.bases.microdata import TableMethod
from shoal.methods.mdav import MDAV
from shoal.methods.microaggregation import EFFORTS, Microaggregation
from shoal.metrics.information_loss import information_loss as information_loss_of
from shoal.microaggregation.attributes import information_loss

MOVES_AND_SWAPS = {"tarragona.csv": {3: 14.91, 5: 20.83, 10: 30.72}, "census.csv": {3: 5.245, 5: 8.188, 10: 12.31}}


def timed(method: TableMethod, table: Table) -> tuple[float, float]:
    """L, and seconds of processor time."""
    started = time.process_time()
    group = method.grouped(table)
    took = time.process_time() - started
    return 100 * information_loss(table.numbers, group), took


def methods(k: int) -> dict[str, TableMethod]:
    return {"mdav": MDAV(k=k)} | {effort: Microaggregation(k=k, effort=effort) for effort in EFFORTS}


def losses() -> list[dict[str, Any]]:
    found = []
    for name, bounds in MOVES_AND_SWAPS.items():
        if (path := data_file(name)) is None:
            continue
        table = read_microdata([Source.of(path)], ReadOptions(format="microdata")).data
        assert isinstance(table, Table)
        for k, bound in bounds.items():
            measured = {what: timed(method, table) for what, method in methods(k).items()}
            row: dict[str, Any] = {"data": name, "k": k, "moves and swaps": str(bound)}
            for what, (loss, took) in measured.items():
                row |= {what: f"{loss:.3f}", f"s {what}": took}
            falling = [loss for loss, _ in measured.values()]
            found.append(row | {"in order": falling == sorted(falling, reverse=True) and measured["balanced"][0] < bound})
    return found


def growth(kind: str, rows: int, k: int, what: str) -> dict[str, Any]:
    table = Table.from_numbers(made_up(kind, rows))
    held, started = forget_peak(), time.perf_counter()
    loss, worked = timed(methods(k)[what], table)
    took, added = time.perf_counter() - started, peak_since() - held
    return {"data": kind, "rows": rows, "k": k, "": what, "seconds": took, "CPU seconds": worked, "added MB": added, "L": loss}


def mixed(rows: int) -> Table:
    """Two numbers, ranks and categories, which follow one another."""
    first, second, third = made_up("correlated", rows)[:, :3].T
    ranks = np.searchsorted(np.quantile(first, [0.2, 0.4, 0.6, 0.8]), first + third / 4)
    names = [f"c{at}" for at in np.searchsorted(np.quantile(second, np.arange(1, 12) / 12), second + third / 4).tolist()]
    attributes = (
        Attribute("first", "numeric", pl.Series(first)),
        Attribute("third", "numeric", pl.Series(third)),
        Attribute("rank", "ordinal", pl.Series(ranks.astype(np.float64))),
        Attribute("name", "nominal", pl.Series(names)),
    )
    return Table(attributes, np.arange(rows))


def exchanges() -> list[dict[str, Any]]:
    """What groups lose that are improved by exchanges: large ones, and those of attributes of several kinds."""
    found = []
    tables = {"correlated": lambda rows: Table.from_numbers(made_up("correlated", rows)), "mixed": mixed}
    for kind, rows, k in [
        ("correlated", 3_000, 60),
        ("correlated", 4_500, 1_100),
        ("correlated", 9_000, 1_500),
        ("mixed", 3_000, 3),
        ("mixed", 3_000, 10),
    ]:
        original = TableOriginal(tables[kind](rows))
        row: dict[str, Any] = {"data": kind, "rows": rows, "k": k}
        for what in ("mdav", "fast", "balanced"):
            started = time.process_time()
            release = methods(k)[what].apply(original)
            row |= {what: f"{100 * information_loss_of(release, original):.3f}", f"s {what}": time.process_time() - started}
        found.append(row)
    return found


def main() -> int:
    """Measure and print; 1 where a loss is not what it must be."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--exchanges", action="store_true")
    parser.add_argument("--rows", type=int, nargs="*", default=[20_000, 100_000])
    parser.add_argument("--k", type=int, default=3)
    options = parser.parse_args()
    if options.exchanges:
        show("groups improved by exchanges, L in %", exchanges())
        return 0
    found = losses()
    show("losses, L in %, and CPU seconds", found)
    kinds = [(kind, rows, what) for kind in ("correlated", "independent") for rows in options.rows for what in ("mdav", "fast", "balanced")]
    show("growth, 10 columns", [growth(kind, rows, options.k, what) for kind, rows, what in kinds])
    return 0 if all(row["in order"] for row in found) else 1


if __name__ == "__main__":
    sys.exit(main())
