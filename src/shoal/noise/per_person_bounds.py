"""Bounded contributions: the values of each person, at most a cap, chosen independently of all others.

Which values of a person are taken, and the person's position in the order of all people, depends on that person's data alone. So adding or
removing a person does not affect the others, which is required for the sensitivities.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from shoal.data.bags import Ints

OWNER = "owner"


@dataclass(frozen=True, eq=False)
class PersonValues:
    """Person i has `values[starts[i]:starts[i + 1]]`, row numbers of `table`, each with a number of `times`."""

    starts: Ints
    values: Ints
    times: Ints
    table: pl.DataFrame

    @property
    def n_people(self) -> int:
        """The number of people with a value."""
        return len(self.starts) - 1

    @property
    def n_values(self) -> int:
        """The number of distinct values."""
        return len(self.table)

    def counted_once(self) -> PersonValues:
        """Return the same with each value of a person counted once."""
        return PersonValues(self.starts, self.values, np.ones_like(self.times), self.table)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """Return rows of a person and the columns of a value."""
        people = np.repeat(np.arange(self.n_people), np.diff(self.starts))
        return self.table[self.values].with_columns(pl.Series(OWNER, people))


def distinct_of_people(values: pl.DataFrame, cap: int | None) -> PersonValues:
    """Return the distinct values of each person, at most `cap`: the most frequent ones, ties in an order of the values.

    `values` has a user and the columns of a value in each row. People with few values come first; ties are ordered by content. So neither
    user IDs nor the order of rows matter.
    """
    keys = [name for name in values.columns if name != OWNER]
    own = values.group_by(OWNER, *keys).agg(times=pl.len().cast(pl.Int64))
    own = own.with_columns(tie=pl.struct(keys).hash(seed=0) // 2**20)
    if cap is not None:
        own = own.sort(OWNER, "times", "tie", descending=[False, True, False]).group_by(OWNER, maintain_order=True).head(cap)
    own = own.with_columns(size=pl.len().over(OWNER), content=pl.col("tie").sum().over(OWNER))
    return _gathered(own.sort("size", "content", OWNER, "tie"), keys)


def first_of_people(values: pl.DataFrame, cap: int) -> PersonValues:
    """Return the values in the first `cap` rows of each person, with multiplicities; rows are ordered by time."""
    keys = [name for name in values.columns if name != OWNER]
    first = values.group_by(OWNER, maintain_order=True).head(cap)
    return _gathered(first.group_by(OWNER, *keys).agg(times=pl.len().cast(pl.Int64)).sort(OWNER), keys)


def _gathered(own: pl.DataFrame, keys: list[str]) -> PersonValues:
    """Group rows by person; `times` counts the occurrences of each value."""
    table = own.select(keys).unique().with_row_index("value")
    numbered = own.join(table, on=keys, how="left", maintain_order="left", nulls_equal=True)
    owners = numbered[OWNER].to_numpy()
    fresh = np.ones(len(owners) + 1, bool)
    fresh[1:-1] = owners[1:] != owners[:-1]
    starts = np.flatnonzero(fresh) if len(owners) else np.zeros(1, np.int64)
    return PersonValues(starts, numbered["value"].to_numpy().astype(np.int64), numbered["times"].to_numpy(), table.drop("value"))
