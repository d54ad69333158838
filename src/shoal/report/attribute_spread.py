"""Mean and spread of the quasi-identifiers of microdata, before and after."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from shoal.data.table import Floats, Table
from shoal.data.tables.rows import RowTable


@dataclass(frozen=True)
class Spread:
    """A column's mean and standard deviation as published, and in the original; the latter is None if few people would be told about."""

    name: str
    mean: float
    deviation: float
    mean_before: float
    deviation_before: float | None


def spreads_of(published: RowTable, original: Table, fewest: int) -> tuple[Spread, ...]:
    """Of every numeric quasi-identifier. Mean and deviation of two people tell their values, so there must be `fewest` of them."""
    found = []
    for attribute in original.quasi:
        if attribute.kind != "numeric":
            continue
        mean, deviation = _mean_and_deviation(published.frame[attribute.name].to_numpy())
        mean_before, deviation_before = _mean_and_deviation(attribute.codes)
        told = deviation_before if original.n_owners >= fewest else None
        found.append(Spread(attribute.name, mean, deviation, mean_before, told))
    return tuple(found)


def _mean_and_deviation(values: Floats) -> tuple[float, float]:
    """Rounded once each, so that the order of rows does not matter; a power of two keeps squares finite."""
    exponent = int(np.frexp(np.abs(values).max(initial=0.0))[1])
    scaled = np.ldexp(values, -exponent)
    mean = math.fsum(scaled) / max(1, len(scaled))
    deviation = math.sqrt(math.fsum((scaled - mean) ** 2) / max(1, len(scaled)))
    return math.ldexp(mean, exponent), math.ldexp(deviation, exponent)
