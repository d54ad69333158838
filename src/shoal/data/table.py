"""Table: rows with typed attributes, and the owner of each row. Immutable.

Microdata: a company's figures, a household's incomes. An attribute is a quasi-identifier, which a method has to protect, or it is left as
it is. Owners are numbers; the names behind them are forgotten when data is read.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.errors import InputError

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
AttributeKind = Literal["numeric", "nominal"]


@dataclass(frozen=True, eq=False)
class Attribute:
    """A named column of one kind; `quasi` says whether it is a quasi-identifier or left as it is."""

    name: str
    kind: AttributeKind
    values: pl.Series
    quasi: bool = True

    def __post_init__(self) -> None:
        check = {"numeric": _refuse_not_finite, "nominal": _refuse_nested}
        check[self.kind](self.values)

    @property
    def constant(self) -> bool:
        """Whether all rows have the same value."""
        return self.values.n_unique() <= 1


@dataclass(frozen=True, eq=False)
class Table:
    """Attributes of one length and with different names, and an owner for each row."""

    attributes: tuple[Attribute, ...]
    owners: Ints

    def __post_init__(self) -> None:
        self.owners.flags.writeable = False
        if len({attribute.name for attribute in self.attributes}) < len(self.attributes):
            raise InputError("a table holds two attributes of the same name")
        if any(len(attribute.values) != len(self) for attribute in self.attributes):
            raise InputError("a table's attributes and owners differ in length")

    @classmethod
    def from_numbers(cls, values: npt.ArrayLike, names: Iterable[str] | None = None, owners: npt.ArrayLike | None = None) -> Table:
        """From rows of numbers, all quasi-identifiers; by default attributes are numbered from 1 and each row has its own owner."""
        numbers = np.array(values, np.float64, ndmin=2)
        called = [str(j + 1) for j in range(numbers.shape[1])] if names is None else list(names)
        columns = [Attribute(name, "numeric", pl.Series(column)) for name, column in zip(called, numbers.T, strict=True)]
        people = np.arange(len(numbers)) if owners is None else np.array(owners)
        return cls(tuple(columns), people.astype(np.int64))

    def __len__(self) -> int:
        return len(self.owners)

    @property
    def quasi(self) -> tuple[Attribute, ...]:
        """The quasi-identifiers."""
        return tuple(attribute for attribute in self.attributes if attribute.quasi)

    @cached_property
    def n_owners(self) -> int:
        """How many different people own the rows."""
        return len(np.unique(self.owners))

    @property
    def owners_repeat(self) -> bool:
        """Whether some person owns more than one row."""
        return self.n_owners < len(self)

    @cached_property
    def numbers(self) -> Floats:
        """The quasi-identifiers as a matrix, a row each; raises where one is not numeric. Zero has no sign."""
        if any(attribute.kind != "numeric" for attribute in self.quasi):
            raise InputError("a quasi-identifier of this table is not numeric")
        matrix = np.empty((len(self), len(self.quasi)))
        for j, attribute in enumerate(self.quasi):
            matrix[:, j] = attribute.values.to_numpy() + 0.0
        matrix.flags.writeable = False
        return matrix

    def content_order(self) -> Ints:
        """The rows' numbers by their numbers in the quasi-identifiers.

        Rows of equal content are told apart by what else their owners hold, never by arrival. Owners with the same rows are
        interchangeable: they rank by number, but the same way for all they own.
        """
        frame = pl.DataFrame(self.numbers, schema=[str(j) for j in range(self.numbers.shape[1])])
        content = frame.select(pl.struct(pl.all()).rank("dense")).to_series() if frame.width else pl.Series(np.zeros(len(self)))
        keyed = pl.DataFrame({"content": content, "owner": pl.Series(self.owners)})
        if self.owners_repeat:
            keyed = _with_owner_ranks(keyed)
        order: Ints = np.lexsort((keyed["owner"].to_numpy(), keyed["content"].to_numpy())).astype(np.int64)
        return order

    def __repr__(self) -> str:
        return (
            f"Table({len(self):,} rows, {self.n_owners:,} owners, {len(self.attributes)} attributes, {len(self.quasi)} quasi-identifiers)"
        )


def _with_owner_ranks(keyed: pl.DataFrame) -> pl.DataFrame:
    """The owners renumbered by the sorted contents of their rows, then by number."""
    profiles = keyed.group_by("owner").agg(pl.col("content").sort()).sort("content", "owner").select("owner").with_row_index("rank")
    joined = keyed.join(profiles, on="owner", how="left", maintain_order="left")
    return joined.select("content", pl.col("rank").cast(pl.Int64).alias("owner"))


def _refuse_not_finite(values: pl.Series) -> None:
    if values.dtype != pl.Float64 or values.null_count() or not values.is_finite().all():
        raise InputError("a numeric attribute holds finite numbers, none missing")


def _refuse_nested(values: pl.Series) -> None:
    if values.dtype.is_nested():
        raise InputError("a nominal attribute holds one value a row, no lists")
