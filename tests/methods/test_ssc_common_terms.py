"""SSC by distances that count common terms only, compared with a plain search in fractions."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.data import food, on, on_nodes
from helpers.errors import refuses
from shoal.itemsets.common_term_groups import COMMON_TERMS, common_term_groups
from shoal.methods.ssc import SSC

ITEMS = ["Apple", "Orange", "Beef", "Chicken", "Milk"]
vocabularies = st.lists(st.lists(st.sampled_from(ITEMS), min_size=1, max_size=5), min_size=2, max_size=10)


def apart(distance: str, centre: Counter[int], other: Counter[int]) -> Fraction:
    """The distance by its definition; of the cosine 1 minus its square."""
    if distance == "cosine":
        product = sum(centre[item] * other[item] for item in other)
        lengths = sum(n * n for n in centre.values()) * sum(n * n for n in other.values())
        return 1 - Fraction(product**2, lengths) if lengths else Fraction(1)
    either, both = (centre | other).total(), (centre & other).total()
    return Fraction(either - both) if distance == "hamming" else 1 - Fraction(both, either)


def plain_groups(rows: list[Counter[int]], owners: list[int], k: int, distance: str, promising: int) -> list[int]:
    """The groups by trying everything, in the order of the rows."""
    group, centres = [-1] * len(rows), []
    for least in (promising, 0):
        for seed in range(len(rows)):
            if group[seed] >= 0 or len({owner for owner, of in zip(owners, group, strict=True) if of < 0}) < k:
                continue
            members, centre = [seed], rows[seed]
            while len(members) < k:
                free = [i for i, of in enumerate(group) if of < 0 and owners[i] not in {owners[m] for m in members}]
                members.append(min(free, key=lambda i: (apart(distance, centre, rows[i]), i)))
                centre = centre & rows[members[-1]]
            if 100 * k * centre.total() >= least * sum(rows[i].total() for i in members):
                for i in members:
                    group[i] = len(centres)
                centres.append(centre)
    for i in range(len(rows)):
        if group[i] < 0:
            group[i] = min(range(len(centres)), key=lambda c: (apart(distance, centres[c], rows[i]), c))
            centres[group[i]] = centres[group[i]] & rows[i]
    return group


@settings(deadline=None, max_examples=200)
@given(vocabularies, st.data(), st.integers(2, 4), st.sampled_from(COMMON_TERMS), st.sampled_from([0, 20, 60, 100]))
def test_the_groups_are_those_of_a_plain_search(rows: Any, data: Any, k: int, distance: Any, promising: int) -> None:
    tree = food()
    owners = data.draw(st.lists(st.integers(0, 9), min_size=len(rows), max_size=len(rows)))
    if len(set(owners)) < k:
        owners = list(range(len(rows)))
    if len(set(owners)) < k:
        return
    bags = on(tree, rows, owners=owners)
    counted = [
        Counter(dict(zip(bags.items[a:b].tolist(), bags.counts[a:b].tolist(), strict=True)))
        for a, b in zip(bags.indptr[:-1], bags.indptr[1:], strict=True)
    ]
    found = common_term_groups(bags, np.arange(len(rows)), k, distance, promising, tree.publishable)
    assert found.group.tolist() == plain_groups(counted, owners, k, distance, promising)
    for number in range(len(found.common)):
        members = [counted[i] for i in np.flatnonzero(found.group == number)]
        common = members[0]
        for other in members[1:]:
            common = common & other
        row = slice(*found.common.indptr[number : number + 2])
        assert Counter(dict(zip(found.common.items[row].tolist(), found.common.counts[row].tolist(), strict=True))) == common


@pytest.mark.parametrize("distance", COMMON_TERMS)
def test_the_claims_hold_and_nothing_is_replaced(distance: str) -> None:
    tree = food()
    rng = np.random.default_rng(3)
    rows = [[ITEMS[i] for i in rng.integers(0, 5, rng.integers(1, 7))] for _ in range(40)]
    original = on_nodes(on(tree, rows), tree)
    release = SSC(k=3, distance=distance).apply(original)
    assert all(claim.check(release, original).holds for claim in release.claims)  # type: ignore[attr-defined]
    assert release.accounting is not None
    assert release.accounting.occurrences["kept"] > 0
    assert release.accounting.occurrences.of_fate("changed") == 0


@pytest.mark.parametrize("more", [{"eps": 2.0}, {"omega": 1.0}, {"typical": "members"}])
def test_options_of_the_taxonomy_do_not_apply(more: dict[str, Any]) -> None:
    with refuses("options-conflict"):
        SSC(distance="jaccard", **more)
