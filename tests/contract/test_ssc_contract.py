"""What every SSC release keeps: its claims by the independent judges, its input, its answer whatever the order, and its books."""

from __future__ import annotations

import time
from collections import Counter

import numpy as np
import pytest

from helpers.semantic import bags_of, level_tree, tree_of
from shoal import kernels
from shoal.data.bags import Bags
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.taxonomy import Taxonomy
from shoal.errors import Infeasible, ParameterError
from shoal.methods.ssc import SSC
from shoal.taxonomy.place_terms import place_terms

SETTINGS = [
    SSC(k=2),
    SSC(k=3, typical="members"),
    SSC(k=3, typical="generalize", min_owners=1),
    SSC(k=4, distance="wu-palmer", min_owners=4),
    SSC(k=5, eps=2, omega=5, rare="withhold"),
    SSC(k=3, order="descending", eps=6),
    SSC(k=3, distance="jaccard"),
    SSC(k=2, distance="hamming", promising=0),
    SSC(k=4, distance="cosine"),
    SSC(k=2, order="given", typical="members", rare="withhold", min_owners=2),
]


def random_tree(nodes: int, seed: int) -> Taxonomy:
    rng = np.random.default_rng(seed)
    return tree_of([int(rng.integers(max(0, i - 6), i + 1)) for i in range(nodes)])


def random_log(taxonomy: Taxonomy, records: int, seed: int, people: int | None = None) -> Original:
    rng = np.random.default_rng(seed)
    lists = [rng.integers(0, len(taxonomy), rng.integers(0, 9)).tolist() for _ in range(records)]
    bags = bags_of(lists, taxonomy)
    owners = np.arange(records) if people is None else rng.integers(0, people, records)
    return on_nodes(Bags(*(a.copy() for a in bags.rows), owners.astype(np.int64), bags.vocabulary), taxonomy)


def on_nodes(bags: Bags, taxonomy: Taxonomy) -> Original:
    return Original.on(bags, taxonomy)


def multiset(release: Release) -> Counter[tuple[tuple[str, int], ...]]:
    rows = range(len(release.published))
    found: Counter[tuple[tuple[str, int], ...]] = Counter()
    for row in rows:
        found[tuple(sorted(release.published.record(row).items()))] += int(release.copies[row])
    return found


def assert_sound(release: Release, original: Original) -> None:
    for claim in release.claims:
        verdict = claim.check(release, original)
        assert verdict.holds, verdict
    books = release.accounting
    assert books.occurrences.total == original.bags.occurrences
    assert books.records["published"] == release.n_records
    assert books.records["withheld: empty"] == int((original.bags.lengths == 0).sum())


@pytest.mark.parametrize("method", SETTINGS, ids=str)
@pytest.mark.parametrize("people", [None, 12], ids=["one each", "several each"])
def test_claims_hold_and_the_books_balance(method, people):
    for seed in range(3):
        original = random_log(random_tree(40, seed), 60, seed, people)
        before = [a.copy() for a in (*original.bags.rows, original.bags.owners)]
        release = method.apply(original)
        assert_sound(release, original)
        for old, now in zip(before, (*original.bags.rows, original.bags.owners), strict=True):
            assert np.array_equal(old, now)


@pytest.mark.parametrize("method", [m for m in SETTINGS if m.order != "given"], ids=str)
def test_neither_order_nor_threads_change_what_is_published(method):
    original = random_log(random_tree(30, 7), 80, 7, people=50)
    expected = multiset(method.apply(original))
    for seed in range(3):
        mixed = original.bags.select(np.random.default_rng(seed).permutation(len(original.bags)))
        with kernels.using(threads=1 + seed):
            assert multiset(method.apply(Original.on(mixed, original.taxonomy))) == expected


def test_a_term_that_one_person_typed_is_not_published():
    tree = Taxonomy.from_parents({"root": None, "drug": "root", "aspirin": "drug", "ibuprofen": "drug", "cat": "root"})
    original = place_terms(Bags.from_lists([["aspirin", "cat"], ["ibuprofen", "cat"]]), tree, scope="whole")
    published = {}
    for name, method in {
        "as printed": SSC(k=2, min_owners=1),
        "generalized": SSC(k=2),
        "withheld": SSC(k=2, rare="withhold"),
    }.items():
        release = method.apply(original)
        assert_sound(release, original)
        published[name] = set(release.published.record(0))
    assert published["as printed"] in ({"aspirin", "cat"}, {"ibuprofen", "cat"})
    assert published["generalized"] == {"drug", "cat"}
    assert published["withheld"] == {"cat"}


