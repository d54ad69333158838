"""Counts: combinations of values with a number each, such as a noisy count of people."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import polars as pl

from shoal.data.accounting import Accounting
from shoal.data.fresh import fresh_order
from shoal.data.tables import NUMBER, ORDER_OF_ROWS, VALUE, PublishedTable
from shoal.data.tables.column_types import ITEMS, column_types
from shoal.errors import ShoalError

COUNT = "count"
LONGEST = 5  # runs of rows that are counted
RUNS = tuple(tuple(f"step{place}" for place in range(1, length + 1)) for length in range(1, LONGEST + 1))
KEYS = (("query",), ("item",), ("term",), ("first", "second"), ("query", "url"), ("items",), *RUNS)  # what is counted


def table_of_length(length: int) -> str:
    """Return the name of the table of runs of this length."""
    return f"length{length}"


@dataclass(frozen=True, eq=False)
class CountTable(PublishedTable):
    """Key columns with distinct rows, and a `count`, which may be fractional."""

    kind = "counts"
    names = ("counts", "clicks", *(table_of_length(length) for length in range(1, LONGEST + 1)))
    numbered = True
    made_of = "log"
    shapes = {"": tuple((*((key,) for key in keys), (COUNT,)) for keys in KEYS)}  # noqa: RUF012 (never changed)
    types = {**{key: ("text",) for keys in KEYS for key in keys}, ITEMS: (ITEMS,), COUNT: ("integer", "number")}  # noqa: RUF012 (never changed)

    frame: pl.DataFrame

    def __post_init__(self) -> None:
        if self.columns.get(COUNT) not in {"integer", "number"} or len(self.columns) < 2:
            raise ShoalError(f"a table of counts has key columns and a number called {COUNT}", code="invalid-table")
        if self.frame[COUNT].null_count() or self.frame.drop(COUNT).is_duplicated().any():
            raise ShoalError("a key has no count, or several", code="invalid-table")

    @property
    def n_rows(self) -> int:
        """The number of counts that are written."""
        return len(self.frame)

    def agrees_with(self, account: Accounting) -> bool:
        """Always true: a count is not a row of the input."""
        return True

    @cached_property
    def columns(self) -> dict[str, str]:
        """The name of each column's type."""
        return column_types(self.frame, lists=True)

    @property
    def words(self) -> pl.Series:
        """The distinct texts in the key columns, and the items of lists."""
        keys = [name for name, word in self.columns.items() if name != COUNT and word in {"text", ITEMS}]
        values = [self.frame[name].explode() if self.columns[name] == ITEMS else self.frame[name] for name in keys]
        return pl.concat([series.alias(VALUE) for series in values]).unique()

    def columns_of_parts(self) -> dict[str, dict[str, str]]:
        """Return the columns of the only part."""
        return {"": self.columns}

    def shuffled(self) -> pl.DataFrame:
        """Return the counts in random order."""
        return self.frame[fresh_order(self.n_rows)]

    def frames(self, name: str) -> dict[str, pl.DataFrame]:
        """Return one frame."""
        return {name: self.shuffled()}

    def values_by_number(self) -> dict[str, pl.DataFrame]:
        """Return the first key of each row, or all of its items."""
        key = next(name for name in self.frame.columns if name != COUNT)
        values = self.frame.select(pl.col(key).alias(VALUE)).with_row_index(NUMBER)
        return {ORDER_OF_ROWS: values.explode(VALUE) if self.columns[key] == ITEMS else values}
