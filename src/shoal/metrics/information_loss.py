"""The information loss of microaggregation: SSE / SST on standardised values, the literature's L over 100.

On standardised values every column that is not constant has the same SST, so the loss is the mean of SSE / SST over these columns. That
mean is the loss where attributes are of several kinds too, each with its own distance and centroid. SST is computed directly, as distances
to the centroid of all: it is the sum of SSE and SSA for means of numbers, and for no other kind.
"""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from shoal.data.original import TableOriginal
from shoal.data.release import Release
from shoal.data.table import Attribute, Floats
from shoal.data.tables.rows import RowTable
from shoal.errors import ParameterError
from shoal.metrics import Metric
from shoal.microaggregation.attributes import attribute_space

ROUNDING = 1e-9  # how far sums of squares may be apart that are equal but for rounding


def information_loss(release: Release, original: TableOriginal) -> float:
    """SSE is summed row by row where it is known which became which; else it is SST less the dispersion of the published values.

    The second holds of means of groups, which keep the mean of every column; other values are refused. Attributes that are not numeric
    are measured only where it is known which row became which.
    """
    table = release.only(RowTable)
    shares = [_share(attribute, table, release) for attribute in original.table.quasi if not attribute.constant]
    return min(1.0, math.fsum(shares) / len(shares)) if shares else 0.0


def _share(attribute: Attribute, table: RowTable, release: Release) -> float:
    """SSE / SST of one attribute."""
    if attribute.kind == "numeric":
        return _lost(attribute.codes, _published(table, attribute.name, len(attribute.codes)), release)
    if release.secret is None:
        raise ParameterError(
            f"the loss of {attribute.name!r} needs the row-to-group mapping, which release files do not contain",
            code="mapping-not-recorded",
        )
    space = attribute_space(attribute, np.arange(len(attribute.codes)))
    after = _codes_of(attribute, table.frame[attribute.name])[release.secret.rows()]
    lost = [space.squared(code, np.flatnonzero(after == code)) for code in np.unique(after).tolist()]
    return math.fsum(np.concatenate(lost)) / space.spread()


def _codes_of(attribute: Attribute, published: pl.Series) -> Floats:
    """Return the codes of published values; refuses values that the attribute cannot have."""
    known = pl.DataFrame({"value": attribute.named_codes}).with_row_index("code")
    values = pl.DataFrame({"value": published.cast(attribute.named_codes.dtype, strict=False)})
    codes = values.join(known, on="value", how="left", maintain_order="left")["code"]
    if codes.null_count():
        raise ParameterError(
            f"the release has values in its column {attribute.name!r} that the original does not have", code="release-not-of-original"
        )
    return codes.cast(pl.Float64).to_numpy()


def _is_mixed(original: TableOriginal) -> bool:
    return not original.table.all_numeric


def _published(table: RowTable, name: str, rows: int) -> Floats:
    if not table.holds_numbers([name]) or table.n_rows != rows:
        raise ParameterError(
            f"the release does not contain all rows of the original with numbers in its column {name!r}", code="release-not-of-original"
        )
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
        raise ParameterError("the published values are not means of groups of the original's rows", code="release-not-of-original")
    return max(0.0, total - between) / total


INFORMATION_LOSS = Metric(
    "information_loss",
    "SSE / SST: share of the variance of standardized values lost within groups",
    "lower",
    information_loss,
    highest=1.0,
    needs_groups_for=_is_mixed,
    of_means=True,
    kinds=frozenset({"rows"}),
    takes=frozenset({"table"}),
)
