"""Table: rows with typed attributes, and the user of each row. Immutable.

Microdata such as company figures or household incomes. An attribute is a quasi-identifier, which a method must protect, or is published
unchanged. Users are numbers; user IDs are discarded when data is read.

A hierarchy is the tree above the values of a hierarchical attribute, such as regions above towns. An attribute of item sets has a set of
items in each row, such as a basket, and the taxonomy of the items.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.data.bags import Bags, Ints, Small, Vocabulary
from shoal.data.taxonomy import Taxonomy
from shoal.errors import InputError
from shoal.util.numbers import distinct

# -- hierarchies


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Named nodes in preorder, so that a subtree is an interval of numbers; `parent[0]` is -1."""

    names: Vocabulary
    parent: Small

    def __post_init__(self) -> None:
        numbers = np.arange(len(self.parent))
        if len(self.names) != len(self.parent) or not len(numbers) or self.parent[0] != -1 or (self.parent[1:] >= numbers[1:]).any():
            raise InputError("a hierarchy has a root and names for all of its nodes, each below an earlier one", code="invalid-hierarchy")

    def __len__(self) -> int:
        return len(self.parent)

    @cached_property
    def level(self) -> Ints:
        """The level of each node: 1 for the root."""
        found = np.ones(len(self), np.int64)
        for node in range(1, len(self)):
            found[node] = found[self.parent[node]] + 1
        return found

    @cached_property
    def end(self) -> Ints:
        """The end of each subtree: its last node plus one."""
        found = np.arange(1, len(self) + 1)
        for node in range(len(self) - 1, 0, -1):
            found[self.parent[node]] = max(found[self.parent[node]], found[node])
        return found

    def upwards(self, node: int) -> list[int]:
        """Return the node and its ancestors, ending with the root."""
        found = [node]
        while self.parent[found[-1]] >= 0:
            found.append(int(self.parent[found[-1]]))
        return found


# -- attributes and tables


Floats = npt.NDArray[np.float64]
AttributeKind = Literal["numeric", "ordinal", "nominal", "hierarchical", "items"]
ITEM_SEPARATOR = "|"  # between the items of a set, as read and as published
RANGE = ".."  # between the lowest and the highest of published values


@dataclass(frozen=True, eq=False)
class Attribute:
    """A named column of one kind; `quasi`: whether it is a quasi-identifier or published unchanged.

    An ordinal attribute contains numbers, or texts among its `levels`, which are ordered from the lowest. A hierarchical one contains names
    of nodes of its `hierarchy`. One of item sets contains different nodes of its `tree`, in the order of their names, with a separator
    between them. A quasi-identifier has no missing values.
    """

    name: str
    kind: AttributeKind
    values: pl.Series
    quasi: bool = True
    levels: tuple[str, ...] = ()
    hierarchy: Hierarchy | None = None
    tree: Taxonomy | None = None

    def __post_init__(self) -> None:
        if self.kind == "numeric" or (self.kind == "ordinal" and not self.levels):
            _refuse_not_finite(self.values)
        else:
            _refuse_nested(self.values)
        if self.quasi and (self.values.null_count() or (self.kind != "numeric" and (self.codes < 0).any())):
            raise InputError(
                "a quasi-identifier has values that are missing, or not in its levels or its hierarchy", code="invalid-microdata"
            )

    @cached_property
    def codes(self) -> Floats:
        """The values as numbers: unchanged, by rank from 0, by alphabetical index, or by node; -1 for an unknown text."""
        if self.kind == "numeric":
            return np.asarray(self.values.to_numpy() + 0.0)  # zero has no sign
        if self.kind == "ordinal" and self.levels:
            return Vocabulary(self.levels).codes(self.values).astype(np.float64)
        if self.kind == "hierarchical":
            assert self.hierarchy is not None
            return self.hierarchy.names.codes(self.values).astype(np.float64)
        return np.asarray(self.values.rank("dense").to_numpy().astype(np.float64) - 1)

    @cached_property
    def named_codes(self) -> pl.Series:
        """Return the value of each code; not for numeric attributes."""
        if self.kind == "hierarchical":
            assert self.hierarchy is not None
            return self.hierarchy.names.names
        return pl.Series(self.levels, dtype=pl.String) if self.levels else self.values.unique().sort()

    def item_sets(self, owners: Ints) -> Bags:
        """Return the sets of an attribute of item sets as records over the names of its tree, owned by these users."""
        assert self.tree is not None
        rows = self.values.str.split(ITEM_SEPARATOR)
        items = rows.explode(empty_as_null=True)
        filled = (items != "").fill_null(False)
        lengths = pl.DataFrame({"row": np.repeat(np.arange(len(rows)), rows.list.len().to_numpy()), "filled": filled})
        held = np.bincount(lengths.filter("filled")["row"].to_numpy(), minlength=len(rows))
        codes = self.tree.names.codes(items.filter(filled))
        if (codes < 0).any():
            raise InputError("an item of a set is not in the taxonomy", code="invalid-microdata")
        starts = np.concatenate([[0], np.cumsum(held)]).astype(np.int64)
        return Bags.from_rows(starts, codes, np.ones(len(codes), np.int32), self.tree.names, owners, as_sets=True)

    @property
    def constant(self) -> bool:
        """Whether all rows have the same value."""
        return self.values.n_unique() <= 1


