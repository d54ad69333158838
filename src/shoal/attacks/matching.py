"""Scores of published records by how well they match an attacker's knowledge about people.

A known item matches a record by the lowest published node at or above it; the fewer published items lie below that node, the higher the
score. Weights are integers, so that equally good matches are exactly equal. People are processed in blocks. The best matches are found by
an index from nodes to rows (`best_matches`); for the similarity of whole records all scores of a block are needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING
from weakref import ref

import numpy as np
import numpy.typing as npt

from shoal.attacks.attacker_view import Owned, People, Scene
from shoal.attacks.best_matches import BestMatches, PeopleKnowledge, RowIndex
from shoal.attacks.scores import Floats, Scores
from shoal.data.bags import Bags, Ints
from shoal.util.numbers import distinct

if TYPE_CHECKING:
    import scipy.sparse as sp

Known = Sequence[Ints]
"""What is known of each of several people: items, or `counted` ones."""

UNIT = 1 << 16  # of weights, which are logarithms
BLOCK = 64  # people whose scores are held at a time
_MAKING, _MATCHER = Lock(), "_matcher"  # a matcher of a scene, and where the scene keeps it as long as somebody uses it
COUNT_BITS = 32


def _nothing() -> None:
    return None


def counted(items: Ints, counts: Ints) -> Ints:
    """Return items with known counts."""
    return items.astype(np.int64) | (counts.astype(np.int64) << COUNT_BITS)


class Matcher:
    """Scores the published records of a scene."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene

    @classmethod
    def shared(cls, scene: Scene) -> Matcher:
        """Return the matcher of a scene, with its index: the same for all attacks that run on it at the same time."""
        with _MAKING:
            matcher: Matcher = vars(scene).get(_MATCHER, _nothing)() or cls(scene)
            vars(scene)[_MATCHER] = ref(matcher)
            assert matcher.index is not None
        return matcher

    @cached_property
    def row_of(self) -> Ints:
        """The row of each published item."""
        return np.repeat(np.arange(len(self.scene.published)), np.diff(self.scene.published.indptr))

    @cached_property
    def holding(self) -> sp.csr_matrix:
        """The count of each node in each row, by nodes."""
        import scipy.sparse as sp

        published = self.scene.published
        shape = (len(published), len(self.scene.tree))
        return sp.csr_matrix((published.counts, published.items, published.indptr), shape=shape).T.tocsr()

    @cached_property
    def present(self) -> sp.csr_matrix:
        """The same with ones for counts."""
        return _ones(self.holding)

    @cached_property
    def index(self) -> RowIndex:
        """The rows of each node, for the best matches."""
        return RowIndex(self.scene, self.weights)

    @cached_property
    def weights(self) -> Ints:
        """The weight of each node in a record: never less than that of its ancestors."""
        return self.information_of(self.scene.tree.sum_up(self.held))

    @cached_property
    def held(self) -> Ints:
        """The number of published records with each node."""
        published, found = self.scene.published, np.zeros(len(self.scene.tree), np.int64)
        for begin, end in published.blocks():
            part = published.part(begin, end)
            copies = np.repeat(self.scene.copies[begin:end], np.diff(part.indptr))
            found += np.bincount(part.items, weights=copies, minlength=len(found)).astype(np.int64)
        return found

    def information_of(self, records: Ints) -> Ints:
        """Return the information, in weight units, of knowing that a record is one of n."""
        n = max(1, self.scene.n_records)
        return np.asarray(np.rint(UNIT * np.log2(n / np.clip(records, 1, n))), np.int64)

    def blocks(self, people: People, size: int = BLOCK) -> Iterator[Block]:
        """Yield people in blocks that are processed together."""
        for start in range(0, len(people), size):
            numbers = np.arange(start, min(len(people), start + size))
            yield Block(self, slice(start, start + len(numbers)), people.select(numbers))

    def best(
        self,
        known: Known,
        absent: Known | None = None,
        mine: Owned | None = None,
        possible: Owned | None = None,
        *,
        with_rows: bool = False,
    ) -> BestMatches:
        """Return the best matches of people with these known and these absent items.

        Args:
            known: Items that each person has, perhaps `counted`.
            absent: Items that each person lacks.
            mine: The rows of each person, for the probability of finding one.
            possible: The only rows that can be each person's; None for all.
            with_rows: Whether to return the rows that match best.
        """
        every = np.concatenate([*known, np.zeros(0, np.int64)])
        counts = every >> COUNT_BITS
        own = self._as_often(every) if counts.any() else np.zeros(len(every), np.int64)
        items = [one & ((1 << COUNT_BITS) - 1) for one in known]
        nothing = [np.zeros(0, np.int64)] * len(known)
        return self.index.best(
            PeopleKnowledge(items, counts, own, nothing if absent is None else absent, mine, possible), with_rows=with_rows
        )

    def _as_often(self, known: Ints) -> Ints:
        """Return the weight of a row that has each item as often as the person: it is shared by rows with the same count alone."""
        node, counts = known & ((1 << COUNT_BITS) - 1), known >> COUNT_BITS
        held = self.holding[node]
        place = np.repeat(np.arange(len(node)), np.diff(held.indptr))
        same = held.data == counts[place]
        return self.information_of(np.bincount(place[same], self.scene.copies[held.indices[same]], len(node)).astype(np.int64))

    def likeness(self, records: Bags) -> Scores:
        """Return the similarity of each row to these records: the cosine of weight vectors, by integers."""
        known = [records.items[start:end].astype(np.int64) for start, end in pairwise(records.indptr)]
        found = Fits(self, distinct(np.concatenate([*known, np.zeros(0, np.int64)]))).squared(known)
        found.data = np.asarray(np.rint(found.data / self._norms[found.indices]), np.int64)
        return Scores(found, self.scene)

    @cached_property
    def _norms(self) -> Floats:
        """The norm of each row's weight vector; one for rows without information."""
        squares = np.bincount(self.row_of, self.weights[self.scene.published.items].astype(float) ** 2, len(self.scene.published))
        return np.sqrt(np.maximum(squares, 1.0))


