"""SSC beside the generalizing methods, how fast it finds the nearest vocabulary, and how it grows with the log.

    python benchmarks/ssc.py [--users 10000] [--k 5] [--large 50000] [--parts compare,search,growth,patterns]

Logs are generated once into benchmarks/results and used again. The comparison is drawn to docs/images/ssc.svg.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy.optimize import linear_sum_assignment

from common import ROOT, data_file, seconds, show
from datasets import LASTFM, generated_log
from shoal import _kernels, kernels
from shoal.data.bags import Bags
from shoal.data.original import Original
from shoal.io.read.formats import ReadOptions
from shoal.methods import METHODS, Method
from shoal.methods.clump import Clump
from shoal.methods.partition import Partition
from shoal.methods.ssc import SSC
from shoal.metrics import measure
from shoal.metrics.patterns import closed_patterns
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import prepare
from shoal.taxonomy.distance import SemanticDistance
from shoal.taxonomy.wordnet import wordnet

METRICS = ["blm_subtree", "blm_distinct", "pattern_recall", "pattern_distance", "frequency_distance"]
PICTURE = ROOT / "docs" / "images" / "ssc.svg"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--users", type=int, default=10_000, help="people in the generated log of the comparison")
    parser.add_argument("--large", type=int, default=50_000, help="people in the largest log of the growth")
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--parts", default="compare,search,growth,patterns")
    options = parser.parse_args()
    parts = options.parts.split(",")
    if "compare" in parts:
        compare(options.users, options.k)
    if "search" in parts:
        search_against_all_pairs()
    if "growth" in parts:
        growth(options.large, options.k)
    if "patterns" in parts:
        patterns(options.large)


def compare(users: int, k: int) -> None:
    rows = [
        {"data": name, "method": label, **one(original, method)}
        for name, original in data_sets(users).items()
        for label, method in rivals(k).items()
    ]
    show(f"Side by side at k = {k}, bags of WordNet's nouns; bLM and sDist: lower is better, Recall: higher", rows)
    if rows:
        draw(rows)


def data_sets(users: int) -> dict[str, Original]:
    found = {}
    if path := data_file("lastfm-tags.tsv.gz"):
        found["last.fm tags"] = on_wordnet(path, LASTFM)
    if path := data_file("excite-small.log.gz"):
        found["Excite"] = on_wordnet(path, ReadOptions())
    found[f"generated, {users:,} users"] = on_wordnet(generated_log(users), ReadOptions())
    return found


def on_wordnet(path: Path, options: ReadOptions) -> Original:
    return prepare(path, Preparation(read=options, unknown="drop", as_sets=False)).records


def rivals(k: int) -> dict[str, Method]:
    return {
        "SSC": SSC(k=k),
        "SSC, eps=8": SSC(k=k, eps=8),
        "SSC, generalize": SSC(k=k, typical="generalize"),
        "LG(bag)": Partition(k=k, publish_as="bag"),
        "Clump": Clump(k=k),
        **({"shoal": METHODS["shoal"](k=k)} if "shoal" in METHODS else {}),
    }


def one(original: Original, method: Method) -> dict[str, Any]:
    started = time.perf_counter()
    release = method.apply(original)
    taken = time.perf_counter() - started
    for claim in release.claims:
        assert claim.check(release, original).holds, claim
    found = measure(release, original, METRICS)
    return {
        "bLM subtree": found["blm_subtree"],
        "bLM distinct": found["blm_distinct"],
        "Recall": found["pattern_recall"],
        "sDist": found["pattern_distance"],
        "frequencies": found["frequency_distance"],
        "seconds": taken,
    }


def draw(rows: list[dict[str, Any]]) -> None:
    try:
        import altair as alt
        import vl_convert as vlc
    except ImportError:
        print("no picture: pip install shoal-privacy[bench]")
        return
    measures = ["bLM subtree", "bLM distinct", "Recall", "sDist"]
    long = pl.DataFrame(rows).unpivot(measures, index=["data", "method"], variable_name="measure", value_name="value")
    chart = (
        alt.Chart(alt.Data(values=long.to_dicts()))
        .mark_bar()
        .encode(
            x=alt.X("value:Q", title=None),
            y=alt.Y("method:N", title=None, sort=None),
            color=alt.Color("method:N", legend=None, sort=None),
            row=alt.Row("data:N", title=None, sort=None),
            column=alt.Column("measure:N", title=None, sort=measures),
        )
        .properties(width=150, height=90)
        .resolve_scale(x="independent")
    )
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(vlc.vegalite_to_svg(chart.to_json()))
    print(f"drawn: {PICTURE.relative_to(ROOT)}")


def search_against_all_pairs(vocabularies: int = 10_000, terms: int = 20, queries: int = 200) -> None:
    """One search for the nearest vocabulary against matching the seed with every other, by our matching and by scipy's."""
    bags, distance = topical(vocabularies, terms)
    measure = distance.kernel()
    wanted = np.random.default_rng(1).choice(vocabularies, queries, replace=False)
    indexing = seconds(lambda: kernels.run(_kernels.nearest_term_sets, measure, bags.view, wanted[:0]))
    searching = seconds(lambda: kernels.run(_kernels.nearest_term_sets, measure, bags.view, wanted))
    search = (searching - indexing) / queries
    everyone = np.arange(vocabularies)
    with kernels.using(threads=1):
        ours = seconds(lambda: distance.between_records(bags, np.full(vocabularies, wanted[0]), everyone, way="matching"))
    hungarian = seconds(lambda: scipy_distances(bags, distance, int(wanted[0]), everyone[:300]), 1) / 300 * vocabularies
    show(
        f"The nearest of {vocabularies:,} vocabularies of {terms} terms; promised: at least 100 times less than all-pairs Hungarian",
        [
            {"way": "search by bounds", "ms": 1000 * search, "times slower": 1.0},
            {"way": "all pairs, our matching, one thread", "ms": 1000 * ours, "times slower": ours / search},
            {"way": "all pairs, scipy's Hungarian (from 300)", "ms": 1000 * hungarian, "times slower": hungarian / search},
            {"way": "(building the index, once)", "ms": 1000 * indexing, "times slower": indexing / search},
        ],
    )


