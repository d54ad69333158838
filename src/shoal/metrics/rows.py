"""What is left of a log whose rows are published: rows, different queries, people."""

from __future__ import annotations

import polars as pl

from shoal.data.input_shapes import Shape
from shoal.data.original_rows import LogOriginal
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.metrics import Metric

_KINDS: frozenset[str] = frozenset({"rows", "profiles"})
_TAKES: frozenset[Shape] = frozenset({"log"})


def rows_kept(release: Release, original: LogOriginal) -> float:
    """Published rows, as a share of the rows that the method was given."""
    return release.n_rows / max(1, len(original.log))


def queries_kept(release: Release, original: LogOriginal) -> float:
    """Different queries of the original that are published, as a share of all of them; a row without a text asks none."""
    there = int((original.log.texts.vocabulary.names != "").sum())
    return int(_shown(release, original).sum()) / max(1, there)


def people_kept(release: Release, original: LogOriginal) -> float:
    """People of whom a query is published, as a share of all people."""
    left = _shown(release, original).to_numpy()[original.log.texts.items]
    return original.log.frame["owner"].filter(pl.Series(left)).n_unique() / max(1, original.n_owners)


def _shown(release: Release, original: LogOriginal) -> pl.Series:
    """Which of the different queries of the original are published just as they were asked; none where no queries are."""
    (table,) = release.tables.values()
    assert isinstance(table, RowTable)
    asked = original.log.texts.vocabulary.names
    published = table.frame[table.unit].unique() if table.has_unit else pl.Series([], dtype=pl.String)
    return asked.is_in(published.implode()) & (asked != "")


ROWS_KEPT = Metric(
    "rows_kept", "share of the log's rows that are published", "higher", rows_kept, highest=1.0, kinds=frozenset({"rows"}), takes=_TAKES
)
QUERIES_KEPT = Metric(
    "queries_kept", "share of the different queries that are published", "higher", queries_kept, highest=1.0, kinds=_KINDS, takes=_TAKES
)
PEOPLE_KEPT = Metric(
    "people_kept", "share of people who asked a published query", "higher", people_kept, highest=1.0, kinds=_KINDS, takes=_TAKES
)
