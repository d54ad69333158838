"""Shared chunks (REFINE): terms that are too rare in each of several clusters, but not in all of them together.

The clusters that share chunks are one joint cluster. A term may be shared if it is in no record chunk of any of them; it then leaves their
term chunks. A cluster whose own chunks would not fill its records without a term chunk stays outside if it had nothing left there. Only
terms are shared that are certain to meet no other term: together with the most frequent term of the record chunks, or with another shared
one, they are in no more records than there are.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from shoal import _kernels, kernels
from shoal.data.bags import Bags, Ints, Small
from shoal.itemsets.chunking import TERM_CHUNK, Chunking

Mask = npt.NDArray[np.bool_]


def refined(found: Chunking, k: int, m: int) -> Chunking:
    """The same clusters and record chunks, with shared chunks where there are terms for them."""
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
    """Which clusters need no term chunk: their chunks have enough sub-records (Lemma 2 of the paper)."""
    inside = found.chunks != TERM_CHUNK
    record, chunk = found.record[inside], found.chunks[inside].astype(np.int64)
    parts = np.unique(np.stack([record, chunk]), axis=1)
    subrecords = np.bincount(found.clusters[parts[0]], minlength=n)
    kinds = np.bincount(np.unique(np.stack([found.clusters[record], chunk]), axis=1)[0], minlength=n)
    sizes = np.bincount(found.clusters, minlength=n)
    return np.asarray(subrecords >= sizes + k * np.maximum(0, np.minimum(m, kinds) - 1))


def _shared_places(found: Chunking, joined: Mask, k: int, m: int) -> Small:
    """For each place the shared chunk of its term in the joined clusters, TERM_CHUNK where it is in none."""
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
    """Chunks of these places, as if they were all there is and one cluster."""
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
