"""The shape of what is published: how long records are and how deep their items lie."""

from __future__ import annotations

import numpy as np

from shoal.data.original import Original
from shoal.data.release import Release
from shoal.metrics import Metric


def mean_length(release: Release, original: Original) -> float:
    """Items in a published record, on average."""
    return float((release.published.lengths * release.copies).sum() / max(1, release.n_records))


def mean_level(release: Release, original: Original) -> float:
    """The level of a published item, on average; the root is level 1."""
    rows = release.published
    weight = np.repeat(release.copies, np.diff(rows.indptr)) * rows.counts
    levels = original.tree.depth[rows.items] + 1
    return float((levels * weight).sum() / max(1, weight.sum()))


MEAN_LENGTH = Metric("mean_length", "items in a published record", "higher", mean_length)
MEAN_LEVEL = Metric("mean_level", "level of a published item, the root being level 1", "higher", mean_level, needs_taxonomy=True)
