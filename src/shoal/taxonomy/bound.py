"""A lower bound on the loss of any k-anonymous release of some records, whoever makes it and however.

In any release each published record generalizes those it represents and is shared by at least k of them; what is not published
at all counts as lost. docs/bound.md proves the bound. Up to `EXACT_RECORDS` records all are examined; beyond that a sample,
drawn with probability proportional to record length, gives a bound that holds with the stated confidence.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal import _kernels, kernels
from shoal.data.bags import Bags, Ints
from shoal.data.taxonomy import Taxonomy
from shoal.errors import ParameterError
from shoal.taxonomy.tree_counts import TreeCounts, tree_counts

EXACT_RECORDS = 100_000
SAMPLE = 4_000
CONFIDENCE = 0.99
NEIGHBOURS = 24
MOST_NEIGHBOURS = 64
PATIENCE = 500
STEPS = {"fast": 10**9, "balanced": 2 * 10**10, "thorough": 10**12}  # of the search for tight groups, a few nanoseconds each


@dataclass(frozen=True)
class Bound:
    """No k-anonymous release has a GGD below `value`, nor a loss below `normalised`.

    Where not every record was examined (`exact` is false) this holds with the given confidence over the draw of the sample;
    `estimate` is then the mean of the sample, and equals `normalised` otherwise.
    """

    value: float
    normalised: float
    exact: bool
    n_sampled: int
    confidence: float
    estimate: float

    def as_dict(self) -> dict[str, float | bool | int]:
        """Return the content as JSON values, as in the manifest."""
        return {
            "ggd": self.value,
            "loss": self.normalised,
            "exact": self.exact,
            "sampled": self.n_sampled,
            "confidence": self.confidence,
            "estimate": self.estimate,
        }


def loss_lower_bound(
    bags: Bags,
    taxonomy: Taxonomy,
    k: int,
    *,
    exact_up_to: int = EXACT_RECORDS,
    sample: int = SAMPLE,
    confidence: float = CONFIDENCE,
    seed: int = 0,
    effort: str = "balanced",
) -> Bound:
    """Return a bound for groups of k; `bags` are records of taxonomy nodes. Beyond `exact_up_to` records a sample is examined.

    More `effort` makes the bound larger as a rule; it has no effect on a sample.
    """
    if not (k >= 2 and sample >= 2 and 0 < confidence < 1):
        raise ParameterError("a bound needs k and sample of at least 2 and a confidence between 0 and 1", code="out-of-range")
    present = bags.select(np.flatnonzero(bags.lengths > 0))
    present = present.select(present.content_order())  # so that the bound does not depend on how records arrived
    total = present.occurrences
    if len(present) < k:  # nothing can be published, so all is lost
        return Bound(float(total), float(total > 0), True, len(present), 1.0, float(total > 0))
    if taxonomy.loss[0] < 1:  # a tree of one leaf: its root is as specific as the leaf, and nothing need be lost
        return Bound(0.0, 0.0, True, len(present), 1.0, 0.0)
    counts = tree_counts(present, taxonomy)
    if len(present) <= exact_up_to:
        lost = _unavoidable(counts, k, np.arange(len(present)), STEPS[effort])
        value = float(lost.sum()) / (2 * counts.units)
        return Bound(value, value / total, True, len(present), 1.0, value / total)
    drawn = _drawn(present, sample, seed)
    chosen, place = np.unique(drawn, return_inverse=True)
    lost = _unavoidable(counts, k, chosen, 0)
    shares = (lost / (2 * counts.units * present.lengths[chosen]))[place]
    least = lower_confidence_limit(shares, confidence)
    return Bound(least * total, least, False, len(chosen), confidence, float(shares.mean()))


def lower_confidence_limit(shares: npt.NDArray[np.float64], confidence: float) -> float:
    """Return what the mean of values between 0 and 1 exceeds with this confidence, whatever their distribution.

    Maurer and Pontil's empirical Bernstein inequality (COLT 2009, theorem 4), one-sided.
    """
    n = len(shares)
    spell = math.log(2 / (1 - confidence))
    margin = math.sqrt(2 * float(shares.var(ddof=1)) * spell / n) + 7 * spell / (3 * (n - 1))
    return max(0.0, float(shares.mean()) - margin)


def _unavoidable(counts: TreeCounts, k: int, records: Ints, work: int) -> Ints:
    """Twice what each record requested must lose, in units."""
    k = min(k, MOST_NEIGHBOURS)  # a k-anonymous release is also anonymous for every smaller k
    options = _kernels.BoundOptions(
        neighbours=min(MOST_NEIGHBOURS, max(NEIGHBOURS, k)), patience=PATIENCE, ceilings=len(records) == len(counts.lengths), work=work
    )
    found: Ints = kernels.run(
        _kernels.unavoidable_losses,
        counts.scored(np.arange(len(counts.lengths)), k, owners_repeat=False),
        records.astype(np.int64),
        options,
        kernels.threads(),
        label="bounding the loss",
    )
    return found


def _drawn(bags: Bags, sample: int, seed: int) -> Ints:
    """Records drawn with replacement, each with probability proportional to its length, so that the mean share is the total's."""
    ends = np.cumsum(bags.lengths)
    spots = np.random.default_rng(seed).integers(0, ends[-1], sample)
    return np.searchsorted(ends, spots, side="right").astype(np.int64)
