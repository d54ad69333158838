"""The method threshold: what is left of real logs by rule and k, and its time beside that of Polars reading and grouping the same file.

    python benchmarks/threshold.py [--users 50000] [--rows 10000000] [--only left|speed]

Volume are rows: a row counts as published if a word of it is that says something, as typed or replaced, and not a stop word alone. By
query a row is published whole or not at all; by term a query with a rare word is dropped; "rare left out" and "generalized" keep the rest
of the query. Times are of the processor, of all threads, taken in turn; each work is done in a process of its own, and the most memory
that it held is told.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl

from common import RESULTS, data_file, peak_megabytes, show
from shoal.data.original import LogOriginal
from shoal.data.release import Release
from shoal.errors import Infeasible
from shoal.io.read.formats import ReadOptions
from shoal.io.synthetic_log import generate
from shoal.methods.threshold import Threshold
from shoal.pipeline.contract import made_by
from shoal.pipeline.options import Preparation, Target
from shoal.pipeline.prepare import prepare
from shoal.pipeline.run import anonymize, publish
from shoal.text.terms import is_stop_word

KS = (5, 10, 30)
RULES: dict[str, dict[str, Any]] = {
    "by query": {"unit": "query"},
    "by term": {"unit": "term"},
    "by term, rare left out": {"unit": "term", "rare": "omit"},
    "by term, generalized": {"unit": "term", "rare": "generalize"},
}
ROWS_PER_USER = 42.6  # rows of a generated log, about


# -- what is left


def logs(users: int) -> Iterator[tuple[str, Path, ReadOptions]]:
    """The logs to measure on, as they are read."""
    lastfm, excite = data_file("lastfm-tags.tsv.gz"), data_file("excite-small.log.gz")
    if lastfm is not None:
        yield "last.fm", lastfm, ReadOptions(user="user", time="time", text="tag")
    if excite is not None:
        yield "Excite", excite, ReadOptions()
    yield f"generated, {users:,} users", generated(users), ReadOptions()


def generated(users: int) -> Path:
    """A made-up query log, written once and used again."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"log-{users}.tsv"
    if not path.exists():
        generate(path, users)
    return path


def left(path: Path, options: ReadOptions, settings: dict[str, Any]) -> dict[str, str]:
    """Shares of a log that a rule publishes, in percent."""
    method = Threshold(**settings)
    original = prepare(path, Preparation(read=options, taxonomy="wordnet", typed_names=True, shape="log")).original
    assert isinstance(original, LogOriginal)
    try:
        release = made_by(method, original)
    except Infeasible:
        return {}
    assert all(claim.check(release, original).holds for claim in release.claims)
    return {name: f"{100 * share:.1f}" for name, share in shares(release, original).items()}


def shares(release: Release, original: LogOriginal) -> dict[str, float]:
    """Of different queries and rows those published with a telling word; of rows those whole and partly; of words as typed and replaced."""
    assert release.secret is not None
    (table,) = release.tables.values()
    place, texts = release.secret.rows(), original.log.texts
    typed = texts.vocabulary.names
    queries = typed.gather(texts.items).str.replace_all(r"\s+", " ").str.strip_chars()
    shown = table.frame[table.unit].gather(pl.Series(place).replace(-1, None).cast(pl.UInt32))  # type: ignore[attr-defined]
    pairs = pl.DataFrame({"query": texts.items, "asked": queries, "shown": shown}).filter(pl.col("asked") != "")
    rows = pairs.group_by("asked", "shown").agg(n=pl.len(), query=pl.col("query").first())
    words = [pl.col(name).str.extract_all(r"\S+") for name in ("asked", "shown")]
    rows = rows.with_columns(words[0].alias("before"), words[1].fill_null([]).alias("after"))
    rows = rows.with_columns(telling=_telling(rows["after"]), whole=pl.col("asked") == pl.col("shown").fill_null(""))
    n, total = rows["n"], int(rows["n"].sum())
    same = _same_words(rows)
    all_words = int((rows["before"].list.len() * n).sum())
    kept, other = int((same * n).sum()), int(((rows["after"].list.len() - same) * n).sum())
    telling = rows["telling"].to_numpy()
    return {
        "distinct": len(set(rows["query"].filter(pl.Series(telling)).to_list())) / max(1, rows["query"].n_unique()),
        "volume": int(n.filter(pl.Series(telling)).sum()) / total,
        "whole": int(n.filter(rows["whole"]).sum()) / total,
        "partly": int(n.filter(pl.Series(telling) & ~rows["whole"]).sum()) / total,
        "words as typed": kept / all_words,
        "words replaced": other / all_words,
    }


def _telling(lists: pl.Series) -> np.ndarray:
    """Which lists hold a word that is no stop word."""
    words = pl.DataFrame({"list": lists}).with_row_index("row").explode("list").drop_nulls()
    telling = words.filter(~is_stop_word(words["list"].str.to_lowercase()))["row"].unique()
    found = np.zeros(len(lists), bool)
    found[telling.to_numpy()] = True
    return found


