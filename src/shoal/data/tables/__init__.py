"""Published tables: what a release holds, each of a kind. Adding a kind is described in docs/adding-a-kind.md.

Every table is written in an order drawn from the operating system's generator (`shoal.data.fresh`), with fresh numbers where rows are
numbered.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.data.accounting import Accounting
from shoal.data.tables.column_types import Slots
from shoal.registry import LazyTable as Lookup

Ints = npt.NDArray[np.int64]
# Orders and numbers that must carry no information.
ORDER_OF_RECORDS, ORDER_OF_ROWS = "the published records", "the published rows"
PSEUDONYMS, ADDRESSES = "the pseudonyms", "the published addresses"
GROUP_NUMBERS, CLUSTER_NUMBERS = "the numbers of groups", "the numbers of clusters"
VALUE, NUMBER = "value", "number"


class Sorted(NamedTuple):
    """Rows that must be sorted by some columns, and the message if they are not."""

    rows: pl.DataFrame
    by: list[str]
    fault: str


class PublishedTable(ABC):
    """A table to be published. Immutable; holds nothing that may not be written. `amounts` are the names of its `facts`.

    `shapes` are the columns that the kind may have, for each part of the table (a table of one file has the part ""); it has none if claims
    and parameters decide. `types` are those of columns that may have one type only. `extra_fields` names fields of a file that hold more
    than the kind has a place for.

    Attributes:
        kind: The name of the kind.
        names: The names that tables of this kind may have. They are fixed, because a file could otherwise be named after a person.
        part_names: The names of the parts, if a table is written to several files of different content.
        numbered: Whether several workers may write a table, each to a numbered file of its own.
        has_layouts: Whether a table holds records of several items, so that it can be written in the layout `lists` or `long`.
        joins_lists: Whether lists in columns that the manifest does not declare are joined to one text in CSV and Excel.
        default_format: The format of the files unless another one is requested.
        made_of: What the values under its numbers are compared with: records, the rows of a log or of an access log, or documents.
    """

    kind: ClassVar[str]
    names: ClassVar[tuple[str, ...]]
    part_names: ClassVar[tuple[str, ...]] = ()
    numbered: ClassVar[bool] = False
    has_layouts: ClassVar[bool] = False
    joins_lists: ClassVar[bool] = False
    default_format: ClassVar[str] = "parquet"
    amounts: ClassVar[tuple[str, ...]] = ("rows",)
    shapes: ClassVar[Mapping[str, tuple[Slots, ...]]] = {}
    types: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    extra_fields: tuple[str, ...] = ()
    made_of: ClassVar[Literal["", "records", "log", "access log", "documents"]] = ""

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """The number of rows that are written."""

    @property
    def n_records(self) -> int:
        """The number of records behind the rows; by default the number of rows."""
        return self.n_rows

    @abstractmethod
    def agrees_with(self, account: Accounting) -> bool:
        """Whether the accounting agrees with the number of published rows; true if the rows are not rows of the input."""

    @abstractmethod
    def frames(self, name: str) -> dict[str, pl.DataFrame]:
        """Return all rows in a new random order, as frames: one with the table's name, or one per part."""

    def columns_of_parts(self) -> dict[str, dict[str, str]]:
        """Return the type of each column by name, in file order, for each part; empty if the reader accepts no other columns."""
        return {}

    def facts(self) -> dict[str, int]:
        """Return the manifest entries of the table: the number of rows, and other counts of the kind."""
        return {"rows": self.n_rows}

    # -- for checks

    def texts(self) -> Iterator[pl.Series]:
        """Return the distinct texts in the cells, column by column, and the column names."""
        for frame in vars(self).values():
            if isinstance(frame, pl.DataFrame):
                yield from distinct_texts(frame)

    @property
    def flat_rows(self) -> pl.DataFrame | None:
        """The rows, if each is a row of a log or of microdata."""
        return None

    @property
    def random_orders(self) -> list[str]:
        """Return what must be in a random order."""
        return [ORDER_OF_ROWS]

    def numbers_from_one(self) -> Iterator[tuple[str, pl.DataFrame]]:
        """Return columns of random numbers (the last column, within the values of the others), with a description."""
        yield from ()

    def values_by_number(self) -> dict[str, pl.DataFrame]:
        """Return the values with each `number`, for each of the random orders that can be compared with the original."""
        return {}

    def sorted_rows(self) -> Iterator[Sorted]:
        """Return rows that must be sorted."""
        yield from ()

    def sorted_lists(self) -> Iterator[pl.Series]:
        """Return lists whose items must be sorted by name."""
        yield from ()


def distinct_texts(frame: pl.DataFrame) -> Iterator[pl.Series]:
    """Return the column names of a frame, and the distinct texts of each column."""
    yield pl.Series(frame.columns, dtype=pl.String)
    columns = (column.explode() if column.dtype == pl.List(pl.String) else column for column in frame)
    yield from (column.unique().drop_nulls() for column in columns if column.dtype == pl.String)


KINDS: Lookup[type[PublishedTable]] = Lookup(
    "kind of table",
    {
        "bags": "shoal.data.tables.bags:BagTable",
        "weighted bags": "shoal.data.tables.weighted_bags:WeightedBagTable",
        "rows": "shoal.data.tables.rows:RowTable",
        "counts": "shoal.data.tables.counts:CountTable",
        "groups": "shoal.data.tables.groups:GroupTable",
        "chunks": "shoal.data.tables.chunks:ChunkTable",
        "access log": "shoal.data.tables.access_log:AccessTable",
        "profiles": "shoal.data.tables.profiles:ProfileTable",
    },
)
