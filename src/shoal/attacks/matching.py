"""Scores of published records by how well they match an attacker's knowledge about people.

A known item matches a record by the lowest published node at or above it; the fewer published items lie below that node, the higher the
score. Weights are integers, so that equally good matches are exactly equal. People are processed in blocks: the knowledge about a block of
people, multiplied by the rows that each known item matches, gives the scores of all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from shoal.attacks.attacker_view import People, Scene
from shoal.attacks.scores import Floats, Scores
from shoal.data.bags import Bags, Ints
from shoal.util.sorted_numbers import distinct

if TYPE_CHECKING:
    import scipy.sparse as sp

Known = Sequence[Ints]
"""What is known of each of several people: items, or `counted` ones."""

UNIT = 1 << 16  # of weights, which are logarithms
BLOCK = 64  # people whose scores are held at a time
COUNT_BITS = 32


def counted(items: Ints, counts: Ints) -> Ints:
    """Return items with known counts."""
    return items.astype(np.int64) | (counts.astype(np.int64) << COUNT_BITS)


class Matcher:
    """Scores the published records of a scene."""

    def __init__(self, scene: Scene) -> None:
        import scipy.sparse as sp

        self.scene = scene
        published, shape = scene.published, (len(scene.published), len(scene.tree))
        self.row_of = np.repeat(np.arange(len(published)), np.diff(published.indptr))
        self.holding: sp.csr_matrix = sp.csr_matrix((published.counts, published.items, published.indptr), shape=shape).T.tocsr()
        self.present = _ones(self.holding)

    @cached_property
    def weights(self) -> Ints:
        """The weight of each node in a record: never less than that of its ancestors."""
        held = np.bincount(self.scene.published.items, weights=self.scene.copies[self.row_of], minlength=len(self.scene.tree))
        return self.told_by(self.scene.tree.sum_up(held.astype(np.int64)))

    def told_by(self, records: Ints) -> Ints:
        """Return the information, in weight units, of knowing that a record is one of n."""
        n = max(1, self.scene.n_records)
        return np.asarray(np.rint(UNIT * np.log2(n / np.clip(records, 1, n))), np.int64)

    def blocks(self, people: People) -> Iterator[Block]:
        """Yield people in blocks that are processed together."""
        for start in range(0, len(people), BLOCK):
            numbers = np.arange(start, min(len(people), start + BLOCK))
            yield Block(self, slice(start, start + len(numbers)), people.select(numbers))

    def fits(self, known: Known) -> Fits:
        """Return the rows that match any of the known items, for scoring."""
        return Fits(self, distinct(np.concatenate([*known, np.zeros(0, np.int64)])))

    def scores(self, known: Known) -> Scores:
        """Return how well each row matches people with this knowledge."""
        return self.fits(known).scores(known)

    def likeness(self, records: Bags) -> Scores:
        """Return the similarity of each row to these records: the cosine of weight vectors, by integers."""
        known = [records.items[start:end].astype(np.int64) for start, end in pairwise(records.indptr)]
        found = self.fits(known).squared(known)
        found.data = np.asarray(np.rint(found.data / self._norms[found.indices]), np.int64)
        return Scores(found, self.scene)

    @cached_property
    def _norms(self) -> Floats:
        """The norm of each row's weight vector; one for rows without information."""
        squares = np.bincount(self.row_of, self.weights[self.scene.published.items].astype(float) ** 2, len(self.scene.published))
        return np.sqrt(np.maximum(squares, 1.0))

    def possible(self, records: Bags) -> sp.csr_matrix:
        """Return a binary matrix of the rows that may be the record of somebody with exactly these items: each of their nodes is at or
        above one.
        """
        import scipy.sparse as sp

        above = _at_or_above(records, self.scene.tree.parent)
        explained = (above @ self.present).tocsr()
        sizes = np.diff(self.scene.published.indptr)
        found = sp.csr_matrix((explained.data == sizes[explained.indices], explained.indices, explained.indptr), explained.shape, np.int64)
        found.eliminate_zeros()
        empty = np.flatnonzero(sizes == 0)
        if not len(empty):
            return found
        every = sp.csr_matrix((np.ones(len(empty), np.int64), empty, [0, len(empty)]), shape=(1, len(sizes)))
        return sp.csr_matrix(found + sp.vstack([every] * len(records), "csr"))


@dataclass(frozen=True, eq=False)
class Block:
    """Some of the attacked people, and their indices among all of them."""

    matcher: Matcher
    place: slice
    people: People

    @cached_property
    def possible(self) -> sp.csr_matrix:
        """Return a binary matrix of the rows that may be the record of each."""
        return self.matcher.possible(self.people.records)

    def chance(self, scores: Scores) -> Floats:
        """Return the probability that a record drawn from the best matches is the person's."""
        return scores.chance_if(self.possible) if self.people.owned is None else scores.chance(self.people.owned)


