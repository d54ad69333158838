"""Accounting: where every row, record and item occurrence went. A ledger that does not balance is an error, not a footnote."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shoal.errors import ShoalError


@dataclass(frozen=True)
class Ledger:
    """A total and the parts it fell into."""

    total: int
    parts: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if sum(self.parts.values()) != self.total or min(self.parts.values(), default=0) < 0:
            raise ShoalError(f"the accounting does not balance: {self.total:,} in, {dict(self.parts)} out")

    def __getitem__(self, part: str) -> int:
        return self.parts.get(part, 0)

    def split(self, part: str, into: Mapping[str, int]) -> Ledger:
        """The same ledger with one part told apart further."""
        told: dict[str, int] = {}
        for name, n in self.parts.items():
            for finer, share in (into if name == part else {name: n}).items():
                told[finer] = told.get(finer, 0) + share
        return Ledger(self.total, told)

    def widened(self, reason: str, n: int) -> Ledger:
        """The ledger of a larger whole, of which n more fell to this reason."""
        return Ledger(self.total + n, {**self.parts, reason: self.parts.get(reason, 0) + n}) if n else self

    def as_dict(self) -> dict[str, int]:
        """For the manifest; parts of nothing are left out."""
        return {"in": self.total, **{name: n for name, n in self.parts.items() if n}}


@dataclass(frozen=True)
class Accounting:
    """Ledgers of records and of item occurrences; of file rows where a file was read; of what preparation made of the words."""

    records: Ledger
    occurrences: Ledger
    rows: Ledger | None = None
    words: Ledger | None = None

    def as_dict(self) -> dict[str, Any]:
        """For the manifest."""
        ledgers = {"rows": self.rows, "words": self.words, "records": self.records, "occurrences": self.occurrences}
        return {name: ledger.as_dict() for name, ledger in ledgers.items() if ledger is not None}
