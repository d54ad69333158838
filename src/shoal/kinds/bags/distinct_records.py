"""Records that are read part by part: the different ones are kept, and how often each occurs.

A release of groups holds every record many times; read back, each takes memory once. Which records are identical is told by the judge's
kernel, as no method may have a say in it.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal import _kernels, kernels
from shoal.data.bags import AT_ONCE, Bags, Ints, Small, Vocabulary, canonical_rows, stacked
from shoal.data.tables.bags import BagTable
from shoal.privacy.identical_records import identical_records

SHARE = 4  # of the items of the different records, the part that further records may take before they are compared with these
NAMELESS = Vocabulary([])  # while names are still being met


class DifferentRecords:
    """Takes records of names; at the end there is a table of the different ones, with their copies."""

    def __init__(self) -> None:
        self._names = _kernels.Interner()
        self._parts = [_nameless(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int32))]
        self._copies = [np.zeros(0, np.int64)]
        self._waiting = 0

    def add_names(self, indptr: Ints, names: pl.Series) -> None:
        """Take records of names: record i has `names[indptr[i]:indptr[i+1]]`."""
        codes = kernels.run(self._names.encode, names.__arrow_c_stream__())
        self._take(indptr, codes, np.ones(len(codes), np.int32))

    def add(self, records: Bags) -> None:
        """Take records with names of their own."""
        codes = kernels.run(self._names.encode, records.vocabulary.names.__arrow_c_stream__())
        self._take(records.indptr, codes[records.items], records.counts)

    def table(self) -> BagTable:
        """All records that were taken."""
        self._compare()
        (records,), (copies,) = self._parts, self._copies
        return BagTable(Bags(*records.rows, records.owners, Vocabulary(self._names.strings())), copies)

    def _take(self, indptr: Ints, items: Small, counts: Small) -> None:
        rows = _nameless(*canonical_rows(indptr, items, counts, len(self._names)))
        self._parts.append(rows)
        self._copies.append(np.ones(len(rows), np.int64))
        self._waiting += len(rows.items)
        if self._waiting > max(AT_ONCE, len(self._parts[0].items) // SHARE):
            self._compare()

    def _compare(self) -> None:
        """Of all records at hand one of each, which is the first."""
        together, copies = stacked(self._parts), np.concatenate(self._copies)
        self._parts, self._copies, self._waiting = [], [], 0
        label = identical_records(together)
        first = np.unique(label, return_index=True)[1]
        self._parts.append(_nameless(*together.select(first).rows))
        self._copies.append(np.bincount(label, weights=copies, minlength=len(first)).astype(np.int64))


def names_in(lists: pl.Series) -> tuple[Ints, pl.Series]:
    """A record of names for each list, as DifferentRecords takes them; a null is no name."""
    named = lists.cast(pl.List(pl.String)).list.drop_nulls()
    names = pl.DataFrame({"items": named.drop_nulls().explode(empty_as_null=False, keep_nulls=False)}).to_series()
    sizes = named.list.len().fill_null(0).to_numpy().astype(np.int64)
    return np.concatenate([[0], np.cumsum(sizes)]), names


def _nameless(indptr: Ints, items: Small, counts: Small) -> Bags:
    return Bags(indptr, items, counts, np.arange(len(indptr) - 1, dtype=np.int64), NAMELESS)
