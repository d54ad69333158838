"""Full-domain and sibling generalization: safe by a plain checker, best by trying all recodings, and through the command line."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from helpers.cli import Shell
from helpers.cuts import problems, rare_sets, rows_of
from helpers.data import numbered, on_nodes, tree
from helpers.errors import refuses
from shoal.data.bags import Bags, Small
from shoal.data.taxonomy import Taxonomy
from shoal.itemsets.km_recoding import places_loss
from shoal.itemsets.recoding_schemes import SCHEMES
from shoal.methods.apriori import Apriori
from shoal.methods.bases.km import published_sets
from shoal.methods.optimal import Optimal

FRUIT = "Apple,Fruit,Food\nPear,Fruit,Food\nPlum,Fruit,Food\nBanana,Fruit,Food\nBeef,Meat,Food\nPork,Meat,Food\n"


def is_safe(bags: Bags, places: Small, k: int, m: int) -> bool:
    return not rare_sets(rows_of(published_sets(bags, places)), bags.owners.tolist(), k, m)


def published(taxonomy: Taxonomy, bags: Bags, image: dict[int, int]) -> Small:
    """The places of a recoding, without what must not be published."""
    images = np.array([image[item] for item in bags.items.tolist()], np.int32)
    return np.where(taxonomy.publishable[images], images, -1).astype(np.int32)


def climbed(taxonomy: Taxonomy, item: int, raised: set[int]) -> int:
    while item in raised:
        item = int(taxonomy.parent[item])
    return item


@settings(deadline=None, max_examples=200)
@given(problems(), st.integers(2, 4), st.integers(1, 3), st.sampled_from(SCHEMES), st.booleans())
def test_a_plain_checker_finds_no_rare_set(problem: Any, k: int, m: int, recoding: str, best: bool) -> None:
    bags, taxonomy = problem
    assume(bags.n_owners >= k)
    original = on_nodes(bags, taxonomy)
    method = Optimal(k=k, m=m, recoding=recoding) if best else Apriori(k=k, m=m, recoding=recoding)
    release = method.apply(original)
    assert release.secret is not None
    rows = rows_of(release.published.select(release.secret.rows()))
    assert not rare_sets(rows, bags.owners.tolist(), k, m)
    assert all(claim.check(release, original).holds for claim in release.claims)  # type: ignore[attr-defined]
    if release.rules is not None:
        again = method.reapply(original, release.rules)
        assert again.secret is not None
        assert rows_of(again.published.select(again.secret.rows())) == rows


@settings(deadline=None, max_examples=150)
@given(problems(), st.integers(2, 4), st.integers(1, 3))
def test_the_level_is_the_most_precise_of_all(problem: Any, k: int, m: int) -> None:
    bags, taxonomy = problem
    assume(bags.n_owners >= k)
    losses = []
    for level in range(int(taxonomy.depth.max()) + 1):
        deeper = {node for node in range(len(taxonomy)) if taxonomy.depth[node] > level}
        places = published(taxonomy, bags, {item: climbed(taxonomy, item, deeper) for item in range(len(taxonomy))})
        if is_safe(bags, places, k, m):
            losses.append(places_loss(places, taxonomy))
    for method in (Apriori, Optimal):
        assert places_loss(method(k=k, m=m, recoding="full-domain").places(bags, taxonomy), taxonomy) == min(losses)


@settings(deadline=None, max_examples=40)
@given(problems(), st.integers(2, 4), st.integers(1, 3))
def test_the_best_sibling_generalization_is_that_of_trying_all(problem: Any, k: int, m: int) -> None:
    bags, taxonomy = problem
    assume(bags.n_owners >= k and len(taxonomy) <= 8)
    nodes, losses = range(1, len(taxonomy)), []
    for size in range(len(taxonomy)):
        for raised in map(set, combinations(nodes, size)):
            places = published(taxonomy, bags, {item: climbed(taxonomy, item, raised) for item in range(len(taxonomy))})
            loss = places_loss(places, taxonomy)
            if (not losses or loss < min(losses)) and is_safe(bags, places, k, m):
                losses.append(loss)
    best = places_loss(Optimal(k=k, m=m, recoding="sibling").places(bags, taxonomy), taxonomy)
    assert best == min(losses)
    assert best <= places_loss(Optimal(k=k, m=m).places(bags, taxonomy), taxonomy)
    greedy, plain = (
        places_loss(Apriori(k=k, m=m, recoding="sibling", undo=undo).places(bags, taxonomy), taxonomy) for undo in (True, False)
    )
    assert best <= greedy <= plain


def test_the_search_for_the_best_one_ends_at_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.itemsets.recoding_schemes.MOST_RECODINGS", 500)
    parent = [-1, *(node for pair in range(40) for node in (0, 3 * pair + 1, 3 * pair + 1))]
    taxonomy = tree(parent)
    rows = [[3 * pair + 2, 3 * other + 3] for pair in range(40) for other in (pair, (pair + 1) % 40)]
    with refuses("too-many-cuts", limit=500):
        Optimal(k=2, m=2, recoding="sibling").apply(on_nodes(numbered(taxonomy, rows), taxonomy))


def released(shell: Shell, *words: str) -> list[set[str]]:
    """The records that a command publishes, after an audit of them."""
    place = shell.directory / "release"
    shared = ("--format", "transactions", "--taxonomy", "food.csv")
    done = shell("anonymize", "baskets.txt", *shared, "--k", "3", "--m", "1", *words, "--to", "jsonl", "--out", place)
    assert done.code == 0, done.err
    assert shell("audit", place, "--original", "baskets.txt", *shared).code == 0
    assert (place / "rules.json").exists()
    return [set(json.loads(line)["items"]) for line in (place / "records.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("method", ["apriori", "optimal"])
@pytest.mark.parametrize(
    ("recoding", "expected"),
    [("sibling", {"Banana", "Fruit", "Beef", "Pork"}), ("subtree", {"Fruit", "Beef", "Pork"}), ("full-domain", {"Fruit", "Meat"})],
)
def test_fruit_but_banana(shell: Shell, method: str, recoding: str, expected: set[str]) -> None:
    """One person each has the apple, the pear and the plum, three have the banana, the beef and the pork."""
    shell.file("food.csv", FRUIT)
    shell.file("baskets.txt", "Apple,Beef\nPear,Beef\nPlum,Beef\nBanana,Pork\nBanana,Pork\nBanana,Beef,Pork\n")
    found = released(shell, "--method", method, "--recoding", recoding)
    assert set().union(*found) == expected
