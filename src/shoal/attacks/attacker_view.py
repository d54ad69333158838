"""The attacker's view: published records, and people about whom something is known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from shoal.data.bags import Bags, Ints
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.taxonomy import Taxonomy
from shoal.util.numbers import distinct

if TYPE_CHECKING:
    import scipy.sparse as sp


@dataclass(frozen=True, eq=False)
class Scene:
    """The distinct published records, their multiplicities, and the tree of their items.

    `world` are the records that were published: the frequencies of their items count as public knowledge.
    """

    published: Bags
    copies: Ints
    tree: Taxonomy
    world: Bags

    @cached_property
    def n_records(self) -> int:
        """The number of published records."""
        return int(self.copies.sum())

    @cached_property
    def holders(self) -> Ints:
        """The number of records of the world with each item."""
        return np.bincount(self.world.items, minlength=len(self.tree))

    @classmethod
    def of_release(cls, release: Release, original: Original) -> Scene:
        """Make a scene from a release, in the vocabulary of its original."""
        placed = original.aligned(release)
        return cls(placed.published, placed.copies, original.tree, original.bags)

    @classmethod
    def of_raw(cls, original: Original) -> Scene:
        """Make a scene in which the original itself is published."""
        return cls.of_world(original.bags, original.tree)

    @classmethod
    def of_world(cls, records: Bags, tree: Taxonomy) -> Scene:
        """Make a scene of records published unchanged."""
        return cls(records, np.ones(len(records), np.int64), tree, records)


@dataclass(frozen=True, eq=False)
class Owned:
    """The published rows of each of several people or records: those of number i are `rows[starts[i]:starts[i+1]]`."""

    starts: Ints
    rows: Ints

    @classmethod
    def one_each(cls, rows: Ints) -> Owned:
        """Make it from one row each; negative means none."""
        there = rows >= 0
        return cls(np.concatenate([[0], np.cumsum(there)]), rows[there])

    @classmethod
    def of_pairs(cls, numbers: Ints, rows: Ints, n: int) -> Owned:
        """Make it from pairs of a number below n and a row, which may repeat."""
        width = int(rows.max(initial=0)) + 1
        pairs = distinct(numbers.astype(np.int64) * width + rows)
        return cls(np.searchsorted(pairs // width, np.arange(n + 1)), pairs % width)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> Ints:
        """The number of rows of each."""
        return np.diff(self.starts)

    def select(self, numbers: Ints) -> Owned:
        """Return those of some numbers."""
        sizes = self.sizes[numbers]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        return Owned(starts, self.rows[np.arange(starts[-1]) + np.repeat(self.starts[numbers] - starts[:-1], sizes)])

    def matrix(self, n_rows: int) -> sp.csr_matrix:
        """Return a binary matrix of numbers by rows."""
        import scipy.sparse as sp

        return sp.csr_matrix((np.ones(len(self.rows), np.int64), self.rows, self.starts), shape=(len(self), n_rows))


@dataclass(frozen=True, eq=False)
class People:
    """What is known about people, one record each, in the vocabulary of a scene; `rows` has the published rows of each.

    Without `rows` the mapping is not known, or they were never published: then a published record counts as a person's if it may be, in the
    attacker's favour.
    """

    records: Bags
    rows: Ints | Owned | None = None

    def __len__(self) -> int:
        return len(self.records)

    @cached_property
    def owned(self) -> Owned | None:
        """The published rows of each person, if known."""
        return self.rows if self.rows is None or isinstance(self.rows, Owned) else Owned.one_each(np.asarray(self.rows, np.int64))

    @property
    def rows_each(self) -> float:
        """The mean number of published rows per person, any of which identifies the person; one if unknown."""
        return float(self.owned.sizes.mean()) if self.owned is not None and len(self.owned) else 1.0

    def select(self, numbers: Ints) -> People:
        """Return some of the people."""
        return People(self.records.select(numbers), None if self.owned is None else self.owned.select(numbers))

    def items(self, person: int) -> Ints:
        """Return the items of one person's record, ascending."""
        return self.records.items[self.records.indptr[person] : self.records.indptr[person + 1]].astype(np.int64)

    def counts(self, person: int) -> Ints:
        """Return the person's count of each of them."""
        return self.records.counts[self.records.indptr[person] : self.records.indptr[person + 1]].astype(np.int64)
