"""Release: the tables to be published, their claims, and the accounting of what was lost.

The mapping from records to groups is stored separately and never written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from shoal.data.accounting import Accounting
from shoal.data.bags import Bags, Ints
from shoal.data.tables import PublishedTable
from shoal.data.tables.bags import BagTable
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from shoal.data.claims import Model
    from shoal.data.noise_record import NoisyStep
    from shoal.data.recoding_rules import Rules

AnyTable = TypeVar("AnyTable", bound=PublishedTable)
RECORDS = "records"  # the name of a table of records
Measure = Literal["path", "wu-palmer"]  # of the distance between two terms


@dataclass(frozen=True)
class Relevance:
    """Which original terms a published term may represent: those within `eps` of it (None: the default of the distance)."""

    distance: Measure
    eps: float | None


class Secret:
    """The mapping that must never be written: the published row of each original record (-1 if it was suppressed)."""

    def __init__(self, rows: Ints) -> None:
        self._rows = rows
        rows.flags.writeable = False

    def rows(self) -> Ints:
        """Return the published row of each original record. For verification and metrics only."""
        return self._rows

    def __repr__(self) -> str:
        return "Secret(...)"

    def __reduce__(self) -> Any:
        raise TypeError("the groups of a release are never written")


@dataclass(frozen=True, eq=False)
class Release:
    """Named tables, each of a kind; claims; accounting.

    `notes` are remarks of the method about its work, such as what was proven or cut short. `private_notes` are for the person who makes the
    release: they are never written, because they contain numbers that the claims do not allow. `mechanism` records the noise, if a claim is
    based on noise. `secret` is None for a release that was read from a file; `relevance` is set if terms represent similar terms; `rules`
    are set if items were recoded the same way everywhere.
    """

    tables: Mapping[str, PublishedTable]
    claims: tuple[Model, ...] = ()
    accounting: Accounting | None = None
    method: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    secret: Secret | None = None
    notes: tuple[str, ...] = ()
    relevance: Relevance | None = None
    mechanism: tuple[NoisyStep, ...] = ()
    rules: Rules | None = None
    private_notes: tuple[str, ...] = ()

    @classmethod
    def of_bags(cls, published: Bags, copies: Ints, **rest: Any) -> Release:
        """Make a release of one table of records with these multiplicities."""
        return cls({RECORDS: BagTable(published, copies)}, **rest)

    @classmethod
    def from_records(cls, records: Bags, *, owned: bool = False) -> Release:
        """Make a release of published records only, such as a file from another tool; `owned`: whether their users are known."""
        shown = records if owned else replace(records, owners=np.arange(len(records), dtype=np.int64))
        return cls.of_bags(shown, np.ones(len(records), np.int64))

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of its tables."""
        return frozenset(table.kind for table in self.tables.values())

    @property
    def n_rows(self) -> int:
        """The number of published rows in all tables."""
        return sum(table.n_rows for table in self.tables.values())

    @property
    def of_records(self) -> bool:
        """Whether it consists of one table of records with multiplicities."""
        return self.kinds == {BagTable.kind} and len(self.tables) == 1

    def only(self, table_type: type[AnyTable]) -> AnyTable:
        """Return the single table of the release, which must be of the kind of this type."""
        tables = list(self.tables.values())
        if len(tables) == 1 and tables[0].kind == table_type.kind and isinstance(tables[0], table_type):
            return tables[0]
        held = ", ".join(f"{name} ({table.kind})" for name, table in self.tables.items()) or "nothing"
        raise ParameterError(f"this needs one table of {table_type.kind}, but the release has {held}", code="wrong-kind-of-table")

    def tables_of(self, table_type: type[AnyTable]) -> list[AnyTable]:
        """Return the tables of this type, profiles among rows."""
        return [table for table in self.tables.values() if isinstance(table, table_type)]

    @property
    def adds_items(self) -> bool:
        """Whether its claims allow records to contain items that their people never had."""
        return any(claim.adds_items for claim in self.claims)

    def accounted(self, accounting: Accounting) -> Release:
        """Return the release with another accounting."""
        return replace(self, accounting=accounting)

    def noted(self, *notes: str) -> Release:
        """Return the release with additional notes."""
        return replace(self, notes=(*self.notes, *notes))

    # -- a release of records

    @property
    def bag_table(self) -> BagTable:
        """The single table of a release of records."""
        return self.only(BagTable)

    @property
    def published(self) -> Bags:
        """The distinct published records of a release of records."""
        return self.bag_table.records

    @property
    def copies(self) -> Ints:
        """The multiplicity of each of them."""
        return self.bag_table.copies

    @property
    def n_records(self) -> int:
        """The number of published records."""
        return self.bag_table.n_rows

    def shuffled_rows(self) -> Ints:
        """Return the published row of every record to be written, in an order drawn from the operating system's entropy."""
        return self.bag_table.shuffled_rows()

    def republished(self, published: Bags, copies: Ints | None = None) -> Release:
        """Return the release with other records, with the same multiplicities by default."""
        (name,) = self.tables
        return replace(self, tables={name: BagTable(published, self.copies if copies is None else copies)})
