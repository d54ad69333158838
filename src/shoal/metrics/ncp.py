"""NCP, the normalised certainty penalty of He and Naughton and of Terrovitis: each original occurrence is charged the share of all leaves
below the published node that speaks for it (0 for a leaf), and 1 where none does.

This is the literature's reading, in which one published node may speak for several occurrences of its record; GGD charges those.
"""

from __future__ import annotations

import numpy as np

from shoal import _kernels, kernels
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.errors import ParameterError
from shoal.metrics import Metric


def ncp(release: Release, original: Original) -> float:
    """The mean penalty of the original's item occurrences."""
    if release.secret is None:
        raise ParameterError("NCP needs to know which record became which, which a file does not record")
    bags, tree = original.bags, original.tree
    cover = kernels.run(_kernels.covering_nodes, bags.view, release.published.view, release.secret.rows(), tree.view, kernels.threads())
    penalty = np.where(cover >= 0, tree.ncp[cover], 1.0)
    return float((penalty * bags.counts).sum() / max(1, bags.occurrences))


NCP = Metric("ncp", "normalised certainty penalty per item occurrence", "lower", ncp, highest=1.0, needs_groups=True)
