"""The tree-count bound that the docs prove: a weighted min-sum is never less than what a matching saves, at any depths."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.semantic import ancestors, bags_of, plain_distance, term_distance, trees
from shoal.taxonomy.distance import SemanticDistance


@settings(deadline=None, max_examples=200)
@given(trees(), st.data(), st.sampled_from([(1, 1), (2, 3), (3, 2), (4, 4), (9, 5)]))
def test_a_weighted_min_sum_bounds_the_saving(tree, data, prices):
    eps, omega = prices
    terms = st.lists(st.integers(0, len(tree) - 1), max_size=6)
    a, b = data.draw(terms), data.draw(terms)
    worth = hull_of_gains(tree, set(a) | set(b), eps, omega)
    counts = [{v: sum(v in ancestors(tree, t) for t in side) for v in range(len(tree))} for side in (a, b)]
    bound = sum(min(counts[0][v], counts[1][v]) * (worth[v] - worth.get(int(tree.parent[v]), 0)) for v in range(len(tree)))
    saving = omega * (len(a) + len(b)) - plain_distance(tree, a, b, eps, omega)
    assert saving <= bound + 1e-9
    if len({int(tree.depth[t]) for t in a + b}) <= 1 and a and b:
        found = SemanticDistance(tree, "path", eps, omega).between_records(bags_of([a, b], tree), [0], [1])[0]
        assert np.isclose(omega * (len(a) + len(b)) - found, saving)


def hull_of_gains(tree, used, eps, omega):
    gain = dict.fromkeys(range(len(tree)), 0.0)
    for u in used:
        for v in used:
            apart = term_distance(tree, u, v, "path")
            above = set(ancestors(tree, u))
            meeting = next(n for n in ancestors(tree, v) if n in above)
            if apart <= eps:
                gain[meeting] = max(gain[meeting], 2 * omega - apart)
    for v in range(1, len(tree)):
        gain[v] = max(gain[v], gain[int(tree.parent[v])])
    return gain
