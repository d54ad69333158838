"""What each person counts in: their values, no more of them than a cap, chosen without a look at anybody else.

Which values of a person are taken, and where the person stands in the order of all people, depends on what that person did alone. So adding
or removing a person changes nothing about the others, which is what sensitivities rest on.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from shoal.data.bags import Ints

OWNER = "owner"


@dataclass(frozen=True, eq=False)
class Holdings:
    """Person i has `values[starts[i]:starts[i + 1]]`, numbers of rows of `table`, and each of them this many `times`."""

    starts: Ints
    values: Ints
    times: Ints
    table: pl.DataFrame

    @property
    def n_people(self) -> int:
        """How many people have a value."""
        return len(self.starts) - 1

    @property
    def n_values(self) -> int:
        """How many different values people have."""
        return len(self.table)

    def counted_once(self) -> Holdings:
        """The same, each value of a person counted once."""
        return Holdings(self.starts, self.values, np.ones_like(self.times), self.table)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The same as rows: a person, the columns of a value."""
        people = np.repeat(np.arange(self.n_people), np.diff(self.starts))
        return self.table[self.values].with_columns(pl.Series(OWNER, people))


def distinct_of_people(asked: pl.DataFrame, cap: int | None) -> Holdings:
    """The different values of each person, at most `cap` where there is one: those used most often, ties in an order of the values.

    `asked` has an owner and the columns of a value in each row. People with few values come first; those with as many in an order of what
    they hold. So neither the names of people nor the order of rows matter.
    """
    keys = [name for name in asked.columns if name != OWNER]
    own = asked.group_by(OWNER, *keys).agg(times=pl.len().cast(pl.Int64))
    own = own.with_columns(tie=pl.struct(keys).hash(seed=0) // 2**20)
    if cap is not None:
        own = own.sort(OWNER, "times", "tie", descending=[False, True, False]).group_by(OWNER, maintain_order=True).head(cap)
    own = own.with_columns(size=pl.len().over(OWNER), content=pl.col("tie").sum().over(OWNER))
    return _gathered(own.sort("size", "content", OWNER, "tie"), keys)


def first_of_people(asked: pl.DataFrame, cap: int) -> Holdings:
    """The values in the first `cap` rows of each person, as often as they stand there; rows are in their order of time."""
    keys = [name for name in asked.columns if name != OWNER]
    first = asked.group_by(OWNER, maintain_order=True).head(cap)
    return _gathered(first.group_by(OWNER, *keys).agg(times=pl.len().cast(pl.Int64)).sort(OWNER), keys)


def _gathered(own: pl.DataFrame, keys: list[str]) -> Holdings:
    """Rows of one person stand together; `times` says how often each value is theirs."""
    table = own.select(keys).unique().with_row_index("value")
    numbered = own.join(table, on=keys, how="left", maintain_order="left", nulls_equal=True)
    owners = numbered[OWNER].to_numpy()
    fresh = np.ones(len(owners) + 1, bool)
    fresh[1:-1] = owners[1:] != owners[:-1]
    starts = np.flatnonzero(fresh) if len(owners) else np.zeros(1, np.int64)
    return Holdings(starts, numbered["value"].to_numpy().astype(np.int64), numbered["times"].to_numpy(), table.drop("value"))
