"""CAHD as the thesis tells it (section 2.4, Example 2.4.1), and the feasibility test as printed and as corrected.

The figure of the example is not in the text, so its baskets are ours; what the text says of them is checked: every person who bought Beef
but not Milk bought a Pregnancy test too, and of what is published only half of them did.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from helpers.band import Twin, in_window
from helpers.errors import refuses
from shoal.data.bags import Bags
from shoal.data.tables.groups import GroupTable
from shoal.methods.cahd import CAHD
from shoal.metrics.reconstruction import reconstruction_error
from shoal.pipeline.contract import made_by
from shoal.taxonomy.place_terms import as_typed

BASKETS = [
    ["Wine", "Milk"],
    ["Wine", "Milk", "Viagra"],
    ["Beef", "Cream", "Pregnancy test"],
    ["Beef", "Milk", "Cream"],
]
SENSITIVE = ["Pregnancy test", "Viagra"]


@pytest.mark.parametrize("search", ["band", "content"])
def test_half_of_those_who_bought_beef_and_no_milk(search: str) -> None:
    original = as_typed(Bags.from_lists(BASKETS), as_sets=True)
    release = made_by(CAHD(p=2, sensitive=SENSITIVE, search=search), original)  # type: ignore[arg-type]
    table = release.only(GroupTable)
    assert isinstance(table, GroupTable)
    groups = {frozenset(map(frozenset, part["items"].to_list())) for part in table.rows.partition_by("group")}
    assert groups == {
        frozenset({frozenset({"Wine", "Milk"})}),
        frozenset({frozenset({"Beef", "Cream"}), frozenset({"Beef", "Milk", "Cream"})}),
    }
    found = [(group, items) for group, items in table.rows.rows() if "Beef" in items and "Milk" not in items]
    assert len(found) == 1
    [(group, _)] = found
    chance = table.histogram.filter(group=group, item="Pregnancy test")["count"].item() / table.rows.filter(group=group).height
    assert chance == 1 / 2
    assert release.claims[0].check(release, original).achieved == {"p": 2.0, "records": 2, "people": 2}


def test_the_reconstruction_error_of_the_example_by_hand() -> None:
    """One query for each sensitive item with all four items: a cell for each different record. The Pregnancy test is in one of two cells
    with a chance of 1/2, so the divergence is 1 * ln(1 / (1/2)); the Viagra's two rows are alike, so nothing is lost."""
    original = as_typed(Bags.from_lists(BASKETS), as_sets=True)
    release = made_by(CAHD(p=2, sensitive=SENSITIVE), original)  # type: ignore[arg-type]
    errors = [reconstruction_error(release, original, r=4, queries=1, seed=seed) for seed in range(20)]
    assert {round(error, 12) for error in errors} == {0.0, round(float(np.log(2)), 12)}


def test_an_infeasible_degree_is_explained_with_the_item_and_the_limit() -> None:
    """Feasible iff max f_s * p <= |D|: 25 of 100 records hold s, so p = 4 is feasible and p = 5 is not."""
    records = [["a", "s"]] * 25 + [["a", "b"]] * 75
    original = as_typed(Bags.from_lists(records), as_sets=True)
    release = made_by(CAHD(p=4, sensitive=["s"]), original)  # type: ignore[arg-type]
    assert release.claims[0].check(release, original).achieved["p"] == 4
    with refuses("sensitive-item-too-frequent", value=25, limit=20) as error:
        made_by(CAHD(p=5, sensitive=["s"]), original)  # type: ignore[arg-type]
    assert "p can be at most 4" in error.value.hint


def test_a_rare_item_is_not_named_where_it_makes_p_infeasible() -> None:
    original = as_typed(Bags.from_lists([["a", "secret"]] * 3 + [["a"]] * 5), as_sets=True)
    with refuses("sensitive-item-too-frequent", value=3, limit=2) as error:
        made_by(CAHD(p=3, sensitive=["secret"]), original)  # type: ignore[arg-type]
    assert "secret" not in str(error.value)
    assert error.value.rare == ("'secret'",)


def instance(seed: int) -> tuple[list[frozenset[int]], list[frozenset[int]], int]:
    """Random records in band order, with one to three sensitive items; feasible by construction of p."""
    rng = np.random.default_rng(seed)
    n, kinds = int(rng.integers(4, 20)), int(rng.integers(1, 4))
    known = [frozenset(rng.integers(0, 6, 3).tolist()) for _ in range(n)]
    sensitive = [frozenset(rng.integers(0, kinds, rng.integers(1, 3)).tolist()) if rng.random() < 0.4 else frozenset() for _ in range(n)]
    most = max(Counter(s for record in sensitive for s in record).values(), default=1)
    return known, sensitive, n // most


def least_degree(sensitive: list[frozenset[int]], groups: list[int]) -> float:
    """min |G| / f_s by definition; what remains is one group."""
    members = Counter(groups)
    counts = Counter((group, s) for group, record in zip(groups, sensitive, strict=True) for s in record)
    return min((members[group] / n for (group, _), n in counts.items()), default=float("inf"))


def test_the_printed_test_releases_groups_below_p_and_the_corrected_never() -> None:
    printed = corrected = tried = 0
    for seed in range(400):
        known, sensitive, p = instance(seed)
        if p < 2:
            continue
        tried += 1
        owners = range(len(known))
        printed += least_degree(sensitive, Twin(known, sensitive, owners, p, literal=True).run(in_window(3))) < p
        corrected += least_degree(sensitive, Twin(known, sensitive, owners, p).run(in_window(3))) < p
    assert tried > 200
    assert printed > tried / 20
    assert corrected == 0


@pytest.mark.parametrize("search", ["band", "content"])
def test_the_method_keeps_p_on_the_same_instances(search: str) -> None:
    for seed in range(120):
        known, sensitive, p = instance(seed)
        if p < 2 or not any(sensitive):
            continue
        names = [[*(f"i{x}" for x in a), *(f"s{x}" for x in b)] for a, b in zip(known, sensitive, strict=True)]
        named = sorted({f"s{x}" for record in sensitive for x in record})
        original = as_typed(Bags.from_lists(names), as_sets=True)
        release = made_by(CAHD(p=p, sensitive=named, search=search), original)  # type: ignore[arg-type]
        verdict = release.claims[0].check(release, original)
        assert verdict.holds, verdict.witnesses
