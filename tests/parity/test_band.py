"""Band order and private groups against plain Python, and the band against that of scipy on the whole graph."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import reverse_cuthill_mckee

from helpers.band import Twin, bags_of, band_order, bandwidth, by_content, in_window, kernel_order
from shoal import _kernels, kernels

ITEMS, KINDS = 7, 4

records = st.lists(st.frozensets(st.integers(0, ITEMS - 1), max_size=4), max_size=14)


@st.composite
def problems(draw: st.DrawFn) -> tuple[list[frozenset[int]], list[frozenset[int]], list[int], int]:
    """Records in two parts, their owners, and p."""
    n = draw(st.integers(0, 24))
    known = draw(st.lists(st.frozensets(st.integers(0, ITEMS - 1), max_size=4), min_size=n, max_size=n))
    held = st.frozensets(st.integers(0, KINDS - 1), max_size=2)
    sensitive = draw(st.lists(st.one_of(st.just(frozenset[int]()), held), min_size=n, max_size=n))
    owners = list(range(n)) if draw(st.booleans()) else draw(st.lists(st.integers(0, max(0, n - 1)), min_size=n, max_size=n))
    return known, sensitive, owners, draw(st.integers(2, 5))


@settings(max_examples=150, deadline=None)
@given(records)
def test_the_order_is_that_of_the_whole_graph(some: list[frozenset[int]]) -> None:
    assert kernel_order(some, ITEMS) == band_order(some)


@settings(max_examples=200, deadline=None)
@given(problems(), st.sampled_from([0, 1, 3, 100]), st.integers(1, 3))
def test_groups_are_those_of_the_plain_search(
    problem: tuple[list[frozenset[int]], list[frozenset[int]], list[int], int], nearest: int, alpha: int
) -> None:
    known, sensitive, owners, p = problem
    views = bags_of(known, ITEMS).view, bags_of(sensitive, KINDS).view
    found = kernels.run(_kernels.private_groups, *views, ITEMS, np.array(owners, np.int64), p, alpha * p, nearest)
    choose = by_content(nearest) if nearest else in_window(alpha)
    assert found.tolist() == Twin(known, sensitive, owners, p).run(choose)


@pytest.mark.parametrize("seed", range(12))
def test_the_band_is_as_narrow_as_that_of_scipy(seed: int) -> None:
    """On records that do lie on a band, in a random order: items of record i are near i. Single orders may differ, by a quarter at most."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 120))
    lines = [frozenset((i + rng.integers(0, 6, rng.integers(1, 5))).tolist()) for i in rng.permutation(n).tolist()]
    matrix = bags_of(lines, n + 6).to_scipy()
    theirs = reverse_cuthill_mckee(sp.csr_matrix((matrix @ matrix.T) > 0), symmetric_mode=True).tolist()
    ours, best = bandwidth(lines, kernel_order(lines, n + 6)), bandwidth(lines, theirs)
    assert ours <= 1.25 * best + 1
    assert ours < bandwidth(lines, list(range(n))) / 2


def test_a_popular_item_takes_no_square_of_time() -> None:
    """One item in all of 200,000 records: the graph would have 2 * 10^10 edges."""
    n = 200_000
    order = kernels.run(_kernels.band_order, bags_of([frozenset({0, 1 + i % 5}) for i in range(n)], 6).view, 6)
    assert len(set(order.tolist())) == n


@pytest.mark.parametrize(
    ("owners", "p", "window"), [(np.array([0, 5]), 2, 6), (np.array([0]), 2, 6), (np.array([0, 1]), 0, 6), (np.array([0, 1]), 2, 0)]
)
def test_bad_input_is_refused(owners: np.ndarray, p: int, window: int) -> None:  # type: ignore[type-arg]
    two = bags_of([frozenset({0}), frozenset({1})], 2).view
    with pytest.raises(ValueError, match="kernel input"):
        kernels.run(_kernels.private_groups, two, two, 2, owners.astype(np.int64), p, window, 0)
    with pytest.raises(ValueError, match="kernel input"):
        kernels.run(_kernels.band_order, two, 1)
