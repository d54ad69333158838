"""Columns of published rows that no claim is about: whatever stands in them goes unjudged."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.io.extra_columns import columns_beside
from shoal.privacy import Model


def unjudged_columns(release: Release, models: Sequence[Model], meant: Sequence[str] = ()) -> tuple[str, ...]:
    """The columns of rows that none of these models judges, and that do more than number the rows. Without a model there is no judging.

    Columns that are `meant` to be published as they are do not count.
    """
    tables = [table for table in release.tables.values() if isinstance(table, RowTable)] if models else []
    found: dict[str, None] = {}
    for table in tables:
        judged = {name for model in models for name in model.judged_columns(table)}
        found |= dict.fromkeys(columns_beside(table.frame, judged)[0])
    return tuple(name for name in found if name not in meant)
