"""The kernels on terms with several senses, against trying all pairs of senses and all matchings on small graphs."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.documents import plain_level, plain_matching, plain_similarity, plain_upwards
from shoal import _kernels, kernels
from shoal.data.bags import Vocabulary
from shoal.taxonomy.senses import SenseGraph, TermTable


@st.composite
def graphs(draw: st.DrawFn) -> SenseGraph:
    """A root, nodes with one to three hypernyms among those before them, and terms of one to four senses."""
    nodes = draw(st.integers(2, 12))
    above = [[], *(draw(st.lists(st.integers(0, node - 1), min_size=1, max_size=3, unique=True)) for node in range(1, nodes))]
    senses = draw(st.lists(st.lists(st.integers(0, nodes - 1), min_size=1, max_size=4, unique=True), min_size=2, max_size=7))
    return SenseGraph(Vocabulary(str(node) for node in range(nodes)), above, senses)


def similarities(graph: SenseGraph, left: list[int], right: list[int]) -> list[list[Fraction]]:
    return [[plain_similarity(graph.above, graph.senses[a], graph.senses[b]) for b in right] for a in left]


def table(graph: SenseGraph, unknown: int = 0) -> TermTable:
    return TermTable(graph, np.array([*range(len(graph.senses)), *[-1] * unknown], np.int32))


@settings(deadline=None, max_examples=60)
@given(graphs())
def test_levels_are_longest_paths(graph: SenseGraph) -> None:
    assert graph.level.tolist() == [plain_level(graph.above, node) for node in range(len(graph))]


@settings(deadline=None, max_examples=60)
@given(graphs(), st.data())
def test_two_terms_are_as_alike_as_their_most_similar_senses(graph: SenseGraph, data: st.DataObject) -> None:
    a, b = (data.draw(st.integers(0, len(graph.senses) - 1)) for _ in range(2))
    _, common, total = _kernels.match_terms(table(graph).senses, np.array([a], np.int32), np.array([b], np.int32))
    assert Fraction(total, _kernels.ALIKE) == plain_similarity(graph.above, graph.senses[a], graph.senses[b])
    for term in (a, b):
        assert any(int(common[0]) in plain_upwards(graph.above, sense) for sense in graph.senses[term])


@settings(deadline=None, max_examples=60)
@given(graphs(), st.data())
def test_the_matching_is_the_best_of_all(graph: SenseGraph, data: st.DataObject) -> None:
    lists = st.lists(st.integers(0, len(graph.senses) - 1), min_size=1, max_size=5)
    left, right = data.draw(lists), data.draw(lists)
    partner, _, total = _kernels.match_terms(table(graph).senses, np.array(left, np.int32), np.array(right, np.int32))
    similar = similarities(graph, left, right)
    assert Fraction(total, _kernels.ALIKE) == plain_matching(similar)
    chosen = [(i, j) for i, j in enumerate(partner.tolist()) if j >= 0]
    assert len(chosen) == min(len(left), len(right)) == len({j for _, j in chosen})
    assert sum((similar[i][j] for i, j in chosen), Fraction(0)) == Fraction(total, _kernels.ALIKE)


@settings(deadline=None, max_examples=60)
@given(graphs(), st.data())
def test_all_documents_are_compared_as_two_are(graph: SenseGraph, data: st.DataObject) -> None:
    documents = data.draw(st.lists(st.sets(st.integers(0, len(graph.senses) - 1), min_size=1, max_size=5), min_size=1, max_size=5))
    items = [term for document in documents for term in sorted(document)]
    indptr = np.cumsum([0, *map(len, documents)]).astype(np.int64)
    rows = _kernels.Rows(indptr, np.array(items, np.int32), np.ones(len(items), np.int32))
    for threads in (1, 2):
        found = kernels.run(_kernels.matched_similarities, table(graph).senses, rows, threads).reshape(len(documents), -1)
        for i, a in enumerate(documents):
            for j, b in enumerate(documents):
                assert Fraction(int(found[i, j]), _kernels.ALIKE) == plain_matching(similarities(graph, sorted(a), sorted(b)))


def test_large_matchings_are_those_of_scipy() -> None:
    from scipy.optimize import linear_sum_assignment

    rng = np.random.default_rng(5)
    above = [[], *([int(rng.integers(max(0, node - 30), node))] for node in range(1, 60))]
    graph = SenseGraph(Vocabulary(str(n) for n in range(60)), above, [rng.integers(0, 60, 3).tolist() for _ in range(80)])
    if graph.level.max() > _kernels.DEEPEST:
        pytest.skip("deeper than WordNet")
    left, right = np.arange(35, dtype=np.int32), np.arange(35, 80, dtype=np.int32)
    similar = np.array(similarities(graph, left.tolist(), right.tolist()), float)
    rows, columns = linear_sum_assignment(similar, maximize=True)
    total = _kernels.match_terms(table(graph).senses, left, right)[2]
    assert total / _kernels.ALIKE == pytest.approx(similar[rows, columns].sum())


@pytest.fixture(params=[True, False], ids=["wide vectors", "plain loops"])
def vectors(request: pytest.FixtureRequest) -> Iterator[bool]:
    """Both kinds of loops; a processor without wide vectors takes the plain ones twice."""
    yield _kernels.use_wide_vectors(request.param)
    _kernels.use_wide_vectors(True)


@pytest.mark.parametrize("seed", range(4))
def test_documents_of_any_length_are_compared_as_by_scipy(seed: int, vectors: bool) -> None:
    from scipy.optimize import linear_sum_assignment

    rng = np.random.default_rng(seed)
    n_terms = int(rng.integers(2, 200))
    above = [[], *([int(rng.integers(node // 3, node))] for node in range(1, 40))]
    graph = SenseGraph(Vocabulary(str(n) for n in range(40)), above, [rng.integers(0, 40, 2).tolist() for _ in range(n_terms)])
    terms = table(graph, unknown=3)
    lengths = [0, 1, 2, 3, 4, 5, *rng.integers(0, n_terms + 4, 12).tolist(), n_terms + 3]
    documents = [np.sort(rng.permutation(n_terms + 3)[:length]) for length in lengths]
    documents += [documents[-1], documents[6]]  # alike ones
    rows = _kernels.Rows(
        np.cumsum([0, *map(len, documents)]).astype(np.int64),
        np.concatenate(documents).astype(np.int32),
        np.ones(sum(map(len, documents)), np.int32),
    )
    every = np.arange(n_terms + 3, dtype=np.int32)
    alike = np.array([[_kernels.match_terms(terms.senses, every[[a]], every[[b]])[2] for b in every] for a in every])
    for threads in (1, 2):
        found = kernels.run(_kernels.matched_similarities, terms.senses, rows, threads).reshape(len(documents), -1)
        for i, a in enumerate(documents):
            for j, b in enumerate(documents):
                matched = alike[np.ix_(a, b)][linear_sum_assignment(alike[np.ix_(a, b)], maximize=True)]
                assert found[i, j] == pytest.approx(int(matched.sum()), rel=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_matchings_with_and_without_wide_vectors_are_the_same_pairs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    above = [[], *([int(rng.integers(node // 2, node))] for node in range(1, 9))]  # few nodes: most similarities are equal
    graph = SenseGraph(Vocabulary(str(n) for n in range(9)), above, [[int(sense)] for sense in rng.integers(0, 9, 90)])
    left, right = (rng.permutation(90)[: int(rng.integers(1, 60))].astype(np.int32) for _ in range(2))
    found = []
    for wanted in (True, False):
        _kernels.use_wide_vectors(wanted)
        partner, common, total = _kernels.match_terms(table(graph).senses, left, right)
        found.append((partner.tolist(), common.tolist(), total))
    _kernels.use_wide_vectors(True)
    assert found[0] == found[1]


def test_a_word_without_senses_is_like_itself_alone() -> None:
    graph = SenseGraph(Vocabulary(["root", "leaf"]), [[], [0]], [[1]])
    senses = table(graph, unknown=2).senses
    alike = {(a, b): _kernels.match_terms(senses, np.array([a], np.int32), np.array([b], np.int32))[2] for a in range(3) for b in range(3)}
    assert alike == {(a, b): _kernels.ALIKE * (a == b) for a in range(3) for b in range(3)}


def test_levels_and_terms_out_of_range_are_refused() -> None:
    rows = _kernels.Rows(np.array([0, 1]), np.array([0], np.int32), np.array([1], np.int32))
    for level in (np.array([2], np.int32), np.array([_kernels.DEEPEST + 1], np.int32), np.zeros(0, np.int32)):
        with pytest.raises(ValueError, match="expected"):
            _kernels.Senses(rows, level)
    senses = _kernels.Senses(rows, np.array([1], np.int32))
    with pytest.raises(ValueError, match="terms that are there"):
        _kernels.match_terms(senses, np.array([1], np.int32), np.array([0], np.int32))
