"""Document vectors: L against k for 50 and 100 terms, as in the report's Table 2.2 and Figure 2.1, on news in place of its papers.

    python benchmarks/documents.py [--documents 50 0] [--terms 50 100] [--k 2 3 4 5 6 7 8 9 10] [--out FILE.svg]

`--documents 50` takes 50 of them, spread evenly over the file, as many as the report has; 0 takes all. The report adds SSA and SSE up for
its SST; here SST is computed directly, and the sum stands beside it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from common import data_file, peak_megabytes, show
from shoal.data.original import DocumentOriginal
from shoal.methods.document_vectors import DocumentVectors
from shoal.metrics.document_losses import ssa, sse, sst
from shoal.microaggregation.document_space import space_of
from shoal.taxonomy.place_documents import document_vectors

# Table 2.2: k -> L in %, for 50 terms and for 100; k=7 with 100 terms is misprinted there as 58.560.
REPORT = {
    50: {2: 13.766, 3: 34.780, 4: 42.131, 5: 63.181, 6: 57.046, 7: 68.903, 8: 75.053, 9: 73.883, 10: 84.793},
    100: {2: 11.736, 3: 28.838, 4: 42.245, 5: 52.377, 6: 57.212, 7: 58.460, 8: 63.209, 9: 72.088, 10: 74.341},
}


def texts(wanted: int) -> list[str]:
    """All news, or so many of them, evenly spread over the file."""
    path = data_file("bbc-news.jsonl.gz")
    if path is None:
        return []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        found = [json.loads(line)["text"] for line in lines]
    return [found[at] for at in np.linspace(0, len(found) - 1, wanted).astype(int)] if wanted else found


def prepared(news: list[str], terms: int) -> tuple[DocumentOriginal, float]:
    """The vectors with all their distances, and the seconds of processor time that these took."""
    started = time.process_time()
    original = document_vectors(pl.Series(news, dtype=pl.String), np.arange(len(news)), terms)
    space_of(original)
    return original, time.process_time() - started


def measured(original: DocumentOriginal, terms: int, k: int) -> dict[str, Any]:
    """One row of the table."""
    started = time.process_time()
    release = DocumentVectors(k=k).apply(original)
    took = time.process_time() - started
    within, between, total = (formula(release, original) for formula in (sse, ssa, sst))
    share = {"L": f"{100 * within / total:.1f}", "L with SSA + SSE": f"{100 * within / (within + between):.1f}"}
    published = REPORT.get(terms, {}).get(k)
    sums = {"SSE": f"{within:.2f}", "SSA": f"{between:.2f}", "SST": f"{total:.2f}", "SSA + SSE": f"{within + between:.2f}"}
    return {"terms": terms, "k": k, **sums, **share, "report's L": "" if published is None else f"{published:.1f}", "CPU s": took}


def picture(rows: list[dict[str, Any]], place: Path) -> None:
    """The report's Figure 2.1: information loss over k, a line for each number of terms; a panel for each number of documents."""
    import altair as alt

    points = [{"set": row["set"], "line": f"{row['terms']} terms", "k": row["k"], "L": float(row["L"])} for row in rows]
    points += [
        {"set": "the report, 50 papers", "line": f"{terms} terms", "k": k, "L": loss}
        for terms, published in REPORT.items()
        for k, loss in published.items()
    ]
    lines = (
        alt.Chart(alt.Data(values=points), width=210, height=190)
        .mark_line(point=True)
        .encode(
            x=alt.X("k:Q", title="k"),
            y=alt.Y("L:Q", title="information loss L, %", scale=alt.Scale(domain=[0, 100])),
            color=alt.Color("line:N", title=None, sort=None),
        )
    )
    lines.facet(alt.Column("set:N", title=None, sort=None)).save(str(place))


def main() -> None:
    """Measure, print, draw."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, nargs="*", default=[50, 0])
    parser.add_argument("--terms", type=int, nargs="*", default=[50, 100])
    parser.add_argument("--k", type=int, nargs="*", default=list(range(2, 11)))
    parser.add_argument("--out", type=Path, help="where to draw the picture")
    options = parser.parse_args()
    everything: list[dict[str, Any]] = []
    for wanted in options.documents:
        news, rows = texts(wanted), []
        for terms in options.terms if news else []:
            original, took = prepared(news, terms)
            print(f"{len(news):,} documents, {terms} terms: all distances in {took:.0f} s of processor time, {peak_megabytes():.0f} MB")
            rows += [measured(original, terms, k) for k in options.k]
        show(f"{len(news):,} documents", rows)
        everything += [{"set": f"news, {len(news):,} documents", **row} for row in rows]
    if everything and options.out is not None:
        picture(everything, options.out)


if __name__ == "__main__":
    main()
