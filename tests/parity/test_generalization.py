"""The order structure behind everything: meets, tree counts, min-sums and the judge, against brute force."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import twins
from helpers.data import forests, numbered, numbers_of, tree, trees
from shoal import _kernels, kernels
from shoal.taxonomy.tree_counts import meet, tree_counts

SOME = settings(deadline=None, max_examples=50)
MANY = settings(deadline=None, max_examples=80)


def meet_of(parent: tuple[int, ...], records: list[list[int]]) -> tuple[int, ...]:
    taxonomy = tree(parent)
    return numbers_of(meet(numbered(taxonomy, records), taxonomy, [0] * len(records)))[0]


def judged(parent: tuple[int, ...], general: list[int], special: list[int]) -> bool:
    taxonomy = tree(parent)
    originals, published = numbered(taxonomy, [special]), numbered(taxonomy, [general])
    rows = np.zeros(1, np.int64)
    ok = kernels.run(_kernels.generalizes, originals.view, published.view, rows, taxonomy.view, 1)
    return bool(ok[0])


@SOME
@given(forests(nodes=8, records=(1, 3), items=(0, 3)))
def test_the_meet_is_the_only_least_common_generalization(
    case: tuple[tuple[int, ...], list[list[int]]],
) -> None:
    parent, records = case
    found = meet_of(parent, records)
    assert found == twins.lcg(parent, records)
    assert len(found) == min(len(record) for record in records)
    common = set.intersection(*(twins.generalizations(parent, record) for record in records))
    assert twins.ggd(parent, records, found) == min(twins.ggd(parent, records, t) for t in common)


@MANY
@given(forests(records=(1, 5)), st.randoms())
def test_the_meet_does_not_depend_on_the_order(case: tuple[tuple[int, ...], list[list[int]]], random) -> None:
    parent, records = case
    shuffled = records.copy()
    random.shuffle(shuffled)
    assert meet_of(parent, records) == meet_of(parent, shuffled) == twins.meet(parent, records)


@MANY
@given(forests(records=(2, 5)), st.data())
def test_the_meet_is_associative_and_idempotent(case: tuple[tuple[int, ...], list[list[int]]], data) -> None:
    """Lemma 4.1.1: the meet of S and t is the meet of LCG(S) and t; here for any split of a group in two."""
    parent, records = case
    at = data.draw(st.integers(1, len(records) - 1))
    halves = [list(meet_of(parent, records[:at])), list(meet_of(parent, records[at:]))]
    assert meet_of(parent, halves) == meet_of(parent, records)
    assert meet_of(parent, [records[0], records[0]]) == tuple(sorted(records[0]))


@MANY
@given(forests(records=(1, 8)), st.data(), st.sampled_from([1, 2]))
def test_meets_of_many_groups_at_once(case: tuple[tuple[int, ...], list[list[int]]], data, threads: int) -> None:
    parent, records = case
    n = len(records)
    groups = data.draw(st.lists(st.integers(-1, 3), min_size=n, max_size=n))
    taxonomy = tree(parent)
    with kernels.using(threads=threads):
        found = numbers_of(meet(numbered(taxonomy, records), taxonomy, groups))
    for g in range(max(groups) + 1):
        members = [record for record, label in zip(records, groups, strict=True) if label == g]
        assert found[g] == (twins.meet(parent, members) if members else ())
    assert len(found) == max(groups) + 1


@MANY
@given(trees(), st.data())
def test_lemma_a_matching_and_subtree_counts_agree(parent: tuple[int, ...], data) -> None:
    """A bag generalizes a record iff no subtree holds more of it; the judge finds out by matching."""
    items = st.lists(st.integers(0, len(parent) - 1), max_size=5)
    general, special = data.draw(items), data.draw(items)
    by_matching = twins.generalizes(parent, general, special)
    g, s = twins.subtree_counts(parent, general), twins.subtree_counts(parent, special)
    assert by_matching == all(g[v] <= s[v] for v in range(len(parent)))
    assert by_matching == judged(parent, general, special)


@SOME
@given(trees(7), st.data())
def test_the_judge_accepts_all_generalizations_and_nothing_else(parent: tuple[int, ...], data) -> None:
    record = data.draw(st.lists(st.integers(0, len(parent) - 1), max_size=3))
    right = twins.generalizations(parent, record)
    for general in right:
        assert judged(parent, list(general), record)
    one_more = [sorted([*general, 0]) for general in right if len(general) == len(record)]
    for general in one_more:
        assert not judged(parent, general, record)


def test_the_judge_passes_withheld_records_and_judges_each_on_its_own_row() -> None:
    taxonomy = tree((-1, 0, 1, 1, 0))
    originals = numbered(taxonomy, [[2], [4], [2, 3], []])
    published = numbered(taxonomy, [[1], [1, 1], []])
    rows = np.array([0, 0, 1, 2], np.int64)
    arguments = [originals.view, published.view]
    run = lambda rows: kernels.run(  # noqa: E731
        _kernels.generalizes, *arguments, rows, taxonomy.view, 2
    ).tolist()
    assert run(rows) == [1, 0, 1, 1]
    assert run(np.array([-1, -1, -1, -1])) == [1, 1, 1, 1]
    assert run(np.array([1, 2, 0, 0])) == [0, 1, 1, 0]


@MANY
@given(forests(records=(0, 8)), st.sampled_from(["lm", "height", "information"]), st.sampled_from([1, 2]))
def test_tree_counts(case: tuple[tuple[int, ...], list[list[int]]], loss: str, threads: int) -> None:
    parent, records = case
    taxonomy = tree(parent, loss)
    bags = numbered(taxonomy, records)
    with kernels.using(threads=threads):
        counts = tree_counts(bags, taxonomy)
    assert counts.lengths.tolist() == [len(record) for record in records]
    for i, record in enumerate(records):
        span = slice(counts.indptr[i], counts.indptr[i + 1])
        expected = twins.subtree_counts(parent, record)
        weighted = [(v, expected[v]) for v in sorted(expected) if taxonomy.weights[v] > 0]
        assert list(zip(counts.nodes[span].tolist(), counts.counts[span].tolist(), strict=True)) == weighted


@MANY
@given(forests(records=(1, 6)))
def test_min_sums_and_the_closed_form_of_the_distortion(
    case: tuple[tuple[int, ...], list[list[int]]],
) -> None:
    """GGD(S) = total length - |S| * V(S), with V the weighted sum of least subtree counts; here for pairs."""
    parent, records = case
    taxonomy = tree(parent)
    pairs = list(combinations(range(len(records)), 2)) + [(i, i) for i in range(len(records))]
    left, right = zip(*pairs, strict=True)
    found = tree_counts(numbered(taxonomy, records), taxonomy).min_sums(left, right)
    for (a, b), value in zip(pairs, found.tolist(), strict=True):
        group = [records[a], records[b]]
        length = len(records[a]) + len(records[b])
        single = twins.leaves_below(parent, 0) == 1  # then no node tells more than any other, and nothing is lost
        expected = length if single else length - 2 * Fraction(value, taxonomy.units)
        shortest = min(len(record) for record in group)
        correction = 2 * shortest if single else 0
        assert twins.ggd(parent, group, twins.meet(parent, group)) == expected - correction


@MANY
@given(forests(records=(1, 5)))
def test_the_closed_form_for_whole_groups(case: tuple[tuple[int, ...], list[list[int]]]) -> None:
    parent, records = case
    taxonomy = tree(parent)
    counts = tree_counts(numbered(taxonomy, [meet_of(parent, records)]), taxonomy)
    value = Fraction(int((counts.counts * counts.weights[counts.nodes]).sum()), taxonomy.units)
    if twins.leaves_below(parent, 0) > 1:
        expected = sum(len(record) for record in records) - len(records) * value
        assert twins.ggd(parent, records, twins.meet(parent, records)) == expected
