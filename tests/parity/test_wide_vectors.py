"""Sketches compared with wide vectors and without them: the groups that are found are the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from helpers.data import forests, numbered, tree
from shoal import _kernels
from shoal.data.bags import Bags
from shoal.data.taxonomy import Taxonomy
from shoal.methods.shoal import Shoal

pytestmark = pytest.mark.skipif(not _kernels.use_wide_vectors(True), reason="this processor has no vectors of 32 bytes")

Case = tuple[tuple[int, ...], list[list[int]]]


def grouped_with(wanted: bool, bags: Bags, taxonomy: Taxonomy, effort: str) -> list[int]:
    try:
        assert _kernels.use_wide_vectors(wanted) == wanted
        return Shoal(k=2, effort=effort).form_groups(bags, taxonomy)[0].tolist()
    finally:
        _kernels.use_wide_vectors(True)


@settings(deadline=None, max_examples=60)
@given(forests(nodes=12, records=(2, 24), items=(1, 6)), st.sampled_from(["fast", "balanced"]))
def test_small_records(case: Case, effort: str) -> None:
    parent, records = case
    taxonomy = tree(parent)
    assume(taxonomy.n_leaves > 1)
    bags = numbered(taxonomy, records, list(range(len(records))))
    assert grouped_with(True, bags, taxonomy, effort) == grouped_with(False, bags, taxonomy, effort)


@pytest.mark.parametrize("seed", range(3))
def test_more_nodes_than_a_sketch_has_bytes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    parent = (-1, *(0 if node % 21 == 1 else node - 1 - (node - 2) % 21 for node in range(1, 400)))  # 19 nodes of 20 leaves each
    taxonomy = tree(parent)
    records = [sorted(rng.integers(1, 400, rng.integers(1, 30)).tolist()) for _ in range(300)]
    bags = numbered(taxonomy, records, list(range(300)))
    assert grouped_with(True, bags, taxonomy, "balanced") == grouped_with(False, bags, taxonomy, "balanced")
