"""The judge's kernels against plain counting, on random records of many people: sets that may be known, and rules about hidden items."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import csgraph

from helpers.itemsets import bags_of
from shoal import _kernels, kernels


@dataclass
class Records:
    """Sets of items with their owners, by rising owner; open items may be known, hidden ones must not be inferred."""

    rows: list[frozenset[int]]
    owners: list[int]
    open: list[int]
    hidden: list[int]

    @property
    def repeat(self) -> bool:
        return len(set(self.owners)) < len(self.owners)

    def with_all(self, items: Sequence[int]) -> list[int]:
        return [n for n, row in enumerate(self.rows) if row.issuperset(items)]

    def people(self, records: Sequence[int]) -> int:
        return len({self.owners[n] for n in records})

    def counts(self, known: Sequence[int], hidden: int) -> Iterator[tuple[int, int]]:
        """Holders and cohort of a rule, among records, and among people where somebody has several."""
        cohort = self.with_all(known)
        holders = [n for n in cohort if hidden in self.rows[n]]
        yield len(holders), len(cohort)
        if self.repeat:
            yield self.people(holders), self.people(cohort)

    def arguments(self) -> tuple[Any, ...]:
        """The same as a kernel takes them."""
        items = max([*self.open, *self.hidden]) + 1
        masks = (np.isin(np.arange(items), part).astype(np.uint8) for part in (self.open, self.hidden))
        owners = np.array(self.owners if self.repeat else [], np.int64)
        return bags_of(self.rows, items).view, np.arange(len(self.rows), dtype=np.int64), owners, *masks


def drawn(rng: random.Random, items: int, hidden: int, share: float, people: int, several: bool, rare: float) -> Records:
    """Records of open items with this share, and of hidden items with another."""
    owners = sorted(rng.randrange(people * 2 // 3) for _ in range(people)) if several else list(range(people))
    skewed = [share * rng.choice([0.02, 0.4, 1, 1, 1.05]) for _ in range(items)]
    rows = []
    for _ in owners:
        chosen = {i for i in range(items) if rng.random() < skewed[i]}
        chosen |= {items + i for i in range(hidden) if rng.random() < rare}
        rows.append(frozenset(chosen))
    both = [0] if hidden and rng.random() < 0.3 else []  # an item may be both
    return Records(rows, owners, list(range(items)), [*both, *range(items, items + hidden)])


def unsafe_sets(data: Records, size: int, k: int, h: Fraction) -> tuple[list[tuple[Any, ...]], list[int], Fraction]:
    """All unsafe sets with what makes them so, the people of every set, and the greatest share of a hidden item."""
    unsafe, people, greatest = [], [], Fraction(0)
    for known in combinations(data.open, size):
        cohort = data.with_all(known)
        if not cohort:
            continue
        people.append(data.people(cohort))
        if people[-1] < k:
            unsafe.append((known, people[-1], -1, 0, 1))
            continue
        worst, item, counted = Fraction(0), -1, (0, 1)
        for hidden in data.hidden:
            for holders, of in data.counts(known, hidden):
                if Fraction(holders, of) > worst:
                    worst, item, counted = Fraction(holders, of), hidden, (holders, of)
        greatest = max(greatest, worst)
        if worst > h:
            unsafe.append((known, people[-1], item, *counted))
    return unsafe, people, greatest


# items, hidden items, share of open ones, people, share of hidden ones: sparse and dense records, with many and with few hidden items
SHAPES = [
    (7, 2, 0.3, 20, 0.3),
    (6, 0, 0.8, 64, 0),
    (6, 0, 0.9, 130, 0),
    (6, 3, 0.9, 70, 0.5),
    (6, 60, 0.9, 130, 0.01),
    (5, 9, 0.7, 200, 0.01),
]


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_known_sets_of_many_people(shape: tuple[int, int, float, int, float], several: bool) -> None:
    items, hidden, share, people, rare = shape
    rng = random.Random(f"{shape}{several}")
    for size in (0, 1, 2, 3, 4) * 3:
        data = drawn(rng, items, hidden, share, people, several, rare)
        k, h = rng.choice([1, 2, people // 3, people // 2]), Fraction(rng.randrange(0, 9), 10)
        unsafe, numbers, greatest = unsafe_sets(data, size, k, h)
        most = rng.choice([10_000, 3])
        question = _kernels.SetQuestion(size=size, k=k, h_numerator=h.numerator, h_denominator=h.denominator, most_examples=most)
        found = kernels.run(_kernels.known_sets, *data.arguments(), question, rng.choice([1, 2]))
        assert found["counted"] == len(numbers)
        assert found["fewest"] == min(numbers, default=-1)
        assert (found["few"], found["telling"]) == (sum(s[2] < 0 for s in unsafe), sum(s[2] >= 0 for s in unsafe))
        assert Fraction(found["holders"], found["cohort"]) == greatest
        examples = [(tuple(example[0].tolist()), *example[1:]) for example in found["examples"]]
        assert len(examples) == len(set(examples)) == min(len(unsafe), most)
        assert set(examples) <= set(unsafe)


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("shape", [(6, 3, 0.5, 12, 0.4), (7, 2, 0.3, 20, 0.3), (6, 2, 0.85, 60, 0.1), (4, 2, 0.9, 200, 0.02)])
def test_rules_of_many_people(shape: tuple[int, int, float, int, float], several: bool) -> None:
    items, hidden, share, people, rare = shape
    rng = random.Random(f"rules {shape}{several}")
    for most in [-1, 0, 1, 2, 3, -1, 2] * (1 + 100 // people):
        data = drawn(rng, items, hidden, share, people, several, rare)
        found = kernels.run(_kernels.greatest_certainty, *data.arguments(), most, rng.choice([1, 2]))
        occurring = [item for item in data.hidden if any(item in row for row in data.rows)]
        assert [rule[1] for rule in found["rules"]] == occurring
        for rule, item, holders, cohort in found["rules"]:
            known = rule.tolist()
            assert known == sorted(set(known)), "in the order of items"
            assert item not in known
            assert most < 0 or len(known) <= most
            assert (holders, cohort) in data.counts(known, item), "the rule has the numbers that it is reported with"
            assert Fraction(holders, cohort) == greatest_certainty(data, item, most)


def greatest_certainty(data: Records, hidden: int, most: int) -> Fraction:
    """The greatest certainty of a hidden item over all sets of open items that occur together with it."""
    others = [item for item in data.open if item != hidden]
    sizes = range((len(others) if most < 0 else most) + 1)
    counts = (pair for size in sizes for known in combinations(others, size) for pair in data.counts(known, hidden))
    return max(Fraction(holders, cohort) for holders, cohort in counts if cohort)


def test_a_set_of_one_record_among_frequent_items() -> None:
    rows = [frozenset({0, 1, 2})] * 99 + [frozenset({0, 1, 2, 3})] + [frozenset({3})] * 109
    data = Records(rows, list(range(len(rows))), [0, 1, 2, 3], [])
    for size, counted in ((2, 6), (3, 4), (4, 1)):
        question = _kernels.SetQuestion(size=size, k=2, h_numerator=1, h_denominator=1, most_examples=9)
        found = kernels.run(_kernels.known_sets, *data.arguments(), question, 1)
        assert (found["counted"], found["fewest"]) == (counted, 1)
        assert {tuple(example[0].tolist()) for example in found["examples"]} == {s for s in combinations(range(4), size) if 3 in s}


@pytest.mark.parametrize("seed", range(60))
def test_the_largest_matching(seed: int) -> None:
    """Classes that want several records each, against a matching of single ones."""
    rng = random.Random(seed)
    classes, records = (rng.randint(2, 6), rng.randint(2, 8)) if seed % 3 else (rng.randint(1, 25), rng.randint(1, 40))
    pairs = sorted({(rng.randrange(classes), rng.randrange(records)) for _ in range(rng.randint(0, 4 * classes))})
    wanted = [rng.randint(0, 3) for _ in range(classes)]
    place = [(c, copy) for c in range(classes) for copy in range(wanted[c])]
    table = np.array([[(c, r) in set(pairs) for r in range(records)] for c, _ in place], np.int8).reshape(len(place), records)
    expected = int((csgraph.maximum_bipartite_matching(sparse.csr_array(table)) >= 0).sum()) if place else 0
    rng.shuffle(pairs)
    of, record = (np.array([pair[i] for pair in pairs], np.int64) for i in (0, 1))
    found = kernels.run(_kernels.largest_matching, of, record, np.array(wanted, np.int64), records)
    assert found == expected


def test_rare_items_among_many_records() -> None:
    """A few records are looked up in long lists instead of going through these."""
    rows = [frozenset({0, 1, 9}) if n in {3, 70, 399} else frozenset({0}) if n % 2 else frozenset({1}) for n in range(400)]
    rows[200] = frozenset({1, 9})
    data = Records(rows, list(range(400)), [0, 1], [9])
    [(known, item, holders, cohort)] = kernels.run(_kernels.greatest_certainty, *data.arguments(), -1, 1)["rules"]
    assert (known.tolist(), item, holders, cohort) == ([0, 1], 9, 3, 3)
