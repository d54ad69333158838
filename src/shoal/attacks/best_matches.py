"""The published rows that match best what is known about people, by a kernel with an index from nodes to rows.

The kernel visits only rows that hold a node at or above a known item. All other rows have a score of zero, so if nothing scores above zero,
they match best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from shoal import _kernels, kernels
from shoal.attacks.attacker_view import Owned, Scene
from shoal.data.bags import Bags, Ints, Small
from shoal.data.table import Floats

if TYPE_CHECKING:
    import scipy.sparse as sp

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class PeopleKnowledge:
    """What is known about several people, one entry each.

    Attributes:
        items: Items that each person has.
        counts: The person's count of each of these; zero if it is not known.
        own: The weight of a row with the same count, for known counts.
        absent: Items that each person lacks.
        mine: The published rows of each person; None if they are not needed.
        possible: The only rows that can be a person's; None for all.
    """

    items: Sequence[Ints]
    counts: Ints
    own: Ints
    absent: Sequence[Ints]
    mine: Owned | None = None
    possible: Owned | None = None


class RowIndex:
    """An index from the nodes of a tree to the published rows of a scene that hold them."""

    def __init__(self, scene: Scene, weights: Ints) -> None:
        self._scene = scene
        parent = np.ascontiguousarray(scene.tree.parent, np.int32)
        self._index = _kernels.MatchIndex(scene.published.view, parent, weights, np.ascontiguousarray(scene.copies, np.int64))

    def best(self, knowledge: PeopleKnowledge, *, with_rows: bool = False) -> BestMatches:
        """Return the best matches of each person; which rows they are only if requested."""
        people = len(knowledge.items)
        known = _kernels.Knowledge(
            items=_lists(knowledge.items),
            counts=knowledge.counts.astype(np.int32),
            own=knowledge.own,
            absent=_lists(knowledge.absent),
            mine=_rows(knowledge.mine, people),
            possible=_rows(knowledge.possible, people),
            limited=knowledge.possible is not None,
        )
        return BestMatches(self._scene, *kernels.run(_kernels.best_matches, self._index, known, with_rows, kernels.threads()))

    def possible(self, records: Bags) -> Owned:
        """Return the rows that may be the record of somebody with exactly these items: each of their nodes is at or above one."""
        starts, rows, _ = kernels.run(_kernels.possible_rows, self._index, records.view, kernels.threads())
        return Owned(starts, rows.astype(np.int64))


@dataclass(frozen=True, eq=False)
class BestMatches:
    """The best matches of each of several people, in the order of the kernel's results.

    Attributes:
        scene: What was published.
        top: The best score.
        second: The best score below it, at least zero.
        copies: The number of published records that match best.
        among: How many of the person's rows do.
        total: The sum of the scores of all published records.
        square: The sum of their squares.
        starts: Where the rows of each person begin in `rows`.
        rows: The rows that match best, if requested; none for people for whom nothing matches.
    """

    scene: Scene
    top: Ints
    second: Ints
    copies: Ints
    among: Ints
    total: Floats
    square: Floats
    starts: Ints
    rows: Small

    def __len__(self) -> int:
        return len(self.top)

    @cached_property
    def unfitted(self) -> Mask:
        """People for whom nothing matches: the rows without a score are best."""
        return np.asarray(self.top == 0)

    @cached_property
    def matrix(self) -> sp.csr_matrix:
        """A binary matrix of people by the rows that match best."""
        import scipy.sparse as sp

        shape = (len(self), len(self.scene.published))
        return sp.csr_matrix((np.ones(len(self.rows), np.int64), self.rows.astype(np.int64), self.starts), shape=shape)

    def chance(self) -> Floats:
        """Return the probability that a record drawn from the best matches belongs to the person."""
        return np.asarray(self.among / np.maximum(1, self.copies))

    def chance_if_any(self) -> Floats:
        """Do the same if a drawn record counts as the person's whenever one of the person's rows is among the best matches."""
        return np.where(self.among > 0, 1 / np.maximum(1, self.copies), 0.0)

    def same(self, other: BestMatches) -> Floats:
        """Return the probability that two draws, one from the best of each, give the same record. No score is negative."""
        both = self.matrix.multiply(other.matrix) @ self.scene.copies
        both = np.where(self.unfitted, other.copies, np.where(other.unfitted, self.copies, both))
        return np.asarray(both / np.maximum(1, self.copies * other.copies))

    def stands_out(self, least: float) -> Mask:
        """Return for whom a single record matches best, ahead of the second by this many standard deviations of all scores."""
        n = max(1, self.scene.n_records)
        mean = self.total / n
        spread = np.sqrt(np.maximum(0.0, self.square / n - mean * mean))
        return np.asarray((self.copies == 1) & (self.top - self.second > least * spread))


def _lists(several: Sequence[Ints]) -> _kernels.NumberLists:
    starts = np.concatenate([[0], np.cumsum([len(one) for one in several], dtype=np.int64)]).astype(np.int64)
    return _kernels.NumberLists(starts, np.concatenate([*several, np.zeros(0, np.int64)]).astype(np.int32))


def _rows(owned: Owned | None, people: int) -> _kernels.NumberLists:
    if owned is None:
        return _kernels.NumberLists(np.zeros(people + 1, np.int64), np.zeros(0, np.int32))
    return _kernels.NumberLists(owned.starts.astype(np.int64), owned.rows.astype(np.int32))
