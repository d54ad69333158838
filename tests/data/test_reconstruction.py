"""Reconstructions are records that give the chunks they were drawn from, and are drawn from these alone."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest

from helpers.chunks import Cluster, chunk_table, reconstructions
from helpers.data import DATASETS, on_nodes
from shoal.data.tables.chunks import ChunkTable
from shoal.evaluate.reconstruct import reconstructed
from shoal.methods.disassociation import Disassociation

SMALL: dict[str, tuple[list[Cluster], list[list[str]]]] = {
    "a term chunk": ([(3, [["ab", "a"], ["c", "c"]], "t")], []),
    "no term chunk": ([(3, [["ab", "a"], ["c", "c"]], "")], []),
    "just enough parts": ([(4, [["a", "a"], ["b", "b"]], "")], []),
    "a shared chunk": ([(2, [["a", "a"]], "t"), (2, [["b", "b"]], "u")], [["cd", "c"]]),
}


@pytest.mark.parametrize("name", SMALL)
def test_every_draw_is_one_of_all_reconstructions(name: str) -> None:
    clusters, shared = SMALL[name]
    table = chunk_table(*clusters, shared=shared)
    possible = {
        frozenset(Counter(record for cluster in way for record in cluster).items()) for way in reconstructions(*clusters, shared=shared)
    }
    drawn = set()
    for seed in range(60):
        records = reconstructed(table, np.random.default_rng(seed)).to_polars().to_list()
        drawn.add(frozenset(Counter(frozenset(record) for record in records).items()))
        assert all(len(set(record)) == len(record) for record in records)
    assert drawn <= possible
    assert len(drawn) > 1 or len(possible) == 1


@pytest.mark.parametrize("name", DATASETS)
def test_a_draw_depends_on_the_published_chunks_and_the_seed_alone(name: str) -> None:
    data = DATASETS[name]()
    table = Disassociation(k=2, cluster=12).apply(on_nodes(data.bags.as_sets(), data.taxonomy)).only(ChunkTable)
    assert isinstance(table, ChunkTable)
    same = ChunkTable(*(frame.sort(frame.columns) for frame in (table.subrecords, table.shared, table.terms, table.clusters)))
    first, second = (reconstructed(one, np.random.default_rng(1)).to_polars() for one in (table, same))
    assert first.equals(second)
    assert len(first) == table.n_records
    assert not (first.list.len() == 0).any()
    told = pl.concat([table.subrecords["item"], table.shared["item"]]).value_counts().rows()
    found = Counter(first.explode().to_list())
    assert all(found[item] >= n for item, n in told)
