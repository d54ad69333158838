"""Distortion: the papers' group generalization distortion (GGD) and what derives from it.

GGD charges every published item its node loss, once for each record that bears it, and one for every item occurrence that is not published.
Loss is GGD per item occurrence: 0 if all is published as it was, 1 if nothing is published. Neither says anything of a release that adds
items to records: an added one would make up for one that is not published.
"""

from __future__ import annotations

import numpy as np

from shoal.data.bags import Bags, Ints
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.taxonomy import Taxonomy
from shoal.metrics import Metric


def ggd(release: Release, original: Original) -> float:
    """The group generalization distortion of the whole release."""
    return _units_lost(release, original) / original.tree.units


def loss(release: Release, original: Original) -> float:
    """GGD per item occurrence."""
    return ggd(release, original) / max(1, original.bags.occurrences)


def added_loss(release: Release, original: Original) -> float:
    """Loss beyond what the original's own inner nodes cost: 0 where nothing was changed."""
    unavoidable = int(original.tree.unit_losses.astype(np.int64) @ original.bags.item_counts())
    return (_units_lost(release, original) - unavoidable) / (original.tree.units * max(1, original.bags.occurrences))


def loss_with_dropped(release: Release, original: Original) -> float:
    """Loss where a term dropped as unknown is charged like a suppressed one."""
    dropped = original.steps.unknown_dropped
    return (ggd(release, original) + dropped) / max(1, original.bags.occurrences + dropped)


def _units_lost(release: Release, original: Original) -> int:
    """GGD in whole units, so that what loses nothing loses exactly nothing.

    A release that publishes more occurrences than it was given, has suppressed none of them, and the surplus is no gain.
    """
    published = int((release.published.lengths * release.copies).sum())
    suppressed = max(0, original.bags.occurrences - published)
    return _node_losses(release.published, release.copies, original.tree) + suppressed * original.tree.units


def _node_losses(bags: Bags, copies: Ints, taxonomy: Taxonomy) -> int:
    per_entry = taxonomy.unit_losses[bags.items] * bags.counts
    return int((per_entry * np.repeat(copies, np.diff(bags.indptr))).sum())


GGD = Metric("ggd", "group generalization distortion: node losses plus suppressed occurrences", "lower", ggd, with_additions=False)
LOSS = Metric("loss", "GGD per item occurrence", "lower", loss, with_additions=False)
ADDED_LOSS = Metric(
    "added_loss", "loss beyond what the original's inner nodes cost unchanged", "lower", added_loss, lowest=None, with_additions=False
)
LOSS_WITH_DROPPED = Metric(
    "loss_with_dropped", "loss where terms dropped as unknown count as suppressed", "lower", loss_with_dropped, with_additions=False
)
