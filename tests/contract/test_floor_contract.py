"""What every method on a taxonomy owes under a floor, on random records: nothing above it is published, and nothing is lost unaccounted."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.data import forests, numbered, numbers_of, on_nodes, tree
from helpers.data import under_floor as lowered
from helpers.errors import refuses
from shoal.data.bags import Bags
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.taxonomy import Floor, Taxonomy
from shoal.errors import Infeasible
from shoal.methods import METHODS, Method
from shoal.metrics import METRICS
from shoal.metrics.losses import loss
from shoal.taxonomy.bound import loss_lower_bound

WAYS: list[tuple[str, dict[str, Any]]] = [
    ("shoal", {"k": 2}),
    ("clump", {"k": 2}),
    ("clump", {"k": 3, "distinct": True}),
    ("partition", {"k": 2}),
    ("partition", {"k": 2, "publish_as": "lcg"}),
    ("partition", {"k": 3, "publish_as": "bag"}),
    ("ssc", {"k": 2, "min_owners": 1}),
    ("ssc", {"k": 2, "typical": "generalize"}),
    ("ssc", {"k": 2, "typical": "members"}),
    ("coherence", {"k": 2, "p": 2, "generalize": True}),
    *((name, {"k": 2}) for name in ("km", "apriori", "direct", "optimal", "local", "vertical", "hghs")),
    ("km", {"k": 2, "m": 3, "aim": "words"}),
]
GROUPING = WAYS[:6]


def made(way: tuple[str, dict[str, Any]]) -> Method:
    return METHODS[way[0]](**way[1])


def under_floor(parent: tuple[int, ...], records: list[list[int]], level: int, method: Method, owners: list[int] | None = None) -> Original:
    plain = tree(parent)
    taxonomy = lowered(plain, level)
    bags = numbered(taxonomy, records, owners)
    return on_nodes(bags if "bags" in method.takes else bags.as_sets(), taxonomy)


@settings(deadline=None, max_examples=300)
@given(forests(nodes=12, records=(2, 9), items=(0, 5)), st.integers(1, 4), st.sampled_from(WAYS), st.booleans())
def test_nothing_above_the_floor_is_published(forest: Any, level: int, way: Any, shared: bool) -> None:
    parent, records = forest
    method = made(way)
    owners = [i // 2 for i in range(len(records))] if shared else None
    original = under_floor(parent, records, level, method, owners)
    try:
        release = method.apply(original)
    except Infeasible:
        return
    assert original.tree.publishable[release.published.items].all()
    for claim in release.claims:
        assert claim.check(release, original).holds, claim
    _accounts_add_up(release, original)


def _accounts_add_up(release: Release, original: Original) -> None:
    assert release.accounting is not None and release.secret is not None
    rows, ledger = release.secret.rows(), release.accounting
    assert ledger.records["published"] == (rows >= 0).sum() == release.n_records
    assert ledger.occurrences["in withheld records"] == original.bags.lengths[rows < 0].sum()
    if release.method != "ssc":  # where one term may stand for another, and a group's terms for several
        shown = int((release.published.lengths * release.copies).sum())
        assert ledger.occurrences.of_fate("kept", "changed") == shown


@settings(deadline=None, max_examples=150)
@given(forests(nodes=10, records=(2, 8), items=(1, 4)), st.integers(1, 4), st.sampled_from(GROUPING))
def test_the_loss_is_that_of_the_published_items_with_everything_else_suppressed(forest: Any, level: int, way: Any) -> None:
    parent, records = forest
    method = made(way)
    original = under_floor(parent, records, level, method)
    try:
        release = method.apply(original)
    except Infeasible:
        return
    assert loss(release, original) == pytest.approx(_loss_by_hand(original, release, tree(parent)))
    assert loss_lower_bound(original.bags, original.tree, method.values()["k"]).normalised <= loss(release, original) + 1e-12


def _loss_by_hand(original: Original, release: Release, plain: Taxonomy) -> float:
    """Each published item costs the node's loss without any floor, each that is not published costs one."""
    assert release.secret is not None
    lost, given_rows, shown = 0.0, numbers_of(original.bags), numbers_of(release.published)
    for row, items in zip(release.secret.rows(), given_rows, strict=True):
        published = shown[row] if row >= 0 else ()
        lost += sum(plain.loss[node] for node in published) + len(items) - len(published)
    return lost / original.bags.occurrences


@settings(deadline=None, max_examples=60)
@given(forests(nodes=8, records=(4, 4), items=(1, 3)), st.integers(2, 3))
def test_a_group_loses_the_least_that_any_common_generalization_below_the_floor_loses(forest: Any, level: int) -> None:
    """Four records and k = 4 make one group, so the best release is found by trying all records of publishable nodes."""
    parent, records = forest
    method = METHODS["shoal"](k=4)
    original = under_floor(parent, records, level, method)
    allowed = np.flatnonzero(original.tree.publishable)
    longest = min(map(len, records))
    best = float(sum(map(len, records)))
    for length in range(1, longest + 1):
        for nodes in product(allowed.tolist(), repeat=length):
            if list(nodes) == sorted(nodes) and all(_generalizes(nodes, record, original.tree) for record in records):
                best = min(best, sum(len(r) - length + sum(tree(parent).loss[n] for n in nodes) for r in records))
    try:
        found = loss(method.apply(original), original) * original.bags.occurrences
    except Infeasible:  # nothing is left to publish
        found = float(original.bags.occurrences)
    assert found == pytest.approx(best)


def _generalizes(nodes: tuple[int, ...], record: list[int], taxonomy: Taxonomy) -> bool:
    """By counts in subtrees, as the thesis defines it and docs/lattice.md proves."""
    for node in range(len(taxonomy)):
        end = taxonomy.end[node]
        if sum(node <= n < end for n in nodes) > sum(node <= n < end for n in record):
            return False
    return True


def test_records_that_share_nothing_below_the_floor_are_withheld_and_counted() -> None:
    plain = tree([-1, 0, 1, 1, 0, 4, 4])
    taxonomy = plain.barring(Floor().bars(plain))
    bags: Bags = numbered(taxonomy, [[2, 2], [3, 2], [5], [2], [6], [3]])
    release = METHODS["clump"](k=3, ties="given").apply(on_nodes(bags, taxonomy))
    assert release.accounting is not None
    parts = release.accounting.records.as_dict()
    assert parts["in"] == 6
    assert parts["published"] + parts["withheld: nothing in common"] == 6
    assert release.accounting.occurrences["in withheld records"] > 0
    assert METRICS["suppressed"].measure(release, on_nodes(bags, taxonomy)) > 0
    assert Counter(release.copies.tolist()) == {3: 1}


def test_where_nothing_is_left_the_run_is_refused() -> None:
    plain = tree([-1, 0, 0])
    taxonomy = plain.barring(Floor().bars(plain))
    with refuses("nothing-to-publish"):
        METHODS["shoal"](k=2).apply(on_nodes(numbered(taxonomy, [[1], [2]]), taxonomy))
