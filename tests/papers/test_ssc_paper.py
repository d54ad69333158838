"""Liu and Wang, ICDM'10: the running example. Where the print leaves something open, algorithms that fit all its numbers decide."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations

import numpy as np
import pytest

from shoal import _kernels, kernels
from shoal.data.bags import Bags
from shoal.data.original import Original
from shoal.data.taxonomy import Taxonomy
from shoal.methods.partition import Partition
from shoal.methods.ssc import SSC
from shoal.metrics.losses import blm_distinct, blm_subtree, represented
from shoal.taxonomy.distance import SemanticDistance
from shoal.taxonomy.place_terms import place_terms

GOODS = Taxonomy.from_parents(
    {
        "Goods": None,
        "Edibles": "Goods",
        "Alcohol": "Edibles",
        "Wine": "Alcohol",
        "Vino": "Alcohol",
        "Dairy": "Edibles",
        "Raw-milk": "Dairy",
        "Homo-milk": "Dairy",
        "Apparel": "Goods",
        "Clothes": "Apparel",
        "Jackets": "Clothes",
        "Pants": "Clothes",
        "Footwear": "Apparel",
        "Boots": "Footwear",
        "Shoes": "Footwear",
    },
    "lm",
)
T = [
    ["Wine", "Wine", "Jackets", "Boots"],
    ["Vino", "Vino", "Jackets", "Shoes"],
    ["Wine", "Vino", "Raw-milk", "Jackets", "Shoes"],
    ["Vino", "Raw-milk", "Raw-milk", "Homo-milk"],
    ["Raw-milk", "Homo-milk", "Homo-milk", "Jackets", "Pants"],
]
PAIRS = list(combinations(range(5), 2))
FIRST_MODEL = [6, 4, 6, 12, 2, 4, 12, 4, 12, 2]
SECOND_MODEL = [6, 8, 22, 16, 6, 20, 16, 16, 12, 14]
PUBLISHED_CLUSTERS = {frozenset({0, 1, 2}), frozenset({3, 4})}


@pytest.fixture(scope="module")
def example() -> Original:
    return place_terms(Bags.from_lists(T), GOODS, scope="whole")


def clusters_of(rows: np.ndarray) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(rows == g).tolist()) for g in set(rows.tolist())}


def typical_of(method: SSC, example: Original) -> dict[frozenset[int], Counter[str]]:
    release = method.apply(example)
    rows = release.secret.rows()
    return {frozenset(np.flatnonzero(rows == g).tolist()): Counter(release.published.record(g)) for g in range(len(release.published))}


def test_distances_of_terms():
    wine, vino, jackets = GOODS.nodes(["Wine", "Vino", "Jackets"])
    assert SemanticDistance(GOODS).terms([wine, wine], [vino, jackets]).tolist() == [2, 6]


@pytest.mark.parametrize("way", ["auto", "level", "matching"])
def test_all_distances_in_both_models(example, way):
    left, right = np.array(PAIRS).T
    distance = SemanticDistance(example.taxonomy, eps=4)
    assert distance.between_records(example.bags, left, right, way=way).tolist() == SECOND_MODEL
    assert distance.between_records(example.bags, left, right, way=way, variant="matched").tolist() == FIRST_MODEL


def test_the_models_differ_however_large_omega_is(example):
    distance = SemanticDistance(example.taxonomy, eps=4, omega=1000)
    assert distance.between_records(example.bags, [0], [2]).tolist() == [4 + 1000]
    assert distance.between_records(example.bags, [0], [2], variant="matched").tolist() == [4]


def test_the_first_model_as_an_option(example):
    """By the first model t3 is nearest to t1 (4, and 6 to t2), for their terms without a partner cost nothing."""
    found = typical_of(SSC(k=2, eps=4, matching="maximum", min_owners=1, promising=0), example)
    assert found.keys() == {frozenset({0, 2}), frozenset({1, 3, 4})}
    assert found[frozenset({0, 2})] == Counter({"Wine": 2, "Jackets": 1, "Boots": 1})


def test_in_the_first_model_96_of_the_120_orders_give_the_published_clusters(example):
    measure = SemanticDistance(example.taxonomy, eps=4).kernel_of_matched_terms(example.bags)
    hits = 0
    for order in permutations(range(5)):
        found = kernels.run(_kernels.cluster_by_matched_terms, measure, example.bags.view, np.array(order), np.arange(5), 2, 0)
        hits += clusters_of(found.group) == PUBLISHED_CLUSTERS
        if order == (0, 1, 2, 3, 4):
            assert clusters_of(found.group) == {frozenset({0, 2}), frozenset({1, 3, 4})}
    assert hits == 96


def test_ascending_order_gives_the_published_clusters_and_typical_vocabularies(example):
    for omega in (2, 2.5, 3, 4, 6, 100):
        found = typical_of(SSC(k=2, eps=4, omega=omega, order="ascending"), example)
        assert found == {
            frozenset({0, 1, 2}): Counter({"Wine": 1, "Vino": 1, "Jackets": 1, "Shoes": 1}),
            frozenset({3, 4}): Counter({"Raw-milk": 2, "Homo-milk": 1}),
        }


def test_the_centre_of_the_first_cluster(example):
    method = SSC(k=2, eps=4, order="ascending")
    clusters, _ = method.clustered(example.bags, method.semantics(example.taxonomy).kernel(), example.tree)
    bag_start, copies, term_start, terms = clusters.centres
    cluster = int(clusters.group[0])
    assert clusters.members[cluster][-1] == 2
    names = [example.taxonomy.names[int(t)] for t in terms]
    bags = [sorted(names[term_start[b] : term_start[b + 1]]) for b in range(bag_start[cluster], bag_start[cluster + 1])]
    assert sorted(bags) == [["Boots", "Shoes", "Shoes"], ["Jackets"] * 3, ["Vino", "Vino", "Wine"], ["Vino", "Wine", "Wine"]]
    assert copies[bag_start[cluster] : bag_start[cluster + 1]].tolist() == [1, 1, 1, 1]


def test_the_given_order_does_not_give_the_published_clusters(example):
    for omega in (2, 2.5, 3, 4, 6, 100):
        rows = SSC(k=2, eps=4, omega=omega, order="given").apply(example).secret.rows()
        assert clusters_of(rows) == {frozenset({0, 1}), frozenset({2, 3, 4})}


def test_with_omega_4_63_of_the_120_orders_give_the_published_clusters(example):
    measure = SemanticDistance(example.taxonomy, eps=4, omega=4).kernel()
    hits = 0
    for order in permutations(range(5)):
        found = kernels.run(_kernels.cluster_term_sets, measure, example.bags.view, np.array(order), np.arange(5), 2, 0)
        hits += clusters_of(found.group) == PUBLISHED_CLUSTERS
    assert hits == 63


def test_the_other_typical_vocabularies(example):
    generalized = typical_of(SSC(k=2, eps=4, order="ascending", typical="generalize"), example)
    assert generalized[frozenset({0, 1, 2})] == Counter({"Alcohol": 2, "Jackets": 1, "Footwear": 1})
    assert generalized[frozenset({3, 4})] == Counter({"Raw-milk": 1, "Dairy": 1, "Homo-milk": 1})
    members = typical_of(SSC(k=2, eps=4, order="ascending", typical="members", min_owners=1), example)
    assert members[frozenset({3, 4})] == Counter({"Raw-milk": 3, "Homo-milk": 3})


def test_the_generalizing_rivals(example):
    """LG and LG(bag) as the paper's remark on Goods implies them: t1 and t4 meet in Goods only."""
    for publishes, first, second in (
        ("set", {"Goods": 1}, {"Edibles": 1, "Apparel": 1}),
        ("bag", {"Goods": 4}, {"Edibles": 2, "Apparel": 2}),
    ):
        release = Partition(k=2, publish_as=publishes).apply(example)
        published = {tuple(release.published.record(g).items()) for g in range(len(release.published))}
        assert published == {tuple(first.items()), tuple(second.items())}


