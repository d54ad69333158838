"""Base of methods that publish a table of microdata in which every row is replaced by the centroid of its group.

A subclass forms the groups; centroids, claims and accounting are implemented here.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from fractions import Fraction

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
from shoal.errors import ParameterError, option
from shoal.methods import Method
from shoal.methods.bases.release_builder import build_row_release
from shoal.microaggregation.attributes import attribute_space, group_means
from shoal.microaggregation.constrained_groups import Limits, constrained_groups, insist_on_different_groups
from shoal.microaggregation.diverse_groups import Diversity, diverse_groups
from shoal.privacy.class_limits import ClassLimits
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.microdata_k_anonymity import MicrodataKAnonymity
from shoal.privacy.t_closeness import TCloseness
from shoal.util.numbers import members_of

MICRODATA = "microdata"  # the name of the published table
AGGREGATED = "microaggregated"


class TableMethod(Method):
    """A method that puts every row in a group of at least k people and publishes the centroid of the group."""

    takes = frozenset({"table"})
    publishes = "rows"
    fates = {AGGREGATED: "changed"}  # noqa: RUF012 (never changed)

    k: int
    l: int | None  # noqa: E741 (the name of the field)
    t: float | None
    sensitive: ColumnNames | None
    most: int | None
    apart: bool

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.sensitive is None) != (self.l is None and self.t is None):
            raise ParameterError(
                "a sensitive column needs l or t, and these need a sensitive column",
                code="options-conflict",
                hint=f"give {option('sensitive')} with {option('l')} or {option('t')}",
            )
        if self.sensitive is not None and self._limited:
            raise ParameterError(
                "groups are merged for l and t, which limits of groups do not allow",
                code="options-conflict",
                hint=f"leave out {option('most')} and {option('apart')}",
            )
        if self.most is not None and self.most < self.k:
            raise ParameterError(f"most must be at least k, {self.k:,}", code="out-of-range", value=self.most, limit=self.k)

    @property
    def _limited(self) -> bool:
        """Whether groups have an upper limit or keep users apart."""
        return self.most is not None or self.apart

    @property
    def needs_taxonomy(self) -> bool:
        """False: a table has no taxonomy common to its columns."""
        return False

    def claims(self) -> tuple[Model, ...]:
        """Claim k-anonymity over the quasi-identifiers, which depend on the table."""
        return (MicrodataKAnonymity(k=self.k), *self._of_sensitive_columns(None), *self._of_limits(None))

    def _of_limits(self, columns: ColumnNames | None) -> tuple[Model, ...]:
        """Return what is claimed about the largest classes, and about rows of one user."""
        sizes = () if self.most is None else (ClassLimits(most=self.most, columns=columns),)
        return (*sizes, *((ClassLimits(apart=True, columns=columns),) if self.apart else ()))

    def _of_sensitive_columns(self, columns: ColumnNames | None) -> tuple[Model, ...]:
        """Return what is claimed about the sensitive columns of classes of rows that are alike in these columns."""
        diverse = () if self.l is None else (LDiversity(l=self.l, sensitive=self.sensitive, columns=columns),)
        close = () if self.t is None else (TCloseness(t=self.t, sensitive=self.sensitive, columns=columns),)
        return (*diverse, *close)

    @abstractmethod
    def grouped(self, table: Table) -> Ints:
        """Return the group of each row, numbered from 0 without gaps; every group has rows of at least k users."""

    def apply(self, original: TableOriginal) -> Release:
        """Publish every row with the centroid of its group; kept columns are unchanged."""
        table = original.table
        published = RowTable(_aggregated(table, self._within_limits(table, self._diverse(table, self.grouped(table)))))
        self._insist_on_limits(table, published.frame)
        release = build_row_release(self, len(table), {MICRODATA: published}, {AGGREGATED: changed(len(table))}, np.arange(len(table)))
        columns = ColumnNames(tuple(attribute.name for attribute in table.quasi))
        further = (*self._of_sensitive_columns(columns), *self._of_limits(columns))
        return replace(release, claims=(MicrodataKAnonymity(k=self.k, columns=columns), *further))

    def _within_limits(self, table: Table, group: Ints) -> Ints:
        """Repair groups that exceed the limits."""
        return constrained_groups(table, group, Limits(self.k, self.most, self.apart)) if self._limited else group

    def _insist_on_limits(self, table: Table, frame: pl.DataFrame) -> None:
        """Raise if groups with equal centroids exceed the limits together."""
        if not self._limited:
            return
        names = [attribute.name for attribute in table.quasi]
        rows = frame.select(names).with_columns(pl.Series("\0user", table.owners))
        classes = rows.group_by(names).agg(n=pl.len(), users=pl.col("\0user").n_unique())
        largest, twice = int(classes["n"].max() or 0), int((classes["n"] - classes["users"]).sum())  # type: ignore[arg-type]
        insist_on_different_groups(len(frame), largest, twice, Limits(self.k, self.most, self.apart))

    def _diverse(self, table: Table, group: Ints) -> Ints:
        """Merge groups until the sensitive columns are as the claims say."""
        if self.sensitive is None:
            return group
        sensitive = unchanged_columns(table, self.sensitive)
        if self.t is not None and table.owners_repeat:
            raise ParameterError(
                "people have several rows, so shares of people cannot be kept", code="one-row-per-person", hint="use l alone"
            )
        columns = [values.cast(pl.String).fill_null("") for values in sensitive]
        value = pl.DataFrame(columns).select(pl.struct(pl.all()).rank("dense")).to_series().to_numpy().astype(np.int64) - 1
        return diverse_groups(table, group, value, Diversity(self.l, None if self.t is None else Fraction(repr(self.t))))


def unchanged_columns(table: Table, names: ColumnNames) -> list[pl.Series]:
    """Return these columns, such as the sensitive ones. Raise unless they are published unchanged."""
    kept = {attribute.name: attribute.values for attribute in table.attributes if not attribute.quasi}
    for name in names.names:
        if name not in kept:
            raise ParameterError(
                f"the sensitive column {name!r} is not published unchanged",
                code="column-role-conflict",
                hint=f"name it with {option('keep_column')}",
            )
    return [kept[name] for name in names.names]


def _aggregated(table: Table, group: Ints) -> pl.DataFrame:
    """Return the table's columns in order: group centroids for the quasi-identifiers, all others unchanged."""
    return pl.DataFrame({a.name: _centroids(a, group) if a.quasi else a.values for a in table.attributes})


def _centroids(attribute: Attribute, group: Ints) -> pl.Series:
    """Return the centroid of its group for each row: the mean for numbers, a name otherwise."""
    if attribute.kind == "numeric":
        return pl.Series(group_means(attribute.codes[:, None], group)[group, 0])
    space = attribute_space(attribute, np.arange(len(group)))
    codes = np.array([space.centroid(rows) for rows in members_of(group)], np.int64)
    return attribute.named_codes.gather(codes[group])
