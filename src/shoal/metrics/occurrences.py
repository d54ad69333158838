"""What became of the original's item occurrences, as shares."""

from __future__ import annotations

from typing import Literal

from shoal.data import forms
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.tables import groups
from shoal.errors import ParameterError
from shoal.metrics import Metric

BAGS: frozenset[str] = frozenset({"bags"})


def _share(
    name: str, summary: str, better: Literal["lower", "higher", "neither"], *parts: str, routine: bool = True, kinds: frozenset[str] = BAGS
) -> Metric:
    """The share of occurrences that fell into these parts of the account."""

    def measure(release: Release, original: Original) -> float:
        if release.accounting is None:
            raise ParameterError("a release read from a file has no account of its occurrences")
        ledger = release.accounting.occurrences
        return sum(ledger[part] for part in parts) / max(1, original.bags.occurrences)

    return Metric(name, summary, better, measure, highest=1.0, needs_groups=True, routine=routine, shares=parts, kinds=kinds)


GENERALIZED = _share("generalized", "share of occurrences published as an ancestor", "neither", "generalized", *forms.GENERALIZED)
SUPPRESSED = _share("suppressed", "share of occurrences not published", "lower", "suppressed", "in withheld records", "merged")
PER_GROUP = _share(
    "counted_per_group",
    "share of occurrences counted for a group of records, and not told record by record",
    "lower",
    groups.PER_GROUP,
    kinds=frozenset({"groups"}),
)
REPLACED = _share("replaced", "share of occurrences represented by another term", "neither", "replaced", routine=False)
