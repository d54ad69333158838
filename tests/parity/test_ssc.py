"""SSC's search and centres against plain twins: scipy's assignment over all vocabularies, no index and no bounds."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.semantic import bags_of, padded_distance, term_distance, tree_of, trees
from shoal import _kernels, kernels
from shoal.data.bags import Bags
from shoal.data.taxonomy import Taxonomy
from shoal.taxonomy.distance import SemanticDistance

Centre = list[list[int]]


@st.composite
def cases(draw: st.DrawFn, most: int = 10):
    tree = draw(trees(20))
    term = st.integers(0, len(tree) - 1)
    records = draw(st.lists(st.lists(term, min_size=1, max_size=6), min_size=4, max_size=most))
    measure = draw(st.sampled_from(["path", "wu-palmer"]))
    eps, omega = draw(st.sampled_from([(0, 1), (1, 3), (2, 1), (3, 3), (4, 2), (4, 4), (20, 5)]))
    scale = 1 if measure == "path" else 6
    return tree, records, SemanticDistance(tree, measure, eps / scale, omega / scale)


def centre_of(bags: Bags, distance: SemanticDistance, members: list[int]) -> tuple[Centre, np.ndarray]:
    """The kernel's centre of these members, each bag as its terms and as often as it occurs, and the distances on the way."""
    (_, copies, start, terms), joined = kernels.run(_kernels.joined_centre, distance.kernel(), bags.view, np.array(members))
    bags_of_terms = [terms[start[i] : start[i + 1]].tolist() for i, n in enumerate(copies) for _ in range(n)]
    return bags_of_terms, joined / distance.units


def plain_centre_distance(tree: Taxonomy, centre: Centre, record: list[int], distance: SemanticDistance, members: int) -> float:
    """Matching bags with terms by scipy: sums of distances, all of them relevant, members * omega without a partner."""
    apart = cache(lambda u, v: term_distance(tree, u, v, distance.measure))
    costs = np.zeros((len(centre), len(record)))
    for i, bag in enumerate(centre):
        for j, term in enumerate(record):
            each = [apart(term, other) for other in bag]
            costs[i, j] = sum(each) if max(each) <= distance.threshold + 1e-9 else 1e6
    nil = members * distance.nil
    return padded_distance(costs, 1e5, nil, nil)[0]


def replayed(tree, records, bags, distance, members, pool):
    """Checks that every member was, when it joined, the nearest of the pool, the first on ties."""
    for joined in range(1, len(members)):
        centre, _ = centre_of(bags, distance, members[:joined])
        costs = {r: plain_centre_distance(tree, centre, records[r], distance, joined) for r in pool}
        chosen = members[joined]
        assert costs[chosen] == pytest.approx(min(costs.values()), abs=1e-5)
        assert chosen == min(r for r in pool if costs[r] < costs[chosen] + 1e-5)
        pool.remove(chosen)


@settings(deadline=None, max_examples=150)
@given(cases(), st.integers(2, 4))
def test_every_member_is_the_nearest_of_those_left(case, k):
    tree, records, distance = case
    bags = bags_of(records, tree)
    everyone = np.arange(len(records))
    clusters = kernels.run(_kernels.cluster_term_sets, distance.kernel(), bags.view, everyone, everyone, k, 0)
    pool = everyone.tolist()
    for members in clusters.members:
        pool.remove(members[0])
        assert all(members[0] < r for r in pool), "the seed is the first that is left"
        replayed(tree, records, bags, distance, members[:k], pool)
    assert len(clusters.members) == len(records) // k
    left = [m for members in clusters.members for m in members[k:]]
    assert sorted(left) == sorted(pool)


@settings(deadline=None, max_examples=100)
@given(cases(most=9))
def test_a_leftover_joins_the_nearest_centre(case):
    tree, records, distance = case
    if len(records) % 2 == 0:
        records = records[1:]
    bags = bags_of(records, tree)
    everyone = np.arange(len(records))
    clusters = kernels.run(_kernels.cluster_term_sets, distance.kernel(), bags.view, everyone, everyone, 2, 0)
    (late,) = [c for c, members in enumerate(clusters.members) if len(members) == 3]
    record = records[clusters.members[late][2]]
    costs = [plain_centre_distance(tree, centre_of(bags, distance, m[:2])[0], record, distance, 2) / 2 for m in clusters.members]
    assert costs[late] == pytest.approx(min(costs), abs=1e-5)
    assert late == min(c for c in range(len(costs)) if costs[c] < costs[late] + 1e-5)


# -- the first model: as many terms as possible are matched, and only their distances count


def matched_centre(bags: Bags, distance: SemanticDistance, members: list[int]) -> Centre:
    """The kernel's centre of these members, with as many terms as possible."""
    measure = distance.kernel_of_matched_terms(bags)
    (_, copies, start, terms), _ = kernels.run(_kernels.joined_centre, measure, bags.view, np.array(members))
    return [terms[start[i] : start[i + 1]].tolist() for i, n in enumerate(copies) for _ in range(n)]


def plain_matched(tree: Taxonomy, centre: Centre, record: list[int], distance: SemanticDistance) -> tuple[int, float]:
    """The size of a largest matching of bags and terms, and its least weight, by scipy."""
    each = [[[term_distance(tree, term, other, distance.measure) for other in bag] for term in record] for bag in centre]
    costs = np.array([[sum(one) if max(one) <= distance.threshold + 1e-9 else 1e6 for one in row] for row in each])
    _, pairs = padded_distance(costs.reshape(len(centre), len(record)), 1e5, 1e4, 1e4)
    return len(pairs), sum(float(costs[pair]) for pair in pairs)


