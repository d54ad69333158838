"""The dial: what is left of the words at k = 5 if an attacker may know 1, 2, 3 items of a person, or a whole record.

    python benchmarks/dial.py [--users 2000] [--k 5] [--data Excite] [--methods km,coherence] [--out docs/images/dial.svg]

What is measured is kept in benchmarks/results/dial.json beside what was measured before, so that it can be done in parts.

Words are all word occurrences of the records as a method is given them. As typed: published in the record they stood in, in that
spelling; within a level: so, or as their parent in the taxonomy, neither the root nor the node of unlisted words. Pattern recall: of the
500 most frequent closed patterns of the original, the share of the terms that one published pattern holds. Disassociation with
rare_words=publish publishes every word and takes records apart: its words count as typed where the part of the record that holds them is
published, and its patterns are those of the parts. Together: the words as typed whose part, or with other methods whose record, holds
another word. All claims are checked with the original at hand. Seconds are of the processor. The data is read, and words are counted, as
`shoal compare` does.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from common import RESULTS, show
from datasets import Source, sources
from shoal.data.bags import Bags
from shoal.data.occurrence_forms import ALONE, TOGETHER
from shoal.data.original import Original, shared_occurrences
from shoal.data.release import Release
from shoal.data.taxonomy import Taxonomy
from shoal.errors import Infeasible
from shoal.methods import METHODS, Method
from shoal.metrics.patterns import TOP, closed_patterns, recall, recall_of
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import prepare

KNOWN = (1, 2, 3)
WHOLE = "whole record"
GRAINS = ("user", "event")
APART = "disassociation"
DRAWN = ("coherence", "km, aim words", APART, "shoal")


def ways(k: int) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """What an attacker may know, the label of a method, and its parameters."""
    for m in KNOWN:
        yield f"{m}", "coherence", {"k": k, "p": m, "h": 1.0}
        yield f"{m}", "km", {"k": k, "m": m}
        yield f"{m}", "km, aim words", {"k": k, "m": m, "aim": "words"}
        if APART in METHODS:
            yield f"{m}", APART, {"k": k, "m": m, "rare_words": "publish"}
    yield WHOLE, "shoal", {"k": k}
    yield WHOLE, "partition", {"k": k}


def measurements(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Every way on every data set, per user and, of logs, per query."""
    for data, source in sources(options.users).items():
        if not data.startswith(tuple(options.data.split(","))):
            continue
        for per in (grain for grain in GRAINS if grain in source.grains):
            for known, label, values in ways(options.k):
                if not label.startswith(tuple(options.methods.split(","))):
                    continue
                method = METHODS[label.split(",")[0]](**values)
                row = {"data": data, "per": per.replace("event", "query"), "known": known, "method": label}
                yield row | one(method, source, per)


def one(method: Method, source: Source, per: str) -> dict[str, Any]:
    """One release, its claims checked, and what it keeps."""
    how = replace(Preparation.default_for(method), read=source.read, per=per)  # type: ignore[arg-type]
    if method.needs_taxonomy:
        how = replace(how, taxonomy=source.taxonomy)
    original = prepare(source.path, how).records
    started = time.process_time()
    try:
        release = method.apply(original)
    except Infeasible:
        return {"words": original.bags.occurrences, "as typed %": 0.0, "within %": 0.0, "together %": 0.0, "recall %": 0.0, "s": 0.0}
    seconds = time.process_time() - started
    for claim in release.claims:
        if not claim.check(release, original).holds:
            raise SystemExit(f"{method.name} broke its claim {claim}")
    found = of_parts(release, original) if release.kinds == {"chunks"} else of_records(release, original)
    return {"words": original.bags.occurrences} | {name: 100 * share for name, share in found.items()} | {"s": seconds}


def of_records(release: Release, original: Original) -> dict[str, float]:
    """Of published records; a word is together with others where its published record holds another one."""
    kept, placed = kept_words(release, original), original.aligned(release)
    assert placed.secret is not None
    rows = placed.secret.rows()
    several = np.where((rows >= 0) & (placed.published.lengths[rows] > 1), rows, -1)
    together = shared_occurrences(original.spelled, placed.published, several) / original.bags.occurrences
    return {"as typed %": kept["typed"], "within %": kept["within"], "together %": together, "recall %": recall(placed, original)}


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


