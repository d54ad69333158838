"""Bags: records of items, each published in a number of copies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.data.accounting import Accounting
from shoal.data.bags import Bags, Ints
from shoal.data.fresh import fresh_order
from shoal.data.tables import NUMBER, ORDER_OF_RECORDS, VALUE, PublishedTable


@dataclass(frozen=True, eq=False)
class BagTable(PublishedTable):
    """Different records and how often each is published."""

    kind = "bags"
    names = ("records",)
    numbered = True
    made_of = "records"
    has_layouts = True
    amounts = ("rows", "occurrences", "items", "different")

    records: Bags
    copies: Ints

    def __post_init__(self) -> None:
        self.copies.flags.writeable = False

    @property
    def n_rows(self) -> int:
        """How many records are published."""
        return int(self.copies.sum())

    def as_told(self, account: Accounting) -> bool:
        """Every published record is one of the input's."""
        return account.records.of_fate("kept", "changed") == self.n_rows

    def facts(self) -> dict[str, int]:
        """Records, item occurrences, different items and different records."""
        published = self.copies > 0
        shown = np.repeat(published, np.diff(self.records.indptr))
        return {
            "rows": self.n_rows,
            "occurrences": int((self.records.lengths * self.copies).sum()),
            "items": len(np.unique(self.records.items[shown])),
            "different": len(np.unique(self.records.identical()[published])),
        }

    def shuffled_rows(self) -> Ints:
        """The number in `records` of every record to be written, in a fresh order."""
        return np.repeat(np.arange(len(self.records)), self.copies)[fresh_order(self.n_rows)]

    def frames(self, name: str) -> dict[str, pl.DataFrame]:
        """One frame of all records, also of the copies: the items of each as a list, sorted by name."""
        rows = self.shuffled_rows()
        lists = self.records.to_polars().list.sort()
        return {name: pl.DataFrame({"record": np.arange(1, len(rows) + 1), "items": lists.gather(rows)})}

    def texts(self) -> Iterator[pl.Series]:
        """The names of the items."""
        yield self.records.vocabulary.names.gather(np.unique(self.records.items))

    @property
    def random_orders(self) -> list[str]:
        """The order of the records."""
        return [ORDER_OF_RECORDS]

    def values_by_number(self) -> dict[str, pl.DataFrame]:
        """The items of each record by name."""
        numbers = np.repeat(np.arange(len(self.records)), np.diff(self.records.indptr))
        return {ORDER_OF_RECORDS: pl.DataFrame({NUMBER: numbers, VALUE: self.records.vocabulary.names.gather(self.records.items)})}
