"""A table as an attacker faces it: what is known about each person, and the published rows in the same columns."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.data.bags import Ints
from shoal.data.table import Attribute, Floats, Table

Mask = npt.NDArray[np.bool_]
CLOSE = 0.25  # standard deviations within which two numbers agree


@dataclass(frozen=True, eq=False)
class KnownColumn:
    """A column: the known value of each person's row, the published values, and the spread of numbers (0 for names)."""

    name: str
    known: npt.NDArray[np.generic]
    shown: npt.NDArray[np.generic]
    spread: float

    @classmethod
    def of(cls, attribute: Attribute, shown: pl.Series) -> KnownColumn:
        """Return numbers as numbers, and everything else by name."""
        known = attribute.values
        if attribute.kind != "numeric":
            return cls(attribute.name, _names(known), _names(shown), 0.0)
        numbers = known.to_numpy().astype(np.float64)
        published = shown.cast(pl.Float64, strict=False).fill_null(float("inf")).to_numpy()
        return cls(attribute.name, numbers, published, float(numbers.std()) or 1.0)

    @property
    def numeric(self) -> bool:
        """Whether the column has numbers."""
        return self.spread > 0

    def apart(self, row: int) -> Floats:
        """Return the squared distance of the known value of a row from every published one; different names are one apart."""
        if not self.numeric:
            return np.asarray(self.shown != self.known[row], np.float64)
        return np.asarray(((self.shown - self.known[row]) / self.spread) ** 2, np.float64)

    def agree(self, row: int) -> Mask:
        """Return which published values agree with the known one: close numbers, or the same name."""
        return self.apart(row) <= (CLOSE**2 if self.numeric else 0)


def _names(column: pl.Series) -> npt.NDArray[np.generic]:
    return column.cast(pl.String).fill_null("").to_numpy().astype(str)


@dataclass(frozen=True, eq=False)
class KnownTable:
    """The quasi-identifiers and the other columns; the user of each original row; and the published row of each, if it is known."""

    quasi: tuple[KnownColumn, ...]
    kept: tuple[KnownColumn, ...]
    owners: Ints
    own: Ints | None

    @classmethod
    def of(cls, table: Table, frame: pl.DataFrame, own: Ints | None) -> KnownTable:
        """Compare a table with published rows; columns that are not published are left out."""
        columns = [(a, KnownColumn.of(a, frame[a.name])) for a in table.attributes if a.name in frame.columns]
        quasi, kept = (tuple(column for a, column in columns if a.quasi is wanted) for wanted in (True, False))
        return cls(quasi, kept, table.owners, own)

    def __len__(self) -> int:
        return len(self.owners)

    @property
    def itself(self) -> KnownTable:
        """The original, as if it were published unchanged."""
        quasi, kept = (tuple(replace(column, shown=column.known) for column in columns) for columns in (self.quasi, self.kept))
        return KnownTable(quasi, kept, self.owners, np.arange(len(self)))

    def nearest(self, row: int) -> Ints:
        """Return the published rows that are nearest to what is known of a row."""
        apart = np.sum([column.apart(row) for column in self.quasi], axis=0)
        return np.flatnonzero(apart <= apart.min() * (1 + 1e-12))

    def chance(self, row: int, found: Ints) -> float:
        """Return the probability that a random person behind these published rows is the one of a row.

        If the published row of each person is not known, the guess counts as right, in the attacker's favour.
        """
        if self.own is None:
            return 1 / max(1, len(found))
        people = np.unique(self.owners[np.flatnonzero(np.isin(self.own, found))])
        return 1 / len(people) if self.owners[row] in people else 0.0

    @property
    def guess(self) -> float:
        """The chance of a guess without the published rows."""
        return 1 / max(1, len(np.unique(self.owners)))