def test_what_a_published_term_stands_for(example):
    """The paper's illustrations: {Wine:2, Vino:1} by Wine in the first cluster, all of t1 and t4 by Goods under LG(bag)."""
    release = SSC(k=2, eps=4, order="ascending").apply(example)
    assert bag_behind("Wine", release, example) == {"Wine": 2, "Vino": 1}
    release = Partition(k=2, publish_as="bag").apply(example)
    everything = {"Wine": 2, "Vino": 1, "Raw-milk": 2, "Homo-milk": 1, "Jackets": 1, "Boots": 1}
    assert bag_behind("Goods", release, example) == everything


def bag_behind(term: str, release, example) -> dict[str, int]:
    names = example.taxonomy.names
    return {
        names[original]: times for _, published, original, times in represented(release, example).iter_rows() if names[published] == term
    }


def test_blm_in_both_readings(example):
    """By hand. SSC: four bags of two siblings (3 + 3 + 3 + 4 occurrences at 1/7) and four suppressed, of 22. LG(bag): 8 in Goods; of
    the 14 others 12 are published, Edibles and Apparel each standing for 6 at 3/7."""
    release = SSC(k=2, eps=4, order="ascending").apply(example)
    assert blm_subtree(release, example) == pytest.approx((13 / 7 + 4) / 22)
    assert blm_distinct(release, example) == pytest.approx((13 / 7 + 4) / 22)
    release = Partition(k=2, publish_as="bag").apply(example)
    assert blm_subtree(release, example) == pytest.approx((8 * 1 + 12 * 3 / 7 + 2) / 22)


def test_accounting_tells_replaced_from_kept(example):
    """First cluster: Wine, Vino and Shoes stand for one other term each among 12 matched; second: Raw-milk for one among 6."""
    release = SSC(k=2, eps=4, order="ascending").apply(example)
    assert release.accounting.occurrences.as_dict() == {"in": 22, "kept": 14, "replaced": 4, "suppressed": 4}
