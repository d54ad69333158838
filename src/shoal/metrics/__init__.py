"""Metrics: numbers about an original and its release, each with its direction and bounds. One family a file, one line each in the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from shoal.errors import ParameterError
from shoal.registry import Table

if TYPE_CHECKING:
    from shoal.data.original import Original
    from shoal.data.release import Release


@dataclass(frozen=True)
class Metric:
    """One number: what it says, which way is better, and whether it needs to know which record became which, or a taxonomy.

    `routine` metrics are measured for every release; the others on request.
    """

    name: str
    summary: str
    better: Literal["lower", "higher", "neither"]
    formula: Callable[[Release, Original], float]
    lowest: float | None = 0.0
    highest: float | None = None
    needs_groups: bool = False
    routine: bool = True
    needs_taxonomy: bool = False

    def measure(self, release: Release, original: Original) -> float:
        """The number for this release, which is read in the vocabulary of the original; a foreign one is refused."""
        if self.needs_taxonomy and not original.on_taxonomy:
            raise ParameterError(f"{self.name} needs a taxonomy, and the records were not put on one")
        return self.formula(original.aligned(release), original)

    @property
    def range(self) -> str:
        """The bounds, for listings."""
        low = "" if self.lowest is None else f"{self.lowest:g}"
        high = "" if self.highest is None else f"{self.highest:g}"
        if not low:
            return f"at most {high}" if high else "any number"
        return f"{low} to {high}" if high else f"{low} or more"


METRICS: Table[Metric] = Table(
    "metric",
    {
        "loss": "shoal.metrics.distortion:LOSS",
        "ggd": "shoal.metrics.distortion:GGD",
        "added_loss": "shoal.metrics.distortion:ADDED_LOSS",
        "loss_with_dropped": "shoal.metrics.distortion:LOSS_WITH_DROPPED",
        "ncp": "shoal.metrics.ncp:NCP",
        "bound": "shoal.metrics.bound:BOUND",
        "mean_length": "shoal.metrics.shape:MEAN_LENGTH",
        "mean_level": "shoal.metrics.shape:MEAN_LEVEL",
        "kept": "shoal.metrics.occurrences:KEPT",
        "generalized": "shoal.metrics.occurrences:GENERALIZED",
        "suppressed": "shoal.metrics.occurrences:SUPPRESSED",
        "replaced": "shoal.metrics.occurrences:REPLACED",
        "blm_subtree": "shoal.metrics.blm:BLM_SUBTREE",
        "blm_distinct": "shoal.metrics.blm:BLM_DISTINCT",
        "pattern_recall": "shoal.metrics.patterns:RECALL",
        "pattern_distance": "shoal.metrics.patterns:SDIST",
        "frequency_distance": "shoal.metrics.frequency:FREQUENCY_DISTANCE",
        "frequency_shift": "shoal.metrics.frequency:FREQUENCY_SHIFT",
    },
)


def measure(release: Release, original: Original, names: list[str] | None = None) -> dict[str, float]:
    """The named metrics (all routine ones by default); those that need the groups are left out where these are unknown.

    Of the routine ones also those that need a taxonomy, where there is none.
    """
    wanted = [METRICS[name] for name in names] if names else [m for m in METRICS.values() if m.routine]
    if not names and not original.on_taxonomy:
        wanted = [m for m in wanted if not m.needs_taxonomy]
    return {m.name: m.measure(release, original) for m in wanted if release.secret is not None or not m.needs_groups}
