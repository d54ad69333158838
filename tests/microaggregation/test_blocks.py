"""MDAV inside blocks: the same as without where all rows fit one block, enough owners everywhere, and alike for any number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import kernels
from shoal.data.table import Floats
from shoal.errors import Infeasible
from shoal.microaggregation.blocks import ENOUGH, mdav_in_blocks, similar_blocks
from shoal.microaggregation.mdav import mdav_groups
from shoal.microaggregation.spaces import NumberSpace

SOME = settings(deadline=None, max_examples=40)


class Points:
    """Places on a line, without a kernel."""

    def __init__(self, places: Floats) -> None:
        self._space = NumberSpace(places.reshape(-1, 1))
        self.point, self.centroid, self.distances = self._space.point, self._space.centroid, self._space.distances

    def __len__(self) -> int:
        return len(self._space)


@SOME
@given(st.lists(st.integers(0, 50), min_size=6, max_size=40), st.integers(1, 3))
def test_one_block_is_plain_mdav(places: list[int], k: int) -> None:
    space, owners = Points(np.array(sorted(places), float)), np.arange(len(places))
    assert mdav_in_blocks(space, owners, k, len(places)).tolist() == mdav_groups(space, owners, k).tolist()


@SOME
@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 30)), min_size=40, max_size=120), st.integers(1, 3), st.integers(1, 30))
def test_groups_have_k_owners_and_stay_inside_blocks(rows: list[tuple[int, int]], k: int, size: int) -> None:
    rows = sorted(rows)
    space, owners = Points(np.array([place for place, _ in rows], float)), np.array([owner for _, owner in rows])
    if len(np.unique(owners)) < k:
        with pytest.raises(Infeasible):
            mdav_in_blocks(space, owners, k, size)
        return
    labels = mdav_in_blocks(space, owners, k, size)
    assert sorted(set(labels.tolist())) == list(range(int(labels.max()) + 1))
    assert all(len(np.unique(owners[labels == group])) >= k for group in range(int(labels.max()) + 1))
    blocks = similar_blocks(space, owners, size, ENOUGH * k) if len(rows) > size else [np.arange(len(rows))]
    assert np.array_equal(np.sort(np.concatenate(blocks)), np.arange(len(rows)))
    for block in blocks:
        assert set(labels[block]).isdisjoint(np.delete(labels, block))
        assert len(blocks) == 1 or len(np.unique(owners[block])) >= ENOUGH * k


def test_the_number_of_threads_does_not_matter() -> None:
    places, found = np.sort(np.random.default_rng(3).normal(size=600)), []
    for threads in (1, 4):
        with kernels.using(threads=threads):
            found.append(mdav_in_blocks(Points(places), np.arange(600), 3, 64).tolist())
    assert found[0] == found[1]


def test_far_clusters_are_never_mixed() -> None:
    """Four clusters of 100 rows: blocks are cut between them, so the groups are those of each cluster by itself."""
    rng = np.random.default_rng(5)
    places = np.sort(np.concatenate([centre + rng.normal(size=100) for centre in (0, 1000, 2000, 3000)]))
    labels = mdav_in_blocks(Points(places), np.arange(400), 5, 100)
    cluster = np.round(places / 1000)
    assert all(len(np.unique(cluster[labels == group])) == 1 for group in np.unique(labels))