@dataclass(frozen=True, eq=False)
class Block:
    """Some of the attacked people, and their indices among all of them."""

    matcher: Matcher
    place: slice
    people: People

    @cached_property
    def possible(self) -> Owned:
        """The rows that may be the record of each."""
        return self.matcher.index.possible(self.people.records)

    def best(self, known: Known, absent: Known | None = None, *, whole: bool = False) -> BestMatches:
        """Return the best matches of these people; if the `whole` record is known, no row that cannot be the person's is one."""
        owned = self.people.owned
        return self.matcher.best(known, absent, self.possible if owned is None else owned, self.possible if whole else None)

    def found(self, matches: BestMatches) -> Floats:
        """Return the probability that a record drawn from the best matches is the person's."""
        return matches.chance_if_any() if self.people.owned is None else matches.chance()

    def chance(self, scores: Scores) -> Floats:
        """Do the same for scores of all rows."""
        owned, rows = self.people.owned, len(self.matcher.scene.published)
        return scores.chance_if(self.possible.matrix(rows)) if owned is None else scores.chance(owned)


class Fits:
    """The rows that each of several known items matches, and the weight of each match."""

    def __init__(self, matcher: Matcher, known: Ints) -> None:
        self._known = known
        parent, weights, node = matcher.scene.tree.parent.astype(np.int64), matcher.weights, known
        self._rows = _rows_at(matcher.present, node, node >= 0, weights)
        node = parent[node]
        while (telling := (node >= 0) & (weights[np.maximum(node, 0)] > 0)).any():
            # A lower node weighs at least as much as one above it, so the maximum is that of the lowest.
            self._rows = self._rows.maximum(_rows_at(matcher.present, node, telling, weights))
            node = np.where(telling, parent[node], -1)

    def squared(self, known: Known) -> sp.csr_matrix:
        """Return the sums of squared match weights for people with this knowledge."""
        import scipy.sparse as sp

        return sp.csr_matrix(_ones_at(known, self._known) @ self._rows.power(2))


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
