"""Groups of records: their members one behind the other, as kernels take and give them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.data.bags import Ints


@dataclass(frozen=True, eq=False)
class Followers:
    """Records that go wherever another one goes."""

    records: Ints
    leaders: Ints

    @classmethod
    def nobody(cls) -> Followers:
        """No record follows another."""
        return cls(np.zeros(0, np.int64), np.zeros(0, np.int64))


@dataclass(frozen=True, eq=False)
class Groups:
    """Group g holds the records `members[starts[g]:starts[g + 1]]`."""

    starts: Ints
    members: Ints

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> Ints:
        """How many records each group holds."""
        return np.diff(self.starts)

    @property
    def labels(self) -> Ints:
        """The group of each member, in the order of the members."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @classmethod
    def of_sizes(cls, sizes: Ints, members: Ints) -> Groups:
        """The first group takes as many members as its size says, then the second, ..."""
        return cls(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), members)

    @classmethod
    def labelled(cls, labels: Ints) -> Groups:
        """The records with label 0, then those with label 1, ..."""
        return cls.of_sizes(np.bincount(labels), np.argsort(labels, kind="stable").astype(np.int64))

    @classmethod
    def joined(cls, parts: Sequence[Groups]) -> Groups:
        """The groups of all parts, one part after the other."""
        sizes = np.concatenate([np.zeros(0, np.int64), *(part.sizes for part in parts)])
        return cls.of_sizes(sizes, np.concatenate([np.zeros(0, np.int64), *(part.members for part in parts)]))

    def select(self, chosen: Ints) -> Groups:
        """The groups with these numbers, in this order."""
        sizes = self.sizes[chosen]
        picked = Groups.of_sizes(sizes, self.members)
        at = np.arange(picked.starts[-1]) + np.repeat(self.starts[chosen] - picked.starts[:-1], sizes)
        return Groups(picked.starts, self.members[at])

    def with_newcomers(self, group: Ints, records: Ints) -> Groups:
        """The same groups after each record joined one of them."""
        labels = np.concatenate([self.labels, group])
        order = np.argsort(labels, kind="stable")
        return Groups.of_sizes(np.bincount(labels, minlength=len(self)), np.concatenate([self.members, records])[order])

    def with_followers(self, followers: Followers) -> Groups:
        """The same groups after followers came where their leaders are."""
        if not len(followers.records):
            return self
        group = np.empty(int(max(self.members.max(), followers.records.max())) + 1, np.int64)
        group[self.members] = self.labels
        return self.with_newcomers(group[followers.leaders], followers.records)

    def in_ranges(self, size: int) -> Iterator[Groups]:
        """All groups in their order, this many at a time."""
        for first in range(0, len(self), size):
            starts = self.starts[first : first + size + 1]
            yield Groups(starts - starts[0], self.members[starts[0] : starts[-1]])
