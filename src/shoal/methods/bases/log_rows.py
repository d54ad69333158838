"""The base of all methods that take a log and publish a log: rows are left out or changed, and every row is accounted for.

A subclass says which rows remain and what they hold; columns, pseudonyms, the account and the order of rows are done here once.
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


@dataclass(frozen=True, eq=False)
class RemainingRows:
    """The rows that remain, as they are to be published; the row of the original that each one was; the outcome of all rows.

    `ids` are published in the column of people where they are tokens of the method's own, and no fresh pseudonyms. `words` says what became
    of the words of all rows, where the method accounts for them.
    """

    log: Log
    origin: Ints
    told: Mapping[str, Part]
    notes: tuple[str, ...] = ()
    ids: pl.Series | None = None
    words: Ledger | None = None


class RowsMethod(Method):
    """A method that publishes rows of a log, with the columns it was read with; people are pseudonyms that are redrawn."""

    takes = frozenset({"log"})
    publishes = "rows"

    @property
    def needs_taxonomy(self) -> bool:
        """Rows stay as they were typed."""
        return False

    @property
    def links_people(self) -> bool:
        """Whether rows of one person are published under one pseudonym; otherwise nothing tells which rows belong together."""
        return True

    def remaining(self, log: Log) -> RemainingRows:
        """What remains of a log; a method says it here, or in `remaining_of` where it asks for more than the log."""
        raise NotImplementedError

    def remaining_of(self, original: LogOriginal) -> RemainingRows:
        """What remains of a log that may have a taxonomy beside it."""
        return self.remaining(original.log)

    def apply(self, original: LogOriginal) -> Release:
        """Publish what remains, and account for every row."""
        found = self.remaining_of(original)
        linked = self.links_people and found.ids is None
        frame = published_columns(found.log, links_people=linked)
        if found.ids is not None:
            frame = frame.select(found.ids.alias(USER), pl.all())
        table = RowTable(frame, USER if linked else None)
        release = build_row_release(self, len(original.log), {LOG: table}, found.told, found.origin, found.notes)
        return (
            release
            if found.words is None or release.accounting is None
            else release.accounted(release.accounting.updated(words=found.words))
        )


def published_columns(log: Log, *, links_people: bool) -> pl.DataFrame:
    """A log's rows under the names of published columns: user, time, query or item, and the further ones under their own."""
    named = {"owner": USER, "time": "time", "payload": PAYLOAD[log.kind]}
    taken = [name for name in log.further if name in named.values()]
    if taken:
        raise InputError(
            f"the column {taken[0]!r} of the log has the name of another published column", code="column-name-taken", hint="rename it"
        )
    columns = [pl.col(name).alias(told) for name, told in named.items() if name in log.frame.columns and (links_people or name != "owner")]
    return log.frame.select(*columns, *log.further)
