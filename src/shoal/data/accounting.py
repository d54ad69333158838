"""Accounting: the outcome of every row, record and item occurrence. A ledger that does not balance is an error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from shoal.errors import ShoalError

Fate = Literal["kept", "changed", "gone"]
# Outcomes of parts that any run may have. All others are lost, unless the method declares otherwise.
FATES: Mapping[str, Fate] = {
    "published": "kept",
    "kept": "kept",
    "used": "kept",
    "as typed": "kept",
    "unchanged": "kept",
    "not in the taxonomy": "kept",
    "named by the items table": "kept",
    "not in the items table": "kept",
    "replaced by the item level": "changed",
    "generalized": "changed",
    "renamed": "changed",
    "under another name": "changed",
    "as the parent": "changed",
    "as categories": "changed",
    "at the root or unlisted": "changed",
    "lower-cased": "changed",
    "joined to the word before": "changed",
    "placed by a related noun": "changed",
}
ORDER = ("rows", "items", "words", "records", "occurrences", "terms")  # in which ledgers are listed: as the data flows


class Part(NamedTuple):
    """A number of units with one outcome: published unchanged, published changed, or lost."""

    n: int
    fate: Fate


def kept(n: int) -> Part:
    """Return a part of n units that are published unchanged."""
    return Part(n, "kept")


def changed(n: int) -> Part:
    """Return a part of n units that are published in another form."""
    return Part(n, "changed")


def gone(n: int) -> Part:
    """Return a part of n units that are not published."""
    return Part(n, "gone")


@dataclass(frozen=True)
class Ledger:
    """A total and its parts, each with its outcome."""

    total: int
    parts: Mapping[str, Part] = field(default_factory=dict)

    def __post_init__(self) -> None:
        counts = {name: part.n for name, part in self.parts.items()}
        if sum(counts.values()) != self.total or min(counts.values(), default=0) < 0:
            raise ShoalError(f"the accounting does not balance: {self.total:,} in, {counts} out", code="accounting-unbalanced")

    def __getitem__(self, part: str) -> int:
        return self.parts[part].n if part in self.parts else 0

    def of_fate(self, *fates: Fate) -> int:
        """Return the number of units with one of these outcomes."""
        return sum(part.n for part in self.parts.values() if part.fate in fates)

    def split(self, part: str, into: Mapping[str, Part]) -> Ledger:
        """Return this ledger with one part divided further."""
        parts: dict[str, Part] = {}
        for name, whole in self.parts.items():
            for finer, share in (into if name == part else {name: whole}).items():
                parts[finer] = Part(parts[finer].n + share.n, share.fate) if finer in parts else share
        return Ledger(self.total, parts)

    def widened(self, reason: str, n: int) -> Ledger:
        """Return this ledger with n more units in the total, which are lost for this reason."""
        return Ledger(self.total + n, {**self.parts, reason: gone(self[reason] + n)}) if n else self

    def as_dict(self) -> dict[str, int]:
        """Return the manifest entry, without empty parts."""
        return {"in": self.total, **{name: part.n for name, part in self.parts.items() if part.n}}


@dataclass(frozen=True)
class Accounting:
    """Ledgers by name: of the method's input (depending on the kind), of file rows, and of prepared words."""

    ledgers: Mapping[str, Ledger]

    def __getitem__(self, name: str) -> Ledger:
        if name not in self.ledgers:
            raise ShoalError(f"there is no account of {name}", code="unknown-account")
        return self.ledgers[name]

    @property
    def records(self) -> Ledger:
        """The ledger of records."""
        return self["records"]

    @property
    def occurrences(self) -> Ledger:
        """The ledger of item occurrences."""
        return self["occurrences"]

    def updated(self, **ledgers: Ledger | None) -> Accounting:
        """Return this accounting with some ledgers replaced or added; None leaves a ledger unchanged."""
        return Accounting({**self.ledgers, **{name: ledger for name, ledger in ledgers.items() if ledger is not None}})

    def as_dict(self) -> dict[str, Any]:
        """Return the manifest entry."""
        names = [*(name for name in ORDER if name in self.ledgers), *(name for name in self.ledgers if name not in ORDER)]
        return {name: self.ledgers[name].as_dict() for name in names}
