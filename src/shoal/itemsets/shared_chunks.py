"""Shared chunks (REFINE): terms that are too rare in each of several clusters, but not in all of them together.

The clusters that share chunks form one joint cluster. A term may be shared if it is in no record chunk of any of them; it is then removed
from their term chunks. A cluster whose own chunks would not fill its records without a term chunk is left out if its term chunk would
become empty. Only terms that certainly meet no other term are shared: together with the most frequent term of the record chunks, or with
another shared one, they occur in no more records than there are.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from shoal import _kernels, kernels
from shoal.data.bags import Bags, Ints, Small
from shoal.util.numbers import distinct_pairs

# Clusters of records and chunks of their terms, in which no set of up to m terms is rare: the search of disassociation.


TERM_CHUNK = -1


@dataclass(frozen=True, eq=False)
class Chunking:
    """The cluster of each record, and the chunk of each occurrence; TERM_CHUNK for a term chunk.

    `shared` has the shared chunk of each occurrence in the clusters that are `joined`; both are empty if none is shared.
    """

    records: Bags
    clusters: Ints
    chunks: Small
    shared: Small = field(default_factory=lambda: np.zeros(0, np.int32))
    joined: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))

    @property
    def in_shared(self) -> npt.NDArray[np.bool_]:
        """Which occurrences are in shared chunks."""
        return self.shared != TERM_CHUNK if len(self.shared) else np.zeros(len(self.chunks), bool)

    @property
    def in_terms(self) -> npt.NDArray[np.bool_]:
        """Which occurrences are in term chunks."""
        return np.asarray((self.chunks == TERM_CHUNK) & ~self.in_shared)

    @cached_property
    def record(self) -> Ints:
        """The record of each occurrence."""
        return np.repeat(np.arange(len(self.records), dtype=np.int64), np.diff(self.records.indptr))

    @cached_property
    def lengths(self) -> Ints:
        """For each occurrence, the number of terms of its record in the same chunk; 0 in a term chunk."""
        inside, chunks = ~self.in_terms, self.chunks.astype(np.int64)
        if len(self.shared):
            chunks = np.where(self.in_shared, -2 - self.shared, chunks)
        parts = np.stack([self.record[inside], chunks[inside]])
        _, part, size = np.unique(parts, axis=1, return_inverse=True, return_counts=True)
        lengths = np.zeros(len(self.chunks), np.int64)
        lengths[inside] = size[part.ravel()]
        return lengths

    @property
    def together(self) -> int:
        """The number of occurrences in a chunk with others of their record."""
        return int((self.lengths > 1).sum())

    @property
    def alone(self) -> int:
        """The number of occurrences in record or shared chunks without another of their record."""
        return int((self.lengths == 1).sum())


def chunked(records: Bags, k: int, m: int, most: int) -> Chunking:
    """Split records, which are non-empty sets, into clusters of about `most` records at most and at least k people."""
    order = np.argsort(records.owners, kind="stable")
    ordered = records.select(order)
    owners = np.unique(ordered.owners, return_inverse=True)[1].astype(np.int64)
    clusters = kernels.run(_kernels.clusters_by_terms, ordered.view, owners, most, k, label="forming clusters")
    plan = _kernels.ChunkPlan(k=k, m=m)
    chunks = kernels.run(_kernels.chunks_of_terms, ordered.view, owners, clusters, plan, label="forming chunks")
    own = np.empty(len(records), np.int64)
    own[order] = clusters
    places = np.empty(len(chunks), np.int32)
    places[_places(records.indptr, order)] = chunks
    return Chunking(records, own, places)


def _places(indptr: Ints, order: Ints) -> Ints:
    """Return the occurrences of these records, record by record."""
    lengths = np.diff(indptr)[order]
    within = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return np.asarray(np.repeat(indptr[order], lengths) + within)


Mask = npt.NDArray[np.bool_]


def refined(found: Chunking, k: int, m: int) -> Chunking:
    """Add shared chunks where there are terms for them."""
    n_clusters = int(found.clusters.max(initial=-1)) + 1
    joined = np.ones(n_clusters, bool)
    filled = _filled_clusters(found, k, m, n_clusters)
    while joined.sum() > 1:
        shared = _shared_places(found, joined, k, m)
        left = np.zeros(n_clusters, bool)
        left[found.clusters[found.record[(found.chunks == TERM_CHUNK) & (shared == TERM_CHUNK)]]] = True
        failing = joined & ~left & ~filled
        if not failing.any():
            return replace(found, shared=shared, joined=joined) if (shared != TERM_CHUNK).any() else found
        joined &= ~failing
    return found


def _filled_clusters(found: Chunking, k: int, m: int, n: int) -> Mask:
    """Return which clusters need no term chunk: their chunks have enough sub-records (Lemma 2 of the paper)."""
    inside = found.chunks != TERM_CHUNK
    record, chunk = found.record[inside], found.chunks[inside].astype(np.int64)
    subrecords = np.bincount(found.clusters[distinct_pairs(record, chunk)[0]], minlength=n)
    kinds = np.bincount(distinct_pairs(found.clusters[record], chunk)[0], minlength=n)
    sizes = np.bincount(found.clusters, minlength=n)
    return np.asarray(subrecords >= sizes + k * np.maximum(0, np.minimum(m, kinds) - 1))


def _shared_places(found: Chunking, joined: Mask, k: int, m: int) -> Small:
    """Return the shared chunk of each occurrence in the joined clusters, or TERM_CHUNK."""
    items = found.records.items
    here = joined[found.clusters[found.record]]
    own = np.bincount(items[here & (found.chunks != TERM_CHUNK)], minlength=len(found.records.vocabulary))
    total = np.bincount(items[here], minlength=len(own))
    records = int(joined[found.clusters].sum())
    most = records if m < 2 else min(records // 2, records - max(1, int(own.max(initial=0))))
    free = (own == 0) & (total <= most) & (total >= k)
    places = np.flatnonzero(here & free[items])
    shared = np.full(len(items), TERM_CHUNK, np.int32)
    if len(places):
        shared[places] = _chunks_of(found, places, k, m)
    return shared


def _chunks_of(found: Chunking, places: Ints, k: int, m: int) -> Small:
    """Return chunks of these occurrences, as if they were a single cluster."""
    record = found.record[places]
    numbers, starts = np.unique(record, return_index=True)
    owners = np.unique(found.records.owners[numbers], return_inverse=True)[1].astype(np.int64)
    order = np.argsort(owners, kind="stable")
    lengths = np.diff(np.append(starts, len(places)))
    part = Bags.from_rows(
        np.append(starts, len(places)), found.records.items[places], np.ones(len(places), np.int32), found.records.vocabulary
    )
    zeros = np.zeros(len(order), np.int64)
    plan = _kernels.ChunkPlan(k=k, m=m)
    chunks = kernels.run(_kernels.chunks_of_terms, part.select(order).view, owners[order], zeros, plan, label="forming shared chunks")
    out = np.empty(len(places), np.int32)
    within = np.arange(len(places)) - np.repeat(np.cumsum(lengths[order]) - lengths[order], lengths[order])
    out[np.repeat(starts[order], lengths[order]) + within] = chunks
    return out
