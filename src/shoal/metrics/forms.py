"""In which form words are published, as shares of the occurrences that a method was given. Together with what was replaced by other
terms and what was not published they make up the whole. `data/forms.py` has the definition.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from shoal.data.occurrence_forms import CATEGORY, PARENT, RENAMED, TAKEN_APART, TOP, TYPED, Forms, forms_of
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.tables.chunks import ChunkTable
from shoal.data.tables.column_types import ITEMS
from shoal.data.tables.groups import GroupTable
from shoal.errors import ParameterError
from shoal.metrics import Metric


def _form(name: str, summary: str, better: Literal["lower", "higher", "neither"], number: Callable[[Forms], int], *parts: str) -> Metric:
    """The share of occurrences that are published in a form."""

    def measure(release: Release, original: Original) -> float:
        if release.secret is None:
            raise ParameterError(f"{name} needs to know which record became which, which a file does not record")
        return number(forms_of(original, release.published, release.secret.rows())) / max(1, original.bags.occurrences)

    return Metric(name, summary, better, measure, highest=1.0, needs_groups=True, shares=parts)


def _kept_in_rows(release: Release, original: Original) -> float:
    """Where rows of groups are records without some of their items: the share of what they hold."""
    table = release.only(GroupTable.kind)
    assert isinstance(table, GroupTable)
    return int(table.rows[ITEMS].list.len().sum()) / max(1, original.bags.occurrences) if table.of_items else 0.0


def _kept_apart(release: Release, original: Original) -> float:
    """Where records were taken apart: the share of words that are published in the cluster of their record."""
    if release.accounting is None:
        raise ParameterError("a release read from a file has no account of its occurrences")
    return sum(release.accounting.occurrences[part] for part in TAKEN_APART) / max(1, original.bags.occurrences)


def _kept(release: Release, original: Original) -> float:
    """The share of words as typed, as the kind of the published table has them."""
    by_kind = {GroupTable.kind: _kept_in_rows, ChunkTable.kind: _kept_apart}
    return by_kind.get(min(release.kinds), _AS_TYPED.formula)(release, original)


_AS_TYPED = _form("kept", "share of occurrences published as they were typed", "higher", lambda forms: forms.typed, TYPED)
KEPT = replace(
    _AS_TYPED,
    formula=_kept,
    kinds=_AS_TYPED.kinds | {GroupTable.kind, ChunkTable.kind},
    shares=(TYPED, *TAKEN_APART),
)
ONE_LEVEL = _form(
    "one_level",
    "share of occurrences published under another spelling, or as the parent",
    "neither",
    lambda forms: forms.renamed + forms.parent,
    RENAMED,
    PARENT,
)
CATEGORIES = _form(
    "categories", "share of occurrences published as a category two levels up or more", "neither", lambda forms: forms.category, CATEGORY
)
AT_ROOT = _form("at_root", "share of occurrences published as the root or as unlisted", "lower", lambda forms: forms.top, TOP)
