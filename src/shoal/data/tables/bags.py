"""Bags: records of items, each published with a multiplicity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.data.accounting import Accounting
from shoal.data.bags import Bags, Ints
from shoal.data.fresh import fresh_order
from shoal.data.tables import NUMBER, ORDER_OF_RECORDS, VALUE, PublishedTable
from shoal.util.numbers import distinct


@dataclass(frozen=True, eq=False)
class BagTable(PublishedTable):
    """Distinct records and their multiplicities."""

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
        """The number of published records."""
        return int(self.copies.sum())

    def agrees_with(self, account: Accounting) -> bool:
        """Whether the accounting agrees: every published record is one of the input."""
        return account.records.of_fate("kept", "changed") == self.n_rows

    def facts(self) -> dict[str, int]:
        """Return the numbers of records, item occurrences, distinct items and distinct records."""
        published = self.copies > 0
        shown = np.repeat(published, np.diff(self.records.indptr))
        return {
            "rows": self.n_rows,
            "occurrences": int((self.records.lengths * self.copies).sum()),
            "items": len(distinct(self.records.items[shown])),
            "different": len(distinct(self.records.identical()[published])),
        }

    def shuffled_rows(self) -> Ints:
        """Return the index in `records` of every record to be written, in random order."""
        return np.repeat(np.arange(len(self.records)), self.copies)[fresh_order(self.n_rows)]

    def frames(self, name: str) -> dict[str, pl.DataFrame]:
        """Return one frame of all records with their copies: the items of each as a list, sorted by name."""
        rows = self.shuffled_rows()
        lists = self.records.to_polars().list.sort()
        return {name: pl.DataFrame({"record": np.arange(1, len(rows) + 1), "items": lists.gather(rows)})}

    def texts(self) -> Iterator[pl.Series]:
        """Return the names of the items."""
        yield self.records.vocabulary.names.gather(distinct(self.records.items))

    @property
    def random_orders(self) -> list[str]:
        """Return the order of the records."""
        return [ORDER_OF_RECORDS]

    def values_by_number(self) -> dict[str, pl.DataFrame]:
        """Return the item names of each record."""
        numbers = np.repeat(np.arange(len(self.records)), np.diff(self.records.indptr))
        return {ORDER_OF_RECORDS: pl.DataFrame({NUMBER: numbers, VALUE: self.records.vocabulary.names.gather(self.records.items)})}
