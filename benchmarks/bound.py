"""The bound beside what methods lose, on every data set: it must never be above any of them.

    python benchmarks/bound.py [--k 2 5 10] [--data NAME ...] [--effort thorough] [--large] [--only-shoal]

`--large` adds a log of 500,000 users, where a sample is examined; `--only-shoal` leaves out all methods but `shoal`. The last column is
the least loss over the bound: how far the best method may be from what is possible. Ends with exit code 1 where the bound is above a loss.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from common import peak_megabytes, show
from datasets import ALL, generated
from shoal.data.original import Original
from shoal.methods import Method
from shoal.methods.clump import Clump
from shoal.methods.partition import Partition
from shoal.methods.shoal import Shoal
from shoal.metrics.losses import loss
from shoal.taxonomy.bound import loss_lower_bound

LARGE = 500_000


def rivals(k: int) -> dict[str, Method]:
    """The methods that publish generalizations of groups of k."""
    return {
        "shoal": Shoal(k=k),
        "shoal fast": Shoal(k=k, effort="fast"),
        "clump": Clump(k=k),
        "clump printed": Clump(k=k, criterion="total"),
        "partition": Partition(k=k),
        "partition as printed": Partition(k=k, publish_as="set"),
        "partition lcg": Partition(k=k, publish_as="lcg"),
    }


def compare(name: str, data: Original, k: int, effort: str, only_shoal: bool = False) -> dict[str, Any]:
    """The bound, and what each method, or `shoal` alone, loses, at one k."""
    started = time.perf_counter()
    quick = loss_lower_bound(data.bags, data.tree, k, effort="fast")
    began = time.process_time()
    bound = loss_lower_bound(data.bags, data.tree, k, effort=effort)
    worked = time.process_time() - began
    taken = time.perf_counter() - started
    print(f"{name}, k = {k}: {bound.normalised:.4f} in {worked:.1f} s of processor time, {quick.normalised:.4f} when fast", flush=True)
    tried = {label: method for label, method in rivals(k).items() if label == "shoal" or not only_shoal}
    losses = {label: loss(method.apply(data), data) for label, method in tried.items()}
    best = min(losses.values())
    row = {"data": name, "records": len(data.bags), "k": k, "fast": quick.normalised, "bound": bound.normalised, "exact": bound.exact}
    row |= {"seconds": taken, "processor": worked}
    return row | losses | {"best/bound": best / bound.normalised if bound.normalised > 0 else float("nan")}


def main() -> int:
    """Measure and print; 1 where the bound is above a loss."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--k", type=int, nargs="+", default=[2, 5, 10])
    parser.add_argument("--data", nargs="+", choices=list(ALL), default=list(ALL))
    parser.add_argument("--effort", choices=("fast", "balanced", "thorough"), default="balanced")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--only-shoal", action="store_true")
    options = parser.parse_args()
    sets = {name: ALL[name] for name in options.data}
    if options.large:
        sets[f"generated, {LARGE:,} users"] = lambda: generated(LARGE)
    rows = []
    for name, load in sets.items():
        if (data := load()) is None:
            continue
        for k in options.k:
            rows.append(compare(name, data, k, options.effort, options.only_shoal))
            show(name, rows[-1:])
    show(f"all; peak of memory {peak_megabytes():,.0f} MB", rows)
    broken = [(row["data"], row["k"], label) for row in rows for label in rivals(2) if row["bound"] > row.get(label, 1.0) + 1e-9]
    print("the bound is above a loss: " + str(broken) if broken else "the bound is nowhere above a loss")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
