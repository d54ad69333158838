"""Disassociation at k = 5: words in chunks, words and pairs that still stand together, beside suppression alone; seconds and megabytes.

Every release is judged by the model disassociated-km-anonymity, with the original at hand. Seconds are of the processor: of the method, and
of the judge; megabytes are the most that the method held beyond what was held before. `coherence` is what coherence with p = m leaves.

Run:  SHOAL_DATA=... python benchmarks/disassociation.py [--users 2000] [--m 2] [--data BMS,last.fm]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from common import data_file, show
from datasets import Source, sources
from km import timed
from shoal.data.original import Original
from shoal.data.tables.chunks import ChunkTable
from shoal.io.read.formats import ReadOptions
from shoal.methods import METHODS
from shoal.metrics import measure
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import prepare

K = 5
SIZES = (0, 100, 1_000, 10_000)


def data_sets(users: int) -> dict[str, Source]:
    """Click streams, and what words are counted of."""
    baskets = ReadOptions(format="transactions", sep=" ")
    found = {}
    for name in ("BMS-WebView-1", "BMS-WebView-2"):
        path: Path | None = data_file(f"{name}.dat.gz")
        if path:
            found[name] = Source(path, baskets, grains=("user",))
    return found | sources(users)


def measured(original: Original, m: int, cluster: int) -> dict[str, Any]:
    """One release, judged; an error where the judge does not agree."""
    release, seconds, megabytes = timed(METHODS["disassociation"](k=K, m=m, cluster=cluster, rare_words="publish"), original)
    started = time.process_time()
    (verdict,) = [claim.check(release, original) for claim in release.claims]
    judged = time.process_time() - started
    assert verdict.holds, verdict
    names = ["kept", "in_chunks", "together", "pairs_together", "pair_recall", "pair_error"]
    numbers = measure(release, original, names)
    table = release.only(ChunkTable)
    return {
        "clusters": table.facts()["clusters"],
        **{f"{name} %": round(100 * numbers[name], 1) for name in names},
        "s": round(seconds, 2),
        "judge s": round(judged, 2),
        "MB": round(megabytes),
    }


def suppressed(original: Original, m: int) -> float:
    """The words as typed, in percent, that suppression alone leaves."""
    release = METHODS["coherence"](k=K, p=m).apply(original)
    assert release.accounting is not None
    return round(100 * release.accounting.occurrences["kept"] / release.accounting.occurrences.total, 1)


def rows(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Every data set by what one record is, with each size of clusters."""
    for name, source in data_sets(options.users).items():
        if not name.startswith(tuple(options.data.split(","))):
            continue
        for per in source.grains:
            how = replace(Preparation.default_for(METHODS["disassociation"]()), read=source.read, per=per)  # type: ignore[arg-type]
            original = prepare(source.path, how).records
            base = suppressed(original, options.m)
            for cluster in SIZES:
                yield {"data": name, "per": per, "cluster": cluster, "coherence %": base, **measured(original, options.m, cluster)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=2000, help="people in the generated log")
    parser.add_argument("--m", type=int, default=2, help="terms that an attacker may know")
    parser.add_argument("--data", default="", help="data sets whose names begin so")
    options = parser.parse_args()
    show(f"disassociation, k = {K}, m = {options.m}", list(rows(options)))


if __name__ == "__main__":
    main()