def _same_words(rows: pl.DataFrame) -> pl.Series:
    """How many words of each row are published as typed."""
    found = np.where(rows["whole"].to_numpy(), rows["before"].list.len().to_numpy(), 0).astype(np.int64)
    partly = rows.with_row_index("row").filter(~pl.col("whole") & pl.col("shown").is_not_null())
    lists = zip(partly["before"].to_list(), partly["after"].to_list(), strict=True)
    found[partly["row"].to_numpy()] = [len(_common(before, after)) for before, after in lists]
    return pl.Series(found)


def _common(before: list[str], after: list[str]) -> list[str]:
    """Words that are there before and after, each as often as in both."""
    rest, found = list(after), []
    for word in before:
        if word in rest:
            rest.remove(word)
            found.append(word)
    return found


def table_of_shares(users: int) -> None:
    """Every log, k and rule."""
    rows, gains = [], []
    for name, path, options in logs(users):
        for k in KS:
            volume = {}
            for rule, settings in RULES.items():
                found = left(path, options, {"k": k, **settings})
                volume[rule] = float(found.get("volume", 0))
                rows.append({"log": name, "k": k, "rule": rule, **(found or {"distinct": "nothing is left"})})
                print(rows[-1], flush=True)
            ratio = volume["by term, generalized"] / volume["by term"] if volume["by term"] else float("inf")
            gains.append({"log": name, "k": k, "generalized / by term": f"{ratio:.2f}"})
    show("Percent of different queries, rows (volume), rows whole and partly, words as typed and replaced", rows)
    show("Volume by term with generalization, as a multiple of that by term", gains)


# -- speed


def polars_groups(path: Path) -> None:
    """What Polars takes to read the file and to count the people of each query."""
    frame = pl.read_csv(path, separator="\t", quote_char=None, columns=["AnonID", "Query"])
    frame.group_by("Query").agg(pl.col("AnonID").n_unique())


def passed(path: Path, settings: dict[str, Any]) -> None:
    """Read the file and apply the method."""
    method = Threshold(**settings)
    made_by(method, prepare(path, Preparation.default_for(method)).original)


def whole_run(path: Path, settings: dict[str, Any]) -> None:
    """The same, judged with the original, measured, written, read back and judged again, with its report."""
    method = Threshold(**settings)
    with TemporaryDirectory(dir=path.parent) as place:
        publish(anonymize(prepare(path, Preparation.default_for(method)), method).publishable(), Target(Path(place) / "release"))


WORKS: dict[str, Callable[[Path], None]] = {
    "Polars: read and group": polars_groups,
    "by query: read and apply": lambda path: passed(path, {"k": 30}),
    "by term: read and apply": lambda path: passed(path, {"k": 30, "unit": "term"}),
    "by term, generalized: read and apply": lambda path: passed(path, {"k": 30, "unit": "term", "rare": "generalize"}),
    "by query: whole run": lambda path: whole_run(path, {"k": 30}),
    "by term, generalized: whole run": lambda path: whole_run(path, {"k": 30, "unit": "term", "rare": "generalize"}),
}


def one(work: str, path: Path) -> None:
    """Do one work in this process, and print its time and memory for the process that asked."""
    begun = time.process_time()
    WORKS[work](path)
    print(json.dumps({"seconds": time.process_time() - begun, "megabytes": peak_megabytes()}))


def table_of_times(rows: int, repeats: int) -> None:
    """The shortest of a few runs of each work, taken in turn."""
    path = generated(round(rows / ROWS_PER_USER))
    best: dict[str, dict[str, float]] = {}
    for _ in range(repeats):
        for work in WORKS:
            command = [sys.executable, __file__, "--one", work, "--path", str(path)]
            found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
            best[work] = min(best.get(work, found), found, key=lambda run: run["seconds"])
            print(work, found, flush=True)
    least = best["Polars: read and group"]["seconds"]
    lines = sum(1 for _ in path.open("rb")) - 1
    cells = [
        {
            "work": work,
            "seconds": f"{run['seconds']:.1f}",
            "times Polars": f"{run['seconds'] / least:.2f}",
            "MB": f"{run['megabytes']:,.0f}",
        }
        for work, run in best.items()
    ]
    show(f"{lines:,} rows, processor time", cells)


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--users", type=int, default=50_000)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--only", choices=["left", "speed"])
    parser.add_argument("--one")
    parser.add_argument("--path", type=Path)
    options = parser.parse_args()
    if options.one:
        one(options.one, options.path)
        return
    if options.only != "speed":
        table_of_shares(options.users)
    if options.only != "left":
        table_of_times(options.rows, options.repeats)


if __name__ == "__main__":
    main()
