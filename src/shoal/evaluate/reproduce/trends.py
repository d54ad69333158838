"""Trends in a column of numbers: whether it rises, whether it lies below another, and sentences about it.

A measured line is never smooth. It counts as rising if its last value is above its first and at least 80% of all pairs of its values are
in increasing order, where values within 2% of the maximum count as equal; falling likewise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

from shoal.evaluate.reproduce.experiment_page import Row

SLACK, ORDERLY = 0.02, 0.8


def values(rows: Iterable[Row], column: str, **conditions: Any) -> list[float]:
    """Return the numbers of a column, of the rows in which other columns have these values."""
    return [row[column] for row in rows if all(row[name] == value for name, value in conditions.items())]


def rises(line: Sequence[float]) -> bool:
    """Whether the line goes up."""
    slack = SLACK * max(map(abs, line), default=0.0)
    pairs = [after >= before - slack for before, after in combinations(line, 2)]
    return len(line) > 1 and line[-1] > line[0] and sum(pairs) >= ORDERLY * len(pairs)


def falls(line: Sequence[float]) -> bool:
    """Whether the line goes down."""
    return rises([-value for value in line])


def cells_below(lower: Sequence[float], upper: Sequence[float]) -> int:
    """Count the positions at which one line is below the other."""
    return sum(a < b for a, b in zip(lower, upper, strict=True))


def of_all(n: int, total: int, what: str = "settings") -> str:
    """Return e.g. `in 10 of 12 settings`, or `in all 12 settings`."""
    return f"in all {total} {what}" if n == total else f"in {n} of {total} {what}"


def span(line: Sequence[float], digits: int = 2) -> str:
    """Return e.g. `0.61 to 0.82`."""
    return f"{min(line):.{digits}f} to {max(line):.{digits}f}"


def path(line: Sequence[float], digits: int = 2) -> str:
    """Return all numbers in order."""
    return ", ".join(f"{value:.{digits}f}" for value in line)
