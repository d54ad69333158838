"""What became of the original's item occurrences, as shares."""

from __future__ import annotations

from collections.abc import Callable

from shoal.data.original import Original
from shoal.data.release import Release
from shoal.errors import ParameterError
from shoal.metrics import Metric


def _share(*parts: str) -> Callable[[Release, Original], float]:
    def measure(release: Release, original: Original) -> float:
        if release.accounting is None:
            raise ParameterError("a release read from a file has no account of its occurrences")
        ledger = release.accounting.occurrences
        return sum(ledger[part] for part in parts) / max(1, original.bags.occurrences)

    return measure


KEPT = Metric("kept", "share of occurrences published as they were typed", "higher", _share("kept"), highest=1.0, needs_groups=True)
GENERALIZED = Metric(
    "generalized", "share of occurrences published as an ancestor", "neither", _share("generalized"), highest=1.0, needs_groups=True
)
SUPPRESSED = Metric(
    "suppressed",
    "share of occurrences not published",
    "lower",
    _share("suppressed", "in withheld records"),
    highest=1.0,
    needs_groups=True,
)
REPLACED = Metric(
    "replaced",
    "share of occurrences represented by another term",
    "neither",
    _share("replaced"),
    highest=1.0,
    needs_groups=True,
    routine=False,
)
