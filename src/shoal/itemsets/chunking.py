"""Clusters of records and chunks of their terms, in which no set of up to m terms is rare: the search of disassociation."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from shoal import _kernels, kernels
from shoal.data.bags import Bags, Ints, Small

TERM_CHUNK = -1


@dataclass(frozen=True, eq=False)
class Chunking:
    """The cluster of each record, and for each place of the records the chunk of the term there; TERM_CHUNK for a term chunk.

    `shared` has the shared chunk of those that have one, in the clusters that are `joined`; both are empty where none is shared.
    """

    records: Bags
    clusters: Ints
    chunks: Small
    shared: Small = field(default_factory=lambda: np.zeros(0, np.int32))
    joined: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))

    @property
    def in_shared(self) -> npt.NDArray[np.bool_]:
        """Which places are in shared chunks."""
        return self.shared != TERM_CHUNK if len(self.shared) else np.zeros(len(self.chunks), bool)

    @property
    def in_terms(self) -> npt.NDArray[np.bool_]:
        """Which places are in term chunks."""
        return np.asarray((self.chunks == TERM_CHUNK) & ~self.in_shared)

    @cached_property
    def record(self) -> Ints:
        """The record of each place."""
        return np.repeat(np.arange(len(self.records), dtype=np.int64), np.diff(self.records.indptr))

    @cached_property
    def lengths(self) -> Ints:
        """For each place how many terms of its record stand together there; 0 in a term chunk."""
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
        """How many occurrences stand beside others of their record."""
        return int((self.lengths > 1).sum())

    @property
    def alone(self) -> int:
        """How many occurrences stand in record chunks or shared ones with no other of their record."""
        return int((self.lengths == 1).sum())


def chunked(records: Bags, k: int, m: int, most: int) -> Chunking:
    """Records, which are sets and none of them empty, in clusters of about `most` records at most and at least k people."""
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
    """The places of these records, one record after the other."""
    lengths = np.diff(indptr)[order]
    within = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return np.asarray(np.repeat(indptr[order], lengths) + within)
