"""What the numbers of a disassociated release give away: how many records may hold a set of items, and how many certainly do.

A cluster has n records, none of them empty. Of each record chunk C the published sub-records, at most one a record, may belong to any of
them; an item of the term chunk may be in any number of them, but not in none. Let a set S of up to m items have its part S_i in chunk i of
a set I of chunks, and let a_i sub-records of that chunk hold S_i. Over all reconstructions of the cluster

* the most records that can hold S are min(a_i), if the term chunk holds something: whatever is left empty gets an item from there. Without
  a term chunk the sub-records must fill all records. If j records hold S, then those n - j that do not are filled by at most |C_i| - j
  sub-records of each chunk of I, and min(|C_i|, n - j) of each other one. So j is possible if and only if these add up to n - j at least.
  A chunk outside I with n - k or more sub-records fills them alone. Otherwise the sum of all |C_i| must be at least n + j (|I| - 1).
  With j = k this is Lemma 2 of Terrovitis et al.
* the fewest are n - sum(n - a_i), or none if that is negative: S is missing in n - a_i records for each chunk, and these can be chosen
  apart. An item of the term chunk counts as a_i = 1; or as more where it is known how many people have every published item at least, and
  other clusters have no room for this many (`known_holders`). Each such item then counts as a chunk of its own.

Both must be 0, or at least k: no set may be possible in few records, and none certain in few. The first is the guarantee of disassociation.
The second is what is known as its cover problem: chunks may be so full that items of different chunks are bound to meet.

A shared chunk belongs to N records of several clusters, and its sub-records may all fall into one of them, or hardly any. So records of a
cluster without a term chunk must be filled by its own chunks; and no item of a shared chunk may be bound to meet any other item: the
records that hold the one, and those that hold the other, are together at most N. For shared chunks this is more than is necessary.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.data import patience
from shoal.data.bags import Bags, Ints, Vocabulary
from shoal.data.tables.chunks import CHUNK, CLUSTER, ITEM, JOINT, RECORDS, SUBRECORD, ChunkTable
from shoal.privacy.evidence.chunk_words import LEAST, known_holders
from shoal.privacy.evidence.known_sets import AttackerKnowledge, CountedSets, Holders, all_public, count_sets

if TYPE_CHECKING:
    from shoal.data.original import Original


STEPS_A_SET = 200  # of names, or of numbers, in plain Python

Members = Sequence[tuple[str, ...]]
"""The sub-records of a chunk."""


@dataclass(eq=False)
class ClusterChunks:
    """The number of records of a cluster, its record chunks, and whether it shares chunks with other clusters.

    `items` has, for each item of its term chunk, the number of records that certainly contain it.
    """

    records: int
    chunks: list[Members] = field(default_factory=list)
    terms: list[int] = field(default_factory=list)
    shares: bool = False

    @property
    def has_terms(self) -> bool:
        """Whether it has a term chunk."""
        return bool(self.terms)

    @property
    def sizes(self) -> list[int]:
        """The number of sub-records in each record chunk."""
        return [len(chunk) for chunk in self.chunks]

    def overfull(self) -> bool:
        """Whether a chunk has more sub-records than there are records."""
        return max(self.sizes, default=0) > self.records

    def left_empty(self) -> bool:
        """Whether some record would have to be empty."""
        return not self.has_terms and sum(self.sizes) < self.records

    def possible_in_few(self, k: int, m: int) -> bool:
        """Whether items of several record chunks can occur together in some records, but not in k."""
        if self.has_terms:
            return False
        total, n = sum(self.sizes), self.records
        together = range(2, min(m, len(self.sizes)) + 1)
        return any((self.shares or total >= n + h - 1) and total < n + k * (h - 1) for h in together)

    def certain_in_few(self, m: int, few: int) -> bool:
        """Whether a set of up to m items of several chunks is certainly in some records, but possibly in no more than `few`."""
        n = self.records
        terms = [held for held, several in Counter(self.terms).items() for _ in range(min(several, m))]
        tops = [max(supports(chunk, 1).values()) for chunk in self.chunks] + terms
        ranked = sorted(tops, reverse=True)
        if m < 2 or len(ranked) < 2 or ranked[0] + ranked[1] <= n:
            return False
        gaps = [_gaps(chunk, n, m, n - max(tops[:i] + tops[i + 1 :])) for i, chunk in enumerate(self.chunks)]
        gaps += [{1: {n - held}} for held in terms]
        return any(0 < n - gap <= few for gap in _sums(gaps, n, m))


def supports(chunk: Members, size: int, among: frozenset[str] | None = None) -> Counter[tuple[str, ...]]:
    """Count the sub-records that contain each set of this many of these items."""
    held = [items if among is None else [i for i in items if i in among] for items in chunk]
    sets, what = sum(comb(len(items), size) for items in held), f"counting the sets of {size:,} items of a chunk"
    patience.spend(sets * STEPS_A_SET, what)
    if size > 1:
        patience.insist_on_room(sets, what, patience.MOST_NAMED)
    return Counter(one for items in held for one in combinations(items, size))


def _gaps(chunk: Members, n: int, m: int, least: int) -> dict[int, set[int]]:
    """Return, by size, in how many records a set of items may be missing. Sets with at most `least` records are skipped: they certainly
    meet nothing.
    """
    heavy = frozenset(items[0] for items, a in supports(chunk, 1).items() if a > least)
    return {size: {n - a for a in supports(chunk, size, heavy).values() if a > least} for size in range(1, m)} if heavy else {}


def _sums(gaps: Iterable[Mapping[int, set[int]]], n: int, m: int) -> set[int]:
    """Return the sums below n of the gaps of sets of two or more chunks with up to m items in total."""
    reached: set[tuple[int, int, int]] = {(0, 0, 0)}  # chunks (2 means two or more), terms, sum
    for of_chunk in gaps:
        patience.spend(len(reached) * sum(map(len, of_chunk.values())) * STEPS_A_SET, "adding up what the chunks of a cluster may lack")
        reached |= {
            (min(2, chunks + 1), terms + size, total + gap)
            for chunks, terms, total in reached
            for size, several in of_chunk.items()
            for gap in several
            if terms + size <= m and total + gap < n
        }
    return {total for chunks, _, total in reached if chunks == 2}


@dataclass(eq=False)
class Joint:
    """Clusters that share chunks; at least `support` people are known to have every item."""

    support: int = 1
    clusters: list[ClusterChunks] = field(default_factory=list)
    shared: list[Members] = field(default_factory=list)

    @property
    def records(self) -> int:
        """The total number of records of the clusters."""
        return sum(cluster.records for cluster in self.clusters)

    def overfull(self) -> bool:
        """Whether a shared chunk has more sub-records than there are records."""
        return max(map(len, self.shared), default=0) > self.records

    def bound_to_meet(self) -> bool:
        """Whether some item of a shared chunk certainly occurs together with an item of another chunk."""
        tops = [max(supports(chunk, 1).values()) for chunk in self.shared]
        own: Counter[tuple[str, ...]] = Counter()
        for chunk in (chunk for cluster in self.clusters for chunk in cluster.chunks):
            own.update(supports(chunk, 1))
        others = [max(own.values(), default=0), self.support if any(cluster.has_terms for cluster in self.clusters) else 0]
        return any(top + max([*others, *tops[:i]]) > self.records for i, top in enumerate(tops))


def joints_of(table: ChunkTable, support: int = 1) -> tuple[dict[int, ClusterChunks], list[Joint]]:
    """Return the clusters of a table by number, grouped by shared chunks; at least `support` people are known to have every item."""
    joints: dict[int, Joint] = defaultdict(partial(Joint, support))
    found: dict[int, ClusterChunks] = {}
    for cluster, joint, records in table.clusters.select(CLUSTER, JOINT, RECORDS).iter_rows():
        found[cluster] = ClusterChunks(records)
        joints[joint].clusters.append(found[cluster])
    for cluster, held in known_holders(table, support).select(CLUSTER, LEAST).iter_rows():
        found[cluster].terms.append(held)
    for cluster, chunk in _chunks(table.subrecords, CLUSTER):
        found[cluster].chunks.append(chunk)
    for joint, chunk in _chunks(table.shared, JOINT):
        joints[joint].shared.append(chunk)
        for member in joints[joint].clusters:
            member.shares = True
    return found, [joint for joint in joints.values() if joint.shared]


def _chunks(frame: pl.DataFrame, whole: str) -> Iterable[tuple[int, Members]]:
    """Return the sub-records of every chunk, with the number of its cluster."""
    subrecords = frame.group_by(whole, CHUNK, SUBRECORD).agg(pl.col(ITEM).sort()).sort(whole, CHUNK)
    held: dict[tuple[int, int], list[tuple[str, ...]]] = defaultdict(list)
    for number, chunk, _, items in subrecords.iter_rows():
        held[number, chunk].append(tuple(items))
    return ((number, several) for (number, _), several in held.items())


# Verify that chunks are made of the original's records: every record in one cluster, split as the chunks state, and nothing else.


SIDE = "\0side"
ONE_CLUSTER_EACH = "files do not contain the records of a cluster; the items of all clusters were compared with those of all records"


@dataclass(frozen=True, eq=False)
class TakenApart:
    """The original's records, split as the chunks state: rows as in the table, with the record as sub-record.

    `members` are the records of each cluster; `untold` counts occurrences in none of its chunks, `withheld` records in no cluster.
    """

    subrecords: pl.DataFrame
    shared: pl.DataFrame
    terms: pl.DataFrame
    members: pl.DataFrame
    untold: int
    withheld: int

    def differences(self, table: ChunkTable) -> list[str]:
        """Return the differences between the published chunks and the split records."""
        counts = {
            "sub-records of record chunks": _differing(self.subrecords, table.subrecords, CLUSTER),
            "sub-records of shared chunks": _differing(self.shared, table.shared, JOINT),
            "items of term chunks": _surplus(self.terms, table.terms),
            "sizes of clusters": _surplus(self.sizes(), table.clusters.select(CLUSTER, RECORDS)),
        }
        broken = [f"{n:,} {what} are not those of the original" for what, n in counts.items() if n]
        broken += [f"{self.untold:,} occurrences are in no chunk of their cluster"] if self.untold else []
        return broken + ([f"{self.withheld:,} non-empty records are in no cluster"] if self.withheld else [])

    def sizes(self) -> pl.DataFrame:
        """Return the number of records in each cluster."""
        return self.members.group_by(CLUSTER).agg(pl.len().cast(pl.Int64).alias(RECORDS))


def taken_apart(table: ChunkTable, original: Original, rows: Ints) -> TakenApart:
    """Split the records of an original by the chunks of their clusters; `rows` has the cluster row of each record, -1 if it has none."""
    bags = original.bags
    record = np.repeat(np.arange(len(bags)), np.diff(bags.indptr))
    clusters = table.clusters.select(CLUSTER, JOINT).with_row_index("row").cast({"row": pl.Int64})
    held = pl.DataFrame({"row": rows[record], SUBRECORD: record.astype(np.int64), ITEM: bags.vocabulary.names.gather(bags.items)})
    entries = held.join(clusters, on="row")
    own = entries.join(table.subrecords.select(CLUSTER, CHUNK, ITEM).unique(), on=[CLUSTER, ITEM])
    shared = entries.join(table.shared.select(JOINT, CHUNK, ITEM).unique(), on=[JOINT, ITEM])
    terms = entries.join(table.terms, on=[CLUSTER, ITEM])
    members = pl.DataFrame({"row": rows, SUBRECORD: np.arange(len(rows), dtype=np.int64)}).join(clusters, on="row")
    return TakenApart(
        own.select(CLUSTER, CHUNK, SUBRECORD, ITEM),
        shared.select(JOINT, CHUNK, SUBRECORD, ITEM),
        terms.select(CLUSTER, ITEM).unique(),
        members.select(CLUSTER, SUBRECORD),
        len(entries) - len(own) - len(shared) - len(terms),
        int(((rows < 0) & (bags.lengths > 0)).sum()),
    )


def compared(table: ChunkTable, original: Original) -> list[str]:
    """Compare without knowing the records of a cluster, as far as possible."""
    bags = original.bags
    filled = int((bags.lengths > 0).sum())
    broken = [f"the clusters have {table.n_records:,} records, but the original has {filled:,}"] if table.n_records != filled else []
    held = pl.DataFrame({ITEM: bags.vocabulary.names.gather(bags.items)}).group_by(ITEM).agg(pl.len().cast(pl.Int64).alias("held"))
    chunks = (
        pl.concat([table.subrecords.select(ITEM), table.shared.select(ITEM)]).group_by(ITEM).agg(pl.len().cast(pl.Int64).alias("in_chunks"))
    )
    terms = table.terms.group_by(ITEM).agg(pl.len().cast(pl.Int64).alias("least"))
    both = pl.concat([held, chunks, terms], how="diagonal").group_by(ITEM).agg(pl.sum("held", "in_chunks", "least"))
    open_end = both["least"] > 0  # a term chunk tells that a term is there, not how often
    wrong = both.filter((both["in_chunks"] + both["least"] > both["held"]) | (~open_end & (both["in_chunks"] != both["held"])))
    return broken + ([f"{len(wrong):,} items do not occur as often as in the original"] if len(wrong) else [])


def _differing(made: pl.DataFrame, seen: pl.DataFrame, whole: str) -> int:
    """Count the sub-records on either side without a counterpart with the same items in the same chunk."""
    return _surplus(_contents(made, whole), _contents(seen, whole))


def _contents(frame: pl.DataFrame, whole: str) -> pl.DataFrame:
    held = frame.group_by(whole, CHUNK, SUBRECORD).agg(pl.col(ITEM).sort().alias("items"))
    return held.drop(SUBRECORD)


def _surplus(made: pl.DataFrame, seen: pl.DataFrame) -> int:
    both = pl.concat([made.with_columns(pl.lit(1).alias(SIDE)), seen.select(made.columns).with_columns(pl.lit(-1).alias(SIDE))])
    return int(both.group_by(made.columns).agg(pl.col(SIDE).sum())[SIDE].abs().sum())


# Sets of terms in a chunk, counted by a kernel that no method calls; and terms in several chunks of a cluster.


PART, WHOLE = "\0part", "\0whole"  # record or shared chunks; the number of the cluster or of the joint cluster


@dataclass(frozen=True, eq=False)
class Counts:
    """Counted sets of items of one chunk; `names` has the item for each number in the examples."""

    found: CountedSets
    names: pl.Series


def both_parts(subrecords: pl.DataFrame, shared: pl.DataFrame) -> pl.DataFrame:
    """Concatenate record chunks and shared chunks."""
    return pl.concat(
        [
            subrecords.rename({CLUSTER: WHOLE}).with_columns(pl.lit("subrecords").alias(PART)),
            shared.rename({JOINT: WHOLE}).with_columns(pl.lit("shared").alias(PART)),
        ]
    )


def count_chunk_sets(entries: pl.DataFrame, knowledge: AttackerKnowledge, owners: Ints | None = None) -> Counts:
    """Count the sets of one item, two items and so on in the sub-records of each chunk.

    `entries` are rows of `both_parts`; with `owners`, by number of the sub-record, people are counted.
    """
    codes = entries.select(pl.struct(PART, WHOLE, CHUNK, ITEM).rank("dense").alias("code"))["code"].to_numpy().astype(np.int64) - 1
    numbered = entries.with_columns(pl.Series("code", codes), pl.struct(PART, WHOLE, CHUNK, SUBRECORD).rank("dense").alias("row"))
    if owners is not None:
        numbered = numbered.with_columns(pl.Series("owner", owners[entries[SUBRECORD].to_numpy()]))
    by_row = numbered.sort(*(["owner"] if owners is not None else []), "row", "code")
    starts = np.flatnonzero(np.diff(by_row["row"].to_numpy().astype(np.int64), prepend=0))
    names = numbered.unique("code").sort("code")[ITEM]
    rows = Bags.from_rows(
        np.append(starts, len(by_row)), by_row["code"].to_numpy(), np.ones(len(by_row), np.int32), Vocabulary(map(str, range(len(names))))
    )
    nobody = np.zeros(0, np.int64)
    people = by_row["owner"].to_numpy()[starts] if owners is not None else nobody
    repeat = (people[1:] == people[:-1]).any()
    holders = Holders(rows, np.arange(len(rows), dtype=np.int64), people if repeat else nobody)
    return Counts(count_sets(holders, all_public(len(names)), knowledge), names)


def misplaced(table: ChunkTable) -> int:
    """Count how often an item of a cluster is in more than one of its chunks."""
    own = table.subrecords.select(CLUSTER, CHUNK, ITEM).unique().select(CLUSTER, ITEM)
    shared = table.shared.select(JOINT, CHUNK, ITEM).unique().join(table.clusters, on=JOINT).select(CLUSTER, ITEM)
    everywhere = pl.concat([own, shared, table.terms.select(CLUSTER, ITEM)])
    return len(everywhere) - everywhere.n_unique()
