"""Partition on records that are long and alike."""

from __future__ import annotations

import time

import numpy as np

from helpers_data import numbered, tree
from shoal.data.original import Original
from shoal.methods.partition import Partition


def pairs(n: int) -> list[int]:
    """A root over n groups of two leaves each, in preorder."""
    parent = [-1]
    for _ in range(n):
        group = len(parent)
        parent += [0, group, group]
    return parent


def test_long_records_that_agree_are_published_as_they_are() -> None:
    taxonomy = tree(pairs(50))
    record = [3 * i + 2 for i in range(50)]
    release = Partition(k=2).apply(Original.on(numbered(taxonomy, [record] * 4), taxonomy))
    assert release.copies.tolist() == [4]
    assert release.published.items.tolist() == record


def test_the_time_does_not_grow_with_the_cube_of_the_length() -> None:
    def seconds(n: int) -> float:
        taxonomy = tree(pairs(n))
        records = np.tile(3 * np.arange(n) + 2, (6, 1))
        records[:3, : n // 10] -= 1
        bags = numbered(taxonomy, records.tolist())
        started = time.perf_counter()
        release = Partition(k=2).apply(Original.on(bags, taxonomy))
        assert release.claims[0].check(release).holds
        return time.perf_counter() - started

    small, large = min(seconds(200) for _ in range(3)), min(seconds(2_000) for _ in range(2))
    assert large < 100 * small + 1
