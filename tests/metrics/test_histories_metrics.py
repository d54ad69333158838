"""Metrics of shared histories, from their definitions."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest

from helpers.queries import clicked_log
from shoal.data.original import LogOriginal
from shoal.data.release import Release, Secret
from shoal.data.tables.profiles import ProfileTable
from shoal.metrics import measure
from shoal.metrics.clusterings import jaccard_index, k_means, rand_index


def release(rows: list[tuple[int, str]], pseudonyms: list[int] | None = None) -> Release:
    frame = pl.DataFrame(rows, schema={"user": pl.Int64, "query": pl.String}, orient="row")
    return Release({"log": ProfileTable(frame, "user")}, secret=None if pseudonyms is None else Secret(np.array(pseudonyms)))


def test_the_share_of_the_most_frequent_that_stay() -> None:
    rows = [(owner, 0, f"query{rank} word{rank}", None, None) for rank in range(12) for owner in range(20 - rank)]
    original = LogOriginal(clicked_log(rows))
    after = [(1, f"query{rank} word{rank}") for rank in (*range(5), 10, 11)]  # five of the first ten
    found = measure(release(after), original, ["top_queries"])
    assert found == {"top_queries": 0.5}
    words = [(1, text) for rank in range(5) for text in [f"query{rank} word{rank}"]]  # 10 words, the first of which 10 are most frequent
    assert measure(release(words), original, ["top_words"]) == {"top_words": 1.0}


@pytest.mark.parametrize("seed", range(3))
def test_indices_count_pairs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    left, right = rng.integers(0, 4, 30), rng.integers(0, 5, 30)
    pairs = [(left[a] == left[b], right[a] == right[b]) for a, b in combinations(range(30), 2)]
    assert rand_index(left, right) == sum(x == y for x, y in pairs) / len(pairs)
    assert jaccard_index(left, right) == sum(x and y for x, y in pairs) / sum(x or y for x, y in pairs)
    assert rand_index(left, left) == jaccard_index(left, (left + 1) % 4) == 1


def test_k_means_finds_clusters_that_lie_apart() -> None:
    points = np.repeat(np.eye(3), 5, axis=0) + np.random.default_rng(0).normal(0, 0.01, (15, 3))
    label = k_means(points, 3)
    assert rand_index(label, np.repeat(np.arange(3), 5)) == 1


def test_histories_of_the_same_interests_give_the_same_clusters() -> None:
    rows = [(owner, 0, ("fish", "tree")[owner % 2], None, None) for owner in range(8)]
    original = LogOriginal(clicked_log(rows))
    same = release([(owner + 1, ("fish", "tree")[owner % 2]) for owner in range(8)], list(range(1, 9)))
    assert measure(same, original, ["cluster_rand", "cluster_jaccard"]) == {"cluster_rand": 1.0, "cluster_jaccard": 1.0}
    one = release([(owner + 1, "fish") for owner in range(8)], list(range(1, 9)))
    # 12 of 28 pairs are of one interest; all 28 are together after.
    assert measure(one, original, ["cluster_rand", "cluster_jaccard"]) == {"cluster_rand": 12 / 28, "cluster_jaccard": 12 / 28}
