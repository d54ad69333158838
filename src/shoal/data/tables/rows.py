"""Rows of a log or of microdata, as a frame of scalar columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import polars as pl

from shoal.data.accounting import Accounting
from shoal.data.bags import Ints, Small, number_strings
from shoal.data.fresh import fresh_order
from shoal.data.tables import NUMBER, ORDER_OF_ROWS, PSEUDONYMS, VALUE, PublishedTable, distinct_texts
from shoal.data.tables.column_types import column_types, renumbered
from shoal.errors import InputError, ShoalError

PAYLOAD = {"text": "query", "item": "item"}  # the published column of a log's payload, by the kind of the payload


@dataclass(frozen=True, eq=False)
class RowTable(PublishedTable):
    """Rows with columns of text, integers, numbers or times.

    `pseudonyms` names the column that identifies rows belonging together (such as those of one person) by random numbers, which are drawn
    again whenever the table is written.
    """

    kind = "rows"
    names: ClassVar[tuple[str, ...]] = ("log", "microdata")
    numbered = True
    made_of = "log"

    frame: pl.DataFrame
    pseudonyms: str | None = None

    def __post_init__(self) -> None:
        types = column_types(self.frame)
        if self.pseudonyms is not None and types.get(self.pseudonyms) != "integer":
            raise ShoalError(f"the pseudonyms {self.pseudonyms!r} are not a column of whole numbers", code="invalid-table")
        if self.pseudonyms is not None and self.frame[self.pseudonyms].null_count():
            raise ShoalError("a row has no pseudonym", code="invalid-table")

    @classmethod
    def of_numbered(cls, columns: Mapping[str, pl.Series], unit: str, texts: pl.Series, numbers: Small, pseudonyms: str | None) -> RowTable:
        """Make a table whose queries or items have numbers.

        Args:
            columns: The other columns, and anything under the name `unit`, which has its place among them.
            unit: The column of queries or items.
            texts: Different queries or items, each of which occurs.
            numbers: The place of each row's query or item among them.
            pseudonyms: The column of pseudonyms, if there is one.

        Returns:
            The table. The texts of all rows are made when they are first needed.
        """
        others = pl.DataFrame({**columns, unit: numbers}).drop(unit)  # with as many rows, also if there is no other column
        types = {**cls(others, pseudonyms).columns, unit: "text"}
        found = _NumberedTable.__new__(_NumberedTable)
        vars(found).update(pseudonyms=pseudonyms, others=others, numbered_unit=(texts, numbers))
        vars(found)["columns"] = {name: types[name] for name in {**columns, unit: None}}
        return found

    @cached_property
    def others(self) -> pl.DataFrame:
        """The columns other than that of queries or items."""
        return self.frame.drop(*PAYLOAD.values(), strict=False)

    @property
    def n_rows(self) -> int:
        """The number of rows that are written."""
        return len(self.frame)

    def agrees_with(self, account: Accounting) -> bool:
        """Whether the accounting agrees: every published row is one of the input."""
        return account["rows"].of_fate("kept", "changed") == self.n_rows

    @cached_property
    def columns(self) -> dict[str, str]:
        """The name of each column's type."""
        return column_types(self.frame)

    @property
    def unit(self) -> str:
        """The column of queries, or else of items, in rows of a log. Raises if there is none, or if it is not text."""
        found = [name for name in PAYLOAD.values() if name in self.columns]
        if len(found) != 1 or self.columns[found[0]] != "text":
            raise InputError(f"rows of a log have one column of text that is called {' or '.join(PAYLOAD.values())}", code="missing-column")
        return found[0]

    @cached_property
    def numbered_unit(self) -> tuple[pl.Series, Small]:
        """The different queries or items, and for each row the place of its own among them; -1 for a row without one."""
        return number_strings(self.frame[self.unit])

    @property
    def has_unit(self) -> bool:
        """Whether there is a column of queries or of items."""
        return any(name in self.columns for name in PAYLOAD.values())

    def holds_numbers(self, names: Iterable[str]) -> bool:
        """Whether all of these are columns of finite numbers without missing values."""
        return all(self.columns.get(name) == "number" and self.frame[name].is_finite().fill_null(False).all() for name in names)

    def columns_of_parts(self) -> dict[str, dict[str, str]]:
        """Return the columns of the only part."""
        return {"": self.columns}

    def shuffled(self) -> pl.DataFrame:
        """Return the rows in random order, with random pseudonyms from 1."""
        return self.in_order(fresh_order(self.n_rows)).with_fresh_pseudonyms()

    def in_order(self, order: Ints) -> RowTable:
        """Return the table with its rows in this order."""
        return RowTable(self.frame[order], self.pseudonyms)

    def with_fresh_pseudonyms(self) -> pl.DataFrame:
        """Return the rows with random pseudonyms from 1 in place of theirs."""
        if self.pseudonyms is None:
            return self.frame
        known = self.frame[self.pseudonyms].unique(maintain_order=True).to_list()
        fresh = dict(zip(known, (fresh_order(len(known)) + 1).tolist(), strict=True))
        return self.frame.with_columns(renumbered(self.frame[self.pseudonyms], fresh))

    def texts(self) -> Iterator[pl.Series]:
        """Return the distinct texts in the cells, column by column, and the column names."""
        yield from distinct_texts(self.frame)

    def frames(self, name: str) -> dict[str, pl.DataFrame]:
        """Return one frame."""
        return {name: self.shuffled()}

    @property
    def flat_rows(self) -> pl.DataFrame | None:
        """The rows."""
        return self.frame

    @property
    def random_orders(self) -> list[str]:
        """Return the order of the rows, and of the pseudonyms if there are any."""
        return [ORDER_OF_ROWS] if self.pseudonyms is None else [ORDER_OF_ROWS, PSEUDONYMS]

    def numbers_from_one(self) -> Iterator[tuple[str, pl.DataFrame]]:
        """Return the pseudonyms."""
        if self.pseudonyms is not None:
            yield f"the pseudonyms in {self.pseudonyms!r}", self.others.select(self.pseudonyms)

    def values_by_number(self) -> dict[str, pl.DataFrame]:
        """Return the queries or items of each row, and of each pseudonym."""
        if not self.has_unit:
            return {}
        rows = self.frame.select(pl.col(self.unit).alias(VALUE))
        found = {ORDER_OF_ROWS: rows.with_row_index(NUMBER)}
        if self.pseudonyms is not None:
            found[PSEUDONYMS] = rows.with_columns(self.frame[self.pseudonyms].alias(NUMBER))
        return found


class _NumberedTable(RowTable):
    """Rows whose queries or items are known as numbers."""

    @cached_property
    def frame(self) -> pl.DataFrame:
        """All columns."""
        texts, numbers = self.numbered_unit
        columns = {**self.others.to_dict(), self.unit: texts.gather(numbers)}
        return pl.DataFrame({name: columns[name] for name in self.columns})

    @property
    def n_rows(self) -> int:
        """The number of rows that are written."""
        return len(self.numbered_unit[1])

    def texts(self) -> Iterator[pl.Series]:
        """Return the distinct texts in the cells, column by column, and the column names."""
        _, *texts = distinct_texts(self.others)
        yield from (pl.Series(list(self.columns)), *texts, self.numbered_unit[0])

    def in_order(self, order: Ints) -> RowTable:
        """Return the table with its rows in this order, and the same texts under their numbers."""
        texts, numbers = self.numbered_unit
        columns = {name: self.others[name][order] if name != self.unit else texts for name in self.columns}
        return RowTable.of_numbered(columns, self.unit, texts, numbers[order], self.pseudonyms)