def test_the_vote_prefers_a_term_that_enough_people_hold():
    """Bags {q, q}, {s, q} and {s, p} of siblings: s came first and wins ties, but only one person holds it."""
    tree = Taxonomy.from_parents({"root": None, "p": "root", "q": "root", "s": "root"})
    original = place_terms(Bags.from_lists([["q", "s", "s"], ["p", "q", "q"]]), tree, scope="whole")
    printed = SSC(k=2, min_owners=1, order="given").apply(original)
    assert printed.published.record(0) == {"q": 1, "s": 2}
    release = SSC(k=2, rare="withhold", order="given").apply(original)
    assert_sound(release, original)
    assert release.published.record(0) == {"q": 2}


def test_vocabularies_of_one_term():
    tree = level_tree([3, 3])
    leaves = np.flatnonzero(tree.depth == 2)
    original = on_nodes(bags_of([[int(leaves[i % 9])] for i in range(27)], tree), tree)
    release = SSC(k=3).apply(original)
    assert_sound(release, original)
    assert release.accounting.occurrences.as_dict() == {"in": 27, "kept": 27}


def test_identical_vocabularies_are_published_as_they_are():
    tree = random_tree(30, 3)
    original = on_nodes(bags_of([[3, 3, 7, 21]] * 23, tree), tree)
    release = SSC(k=5).apply(original)
    assert_sound(release, original)
    assert release.accounting.occurrences.as_dict() == {"in": 92, "kept": 92}
    assert set(multiset(release)) == {(("n21", 1), ("n3", 2), ("n7", 1))} or len(multiset(release)) == 1


def test_no_term_in_the_taxonomy():
    """Unknown words are alike only if they are the same: shared ones survive, others are suppressed."""
    tree = Taxonomy.from_parents({"root": None, "x": "root"})
    original = place_terms(Bags.from_lists([["qq", "ww"], ["qq", "ee"], ["rr", "tt"], ["rr", "yy"]]), tree)
    release = SSC(k=2).apply(original)
    assert_sound(release, original)
    assert multiset(release) == Counter({(("qq", 1),): 2, (("rr", 1),): 2})
    assert release.accounting.occurrences.as_dict() == {"in": 8, "kept": 4, "suppressed": 4}


@pytest.mark.parametrize("flat", [True, False], ids=["a star", "a deep tree"])
@pytest.mark.timing
def test_vocabularies_of_2000_terms(flat):
    tree = level_tree([5000]) if flat else random_tree(6000, 1)
    rng = np.random.default_rng(2)
    original = on_nodes(bags_of([rng.choice(np.arange(1, 5000), 2000, replace=False).tolist() for _ in range(4)], tree), tree)
    started = time.perf_counter()
    release = SSC(k=2).apply(original)
    assert_sound(release, original)
    assert time.perf_counter() - started < 60


def test_too_few_people_and_senseless_parameters_are_refused():
    tree = random_tree(10, 1)
    bags = bags_of([[1], [2], [3]], tree)
    one_owner = Bags(*(a.copy() for a in bags.rows), np.array([4, 4, 5]), bags.vocabulary)
    with pytest.raises(Infeasible):
        SSC(k=3).apply(Original.on(one_owner, tree))
    for wrong in ({"min_owners": 6}, {"omega": 0}, {"eps": 0}, {"typical": "loudest"}, {"k": 1}):
        with pytest.raises(ParameterError):
            SSC(**{"k": 5, **wrong})


def test_one_person_with_most_records_cannot_fill_a_group_alone():
    tree = random_tree(20, 5)
    lists = [[1, 2, 3]] * 30 + [[4, 5]] * 3
    owners = np.array([0] * 30 + [1, 2, 3])
    bags = bags_of(lists, tree)
    original = on_nodes(Bags(*(a.copy() for a in bags.rows), owners, bags.vocabulary), tree)
    release = SSC(k=3).apply(original)
    assert_sound(release, original)
