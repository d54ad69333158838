"""k-means and agreement of clusterings against scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shoal.metrics.clusterings import adjusted_rand_index, far_apart, lloyd, rand_index


@pytest.fixture(scope="module")
def cluster() -> Any:
    return pytest.importorskip("sklearn.cluster", reason="scikit-learn is not installed (scripts/differential.sh)")


@pytest.mark.parametrize("number", range(20))
def test_k_means_from_the_same_centres(number: int, cluster: Any) -> None:
    rng = np.random.default_rng(number)
    points = rng.normal(size=(rng.integers(5, 60), 3)) + 4 * rng.integers(0, 3, size=(1, 3))
    starts = far_apart(points, 4)
    theirs = cluster.KMeans(len(starts), init=points[starts], n_init=1, max_iter=30, tol=0, algorithm="lloyd").fit(points)
    assert lloyd(points, starts).tolist() == theirs.labels_.tolist()


@pytest.mark.parametrize("number", range(20))
def test_agreement_of_clusterings(number: int) -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed (scripts/differential.sh)")
    rng = np.random.default_rng(number)
    left, right = rng.integers(0, 4, size=(2, rng.integers(2, 40)))
    assert rand_index(left, right) == pytest.approx(metrics.rand_score(left, right))
    assert adjusted_rand_index(left, right) == pytest.approx(metrics.adjusted_rand_score(left, right))
