"""How many words each method publishes as they were typed, by data set and by what one record is; two versions side by side.

    python benchmarks/kept_words.py [--before CHECKOUT] [--users 2000] [--k 5] [--methods ssc,coherence] [--data Excite]

The share is of all word occurrences of the records as a method is given them, words that the taxonomy does not know included. An
occurrence counts as typed if its record is published with that word in that spelling, and as within one level if it is published so or as
its parent in the taxonomy, which must not be the root nor the node above all unlisted words. All are counted from the original and the
release alone, so that every version is measured the same way; loss is GGD per occurrence by the node loss `lm`, whatever a version's
default; seconds are of processor time, of one run. A version is a checkout with kernels built in it; each runs in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from common import ROOT, data_file, show
from shoal.data.bags import Bags
from shoal.data.original import Original, shared_occurrences
from shoal.data.release import Release
from shoal.data.taxonomy import Taxonomy
from shoal.io.read.formats import ReadOptions
from shoal.methods import METHODS, Method
from shoal.metrics import measure
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import prepare

GRAINS = ("user", "session", "event")


@dataclass(frozen=True)
class Source:
    """A data set: its file, how it is read, its taxonomy, and what one record of it may be."""

    path: Path
    read: ReadOptions
    taxonomy: str = "wordnet"
    grains: tuple[str, ...] = GRAINS


def sources(users: int) -> dict[str, Source]:
    """The data sets that are at hand, by name."""
    from datasets import LASTFM, LINES, generated_log

    found = {}
    if path := data_file("excite-small.log.gz"):
        found["Excite"] = Source(path, ReadOptions())
    if path := data_file("lastfm-tags.tsv.gz"):
        found["last.fm"] = Source(path, LASTFM, grains=("user",))
    path, taxonomy = data_file("groceries-baskets.csv"), data_file("groceries-taxonomy.tsv")
    if path and taxonomy:
        found["groceries"] = Source(path, LINES, str(taxonomy), ("user",))
    found[f"generated, {users:,} users"] = Source(generated_log(users), ReadOptions())
    return found


def methods(k: int) -> dict[str, dict[str, Any]]:
    """What is compared: a label, and the parameters of the method it begins with."""
    return {
        "shoal": {"k": k},
        "ssc": {"k": k},
        "coherence, p = 1": {"k": k, "p": 1},
        "coherence, p = 2": {"k": k, "p": 2},
        "coherence, p = 3": {"k": k, "p": 3},
        "partition": {"k": k},
    }


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    asked.add_argument("--before", type=Path, help="another checkout to compare with")
    asked.add_argument("--users", type=int, default=2000, help="people in the generated log")
    asked.add_argument("--k", type=int, default=5)
    asked.add_argument("--methods", default="", help="only methods whose label begins so; several by commas")
    asked.add_argument("--data", default="", help="only data sets whose name begins so; several by commas")
    asked.add_argument("--as-json", action="store_true", help="a line of JSON for each measurement of this version, and no table")
    said = asked.parse_args()
    if said.as_json:
        for row in measurements(said):
            print(json.dumps(row), flush=True)
        return
    versions = {"before": said.before.resolve(), "after": ROOT} if said.before else {"after": ROOT}
    show(
        f"Words published at k = {said.k}, in percent of all words of the records; within: as typed or as their parent",
        side_by_side({name: in_checkout(checkout) for name, checkout in versions.items()}),
    )


def in_checkout(checkout: Path) -> list[dict[str, Any]]:
    """The measurements by the sources of a checkout, in a process of its own."""
    command = [sys.executable, str(Path(__file__).resolve()), *sys.argv[1:], "--as-json"]
    told = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": str(checkout / "src")}, stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    return [json.loads(line) for line in told.splitlines() if line.startswith("{")]


def side_by_side(found: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """One row for each case, with the numbers of every version; the oldest version's denominator is checked against the newest's."""
    rows = []
    for several in zip(*found.values(), strict=True):
        cases = {(row["data"], row["per"], row["method"], row["words"]) for row in several}
        if len(cases) != 1:
            raise SystemExit(f"the versions were given different words: {sorted(cases)}")
        row = {name: several[0][name] for name in ("data", "per", "method", "words")}
        for version, one in zip(found, several, strict=True):
            row |= {f"{name} {version}": one[name] for name in ("typed", "within", "terms", "loss", "seconds")}
        rows.append(row)
    return rows


def measurements(said: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Every method on every data set, as often as records can be cut out of it."""
    for data, source in sources(said.users).items():
        if not data.startswith(tuple(said.data.split(","))):
            continue
        for per in source.grains:
            for label, parameters in methods(said.k).items():
                if label.startswith(tuple(said.methods.split(","))):
                    method = METHODS[label.split(",")[0]](**parameters)
                    yield {"data": data, "per": per, "method": label, **one(method, source, per)}


