"""The lower bound on the loss: what no release with the same k can stay below, whoever makes it. docs/bound.md has the proof."""

from __future__ import annotations

from shoal.data.original import Original
from shoal.data.release import Release
from shoal.errors import ParameterError
from shoal.metrics import Metric
from shoal.taxonomy.bound import loss_lower_bound


def bound(release: Release, original: Original) -> float:
    """The least loss of any k-anonymous release of these records, as far as it can be proved."""
    asked = [claim.generalized_groups for claim in release.claims if claim.generalized_groups is not None]
    if not asked:
        what = "which this release does not claim" if release.claims else "and nothing is claimed of these records"
        raise ParameterError(f"the bound is one for k-anonymity, {what}", hint="shoal bound computes it for any k")
    return loss_lower_bound(original.bags, original.tree, max(asked)).normalised


BOUND = Metric(
    "bound", "lower bound on the loss of any k-anonymous release", "neither", bound, highest=1.0, routine=False, needs_taxonomy=True
)
