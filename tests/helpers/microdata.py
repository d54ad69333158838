"""Small tables of microdata, and plain recounts of what a released one promises."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from shoal.data.bags import Ints
from shoal.data.original import TableOriginal
from shoal.data.table import Floats, Table


def people_csv(rows: int = 30, seed: int = 4) -> str:
    """Who, age, income and town: every third row belongs to the person of the row before, and is much like it."""
    rng = random.Random(seed)
    lines = []
    for n in range(rows):
        if n % 3 < 2:
            age, income = rng.randint(18, 80), rng.uniform(0, 9e4)
        lines.append(f"p{n - (n % 3 == 2)},{age},{income + n % 3:.2f},town{rng.randint(1, 3)}")
    return "who,age,income,town\n" + "\n".join(lines) + "\n"


def numbers_csv(rows: int = 30, columns: int = 3, seed: int = 5) -> str:
    """Columns of numbers only, each row a person's."""
    rng = random.Random(seed)
    names = ",".join(f"c{j}" for j in range(columns))
    return names + "\n" + "\n".join(",".join(str(rng.randint(-50, 50)) for _ in range(columns)) for _ in range(rows)) + "\n"


def random_table(rows: int, columns: int, people: int, seed: int) -> TableOriginal:
    """Rows of small numbers, many of them equal, of so many people at most."""
    rng = np.random.default_rng(seed)
    values = rng.integers(-4, 5, (rows, columns)) * rng.choice([0.1, 1.0, 1e9], columns)
    owners = rng.permutation(rows) if people >= rows else rng.integers(0, people, rows)
    return TableOriginal(Table.from_numbers(values, owners=owners))


def exact_means(values: Floats, group: Ints) -> dict[int, list[Fraction]]:
    """The mean of each group, without rounding."""
    members: dict[int, list[Sequence[float]]] = defaultdict(list)
    for row, g in zip(values.tolist(), group.tolist(), strict=True):
        members[g].append(row)
    return {g: [sum(map(Fraction, column), Fraction()) / len(rows) for column in zip(*rows, strict=True)] for g, rows in members.items()}


def plain_loss(before: Floats, after: Floats) -> float:
    """SSE / SST on standardised values, by its definition; rows in the same order."""
    sse = sst = 0.0
    for was, now in zip(before.T, after.T, strict=True):
        mean, deviation = was.mean(), was.std()
        if deviation > 0:
            sse += float((((was - mean) / deviation - (now - mean) / deviation) ** 2).sum())
            sst += float((((was - mean) / deviation) ** 2).sum())
    return sse / sst if sst else 0.0