def topical(records: int, terms: int) -> tuple[Bags, SemanticDistance]:
    """Vocabularies of equally many nouns, half of them from three topics of the user's, half from a long tail."""
    rng = np.random.default_rng(0)
    tree = wordnet()
    words = np.sort(rng.choice(len(tree), 8_000, replace=False))
    popular = rng.permutation(1 / np.arange(1, len(words) + 1))
    any_word = rng.choice(len(words), (records, terms), p=popular / popular.sum())
    topics = rng.integers(0, len(words), 60)[rng.integers(0, 60, (records, 3))]
    near = np.take_along_axis(topics, rng.integers(0, 3, (records, terms)), 1) + np.abs(rng.normal(0, 40, (records, terms))).astype(int)
    items = words[np.where(rng.random((records, terms)) < 0.5, any_word, near % len(words))].ravel()
    bags = Bags.from_rows(np.arange(0, records * terms + 1, terms), items, np.ones(len(items), np.int32), tree.names)
    return bags, SemanticDistance(tree)


def scipy_distances(bags: Bags, distance: SemanticDistance, row: int, others: Any) -> list[float]:
    """The paper's way: the padded matrix of every pair, solved by Hungarian."""
    mine = np.repeat(*(a[bags.indptr[row] : bags.indptr[row + 1]] for a in (bags.items, bags.counts)))
    found = []
    for other in others:
        span = slice(bags.indptr[other], bags.indptr[other + 1])
        theirs = np.repeat(bags.items[span], bags.counts[span])
        n, m = len(mine), len(theirs)
        costs = distance.terms(np.repeat(mine, m), np.tile(theirs, n)).reshape(n, m)
        padded = np.zeros((n + m, n + m))
        padded[:n, :m] = np.where(costs <= distance.threshold, costs, 1e9)
        padded[:n, m:] = padded[n:, :m] = distance.nil
        found.append(float(padded[linear_sum_assignment(padded)].sum()))
    return found


def growth(users: int, k: int) -> None:
    rows = []
    for n in (users // 10, users // 5, users // 2, users):
        original = on_wordnet(generated_log(n), ReadOptions())
        dearer = {"SSC, wu-palmer": SSC(k=k, distance="wu-palmer"), "SSC, eps=8": SSC(k=k, eps=8)} if n == users // 10 else {}
        for label, method in {"SSC": SSC(k=k), **dearer}.items():
            started, spent = time.perf_counter(), time.process_time()
            clusters, _ = method.clustered(original.bags, method.semantics(original.tree).kernel(), original.tree)
            taken, spent = time.perf_counter() - started, time.process_time() - spent
            rows.append(
                {
                    "users": n,
                    "method": label,
                    "occurrences": original.bags.occurrences,
                    "seconds": taken,
                    "CPU seconds": spent,
                    "matched per vocabulary": clusters.matched / n,
                }
            )
    show("Clustering whole logs", rows)


def patterns(users: int) -> None:
    original = on_wordnet(generated_log(users), ReadOptions())
    rows = []
    for n in (100, 500, 1000):
        for what, bags in {"bags": original.bags, "sets": original.bags.as_sets()}.items():
            taken = seconds(partial(closed_patterns, bags, n), 1)
            rows.append({"records": len(bags), "of": what, "top n": n, "seconds": taken})
    show("Mining the top closed patterns", rows)


if __name__ == "__main__":
    main()
