"""Groups in two parts: exact rows, and a histogram per group of the values that are not published row by row.

If rows are records of items, the column `items` of the rows has their lists, and `item` of the histogram the counted items.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from shoal.data.accounting import Accounting
from shoal.data.fresh import fresh_order
from shoal.data.tables import GROUP_NUMBERS, NUMBER, ORDER_OF_ROWS, VALUE, PublishedTable
from shoal.data.tables.column_types import ITEMS, column_types, renumbered
from shoal.data.tables.counts import COUNT
from shoal.errors import ShoalError

GROUP, ITEM = "group", "item"
PARTS = ("rows", "histogram")
PER_GROUP = "counted per group"  # the part of an account that only histograms tell


@dataclass(frozen=True, eq=False)
class GroupTable(PublishedTable):
    """`rows` with the number of their `group`; `histogram` with a `group`, values, and their number of occurrences (`count`)."""

    kind = "groups"
    names = ("records",)
    part_names = PARTS
    made_of = "records"
    amounts = ("rows", "groups")
    shapes = {"rows": (((GROUP,), (ITEMS,)),), "histogram": (((GROUP,), (ITEM,), (COUNT,)),)}  # noqa: RUF012 (never changed)
    types = {ITEMS: (ITEMS,), ITEM: ("text",)}  # noqa: RUF012 (never changed)

    rows: pl.DataFrame
    histogram: pl.DataFrame

    def __post_init__(self) -> None:
        types = column_types(self.histogram)
        if column_types(self.rows, lists=True).get(GROUP) != "integer" or types.get(GROUP) != "integer" or types.get(COUNT) != "integer":
            raise ShoalError(f"rows and histogram have a {GROUP}, and the histogram a {COUNT}, all whole numbers", code="invalid-table")
        if self.histogram[COUNT].null_count() or (self.histogram[COUNT] < 1).any():
            raise ShoalError("a histogram has a count below 1", code="invalid-table")
        if self.histogram.drop(COUNT).is_duplicated().any():
            raise ShoalError("a value occurs twice in the histogram of a group", code="invalid-table")
        if self.rows[GROUP].null_count() or not self.histogram[GROUP].is_in(self.rows[GROUP].unique().implode()).all():
            raise ShoalError("a histogram belongs to a group without rows, or a row has no group", code="invalid-table")
        for name in self.lists:
            if self.rows[name].null_count() or self.rows[name].explode(empty_as_null=False).null_count():
                raise ShoalError("a row has no list of items, or an item has no name", code="invalid-table")

    @property
    def lists(self) -> tuple[str, ...]:
        """The columns of the rows that contain lists of items."""
        return tuple(name for name, word in column_types(self.rows, lists=True).items() if word == ITEMS)

    @property
    def of_items(self) -> bool:
        """Whether rows are records of items and the histogram counts items, without other columns."""
        return set(self.rows.columns) == {GROUP, ITEMS} and set(self.histogram.columns) == {GROUP, ITEM, COUNT} and self.lists == (ITEMS,)

    @property
    def n_rows(self) -> int:
        """The number of exact rows that are written."""
        return len(self.rows)

    def agrees_with(self, account: Accounting) -> bool:
        """Whether the accounting agrees: every exact row is a record of the input."""
        return account.records.of_fate("kept", "changed") == self.n_rows

    def columns_of_parts(self) -> dict[str, dict[str, str]]:
        """Return the columns of rows and histogram."""
        return {"rows": column_types(self.rows, lists=True), "histogram": column_types(self.histogram)}

    def facts(self) -> dict[str, int]:
        """Return the numbers of rows and groups."""
        return {"rows": self.n_rows, "groups": self.rows[GROUP].n_unique()}

    def shuffled(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Return both parts in random order, with the same random group numbers from 1, and items of a row sorted by name."""
        known = self.rows[GROUP].unique(maintain_order=True).to_list()
        fresh = dict(zip(known, (fresh_order(len(known)) + 1).tolist(), strict=True))
        return _shuffled(self.rows, fresh), _shuffled(self.histogram, fresh)

    def frames(self, name: str) -> dict[str, pl.DataFrame]:
        """Return the exact rows, and the histograms of their groups."""
        return {f"{name}_{part}": frame for part, frame in zip(PARTS, self.shuffled(), strict=True)}

    @property
    def random_orders(self) -> list[str]:
        """Return the order of the rows, and the numbers of groups."""
        return [ORDER_OF_ROWS, GROUP_NUMBERS]

    def numbers_from_one(self) -> Iterator[tuple[str, pl.DataFrame]]:
        """Return the numbers of groups."""
        yield f"the numbers in {GROUP!r}", self.rows.select(GROUP)

    def values_by_number(self) -> dict[str, pl.DataFrame]:
        """Return the items of each row, and of each group."""
        if not self.of_items:
            return {}
        rows = self.rows.with_row_index(NUMBER).filter(pl.col(ITEMS).list.len() > 0).explode(ITEMS).rename({ITEMS: VALUE})
        return {ORDER_OF_ROWS: rows.select(NUMBER, VALUE), GROUP_NUMBERS: rows.select(pl.col(GROUP).alias(NUMBER), VALUE)}

    def sorted_lists(self) -> Iterator[pl.Series]:
        """Return every list of items."""
        yield from (self.rows[name] for name, dtype in self.rows.schema.items() if dtype == pl.List(pl.String))


def _shuffled(frame: pl.DataFrame, fresh: dict[int, int]) -> pl.DataFrame:
    mixed = frame[fresh_order(len(frame))]
    lists = [pl.col(name).list.sort() for name, dtype in frame.schema.items() if isinstance(dtype, pl.List)]  # else as they first occur
    return mixed.with_columns(renumbered(mixed[GROUP], fresh), *lists)
