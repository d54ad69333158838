"""Metrics of records that were taken apart, worked by hand."""

from __future__ import annotations

import pytest

from helpers.chunks import chunk_release
from helpers.data import on, on_nodes
from shoal.data.taxonomy import Taxonomy
from shoal.metrics import measure

RECORDS = ["abc", "ab", "ac", "t"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("in_chunks", 7 / 8),  # all but t
        ("together", 4 / 8),  # a and b, twice
        ("pairs_together", 2 / 5),  # of ab, ac, bc; ab; ac
        ("pair_recall", 1 / 3),  # ab of ab, ac and bc
        ("pair_error", (0 + 2 * 0.5 / 3.5 + 0) / 3),  # ac is expected in 3 * 2 / 4 records and is in two, bc in 2 * 2 / 4 and is in one
    ],
)
def test_four_records(name: str, value: float) -> None:
    taxonomy = Taxonomy.from_parents({"all": None, **dict.fromkeys("abct", "all")})
    release = chunk_release((4, [["ab", "ab", "a"], ["c", "c"]], "t"))
    assert measure(release, on_nodes(on(taxonomy, RECORDS), taxonomy), [name])[name] == pytest.approx(value)
