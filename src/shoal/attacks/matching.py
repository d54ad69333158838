"""How well published records fit what an attacker knows of a person.

A known item fits a record by the lowest published node at or above it, and the fewer published items lie below that node, the more it
tells. Weights are whole numbers, so that records that fit equally well are exactly equal.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.attacks.scene import People, Scene
from shoal.data.bags import Ints
from shoal.taxonomy.postings import Postings

Mask = npt.NDArray[np.bool_]

UNIT = 1 << 16  # of weights, which are logarithms
MOST_KEPT = 1 << 22  # rows of fits that are remembered


class Fit(NamedTuple):
    """The rows that an item fits, and how much each fit tells."""

    rows: Ints
    weights: Ints


class Matcher:
    """Scores the published records of a scene."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._index = Postings(scene.published, scene.tree)
        self.row_of, self.holding = self._index.row_of, self._index.holding
        self._seen = np.zeros(len(scene.published), bool)  # rows for which a lower node was found
        self._fits: dict[int, Fit] = {}
        self._kept = 0

    @cached_property
    def weights(self) -> Ints:
        """What it tells that a record holds a node: never less than for the nodes above it."""
        tree, n = self.scene.tree, max(1, self.scene.n_records)
        held = np.bincount(self.scene.published.items, weights=self.scene.copies[self.row_of], minlength=len(tree)).astype(np.int64)
        below = np.clip(tree.sum_up(held), 1, n)
        return np.asarray(np.rint(UNIT * np.log2(n / below)), np.int64)

    def fit(self, item: int) -> Fit:
        """The rows with a node at or above this item; the lowest such node says how much that tells."""
        if item not in self._fits:
            found = self._fitted(item)
            if self._kept + len(found.rows) > MOST_KEPT:
                self._fits.clear()
                self._kept = 0
            self._kept += len(found.rows)
            self._fits[item] = found
        return self._fits[item]

    def _fitted(self, item: int) -> Fit:
        rows, weights, node = [], [], item
        self._seen[:] = False
        while node >= 0:
            held = self.holding(node)
            fresh = held[~self._seen[held]]
            self._seen[fresh] = True
            rows.append(fresh)
            weights.append(np.full(len(fresh), self.weights[node]))
            node = int(self.scene.tree.parent[node])
        return Fit(np.concatenate(rows), np.concatenate(weights))

    def scores(self, items: Iterable[int]) -> Ints:
        """How well each row fits somebody who holds these items."""
        found = np.zeros(len(self.scene.published), np.int64)
        for item in items:
            fit = self.fit(int(item))
            found[fit.rows] += fit.weights
        return found

    def best(self, scores: Ints) -> Mask:
        """The rows that fit best."""
        return np.asarray(scores == scores.max()) if len(scores) else np.zeros(0, bool)

    def copies_of(self, rows: Mask) -> int:
        """How many published records these rows are."""
        return int(self.scene.copies[rows].sum())

    def possible(self, rows: Ints, items: Ints) -> Mask:
        """Which of these rows may be the record of somebody who holds just these items: each of their nodes is at or above one."""
        published = self.scene.published
        starts, sizes = published.indptr[rows], np.diff(published.indptr)[rows]
        ends = np.cumsum(sizes)
        nodes = published.items[np.arange(sizes.sum()) + np.repeat(starts - (ends - sizes), sizes)]
        strange = np.searchsorted(items, self.scene.tree.end[nodes]) == np.searchsorted(items, nodes)
        return np.asarray(np.bincount(np.repeat(np.arange(len(rows)), sizes)[strange], minlength=len(rows)) == 0)

    def chance(self, rows: Mask, people: People, person: int) -> float:
        """The chance that a record drawn from these rows is this person's."""
        if people.rows is None:
            theirs = bool(self.possible(np.flatnonzero(rows), people.items(person)).any())
        else:
            theirs = bool(rows[people.rows[person]])
        return 1 / self.copies_of(rows) if theirs else 0.0

    def stands_out(self, scores: Ints, least: float) -> bool:
        """Whether a single record fits best, ahead of the second by so many standard deviations of all scores."""
        best = self.best(scores)
        if not len(scores) or self.copies_of(best) > 1:
            return False
        shares = self.scene.copies / self.scene.n_records
        mean = float(scores @ shares)
        spread = float(np.sqrt(max(0.0, float((scores.astype(float) ** 2) @ shares) - mean * mean)))
        return bool(scores.max() - scores[~best].max(initial=0) > least * spread)
