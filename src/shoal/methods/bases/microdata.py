"""Base of methods that publish a table of microdata in which every row is replaced by the centroid of its group.

A subclass forms the groups; centroids, claims and accounting are implemented here.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace

import numpy as np
import polars as pl

from shoal.data.accounting import changed
from shoal.data.bags import Ints
from shoal.data.claims import Model
from shoal.data.column_list import ColumnNames
from shoal.data.original import TableOriginal
from shoal.data.release import Release
from shoal.data.table import Attribute, Table
from shoal.data.tables.rows import RowTable
from shoal.methods import Method
from shoal.methods.bases.release_builder import build_row_release
from shoal.microaggregation.attributes import attribute_space, group_means
from shoal.privacy.microdata_k_anonymity import MicrodataKAnonymity

MICRODATA = "microdata"  # the name of the published table
AGGREGATED = "microaggregated"


class TableMethod(Method):
    """A method that puts every row in a group of at least k people and publishes the centroid of the group."""

    takes = frozenset({"table"})
    publishes = "rows"
    fates = {AGGREGATED: "changed"}  # noqa: RUF012 (never changed)

    k: int

    @property
    def needs_taxonomy(self) -> bool:
        """False: a table has no taxonomy common to its columns."""
        return False

    def claims(self) -> tuple[Model, ...]:
        """Claim k-anonymity over the quasi-identifiers, which depend on the table."""
        return (MicrodataKAnonymity(k=self.k),)

    @abstractmethod
    def grouped(self, table: Table) -> Ints:
        """Return the group of each row, numbered from 0 without gaps; every group has rows of at least k users."""

    def apply(self, original: TableOriginal) -> Release:
        """Publish every row with the centroid of its group; kept columns are unchanged."""
        table = original.table
        published = RowTable(_aggregated(table, self.grouped(table)))
        release = build_row_release(self, len(table), {MICRODATA: published}, {AGGREGATED: changed(len(table))}, np.arange(len(table)))
        claim = MicrodataKAnonymity(k=self.k, columns=ColumnNames(tuple(attribute.name for attribute in table.quasi)))
        return replace(release, claims=(claim,))


def _aggregated(table: Table, group: Ints) -> pl.DataFrame:
    """Return the table's columns in order: group centroids for the quasi-identifiers, all others unchanged."""
    return pl.DataFrame({a.name: _centroids(a, group) if a.quasi else a.values for a in table.attributes})


def _centroids(attribute: Attribute, group: Ints) -> pl.Series:
    """Return the centroid of its group for each row: the mean for numbers, a name otherwise."""
    if attribute.kind == "numeric":
        return pl.Series(group_means(attribute.codes[:, None], group)[group, 0])
    space = attribute_space(attribute, np.arange(len(group)))
    members = np.split(np.argsort(group, kind="stable"), np.cumsum(np.bincount(group))[:-1])
    codes = np.array([space.centroid(rows) for rows in members], np.int64)
    return attribute.named_codes.gather(codes[group])
