"""MDAV inside blocks of similar rows, where comparing all rows with one another would take too long: O(n (block / k + log n)) distances.

All rows are one block at first. A block of more than `size` rows is divided in two. Two rows that are far apart are its first poles, as
MDAV finds them (the row farthest from the centroid, and the row farthest from that one), and every row belongs to the nearer pole. Then the
centroids of both sides become the poles, `ROUNDS` times. Each side has at least a share `LEAST` of the rows: those nearest to the border
change sides where it would have fewer. Rows at equal distances are taken in the order of their numbers, so that the cut depends on content
alone where rows are numbered by content. Groups are formed in each block by itself, so they do not depend on the number of threads.

Owners: a block is divided only if both sides have rows of at least `ENOUGH` times k owners, so every block can be grouped.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal import _kernels
from shoal.data.bags import Ints
from shoal.data.table import Floats
from shoal.engines.local_engine import LocalEngine
from shoal.microaggregation.mdav import Space, mdav_groups, mdav_of_part
from shoal.util.numbers import distinct

ENOUGH = 8  # a block has at least this many times k owners
ROUNDS = 6  # in which poles become centroids
LEAST = 0.1  # of the rows of a block, on either side


def mdav_in_blocks(space: Space[Any], owners: Ints, k: int, size: int) -> Ints:
    """Form groups by MDAV inside blocks of at most `size` similar rows.

    Args:
        space: The rows, with their distances and centroids.
        owners: The owner of each row.
        k: The smallest number of owners of a group.
        size: The largest number of rows of a block; where there are no more rows, the groups are those of `mdav_groups`.

    Returns:
        The group of each row, numbered from 0; every group holds rows of at least k owners.

    Raises:
        Infeasible: There are fewer than k owners.
    """
    if len(space) <= size:
        return mdav_groups(space, owners, k)
    engine = LocalEngine("grouping")
    engine.expect(len(space))
    blocks = similar_blocks(space, owners, size, ENOUGH * k)

    def form(rows: Ints, task: _kernels.Task) -> Ints:
        return mdav_of_part(SpacePart(space, rows), owners[rows], k, task)

    labels, formed = np.empty(len(space), np.int64), 0
    for rows, found in zip(blocks, engine.gather(engine.map(form, blocks)), strict=True):
        labels[rows] = found + formed
        formed += int(found.max()) + 1
    return labels


def similar_blocks(space: Space[Any], owners: Ints, size: int, fewest: int) -> list[Ints]:
    """Cut all rows into blocks of at most `size` similar rows; a block is larger where a part would have fewer than `fewest` owners."""
    waiting, blocks = [np.arange(len(space), dtype=np.int64)], []
    while waiting:
        rows = waiting.pop()
        sides = _divided(space, rows) if len(rows) > size else []
        if sides and min(len(distinct(owners[side])) for side in sides) >= fewest:
            waiting += sides[::-1]
        else:
            blocks.append(rows)
    return blocks


def _divided(space: Space[Any], rows: Ints) -> list[Ints]:
    """Return the rows near one pole and those near the other; numbers rise in both."""
    first = space.point(int(rows[np.argmax(space.distances(space.centroid(rows), rows))]))
    second = space.point(int(rows[np.argmax(space.distances(first, rows))]))
    sides = _nearer(space, rows, first, second)
    for _ in range(ROUNDS):
        sides = _nearer(space, rows, space.centroid(sides[0]), space.centroid(sides[1]))
    return sides


def _nearer(space: Space[Any], rows: Ints, first: Any, second: Any) -> list[Ints]:
    lead = space.distances(first, rows) - space.distances(second, rows)
    order = np.argsort(lead, kind="stable")
    fewest = max(1, int(LEAST * len(rows)))
    cut = min(max(int(np.count_nonzero(lead < 0)), fewest), len(rows) - fewest)
    return [np.sort(rows[order[:cut]]), np.sort(rows[order[cut:]])]


class SpacePart:
    """Some rows of a space, numbered from 0 in their order."""

    def __init__(self, space: Space[Any], rows: Ints) -> None:
        self._space, self._rows = space, rows

    def __len__(self) -> int:
        return len(self._rows)

    def point(self, row: int) -> Any:
        """Where the row lies in the whole space."""
        return self._space.point(int(self._rows[row]))

    def centroid(self, rows: Ints) -> Any:
        """As in the whole space."""
        return self._space.centroid(self._rows[rows])

    def distances(self, point: Any, rows: Ints) -> Floats:
        """As in the whole space."""
        return self._space.distances(point, self._rows[rows])
