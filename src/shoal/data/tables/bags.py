"""Bags: records of items, each published in a number of copies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.accounting import Accounting
from shoal.data.bags import Bags, Ints
from shoal.data.tables import PublishedTable, fresh_order


@dataclass(frozen=True, eq=False)
class BagTable(PublishedTable):
    """Different records and how often each is published."""

    kind = "bags"
    amounts = ("rows", "occurrences", "items")

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
        """Records, item occurrences and different items."""
        shown = np.repeat(self.copies > 0, np.diff(self.records.indptr))
        occurrences = int((self.records.lengths * self.copies).sum())
        return {"rows": self.n_rows, "occurrences": occurrences, "items": len(np.unique(self.records.items[shown]))}

    def shuffled_rows(self) -> Ints:
        """The number in `records` of every record to be written, in a fresh order."""
        return np.repeat(np.arange(len(self.records)), self.copies)[fresh_order(self.n_rows)]
