"""The outcome of the original's item occurrences, as shares; and the share of published ones that are none of the original's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np

from shoal.data import occurrence_forms as forms
from shoal.data.occurrence_forms import CATEGORY, PARENT, RENAMED, TAKEN_APART, TOP, TYPED, Forms, forms_of
from shoal.data.original import Original, shared_occurrences
from shoal.data.release import Release
from shoal.data.tables import groups
from shoal.data.tables.chunks import ChunkTable
from shoal.data.tables.column_types import ITEMS
from shoal.data.tables.groups import GroupTable
from shoal.errors import ParameterError
from shoal.metrics import Metric

BAGS: frozenset[str] = frozenset({"bags"})


def _share(
    name: str, summary: str, better: Literal["lower", "higher", "neither"], *parts: str, routine: bool = True, kinds: frozenset[str] = BAGS
) -> Metric:
    """The share of occurrences that fell into these parts of the account."""

    def measure(release: Release, original: Original) -> float:
        if release.accounting is None:
            raise ParameterError("a release read from a file has no account of its occurrences", code="accounting-not-recorded")
        ledger = release.accounting.occurrences
        return sum(ledger[part] for part in parts) / max(1, original.bags.occurrences)

    return Metric(name, summary, better, measure, highest=1.0, needs_groups=True, routine=routine, shares=parts, kinds=kinds)


def added(release: Release, original: Original) -> float:
    """The share of published occurrences whose item is not in the record that they represent."""
    if release.secret is None:
        raise ParameterError("added needs the record-to-group mapping, which release files do not contain", code="mapping-not-recorded")
    published = int((release.published.lengths * release.copies).sum())
    return 1 - shared_occurrences(original.bags, release.published, release.secret.rows()) / published if published else 0.0


GENERALIZED = _share("generalized", "share of occurrences published as an ancestor", "neither", "generalized", *forms.GENERALIZED)
SUPPRESSED = _share("suppressed", "share of occurrences not published", "lower", "suppressed", "in withheld records", "merged")
PER_GROUP = _share(
    "counted_per_group",
    "share of occurrences published as counts per group instead of in records",
    "lower",
    groups.PER_GROUP,
    kinds=frozenset({"groups"}),
)
REPLACED = _share("replaced", "share of occurrences represented by another term", "neither", "replaced", routine=False)
ADDED = Metric(
    "added",
    "share of published words that were not in the original record",
    "lower",
    added,
    highest=1.0,
    needs_groups=True,
    with_additions=True,
)


# In which form words are published, as shares of the occurrences that a method was given. Together with what was replaced by other
# terms and what was not published they make up the whole. `data/forms.py` has the definition.


def _form(name: str, summary: str, better: Literal["lower", "higher", "neither"], number: Callable[[Forms], int], *parts: str) -> Metric:
    """The share of occurrences that are published in a form."""

    def measure(release: Release, original: Original) -> float:
        if release.secret is None:
            raise ParameterError(
                f"{name} needs the record-to-group mapping, which release files do not contain", code="mapping-not-recorded"
            )
        return number(forms_of(original, release.published, release.secret.rows())) / max(1, original.bags.occurrences)

    return Metric(name, summary, better, measure, highest=1.0, needs_groups=True, shares=parts)


def _kept_in_rows(release: Release, original: Original) -> float:
    """Where rows of groups are records without some of their items: the share of what they hold."""
    table = release.only(GroupTable)
    return int(table.rows[ITEMS].list.len().sum()) / max(1, original.bags.occurrences) if table.of_items else 0.0


def _kept_apart(release: Release, original: Original) -> float:
    """Where records were taken apart: the share of words that are published in the cluster of their record."""
    if release.accounting is None:
        raise ParameterError("a release read from a file has no account of its occurrences", code="accounting-not-recorded")
    return sum(release.accounting.occurrences[part] for part in TAKEN_APART) / max(1, original.bags.occurrences)


def _kept(release: Release, original: Original) -> float:
    """The share of words as typed, as the kind of the published table has them."""
    by_kind = {GroupTable.kind: _kept_in_rows, ChunkTable.kind: _kept_apart}
    return by_kind.get(min(release.kinds), _AS_TYPED.formula)(release, original)


_AS_TYPED = _form("kept", "share of occurrences published unchanged", "higher", lambda forms: forms.typed, TYPED)
KEPT = replace(
    _AS_TYPED,
    formula=_kept,
    kinds=_AS_TYPED.kinds | {GroupTable.kind, ChunkTable.kind},
    shares=(TYPED, *TAKEN_APART),
)
ONE_LEVEL = _form(
    "one_level",
    "share of occurrences published with another spelling, or as the parent node",
    "neither",
    lambda forms: forms.renamed + forms.parent,
    RENAMED,
    PARENT,
)
CATEGORIES = _form(
    "categories", "share of occurrences generalized by two or more levels", "neither", lambda forms: forms.category, CATEGORY
)
AT_ROOT = _form("at_root", "share of occurrences published as the root or as unlisted", "lower", lambda forms: forms.top, TOP)


# The shape of what is published: how long records are and how deep their items lie.


def mean_length(release: Release, original: Original) -> float:
    """Mean number of items per published record."""
    return float((release.published.lengths * release.copies).sum() / max(1, release.n_records))


def mean_level(release: Release, original: Original) -> float:
    """The level of a published item, on average; the root is level 1."""
    rows = release.published
    weight = np.repeat(release.copies, np.diff(rows.indptr)) * rows.counts
    levels = original.tree.depth[rows.items] + 1
    return float((levels * weight).sum() / max(1, weight.sum()))


MEAN_LENGTH = Metric("mean_length", "mean number of items per published record", "higher", mean_length)
MEAN_LEVEL = Metric("mean_level", "mean level of published items (the root is level 1)", "higher", mean_level, needs_taxonomy=True)
