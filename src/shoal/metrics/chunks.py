"""What is left of items that stood together, in chunks of records that were taken apart; of their pairs also in published records.

Pairs are those of items in one record. In published records the support of a pair is counted. In chunks `pair_error` takes for it what
reconstructions give on average: a chunk with both items states it; items of different chunks of a cluster of n records, held by a and b
of them, meet in a * b / n; items of the term chunk count as held once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.data.bags import Bags, Ints
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.tables.bags import BagTable
from shoal.data.tables.chunks import CHUNK, CLUSTER, ITEM, JOINT, RECORDS, SUBRECORD, ChunkTable
from shoal.metrics import Metric
from shoal.util.numbers import distinct

if TYPE_CHECKING:
    import scipy.sparse as sp

TOP = 500
FIRST_TERMS = 1000  # number of the most frequent terms that are examined first
Pair = tuple[str, str]


def in_chunks(release: Release, original: Original) -> float:
    """Occurrences in record chunks and shared chunks, by those of the original."""
    table = chunks_in(release)
    return (len(table.subrecords) + len(table.shared)) / max(1, original.bags.occurrences)


def together(release: Release, original: Original) -> float:
    """Occurrences in sub-records of two items or more, by those of the original."""
    return sum(n for n in _lengths(chunks_in(release)) if n > 1) / max(1, original.bags.occurrences)


def pairs_together(release: Release, original: Original) -> float:
    """Share of the pairs of items of one record that are still in one sub-record."""
    lengths = np.diff(original.bags.indptr)
    original_pairs = int((lengths * (lengths - 1) // 2).sum())
    return sum(n * (n - 1) // 2 for n in _lengths(chunks_in(release))) / original_pairs if original_pairs else 1.0


def pair_recall(release: Release, original: Original) -> float:
    """Return the share of the original's most frequent pairs that are among the most frequent ones of what is published."""
    wanted = top_pairs(original.bags)
    found = {pair for pair, _ in _published_top(release)}
    return sum(pair in found for pair, _ in wanted) / len(wanted) if wanted else 1.0


def pair_error(release: Release, original: Original) -> float:
    """Return how far the published supports of the original's most frequent pairs are off, relative to the mean of both, on average."""
    wanted = top_pairs(original.bags)
    pairs = [pair for pair, _ in wanted]
    expected = _supports(release, pairs) if release.of_records else _expected(chunks_in(release), pairs)
    errors = [2 * abs(n - expected[pair]) / (n + expected[pair]) for pair, n in wanted]
    return float(np.mean(errors)) if errors else 0.0


def _published_top(release: Release) -> list[tuple[Pair, int]]:
    return top_pairs(release.published, release.copies) if release.of_records else _top(_pairs_in_chunks(chunks_in(release)))


def top_pairs(bags: Bags, copies: Ints | None = None) -> list[tuple[Pair, int]]:
    """Return the pairs of items that the most records hold, and how many; a record counts as often as it is published. Equals are by name.

    A pair is in no more records than each of its items. So the pairs of the most frequent items are counted, of ever more of them, until
    no item that was left out can be in a pair that belongs here.
    """
    held, weights = _held(bags), np.ones(len(bags), np.int64) if copies is None else copies
    supports = np.asarray(held.T @ weights, np.int64)
    order = np.argsort(-supports, kind="stable")
    several = int((supports > 0).sum())
    n = min(several, FIRST_TERMS)
    while True:
        found = _pairs_of(held[:, order[:n]], weights, bags.vocabulary.names.gather(order[:n]))
        least = found[TOP - 1][1] if len(found) >= TOP else 0
        if n == several or least > supports[order[n]]:
            return found[:TOP]
        n = min(several, 2 * n)


def _pairs_of(held: sp.csr_matrix, weights: Ints, names: pl.Series) -> list[tuple[Pair, int]]:
    """Return all pairs of these columns that occur together, the most frequent first."""
    import scipy.sparse as sp

    both = sp.triu(held.T @ sp.diags(weights, dtype=np.int64) @ held, 1).tocoo()
    ends = pl.DataFrame({"a": names.gather(both.row), "b": names.gather(both.col), "n": both.data.astype(np.int64)})
    pairs = ends.select(pl.min_horizontal("a", "b").alias("first"), pl.max_horizontal("a", "b").alias("second"), "n")
    return [
        ((a, b), n) for a, b, n in pairs.filter(pl.col("n") > 0).sort("n", "first", "second", descending=[True, False, False]).iter_rows()
    ]


def _supports(release: Release, wanted: list[Pair]) -> dict[Pair, float]:
    """Return how many published records hold each pair."""
    held, names = _held(release.published).tocsc(), release.published.vocabulary
    ends = names.codes([name for pair in wanted for name in pair]).reshape(-1, 2)
    holders = {int(item): held.indices[held.indptr[item] : held.indptr[item + 1]] for item in distinct(ends) if item >= 0}
    none = np.zeros(0, np.int32)
    both = (np.intersect1d(holders.get(int(a), none), holders.get(int(b), none)) for a, b in ends)
    return {pair: float(release.copies[rows].sum()) for pair, rows in zip(wanted, both, strict=True)}


