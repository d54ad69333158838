"""Attributes of several kinds in plain Python: distances and centroids by definition, and small random tables of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl

from shoal.data.bags import Vocabulary
from shoal.data.table import Attribute, Hierarchy, Table
from shoal.microaggregation.attributes import standardised

LEVELS = ("none", "low", "middle", "high")
JOBS = ("baker", "clerk", "driver", "smith")
ABOVE = {"World": None, "North": "World", "Kiel": "North", "South": "World", "Bavaria": "South", "Munich": "Bavaria", "Ulm": "South"}
PLACES = Hierarchy(Vocabulary(list(ABOVE)), np.array([-1, 0, 1, 0, 3, 4, 3], np.int32))

Distance = Callable[[Any, Any], float]
Centroid = Callable[[Sequence[Any]], Any]


def upwards(place: str | None) -> list[str]:
    return [] if place is None else [place, *upwards(ABOVE[place])]


def wu_palmer(a: str, b: str) -> float:
    shared = [place for place in upwards(a) if place in upwards(b)]
    return 1 - 2 * len(shared) / (len(upwards(a)) + len(upwards(b)))


def lowest_ancestor(places: Sequence[str]) -> str:
    return next(place for place in upwards(places[0]) if all(place in upwards(other) for other in places))


def lower_median(values: Sequence[float]) -> float:
    return sorted(values)[(len(values) - 1) // 2]


def plurality(everywhere: Sequence[str]) -> Centroid:
    """The most frequent; of equals the more frequent one in the whole table, then the first in the order of texts."""
    overall = Counter(everywhere)

    def centroid(values: Sequence[str]) -> str:
        counts = Counter(values)
        return min(counts, key=lambda value: (-counts[value], -overall[value], value))

    return centroid


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def random_rows(rng: np.random.Generator, n: int) -> list[tuple[float, str, str, str]]:
    """Age, education, job, place."""
    drawn = zip(rng.integers(20, 60, n).tolist(), *(rng.choice(some, n).tolist() for some in (LEVELS, JOBS, list(ABOVE))), strict=True)
    return [(float(age), level, job, place) for age, level, job, place in drawn]


def mixed_table(rows: Sequence[tuple[float, str, str, str]], owners: Sequence[int] | None = None) -> Table:
    age, level, job, place = (list(column) for column in zip(*rows, strict=True))
    attributes = (
        Attribute("age", "numeric", pl.Series(age)),
        Attribute("education", "ordinal", pl.Series(level), levels=LEVELS),
        Attribute("job", "nominal", pl.Series(job)),
        Attribute("place", "hierarchical", pl.Series(place), hierarchy=PLACES),
    )
    return Table(attributes, np.arange(len(rows)) if owners is None else np.array(owners, np.int64))


def plain_space(rows: Sequence[tuple[float, str, str, str]]) -> tuple[list[tuple[Any, ...]], Distance, Centroid]:
    """The rows with standardised ages and ranks of levels, their squared distance, and their centroid."""
    ages = standardised(np.array([[row[0]] for row in rows]))[:, 0].tolist()
    points = [(age, LEVELS.index(row[1]), row[2], row[3]) for age, row in zip(ages, rows, strict=True)]
    centroids: list[Centroid] = [mean, lower_median, plurality([row[2] for row in rows]), lowest_ancestor]
    apart: list[Distance] = [lambda a, b: a - b, lambda a, b: a - b, lambda a, b: float(a != b), wu_palmer]

    def squared(j: int, a: Any, b: Any) -> float:
        found = apart[j](a, b)
        return found * found

    def centroid(some: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
        return tuple(centroids[j]([point[j] for point in some]) for j in range(4))

    middle = centroid(points)
    units = [math.fsum(squared(j, point[j], middle[j]) for point in points) / len(points) for j in range(4)]

    def distance(a: tuple[Any, ...], b: tuple[Any, ...]) -> float:
        total = 0.0
        for j in range(4):
            total += squared(j, a[j], b[j]) / units[j] if units[j] else 0.0
        return total

    return points, distance, centroid
