"""Disassociation (Terrovitis, Liagouris, Mamoulis and Skiadopoulos, VLDB'12): publishes items, but not which of them occurred together.

Guarantee: an attacker who knows up to m items of a record finds k people whose records may contain them, in every cluster where one record
may; and no items of several chunks certainly occur together, except for k people. See `privacy/disassociated_km_anonymity.py`.

HORPART forms clusters of records that share frequent items, VERPART forms chunks of items in each, REFINE forms chunks shared by clusters,
in one joint cluster. Deviations from the paper: two parts of HORPART form one cluster, because otherwise the item that splits them would
certainly occur together with all others in its part (the cover problem); a chunk grows by the item that most often occurs with those in it,
not by the next in support; items that the numbers of a cluster would link to others go to the term chunk, so nothing is suppressed for
that; several cluster sizes are tried unless one is requested; and items of fewer than k people are suppressed, unless the user chooses to
publish them as the paper does (`itemsets/withholding.py`). Time: that of counting the pairs of items in records, for each cluster size.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.data.accounting import Accounting, Fate, Ledger, gone, kept
from shoal.data.bags import Bags, Ints
from shoal.data.claims import Model
from shoal.data.items import plain_values
from shoal.data.occurrence_forms import TAKEN_APART
from shoal.data.original import Original
from shoal.data.release import Release, Secret
from shoal.data.tables.chunks import CLUSTER, ITEM, JOINT, SCHEMAS, ChunkTable, empty_part, numbered_subrecords
from shoal.errors import Infeasible
from shoal.itemsets.shared_chunks import TERM_CHUNK, Chunking, chunked, refined
from shoal.itemsets.withholding import rare_words, settled, tied_words, without_words
from shoal.methods import Method
from shoal.methods.bases.release_builder import EMPTY, Present, present_records
from shoal.parameters import param
from shoal.privacy.disassociated_km_anonymity import MOST_KNOWN_APART, DisassociatedKmAnonymity
from shoal.privacy.word_support import WordSupport
from shoal.util.wording import counted

WITHHOLD, PUBLISH = "withhold", "publish"
RARE, TIED = "suppressed: rare items", "suppressed: tied to others"  # parts of the account of occurrences
ONLY_RARE = "withheld: nothing left"  # a part of the account of records
SIZES = (100, 1_000, 10_000)  # of clusters that are tried in addition to one of all records


@dataclass(frozen=True)
class Disassociation(Method):
    """Publishes original items in chunks that hide which items occurred together in a record."""

    name = "disassociation"
    paper = "Terrovitis, Liagouris, Mamoulis and Skiadopoulos, VLDB 2012"
    takes = frozenset({"sets"})
    publishes = "chunks"
    known_items = "m"
    worth_comparing = True
    fates: ClassVar[Mapping[str, Fate]] = dict.fromkeys(TAKEN_APART, "kept")

    k: int = param(5, minimum=2, help="minimum number of people per set of known items")
    m: int = param(2, minimum=1, maximum=MOST_KNOWN_APART, help="number of items known to an attacker")
    cluster: int = param(0, minimum=0, help="approximate maximum number of records per cluster (0: try several sizes and take the best)")
    rare_words: str = param(
        WITHHOLD,
        choices=(WITHHOLD, PUBLISH),
        help="items of fewer than k people: suppress and count them (withhold), or publish them as in the paper",
    )

    @property
    def needs_taxonomy(self) -> bool:
        """False: items are published as typed."""
        return False

    @property
    def withholds(self) -> bool:
        """Whether items of fewer than k people are suppressed."""
        return self.rare_words == WITHHOLD

    @property
    def caution(self) -> str:
        """A warning that publishing rare items can expose people."""
        if self.withholds:
            return ""
        return f"items of fewer than {self.k:,} people, such as names and phone numbers, are published as typed"

    def claims(self) -> tuple[Model, ...]:
        """Claim k^m-anonymity of disassociated records and, unless rare items are published, that k people have every item."""
        if not self.withholds:
            return (DisassociatedKmAnonymity(k=self.k, m=self.m),)
        return DisassociatedKmAnonymity(k=self.k, m=self.m, support=self.k), WordSupport(k=self.k)

    def apply(self, original: Original) -> Release:
        """Suppress empty records and rare items, split the records into chunks, and account for everything."""
        bags = original.bags
        present = present_records(bags, self.k)
        rare = rare_words(present.records, self.k) if self.withholds else np.zeros(len(bags.vocabulary), bool)
        frequent = _left(present, rare)
        if not len(frequent.records):
            raise Infeasible(
                f"no item is used by {self.k:,} people", code="nothing-to-publish", hint="lower k or use more data", limit=self.k
            )
        n = len(frequent.records)
        sizes = (self.cluster,) if self.cluster else (n, *(size for size in SIZES if size < n))
        tried = [self._chunked(frequent, most) for most in sizes]
        present, found = max(tried, key=lambda one: (one[1].together, one[1].alone, int(one[1].in_terms.sum())))
        rows = np.full(len(bags), -1, np.int64)
        rows[present.numbers] = found.clusters
        return Release(
            {"chunks": table_of(found)},
            claims=self.claims(),
            accounting=_account(original, found, int(rare[bags.items].sum())),
            method=self.name,
            parameters=plain_values(self.values()),
            notes=tuple(self._notes(bags)),
            secret=Secret(rows),
        )

    def _chunked(self, present: Present, most: int) -> tuple[Present, Chunking]:
        """Return clusters of about this many records with their chunks; items that a known support would link to others are left out."""
        while True:
            formed = chunked(present.records, self.k, self.m, most)
            if not self.withholds or self.m < 2:
                return present, refined(formed, self.k, self.m)
            found = refined(settled(formed, self.k), self.k, self.m)
            tied = tied_words(formed, found, self.k)
            if not tied.any():
                return present, found
            present = _left(present, tied)

    def _notes(self, bags: Bags) -> Iterator[str]:
        """Return a note on the number of published rare items."""
        few = 0 if self.withholds else int((rare_words(bags, self.k) & (np.bincount(bags.items, minlength=len(bags.vocabulary)) > 0)).sum())
        if few:
            yield f"WARNING: {counted(few, 'item')} of fewer than {self.k:,} people {'is' if few == 1 else 'are'} published as typed"


def _left(present: Present, unwanted: npt.NDArray[np.bool_]) -> Present:
    """Return the records without these items, and without records that become empty."""
    if not unwanted.any():
        return present
    records = without_words(present.records, unwanted)
    filled = np.flatnonzero(records.lengths > 0)
    return Present(present.numbers[filled], records.select(filled))


def table_of(found: Chunking) -> ChunkTable:
    """Return the chunks as published; clusters are sorted by number, so that a cluster's number is its row."""
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
    """Return the sub-records of shared chunks, all of one joint cluster, which has the number 0."""
    places = np.flatnonzero(found.in_shared)
    if not len(places):
        return empty_part("shared")
    chunks: Ints = found.shared[places].astype(np.int64)
    return numbered_subrecords(JOINT, np.zeros(len(places), np.int64), chunks, found.record[places], names.gather(places))


def _account(original: Original, found: Chunking, rare: int) -> Accounting:
    """Return the outcome of the items: published, published as present in a term chunk, or suppressed as rare or linked to others."""
    bags = original.bags
    empty = int((bags.lengths == 0).sum())
    numbers = found.together, found.alone, int(found.in_terms.sum())
    parts = {part: kept(n) for part, n in zip(TAKEN_APART, numbers, strict=True)}
    parts |= {RARE: gone(rare), TIED: gone(bags.occurrences - sum(numbers) - rare)}
    left = len(bags) - empty - len(found.records)
    records = Ledger(len(bags), {"published": kept(len(found.records)), EMPTY: gone(empty), ONLY_RARE: gone(left)})
    return Accounting({"records": records, "occurrences": Ledger(bags.occurrences, parts)})
