"""Metrics: numbers about an original and its release, each with its direction and bounds. One family a file, one line each in the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from shoal.registry import Table

if TYPE_CHECKING:
    from shoal.data.release import Release
    from shoal.taxonomy.ground import Grounding


@dataclass(frozen=True)
class Metric:
    """One number: what it says, which way is better, and whether it needs to know which record became which.

    `routine` metrics are measured for every release; the others on request.
    """

    name: str
    summary: str
    better: Literal["lower", "higher", "neither"]
    measure: Callable[[Release, Grounding], float]
    lowest: float | None = 0.0
    highest: float | None = None
    needs_groups: bool = False
    routine: bool = True

    @property
    def range(self) -> str:
        """The bounds, for listings."""
        low = "" if self.lowest is None else f"{self.lowest:g}"
        high = "" if self.highest is None else f"{self.highest:g}"
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


def measure(release: Release, original: Grounding, names: list[str] | None = None) -> dict[str, float]:
    """The named metrics (all routine ones by default); those that need the groups are left out where these are unknown."""
    wanted = [METRICS[name] for name in names] if names else [m for m in METRICS.values() if m.routine]
    return {m.name: m.measure(release, original) for m in wanted if release.secret is not None or not m.needs_groups}
