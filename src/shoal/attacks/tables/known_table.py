"""A table as an attacker faces it: what is known about each person, and the published rows in the same columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.data.bags import Bags, Ints, Small
from shoal.data.table import ITEM_SEPARATOR, Attribute, Floats, Table
from shoal.privacy.evidence.generalized_columns import true_of

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

    def unchanged(self) -> KnownColumn:
        """Return the column as if it were published unchanged."""
        return replace(self, shown=self.known)


@dataclass(frozen=True, eq=False)
class GeneralizedColumn(KnownColumn):
    """A column of published ranges, sets of values or nodes; `matching` has the published texts that are true of each known value."""

    matching: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, attribute: Attribute, shown: pl.Series) -> GeneralizedColumn:
        """Test each published text on each known value."""
        tests = {text: true_of(attribute, text) for text in shown.cast(pl.String).unique().drop_nulls().to_list()}
        values = attribute.values.unique().to_list()
        named = zip(_names(pl.Series(values)).tolist(), values, strict=True)
        matching = {name: frozenset(text for text, test in tests.items() if test is not None and test(value)) for name, value in named}
        return cls(attribute.name, _names(attribute.values), _names(shown), 0.0, matching)

    def apart(self, row: int) -> Floats:
        """Return 0 for texts that are true of the known value, 1 for others."""
        return np.asarray(~np.isin(self.shown, list(self.matching[str(self.known[row])])), np.float64)

    def unchanged(self) -> KnownColumn:
        """Return a column of names."""
        return KnownColumn(self.name, self.known, self.known, 0.0)


@dataclass(frozen=True, eq=False)
class ItemSetColumn:
    """A column of item sets: the items of each person's row, and the published rows with each node of the taxonomy."""

    known: Bags
    parent: Small
    rows_of_node: Mapping[int, Ints]
    n_rows: int

    @classmethod
    def of(cls, attribute: Attribute, owners: Ints, shown: pl.Series) -> ItemSetColumn:
        """Read published sets; names that the taxonomy lacks match nothing."""
        assert attribute.tree is not None
        cells = pl.DataFrame({"row": np.arange(len(shown)), "item": shown.cast(pl.String).fill_null("").str.split(ITEM_SEPARATOR)})
        held = cells.explode("item", empty_as_null=True).filter(pl.col("item") != "")
        nodes, rows = attribute.tree.names.codes(held["item"]), held["row"].to_numpy()
        return cls(
            attribute.item_sets(owners), attribute.tree.parent, {int(n): rows[nodes == n] for n in np.unique(nodes) if n >= 0}, len(shown)
        )

    def of_row(self, row: int) -> Ints:
        """Return the items of a person's row."""
        return self.known.items[self.known.indptr[row] : self.known.indptr[row + 1]].astype(np.int64)

    def matches(self, items: Ints) -> Ints:
        """Return how many of these items each published row may have: those at or below one of its nodes."""
        found = np.zeros(self.n_rows, np.int64)
        for item in items.tolist():
            matched = np.zeros(self.n_rows, bool)
            node = item
            while node >= 0:
                matched[self.rows_of_node.get(node, np.zeros(0, np.int64))] = True
                node = int(self.parent[node])
            found += matched
        return found

    def unchanged(self) -> ItemSetColumn:
        """Return the same for sets that are published unchanged."""
        rows = np.repeat(np.arange(len(self.known)), np.diff(self.known.indptr))
        by_item = {int(item): rows[self.known.items == item] for item in np.unique(self.known.items)}
        return replace(self, rows_of_node=by_item, n_rows=len(self.known))


def _names(column: pl.Series) -> npt.NDArray[np.generic]:
    return column.cast(pl.String).fill_null("").to_numpy().astype(str)


@dataclass(frozen=True, eq=False)
class KnownTable:
    """The quasi-identifiers and the other columns; the user of each original row; the published row of each, if it is known; item sets; and
    the share of the population that the original has, if it is known.
    """

    quasi: tuple[KnownColumn, ...]
    kept: tuple[KnownColumn, ...]
    owners: Ints
    own: Ints | None
    items: tuple[ItemSetColumn, ...] = ()
    fraction: float | None = None

    @classmethod
    def of(cls, table: Table, frame: pl.DataFrame, own: Ints | None, fraction: float | None = None) -> KnownTable:
        """Compare a table with published rows; columns that are not published are left out."""
        shown = [a for a in table.attributes if a.name in frame.columns]
        made = GeneralizedColumn if table.item_sets else KnownColumn
        quasi = tuple(made.of(a, frame[a.name]) for a in shown if a.quasi and a.kind != "items")
        kept = tuple(KnownColumn.of(a, frame[a.name]) for a in shown if not a.quasi)
        items = tuple(ItemSetColumn.of(a, table.owners, frame[a.name]) for a in shown if a.kind == "items")
        return cls(quasi, kept, table.owners, own, items, fraction)

    def __len__(self) -> int:
        return len(self.owners)

    @property
    def itself(self) -> KnownTable:
        """The original, as if it were published unchanged."""
        quasi, kept = (tuple(column.unchanged() for column in columns) for columns in (self.quasi, self.kept))
        return KnownTable(quasi, kept, self.owners, np.arange(len(self)), tuple(one.unchanged() for one in self.items), self.fraction)

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
