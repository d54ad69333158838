"""Where long columns of numbers are kept while they grow: in memory, or wherever else somebody provides (`Shelf`).

Records of a large log are made part by part (`RowStack`); whoever made the shelf decides what that takes of memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from shoal.data.bags import Bags, Ints, Small, Vocabulary, canonical_rows

RECORDS_AT_ONCE = 1 << 16  # that are selected together


class Column(Protocol):
    """Numbers of one type that are added piece by piece."""

    def add(self, values: npt.NDArray[Any]) -> None:
        """Take these numbers behind the others."""

    def whole(self) -> npt.NDArray[Any]:
        """All numbers, in their order; nothing is added after."""


class Shelf(Protocol):
    """Makes columns."""

    def column(self, kind: npt.DTypeLike) -> Column:
        """An empty column of numbers of this type."""


class MemoryColumn:
    """A column in memory."""

    def __init__(self, kind: npt.DTypeLike) -> None:
        self._kind = np.dtype(kind)
        self._pieces: list[npt.NDArray[Any]] = []

    def add(self, values: npt.NDArray[Any]) -> None:
        """Take these numbers behind the others."""
        self._pieces.append(np.asarray(values, self._kind))

    def whole(self) -> npt.NDArray[Any]:
        """All numbers; the pieces are let go."""
        pieces, self._pieces = self._pieces, []
        return pieces[0] if len(pieces) == 1 else np.concatenate([np.zeros(0, self._kind), *pieces])


class InMemory:
    """The shelf of everyday: this process's memory."""

    def column(self, kind: npt.DTypeLike) -> MemoryColumn:
        """An empty column."""
        return MemoryColumn(kind)


IN_MEMORY = InMemory()


class RowStack:
    """Records over one vocabulary, part by part."""

    def __init__(self, shelf: Shelf) -> None:
        self._ends, self._owners = shelf.column(np.int64), shelf.column(np.int64)
        self._items, self._counts = shelf.column(np.int32), shelf.column(np.int32)
        self._ends.add(np.zeros(1, np.int64))
        self._entries = 0

    def add(self, indptr: Ints, items: Small, counts: Small, owners: Ints) -> None:
        """Take rows in canonical form, and their owners."""
        self._ends.add(indptr[1:] + self._entries)
        self._items.add(items)
        self._counts.add(counts)
        self._owners.add(owners)
        self._entries += len(items)

    def bags(self, vocabulary: Vocabulary) -> Bags:
        """All records, in the order in which they were added."""
        return Bags(self._ends.whole(), self._items.whole(), self._counts.whole(), self._owners.whole(), vocabulary)


def renamed(bags: Bags, codes: Small, vocabulary: Vocabulary, shelf: Shelf, *, as_sets: bool = False) -> Bags:
    """What `bags.relabelled` gives, on a shelf and by blocks of records: what that takes beside its answer stays small."""
    stack = RowStack(shelf)
    for begin, end in bags.blocks():
        some = bags.part(begin, end)
        stack.add(*canonical_rows(some.indptr, codes[some.items], some.counts, len(vocabulary), as_sets=as_sets), some.owners)
    return stack.bags(vocabulary)


def selected(bags: Bags, records: Ints, shelf: Shelf) -> Bags:
    """What `bags.select` gives, on a shelf and a few records at a time."""
    if shelf is IN_MEMORY:
        return bags.select(records)
    stack = RowStack(shelf)
    for begin in range(0, len(records), RECORDS_AT_ONCE):
        some = bags.select(records[begin : begin + RECORDS_AT_ONCE])
        stack.add(*some.rows, some.owners)
    return stack.bags(bags.vocabulary)


# -- which shelf is in use

_in_use: ContextVar[Shelf] = ContextVar("shoal_shelf", default=IN_MEMORY)


def in_use() -> Shelf:
    """Where what is made of all records is kept here: in memory, unless somebody bounds it."""
    return _in_use.get()


@contextmanager
def using(shelf: Shelf) -> Iterator[None]:
    """What is made inside of all records is kept on this shelf."""
    token = _in_use.set(shelf)
    try:
        yield
    finally:
        _in_use.reset(token)
