"""Bags: canonical rows, selection, and the ways in and out."""

from __future__ import annotations

from shoal.data.bags import Bags


def test_selecting_no_record_gives_no_record() -> None:
    bags = Bags.from_lists([["a"], ["b", "b"]])
    assert len(bags.select([])) == 0
    assert bags.select([]).occurrences == 0
