"""Sums of squares of groupings in plain Python, and the best grouping by trying all."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from helpers.mdav import Row, centroid, squared


def plain_sse(rows: Sequence[Row], groups: Sequence[int]) -> float:
    members = {g: [row for row, other in zip(rows, groups, strict=True) if other == g] for g in set(groups)}
    return math.fsum(squared(row, centroid(some)) for some in members.values() for row in some)


def all_groupings(n: int, k: int) -> Iterator[list[int]]:
    """Every way to part n rows into groups of k or more."""

    def continued(start: list[int], groups: int) -> Iterator[list[int]]:
        if len(start) == n:
            if all(start.count(g) >= k for g in range(groups)):
                yield start
            return
        for g in range(groups + 1):
            yield from continued([*start, g], max(groups, g + 1))

    return continued([], 0)


def enough_owners(owners: Sequence[int], groups: Sequence[int], k: int) -> bool:
    return all(len({o for o, g in zip(owners, groups, strict=True) if g == group}) >= k for group in set(groups))


def one_change_away(groups: Sequence[int]) -> Iterator[list[int]]:
    """Every grouping that moving one row into another group, or swapping two rows, makes of this one."""
    for i, home in enumerate(groups):
        for g in set(groups) - {home}:
            yield [g if r == i else other for r, other in enumerate(groups)]
        for j in range(i):
            if groups[j] != home:
                yield [home if r == j else groups[j] if r == i else other for r, other in enumerate(groups)]
