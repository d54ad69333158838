"""The information loss of microaggregation: SSE / SST on standardised values, the literature's L over 100.

On standardised values every column that is not constant has the same SST, so the loss is the mean of SSE / SST over these columns.
"""

from __future__ import annotations

import math

import numpy as np

from shoal.data.original_rows import TableOriginal
from shoal.data.release import Release
from shoal.data.table import Floats
from shoal.data.tables.rows import RowTable
from shoal.errors import ParameterError
from shoal.metrics import Metric

ROUNDING = 1e-9  # how far sums of squares may be apart that are equal but for rounding


def information_loss(release: Release, original: TableOriginal) -> float:
    """SSE is summed row by row where it is known which became which; else it is SST less the dispersion of the published values.

    The second holds of means of groups, which keep the mean of every column; other values are refused.
    """
    table = release.only(RowTable.kind)
    assert isinstance(table, RowTable)
    shares = [
        _lost(before, _published(table, attribute.name, len(before)), release)
        for attribute, before in zip(original.table.quasi, original.table.numbers.T, strict=True)
        if not attribute.constant
    ]
    return min(1.0, math.fsum(shares) / len(shares)) if shares else 0.0


def _published(table: RowTable, name: str, rows: int) -> Floats:
    if not table.holds_numbers([name]) or table.n_rows != rows:
        raise ParameterError(f"the release does not hold all rows of the original with numbers in its column {name!r}")
    return table.frame[name].to_numpy()


def _lost(before: Floats, after: Floats, release: Release) -> float:
    """SSE / SST of one column."""
    # A power of two takes no digit away and keeps squares of very large and very small numbers finite.
    exponent = -int(np.frexp(np.abs(before).max())[1])
    was, now = np.ldexp(before, exponent), np.ldexp(after, exponent)
    mean = math.fsum(was) / len(was)
    total = math.fsum((was - mean) ** 2)
    if release.secret is not None:
        return math.fsum((was - now[release.secret.rows()]) ** 2) / total
    between = math.fsum((now - mean) ** 2)
    if abs(math.fsum(now) / len(now) - mean) > ROUNDING or between > total * (1 + ROUNDING):
        raise ParameterError("the published values are not means of groups of the original's rows")
    return max(0.0, total - between) / total


INFORMATION_LOSS = Metric(
    "information_loss",
    "SSE / SST: the share of the dispersion of standardised values that is lost within groups",
    "lower",
    information_loss,
    highest=1.0,
    kinds=frozenset({"rows"}),
    takes=frozenset({"table"}),
)
