"""How well item frequencies survive: the distance between how often items are used in the original and in the release."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.bags import Bags, Ints
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.metrics import Metric

Floats = npt.NDArray[np.float64]


def frequency_distance(release: Release, original: Original) -> float:
    """Return the share of all uses that would have to be moved to other items to make the two distributions equal (total variation)."""
    before, after = _distributions(release, original)
    return float(np.abs(before - after).sum() / 2)


def frequency_shift(release: Release, original: Original) -> float:
    """Return how far, in edges of the taxonomy, a use has to be moved on average to make the two distributions equal (earth mover's)."""
    before, after = _distributions(release, original)
    tree = original.tree
    surplus = before - after
    sums = np.concatenate([[0.0], np.cumsum(surplus)])
    through = sums[tree.end] - sums[: len(tree)]
    return float(np.abs(through[1:]).sum())


def _distributions(release: Release, original: Original) -> tuple[Floats, Floats]:
    """Shares of all occurrences per node; what is not published is counted at the root."""
    nodes = len(original.tree)
    before = _uses(original.bags, np.ones(len(original.bags), np.int64), nodes)
    after = _uses(release.published, release.copies, nodes)
    after[0] += max(0.0, before.sum() - after.sum())
    return before / max(1.0, before.sum()), after / max(1.0, after.sum())


def _uses(bags: Bags, copies: Ints, nodes: int) -> Floats:
    each = bags.counts * np.repeat(copies, np.diff(bags.indptr))
    return np.bincount(bags.items, weights=each, minlength=nodes).astype(np.float64)


FREQUENCY_DISTANCE = Metric(
    "frequency_distance",
    "total variation distance between item frequencies; suppressed items count at the root",
    "lower",
    frequency_distance,
    highest=1.0,
    routine=False,
)
FREQUENCY_SHIFT = Metric(
    "frequency_shift",
    "earth mover's distance between item frequencies, in edges of the taxonomy",
    "lower",
    frequency_shift,
    routine=False,
    needs_taxonomy=True,
)
