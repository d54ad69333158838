"""Query logs of shared histories: the experiment of the ARES report (section 3.2) on a generated log and on last.fm's tags.

    python benchmarks/query_logs.py [--k 3 5 10 20 30 50] [--users 2000] [--clusters 2 10 50] [--out FILE.svg]

For each k: how frequent the ten most frequent queries and words are after masking, and how alike k-means clusters people before and after
(indices of Rand and Jaccard), with rare queries withheld (min_owners=2) and published as in the paper (min_owners=1).
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import polars as pl

from common import data_file, show
from shoal.data.log import Log
from shoal.data.original import LogOriginal
from shoal.data.release import Release
from shoal.io.read.dispatch import read
from shoal.io.read.options import ReadOptions
from shoal.io.synthetic_log import generate
from shoal.methods.bases.user_profiles import ProfileMethod
from shoal.methods.category_microaggregation import CategoryMicroaggregation
from shoal.methods.user_microaggregation import UserMicroaggregation
from shoal.metrics.clusterings import jaccard_index, k_means, people_before_and_after, rand_index
from shoal.metrics.log_rows import TOP, overlap, people_kept, rows_kept, shares, texts_of, words
from shoal.pipeline.contract import made_by
from shoal.taxonomy.wordnet import wordnet


def measured(method: ProfileMethod, original: LogOriginal, clusters: list[int]) -> dict[str, Any]:
    """One masked log: what is left, the most frequent queries and words, and clusterings."""
    release = made_by(method, original)
    before, after = texts_of(release, original)
    row: dict[str, Any] = {"method": method.name, "min_owners": method.min_owners, "k": method.k}
    row |= {"rows": rows_kept(release, original), "people": people_kept(release, original)}
    row |= {"top queries": overlap(before, after), "their share": frequency(before, before), "after": frequency(before, after)}
    row |= {"top words": overlap(words(before), words(after)), "words' share": frequency(words(before), words(before))}
    row |= {"words after": frequency(words(before), words(after))}
    return row | indices(release, original, clusters)


def frequency(before: pl.Series, values: pl.Series) -> float:
    """The share of these values that the ten most frequent of the original have."""
    found = shares(values)
    return sum(found.get(value, 0.0) for value in list(shares(before))[:TOP])


def indices(release: Release, original: LogOriginal, clusters: list[int]) -> dict[str, float]:
    """Rand and Jaccard for each number of clusters."""
    left, right = people_before_and_after(release, original)
    found: dict[str, float] = {}
    for n in clusters:
        labels = k_means(left, n), k_means(right, n)
        found |= {f"Rand {n}": rand_index(*labels), f"Jaccard {n}": jaccard_index(*labels)}
    return found


def logs(users: int) -> dict[str, Log]:
    """A generated log, and last.fm's tags where they are at hand."""
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory) / "log.tsv"
        generate(place, users)
        made = read(place, ReadOptions(needs_clicks=True)).data
    found = {"generated": made}
    tags = data_file("lastfm-tags.tsv.gz")
    if tags is not None:
        found["last.fm"] = read(tags, ReadOptions()).data
    return {name: log for name, log in found.items() if isinstance(log, Log)}


def draw(rows: list[dict[str, Any]], clusters: list[int], place: Path) -> None:
    """The frequency of the top queries, and the indices, against k."""
    import altair as alt

    long = [
        {"log": row["log"], "k": row["k"], "what": f"{row['method']}, min_owners {row['min_owners']}", "measure": name, "value": row[name]}
        for row in rows
        for name in ("top queries", "top words", *(f"{index} {n}" for index in ("Rand", "Jaccard") for n in clusters))
    ]
    base = alt.Chart(alt.Data(values=long)).mark_line(point=True)
    chart = base.encode(
        x=alt.X("k:Q"),
        y=alt.Y("value:Q", scale=alt.Scale(domain=[0, 1]), title=None),
        color=alt.Color("what:N", title=None, legend=alt.Legend(labelLimit=300, orient="bottom", columns=1)),
    )
    rows_of, columns_of = alt.Row("measure:N", title=None), alt.Column("log:N", title=None)
    chart.properties(width=300, height=110).facet(row=rows_of, column=columns_of).save(str(place))


def main() -> None:
    """Measure, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--k", type=int, nargs="+", default=[3, 5, 10, 20, 30, 50])
    parser.add_argument("--clusters", type=int, nargs="+", default=[2, 10, 50])
    parser.add_argument("--users", type=int, default=2000)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    tree, rows = wordnet(), []
    for name, log in logs(options.users).items():
        for kind in (UserMicroaggregation, CategoryMicroaggregation):
            for least in (2, 1):
                for k in options.k:
                    row = measured(kind(k=k, min_owners=least), LogOriginal(log, tree), options.clusters)
                    rows.append({"log": name} | row)
                    print(rows[-1], flush=True)
    show("query logs", rows)
    if options.out:
        draw(rows, options.clusters, options.out)


if __name__ == "__main__":
    main()
