"""The top closed patterns against brute force: every intersection of records is closed, and nothing else is."""

from __future__ import annotations

from collections import Counter
from functools import reduce
from itertools import combinations, pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import _kernels, kernels
from shoal.data.bags import Bags, Vocabulary

NAMES = Vocabulary([f"i{i}" for i in range(6)])
RECORDS = st.lists(st.lists(st.integers(0, 5), max_size=6), min_size=1, max_size=7)


def brute_force(records: list[list[int]], weights: list[int], n: int, shortest: int) -> list[tuple[int, tuple[int, ...]]]:
    bags = [(Counter(r), w) for r, w in zip(records, weights, strict=True) if w]
    closed = {
        tuple(sorted(reduce(lambda a, b: a & b, (bag for bag, _ in chosen)).elements()))
        for size in range(1, len(bags) + 1)
        for chosen in combinations(bags, size)
    }
    found = [(sum(w for bag, w in bags if Counter(p) <= bag), p) for p in closed if p and len(p) >= shortest]
    return sorted(found, key=lambda f: (-f[0], token_order(f[1])))[:n]


def token_order(pattern: tuple[int, ...]) -> list[tuple[int, int]]:
    return sorted((item, copy) for item, n in Counter(pattern).items() for copy in range(n))


@settings(deadline=None, max_examples=400)
@given(RECORDS, st.integers(0, 12), st.integers(0, 3), st.data())
def test_the_top_closed_patterns(records, n, shortest, data):
    weights = [data.draw(st.integers(0, 3)) for _ in records]
    lengths = np.cumsum([0, *map(len, records)])
    items = np.array([i for r in records for i in r], np.int32)
    bags = Bags.from_rows(lengths, items, np.ones(len(items), np.int32), NAMES)
    (indptr, ids, counts), support = kernels.run(_kernels.top_closed, bags.view, np.array(weights), n, shortest)
    patterns = [tuple(np.repeat(ids[a:b], counts[a:b]).tolist()) for a, b in pairwise(indptr)]
    assert list(zip(support.tolist(), patterns, strict=True)) == brute_force(records, weights, n, shortest)
