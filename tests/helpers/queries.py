"""Small query logs with times and clicks, and plain twins of what people are compared and aggregated by."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import numpy as np
import polars as pl

from shoal.data.log import Log

START = datetime(2006, 3, 1)
SCHEMA = {"owner": pl.Int64, "time": pl.Datetime("us"), "payload": pl.String, "rank": pl.Int64, "url": pl.String}
APART = 1 << 14

Row = tuple[int, int, str, int | None, str | None]


def clicked_log(rows: list[Row]) -> Log:
    """Rows of owner, minute, query, rank and URL."""
    columns = [
        [START + timedelta(minutes=value) if i == 1 else value for value in column] for i, column in enumerate(zip(*rows, strict=True))
    ]
    return Log(pl.DataFrame(dict(zip(SCHEMA, columns, strict=True)), schema=SCHEMA))


def random_log(seed: int, people: int = 40, rows: int = 400) -> Log:
    """People of a few interests, who ask words of these, with and without clicks."""
    rng = np.random.default_rng(seed)
    made: list[Row] = []
    for _ in range(rows):
        owner = int(rng.integers(people))
        words = [f"w{owner % 4}{int(w)}" for w in rng.zipf(1.6, int(rng.integers(1, 3))) % 6]
        rank = int(rng.integers(1, 11)) if rng.random() < 0.5 else None
        made.append((owner, int(rng.integers(5000)), " ".join(words), rank, f"http://site{rng.integers(4)}.org/p" if rank else None))
    return clicked_log(made)


def sets_apart(left: list[Any], right: list[Any], distance: Any) -> int:
    """The mean distance to the nearest of the other set, averaged over both directions, in whole numbers as the kernel has it."""
    if not left or not right:
        return 0 if not left and not right else APART
    there = sum(min(distance(a, b) for b in right) for a in left) // len(left)
    back = sum(min(distance(a, b) for a in left) for b in right) // len(right)
    return (there + back) // 2


def edit_distance(a: str, b: str) -> int:
    """Levenshtein's, from the recurrence."""
    table = {(i, 0): i for i in range(len(a) + 1)} | {(0, j): j for j in range(len(b) + 1)}
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + (a[i - 1] != b[j - 1]))
    return table[len(a), len(b)]
