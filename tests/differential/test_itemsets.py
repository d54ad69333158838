"""Supports and closed patterns of random records against mlxtend and efficient-apriori."""

from __future__ import annotations

import random

import numpy as np
import pytest

from shoal.data.bags import Bags
from shoal.itemsets.itemset_support import PUBLIC, supports
from shoal.metrics.patterns import closed_patterns

ITEMS = "abcdefg"
Supported = dict[frozenset[str], int]


def records_of(number: int) -> list[list[str]]:
    rng = random.Random(f"records {number}")
    return [[item for item in ITEMS if rng.random() < 0.4] or ["a"] for _ in range(rng.randint(4, 40))]


def counted(bags: Bags, itemsets: Supported) -> Supported:
    """The support of these sets by our kernels."""
    parts = np.full(len(bags.vocabulary), PUBLIC, np.uint8)
    codes = [tuple(sorted(bags.vocabulary.codes(sorted(items)).tolist())) for items in itemsets]
    return dict(zip(itemsets, supports(bags, parts, codes).people.tolist(), strict=True))


@pytest.mark.parametrize("number", range(20))
def test_supports_as_mlxtend_counts(number: int) -> None:
    patterns = pytest.importorskip("mlxtend.frequent_patterns", reason="mlxtend is not installed (scripts/differential.sh)")
    import pandas as pd

    records = records_of(number)
    table = pd.DataFrame([[item in record for item in ITEMS] for record in records], columns=list(ITEMS))
    theirs = patterns.fpgrowth(table, min_support=1 / len(records), use_colnames=True)
    found = {frozenset(items): round(share * len(records)) for items, share in zip(theirs["itemsets"], theirs["support"], strict=True)}
    bags = Bags.from_lists(records)
    assert counted(bags, found) == found
    closed = {
        items: n for items, n in found.items() if not any(items < others and n == more for others, more in found.items())
    }  # no larger set has the same support
    ours = closed_patterns(bags, 10_000)
    assert {frozenset(ours.bags.record(i)): int(ours.support[i]) for i in range(len(ours))} == closed


@pytest.mark.parametrize("number", range(20))
def test_supports_as_efficient_apriori_counts(number: int) -> None:
    other = pytest.importorskip("efficient_apriori", reason="efficient-apriori is not installed (scripts/differential.sh)")
    records = records_of(number)
    levels, _ = other.apriori([tuple(record) for record in records], min_support=1 / len(records), min_confidence=1)
    found = {frozenset(items): n for sets in levels.values() for items, n in sets.items()}
    assert counted(Bags.from_lists(records), found) == found