def of_parts(release: Release, original: Original) -> dict[str, float]:
    """Of records taken apart: every sub-record is a record of its own."""
    assert release.accounting is not None
    ledger, table = release.accounting.occurrences, next(iter(release.tables.values()))
    together, alone = (ledger.parts[name].n / ledger.total if name in ledger.parts else 0.0 for name in (TOGETHER, ALONE))
    held = pl.concat([part.select(pl.col("chunk", "subrecord", "item"), at=first) for part, first in _parts(table)])
    parts = Bags.from_polars(held.group_by("at", "chunk", "subrecord", maintain_order=True).agg("item")["item"])
    names = original.bags.vocabulary
    ours = parts.relabelled(names.codes(parts.vocabulary.names), names)
    found = recall_of(closed_patterns(original.bags, TOP).bags, closed_patterns(ours, TOP).bags)
    return {"as typed %": together + alone, "within %": together + alone, "together %": together, "recall %": found}


def _parts(table: Any) -> Iterator[tuple[pl.DataFrame, pl.Expr]]:
    """The sub-records of clusters and of joint clusters, which are told apart by a number."""
    yield table.subrecords, pl.col("cluster")
    yield table.shared, -1 - pl.col("joint")


def place(row: dict[str, Any]) -> tuple[str, ...]:
    """Which measurement this is."""
    return row["data"], row["per"], row["known"], row["method"]


def best(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """For every place on the dial the method that keeps most words as typed."""
    places: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in rows:
        at = (row["data"], row["per"], row["known"])
        if row["as typed %"] > places.get(at, {"as typed %": -1.0})["as typed %"]:
            places[at] = row
    return list(places.values())


def draw(rows: list[dict[str, Any]], picture: Path) -> None:
    """What is left against what may be known, by data set, of the methods that keep most."""
    import altair as alt

    shown = {"as typed %": "as typed", "within %": "within one level", "recall %": "pattern recall"}
    long = [
        {
            "data": f"{row['data'].split(',')[0]}, per {row['per']}",
            "known": row["known"],
            "method": row["method"],
            "measure": name,
            "value": row[key],
        }
        for row in rows
        if row["method"] in DRAWN
        for key, name in shown.items()
    ]
    base = alt.Chart(alt.Data(values=long)).mark_line(point=True)
    chart = base.encode(
        x=alt.X("known:O", title="items known", sort=[*map(str, KNOWN), WHOLE]),
        y=alt.Y("value:Q", scale=alt.Scale(domain=[0, 100]), title="%"),
        color=alt.Color("method:N", title=None),
    )
    header = alt.Header(labelAngle=0, labelAlign="left")
    chart.properties(width=150, height=110).facet(
        row=alt.Row("data:N", title=None, sort=list(dict.fromkeys(point["data"] for point in long)), header=header),
        column=alt.Column("measure:N", title=None, sort=list(shown.values())),
    ).save(str(picture))


def main() -> None:
    """Measure, print, keep what was measured, draw."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--users", type=int, default=2000, help="people in the generated log")
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--data", default="", help="only data sets whose name begins so; several by commas")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--methods", default="", help="only methods whose label begins so; several by commas")
    options = parser.parse_args()
    RESULTS.mkdir(parents=True, exist_ok=True)
    kept = RESULTS / "dial.json"
    found = {place(row): row for row in (json.loads(kept.read_text()) if kept.exists() else [])}
    for row in measurements(options):
        found[place(row)] = row
        kept.write_text(json.dumps(list(found.values()), indent=1))
        print(row, flush=True)
    order = list(sources(options.users))
    rows = sorted(found.values(), key=lambda row: (order.index(row["data"]), row["per"] != "user", row["known"], row["method"]))
    show(f"the dial at k = {options.k}", rows)
    show("the method that keeps most words as typed", best(rows))
    if options.out:
        draw(rows, options.out)


if __name__ == "__main__":
    main()
