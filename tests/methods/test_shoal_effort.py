"""What an effort of the shoal method spends, and when local search stops."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.data import numbered, tree
from shoal import _kernels, kernels
from shoal.data.bags import Ints
from shoal.methods.shoal import EFFORTS, FEW_ENTRIES, FEW_RECORDS, SHORT
from shoal.taxonomy.tree_counts import TreeCounts, tree_counts

K = 3
TRIED_TOGETHER = 32  # cpp/group_search/worth.hpp


def mixed(groups: int) -> TreeCounts:
    """Records of forty leaves under eight nodes, in no order that would help."""
    taxonomy = tree([-1, *(parent for top in range(1, 49, 6) for parent in (0, *[top] * 5))])
    leaves = np.array([node for node in range(1, 49) if node % 6 != 1])
    rng = np.random.default_rng(5)
    records = [leaves[rng.integers(0, 40, rng.integers(2, 9))].tolist() for _ in range(K * groups)]
    return tree_counts(numbered(taxonomy, records), taxonomy)


def refined(counts: TreeCounts, worst: int, worth: int) -> tuple[Ints, Ints]:
    """Groups of three records in a row, refined once."""
    n = len(counts.lengths)
    options = _kernels.RefineOptions(neighbours=4, depth=3, together=3, worst=worst, worth=worth)
    scored = counts.scored(np.arange(n), K, False)
    (starts, members), _ = kernels.run(_kernels.refine_block, scored, np.arange(0, n + 1, K), np.arange(n), options, 7, -1.0)
    return starts, members


def kept(counts: TreeCounts, starts: Ints, members: Ints) -> int:
    """What the groups keep, counted from their tables of counts."""
    table = np.zeros((len(counts.lengths), len(counts.weights)), np.int64)
    table[np.repeat(np.arange(len(table)), np.diff(counts.indptr)), counts.nodes] = counts.counts
    parts = np.split(members, starts[1:-1])
    return sum(len(part) * int(table[part].min(axis=0) @ counts.weights) for part in parts)


def in_a_row(counts: TreeCounts) -> tuple[Ints, Ints]:
    n = len(counts.lengths)
    return np.arange(0, n + 1, K), np.arange(n)


def test_few_groups_are_all_tried_whatever_must_be_gained() -> None:
    counts = mixed(TRIED_TOGETHER - 1)
    for unasked, asked in zip(refined(counts, 100, 0), refined(counts, 100, 1000), strict=True):
        assert np.array_equal(unasked, asked)


def test_search_that_stops_early_keeps_more_than_none_and_less_than_all_of_it() -> None:
    counts = mixed(400)
    start, none, some, every = (
        kept(counts, *groups) for groups in (in_a_row(counts), refined(counts, 0, 0), refined(counts, 100, 1000), refined(counts, 100, 0))
    )
    assert start < none < some < every


@pytest.mark.parametrize("worth", [0, 20, 1000])
def test_every_record_stays_in_a_group_of_k(worth: int) -> None:
    counts = mixed(200)
    starts, members = refined(counts, 100, worth)
    assert sorted(members.tolist()) == list(range(len(counts.lengths)))
    assert np.diff(starts).min() >= K


def of_entries(records: int, each: int) -> TreeCounts:
    entries = np.zeros(records * each, np.int32)
    return TreeCounts(np.arange(0, records * each + 1, each), entries, entries, np.ones(records, np.int64), np.ones(1, np.int64), 1)


def test_long_records_are_grown_in_smaller_blocks_at_balanced_effort_alone() -> None:
    short, long, longest = (of_entries(100, each) for each in (SHORT, 4 * SHORT // 3, 100 * SHORT))
    balanced = EFFORTS["balanced"]
    assert [balanced.block_for(counts) for counts in (short, long, longest)] == [12_288, 9_216, 8_192]
    for name in ("fast", "thorough"):
        assert EFFORTS[name].block_for(longest) == EFFORTS[name].block


def test_steps_that_gain_little_are_left_out_only_where_they_take_time() -> None:
    balanced, thorough = EFFORTS["balanced"], EFFORTS["thorough"]
    assert balanced.for_data(FEW_RECORDS - 1, FEW_ENTRIES) == balanced
    assert balanced.for_data(FEW_RECORDS - 1, FEW_ENTRIES + 1) == balanced.for_data(FEW_RECORDS, 1)
    assert balanced.worth == 0 < balanced.for_data(FEW_RECORDS, 1).worth
    assert balanced.for_data(FEW_RECORDS, 1).neighbours < balanced.neighbours
    assert thorough.for_data(FEW_RECORDS, FEW_ENTRIES + 1) == thorough
