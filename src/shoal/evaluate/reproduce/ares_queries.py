"""The ARES report, section 3.2: query logs masked by user microaggregation; frequent queries and words, and clusters of people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from shoal.data.bags import Ints
from shoal.data.log import RANK, URL, Log
from shoal.data.original import LogOriginal
from shoal.data.release import Release
from shoal.data.tables.profiles import ProfileTable
from shoal.evaluate.reproduce.ares_clusters import UserClusters
from shoal.evaluate.reproduce.experiment_page import Figure, Lines, PaperFinding, Row
from shoal.evaluate.reproduce.inputs import query_log
from shoal.evaluate.reproduce.measuring import ExperimentProgress, released
from shoal.evaluate.reproduce.paper import ExperimentSize
from shoal.evaluate.reproduce.trends import falls, path, rises, span, values
from shoal.io.experiment_files import data_set
from shoal.io.read.options import ReadOptions
from shoal.methods.user_microaggregation import UserMicroaggregation
from shoal.metrics.clusterings import jaccard_index, rand_index
from shoal.metrics.log_rows import TOP, overlap, shares, texts_of, words

KS = (3, 5, 10, 20, 30, 50)
KAPPAS = (2, 5, 10, 20, 50, 100, 200, 500)
SAME = 0.9  # of the ten most frequent, nine
MOST_LOST = 2  # of the ten most frequent words, for one k
LOW = 0.5  # percent of all queries by which the frequency of one may move
ALIKE = 0.1  # difference of an index over k that is still similar


def queries(size: ExperimentSize) -> tuple[tuple[Figure, ...], tuple[PaperFinding, ...], str]:
    """Return figures 3.6 to 3.9, with findings."""
    named = replace(size, data=data_set(size.data, "quer")) if size.data is not None else size
    log, source = query_log(named, ReadOptions(needs_clicks=True, needs_times=True))
    original = LogOriginal(log)
    ks = [k for k in KS if 2 * k <= original.n_owners]
    kappas = [kappa for kappa in KAPPAS if 2 * kappa <= original.n_owners]
    steps = ExperimentProgress("query logs", len(ks) + 1)
    before = UserClusters(log, max(kappas))
    clusters = {kappa: before.labels(kappa) for kappa in kappas}
    steps.done()
    frequencies: list[Row] = []
    indices: list[Row] = []
    tops: list[Row] = []
    for k in ks:
        release, _ = released(UserMicroaggregation(k=k, min_owners=1), original)
        steps.done()
        frequencies += _frequencies(release, original, k, first=k == ks[0])
        indices += _indices(release, original, k, (before, clusters))
        texts = texts_of(release, original)
        tops.append({"k": k, "queries": overlap(*texts), "words": overlap(*map(words, texts))})
    figures = (
        Figure("frequency", "Figures 3.6 and 3.7: the ten most frequent queries and words", tuple(frequencies), FREQUENCY),
        Figure("clusters", "Figure 3.8: indices of Rand and Jaccard", tuple(indices), Lines("clusters", "index value", "masked", "index")),
        Figure("top", "Figure 3.6: share of the ten most frequent that still are", tuple(tops)),
    )
    return figures, tuple(findings(frequencies, indices, tops)), source


FREQUENCY = Lines("k", "frequency %", "rank", "of")


def _frequencies(release: Release, original: LogOriginal, k: int, *, first: bool) -> list[Row]:
    """Return the frequencies of the ten most frequent after masking; before (k = 1) once. They are identified by rank, never by name."""
    rows: list[Row] = []
    texts = texts_of(release, original)
    for what, (before, after) in (("queries", texts), ("words", (words(texts[0]), words(texts[1])))):
        most = list(shares(before).items())[:TOP]
        found = shares(after)
        for rank, (value, share) in enumerate(most, 1):
            rows += [{"of": what, "k": 1, "rank": f"{rank:2}", "frequency %": 100 * share}] if first else []
            rows.append({"of": what, "k": k, "rank": f"{rank:2}", "frequency %": 100 * found.get(value, 0.0)})
    return rows


def _indices(release: Release, original: LogOriginal, k: int, clustered: tuple[UserClusters, Mapping[int, Ints]]) -> list[Row]:
    """Compare clusters of the people who have a profile, by their histories and by their profiles."""
    before, clusters = clustered
    assert release.secret is not None
    pseudonym = release.secret.rows()[np.searchsorted(np.unique(original.log.frame["owner"].to_numpy()), before.owners)]
    profiled = pseudonym >= 0
    after = UserClusters(masked_log(release, original.log), max(clusters))
    place = np.argsort(after.owners)[np.searchsorted(np.sort(after.owners), pseudonym[profiled])]
    rows: list[Row] = []
    for kappa, labels in clusters.items():
        pair = labels[profiled], after.labels(kappa)[place]
        for name, formula in (("Rand", rand_index), ("Jaccard", jaccard_index)):
            rows.append({"index": name, "clusters": kappa, "masked": f"k = {k}", "index value": formula(*pair)})
    return rows


def masked_log(release: Release, log: Log) -> Log:
    """Return the published profiles as a log."""
    table = release.only(ProfileTable)
    kept = [name for name in ("time", RANK, URL) if name in table.frame.columns]
    return Log(table.frame.select(*kept, owner=pl.col(table.of_whom).cast(pl.Int64), payload=table.unit), log.kind)


def findings(frequencies: Sequence[Row], indices: Sequence[Row], tops: Sequence[Row]) -> Iterator[PaperFinding]:
    """Compare the statements of section 3.2 with the results."""
    for what, place in (("queries", "Figure 3.6"), ("words", "Figure 3.7")):
        kept = values(tops, what)
        measured = f"{path([TOP * share for share in kept], 0)} of ten for rising k"
        yield PaperFinding(
            place, f"the ten most frequent {what} stay the ten most frequent, with few exceptions", measured, min(kept) >= SAME
        )
        moved = [abs(row["frequency %"] - _before(frequencies, row)) for row in frequencies if row["of"] == what]
        yield PaperFinding(place, f"frequencies of {what} vary little", f"by at most {max(moved):.2f} points", max(moved) <= LOW)
    lost = [sum(share == 0 for share in values(frequencies, "frequency %", of="words", k=row["k"])) for row in tops]
    statement = "only in some cases one of these words disappears, with a large k"
    yield PaperFinding("Figure 3.7", statement, f"{', '.join(map(str, lost))} of ten disappear for rising k", max(lost) <= MOST_LOST)
    yield from _of_clusters(indices)


def _before(rows: Sequence[Row], row: Row) -> float:
    (found,) = values(rows, "frequency %", of=row["of"], rank=row["rank"], k=1)
    return found


def _of_clusters(rows: Sequence[Row]) -> Iterator[PaperFinding]:
    masked = list(dict.fromkeys(row["masked"] for row in rows))
    lines: dict[tuple[str, str], list[float]] = {
        (index, k): values(rows, "index value", index=index, masked=k) for index in ("Rand", "Jaccard") for k in masked
    }
    for index in ("Rand", "Jaccard"):
        own = [lines[index, k] for k in masked]
        measured = f"{path(own[0])} for {masked[0]}"
        yield PaperFinding(
            "Figure 3.8", f"{index}'s index comes closer to 1 with more clusters", measured, all(rises(line) for line in own)
        )
        apart = [max(column) - min(column) for column in zip(*own, strict=True)]
        yield PaperFinding("Figure 3.8", f"{index}'s index is similar whatever k", f"apart by {span(apart)}", max(apart) <= ALIKE)
        line = [abs(a - b) for a, b in zip(own[0], own[-1], strict=True)]
        statement = f"the difference of {index}'s index between the least and the greatest k shrinks with more clusters"
        yield PaperFinding("Figure 3.9", statement, path(line, 3), falls(line))
