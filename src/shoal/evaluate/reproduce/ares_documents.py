"""The ARES report, section 2.4: documents as vectors of their 50 and 100 most frequent terms, microaggregated, k = 2 to 10."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from shoal.data.bags import Bags
from shoal.data.log import Log
from shoal.data.original import DocumentOriginal
from shoal.errors import InputError
from shoal.evaluate.reproduce.experiment_page import Figure, Lines, PaperFinding, Row
from shoal.evaluate.reproduce.inputs import generated
from shoal.evaluate.reproduce.measuring import ExperimentProgress, released
from shoal.evaluate.reproduce.paper import ExperimentSize
from shoal.evaluate.reproduce.trends import cells_below, falls, of_all, path, rises, span, values
from shoal.io.experiment_files import data_set
from shoal.io.read.dispatch import read
from shoal.io.read.options import DOCUMENTS, ReadOptions
from shoal.methods.document_vectors import DocumentVectors
from shoal.metrics.document_losses import ssa, sse, sst
from shoal.synthetic.querylog import QueryLog
from shoal.taxonomy.place_documents import document_vectors

N_DOCUMENTS, NOUNS = 50, 200
TERMS, KS = (50, 100), tuple(range(2, 11))
# Table 2.2: L in percent for k = 2 to 10; for 100 terms and k = 7 its own sums give 58.460.
PUBLISHED = {
    50: (13.766, 34.780, 42.131, 63.181, 57.046, 68.903, 75.053, 73.883, 84.793),
    100: (11.736, 28.838, 42.245, 52.377, 57.212, 58.460, 63.209, 72.088, 74.341),
}
CONSTANT = 0.01
WITH_WORDNET = {50: 0.769557, 100: 0.771153}  # mean Jaccard similarity of terms with and without words that WordNet lacks
ALIKE = 0.1  # how far from it a similarity may be


def documents(size: ExperimentSize) -> tuple[tuple[Figure, ...], tuple[PaperFinding, ...], str]:
    """Return Table 2.2 and Figure 2.1, with findings."""
    texts, source = _texts(size)
    ks = [k for k in KS if k <= len(texts) // 2]
    steps = ExperimentProgress("documents", len(TERMS) * len(ks))
    rows: list[Row] = []
    alike: list[Row] = []
    for terms in TERMS:
        original = document_vectors(texts, np.arange(len(texts)), terms)
        everything = document_vectors(texts, np.arange(len(texts)), terms, "keep")
        similarity = mean_jaccard(original.vectors, everything.vectors)
        alike.append({"terms": terms, "here": similarity, "the report": WITH_WORDNET[terms]})
        rows += [steps.done(_measured(original, terms, k)) for k in ks]
    points = [{"data": "here", "terms": f"{row['terms']} terms", "k": row["k"], "L %": row["L %"]} for row in rows]
    points += [
        {"data": "the report", "terms": f"{terms} terms", "k": k, "L %": loss}
        for terms, line in PUBLISHED.items()
        for k, loss in zip(KS, line, strict=True)
    ]
    figures = (
        Figure("documents", "Figure 2.1: information loss of documents", tuple(points), Lines("k", "L %", "terms", "data")),
        Figure("squares", "Table 2.2: sums of squares", tuple(rows)),
        Figure("wordnet", "Section 2.4: Jaccard similarity of terms with and without words that WordNet lacks", tuple(alike)),
    )
    written = data_set(size.data, "documents", "docs") is not None
    return figures, (*findings(rows), _wordnet_finding(alike, written=written)), source


def mean_jaccard(some: Bags, others: Bags) -> float:
    """Return the mean Jaccard similarity of the sets of terms of each document, compared by their names; 1 for two empty sets."""
    similarities = []
    for row in range(len(some)):
        one, other = set(some.record(row)), set(others.record(row))
        similarities.append(len(one & other) / len(one | other) if one | other else 1.0)
    return float(np.mean(similarities)) if similarities else 1.0


def _wordnet_finding(rows: Sequence[Row], *, written: bool) -> PaperFinding:
    """Compare the similarity with that of the report, unless the documents are made up: their share of unknown words is a parameter."""
    measured = "; ".join(f"{row['terms']} terms: {row['here']:.3f}" for row in rows)
    near = all(abs(row["here"] - row["the report"]) <= ALIKE for row in rows)
    return PaperFinding(
        "Section 2.4", "leaving out words that WordNet lacks is a minor loss: similarity .770 and .771", measured, near if written else None
    )


def _texts(size: ExperimentSize) -> tuple[pl.Series, str]:
    """Return documents of the user, evenly chosen, or long histories of a generated log, each as a document."""
    n_texts = min(N_DOCUMENTS, size.settled_size // 2)
    path = data_set(size.data, "documents", "docs")
    if path is None:
        log = generated(QueryLog(users=n_texts, seed=size.seed, nouns_per_user=NOUNS))
        return log.group_by("AnonID", maintain_order=True).agg(pl.col("Query").str.join(". "))["Query"], f"{n_texts} generated histories"
    found = read(path, ReadOptions(format=DOCUMENTS)).data
    if not isinstance(found, Log) or len(found.frame) < 4:
        raise InputError(f"{path.name} has too few documents", code="too-few-documents", hint="at least four are needed")
    texts = found.frame["payload"]
    chosen = np.linspace(0, len(texts) - 1, min(n_texts, len(texts))).astype(int)
    return texts.gather(chosen), f"{len(chosen)} documents of {path.name}"


def _measured(original: DocumentOriginal, terms: int, k: int) -> dict[str, Any]:
    release, seconds = released(DocumentVectors(k=k), original)
    within, between, total = (formula(release, original) for formula in (sse, ssa, sst))
    sums = {"SSE": within, "SSA": between, "SST": total, "SSA + SSE": within + between}
    return {"terms": terms, "k": k, **sums, "L %": 100 * within / total if total else 0.0, "processor seconds": seconds}


def findings(rows: Sequence[Row]) -> Iterator[PaperFinding]:
    """Compare the statements of section 2.4 with the results."""
    lines = {(name, terms): values(rows, name, terms=terms) for name in ("SSE", "SSA", "SSA + SSE", "SST", "L %") for terms in TERMS}
    for name, direction, test in (("SSE", "increases", rises), ("SSA", "decreases", falls), ("L %", "increases", rises)):
        place = "Figure 2.1" if name == "L %" else "Table 2.2"
        measured = "; ".join(f"{terms} terms: {path(lines[name, terms], 1)}" for terms in TERMS)
        printed = " (printed: as k decreases)" if name == "SSA" else ""
        yield PaperFinding(place, f"{name} {direction} as k increases{printed}", measured, all(test(lines[name, terms]) for terms in TERMS))
    more = cells_below(lines["L %", 100], lines["L %", 50])
    yield PaperFinding("Figure 2.1", "50 terms lose more than 100", of_all(more, len(lines["L %", 50]), "k"), more == len(lines["L %", 50]))
    apart = [abs(a - b) / max(b, 1e-9) for t in TERMS for a, b in zip(lines["SSA + SSE", t], lines["SST", t], strict=True)]
    measured = f"SSA + SSE is {span([100 * a for a in apart], 0)}% off the sum of squares that is computed directly"
    yield PaperFinding("Section 2.4", "SST = SSA + SSE", measured, max(apart) <= CONSTANT)
