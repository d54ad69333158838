"""The kernels of disassociation against plain twins, on random sets of few terms."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.chunk_twins import twin_chunks, twin_clusters
from shoal import _kernels, kernels
from shoal.data.bags import Bags, Vocabulary

Records = list[tuple[int, frozenset[int]]]
RECORDS = st.lists(st.tuples(st.integers(0, 14), st.frozensets(st.integers(0, 6), min_size=1, max_size=5)), max_size=30)


def rows_of(records: Records) -> tuple[Bags, list[frozenset[int]], list[int]]:
    ordered = sorted(records, key=lambda record: record[0])
    sets, owners = [held for _, held in ordered], [owner for owner, _ in ordered]
    items = [item for held in sets for item in sorted(held)]
    indptr = np.cumsum([0, *map(len, sets)])
    bags = Bags.from_rows(indptr, np.array(items, np.int32), np.ones(len(items), np.int32), Vocabulary(map(str, range(7))), owners)
    return bags, sets, owners


@given(RECORDS, st.integers(1, 12), st.integers(1, 3))
def test_clusters(records: Records, most: int, k: int) -> None:
    bags, sets, owners = rows_of(records)
    found = kernels.run(_kernels.clusters_by_terms, bags.view, bags.owners, most, k)
    assert found.tolist() == twin_clusters(sets, owners, most, k)


@given(RECORDS, st.integers(1, 3), st.integers(1, 4), st.integers(1, 3), st.booleans())
@settings(max_examples=150)
def test_chunks(records: Records, k: int, m: int, clusters: int, alone: bool) -> None:
    bags, sets, owners = rows_of([(i, held) for i, (_, held) in enumerate(records)] if alone else records)
    cluster = np.arange(len(bags), dtype=np.int64) % clusters
    found = kernels.run(_kernels.chunks_of_terms, bags.view, bags.owners, cluster, _kernels.ChunkPlan(k=k, m=m))
    twin = twin_chunks(sets, owners, cluster.tolist(), k, m)
    assert found.tolist() == [chunks[term] for chunks, held in zip(twin, sets, strict=True) for term in sorted(held)]
