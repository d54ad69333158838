"""Outliers: the share is kept to, nothing is lost by them, and every group still holds k people, on random small records."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from helpers.data import forests, numbered, numbers_of, on_nodes, tree, under_floor
from shoal.data.original import Original
from shoal.errors import Infeasible
from shoal.methods import METHODS
from shoal.metrics.losses import ggd

WAYS: list[tuple[str, dict[str, Any]]] = [("shoal", {}), ("clump", {}), ("partition", {"publish_as": "lcg"}), ("partition", {})]


def original_of(forest: Any, owners: list[int] | None, level: int) -> Original:
    parent, records = forest
    plain = tree(parent)
    taxonomy = under_floor(plain, level)
    return on_nodes(numbered(taxonomy, records, owners), taxonomy)


@settings(deadline=None, max_examples=150)
@given(
    forests(nodes=10, records=(4, 12), items=(0, 4)),
    st.sampled_from(WAYS),
    st.sampled_from([0.1, 0.25, 0.4, 1.0]),
    st.integers(1, 3),
    st.booleans(),
)
def test_the_share_is_kept_to_and_nothing_is_lost(forest: Any, way: Any, share: float, level: int, repeat: bool) -> None:
    name, more = way
    owners = [i // 2 for i in range(len(forest[1]))] if repeat else None
    original = original_of(forest, owners, level)
    try:
        plain = METHODS[name](k=2, **more).apply(original)
    except Infeasible:
        assume(False)
    release = METHODS[name](k=2, outliers=share, **more).apply(original)
    assert ggd(release, original) <= ggd(plain, original)
    assert release.accounting is not None and release.secret is not None
    present = original.bags.select(original.bags.lengths > 0)
    withheld = release.accounting.records["withheld: outliers"]
    assert withheld <= int(share * len(present))
    rows = release.secret.rows()
    assert (rows < 0).sum() == sum(n for part, n in release.accounting.records.as_dict().items() if part.startswith("withheld"))
    for row in np.unique(rows[rows >= 0]):
        assert len(np.unique(original.bags.owners[rows == row])) >= 2
    assert all(claim.check(release, original).holds for claim in release.claims)


def test_a_record_that_spoils_its_group_is_withheld() -> None:
    """Six equal records and one that shares the root alone: without it nothing is lost but itself. Found by trying every choice."""
    taxonomy = tree([-1, 0, 1, 1, 0, 4, 4])
    records = [[2, 3]] * 6 + [[5, 6]]
    original = on_nodes(numbered(taxonomy, records), taxonomy)
    best = min(
        ggd(METHODS["clump"](k=3).apply(on_nodes(numbered(taxonomy, records[:i] + records[i + 1 :]), taxonomy)),
            on_nodes(numbered(taxonomy, records[:i] + records[i + 1 :]), taxonomy)) + len(records[i])
        for i in range(7)
    )  # fmt: skip
    release = METHODS["clump"](k=3, outliers=0.2).apply(original)
    assert ggd(release, original) == pytest.approx(best) == 2
    assert release.accounting is not None
    assert release.accounting.records.as_dict() == {"in": 7, "published": 6, "withheld: outliers": 1}
    assert release.notes == ("1 record of 1 person withheld as outliers",)
    assert (5, 6) not in numbers_of(release.published)


def test_people_are_counted_too() -> None:
    """One person owns half of the records, so a share of 0.3 lets six records go, but no person's."""
    taxonomy = tree([-1, 0, 1, 1, 0, 4, 4])
    records = [[2, 3]] * 10 + [[5, 6]] * 10
    original = on_nodes(numbered(taxonomy, records, [0, 1, 2, 0, 1, 2, 0, 1, 2, 0] + [0] * 10), taxonomy)
    release = METHODS["clump"](k=3, outliers=0.3).apply(original)
    assert release.accounting is not None
    assert release.accounting.records["withheld: outliers"] == 0
