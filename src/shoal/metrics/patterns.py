"""What frequent pattern mining still finds (Liu and Wang, ICDM'10, section V.B).

The n most frequent closed patterns of the original are looked for among those of the release. Recall is the share of their terms that one
published pattern holds; sDist is how far, per term, the nearest published pattern is in meaning.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal import _kernels, kernels
from shoal.data.bags import Bags, Ints
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.errors import ParameterError
from shoal.metrics import Metric
from shoal.taxonomy.distance import SemanticDistance

TOP = 500
MOST = 100_000
_top: ContextVar[int] = ContextVar("shoal_patterns", default=TOP)


@contextmanager
def counting_patterns(n: int | None) -> Iterator[None]:
    """Context in which metrics compare the n most frequent closed patterns; None is the default number."""
    if n is not None and not 1 <= n <= MOST:
        raise ParameterError(f"patterns must be a whole number from 1 to {MOST:,}, not {n}", code="out-of-range", value=n)
    token = _top.set(TOP if n is None else n)
    try:
        yield
    finally:
        _top.reset(token)


@dataclass(frozen=True, eq=False)
class Patterns:
    """Closed patterns, by falling support."""

    bags: Bags
    support: Ints

    def __len__(self) -> int:
        return len(self.bags)


def closed_patterns(bags: Bags, n: int = TOP, *, shortest: int = 1, weights: npt.ArrayLike | None = None) -> Patterns:
    """Return the n most frequent closed patterns of at least `shortest` occurrences; record i counts `weights[i]` times (once by default).

    Ties in support are decided by the items, never by the order of the records.
    """
    each = np.ones(len(bags), np.int64) if weights is None else np.asarray(weights, np.int64)
    (indptr, items, counts), support = kernels.run(_kernels.top_closed, bags.view, each, n, shortest, label="mining patterns")
    found = Bags(indptr, items, counts, np.arange(len(support), dtype=np.int64), bags.vocabulary)
    return Patterns(found, support)


def recall(release: Release, original: Original, n: int | None = None, shortest: int = 1) -> float:
    """Return the share of the original top patterns' terms that is found together in a published top pattern."""
    theirs, ours = _both(release, original, n, shortest)
    return recall_of(theirs.bags, ours.bags)


def semantic_distance(
    release: Release, original: Original, n: int | None = None, shortest: int = 1, distance: SemanticDistance | None = None
) -> float:
    """Return the distance of the original top patterns to the nearest published one, per term."""
    theirs, ours = _both(release, original, n, shortest)
    return distance_of(theirs.bags, ours.bags, distance or SemanticDistance(original.tree))


def recall_of(originals: Bags, published: Bags) -> float:
    """Of all occurrences in the original patterns, the share that the best published pattern holds."""
    if not originals.occurrences:
        return 1.0
    if not len(published):
        return 0.0
    common = _tokens(originals, published) @ _tokens(published, originals).T
    return float(common.max(axis=1).sum() / originals.occurrences)


def distance_of(originals: Bags, published: Bags, distance: SemanticDistance) -> float:
    """Return the distance to the nearest published pattern, summed over the original ones, per occurrence in these."""
    if not originals.occurrences:
        return 0.0
    if not len(published):
        return distance.nil
    return float(distance.nearest(originals, published).sum() / originals.occurrences)


def _both(release: Release, original: Original, n: int | None, shortest: int) -> tuple[Patterns, Patterns]:
    n = _top.get() if n is None else n
    theirs = closed_patterns(original.bags, n, shortest=shortest)
    ours = closed_patterns(release.published, n, shortest=shortest, weights=release.copies)
    return theirs, ours


def _tokens(bags: Bags, others: Bags) -> np.typing.NDArray[np.float32]:
    """Patterns x (item, copy) as zeros and ones, over the items of both, so that products count common occurrences."""
    most = np.zeros(len(bags.vocabulary) + 1, np.int64)
    for side in (bags, others):
        np.maximum.at(most, side.items + 1, side.counts)
    first = np.cumsum(most)
    table = np.zeros((len(bags), int(first[-1])), np.float32)
    row = np.repeat(np.arange(len(bags)), bags.lengths)
    entry_start = np.repeat(np.cumsum(bags.counts, dtype=np.int64) - bags.counts, bags.counts)
    copy = np.arange(bags.occurrences) - entry_start
    table[row, np.repeat(first[bags.items], bags.counts) + copy] = 1
    return table


RECALL = Metric(
    "pattern_recall",
    f"share of the {TOP} most frequent closed patterns that the published patterns preserve",
    "higher",
    recall,
    highest=1.0,
    routine=False,
)
SDIST = Metric(
    "pattern_distance",
    f"mean semantic distance per item from the {TOP} most frequent closed patterns to the nearest published one",
    "lower",
    semantic_distance,
    routine=False,
    needs_taxonomy=True,
)
