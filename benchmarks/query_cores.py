"""The method query-cores: what is left of logs by k and theta beside the method threshold, and its time and memory.

    python benchmarks/query_cores.py [--users 2000] [--speed 2000 10000 50000]

Shares are of different queries and of rows (the volume) that have a word. Every release is verified with its original. Times are of the
processor, of all threads, in a process of its own for each size, which also tells the most memory that it held.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from common import data_file, forget_peak, peak_since, show
from shoal.data.original import LogOriginal
from shoal.data.query_units import Unit
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.errors import Infeasible
from shoal.io.read.formats import ReadOptions
from shoal.methods import Method
from shoal.methods.query_cores import QueryCores
from shoal.methods.threshold import Threshold
from shoal.pipeline.contract import made_by
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import prepare
from threshold import generated

KS = (5, 10, 30)


def rules(k: int) -> Iterator[tuple[str, Method]]:
    """What is compared at this k."""
    yield "threshold, by query", Threshold(k=k)
    yield "threshold, by term", Threshold(k=k, unit=Unit("term"))
    for theta in (0.8, 0.6, 0.5, 0.4):
        yield f"theta {theta}", QueryCores(k=k, theta=theta)
    yield "theta 0.5, words of 2", QueryCores(k=k, theta=0.5, word_people=2)
    yield f"theta 0.5, words of {k}", QueryCores(k=k, theta=0.5, word_people=k)


def logs(users: int) -> Iterator[tuple[str, Path, ReadOptions]]:
    """The logs to measure on, as they are read."""
    excite, lastfm = data_file("excite-small.log.gz"), data_file("lastfm-tags.tsv.gz")
    yield f"generated, {users:,} people", generated(users), ReadOptions()
    if lastfm is not None:
        yield "last.fm (1,892 people)", lastfm, ReadOptions(user="user", time="time", text="tag")
    if excite is not None:
        yield "Excite (891 people)", excite, ReadOptions()


def read(path: Path, options: ReadOptions) -> LogOriginal:
    """The log as a method takes it."""
    original = prepare(path, Preparation(read=options, typed_names=True, shape="log")).original
    assert isinstance(original, LogOriginal)
    return original


def shares(release: Release | None, original: LogOriginal) -> dict[str, str]:
    """Of different queries and rows those published, in percent; of different published queries those of one person."""
    queries = original.log.frame.filter(original.log.frame["payload"].str.contains(r"\S"))
    if release is None:
        return {"queries": "0.0", "volume": "0.0", "of one person": ""}
    texts = release.only(RowTable).frame[release.only(RowTable).unit]
    people = queries.filter(pl.col("payload").is_in(texts.unique().implode())).group_by("payload").agg(pl.col("owner").n_unique())["owner"]
    return {
        "queries": f"{100 * texts.n_unique() / queries['payload'].n_unique():.1f}",
        "volume": f"{100 * len(texts) / len(queries):.1f}",
        "of one person": f"{100 * (people == 1).sum() / max(1, len(people)):.1f}",
    }


def table_of_shares(users: int) -> None:
    """What each rule publishes of each log."""
    rows = []
    for name, path, options in logs(users):
        original = read(path, options)
        for k in KS:
            for rule, method in rules(k):
                rows.append({"log": name, "k": str(k), "rule": rule, **shares(_verified(method, original), original)})
    show("published, in percent", rows)


def _verified(method: Method, original: LogOriginal) -> Release | None:
    try:
        release = made_by(method, original)
    except Infeasible:
        return None
    assert all(claim.check(release, original).holds for claim in release.claims)
    return release


def speed_of(users: int) -> dict[str, Any]:
    """Processor seconds of the method and of its judge on a generated log, and the most memory held."""
    original = read(generated(users), ReadOptions())
    method = QueryCores(k=5)
    begin, started = forget_peak(), time.process_time()
    release = made_by(method, original)
    made, most = time.process_time(), peak_since()
    forget_peak()
    assert all(claim.check(release, original).holds for claim in release.claims)
    judged = time.process_time()
    return {
        "people": f"{users:,}",
        "rows": f"{len(original.log):,}",
        "different queries": f"{original.log.frame['payload'].n_unique():,}",
        "method, s": f"{made - started:.1f}",
        "judge, s": f"{judged - made:.1f}",
        "log read, MB": f"{begin:.0f}",
        "method, MB": f"{most:.0f}",
        "judge, MB": f"{peak_since():.0f}",
    }


def table_of_speed(sizes: list[int]) -> None:
    """Each size in a process of its own."""
    found = [subprocess.run([sys.executable, __file__, "--one", str(users)], capture_output=True, check=True) for users in sizes]
    show("processor time and memory, k = 5, theta 0.5", [json.loads(done.stdout.splitlines()[-1]) for done in found])


def main() -> None:
    """Parse the command line and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--users", type=int, default=2000)
    parser.add_argument("--speed", type=int, nargs="*", default=[2000, 10_000, 50_000])
    parser.add_argument("--one", type=int)
    options = parser.parse_args()
    if options.one is not None:
        print(json.dumps(speed_of(options.one)))
        return
    table_of_shares(options.users)
    table_of_speed(options.speed)


if __name__ == "__main__":
    main()
