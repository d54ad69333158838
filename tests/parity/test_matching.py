"""Vocabulary distances against scipy's assignment, in all three regimes, and against one another where several apply."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.semantic import bags_of, level_tree, plain_distance, term_distance, tree_of, trees
from shoal.data.bags import Bags
from shoal.data.taxonomy import Taxonomy
from shoal.taxonomy.distance import SemanticDistance
from shoal.taxonomy.place_terms import place_terms

HALVES = st.integers(0, 12).map(lambda i: i / 2)


@st.composite
def any_case(draw: st.DrawFn) -> tuple[Taxonomy, list[list[int]]]:
    tree = draw(trees())
    return tree, draw(records(list(range(len(tree)))))


@st.composite
def level_case(draw: st.DrawFn) -> tuple[Taxonomy, list[list[int]]]:
    tree = level_tree(draw(st.lists(st.integers(1, 3), min_size=1, max_size=3)))
    depth = draw(st.integers(0, tree.height))
    return tree, draw(records(np.flatnonzero(tree.depth == depth).tolist()))


def records(nodes: list[int]) -> st.SearchStrategy[list[list[int]]]:
    return st.lists(st.lists(st.sampled_from(nodes), max_size=7), min_size=2, max_size=5)


def assert_all_pairs(case, eps: float, omega: float, measure: str, way: str = "auto") -> None:
    """Every pair of the records, a record with itself included, is as far apart as scipy says."""
    tree, vocabularies = case
    left, right = np.triu_indices(len(vocabularies))
    distance = SemanticDistance(tree, measure, eps, omega)  # type: ignore[arg-type]
    found = distance.between_records(bags_of(vocabularies, tree), left, right, way=way)  # type: ignore[arg-type]
    expected = [plain_distance(tree, vocabularies[i], vocabularies[j], eps, omega, measure) for i, j in zip(left, right, strict=True)]
    assert found.tolist() == pytest.approx(expected, abs=1e-5)


@settings(deadline=None, max_examples=300)
@given(any_case(), HALVES, HALVES)
def test_any_tree_and_any_threshold_equals_scipy(case, eps, omega):
    assert_all_pairs(case, eps, omega, "path")
    assert_all_pairs(case, eps, omega, "path", "matching")


@settings(deadline=None, max_examples=200)
@given(any_case(), HALVES, st.booleans())
def test_slopes_equal_scipy_where_the_threshold_does_not_bind(case, omega, by_omega):
    eps = 2 * omega if by_omega else 2.0 * case[0].height
    assert_all_pairs(case, eps, omega, "path", "slopes")


@settings(deadline=None, max_examples=200)
@given(level_case(), HALVES, HALVES, st.sampled_from(["path", "wu-palmer"]))
def test_greedy_by_level_equals_scipy(case, eps, omega, measure):
    scale = 1 if measure == "path" else 6
    assert_all_pairs(case, eps / scale, omega / scale, measure, "level")


@settings(deadline=None, max_examples=150)
@given(any_case(), st.sampled_from([0.0, 0.2, 0.25, 0.4, 0.5, 0.6, 1.0]), st.sampled_from([0.0, 0.1, 0.3, 0.5, 1.0]))
def test_wu_palmer_equals_scipy(case, eps, omega):
    assert_all_pairs(case, eps, omega, "wu-palmer")


@settings(deadline=None, max_examples=200)
@given(trees(), st.data())
def test_distances_of_terms(tree, data):
    u, v = (data.draw(st.integers(0, len(tree) - 1)) for _ in range(2))
    for measure in ("path", "wu-palmer"):
        distance = SemanticDistance(tree, measure)
        assert distance.terms([u], [v])[0] == pytest.approx(term_distance(tree, u, v, measure), abs=1e-9)


def found(tree: Taxonomy, a: list[int], b: list[int], eps: float, omega: float, way: str = "auto") -> float:
    distance = SemanticDistance(tree, "path", eps, omega)
    return float(distance.between_records(bags_of([a, b], tree), [0], [1], way=way)[0])  # type: ignore[arg-type]


def test_cancelling_common_terms_first_would_be_wrong():
    tree = tree_of([0, 0])  # the dossier's example: root with children 1 and 2
    assert found(tree, [2, 0, 2], [1, 0], 1, 3) == 5


def test_ways_that_are_not_exact_are_refused():
    tree = tree_of([0, 0, 1])
    for way in ("level", "slopes"):
        with pytest.raises(ValueError):
            found(tree, [1, 3], [2], 1, 3, way)


def test_large_counts_and_long_vocabularies():
    tree = level_tree([4, 4, 4])
    leaves = np.flatnonzero(tree.depth == 3)
    rng = np.random.default_rng(1)
    a, b = (np.concatenate([rng.choice(leaves, 150), rng.choice(len(tree), 50)]).tolist() for _ in range(2))
    for eps, omega in ((2, 2), (3, 5), (4, 2), (6, 100)):
        assert found(tree, a, b, eps, omega) == pytest.approx(plain_distance(tree, a, b, eps, omega))


def test_unlisted_terms_match_themselves_only():
    tree = Taxonomy.from_parents({"root": None, "a": "root", "b": "root"})
    bags = Bags.from_lists([["x", "y", "a"], ["x", "z", "b"], ["q"]])
    on_nodes = place_terms(bags, tree)
    for measure, eps, omega in (("path", 4.0, 3.0), ("path", 100.0, 3.0), ("wu-palmer", 1.0, 1.0)):
        distance = SemanticDistance(on_nodes.taxonomy, measure, eps, omega)
        between = float(distance.terms(*(on_nodes.taxonomy.names.codes([n]) for n in "ab"))[0])
        assert distance.between_records(on_nodes.bags, [0, 0], [1, 2]).tolist() == pytest.approx([between + 2 * omega, 4 * omega])
    x, y = on_nodes.taxonomy.names.codes(["x", "y"])
    assert np.isinf(distance.terms([x], [y])[0]) and distance.terms([x], [x])[0] == 0
