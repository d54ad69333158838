"""Originals whose rows are published as rows: those of a log, of an access log, and of a table of microdata."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.data.accesslog import COLUMNS
from shoal.data.input_shapes import Shape
from shoal.data.log import Log
from shoal.data.original import AnyOriginal
from shoal.data.table import Table
from shoal.errors import InputError

if TYPE_CHECKING:
    from shoal.data.taxonomy import Taxonomy

QUASI, KEPT = "quasi_identifiers", "left_as_they_are"  # what a manifest calls them


@dataclass(frozen=True, eq=False)
class LogOriginal(AnyOriginal):
    """A log with its further columns, just as it was read; a taxonomy may tell what its words are about."""

    log: Log
    taxonomy: Taxonomy | None = None

    @property
    def on_taxonomy(self) -> bool:
        """Whether a taxonomy is at hand."""
        return self.taxonomy is not None

    @property
    def shape(self) -> Shape:
        """A log."""
        return "log"

    @property
    def n_owners(self) -> int:
        """How many different people the events belong to."""
        return self.log.n_owners

    def to_account(self) -> dict[str, int]:
        """Rows."""
        return {"rows": len(self.log)}


@dataclass(frozen=True, eq=False)
class BasketOriginal(LogOriginal):
    """Baskets as a log of items: its rows are not rows of what was read."""

    def to_account(self) -> dict[str, int]:
        """Item occurrences."""
        return {"occurrences": len(self.log)}


@dataclass(frozen=True, eq=False)
class AccessOriginal(LogOriginal):
    """A log that was read from a web access log, with all its fields."""

    def __post_init__(self) -> None:
        missing = [name for name in COLUMNS if name not in self.log.frame.columns]
        if missing:
            raise InputError(f"an access log has a column {missing[0]!r}, and this log has none", hint="see --format accesslog")

    @property
    def shape(self) -> Shape:
        """An access log."""
        return "access log"


@dataclass(frozen=True, eq=False)
class TableOriginal(AnyOriginal):
    """A table of microdata, just as it was read."""

    table: Table

    @property
    def shape(self) -> Shape:
        """A table."""
        return "table"

    @property
    def n_owners(self) -> int:
        """How many different people own the rows."""
        return self.table.n_owners

    def to_account(self) -> dict[str, int]:
        """Rows."""
        return {"rows": len(self.table)}

    def columns(self) -> dict[str, list[str]]:
        """Quasi-identifiers, and the columns that are left as they are."""
        kept = [attribute.name for attribute in self.table.attributes if not attribute.quasi]
        return {QUASI: [attribute.name for attribute in self.table.quasi], **({KEPT: kept} if kept else {})}
