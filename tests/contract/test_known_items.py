"""What every method of k^m-anonymity owes, on random records: the claim by a plain checker, and how the methods compare."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from helpers.cuts import problems, rare_sets, rows_of
from helpers.data import numbered, on_nodes, tree
from helpers.errors import refuses
from shoal.data.bags import Bags
from shoal.data.taxonomy import Taxonomy
from shoal.errors import Infeasible
from shoal.itemsets.km_recoding import places_loss
from shoal.methods import METHODS
from shoal.methods.bases.km import KnownItemsMethod, published_sets
from shoal.methods.local import gray_order, parts_of

NAMES = [name for name in METHODS if issubclass(METHODS[name], KnownItemsMethod)]
GLOBAL = ["apriori", "direct", "vertical"]


def made(name: str, k: int, m: int, **more: Any) -> KnownItemsMethod:
    method = METHODS[name](k=k, m=m, **more)  # type: ignore[call-arg]
    assert isinstance(method, KnownItemsMethod)
    return method


def loss(name: str, k: int, m: int, problem: tuple[Bags, Taxonomy], **more: Any) -> int:
    return places_loss(made(name, k, m, **more).places(*problem), problem[1])


@settings(deadline=None, max_examples=200)
@given(problems(), st.integers(2, 4), st.integers(1, 4), st.sampled_from(NAMES))
def test_a_plain_checker_finds_no_rare_set(problem: Any, k: int, m: int, name: str) -> None:
    bags, taxonomy = problem
    original = on_nodes(bags, taxonomy)
    if bags.n_owners < k:
        with pytest.raises(Infeasible):
            made(name, k, m).apply(original)
        return
    release = made(name, k, m).apply(original)
    assert release.secret is not None
    rows = rows_of(release.published.select(release.secret.rows()))
    assert not rare_sets(rows, bags.owners.tolist(), k, m)
    for claim in release.claims:
        verdict = claim.check(release, original)  # type: ignore[attr-defined]
        assert verdict.holds, verdict
        assert verdict.achieved.get("people", verdict.achieved.get("records")) >= k


@settings(deadline=None, max_examples=150)
@given(problems(), st.integers(2, 4), st.integers(1, 3))
def test_no_global_recoding_loses_less_than_the_optimal_one(problem: Any, k: int, m: int) -> None:
    assume(problem[0].n_owners >= k)
    best = loss("optimal", k, m, problem)
    assert all(loss(name, k, m, problem) >= best for name in GLOBAL)
    assert loss("apriori", k, m, problem, undo=False) >= loss("apriori", k, m, problem) >= loss("km", k, m, problem)


@settings(deadline=None, max_examples=100)
@given(problems(), st.integers(2, 4), st.integers(1, 3))
def test_words_are_kept_where_suppression_alone_keeps_them(problem: Any, k: int, m: int) -> None:
    bags, taxonomy = problem
    assume(bags.n_owners >= k and taxonomy.barred is None)
    alone = METHODS["coherence"](k=k, p=m, h=1.0).apply(on_nodes(bags, taxonomy))  # type: ignore[call-arg]
    assert alone.accounting is not None
    places = made("km", k, m, aim="words").places(bags, taxonomy)
    assert int((places == bags.items).sum()) >= alone.accounting.occurrences["kept"]


def every_cut(taxonomy: Taxonomy, node: int = 0) -> Iterator[dict[int, int]]:
    """What the nodes of a subtree become under each of its cuts: all of them its top, or each subtree below it has a cut of its own."""
    yield dict.fromkeys(range(node, int(taxonomy.end[node])), node)
    children = taxonomy.children(node).tolist()
    for below in product(*(list(every_cut(taxonomy, child)) for child in children)) if children else ():
        yield {node: node} | {item: image for cut in below for item, image in cut.items()}


@settings(deadline=None, max_examples=150)
@given(problems(), st.integers(2, 4), st.integers(1, 3))
def test_the_optimal_cut_is_that_of_trying_all(problem: Any, k: int, m: int) -> None:
    bags, taxonomy = problem
    assume(bags.n_owners >= k)
    tried = [np.array([cut[item] for item in bags.items.tolist()], np.int32) for cut in every_cut(taxonomy)]
    left = [np.where(taxonomy.publishable[images], images, -1).astype(np.int32) for images in tried]
    safe = [places for places in left if not rare_sets(rows_of(published_sets(bags, places)), bags.owners.tolist(), k, m)]
    assert loss("optimal", k, m, problem) == min(places_loss(places, taxonomy) for places in safe)


def test_optimal_refuses_more_cuts_than_it_searches() -> None:
    parent = [-1, *(node for pair in range(40) for node in (0, 3 * pair + 1, 3 * pair + 1))]
    taxonomy = tree(parent)
    bags = numbered(taxonomy, [[3 * pair + 2, 3 * pair + 3] for pair in range(40) for _ in range(2)])
    with refuses("too-many-cuts", limit=200000):
        made("optimal", 2, 2).apply(on_nodes(bags, taxonomy))


def test_neighbours_in_gray_order_differ_in_one_item() -> None:
    """All sixteen sets of four items, as the reflected binary code lists them."""
    sets = [[i + 1 for i in range(4) if n >> i & 1] for n in range(16)]
    bags = numbered(tree([-1, 0, 0, 0, 0]), sets)
    rows = rows_of(bags.select(gray_order(bags)))
    assert all(len(a ^ b) == 1 for a, b in pairwise(rows))


@settings(deadline=None, max_examples=100)
@given(problems(), st.integers(2, 4), st.integers(1, 5))
def test_parts_hold_enough_records_of_enough_people(problem: Any, k: int, least: int) -> None:
    bags, _ = problem
    assume(bags.n_owners >= k and len(bags) >= least)
    parts = list(parts_of(bags, gray_order(bags), least, k))
    assert sorted(np.concatenate(parts).tolist()) == list(range(len(bags)))
    assert all(len(part) >= least and len(np.unique(bags.owners[part])) >= k for part in parts)
