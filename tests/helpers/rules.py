"""Plain twins of the searches for rules that give sensitive items away: every set of items, straight from the definition."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, combinations
from typing import Any

import numpy as np
from hypothesis import strategies as st

Sets = Sequence[frozenset[int]]
Rule = tuple[frozenset[int], int]


def subsets(items: Iterable[int], most: int | None = None) -> Iterator[frozenset[int]]:
    """All sets of up to `most` of these items, the empty one first."""
    listed = sorted(items)
    sizes = range(min(len(listed), len(listed) if most is None else most) + 1)
    return map(frozenset, chain.from_iterable(combinations(listed, size) for size in sizes))


def certainty(rows: Sets, owners: Sequence[int], known: frozenset[int], item: int) -> Fraction:
    """The share of those who hold what is known that hold the item too: of records or of people, whichever is larger."""
    cohort = [(owner, item in row) for row, owner in zip(rows, owners, strict=True) if row >= known]
    people = {owner for owner, _ in cohort}
    having = {owner for owner, has in cohort if has}
    return max(Fraction(sum(has for _, has in cohort), len(cohort)), Fraction(len(having), len(people)))


def every_rule(rows: Sets, owners: Sequence[int], sensitive: Collection[int], most: int | None = None) -> dict[Rule, Fraction]:
    """The certainty of each rule whose items some record holds."""
    rules = {(known, item) for row in set(rows) for item in row & set(sensitive) for known in subsets(row - {item}, most)}
    return {rule: certainty(rows, owners, *rule) for rule in rules}


def greatest(rules: dict[Rule, Fraction]) -> dict[int, Fraction]:
    """The greatest certainty of each sensitive item."""
    found: dict[int, Fraction] = {}
    for (_, item), share in rules.items():
        found[item] = max(share, found.get(item, Fraction(0)))
    return found


@st.composite
def sensitive_records(draw: Any, most_items: int = 8, most_records: int = 24) -> tuple[Sets, list[int], frozenset[int], int]:
    """Records, their owners, sensitive items and the number of items, of any density; in half of the cases records come several times."""
    n = draw(st.integers(1, most_items))
    density = draw(st.sampled_from([0.15, 0.4, 0.7, 0.95]))
    size = draw(st.integers(0, most_records))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kinds = [frozenset(np.flatnonzero(rng.random(n) < density).tolist()) for _ in range(size)]
    rows = [kinds[i] for i in rng.integers(0, max(1, size // 3), size)] if draw(st.booleans()) else kinds
    sensitive = frozenset(draw(st.sets(st.integers(0, n - 1), max_size=3)))
    owners = rng.integers(0, max(1, size // 2), size).tolist() if size and draw(st.booleans()) else list(range(size))
    return rows, owners, sensitive, n
