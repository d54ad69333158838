"""Disassociation (Terrovitis, Liagouris, Mamoulis and Skiadopoulos, VLDB'12): all words are published, but not which stood together.

Guarantee: who knows up to m terms of a record finds k people whose records may hold them, in every cluster where one record may; and no
terms of several chunks are certain to stand together, unless for k people. See `privacy/disassociated.py` for what that takes.

HORPART forms clusters of records that share frequent terms, VERPART forms chunks of terms in each, REFINE chunks that clusters share,
in one joint cluster. Deviations, with reasons: two parts of
HORPART are one cluster, because the term that a part was split by would be certain to stand beside all others there (the cover problem);
a chunk grows by the term that most often stands beside those in it, not by the next in support; terms that the numbers of a cluster
would tie to others go to the term chunk, so nothing is suppressed; and unless a size of clusters is asked for, several are tried.
Time: that of counting the pairs of terms in records, for each size that is tried.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from shoal.data.accounting import Accounting, Fate, Ledger, gone, kept
from shoal.data.bags import Ints
from shoal.data.forms import TAKEN_APART
from shoal.data.original import Original
from shoal.data.release import Release, Secret
from shoal.data.tables.chunks import CLUSTER, ITEM, JOINT, SCHEMAS, ChunkTable, empty_part, numbered_subrecords
from shoal.itemsets.choice import plain_values
from shoal.itemsets.chunking import TERM_CHUNK, Chunking, chunked
from shoal.itemsets.refining import refined
from shoal.methods import Method
from shoal.methods.building import EMPTY, present_records
from shoal.parameters import param
from shoal.privacy import Model
from shoal.privacy.disassociated import MOST_KNOWN_APART, DisassociatedKmAnonymity

SIZES = (100, 1_000, 10_000)  # of clusters that are tried beside one of all records


@dataclass(frozen=True)
class Disassociation(Method):
    """Publishes every word as it was typed, in chunks that hide which words of a record stood together."""

    name = "disassociation"
    paper = "Terrovitis, Liagouris, Mamoulis and Skiadopoulos, VLDB 2012"
    takes = frozenset({"sets"})
    publishes = "chunks"
    known_items = "m"
    worth_comparing = True
    fates: ClassVar[Mapping[str, Fate]] = dict.fromkeys(TAKEN_APART, "kept")

    k: int = param(5, minimum=2, help="distinct people per set of known terms")
    m: int = param(2, minimum=1, maximum=MOST_KNOWN_APART, help="terms that an attacker may know")
    cluster: int = param(0, minimum=0, help="records of a cluster, about, at most; 0 tries several sizes and keeps most words together")

    @property
    def needs_taxonomy(self) -> bool:
        """Words are published as they were typed."""
        return False

    def claims(self) -> tuple[Model, ...]:
        """k^m-anonymity of records that were taken apart."""
        return (DisassociatedKmAnonymity(k=self.k, m=self.m),)

    def apply(self, original: Original) -> Release:
        """Withhold empty records, take the others apart, and account for all."""
        present = present_records(original.bags, self.k)
        sizes = (self.cluster,) if self.cluster else (len(present.records), *(n for n in SIZES if n < len(present.records)))
        tried = [refined(chunked(present.records, self.k, self.m, most), self.k, self.m) for most in sizes]
        found = max(tried, key=lambda chunking: (chunking.together, chunking.alone))
        rows = np.full(len(original.bags), -1, np.int64)
        rows[present.numbers] = found.clusters
        return Release(
            {"chunks": table_of(found)},
            claims=self.claims(),
            accounting=_account(original, found),
            method=self.name,
            parameters=plain_values(self.values()),
            secret=Secret(rows),
        )


def table_of(found: Chunking) -> ChunkTable:
    """The chunks as they are published; clusters stand in the order of their numbers, so that a cluster's number is its row."""
    records, inside, outside = found.records, found.chunks != TERM_CHUNK, found.in_terms
    names, cluster = records.vocabulary.names.gather(records.items), found.clusters[found.record]
    sizes = np.bincount(found.clusters)
    numbers = np.arange(len(sizes), dtype=np.int64)
    joints = np.where(found.joined, 0, numbers + 1) if len(found.joined) else numbers
    terms = pl.DataFrame({CLUSTER: cluster[outside], ITEM: names.filter(pl.Series(outside))}).unique(maintain_order=True)
    chunks: Ints = found.chunks[inside].astype(np.int64)
    return ChunkTable(
        subrecords=numbered_subrecords(CLUSTER, cluster[inside], chunks, found.record[inside], names.filter(pl.Series(inside))),
        shared=_shared(found, names),
        terms=terms,
        clusters=pl.DataFrame([numbers, joints, sizes], schema=dict(SCHEMAS["clusters"])),
    )


def _shared(found: Chunking, names: pl.Series) -> pl.DataFrame:
    """The sub-records of shared chunks, all of one joint cluster, which is numbered 0."""
    places = np.flatnonzero(found.in_shared)
    if not len(places):
        return empty_part("shared")
    chunks: Ints = found.shared[places].astype(np.int64)
    return numbered_subrecords(JOINT, np.zeros(len(places), np.int64), chunks, found.record[places], names.gather(places))


def _account(original: Original, found: Chunking) -> Accounting:
    """Every occurrence is published; in a term chunk only that it is there, not how often."""
    bags = original.bags
    empty = len(bags) - len(found.records)
    numbers = found.together, found.alone, int(found.in_terms.sum())
    told = {part: kept(n) for part, n in zip(TAKEN_APART, numbers, strict=True)}
    records = Ledger(len(bags), {"published": kept(len(found.records)), EMPTY: gone(empty)})
    return Accounting({"records": records, "occurrences": Ledger(bags.occurrences, told)})
