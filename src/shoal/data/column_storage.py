"""Storage for long columns of numbers that grow: in memory, or elsewhere (`Shelf`).

Records of a large log are made part by part (`RowStack`); the creator of the shelf decides how much memory that takes.
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
    """Numbers of one type that are appended in pieces."""

    def add(self, values: npt.NDArray[Any]) -> None:
        """Append these numbers."""

    def whole(self) -> npt.NDArray[Any]:
        """Return all numbers in order. Nothing can be appended afterwards."""


class Shelf(Protocol):
    """Makes columns."""

    def column(self, kind: npt.DTypeLike) -> Column:
        """Return an empty column of numbers of this type."""


class MemoryColumn:
    """A column in memory."""

    def __init__(self, kind: npt.DTypeLike) -> None:
        self._kind = np.dtype(kind)
        self._pieces: list[npt.NDArray[Any]] = []

    def add(self, values: npt.NDArray[Any]) -> None:
        """Append these numbers."""
        self._pieces.append(np.asarray(values, self._kind))

    def whole(self) -> npt.NDArray[Any]:
        """Return all numbers, and release the pieces."""
        pieces, self._pieces = self._pieces, []
        return pieces[0] if len(pieces) == 1 else np.concatenate([np.zeros(0, self._kind), *pieces])


class InMemory:
    """The default storage: the memory of this process."""

    def column(self, kind: npt.DTypeLike) -> MemoryColumn:
        """Return an empty column."""
        return MemoryColumn(kind)


IN_MEMORY = InMemory()


class RowStack:
    """Records over one vocabulary that are appended part by part."""

    def __init__(self, shelf: Shelf) -> None:
        self._ends, self._owners = shelf.column(np.int64), shelf.column(np.int64)
        self._items, self._counts = shelf.column(np.int32), shelf.column(np.int32)
        self._ends.add(np.zeros(1, np.int64))
        self._entries = 0

    def add(self, indptr: Ints, items: Small, counts: Small, owners: Ints) -> None:
        """Append rows in canonical form, and their users."""
        self._ends.add(indptr[1:] + self._entries)
        self._items.add(items)
        self._counts.add(counts)
        self._owners.add(owners)
        self._entries += len(items)

    def bags(self, vocabulary: Vocabulary) -> Bags:
        """Return all records in the order in which they were appended."""
        return Bags(self._ends.whole(), self._items.whole(), self._counts.whole(), self._owners.whole(), vocabulary)


def renamed(bags: Bags, codes: Small, vocabulary: Vocabulary, shelf: Shelf, *, as_sets: bool = False) -> Bags:
    """Do the same as `bags.relabelled` with the given storage, block by block, with little additional memory."""
    stack = RowStack(shelf)
    for begin, end in bags.blocks():
        some = bags.part(begin, end)
        stack.add(*canonical_rows(some.indptr, codes[some.items], some.counts, len(vocabulary), as_sets=as_sets), some.owners)
    return stack.bags(vocabulary)


def selected(bags: Bags, records: Ints, shelf: Shelf) -> Bags:
    """Do the same as `bags.select` with the given storage, a few records at a time."""
    if shelf is IN_MEMORY:
        return bags.select(records)
    stack = RowStack(shelf)
    for begin in range(0, len(records), RECORDS_AT_ONCE):
        some = bags.select(records[begin : begin + RECORDS_AT_ONCE])
        stack.add(*some.rows, some.owners)
    return stack.bags(bags.vocabulary)


# -- the current storage

_in_use: ContextVar[Shelf] = ContextVar("shoal_shelf", default=IN_MEMORY)


def in_use() -> Shelf:
    """Return the storage for data derived from all records: memory, unless it is limited."""
    return _in_use.get()


@contextmanager
def using(shelf: Shelf) -> Iterator[None]:
    """Context in which data derived from all records is kept in this storage."""
    token = _in_use.set(shelf)
    try:
        yield
    finally:
        _in_use.reset(token)
