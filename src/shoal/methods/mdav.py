"""MDAV: microaggregation of rows of numbers (Domingo-Ferrer and Torra, Data Mining and Knowledge Discovery 11, 2005).

Rows are grouped around those that lie farthest out, on standardised values and with Euclid's distance; each group has at least k owners.
Guarantee: k-anonymity on the quasi-identifiers, since all of them are aggregated together. O(n^2 / k) distances at most.

Deviation: ties are resolved by content, not by arrival, so that the order of rows does not matter; and a group takes one row of an owner,
so that k rows are k people. Where owners repeat, each row left with fewer than k owners joins the group with the nearest centroid.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from shoal.data.accounting import changed
from shoal.data.column_names import ColumnNames
from shoal.data.dispersion import group_means, standardised
from shoal.data.original_rows import TableOriginal
from shoal.data.release import Release
from shoal.data.table import Floats, Ints, Table
from shoal.data.tables.rows import RowTable
from shoal.methods import Method
from shoal.methods.building import build_row_release
from shoal.microaggregation.mdav import mdav_groups as formed_groups
from shoal.microaggregation.numbers import NumberSpace
from shoal.parameters import param
from shoal.privacy import Model
from shoal.privacy.microdata import MicrodataKAnonymity

MICRODATA = "microdata"  # the name of the published table
AGGREGATED = "microaggregated"


@dataclass(frozen=True)
class MDAV(Method):
    """Groups rows of numbers that lie close together, and publishes the mean of its group for each."""

    name = "mdav"
    paper = "Domingo-Ferrer and Torra, Data Mining and Knowledge Discovery 11(2), 2005"
    takes = frozenset({"table"})
    publishes = "rows"
    fates = {AGGREGATED: "changed"}  # noqa: RUF012 (never changed)

    k: int = param(3, minimum=2, help="people behind every published combination of values")

    @property
    def needs_taxonomy(self) -> bool:
        """Numbers have none."""
        return False

    def claims(self) -> tuple[Model, ...]:
        """k-anonymity over the quasi-identifiers; which columns these are depends on the table."""
        return (MicrodataKAnonymity(k=self.k),)

    def apply(self, original: TableOriginal) -> Release:
        """Publish every row with the means of its group; columns that are left as they are stay so."""
        table = original.table
        published = RowTable(_aggregated(table, mdav_groups(table, self.k)))
        release = build_row_release(self, len(table), {MICRODATA: published}, {AGGREGATED: changed(len(table))}, np.arange(len(table)))
        claim = MicrodataKAnonymity(k=self.k, columns=ColumnNames(tuple(attribute.name for attribute in table.quasi)))
        return replace(release, claims=(claim,))


def mdav_groups(table: Table, k: int) -> Ints:
    """The group of each row, numbered from 0 without gaps; every group holds rows of at least k owners."""
    order = table.content_order()
    found = formed_groups(NumberSpace(standardised(table.numbers)[order]), table.owners[order], k)
    group = np.empty(len(table), np.int64)
    group[order] = found
    return group


def _aggregated(table: Table, group: Ints) -> pl.DataFrame:
    """The table's columns in their order: means of groups in place of the quasi-identifiers, all others untouched."""
    means: Floats = group_means(table.numbers, group)[group]
    averaged = {attribute.name: pl.Series(means[:, j]) for j, attribute in enumerate(table.quasi)}
    return pl.DataFrame({attribute.name: averaged.get(attribute.name, attribute.values) for attribute in table.attributes})