class Fits:
    """The rows that each of several known items matches, and the weight of each match."""

    def __init__(self, matcher: Matcher, known: Ints) -> None:
        self._known, self._scene = known, matcher.scene
        self._matcher = matcher
        node = known & ((1 << COUNT_BITS) - 1)
        self._rows = self._own(node, known >> COUNT_BITS)
        parent, weights = self._scene.tree.parent.astype(np.int64), matcher.weights
        node = parent[node]
        while (telling := (node >= 0) & (weights[np.maximum(node, 0)] > 0)).any():
            # A lower node weighs at least as much as one above it, so the maximum is that of the lowest.
            self._rows = self._rows.maximum(_rows_at(matcher.present, node, telling, weights))
            node = np.where(telling, parent[node], -1)

    def _own(self, node: Ints, counts: Ints) -> sp.csr_matrix:
        """Return rows with the known items themselves.

        If a person's count of an item is known, a row with a higher count cannot be the person's, and one with the same count weighs more.
        """
        import scipy.sparse as sp

        weights, held = self._matcher.weights, self._matcher.holding[node]
        place = np.repeat(np.arange(len(node)), np.diff(held.indptr))
        same, more = held.data == counts[place], (held.data > counts[place]) & (counts[place] > 0)
        as_often = self._matcher.told_by(np.bincount(place[same], self._scene.copies[held.indices[same]], len(node)).astype(np.int64))
        told = np.where(same, as_often[place], np.where(more, 0, weights[node][place]))
        return sp.csr_matrix((told, held.indices, held.indptr), shape=held.shape)

    def scores(self, known: Known, absent: Known | None = None) -> Scores:
        """Return how well each row matches people with these known and these absent items."""
        found = self._chosen(known) @ self._rows
        if absent is not None:
            items = distinct(np.concatenate([*absent, np.zeros(0, np.int64)]))
            held = _scaled(self._matcher.present[items], self._matcher.weights[items])
            found = found - _ones_at(absent, items) @ held
        return Scores(found.tocsr(), self._scene)

    def squared(self, known: Known) -> sp.csr_matrix:
        """Return the sums of squared match weights for people with this knowledge."""
        import scipy.sparse as sp

        return sp.csr_matrix(self._chosen(known) @ self._rows.power(2))

    def only(self, scores: Scores, possible: sp.csr_matrix) -> Scores:
        """Return the scores without impossible rows, which are worse than any other."""
        return Scores((scores.matrix.multiply(possible) + possible).tocsr(), self._scene)

    def _chosen(self, known: Known) -> sp.csr_matrix:
        return _ones_at(known, self._known)


def _ones_at(known: Known, listed: Ints) -> sp.csr_matrix:
    """Return a binary matrix of people by the listed items."""
    import scipy.sparse as sp

    starts = np.cumsum([0, *map(len, known)])
    places = np.searchsorted(listed, np.concatenate([*known, np.zeros(0, np.int64)]))
    return sp.csr_matrix((np.ones(len(places), np.int64), places, starts), shape=(len(known), len(listed)))


def _ones(matrix: sp.csr_matrix) -> sp.csr_matrix:
    import scipy.sparse as sp

    return sp.csr_matrix((np.ones(matrix.nnz, np.int64), matrix.indices, matrix.indptr), shape=matrix.shape)


def _rows_at(present: sp.csr_matrix, node: Ints, telling: npt.NDArray[np.bool_], weights: Ints) -> sp.csr_matrix:
    """Return rows with the nodes where a mask is true, with their weights; the others are not looked up."""
    import scipy.sparse as sp

    held = present[node[telling]]
    sizes = np.zeros(len(node), np.int64)
    sizes[telling] = np.diff(held.indptr)
    data = np.repeat(weights[node[telling]], sizes[telling])
    return sp.csr_matrix((data, held.indices, np.concatenate([[0], np.cumsum(sizes)])), shape=(len(node), present.shape[1]))


def _scaled(matrix: sp.csr_matrix, by: Ints) -> sp.csr_matrix:
    """Multiply each row of a binary matrix by a number; rows multiplied by zero are left out."""
    import scipy.sparse as sp

    data = np.repeat(by, np.diff(matrix.indptr))
    found = sp.csr_matrix((data, matrix.indices, matrix.indptr), shape=matrix.shape)
    found.eliminate_zeros()
    return found


def _at_or_above(records: Bags, parent: npt.NDArray[np.int32]) -> sp.csr_matrix:
    """Return a binary matrix of people by the nodes at or above any of their items."""
    import scipy.sparse as sp

    who, node = np.repeat(np.arange(len(records)), np.diff(records.indptr)), records.items.astype(np.int64)
    pairs = [np.zeros(0, np.int64)]
    while len(node):
        pairs.append(distinct(who * len(parent) + node))
        who, node = pairs[-1] // len(parent), parent[pairs[-1] % len(parent)].astype(np.int64)
        who, node = who[node >= 0], node[node >= 0]
    keys = distinct(np.concatenate(pairs))
    shape = (len(records), len(parent))
    return sp.csr_matrix((np.ones(len(keys), np.int64), (keys // len(parent), keys % len(parent))), shape=shape)
