"""Weighted bags: records whose items have weights, such as the terms of a document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from shoal.data.accounting import Accounting
from shoal.data.bags import Ints
from shoal.data.fresh import fresh_order
from shoal.data.tables import NUMBER, ORDER_OF_RECORDS, VALUE, PublishedTable
from shoal.errors import ShoalError


@dataclass(frozen=True, eq=False)
class WeightedBagTable(PublishedTable):
    """One row per record: its distinct `items`, and their `weights`, finite numbers in the same order.

    `extra_fields` names the column of record numbers if a file does not number its records from 1 in file order.
    """

    kind = "weighted bags"
    names = ("vectors",)
    has_layouts = True
    made_of = "documents"
    joins_lists = True
    amounts = ("rows", "occurrences")

    frame: pl.DataFrame
    extra_fields: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if dict(self.frame.schema) != {"items": pl.List(pl.String), "weights": pl.List(pl.Float64)}:
            raise ShoalError(f"weighted bags have the columns items and weights, not {dict(self.frame.schema)}", code="invalid-table")
        unequal = self.frame["items"].list.len() != self.frame["weights"].list.len()
        if self.frame.null_count().sum_horizontal().item() or unequal.any():
            raise ShoalError("a record does not have one weight for each item", code="invalid-table")
        flat = self.flat
        if flat["item"].null_count() or not flat["weight"].fill_null(float("nan")).is_finite().all():
            raise ShoalError("an item has no name, or a weight is not a finite number", code="invalid-table")
        if flat.select("record", "item").is_duplicated().any():
            raise ShoalError("an item occurs twice in a record", code="invalid-table")

    @property
    def flat(self) -> pl.DataFrame:
        """One row per item of a record, numbered from 0, by record and name."""
        numbered = self.frame.with_row_index("record").filter(pl.col("items").list.len() > 0)
        return numbered.explode("items", "weights").rename({"items": "item", "weights": "weight"}).sort("record", "item")

    @property
    def n_rows(self) -> int:
        """The number of records that are written."""
        return len(self.frame)

    def agrees_with(self, account: Accounting) -> bool:
        """Whether the accounting agrees: every published record is one of the input."""
        return account.records.of_fate("kept", "changed") == self.n_rows

    def facts(self) -> dict[str, int]:
        """Return the numbers of records and of their items."""
        return {"rows": self.n_rows, "occurrences": int(self.frame["items"].list.len().sum())}

    def shuffled(self) -> pl.DataFrame:
        """Return the records in random order, numbered from 1; items sorted by name."""
        return self.ordered(fresh_order(self.n_rows))

    def ordered(self, rows: Ints) -> pl.DataFrame:
        """Return the records in this order, numbered from 1; items sorted by name."""
        order = pl.Series(rows, dtype=pl.Int64)
        by_name = self.flat.group_by("record", maintain_order=True).agg(items="item", weights="weight")
        all_records = pl.DataFrame({"record": order.cast(pl.UInt32)}).join(by_name, on="record", how="left", maintain_order="left")
        filled = all_records.with_columns(pl.col("items", "weights").fill_null([]))
        return filled.with_columns(record=pl.int_range(1, self.n_rows + 1, dtype=pl.Int64))

    def frames(self, name: str) -> dict[str, pl.DataFrame]:
        """Return one frame."""
        return {name: self.shuffled()}

    @property
    def random_orders(self) -> list[str]:
        """Return the order of the records."""
        return [ORDER_OF_RECORDS]

    def values_by_number(self) -> dict[str, pl.DataFrame]:
        """Return the items of each record."""
        return {ORDER_OF_RECORDS: self.flat.select(pl.col("record").alias(NUMBER), pl.col("item").alias(VALUE))}

    def sorted_lists(self) -> Iterator[pl.Series]:
        """Return the items of each record."""
        yield self.frame["items"]
