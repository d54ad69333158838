"""The shoal method: what it owes beyond the contract of all methods."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.data import TABLE_5_1, food, forests, numbered, on, on_nodes, published, tree
from shoal import kernels
from shoal.data.bags import Bags, Ints
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.taxonomy import Taxonomy
from shoal.engines.local_engine import LocalEngine
from shoal.methods import METHODS
from shoal.methods.bases.group_search import Groups, GroupSearch, Similar
from shoal.methods.clump import Clump
from shoal.methods.shoal import EFFORTS, Shoal
from shoal.metrics.losses import ggd, loss
from shoal.privacy.k_anonymity import KAnonymity
from shoal.taxonomy.tree_counts import tree_counts


def clustered(n: int, seed: int = 0, topics: int = 12) -> tuple[Bags, Taxonomy]:
    """Records that mostly keep to one of a dozen subtrees of six leaves each."""
    parent = [-1]
    for _ in range(topics):
        top = len(parent)
        parent += [0, *[top] * 6]
    taxonomy = tree(parent)
    rng = np.random.default_rng(seed)
    records = []
    for _ in range(n):
        topic = rng.integers(topics)
        mine = 2 + 7 * topic + rng.integers(0, 6, rng.integers(1, 8))
        stray = 2 + 7 * rng.integers(0, topics, 1) + rng.integers(0, 6, 1)
        records.append(np.concatenate([mine, stray[: rng.integers(0, 2)]]).tolist())
    return numbered(taxonomy, records), taxonomy


def sizes(release: Release) -> list[int]:
    return sorted(int(n) for n in np.bincount(release.secret.rows()))  # type: ignore[union-attr]


def holds(release: Release, bags: Bags, taxonomy: Taxonomy, k: int) -> bool:
    return KAnonymity(k=k).check(release, on_nodes(bags, taxonomy)).holds


def test_it_is_the_default() -> None:
    assert next(iter(METHODS)) == "shoal"


def test_it_finds_the_optimum_of_table_5_1() -> None:
    """Over all groups of two and more the least GGD is 6.286; Clump, as published, reaches 6.571."""
    bags = on(food(), TABLE_5_1)
    release = Shoal(k=2).apply(Original.on(bags, food()))
    assert ggd(release, on_nodes(bags, food())) == pytest.approx(44 / 7)


@pytest.mark.parametrize("k", [2, 5, 9])
@pytest.mark.parametrize("effort", sorted(EFFORTS))
def test_groups_have_k_to_2k_minus_1_people_and_lose_less_than_clump(k: int, effort: str) -> None:
    bags, taxonomy = clustered(403)
    release = Shoal(k=k, effort=effort).apply(Original.on(bags, taxonomy))
    assert holds(release, bags, taxonomy, k)
    assert k <= sizes(release)[0] and sizes(release)[-1] < 2 * k
    original = on_nodes(bags, taxonomy)
    assert loss(release, original) < loss(Clump(k=k).apply(Original.on(bags, taxonomy)), original)


@pytest.mark.parametrize("effort", ["balanced", "thorough"])
def test_local_search_only_improves(effort: str) -> None:
    bags, taxonomy = clustered(600, seed=4)
    original = on_nodes(bags, taxonomy)
    improved = loss(Shoal(k=4, effort=effort).apply(Original.on(bags, taxonomy)), original)
    assert improved < loss(Shoal(k=4, effort="fast").apply(Original.on(bags, taxonomy)), original)


def test_threads_and_order_do_not_matter_over_many_blocks() -> None:
    bags, taxonomy = clustered(5000, seed=1)
    with kernels.using(threads=1):
        one = published(Shoal(k=3, effort="fast").apply(Original.on(bags, taxonomy)))
    shuffled = bags.select(np.random.default_rng(5).permutation(len(bags)))
    with kernels.using(threads=4):
        assert published(Shoal(k=3, effort="fast").apply(Original.on(shuffled, taxonomy))) == one


@pytest.mark.timing
def test_ten_thousand_identical_records_are_quick_and_lose_nothing() -> None:
    taxonomy = food()
    bags = on(taxonomy, [["Apple", "Beef"]] * 10_003 + [["Milk", "Beef"]] * 2)
    started = time.perf_counter()
    release = Shoal(k=5, effort="thorough").apply(Original.on(bags, taxonomy))
    assert time.perf_counter() - started < 10
    assert holds(release, bags, taxonomy, 5)
    # 10,000 of them need nobody else; three share a group with the two others and publish Beef and Food.
    assert ggd(release, on_nodes(bags, taxonomy)) == pytest.approx(5.0)


def test_all_identical_and_all_distinct() -> None:
    taxonomy = food()
    same = on(taxonomy, [["Apple", "Beef"]] * 23)
    release = Shoal(k=4).apply(Original.on(same, taxonomy))
    assert ggd(release, on_nodes(same, taxonomy)) == 0
    flat = tree([-1, *[0] * 40])
    distinct = numbered(flat, [[i + 1] for i in range(40)])
    release = Shoal(k=4).apply(Original.on(distinct, flat))
    assert holds(release, distinct, flat, 4)
    assert loss(release, on_nodes(distinct, flat)) == 1


def test_records_of_one_item_and_of_a_thousand() -> None:
    flat = tree([-1, *[0] * 1200])
    rng = np.random.default_rng(0)
    long = [rng.choice(np.arange(1, 1201), 1000, replace=False).tolist() for _ in range(7)]
    short = [[int(rng.integers(1, 4))] for _ in range(50)]
    bags = numbered(flat, long + short)
    release = Shoal(k=3).apply(Original.on(bags, flat))
    assert holds(release, bags, flat, 3)
    assert loss(release, on_nodes(bags, flat)) < 0.6


def test_a_k_above_half_of_the_records_gives_one_group() -> None:
    bags, taxonomy = clustered(31)
    release = Shoal(k=16).apply(Original.on(bags, taxonomy))
    assert sizes(release) == [31]


def test_a_large_k_gets_its_people() -> None:
    bags, taxonomy = clustered(1500)
    release = Shoal(k=200).apply(Original.on(bags, taxonomy))
    assert holds(release, bags, taxonomy, 200)
    assert sizes(release)[-1] < 400


@settings(deadline=None, max_examples=60)
@given(
    forests(nodes=9, records=(4, 14), items=(1, 5)),
    st.integers(2, 4),
    st.sampled_from(["lm", "information", "height"]),
    st.lists(st.integers(0, 6), min_size=14, max_size=14),
)
def test_random_records_losses_and_owners(
    instance: tuple[tuple[int, ...], list[list[int]]], k: int, measure: str, people: list[int]
) -> None:
    parent, rows = instance
    taxonomy = tree(parent, measure)
    bags = numbered(taxonomy, rows, people[: len(rows)])
    if bags.n_owners < k:
        return
    for effort in EFFORTS:
        release = Shoal(k=k, effort=effort).apply(Original.on(bags, taxonomy))
        assert holds(release, bags, taxonomy, k)
        assert ggd(release, on_nodes(bags, taxonomy)) <= bags.occurrences + 1e-9


@settings(deadline=None, max_examples=200)
@given(forests(nodes=12, records=(6, 40), items=(1, 6)), st.integers(2, 4), st.integers(0, 9))
def test_more_effort_never_loses_more_on_few_records(instance: tuple[tuple[int, ...], list[list[int]]], k: int, seed: int) -> None:
    parent, rows = instance
    taxonomy = tree(parent)
    bags = numbered(taxonomy, rows)
    losses = [loss(Shoal(k=k, effort=effort, seed=seed).apply(Original.on(bags, taxonomy)), on_nodes(bags, taxonomy)) for effort in EFFORTS]
    assert losses == sorted(losses, reverse=True)


@settings(deadline=None, max_examples=100)
@given(
    forests(nodes=12, records=(6, 24), items=(1, 6)),
    st.integers(2, 4),
    st.lists(st.integers(0, 14), min_size=24, max_size=24),
    st.booleans(),
)
def test_no_swap_nor_move_is_left_that_would_lose_less(
    instance: tuple[tuple[int, ...], list[list[int]]], k: int, people: list[int], several_each: bool
) -> None:
    """Where all groups are neighbours and time is no object, local search ends where no two members can change places."""
    parent, rows = instance
    taxonomy = tree(parent)
    bags = numbered(taxonomy, rows, people[: len(rows)] if several_each else None)
    if bags.n_owners < k:
        return
    chains_only = replace(EFFORTS["thorough"], worst=0)
    with mock.patch.dict(EFFORTS, thorough=chains_only):
        groups = Shoal(k=k, effort="thorough", seconds=20).form_groups(bags, taxonomy)[0]
    told = told_by(bags, taxonomy, groups)
    for other in exchanged(bags, groups, k):
        assert told_by(bags, taxonomy, other) <= told


def told_by(bags: Bags, taxonomy: Taxonomy, groups: Ints) -> int:
    """What the groups tell, in units: group size times the value of the pointwise least tree counts."""
    counts = tree_counts(bags, taxonomy)
    dense = np.zeros((len(bags), len(counts.weights)), np.int64)
    for record in range(len(bags)):
        mine = slice(counts.rows[0][record], counts.rows[0][record + 1])
        dense[record, counts.rows[1][mine]] = counts.rows[2][mine]
    of_group = [dense[groups == g] for g in np.unique(groups)]
    return sum(int(len(rows) * (rows.min(axis=0) @ counts.weights)) for rows in of_group)


def exchanged(bags: Bags, groups: Ints, k: int) -> Iterator[Ints]:
    """All groupings one allowed swap or move away, among groups below twice k."""
    sizes = np.bincount(groups)
    movable = np.flatnonzero(sizes[groups] < 2 * k)
    for a in movable:
        for b in movable:
            if groups[a] == groups[b]:
                continue
            swapped, moved = groups.copy(), groups.copy()
            swapped[[a, b]] = groups[[b, a]]
            moved[a] = groups[b]
            for other in (swapped, moved):
                if other is moved and sizes[groups[b]] + 1 >= 2 * k:
                    continue
                enough = all(len(set(bags.owners[other == g])) >= k for g in (groups[a], groups[b]))
                if enough and no_newcomer_is_there(bags, groups, other):
                    yield other


def no_newcomer_is_there(bags: Bags, before: Ints, after: Ints) -> bool:
    """Nobody came to a group in which another record of the same person is."""
    return all((bags.owners[after == after[r]] == bags.owners[r]).sum() == 1 for r in np.flatnonzero(before != after))


def test_another_seed_searches_in_another_way() -> None:
    bags, taxonomy = clustered(600, seed=2)
    releases = [published(Shoal(k=4, seed=seed).apply(Original.on(bags, taxonomy))) for seed in (0, 0, 1)]
    assert releases[0] == releases[1] != releases[2]


def test_regrowing_finds_what_chains_do_not() -> None:
    bags, taxonomy = clustered(600, seed=3)
    original = on_nodes(bags, taxonomy)
    with_regrowing = loss(Shoal(k=4).apply(Original.on(bags, taxonomy)), original)
    chains_only = replace(EFFORTS["balanced"], worst=0)
    with mock.patch.dict(EFFORTS, balanced=chains_only):
        assert with_regrowing < loss(Shoal(k=4).apply(Original.on(bags, taxonomy)), original)


def test_groups_need_not_all_have_k_members() -> None:
    """Cells of eight and five: eight at k = 5 is one group, not five of it and three strangers with somebody else."""
    parent = [-1]
    for _ in range(6):
        parent += [0, *[len(parent)] * 10]
    taxonomy = tree(parent)
    cells = [[[2 + 11 * c, 3 + 11 * c, 4 + 11 * c + i % 8] for i in range(8 if c % 2 else 5)] for c in range(6)]
    bags = numbered(taxonomy, [record for cell in cells for record in cell])
    release = Shoal(k=5).apply(Original.on(bags, taxonomy))
    assert sizes(release) == [5, 5, 5, 8, 8, 8]


@pytest.mark.timing
def test_a_budget_in_seconds_is_kept_and_recorded() -> None:
    bags, taxonomy = clustered(3000)
    started = time.perf_counter()
    release = Shoal(k=3, seconds=0.3).apply(Original.on(bags, taxonomy))
    assert time.perf_counter() - started < 30
    assert release.parameters["seconds"] == 0.3
    assert holds(release, bags, taxonomy, 3)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("block", [30, 1000])
def test_a_record_that_is_left_over_goes_where_least_is_lost_among_groups_of_its_block(seed: int, block: int) -> None:
    bags, taxonomy = clustered(161, seed)
    counts = tree_counts(bags, taxonomy)
    options = replace(Shoal(k=4)._search(counts, "fast"), block=block)
    search = GroupSearch(counts, bags.owners, bags.owners_repeat, options, LocalEngine())
    grown, left, blocks = search._grow(np.arange(161))
    groups = Groups.joined(grown)
    [record] = left.tolist()  # as groups that are grown have exactly k records
    similar = set(next(block for block in blocks if record in block).tolist())
    with_it = {
        search.loss(groups.with_newcomers(np.array([number]), left))
        for number, members in enumerate(np.split(groups.members, groups.starts[1:-1]))
        if similar & set(members.tolist())
    }
    assert (len(blocks) > 1) == (block < 161)
    assert len(with_it) > 1
    assert search.loss(search._join(groups, left, Similar(blocks, np.arange(161)))) == min(with_it)


def test_a_record_that_is_left_over_may_join_identical_ones_of_no_block() -> None:
    """Records 0 to 3 are a group of identical ones, which no block holds; the last record is like them."""
    taxonomy = tree([-1, 0, 0, 0, 0])
    bags = numbered(taxonomy, [[1, 2]] * 4 + [[3, 4], [3], [4], [3, 4]] + [[1]] * 4 + [[1, 2]])
    counts = tree_counts(bags, taxonomy)
    search = GroupSearch(counts, bags.owners, bags.owners_repeat, Shoal(k=4)._search(counts, "fast"), LocalEngine())
    groups = Groups(np.arange(0, 13, 4), np.arange(12))
    similar = Similar([np.arange(4, 8), np.array([8, 9, 10, 11, 12])], bags.identical())
    joined = search._join(groups, np.array([12]), similar)
    assert joined.sizes.tolist() == [5, 4, 4]
