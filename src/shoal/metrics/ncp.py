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
    """The mean penalty of the original's item occurrences.

    Occurrences are counted by the nodes that speak for them, block by block: the sum depends neither on blocks nor on the order of records.
    """
    if release.secret is None:
        raise ParameterError("NCP needs to know which record became which, which a file does not record")
    bags, tree, rows = original.bags, original.tree, release.secret.rows()
    spoken_for = np.zeros(len(tree), np.int64)
    for begin, end in bags.blocks():
        some, published = bags.part(begin, end), release.published.view
        cover = kernels.run(_kernels.covering_nodes, some.view, published, rows[begin:end], tree.view, kernels.threads())
        covered = cover >= 0
        spoken_for += np.bincount(cover[covered], weights=some.counts[covered], minlength=len(tree)).astype(np.int64)
    for_none = bags.occurrences - int(spoken_for.sum())
    return float((tree.ncp @ spoken_for + for_none) / max(1, bags.occurrences))


NCP = Metric("ncp", "normalised certainty penalty per item occurrence", "lower", ncp, highest=1.0, needs_groups=True)