@dataclass(frozen=True, eq=False)
class Table:
    """Attributes of equal length with distinct names, and a user for each row."""

    attributes: tuple[Attribute, ...]
    owners: Ints

    def __post_init__(self) -> None:
        self.owners.flags.writeable = False
        if len({attribute.name for attribute in self.attributes}) < len(self.attributes):
            raise InputError("a table has two attributes of the same name", code="duplicate-column")
        if any(len(attribute.values) != len(self) for attribute in self.attributes):
            raise InputError("a table's attributes and users differ in length", code="lengths-differ")

    @classmethod
    def from_numbers(cls, values: npt.ArrayLike, names: Iterable[str] | None = None, owners: npt.ArrayLike | None = None) -> Table:
        """Make a table of numbers, all quasi-identifiers. By default attributes are numbered from 1 and each row has its own user."""
        numbers = np.array(values, np.float64, ndmin=2)
        called = [str(j + 1) for j in range(numbers.shape[1])] if names is None else list(names)
        columns = [Attribute(name, "numeric", pl.Series(column)) for name, column in zip(called, numbers.T, strict=True)]
        people = np.arange(len(numbers)) if owners is None else np.array(owners)
        return cls(tuple(columns), people.astype(np.int64))

    def __len__(self) -> int:
        return len(self.owners)

    def select(self, rows: npt.ArrayLike) -> Table:
        """Return these rows, given as a mask or as numbers."""
        chosen = np.arange(len(self))[np.asarray(rows)]
        columns = (replace(attribute, values=attribute.values.gather(chosen)) for attribute in self.attributes)
        return Table(tuple(columns), self.owners[chosen])

    @property
    def quasi(self) -> tuple[Attribute, ...]:
        """The quasi-identifiers with one value per row."""
        return tuple(attribute for attribute in self.attributes if attribute.quasi and attribute.kind != "items")

    @property
    def item_sets(self) -> tuple[Attribute, ...]:
        """The attributes with a set of items per row."""
        return tuple(attribute for attribute in self.attributes if attribute.kind == "items")

    @cached_property
    def n_owners(self) -> int:
        """The number of distinct users."""
        return len(distinct(self.owners))

    @property
    def owners_repeat(self) -> bool:
        """Whether some user owns more than one row."""
        return self.n_owners < len(self)

    @cached_property
    def numbers(self) -> Floats:
        """Return the quasi-identifiers as a matrix of rows. Raise if one is not numeric. Zero has no sign."""
        if not self.all_numeric:
            raise InputError("a quasi-identifier of this table is not numeric", code="not-numeric")
        return self.codes

    @property
    def all_numeric(self) -> bool:
        """Whether all quasi-identifiers are numeric."""
        return all(attribute.kind == "numeric" for attribute in self.quasi)

    @cached_property
    def codes(self) -> Floats:
        """Return the codes of the quasi-identifiers as a matrix of rows."""
        matrix = np.empty((len(self), len(self.quasi)))
        for j, attribute in enumerate(self.quasi):
            matrix[:, j] = attribute.codes
        matrix.flags.writeable = False
        return matrix

    def content_order(self) -> Ints:
        """Return the row numbers ordered by the codes of their quasi-identifiers, then by item sets, then by what is published unchanged.

        Rows of equal content are separated by the other rows of their users, never by input order. Users with the same rows are
        interchangeable: they are ranked by number, in the same way for all of their rows.
        """
        kept = (attribute.values.rank("dense").fill_null(0) for attribute in self.attributes if not attribute.quasi)
        codes = np.column_stack([self.codes, *(attribute.codes for attribute in self.item_sets), *kept])
        frame = pl.DataFrame(codes, schema=[str(j) for j in range(codes.shape[1])])
        content = frame.select(pl.struct(pl.all()).rank("dense")).to_series() if frame.width else pl.Series(np.zeros(len(self)))
        keyed = pl.DataFrame({"content": content, "owner": pl.Series(self.owners)})
        if self.owners_repeat:
            keyed = _with_owner_ranks(keyed)
        order: Ints = np.lexsort((keyed["owner"].to_numpy(), keyed["content"].to_numpy())).astype(np.int64)
        return order

    def __repr__(self) -> str:
        return f"Table({len(self):,} rows, {self.n_owners:,} users, {len(self.attributes)} attributes, {len(self.quasi)} quasi-identifiers)"


def _with_owner_ranks(keyed: pl.DataFrame) -> pl.DataFrame:
    """Renumber the users by the sorted contents of their rows, then by number."""
    profiles = keyed.group_by("owner").agg(pl.col("content").sort()).sort("content", "owner").select("owner").with_row_index("rank")
    joined = keyed.join(profiles, on="owner", how="left", maintain_order="left")
    return joined.select("content", pl.col("rank").cast(pl.Int64).alias("owner"))


def _refuse_not_finite(values: pl.Series) -> None:
    if values.dtype != pl.Float64 or values.null_count() or not values.is_finite().all():
        raise InputError("a numeric attribute must have finite numbers, none missing", code="not-finite")


def _refuse_nested(values: pl.Series) -> None:
    if values.dtype.is_nested():
        raise InputError("a nominal attribute must have one value per row, no lists", code="nested-values")
