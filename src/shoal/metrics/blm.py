"""bLM, the loss of bags (Liu and Wang, ICDM'10, section V.A): the cost of a published term depends on all the terms it stands for.

In each group a published term stands for a bag of original occurrences, at most one of each record for each of its copies. Every one of
them is charged the loss of that bag; an occurrence that nothing stands for is charged one. The paper leaves open what the loss of a bag is;
both readings are here: the loss of the smallest subtree that holds the bag, or the share of all other terms in use that the bag holds.

A term stands for itself first, then a node for what lies below it, then a term for one that is relevant to it (under the release's own
relevance, where its method has such).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from shoal import _kernels, kernels
from shoal.data.bags import Small
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.taxonomy import Taxonomy
from shoal.errors import ParameterError
from shoal.metrics import Metric
from shoal.taxonomy.distance import LARGEST, Relevance, SemanticDistance

Floats = np.typing.NDArray[np.float64]
LossOfBags = Callable[[pl.DataFrame, Original], Floats]


def blm_subtree(release: Release, original: Original) -> float:
    """bLM where a bag loses what the smallest subtree around it loses."""
    return _blm(release, original, _subtree)


def blm_distinct(release: Release, original: Original) -> float:
    """bLM where a bag loses the share of the other terms in use that it holds."""
    return _blm(release, original, _distinct)


def represented(release: Release, original: Original) -> pl.DataFrame:
    """Which published term (of which published row) stands for which original term, in how many occurrences."""
    if release.secret is None:
        raise ParameterError("bLM needs to know which record became which, which a file does not record")
    relevance = release.relevance or Relevance("path", LARGEST["path"])
    semantics = SemanticDistance(
        original.tree,
        relevance.distance,
        relevance.eps,
        omega=1,
    )
    arguments = semantics.kernel(), original.bags.view, release.published.view, release.secret.rows()
    found = kernels.run(_kernels.represent, *arguments, label="representing")
    frame = pl.DataFrame(dict(zip(("row", "published", "original", "times"), found, strict=True)))
    return frame.group_by("row", "published", "original").agg(pl.col("times").sum())


def _blm(release: Release, original: Original, loss_of: LossOfBags) -> float:
    bags = (
        represented(release, original)
        .group_by("row", "published")
        .agg(
            pl.col("original").min().alias("first"),
            pl.col("original").max().alias("last"),
            pl.col("original").n_unique().alias("distinct"),
            pl.col("times").sum(),
        )
    )
    times = bags["times"].to_numpy().astype(np.int64)
    suppressed = original.bags.occurrences - int(times.sum())
    return float((loss_of(bags, original) * times).sum() + suppressed) / max(1, original.bags.occurrences)


def _subtree(bags: pl.DataFrame, original: Original) -> Floats:
    tree = original.tree
    return tree.loss[_lowest_common(bags["first"].to_numpy(), bags["last"].to_numpy(), tree)]


def _distinct(bags: pl.DataFrame, original: Original) -> Floats:
    in_use = len(np.unique(original.bags.items))
    return np.asarray((bags["distinct"].to_numpy() - 1) / max(1, in_use - 1))


def _lowest_common(first: Small, last: Small, tree: Taxonomy) -> Small:
    """The lowest node above both; as numbers are in preorder it is above everything between them."""
    node = first.copy()
    while len(low := np.flatnonzero(tree.end[node] <= last)):
        node[low] = tree.parent[node[low]]
    return node


BLM_SUBTREE = Metric(
    "blm_subtree",
    "loss of the terms each published term stands for, by their smallest subtree",
    "lower",
    blm_subtree,
    highest=1.0,
    needs_groups=True,
    routine=False,
    needs_taxonomy=True,
)
BLM_DISTINCT = Metric(
    "blm_distinct",
    "loss of the terms each published term stands for, by how many they are",
    "lower",
    blm_distinct,
    highest=1.0,
    needs_groups=True,
    routine=False,
    needs_taxonomy=True,
)
