"""Sets of items that are counted part by part: sums are the supports that brute force and the kernel of one machine find."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from shoal.data.bags import Bags, Vocabulary
from shoal.itemsets import itemset_counts as tallying
from shoal.itemsets.itemset_counts import Known, key_digits, tallied_sets
from shoal.itemsets.itemset_support import PUBLIC, Moles, Power, minimal_moles

N = 9


def records(seed: int, owners: int) -> Bags:
    random = np.random.default_rng(seed)
    lists = [random.choice(N, int(random.integers(0, 7)), False) for _ in range(60)]
    indptr = np.cumsum([0, *(len(held) for held in lists)])
    items = np.concatenate(lists)
    names = Vocabulary([f"i{n}" for n in range(N)])
    return Bags.from_rows(indptr, items, np.ones(len(items)), names, random.permutation(60) % owners)


def people_of(bags: Bags, size: int) -> Counter[tuple[int, ...]]:
    rows = [bags.items[a:b].tolist() for a, b in zip(bags.indptr, bags.indptr[1:], strict=False)]
    return Counter(
        known for _, known in {(who, known) for who, row in zip(bags.owners, rows, strict=True) for known in combinations(row, size)}
    )


def tallied(parts: list[Bags], known: Known, size: int) -> Counter[tuple[int, ...]]:
    total: Counter[tuple[int, ...]] = Counter()
    for part in parts:
        for keys, people in tallied_sets(part, known):
            total.update(dict(zip(map(tuple, key_digits(keys, N, size).tolist()), people.tolist(), strict=True)))
    return total


@pytest.mark.parametrize("owners", [60, 13])
@pytest.mark.parametrize("at_once", [1, 7, 1 << 20])
def test_counts_of_parts_add_up_to_supports(owners: int, at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tallying, "PAIRS_AT_ONCE", at_once)
    monkeypatch.setattr(tallying, "PAIRS_FOR_TRIPLES", at_once)
    bags = records(1, owners)
    parts = [bags.select(bags.owners % 2 == side) for side in (0, 1)]
    pairs = people_of(bags, 2)
    assert tallied(parts, Known(N), 2) == pairs
    enough = np.median(list(pairs.values()))
    kept = {pair for pair, n in pairs.items() if n >= enough}
    known = Known(N, np.array(sorted(a * N + b for a, b in kept), np.int64))
    closed = {known: n for known, n in people_of(bags, 3).items() if all(pair in kept for pair in combinations(known, 2))}
    assert closed
    assert tallied(parts, known, 3) == closed


def test_nothing_is_counted_where_nothing_is_known() -> None:
    bags = records(2, 60)
    assert not tallied([bags], Known(N, np.zeros(0, np.int64)), 3)
    assert not tallied([bags.select([])], Known(N), 2)


def test_moles_that_were_counted_elsewhere_are_as_the_kernel_tells_them() -> None:
    bags = records(3, 60)
    found = minimal_moles(bags, np.full(N, PUBLIC, np.uint8), Power(1.0, 7, 3))
    levels = [found.items[np.repeat(found.sizes == size, found.sizes)].reshape(-1, size) for size in (1, 2, 3)]
    assert len(levels[1])
    assert len(levels[2])
    made = Moles.of_levels(levels)
    assert made.sets() == found.sets()