@settings(deadline=None, max_examples=120)
@given(cases(), st.integers(2, 4))
def test_in_the_first_model_matched_terms_alone_decide(case, k):
    tree, records, distance = case
    bags, everyone = bags_of(records, tree), np.arange(len(records))
    measure = distance.kernel_of_matched_terms(bags)
    clusters = kernels.run(_kernels.cluster_by_matched_terms, measure, bags.view, everyone, everyone, k, 0)
    pool = everyone.tolist()
    for members in clusters.members:
        pool.remove(members[0])
        assert all(members[0] < r for r in pool), "the seed is the first that is left"
        for joined in range(1, k):
            centre = matched_centre(bags, distance, members[:joined])
            costs = {r: plain_matched(tree, centre, records[r], distance) for r in pool}
            chosen, least = members[joined], min(cost for _, cost in costs.values())
            assert chosen == min(r for r in pool if costs[r][1] < least + 1e-5)
            assert len(matched_centre(bags, distance, members[: joined + 1])) == costs[chosen][0]
            pool.remove(chosen)
    assert sorted(m for members in clusters.members for m in members) == everyone.tolist()
    if len(pool) == 1:
        centres = [matched_centre(bags, distance, members[:k]) for members in clusters.members]
        away = [plain_matched(tree, centre, records[pool[0]], distance)[1] for centre in centres]
        assert pool[0] in clusters.members[min(c for c in range(len(away)) if away[c] < min(away) + 1e-5)]


@settings(deadline=None, max_examples=150)
@given(cases(most=5))
def test_centres_are_matchings_of_least_cost(case):
    tree, records, distance = case
    bags = bags_of(records, tree)
    for joined in range(1, len(records)):
        before, _ = centre_of(bags, distance, list(range(joined)))
        after, costs = centre_of(bags, distance, list(range(joined + 1)))
        expected = plain_centre_distance(tree, before, records[joined], distance, joined)
        assert costs[-1] == pytest.approx(expected, abs=1e-5)
        matched = sum(term_distance(tree, bag[-1], other, distance.measure) for bag in after for other in bag[:-1])
        dropped = len(before) + len(records[joined]) - 2 * len(after)
        assert matched + dropped * joined * distance.nil == pytest.approx(expected, abs=1e-5)
        for bag in after:
            assert before.count(bag[:-1]) >= sum(other[:-1] == bag[:-1] for other in after)
            assert records[joined].count(bag[-1]) >= sum(other[-1] == bag[-1] for other in after)


@pytest.mark.parametrize("flat", [True, False])
@pytest.mark.parametrize("measure", ["path", "wu-palmer"])
def test_large_vocabularies_are_matched_exactly_too(flat, measure):
    rng = np.random.default_rng(4)
    tree = tree_of([0] * 400) if flat else tree_of([int(rng.integers(max(0, i - 9), i + 1)) for i in range(400)])
    records = [[*rng.choice(len(tree), 205, replace=False).tolist(), 7, 7, 9] for _ in range(3)]
    bags = bags_of(records, tree)
    distance = SemanticDistance(tree, measure, 3 if measure == "path" else 0.4)
    for joined in (1, 2):
        before, _ = centre_of(bags, distance, list(range(joined)))
        after, costs = centre_of(bags, distance, list(range(joined + 1)))
        expected = plain_centre_distance(tree, before, records[joined], distance, joined)
        assert costs[-1] == pytest.approx(expected, abs=1e-4)
        matched = sum(term_distance(tree, b[-1], other, measure) for b in after for other in b[:-1])
        dropped = len(before) + len(records[joined]) - 2 * len(after)
        assert matched + dropped * joined * distance.nil == pytest.approx(expected, abs=1e-4)


@settings(deadline=None, max_examples=150)
@given(cases(most=12))
def test_the_nearest_vocabulary_of_each(case):
    tree, records, distance = case
    bags = bags_of(records, tree)
    everyone = np.arange(len(records))
    found = kernels.run(_kernels.nearest_term_sets, distance.kernel(), bags.view, everyone)
    left, right = (a.ravel() for a in np.meshgrid(everyone, everyone, indexing="ij"))
    table = distance.between_records(bags, left, right).reshape(len(records), -1)
    np.fill_diagonal(table, np.inf)
    assert found.tolist() == table.argmin(axis=1).tolist()


@settings(deadline=None, max_examples=60)
@given(cases(most=12), st.data())
def test_people_who_own_several_vocabularies_count_once(case, data):
    tree, records, distance = case
    bags = bags_of(records, tree)
    owners = np.array([data.draw(st.integers(0, 4)) for _ in records])
    people = np.unique(owners, return_inverse=True)[1]
    arguments = distance.kernel(), bags.view, np.arange(len(records)), people, 3, data.draw(st.integers(0, 100))
    if len(set(owners.tolist())) < 3:
        with pytest.raises(_kernels.Infeasible):
            kernels.run(_kernels.cluster_term_sets, *arguments)
        return
    clusters = kernels.run(_kernels.cluster_term_sets, *arguments)
    assert sorted(m for members in clusters.members for m in members) == list(range(len(records)))
    assert all(len({int(owners[m]) for m in members}) >= 3 for members in clusters.members)
