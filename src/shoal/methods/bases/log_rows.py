"""Base of methods that take a log and publish a log: rows are suppressed or changed, and every row is accounted for.

A subclass determines the remaining rows and their content; columns, pseudonyms, accounting and row order are implemented here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from shoal.data.accounting import Ledger, Part
from shoal.data.bags import Ints
from shoal.data.log import Log
from shoal.data.original import LogOriginal
from shoal.data.release import Release
from shoal.data.tables.rows import PAYLOAD, RowTable
from shoal.errors import InputError
from shoal.methods import Method
from shoal.methods.bases.release_builder import build_row_release

LOG = "log"  # the name of the published table
USER = "user"
NO_QUERY = "dropped: no query"
SILENT = "a published row contains only its query: user ID, time and all other columns are dropped"


@dataclass(frozen=True, eq=False)
class RemainingRows:
    """The remaining rows as they are to be published, their original rows, and the outcome of all rows.

    `ids` are published in the user column if they are tokens of the method instead of random pseudonyms. `words` has the outcome of the
    words of all rows, if the method accounts for them.
    """

    log: Log
    origin: Ints
    outcomes: Mapping[str, Part]
    notes: tuple[str, ...] = ()
    ids: pl.Series | None = None
    words: Ledger | None = None


class RowsMethod(Method):
    """A method that publishes rows of a log with its columns; users are replaced by random pseudonyms."""

    takes = frozenset({"log"})
    publishes = "rows"

    @property
    def needs_taxonomy(self) -> bool:
        """False: rows stay as typed."""
        return False

    @property
    def links_people(self) -> bool:
        """Whether rows of one person share a pseudonym; otherwise nothing links rows."""
        return True

    def remaining(self, log: Log) -> RemainingRows:
        """Return what remains of a log. A method overrides this, or `remaining_of` if it needs more than the log."""
        raise NotImplementedError

    def remaining_of(self, original: LogOriginal) -> RemainingRows:
        """Return what remains of a log that may have a taxonomy."""
        return self.remaining(original.log)

    def apply(self, original: LogOriginal) -> Release:
        """Publish what remains, and account for every row."""
        found = self.remaining_of(original)
        linked = self.links_people and found.ids is None
        frame = published_columns(found.log, links_people=linked)
        if found.ids is not None:
            frame = frame.select(found.ids.alias(USER), pl.all())
        table = RowTable(frame, USER if linked else None)
        release = build_row_release(self, len(original.log), {LOG: table}, found.outcomes, found.origin, found.notes)
        return (
            release
            if found.words is None or release.accounting is None
            else release.accounted(release.accounting.updated(words=found.words))
        )


def published_columns(log: Log, *, links_people: bool) -> pl.DataFrame:
    """Return a log's rows with the names of published columns: user, time, query or item, and further columns under their own names."""
    named = {"owner": USER, "time": "time", "payload": PAYLOAD[log.kind]}
    taken = [name for name in log.further if name in named.values()]
    if taken:
        raise InputError(
            f"the column {taken[0]!r} of the log has the name of another published column", code="column-name-taken", hint="rename it"
        )
    columns = [
        pl.col(name).alias(new_name) for name, new_name in named.items() if name in log.frame.columns and (links_people or name != "owner")
    ]
    return log.frame.select(*columns, *log.further)
