"""MDAV-generic (Domingo-Ferrer and Torra, DMKD 11, 2005) over any distance and centroid: groups of near rows around those farthest out.

While 3k owners are left: the row farthest from the centroid and its k-1 nearest form a group, then the row farthest from that one and its
k-1 nearest. With 2k owners left one more group is formed; what remains is the last group. At most 2 n^2 / k distances.

Owners: a group takes one row of an owner, the nearest, so that k rows are k people. Where every row has an owner of its own this is the
algorithm as published, with groups of k to 2k-1 rows. Where owners repeat, the last k to 2k-1 owners may have more rows than that: groups
are formed from them one at a time while k owners are left, and each row then left joins the group with the nearest centroid.
"""

from __future__ import annotations

from contextvars import copy_context
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from shoal import _kernels, kernels
from shoal.data.bags import Ints
from shoal.data.table import Floats
from shoal.errors import Infeasible, ShoalError

# -- what MDAV needs of data: how far rows lie from a point, and which point represents several rows
#
# A point is whatever the data needs: a vector, a value for each attribute, a tree of queries. It is only handed back to the space that
# made it. Rows are numbered from 0; of rows at equal distances MDAV takes the lower number, so they are given in an order by content
# where the order of arrival must not matter.


Point = TypeVar("Point")


class Space(Protocol[Point]):
    """Rows with a distance and a centroid.

    Distances are finite and not negative, and are only compared with one another: a square, or any other function that grows with the
    distance, serves as well. Each must depend on the point and the row alone, not on which other rows are requested with it.
    """

    def __len__(self) -> int:
        """Return how many rows there are."""

    def point(self, row: int) -> Point:
        """Return the point where this row lies."""

    def centroid(self, rows: Ints) -> Point:
        """Return the point that represents these rows, at least one; it must not depend on their order."""

    def distances(self, point: Point, rows: Ints) -> Floats:
        """Return how far each of these rows lies from the point."""


@runtime_checkable
class HasKernel(Protocol):
    """A space whose groups a kernel forms, the same as by its distances and centroids but sooner."""

    def mdav(self, owners: Ints, k: int) -> Ints:
        """Return the group of each row, numbered from 0 in the order of forming; owners are numbered from 0 without gaps, and are k or
        more.
        """


# -- the algorithm


def mdav_groups(space: Space[Any], owners: Ints, k: int) -> Ints:
    """Return the group of each row of the space, numbered from 0 in the order of forming; every group holds rows of at least k owners."""
    people, numbered = np.unique(owners, return_inverse=True)
    if len(people) < k:
        raise Infeasible(
            f"groups of {k:,} need as many people, but there are only {len(people):,}", code="too-few-people", k=k, owners=len(people)
        )
    if isinstance(space, HasKernel):
        return space.mdav(numbered.astype(np.int64), k)
    loop = _Grouping(space, numbered.astype(np.int64), k)
    settings = copy_context()  # what the space does in the loop's thread has those of the caller

    def work(task: _kernels.Task) -> Ints:
        task.begin(len(space))
        return settings.run(loop.run, task)

    found: Ints = kernels.run(work, label="grouping")
    return found


def mdav_of_people(space: Space[Any], k: int, task: _kernels.Task) -> Ints:
    """Return the same where every row is another person's, of whom there are at least k, as a part of a larger task."""
    return mdav_of_part(space, np.arange(len(space), dtype=np.int64), k, task)


def mdav_of_part(space: Space[Any], owners: Ints, k: int, task: _kernels.Task) -> Ints:
    """Return the same as a part of a larger task, where there are at least k owners."""
    return _Grouping(space, np.unique(owners, return_inverse=True)[1].astype(np.int64), k).run(task)


class _Grouping:
    """The rows that are in no group yet, and the groups formed so far."""

    def __init__(self, space: Space[Any], owners: Ints, k: int) -> None:
        self._space, self._owners, self._k = space, owners, k
        self._live: Ints = np.arange(len(space), dtype=np.int64)
        self._rows_of = np.bincount(owners)  # owner: live rows
        self._groups: list[Ints] = []

    def run(self, task: _kernels.Task) -> Ints:
        """Form groups as long as there are enough people, and return the group of each row."""
        while self._people >= 3 * self._k:
            left = self._gather(self._farthest(self._centroid()), task)
            self._gather(int(self._live[np.argmax(left)]), task)
        if self._people >= 2 * self._k:
            self._gather(self._farthest(self._centroid()), task)
        if len(self._live) >= 2 * self._k:  # owners repeat, for fewer than 2k of them are left
            while self._people >= self._k:
                self._gather(self._farthest(self._centroid()), task)
            return self._labels(self._nearest_groups())
        if len(self._live):
            self._groups.append(self._live)
        return self._labels(np.zeros(0, np.int64))

    @property
    def _people(self) -> int:
        return int(np.count_nonzero(self._rows_of))

    def _centroid(self) -> Any:
        return self._space.centroid(self._live)

    def _distances(self, point: Any, rows: Ints) -> Floats:
        found = np.asarray(self._space.distances(point, rows), np.float64)
        if found.shape != rows.shape or not (found >= 0).all() or not np.isfinite(found).all():
            raise ShoalError("a space gave distances that are not one finite, non-negative number for each row", code="invalid-distances")
        return found

    def _farthest(self, point: Any) -> int:
        return int(self._live[np.argmax(self._distances(point, self._live))])

    def _gather(self, seed: int, task: _kernels.Task) -> Floats:
        """Form a group of the seed and the nearest rows of k-1 other owners; returns the distances of the rows left to the seed."""
        distances = self._distances(self._space.point(seed), self._live)
        distances[np.searchsorted(self._live, seed)] = -1  # before any other row at the same place
        members = nearest_of_owners(distances, self._owners[self._live], self._k)
        self._groups.append(self._live[members])
        np.subtract.at(self._rows_of, self._owners[self._live[members]], 1)
        self._live = np.delete(self._live, members)
        task.step(len(members))
        return np.delete(distances, members)

    def _nearest_groups(self) -> Ints:
        """For each row left the group with the nearest centroid, of equals the first: it has k owners already."""
        best, home = np.full(len(self._live), np.inf), np.zeros(len(self._live), np.int64)
        for number, members in enumerate(self._groups):
            distances = self._distances(self._space.centroid(np.sort(members)), self._live)
            nearer = distances < best
            best[nearer], home[nearer] = distances[nearer], number
        return home

    def _labels(self, homes_of_rest: Ints) -> Ints:
        labels = np.empty(len(self._space), np.int64)
        for number, members in enumerate(self._groups):
            labels[members] = number
        labels[self._live[: len(homes_of_rest)]] = homes_of_rest
        return labels


def nearest_of_owners(distances: Floats, owners: Ints, k: int) -> Ints:
    """Return the places of the nearest row of each of k owners, nearest first; of equals the first. There must be k owners."""
    taken = k
    while True:
        taken = min(taken, len(distances))
        within = np.flatnonzero(distances <= np.partition(distances, taken - 1)[taken - 1])
        near = within[np.argsort(distances[within], kind="stable")]
        firsts = np.sort(np.unique(owners[near], return_index=True)[1])
        if len(firsts) >= k:
            return np.asarray(near[firsts[:k]])
        taken *= 4  # too many rows of the same owners
