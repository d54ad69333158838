"""What an attacker faces: published records, and people of whom something is known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from shoal.data.bags import Bags, Ints
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.taxonomy import Taxonomy

if TYPE_CHECKING:
    import scipy.sparse as sp


@dataclass(frozen=True, eq=False)
class Scene:
    """The different published records, in how many copies each is published, and the tree on which their items stand.

    `world` are the records that were published: how common their items are is what everybody may know.
    """

    published: Bags
    copies: Ints
    tree: Taxonomy
    world: Bags

    @cached_property
    def n_records(self) -> int:
        """How many records are published."""
        return int(self.copies.sum())

    @cached_property
    def holders(self) -> Ints:
        """How many records of the world hold each item."""
        return np.bincount(self.world.items, minlength=len(self.tree))

    @classmethod
    def of_release(cls, release: Release, original: Original) -> Scene:
        """A release, in the vocabulary of its original."""
        placed = original.aligned(release)
        return cls(placed.published, placed.copies, original.tree, original.bags)

    @classmethod
    def of_raw(cls, original: Original) -> Scene:
        """The original itself, published as it is."""
        return cls.of_world(original.bags, original.tree)

    @classmethod
    def of_world(cls, records: Bags, tree: Taxonomy) -> Scene:
        """Records published as they are."""
        return cls(records, np.ones(len(records), np.int64), tree, records)


@dataclass(frozen=True, eq=False)
class Owned:
    """The published rows of each of several people or records: those of number i are `rows[starts[i]:starts[i+1]]`."""

    starts: Ints
    rows: Ints

    @classmethod
    def one_each(cls, rows: Ints) -> Owned:
        """One row each; below 0 is none."""
        there = rows >= 0
        return cls(np.concatenate([[0], np.cumsum(there)]), rows[there])

    @classmethod
    def of_pairs(cls, numbers: Ints, rows: Ints, n: int) -> Owned:
        """From pairs of a number below n and a row, which may repeat."""
        width = int(rows.max(initial=0)) + 1
        pairs = np.unique(numbers.astype(np.int64) * width + rows)
        return cls(np.searchsorted(pairs // width, np.arange(n + 1)), pairs % width)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> Ints:
        """How many rows each has."""
        return np.diff(self.starts)

    def select(self, numbers: Ints) -> Owned:
        """Those of some of them."""
        sizes = self.sizes[numbers]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        return Owned(starts, self.rows[np.arange(starts[-1]) + np.repeat(self.starts[numbers] - starts[:-1], sizes)])

    def matrix(self, n_rows: int) -> sp.csr_matrix:
        """As a matrix of ones: whose row is which."""
        import scipy.sparse as sp

        return sp.csr_matrix((np.ones(len(self.rows), np.int64), self.rows, self.starts), shape=(len(self), n_rows))


@dataclass(frozen=True, eq=False)
class People:
    """What is known about people, one record each, in the vocabulary of a scene; `rows` has the published rows of each.

    Without `rows` it is not known which record is whose, or they were never published: then a published record counts as a person's if
    it may be, in the attacker's favour.
    """

    records: Bags
    rows: Ints | Owned | None = None

    def __len__(self) -> int:
        return len(self.records)

    @cached_property
    def owned(self) -> Owned | None:
        """The published rows of each person, where they are known."""
        return self.rows if self.rows is None or isinstance(self.rows, Owned) else Owned.one_each(np.asarray(self.rows, np.int64))

    @property
    def rows_each(self) -> float:
        """How many published rows a person has in the mean, by any of which the person is found; one where that is not known."""
        return float(self.owned.sizes.mean()) if self.owned is not None and len(self.owned) else 1.0

    def select(self, numbers: Ints) -> People:
        """Some of them."""
        return People(self.records.select(numbers), None if self.owned is None else self.owned.select(numbers))

    def items(self, person: int) -> Ints:
        """The items of one person's record, ascending."""
        return self.records.items[self.records.indptr[person] : self.records.indptr[person + 1]].astype(np.int64)

    def counts(self, person: int) -> Ints:
        """How often the person has each of them."""
        return self.records.counts[self.records.indptr[person] : self.records.indptr[person + 1]].astype(np.int64)
