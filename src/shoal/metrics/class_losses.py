"""Losses that follow from the classes of a published table: the discernibility and the classification metric.

Discernibility (Bayardo and Agrawal, ICDE 2005) charges each row the number of rows that are identical to it. The classification metric
(Iyengar, KDD 2002) charges each row whose label is not that of most rows of its class; here every column that is published unchanged is a
label, and the charges are averaged. Both need the published rows alone.
"""

from __future__ import annotations

import polars as pl

from shoal.data.original import TableOriginal
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.errors import ParameterError
from shoal.metrics import Metric


def discernibility(release: Release, original: TableOriginal) -> float:
    """Return the sum of the squared sizes of all classes; a row that is not published is charged as many rows as there are."""
    sizes = _classes(release, original).group_by("class").len()["len"]
    missing = len(original.table) - int(sizes.sum())
    return float((sizes.cast(pl.Int64) ** 2).sum() + missing * len(original.table))


def classification_loss(release: Release, original: TableOriginal) -> float:
    """Return the share of rows whose value in an unchanged column is not the most frequent of their class, averaged over columns."""
    labels = [attribute.name for attribute in original.table.attributes if not attribute.quasi]
    if not labels:
        raise ParameterError(
            "the classification metric needs a column that is published unchanged, as the label of each row", code="missing-column"
        )
    rows = _classes(release, original)
    shares = []
    for label in labels:
        counted = rows.group_by("class", label).len().group_by("class").agg(pl.col("len").max())
        shares.append(1 - int(counted["len"].sum()) / max(1, len(rows)))
    return sum(shares) / len(shares)


def _classes(release: Release, original: TableOriginal) -> pl.DataFrame:
    """Return the published rows with the class of each: rows that are alike in all quasi-identifiers."""
    frame = release.only(RowTable).frame
    names = [attribute.name for attribute in original.table.quasi]
    missing = [attribute.name for attribute in original.table.attributes if attribute.name not in frame.columns]
    if missing:
        raise ParameterError(f"the release lacks the column {missing[0]!r} of the original", code="release-not-of-original")
    return frame.with_columns(pl.struct(pl.col(name).cast(pl.String) for name in names).rank("dense").alias("class"))


DISCERNIBILITY = Metric(
    "discernibility",
    "sum of the squared class sizes: each row counts the rows from which it is indistinguishable",
    "lower",
    discernibility,
    routine=False,
    kinds=frozenset({"rows"}),
    takes=frozenset({"table"}),
)
CLASSIFICATION_LOSS = Metric(
    "classification_loss",
    "share of rows whose unchanged columns differ from most rows of their class",
    "lower",
    classification_loss,
    highest=1.0,
    routine=False,
    kinds=frozenset({"rows"}),
    takes=frozenset({"table"}),
)
