"""k^m-anonymity of records that were taken apart (Terrovitis, Liagouris, Mamoulis and Skiadopoulos, VLDB'12), without the cover problem.

Original items are published, but not which of them stood together. A reconstruction is any set of records that gives the published
clusters and chunks. Whatever set of up to m items somebody knows about a person: if a record of some reconstruction holds it, then
records of k people in the same cluster do in some reconstruction; and if records of every reconstruction hold items of several chunks
together, then those of k people do in every one.

What is counted, by code that no method calls:

* in every chunk, every set of up to m items in a sub-record is in those of at least k people (`count_chunk_sets`);
* a cluster has the records of at least k people, so that its term chunk fits all of them;
* the numbers of a cluster let items of several chunks meet in no record or in those of k people, and make them meet for certain in no
  record or in those of k people (`ClusterChunks` and `Joint`, with the proof that no more than this is needed).

With the original every record must be in one cluster and be taken apart as the chunks say, with nothing added, left out or moved
(`taken_apart`); then people are counted, not records. All of this is in `privacy/evidence/chunk_evidence.py`.

A claim may also state that at least `support` people have every published item. Readers know that then, so it restricts the possible
reconstructions, and the numbers are judged with it. Items may be left out of such a release, each of them everywhere; with the original,
each published item must be held by this many people. `word-support` is the claim that judges this by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.data.bags import Ints
from shoal.data.claims import Model, Verdict, verified_if
from shoal.data.release import Release
from shoal.data.tables.chunks import CLUSTER, RECORDS, SUBRECORD, ChunkTable
from shoal.parameters import param
from shoal.privacy.evidence.chunk_evidence import (
    ONE_CLUSTER_EACH,
    Counts,
    TakenApart,
    both_parts,
    compared,
    count_chunk_sets,
    joints_of,
    misplaced,
    taken_apart,
)
from shoal.privacy.evidence.chunk_words import PEOPLE, people_of_published, published_words
from shoal.privacy.evidence.known_sets import PEOPLE_NOT_COUNTED, AttackerKnowledge, items
from shoal.util.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.data.original import Original
    from shoal.data.tables import PublishedTable

MOST_KNOWN_APART = 8  # terms that an attacker may know: every set of this size in a sub-record is counted


@dataclass(frozen=True)
class DisassociatedKmAnonymity(Model):
    """At least k people match what an attacker knows (up to m items of a record), in records split into chunks."""

    name = "disassociated-km-anonymity"
    protects = (
        "At most m known items of a person match at least k people whose records may contain them, and an attacker who knows the items "
        "links the person to any published part with probability at most 1/k."
    )
    does_not_protect = (
        "An attacker who knows more than m items, or which items are absent, may find a single part of a record. Items of a single "
        "person are published unless the release suppresses rare items. A term chunk mostly contains items of few people in its "
        "cluster, which an attacker who knows the method can exploit. What all records of a cluster share is disclosed about each of "
        "them."
    )
    limits = (
        "It does not protect against an attacker who knows more than m items, or which items are absent, and items of a single person "
        "are published unless the release suppresses rare items."
    )
    judges = frozenset({"chunks"})
    level_sentences = {  # noqa: RUF012 (never changed)
        "people": "{every} set of up to {m} items may belong to {least} {people}",
        "records": "{every} set of up to {m} items may belong to {least} {records}",
    }

    k: int = param(5, minimum=2, help="minimum number of people per set of known items")
    m: int = param(2, minimum=1, maximum=MOST_KNOWN_APART, help="number of items known to an attacker")
    support: int | None = param(None, minimum=2, help="minimum number of people who have each published item (default: unknown)")

    def not_checked(self, table: PublishedTable, *, with_original: bool) -> Mapping[str, str]:
        """Return what remains open: items of term chunks are published as they are; only the method knows the records of a cluster."""
        open_end = {"cluster": "which records a cluster has"}
        return open_end if with_original else {"item": "those of term chunks, published as they are"} | open_end

    def judge(self, release: Release, original: Original | None) -> Verdict:
        """Count every chunk and every cluster; with the original, count people and verify that its records yield these chunks."""
        table = release.only(ChunkTable)
        if original is not None and self.support is not None:
            return self._judged(release, table, _of_published_words(original, table), _too_rare(table, original, self.support))
        return self._judged(release, table, original, [])

    def _judged(self, release: Release, table: ChunkTable, original: Original | None, faults: list[str]) -> Verdict:
        """Verify everything beyond the faults found so far."""
        known, notes = CountedChunks.from_file(table), []
        broken = faults + ([f"{counted(wrong, 'item')} of a cluster in several of its chunks"] if (wrong := misplaced(table)) else [])
        if original is not None and (rows := _rows(release, table, original)) is not None:
            apart = taken_apart(table, original, rows)
            broken, known = broken + apart.differences(table), CountedChunks.from_records(table, apart, original.bags.owners)
        elif original is not None:
            broken, notes = broken + compared(table, original), [ONE_CLUSTER_EACH]
            notes += [PEOPLE_NOT_COUNTED] if original.bags.owners_repeat else []
        sets = count_chunk_sets(known.entries, AttackerKnowledge(self.k, self.m), known.owners)
        broken += [*_rare(sets, self.k), *_numbers(table, known, self)]
        fewest = min([*known.people.values(), *([sets.found.fewest] if sets.found.sets else [])], default=0)
        notes += [f"{sets.found.sets:,} sets of items of a chunk were counted, by {known.unit}"]
        level = {known.unit: fewest, "m": self.m}
        return Verdict(str(self), verified_if(not broken), level, tuple(broken), tuple(notes), rare=_witnesses(sets))


def _of_published_words(original: Original, table: ChunkTable) -> Original:
    """Return the original without unpublished items."""
    names = original.bags.vocabulary
    here = names.names.is_in(published_words(table).implode()).to_numpy()
    codes = np.where(here, np.arange(len(names)), -1).astype(np.int32)
    return replace(original, bags=original.bags.relabelled(codes, names))


def _too_rare(table: ChunkTable, original: Original, support: int) -> list[str]:
    """Return published items that fewer people have than claimed."""
    few = int((people_of_published(table, original.bags)[PEOPLE] < support).sum())
    return [f"{counted(few, 'published item')} of fewer than {support:,} people"] if few else []


def _rows(release: Release, table: ChunkTable, original: Original) -> Ints | None:
    """Return the cluster row of each record, if it is known or there is only one."""
    if release.secret is not None:
        return release.secret.rows()
    return np.where(original.bags.lengths > 0, 0, -1).astype(np.int64) if len(table.clusters) == 1 else None


@dataclass(frozen=True, eq=False)
class CountedChunks:
    """Counted chunks: rows of chunks, the users of their sub-records, the people per cluster, and the most records of k - 1 people."""

    entries: pl.DataFrame
    people: dict[int, int]
    owners: Ints | None = None
    owned: dict[int, list[int]] | None = None

    @classmethod
    def from_file(cls, table: ChunkTable) -> CountedChunks:
        """Count records as people."""
        return cls(both_parts(table.subrecords, table.shared), dict(table.clusters.select(CLUSTER, RECORDS).iter_rows()))

    @classmethod
    def from_records(cls, table: ChunkTable, apart: TakenApart, owners: Ints) -> CountedChunks:
        """Count people by the records that were split."""
        if len(np.unique(owners)) == len(owners):
            return cls.from_file(table)
        named = apart.members.with_columns(pl.Series("owner", owners[apart.members[SUBRECORD].to_numpy()]))
        each = named.group_by(CLUSTER, "owner").len().group_by(CLUSTER).agg(pl.col("len").cast(pl.Int64).sort(descending=True))
        found: dict[int, list[int]] = dict(each.iter_rows())
        owned = {int(cluster): found.get(cluster, []) for cluster in table.clusters[CLUSTER]}
        return cls(both_parts(apart.subrecords, apart.shared), {cluster: len(n) for cluster, n in owned.items()}, owners, owned)

    @property
    def unit(self) -> str:
        """The unit of counting, for the verdict."""
        return "records" if self.owners is None else "people"

    def of_few(self, cluster: int, k: int) -> int:
        """Return how many records of a cluster fewer than k people may own."""
        return k - 1 if self.owned is None else sum(self.owned[cluster][: k - 1])


def _rare(sets: Counts, k: int) -> list[str]:
    found = sets.found
    if not found.unsafe:
        return []
    return [f"{found.unsafe:,} sets of {found.size:,} {items(found.size)} occur in a chunk only in sub-records of fewer than {k:,} people"]


def _numbers(table: ChunkTable, known: CountedChunks, claim: DisassociatedKmAnonymity) -> list[str]:
    k, m = claim.k, claim.m
    clusters, joints = joints_of(table, claim.support or 1)
    several = clusters.values()
    wrong = {
        "of fewer than k people": sum(1 for n in known.people.values() if n < k),
        "with more sub-records in a chunk than records": sum(one.overfull() for one in several) + sum(one.overfull() for one in joints),
        "in which records would have to be empty": sum(one.left_empty() for one in several),
        "in which items of several chunks may meet in fewer than k records": sum(one.possible_in_few(k, m) for one in several),
        "in which items of several chunks certainly meet, perhaps for fewer than k people": sum(
            one.certain_in_few(m, known.of_few(number, k)) for number, one in clusters.items()
        ),
        "whose shared items are bound to meet others": sum(m > 1 and joint.bound_to_meet() for joint in joints),
    }
    return [f"{counted(n, 'cluster')} {what}" for what, n in wrong.items() if n]


def _witnesses(sets: Counts) -> tuple[str, ...]:
    """Return examples of rare sets by name; not for publication."""
    named_sets = sets.names
    return tuple(
        f"{{{', '.join(named_sets[int(i)] for i in held)}}} occurs in a chunk for only {n:,}" for held, n, *_ in sets.found.examples
    )
