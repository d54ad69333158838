"""Release: what is to be published, the promises it makes, and the account of what was lost.

The groups stay apart and are never written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.data.accounting import Accounting
from shoal.data.bags import Bags, Ints

if TYPE_CHECKING:
    from shoal.privacy import Model


class Secret:
    """Holds what must never be written: the published row of each original record (-1 where it was withheld)."""

    def __init__(self, rows: Ints) -> None:
        self._rows = rows
        rows.flags.writeable = False

    def rows(self) -> Ints:
        """The published row of each original record. For judging and measuring only."""
        return self._rows

    def __repr__(self) -> str:
        return "Secret(...)"

    def __reduce__(self) -> Any:
        raise TypeError("the groups of a release are never written")


@dataclass(frozen=True, eq=False)
class Release:
    """Published rows, each with the number of its copies; claims; accounting.

    `notes` are what the method has to say of its work: what was proven, what was cut short.
    `secret` is None for a release that was read from a file.
    """

    published: Bags
    copies: Ints
    claims: tuple[Model, ...] = ()
    accounting: Accounting | None = None
    method: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    secret: Secret | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.copies.flags.writeable = False

    @property
    def n_records(self) -> int:
        """How many records are published."""
        return int(self.copies.sum())

    @classmethod
    def from_records(cls, records: Bags) -> Release:
        """A release of which only the published records are known, such as a file that another tool made."""
        return cls(records, np.ones(len(records), np.int64))

    def shuffled_rows(self) -> Ints:
        """The published row of every record to be written, in an order drawn from the operating system's entropy."""
        rows = np.repeat(np.arange(len(self.published)), self.copies)
        return np.asarray(np.random.default_rng().permutation(rows), dtype=np.int64)

    def accounted(self, accounting: Accounting) -> Release:
        """The same release under a fuller account."""
        return replace(self, accounting=accounting)
