"""Scores of published rows for a block of people, and their evaluation.

Rows that have nothing in common with the knowledge are not stored: their score is zero. So if nothing scores above zero, all rows that are
not stored match best.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from shoal.attacks.attacker_view import Owned, Scene
from shoal.data.bags import Ints

if TYPE_CHECKING:
    import scipy.sparse as sp

Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


class Scores:
    """How well each row of a scene matches each of several people: a matrix of people by rows."""

    def __init__(self, matrix: sp.csr_matrix, scene: Scene) -> None:
        matrix.eliminate_zeros()
        self.matrix, self.scene = matrix, scene

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    @cached_property
    def _person_of(self) -> Ints:
        """The person of each stored score."""
        return np.repeat(np.arange(len(self)), np.diff(self.matrix.indptr))

    @cached_property
    def top(self) -> Ints:
        """The best score of each person."""
        whole = np.diff(self.matrix.indptr) == self.matrix.shape[1]
        return _highest(self.matrix, np.where(whole, np.iinfo(np.int64).min, 0))

    @cached_property
    def unfitted(self) -> Mask:
        """People for whom nothing matches: the rows that are not stored are best."""
        return np.asarray(self.top == 0)

    @cached_property
    def best(self) -> sp.csr_matrix:
        """A binary matrix of the stored rows that match best."""
        mask = self.matrix.data == self.top[self._person_of]
        return _only(self.matrix, mask)

    @cached_property
    def stored(self) -> sp.csr_matrix:
        """A binary matrix of all stored rows."""
        return _only(self.matrix, np.ones(self.matrix.nnz, bool))

    @cached_property
    def best_copies(self) -> Ints:
        """The number of published records that match best."""
        return self.copies_in(self.best, self.stored)

    def copies_in(self, best: sp.csr_matrix, stored: sp.csr_matrix) -> Ints:
        """Return the copies of these rows; for people without a match, of all rows except those stored."""
        copies = self.scene.copies
        return np.where(self.unfitted, self.scene.n_records - stored @ copies, best @ copies)

    def in_best(self, rows: sp.csr_matrix) -> Ints:
        """Return how many of each person's rows, a binary matrix, are among the best matches."""
        among, stored = _sums(rows.multiply(self.best)), _sums(rows.multiply(self.stored))
        return np.where(self.unfitted, _sums(rows) - stored, among)

    def chance(self, owned: Owned) -> Floats:
        """Return the probability that a record drawn from the best matches belongs to the person, who owns these rows."""
        return self.in_best(owned.matrix(self.matrix.shape[1])) / np.maximum(1, self.best_copies)

    def chance_if(self, possible: sp.csr_matrix) -> Floats:
        """Do the same if it counts as the person's when one of these rows, a binary matrix, is among the best matches."""
        return np.where(self.in_best(possible) > 0, 1 / np.maximum(1, self.best_copies), 0.0)

    def stands_out(self, least: float) -> Mask:
        """Return for whom a single record matches best, ahead of the second by this many standard deviations of all scores."""
        n, copies = max(1, self.scene.n_records), self.scene.copies[self.matrix.indices]
        values = self.matrix.data.astype(float)
        mean = np.bincount(self._person_of, values * copies, minlength=len(self)) / n
        square = np.bincount(self._person_of, values * values * copies, minlength=len(self)) / n
        spread = np.sqrt(np.maximum(0.0, square - mean * mean))
        others = _without(self.matrix, self.matrix.data == self.top[self._person_of])
        second = _highest(others, np.zeros(len(self), np.int64))
        return np.asarray((self.best_copies == 1) & (self.top - second > least * spread))


def _highest(matrix: sp.csr_matrix, least: Ints) -> Ints:
    """Return the highest stored value of each row of a matrix, at least `least`."""
    found = least.astype(matrix.dtype)
    filled = np.flatnonzero(np.diff(matrix.indptr))
    if len(filled):
        found[filled] = np.maximum(found[filled], np.maximum.reduceat(matrix.data, matrix.indptr[filled]))
    return found


def _only(matrix: sp.csr_matrix, mask: Mask) -> sp.csr_matrix:
    """Return ones for the stored values where a mask is true."""
    import scipy.sparse as sp

    found = _without(matrix, ~mask)
    return sp.csr_matrix((np.ones(found.nnz, np.int64), found.indices, found.indptr), shape=matrix.shape)


def _without(matrix: sp.csr_matrix, mask: Mask) -> sp.csr_matrix:
    """Return the stored values where a mask is false."""
    import scipy.sparse as sp

    running = np.concatenate([[0], np.cumsum(~mask)])
    return sp.csr_matrix((matrix.data[~mask], matrix.indices[~mask], running[matrix.indptr]), shape=matrix.shape)


def _sums(matrix: sp.csr_matrix) -> Ints:
    return np.asarray(matrix.sum(axis=1)).ravel().astype(np.int64)
