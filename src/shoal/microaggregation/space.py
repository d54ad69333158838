"""What MDAV asks of data: how far rows lie from a point, and which point represents several rows.

A point is whatever the data needs: a vector, a value for each attribute, a tree of queries. It is only handed back to the space that made
it. Rows are numbered from 0; of rows at equal distances MDAV takes the lower number, so they are given in an order by content where the
order of arrival must not matter.
"""

from __future__ import annotations

from typing import Protocol, TypeVar, runtime_checkable

from shoal.data.table import Floats, Ints

Point = TypeVar("Point")


class Space(Protocol[Point]):
    """Rows with a distance and a centroid.

    Distances are finite and not negative, and are only compared with one another: a square, or any other function that grows with the
    distance, serves as well. Each must depend on the point and the row alone, not on which other rows are requested with it.
    """

    def __len__(self) -> int:
        """How many rows there are."""

    def point(self, row: int) -> Point:
        """The point where this row lies."""

    def centroid(self, rows: Ints) -> Point:
        """The point that represents these rows, at least one; it must not depend on their order."""

    def distances(self, point: Point, rows: Ints) -> Floats:
        """How far each of these rows lies from the point."""


@runtime_checkable
class HasKernel(Protocol):
    """A space whose groups a kernel forms, the same as by its distances and centroids but sooner."""

    def mdav(self, owners: Ints, k: int) -> Ints:
        """The group of each row, numbered from 0 in the order of forming; owners are numbered from 0 without gaps, and are k or more."""
