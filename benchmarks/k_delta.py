"""What k-delta keeps and adds, by distance and price, and how long it and its judge take.

    python benchmarks/k_delta.py [--k 5] [--users 5000 20000] [--price 1]

The data are last.fm's tags and generated logs of so many people, one record a person, words as typed. Kept is the share of all words that
are published as they were typed, added the share of the published words that their people did not type, alone the share of published
records that hold a word which no other published record holds. Seconds are of processor time, of one run; the memory is the largest that
the whole process had so far.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from common import data_file, show
from datasets import LASTFM, generated_log
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.io.read.formats import ReadOptions
from shoal.methods.k_delta import KDelta
from shoal.metrics import measure
from shoal.pipeline.options import NO_TAXONOMY, Preparation
from shoal.pipeline.prepare import prepare

DELTAS = (0.0, 0.2, 0.5, 0.8)


def read(path: Path, options: ReadOptions) -> Original:
    return prepare(path, Preparation(read=options, taxonomy=NO_TAXONOMY)).records


def alone(release: Release) -> float:
    """The share of published records with a word that is in no other."""
    published = release.published
    holders = np.bincount(published.items)
    record = np.repeat(np.arange(len(published)), np.diff(published.indptr))
    return len(np.unique(record[holders[published.items] == 1])) / max(1, len(published))


def row(original: Original, method: KDelta) -> dict[str, Any]:
    """One release, judged."""
    started = time.process_time()
    release = method.apply(original)
    made = time.process_time()
    (verdict,) = [claim.check(release, original) for claim in release.claims]
    judged = time.process_time()
    assert verdict.holds, verdict.witnesses
    found = measure(release, original, ["kept", "added"])
    return {
        "delta": method.delta,
        "kept, %": f"{100 * found['kept']:.1f}",
        "added, %": f"{100 * found['added']:.1f}",
        "withheld, %": f"{100 * (1 - release.n_records / len(original.bags)):.1f}",
        "alone, %": f"{100 * alone(release):.1f}",
        "method, s": f"{made - started:.1f}",
        "judge, s": f"{judged - made:.1f}",
        "memory, MB": f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f}",
    }


def data_sets(users: list[int]) -> Iterator[tuple[str, Original]]:
    if path := data_file("lastfm-tags.tsv.gz"):
        yield "last.fm", read(path, LASTFM)
    for n in users:
        yield f"generated, {n:,} users", read(generated_log(n), ReadOptions())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--users", type=int, nargs="*", default=[5_000, 20_000])
    parser.add_argument("--price", type=float, default=1.0)
    options = parser.parse_args()
    for name, original in data_sets(options.users):
        methods = [KDelta(k=options.k, delta=delta, price=options.price) for delta in DELTAS]
        show(f"{name}, k = {options.k}, price {options.price:g}", [row(original, method) for method in methods])


if __name__ == "__main__":
    main()