def one(method: Method, source: Source, per: str) -> dict[str, Any]:
    """One release, its claims checked, and what it says."""
    how = replace(Preparation.default_for(method), read=source.read, per=per)  # type: ignore[arg-type]
    if method.needs_taxonomy:
        how = replace(how, taxonomy=source.taxonomy)
    original = prepare(source.path, how).records
    started = time.process_time()
    release = method.apply(original)
    taken = time.process_time() - started
    for claim in release.claims:
        if not claim.check(release, original).holds:
            raise SystemExit(f"{method.name} broke its claim {claim}")
    in_lm = original if how.loss == "lm" else prepare(source.path, replace(how, loss="lm")).records
    return {
        "words": original.bags.occurrences,
        **{name: f"{100 * share:.2f}" for name, share in kept_words(release, original).items()},
        "terms": len(np.unique(release.published.items)),
        "loss": f"{100 * measure(release, in_lm, ['loss'])['loss']:.1f}",
        "seconds": f"{taken:.2f}",
    }


def kept_words(release: Release, original: Original) -> dict[str, float]:
    """The shares of word occurrences published as they were typed, and as that or as their parent."""
    release = original.aligned(release)
    assert release.secret is not None
    rows, all_words = release.secret.rows(), original.bags.occurrences
    themselves = shared_occurrences(original.bags, release.published, rows)
    typed = shared_occurrences(original.spelled, release.published, rows)
    parents = as_parents(original.bags, release.published, rows, original.tree) if original.on_taxonomy else 0
    return {"typed": typed / all_words, "within": (themselves + parents) / all_words}


def as_parents(bags: Bags, published: Bags, rows: Any, tree: Taxonomy) -> int:
    """Occurrences not published as themselves that a published parent can stand for, each copy of which stands for one."""
    telling_nothing = [0] if tree.unlisted is None else [0, tree.unlisted]
    mine = entries(bags, "record").with_columns(row=pl.Series(np.repeat(rows, np.diff(bags.indptr)))).filter(pl.col("row") >= 0)
    theirs = entries(published, "row")
    both = mine.join(theirs.rename({"count": "copies"}), on=["row", "item"], how="left").with_columns(pl.col("copies").fill_null(0))
    rest = both.with_columns(left=(pl.col("count") - pl.col("copies")).clip(0), up=pl.Series(tree.parent[both["item"].to_numpy()]))
    waiting = rest.filter(pl.col("left") > 0).group_by("record", "row", "up").agg(pl.col("left").sum())
    own = both.select("record", up="item", own=pl.min_horizontal("count", "copies"))
    free = (
        waiting.with_columns(pl.col("up").cast(pl.Int32))
        .filter(~pl.col("up").is_in(telling_nothing))
        .join(theirs.rename({"item": "up", "count": "copies"}), on=["row", "up"])
        .join(own, on=["record", "up"], how="left")
        .with_columns(pl.col("own").fill_null(0))
    )
    return int(free.select(pl.min_horizontal(pl.col("left"), pl.col("copies") - pl.col("own")).sum()).item())


def entries(bags: Bags, number: str) -> pl.DataFrame:
    """The entries of sparse rows as a table."""
    numbers = np.repeat(np.arange(len(bags)), np.diff(bags.indptr))
    return pl.DataFrame({number: numbers, "item": bags.items.astype(np.int32), "count": bags.counts.astype(np.int64)})


if __name__ == "__main__":
    main()
