"""Searching for records like a given one: are the nearest by TF-IDF still the nearest?

A record is a vector of its items, each weighted by how few records hold it, ln(n / holders). The ten records with the highest cosine are
its nearest, if they have anything in common; of records that are equally near each has its share of the places that are left for them.
What is published for a record takes its place, and is compared with what is published for the others; a withheld one is like none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.data.bags import Bags, Ints
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.table import Floats
from shoal.errors import ParameterError
from shoal.metrics import Metric

if TYPE_CHECKING:
    import scipy.sparse as sp

NEAREST, SEARCHES, SEED = 10, 200, 1
DECIMALS = 9  # cosines that differ by less are equal: the order of additions must not decide


def nearest_agreement(release: Release, original: Original) -> float:
    """Of the places of the nearest records before, the share that the same records have after."""
    if release.secret is None:
        raise ParameterError("the record-to-group mapping is known only while a release is made", code="mapping-not-recorded")
    rows = release.secret.rows()
    before = unit_vectors(original.bags, np.ones(len(original.bags), np.int64))
    after = unit_vectors(release.published, release.copies)
    searched = np.flatnonzero(original.bags.lengths > 0)
    searched = np.random.default_rng(SEED).permutation(searched)[:SEARCHES]
    shares = [share for record in searched if (share := _common(before, after, rows, int(record))) is not None]
    return float(np.mean(shares)) if shares else 1.0


def unit_vectors(bags: Bags, copies: Ints) -> sp.csr_matrix:
    """Records as TF-IDF vectors of length 1; one that holds only what all hold has none."""
    import scipy.sparse as sp

    table = bags.to_scipy().astype(float)
    holders = np.asarray((table > 0).T @ copies, float)
    weighted = table @ sp.diags(np.log(copies.sum() / np.maximum(holders, 1)))
    lengths = np.sqrt(np.asarray(weighted.multiply(weighted).sum(axis=1)).ravel())
    return sp.csr_matrix(sp.diags(1 / np.where(lengths > 0, lengths, 1)) @ weighted)


def places(likeness: Floats, own: int) -> Floats:
    """Return the chance of each record to be among the nearest, where equally near ones are drawn; none for what is not alike, and for
    itself.
    """
    near = np.round(likeness, DECIMALS)
    near[own] = -np.inf
    n = min(NEAREST, len(near) - 1)
    if n < 1:
        return np.zeros(len(near))
    last = np.partition(near, len(near) - n)[len(near) - n]
    sure, tied = near > last, near == last
    chances = np.where(sure, 1.0, np.where(tied, (n - sure.sum()) / max(1, tied.sum()), 0.0))
    return np.where(near > 0, chances, 0.0)


def _common(before: sp.csr_matrix, after: sp.csr_matrix, rows: Ints, record: int) -> float | None:
    """Return the share of its places that the nearest of a record keep; None if none is like it."""
    theirs = places((before @ before[record].T).toarray().ravel(), record)
    by_row = (after @ after[rows[record]].T).toarray().ravel() if rows[record] >= 0 else np.zeros(after.shape[0])
    ours = places(np.where(rows >= 0, np.append(by_row, 0.0)[rows], 0.0), record)
    return float(np.minimum(theirs, ours).sum() / theirs.sum()) if theirs.any() else None


NEAREST_AGREEMENT = Metric(
    "nearest_agreement",
    f"share of the {NEAREST} nearest neighbours of a record (TF-IDF) that remain its nearest neighbours",
    "higher",
    nearest_agreement,
    highest=1.0,
    needs_groups=True,
    routine=False,
)
