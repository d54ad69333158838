"""Distortion: the papers' group generalization distortion (GGD) and what derives from it.

GGD charges every published item its node loss, once for each record that bears it, and one for every item occurrence that is not published.
Loss is GGD per item occurrence: 0 if all is published as it was, 1 if nothing is told.
"""

from __future__ import annotations

import numpy as np

from shoal.data.bags import Bags, Ints
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.metrics import Metric
from shoal.taxonomy.tree import Taxonomy


def ggd(release: Release, original: Original) -> float:
    """The group generalization distortion of the whole release."""
    published = int((release.published.lengths * release.copies).sum())
    told = _losses(release.published, release.copies, original.tree)
    return told + original.bags.occurrences - published


def loss(release: Release, original: Original) -> float:
    """GGD per item occurrence."""
    return ggd(release, original) / max(1, original.bags.occurrences)


def added_loss(release: Release, original: Original) -> float:
    """Loss beyond what the original's own inner nodes cost: 0 where nothing was changed."""
    ones = np.ones(len(original.bags), np.int64)
    unavoidable = _losses(original.bags, ones, original.tree)
    return (ggd(release, original) - unavoidable) / max(1, original.bags.occurrences)


def loss_with_dropped(release: Release, original: Original) -> float:
    """Loss where a term dropped as unknown is charged like a suppressed one."""
    dropped = original.steps.unknown_dropped
    return (ggd(release, original) + dropped) / max(1, original.bags.occurrences + dropped)


def _losses(bags: Bags, copies: Ints, taxonomy: Taxonomy) -> float:
    per_entry = taxonomy.loss[bags.items] * bags.counts
    weight = np.repeat(copies, np.diff(bags.indptr))
    return float((per_entry * weight).sum())


GGD = Metric("ggd", "group generalization distortion: node losses plus suppressed occurrences", "lower", ggd)
LOSS = Metric("loss", "GGD per item occurrence", "lower", loss, highest=1.0)
ADDED_LOSS = Metric("added_loss", "loss beyond what the original's inner nodes cost unchanged", "lower", added_loss, highest=1.0)
LOSS_WITH_DROPPED = Metric(
    "loss_with_dropped", "loss where terms dropped as unknown count as suppressed", "lower", loss_with_dropped, highest=1.0
)