def _held(bags: Bags) -> sp.csr_matrix:
    """Records x items, with a one wherever a record holds an item."""
    import scipy.sparse as sp

    return sp.csr_matrix((np.ones(len(bags.items), np.int64), bags.items, bags.indptr), shape=(len(bags), len(bags.vocabulary)))


def chunks_in(release: Release) -> ChunkTable:
    """Return the single table of a release of chunks."""
    return release.only(ChunkTable)


def _pairs_in_chunks(table: ChunkTable) -> Counter[Pair]:
    return _counted(sorted(items) for frame, whole in _parts(table) for items in _subrecords(frame, whole))


def _counted(records: Iterator[list[str]]) -> Counter[Pair]:
    return Counter(pair for record in records for pair in combinations(record, 2))


def _top(pairs: Counter[Pair]) -> list[tuple[Pair, int]]:
    return sorted(pairs.items(), key=lambda entry: (-entry[1], entry[0]))[:TOP]


def _parts(table: ChunkTable) -> tuple[tuple[pl.DataFrame, str], ...]:
    return (table.subrecords, CLUSTER), (table.shared, JOINT)


def _subrecords(frame: pl.DataFrame, whole: str) -> list[list[str]]:
    return frame.group_by(whole, CHUNK, SUBRECORD).agg(ITEM)[ITEM].to_list()


def _lengths(table: ChunkTable) -> list[int]:
    return [n for frame, whole in _parts(table) for n in frame.group_by(whole, CHUNK, SUBRECORD).len()["len"].to_list()]


def _expected(table: ChunkTable, wanted: list[Pair]) -> dict[Pair, float]:
    """Return the mean support of each pair over reconstructions, in which every chunk is mixed on its own."""
    in_chunks = _pairs_in_chunks(table)
    rates = _rates(table, {item for pair in wanted for item in pair})
    sizes = dict(table.clusters.select(CLUSTER, RECORDS).iter_rows())
    expected = {}
    for a, b in wanted:
        apart = (
            (sizes[cluster], rate, rates[b][cluster][1])
            for cluster, (chunk, rate) in rates[a].items()
            if cluster in rates[b] and rates[b][cluster][0] != chunk
        )
        expected[a, b] = in_chunks[a, b] + sum(n * one * other for n, one, other in apart)
    return expected


def _rates(table: ChunkTable, items: set[str]) -> dict[str, dict[int, tuple[str, float]]]:
    """By item and cluster: its chunk, and the share of the cluster's records that hold it."""
    joints = table.clusters.group_by(JOINT).agg(pl.col(RECORDS).sum().alias("all"))
    wanted = pl.col(ITEM).is_in(list(items))
    own = table.subrecords.filter(wanted).group_by(CLUSTER, CHUNK, ITEM).agg(pl.len().alias("held")).join(table.clusters, on=CLUSTER)
    terms = table.terms.filter(wanted).join(table.clusters, on=CLUSTER)
    shared = table.shared.filter(wanted).group_by(JOINT, CHUNK, ITEM).agg(pl.len().alias("held")).join(joints, on=JOINT)
    every = pl.concat(
        [
            own.select(CLUSTER, ITEM, pl.format("own {}", CHUNK).alias("home"), (pl.col("held") / pl.col(RECORDS)).alias("rate")),
            terms.select(CLUSTER, ITEM, pl.format("term {}", ITEM).alias("home"), (1 / pl.col(RECORDS)).alias("rate")),
            shared.join(table.clusters, on=JOINT).select(
                CLUSTER, ITEM, pl.format("shared {}", CHUNK).alias("home"), (pl.col("held") / pl.col("all")).alias("rate")
            ),
        ]
    )
    found: dict[str, dict[int, tuple[str, float]]] = {item: {} for item in items}
    for cluster, item, home, rate in every.iter_rows():
        found[item][cluster] = (home, rate)
    return found


def _of_chunks(name: str, summary: str, formula: Callable[[Release, Original], float]) -> Metric:
    return Metric(name, summary, "higher", formula, highest=1.0, kinds=frozenset({ChunkTable.kind}), takes=frozenset({"sets"}))


IN_CHUNKS = _of_chunks("in_chunks", "share of occurrences in record chunks or shared chunks, which preserve counts", in_chunks)
TOGETHER = _of_chunks("together", "share of occurrences published together with another one of their record", together)
PAIRS_TOGETHER = _of_chunks("pairs_together", "share of the item pairs of a record that are still published together", pairs_together)
_WITH_PAIRS = frozenset({ChunkTable.kind, BagTable.kind})
PAIR_RECALL = Metric(
    "pair_recall",
    f"share of the {TOP} most frequent item pairs that are also the most frequent published pairs",
    "higher",
    pair_recall,
    highest=1.0,
    routine=False,
    kinds=_WITH_PAIRS,
)
PAIR_ERROR = Metric(
    "pair_error",
    f"mean relative error of the supports of the {TOP} most frequent pairs; for chunks, with the expected support in reconstructions",
    "lower",
    pair_error,
    highest=2.0,
    routine=False,
    kinds=_WITH_PAIRS,
)
