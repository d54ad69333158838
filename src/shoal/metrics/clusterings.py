"""Whether data mining finds the same: k-means on the people of a log, or on records, before and after, compared by indices of pairs.

People are vectors of how often they use the most common words, of length 1. These are not the distances by which methods form groups: the
index would then tell what a method aims at, not what is left.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal.data.bags import Bags, Ints
from shoal.data.input_shapes import Shape
from shoal.data.log import Log
from shoal.data.original import LogOriginal, Original
from shoal.data.release import Release
from shoal.data.table import Floats
from shoal.data.tables.bags import BagTable
from shoal.data.tables.profiles import ProfileTable
from shoal.errors import ParameterError
from shoal.metrics import Metric
from shoal.text.terms import terms_of
from shoal.util.numbers import distinct

CLUSTERS, ROUNDS, WORDS = 10, 30, 200
RECORDS, SEED = 10_000, 1  # number of records that are clustered, the same for every release
_KINDS: frozenset[str] = frozenset({"profiles"})
_TAKES: frozenset[Shape] = frozenset({"log"})


def k_means(points: Floats, clusters: int) -> Ints:
    """Lloyd's algorithm from centres that lie far apart."""
    return lloyd(points, far_apart(points, clusters))


def far_apart(points: Floats, clusters: int) -> list[int]:
    """Return the point nearest the mean, then again and again the one farthest from all."""
    near = ((points - points.mean(axis=0)) ** 2).sum(axis=1)
    chosen = [int(np.argmin(near))]
    away = ((points - points[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < min(clusters, len(points)) and away.max() > 0:
        chosen.append(int(np.argmax(away)))
        away = np.minimum(away, ((points - points[chosen[-1]]) ** 2).sum(axis=1))
    return chosen


def lloyd(points: Floats, starts: list[int]) -> Ints:
    """Return the cluster of each point, where the centres begin at these points."""
    middle = points[starts].copy()
    label = np.zeros(len(points), np.int64)
    for _ in range(ROUNDS):
        # The nearest centre is found without the points' own squares.
        fresh = np.argmin((middle**2).sum(axis=1) - 2 * points @ middle.T, axis=1)
        if np.array_equal(fresh, label):
            break
        label = fresh
        for cluster in np.unique(label):
            middle[cluster] = points[label == cluster].mean(axis=0)
    return label


def pair_counts(left: Ints, right: Ints) -> tuple[int, int, int, int]:
    """Pairs together in both clusterings, in the first alone, in the second alone, in neither."""
    table = np.unique(np.stack([left, right]), axis=1, return_counts=True)[1]
    both, first, second = (int((n * (n - 1) // 2).sum()) for n in (table, np.bincount(left), np.bincount(right)))
    return both, first - both, second - both, len(left) * (len(left) - 1) // 2 - first - second + both


def rand_index(left: Ints, right: Ints) -> float:
    """Return the share of pairs that are together in both clusterings, or apart in both."""
    both, first, second, neither = pair_counts(left, right)
    return (both + neither) / max(1, both + first + second + neither)


def jaccard_index(left: Ints, right: Ints) -> float:
    """Of the pairs together in one of the clusterings the share that are in both."""
    both, first, second, _ = pair_counts(left, right)
    return both / (both + first + second) if both + first + second else 1.0


def adjusted_rand_index(left: Ints, right: Ints) -> float:
    """Rand's index less what chance gives for clusters of these sizes (Hubert and Arabie, 1985): 1 for equal clusterings, 0 for chance."""
    both, first, second, neither = pair_counts(left, right)
    in_left, in_right, pairs = both + first, both + second, both + first + second + neither
    by_chance = in_left * in_right / max(1, pairs)
    most = (in_left + in_right) / 2
    return (both - by_chance) / (most - by_chance) if most != by_chance else 1.0


def records_before_and_after(release: Release, original: Original) -> tuple[Floats, Floats]:
    """Return the vectors of records, at most `RECORDS` of them, and of what is published for each; nothing if it was withheld."""
    if release.secret is None:
        raise ParameterError("the record-to-group mapping is known only while a release is made", code="mapping-not-recorded")
    rows = release.secret.rows()
    chosen = np.sort(np.random.default_rng(SEED).permutation(len(rows))[:RECORDS])
    shown = np.zeros((len(chosen), WORDS))
    published = rows[chosen] >= 0
    after = _common_items(release.published, release.copies)
    shown[published] = after[rows[chosen][published]]
    return _common_items(original.bags, np.ones(len(original.bags), np.int64))[chosen], shown


def _common_items(bags: Bags, copies: Ints) -> Floats:
    """Records as vectors of their most common items, of length 1 or 0."""
    table = bags.to_scipy()
    common = np.argsort(-np.asarray((table > 0).T @ copies), kind="stable")[:WORDS]
    found = np.zeros((len(bags), WORDS))
    found[:, : len(common)] = table[:, common].toarray()
    return _of_one_length(found)


def _of_one_length(found: Floats) -> Floats:
    return np.asarray(found / np.maximum(np.sqrt((found**2).sum(axis=1, keepdims=True)), 1e-300))


def people_before_and_after(release: Release, original: LogOriginal) -> tuple[Floats, Floats]:
    """Return the vectors of everybody who has a profile, from the original and from their profile."""
    table = release.only(ProfileTable)
    if release.secret is None:
        raise ParameterError("the mapping from people to profiles is known only while a release is made", code="mapping-not-recorded")
    pseudonym = release.secret.rows()
    owners = distinct(original.log.frame["owner"].to_numpy())
    shown = Log(table.frame.select(owner=table.of_whom, payload=table.unit), original.log.kind)
    columns = _common_words(original.log)
    profiled = pseudonym >= 0
    return _vectors(original.log, owners[profiled], columns), _vectors(shown, pseudonym[profiled], columns)


def _common_words(log: Log) -> pl.Series:
    used = _uses(log).select("owner", "word").unique().group_by("word").agg(n=pl.len())
    return used.sort("n", "word", descending=[True, False])["word"].head(WORDS)


def _uses(log: Log) -> pl.DataFrame:
    """Owner and word of every use of a word."""
    found = terms_of(log.frame["payload"])
    owners = np.repeat(log.frame["owner"].to_numpy(), np.diff(found.indptr))
    return pl.DataFrame({"owner": owners, "word": found.vocabulary.names.gather(found.items)})


def _vectors(log: Log, owners: Ints, columns: pl.Series) -> Floats:
    """Return how often each of these people uses each of these words, scaled to length 1."""
    places = pl.DataFrame({"word": columns, "column": np.arange(len(columns))})
    rows = pl.DataFrame({"owner": owners, "row": np.arange(len(owners))})
    used = _uses(log).join(places, on="word", how="inner").join(rows, on="owner", how="inner")
    found = np.zeros((len(owners), len(columns)))
    np.add.at(found, (used["row"].to_numpy(), used["column"].to_numpy()), 1.0)
    return _of_one_length(found)


def clusterings(release: Release, original: LogOriginal, clusters: int = CLUSTERS) -> tuple[Ints, Ints]:
    """Return the clusters of people before and after."""
    before, after = people_before_and_after(release, original)
    return k_means(before, clusters), k_means(after, clusters)


def cluster_rand(release: Release, original: LogOriginal) -> float:
    """Rand's index."""
    return rand_index(*clusterings(release, original))


def cluster_jaccard(release: Release, original: LogOriginal) -> float:
    """Jaccard's index."""
    return jaccard_index(*clusterings(release, original))


def cluster_agreement(release: Release, original: LogOriginal | Original) -> float:
    """Rand's index, adjusted for chance, of clusters that begin at the same people or records: where they begin must not decide."""
    if isinstance(original, LogOriginal):
        before, after = people_before_and_after(release, original)
    else:
        before, after = records_before_and_after(release, original)
    if not len(before):
        return 1.0
    starts = far_apart(before, CLUSTERS)
    return adjusted_rand_index(lloyd(before, starts), lloyd(after, starts))


CLUSTER_RAND = Metric(
    "cluster_rand",
    f"Rand index between {CLUSTERS} clusters of people in original and release",
    "higher",
    cluster_rand,
    highest=1.0,
    needs_groups=True,
    routine=False,
    kinds=_KINDS,
    takes=_TAKES,
)
CLUSTER_JACCARD = Metric(
    "cluster_jaccard",
    f"Jaccard index between {CLUSTERS} clusters of people in original and release",
    "higher",
    cluster_jaccard,
    highest=1.0,
    needs_groups=True,
    routine=False,
    kinds=_KINDS,
    takes=_TAKES,
)
CLUSTER_AGREEMENT = Metric(
    "cluster_agreement",
    f"adjusted Rand index between {CLUSTERS} clusters of records or people in original and release",
    "higher",
    cluster_agreement,
    lowest=-1.0,
    highest=1.0,
    needs_groups=True,
    routine=False,
    kinds=_KINDS | {BagTable.kind},
    takes=_TAKES | {"sets", "bags"},
)
