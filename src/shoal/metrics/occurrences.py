"""What became of the original's item occurrences, as shares; and the share of published ones that are none of the original's."""

from __future__ import annotations

from typing import Literal

from shoal.data import occurrence_forms as forms
from shoal.data.original import Original, shared_occurrences
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


def added(release: Release, original: Original) -> float:
    """The share of published occurrences whose item is not in the record that they stand for."""
    if release.secret is None:
        raise ParameterError("added needs to know which record became which, which a file does not record")
    published = int((release.published.lengths * release.copies).sum())
    return 1 - shared_occurrences(original.bags, release.published, release.secret.rows()) / published if published else 0.0


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
ADDED = Metric(
    "added", "share of published words that their people did not type", "lower", added, highest=1.0, needs_groups=True, with_additions=True
)
