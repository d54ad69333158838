"""What an attacker faces: published records, and people of whom something is known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.data.bags import Bags, Ints
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.taxonomy.tree import Taxonomy


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
        return cls(original.bags, np.ones(len(original.bags), np.int64), original.tree, original.bags)


@dataclass(frozen=True, eq=False)
class People:
    """Records of people, one each, in the vocabulary of a scene; `rows` has each one's published row.

    Without `rows` it is not known which record is whose, or they were never published: then a published record counts as a person's if
    it may be, in the attacker's favour.
    """

    records: Bags
    rows: Ints | None = None

    def __len__(self) -> int:
        return len(self.records)

    def items(self, person: int) -> Ints:
        """The items of one person's record, ascending."""
        return self.records.items[self.records.indptr[person] : self.records.indptr[person + 1]].astype(np.int64)
