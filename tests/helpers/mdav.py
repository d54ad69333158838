"""MDAV-generic in plain Python, straight from its definition: over any distance and centroid, and over rows of numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

Row = Sequence[float]


def squared(a: Row, b: Row) -> float:
    total = 0.0
    for x, y in zip(a, b, strict=True):
        total += (x - y) * (x - y)
    return total


def centroid(rows: Sequence[Row]) -> list[float]:
    return [math.fsum(column) / len(rows) for column in zip(*rows, strict=True)]


def plain_mdav(rows: Sequence[Row], owners: Sequence[int], k: int) -> list[int]:
    """On rows of numbers."""
    return plain_generic_mdav(rows, owners, k, squared, centroid)


def plain_generic_mdav(
    rows: Sequence[Any], owners: Sequence[int], k: int, distance: Callable[[Any, Any], float], centre: Callable[[Sequence[Any]], Any]
) -> list[int]:
    """The group of each row; a group takes the nearest row of each of k owners, of equals the first."""
    live = list(range(len(rows)))
    groups: list[list[int]] = []

    def people() -> int:
        return len({owners[i] for i in live})

    def farthest(point: Any) -> int:
        return max(live, key=lambda i: (distance(rows[i], point), -i))

    def gather(seed: int) -> None:
        group = [seed]
        for i in sorted(live, key=lambda i: (distance(rows[i], rows[seed]), i)):
            if len(group) < k and owners[i] not in {owners[g] for g in group}:
                group.append(i)
        groups.append(group)
        live[:] = [i for i in live if i not in group]

    def middle() -> Any:
        return centre([rows[i] for i in live])

    while people() >= 3 * k:
        first = farthest(middle())
        gather(first)
        gather(farthest(rows[first]))
    if people() >= 2 * k:
        gather(farthest(middle()))
    if len(live) < 2 * k:
        groups.append(live)
    else:
        while people() >= k:
            gather(farthest(middle()))
        centres = [centre([rows[i] for i in group]) for group in groups]
        for i in live:
            groups[min(range(len(centres)), key=lambda g: (distance(rows[i], centres[g]), g))].append(i)
    return [next(g for g, group in enumerate(groups) if i in group) for i in range(len(rows))]
