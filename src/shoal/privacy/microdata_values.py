"""Whether a published value is what a class of rows may publish: their mean, median, most frequent value or lowest common ancestor.

Judged from the original's values as they were read, and by definition: exact fractions, sorting, counting, and chains of ancestors.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import polars as pl

from shoal.data.table import Attribute


def typed_values(attribute: Attribute, published: pl.Series) -> pl.Series | None:
    """The published column in the type of the attribute's values; None where a value is missing or no finite number."""
    found = published.cast(attribute.values.dtype, strict=False)
    if found.null_count() or (found.dtype.is_float() and not found.is_finite().all()):
        return None
    return found


def is_centroid(attribute: Attribute, told: Any, values: Sequence[Any]) -> bool:
    """Whether these values of a class may be published as the one that is told."""
    if attribute.kind == "numeric":
        return _is_mean(told, values)
    if attribute.kind == "ordinal":
        ranked = sorted(values, key=attribute.levels.index if attribute.levels else None)
        return bool(told == ranked[(len(ranked) - 1) // 2])
    if attribute.kind == "nominal":
        counts = Counter(values)
        return counts[told] == max(counts.values())
    return _is_lowest_ancestor(attribute, told, values)


def may_be_published(attribute: Attribute, values: pl.Series) -> bool:
    """Whether all values are ones that some class could publish, without knowing which rows form it."""
    if attribute.kind == "numeric":
        return True
    hierarchy = attribute.hierarchy
    known = attribute.values if hierarchy is None else hierarchy.names.names
    return bool(values.is_in(known.unique().implode()).all())


def _is_mean(told: float, values: Sequence[float]) -> bool:
    exact = sum(map(Fraction, values), Fraction()) / len(values)
    return abs(Fraction(told) - exact) <= Fraction(math.ulp(told))


def _is_lowest_ancestor(attribute: Attribute, told: str, values: Sequence[str]) -> bool:
    """What all values stand below, or are, is a chain from the root down; the lowest of it has as many above it, itself included."""
    assert attribute.hierarchy is not None
    names, parent = attribute.hierarchy.names, attribute.hierarchy.parent

    def upwards(name: str) -> set[int]:
        node, found = int(names.codes([name])[0]), set[int]()
        while node >= 0:
            found.add(node)
            node = int(parent[node])
        return found

    common = set.intersection(*(upwards(value) for value in set(values)))
    return upwards(told) == common
