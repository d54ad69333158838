"""The bound never exceeds what can be reached: not the optimum of brute force, nor the loss of any method."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.data import DATASETS, forests, numbered, on_nodes, tree
from helpers.twins import lm, up
from shoal import _kernels, kernels
from shoal.data.bags import Ints
from shoal.data.original import Original
from shoal.data.taxonomy import Taxonomy
from shoal.errors import ParameterError
from shoal.methods import METHODS
from shoal.metrics.losses import ggd
from shoal.taxonomy.bound import loss_lower_bound, lower_confidence_limit
from shoal.taxonomy.tree_counts import tree_counts

Parents = tuple[int, ...]


def counts(parent: Parents, record: tuple[int, ...]) -> dict[int, int]:
    found: dict[int, int] = {}
    for item in record:
        for node in up(parent, item):
            found[node] = found.get(node, 0) + 1
    return found


def cost(parent: Parents, group: list[tuple[int, ...]]) -> Fraction:
    """GGD of a group, by publishing its least common generalization."""
    rows = [counts(parent, record) for record in group]
    least = {v: min(row.get(v, 0) for row in rows) for v in range(len(parent))}
    own = {v: least[v] - sum(least[c] for c in range(len(parent)) if parent[c] == v) for v in least}
    told = sum((lm(parent, v) * n for v, n in own.items()), Fraction(0))
    return sum((told + len(record) - least[0] for record in group), Fraction(0))


def partitions(items: list[int]) -> Iterator[list[list[int]]]:
    if not items:
        yield []
        return
    first, *rest = items
    for smaller in partitions(rest):
        yield [[first], *smaller]
        for i, part in enumerate(smaller):
            yield [*smaller[:i], [first, *part], *smaller[i + 1 :]]


def optimum(parent: Parents, records: list[tuple[int, ...]], k: int) -> Fraction:
    """The least GGD of any k-anonymous release, which may also withhold single records."""

    @cache
    def price(part: tuple[int, ...]) -> Fraction:
        if len(part) >= k:
            return cost(parent, [records[i] for i in part])
        return Fraction(sum(len(records[i]) for i in part))

    return min(sum((price(tuple(sorted(p))) for p in parts), Fraction(0)) for parts in partitions(list(range(len(records)))))


@settings(deadline=None, max_examples=300)
@given(forests(nodes=10, records=(3, 6), items=(1, 5)), st.sampled_from([2, 3, 4]))
def test_the_bound_is_never_above_the_optimum(instance: tuple[Parents, list[list[int]]], k: int) -> None:
    parent, rows = instance
    if len(parent) < 2:
        return
    records = [tuple(sorted(row)) for row in rows]
    taxonomy = tree(parent)
    bound = loss_lower_bound(numbered(taxonomy, records), taxonomy, k)
    assert bound.exact
    assert bound.value <= float(optimum(parent, records, k)) + 1e-9


def unavoidable(taxonomy: Taxonomy, records: list[list[int]], k: int, work: int) -> tuple[Ints, int]:
    """Twice what each record must lose, with so many steps of the last search, and the number that stands for a loss of one."""
    found = tree_counts(numbered(taxonomy, records), taxonomy)
    options = _kernels.BoundOptions(neighbours=max(24, k), patience=500, ceilings=True, work=work)
    scored = found.scored(np.arange(len(records)), k, owners_repeat=False)
    return kernels.run(_kernels.unavoidable_losses, scored, np.arange(len(records)), options, 1, label="bounding the loss"), found.units


@settings(deadline=None, max_examples=200)
@given(forests(nodes=12, records=(3, 9), items=(1, 6)), st.sampled_from([2, 3, 4]), st.sampled_from([0, 300, 5_000, 10**7]))
def test_no_group_loses_less_than_its_records_must(instance: tuple[Parents, list[list[int]]], k: int, work: int) -> None:
    parent, rows = instance
    if tree(parent).loss[0] < 1 or len(rows) < k:  # a tree of one leaf, where nothing need be lost
        return
    lost, units = unavoidable(tree(parent), rows, k, work)
    for group in combinations(range(len(rows)), k):
        assert Fraction(int(lost[list(group)].sum()), 2 * units) <= cost(parent, [tuple(rows[i]) for i in group])
    assert all(0 <= one <= 2 * units * len(row) for one, row in zip(lost, rows, strict=True))


@pytest.mark.parametrize("name", sorted(DATASETS))
def test_the_search_only_raises_the_bound_and_threads_do_not_matter(name: str) -> None:
    data = DATASETS[name]()
    rows = [data.bags.items[a:b].tolist() for a, b in pairwise(data.bags.indptr)]
    with_search = loss_lower_bound(data.bags, data.taxonomy, 3).value
    with kernels.using(1):
        assert loss_lower_bound(data.bags, data.taxonomy, 3).value == with_search
    if len(rows) >= 3:
        lost, units = unavoidable(data.taxonomy, [row for row in rows if row], 3, 0)
        assert lost.sum() / (2 * units) <= with_search + 1e-9


def test_the_search_sees_more_than_triples() -> None:
    """In groups of five, what three records share is far from what all share."""
    rng = np.random.default_rng(5)
    taxonomy = tree([-1, *[0] * 30])
    records = [sorted(rng.choice(np.arange(1, 31), 12, replace=False).tolist()) for _ in range(60)]
    lost, units = unavoidable(taxonomy, records, 5, 0)
    assert loss_lower_bound(numbered(taxonomy, records), taxonomy, 5).value > 1.1 * lost.sum() / (2 * units)


def test_the_bound_is_reached_where_every_record_has_its_like() -> None:
    taxonomy = tree([-1, 0, 1, 1, 0, 4, 4])
    records = [[2, 5]] * 3 + [[3]] * 4 + [[6, 6]] * 3
    bound = loss_lower_bound(numbered(taxonomy, records), taxonomy, 3)
    assert bound.value == 0
    # One record that nobody is like: with k = 2 it must lose its item, and so must somebody else or they part at the root.
    alone = loss_lower_bound(numbered(taxonomy, [[2], [6]]), taxonomy, 2)
    assert alone.value == pytest.approx(2.0)


def test_fewer_records_than_k_lose_all() -> None:
    taxonomy = tree([-1, 0, 0])
    bound = loss_lower_bound(numbered(taxonomy, [[1], [1, 2]]), taxonomy, 3)
    assert (bound.value, bound.normalised) == (3.0, 1.0)


@pytest.mark.parametrize("name", sorted(DATASETS))
@pytest.mark.parametrize("k", [2, 3, 5])
def test_no_method_loses_less(name: str, k: int) -> None:
    data = DATASETS[name]()
    if data.bags.n_owners < k:
        return
    bound = loss_lower_bound(data.bags, data.taxonomy, k)
    for method in (METHODS["shoal"], METHODS["clump"], METHODS["partition"]):
        release = method(k=k).apply(Original.on(data.bags, data.taxonomy))  # type: ignore[call-arg]
        assert bound.value <= ggd(release, on_nodes(data.bags, data.taxonomy)) + 1e-9


def test_a_sampled_bound_stays_below_the_exact_one() -> None:
    rng = np.random.default_rng(3)
    taxonomy = tree([-1, 0, 1, 1, 1, 0, 5, 5, 5, 0, 9, 9])
    leaves = [2, 3, 4, 6, 7, 8, 10, 11]
    records = [rng.choice(leaves, rng.integers(1, 7)).tolist() for _ in range(400)]
    bags = numbered(taxonomy, records)
    exact = loss_lower_bound(bags, taxonomy, 4)
    below = [loss_lower_bound(bags, taxonomy, 4, exact_up_to=10, sample=300, seed=s) for s in range(20)]
    assert all(not b.exact and b.n_sampled <= 300 and b.confidence == 0.99 for b in below)
    assert all(b.normalised <= exact.normalised for b in below)
    assert all(b.normalised <= b.estimate for b in below)


def test_the_confidence_limit_is_maurer_and_pontils() -> None:
    same = np.full(1000, 0.25)
    assert lower_confidence_limit(same, 0.99) == pytest.approx(0.25 - 7 * np.log(200) / (3 * 999))
    rng = np.random.default_rng(1)
    misses = sum(lower_confidence_limit((rng.random(500) < 0.3).astype(float), 0.9) > 0.3 for _ in range(200))
    assert misses <= 20


def test_the_order_of_records_does_not_matter() -> None:
    data = DATASETS["random bags"]()
    rng = np.random.default_rng(2)
    shuffled = data.bags.select(rng.permutation(len(data.bags)))
    assert loss_lower_bound(data.bags, data.taxonomy, 3).value == loss_lower_bound(shuffled, data.taxonomy, 3).value


def test_a_k_of_one_is_refused() -> None:
    data = DATASETS["food"]()
    with pytest.raises(ParameterError):
        loss_lower_bound(data.bags, data.taxonomy, 1)
