"""A product table that is joined to the items of a log: read from a file or a frame, and applied to the log.

The table is read before the log, because it is small and may contain the mistake. Columns that the user does not name are determined once
the items of the log are known (`shoal.taxonomy.item_columns`).
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import polars as pl

from shoal.data.bags import Bags
from shoal.data.column_storage import IN_MEMORY, Shelf
from shoal.data.items import A_FILE
from shoal.data.log import COUNT, Log
from shoal.data.table import Table
from shoal.errors import InputError, ParameterError, option
from shoal.io.read.frames_in_memory import table_of
from shoal.io.read.options import ItemsFrame, ItemsTable
from shoal.io.read.result import Reading
from shoal.io.read.taxonomy_levels import cells_of_file
from shoal.taxonomy.item_catalogue import Catalogue, ItemTree, JoinedItems, item_tree, joined_bags, joined_column
from shoal.taxonomy.item_columns import ItemColumns, check_order, column_called, find_key, find_levels, find_name, order_note, texts_of

REMEMBERED = 4  # tables that stay in memory: the trials of advice read the same one again and again


def cells_of(items: ItemsTable) -> pl.DataFrame:
    """Return all cells of a product table that are text or integers, as text; the named level must be one of its columns.

    Raises:
        InputError: It cannot be read, or lacks a column that was named.
        ParameterError: A manifest tells only that there was a table.
    """
    if items.source == A_FILE:
        raise ParameterError(
            "the release was made with an items table, which the manifest does not name",
            code="items-table-not-located",
            hint=f"name its file with {option('items-table', placeholder='FILE')}",
        )
    if isinstance(items.source, ItemsFrame):
        table = _as_text(table_of(items.source.table))
    else:
        place = Path(items.source)
        if not place.exists():
            raise InputError(f"no items table at {place}", code="file-not-found", hint="name a file")
        table = _of_file(*_version(place))
    for column in (items.key, items.name, *items.levels, items.level):
        if column is not None:
            column_called(table.columns, column)
    return table


def _version(place: Path) -> tuple[Path, int, int]:
    """Return a file's path, modification time and size, which together identify its content."""
    facts = place.stat()
    return place.absolute(), facts.st_mtime_ns, facts.st_size


@lru_cache(maxsize=REMEMBERED)
def _of_file(place: Path, changed: int, size: int) -> pl.DataFrame:
    """Return the cells of a file with this modification time and size."""
    return _as_text(cells_of_file(place, header=True)[0])


def _as_text(table: pl.DataFrame) -> pl.DataFrame:
    """Return the columns of text and integers as text; others, such as prices, are neither items nor groups."""
    texts = [text for cells in table.iter_columns() if (text := texts_of(cells)) is not None]
    if not texts or not len(table):
        raise InputError("the items table has no column of text or whole numbers", code="empty-input")
    return pl.DataFrame(texts)


# -- the catalogue for the items of a log


def catalogue_for(items: ItemsTable, different: pl.Series, item_column: str | None) -> tuple[Catalogue, ItemsTable, tuple[str, ...]]:
    """Return the catalogue for a log with these distinct items, the table with all its columns, and how they were determined."""
    table = cells_of(items)
    notes = []
    if items.key is None:
        key, how = find_key(table, different, item_column)
        notes.append(how)
    else:
        key = column_called(table.columns, items.key)
    name = None if items.name is None else column_called(table.columns, items.name)
    if items.levels:
        levels = tuple(column_called(table.columns, level) for level in items.levels)
        check_order(levels, table)
    else:
        levels = find_levels(table, key, () if name is None else (name,))
    notes.append(order_note(levels, table))
    level = None if items.level is None else _level(items.level, levels)
    if level is None and name is None:
        name = find_name(table, key, levels)
        notes += [f"names of items: {name!r}"] if name is not None else []
    settled = replace(items, key=key, name=name, levels=levels, level=level)
    columns = ItemColumns(key, levels, None if level is not None or name == key else name)
    return _tree(items, table, columns).at(level), settled, tuple(notes)


def _tree(items: ItemsTable, table: pl.DataFrame, columns: ItemColumns) -> ItemTree:
    """Return the tree of the items in this table."""
    if isinstance(items.source, ItemsFrame):
        return item_tree(table, columns)
    return _tree_of_file(*_version(Path(items.source)), columns)


@lru_cache(maxsize=REMEMBERED)
def _tree_of_file(place: Path, changed: int, size: int, columns: ItemColumns) -> ItemTree:
    return item_tree(_of_file(place, changed, size), columns)


def _level(name: str, levels: tuple[str, ...]) -> str:
    try:
        return column_called(levels, name)
    except InputError:
        raise ParameterError(
            f"{name!r} is no level of the items table",
            code="unknown-level",
            hint=f"levels are {', '.join(map(repr, levels))}; {option('items-levels')} names others",
            value=name,
        ) from None


# -- joining a log with its product table


def with_items(reading: Reading, shelf: Shelf = IN_MEMORY) -> Reading:
    """Join the data with its product table, if it has one."""
    items = reading.options.items
    if items is None or reading.items is not None:
        return reading
    if isinstance(reading.data, Table) or "text" in reading.roles:
        raise not_of_items()
    data, joined, settled, notes = joined_data(reading.data, items, reading.roles.get("item"), shelf)
    options = replace(reading.options, items=settled)
    return replace(reading, data=data, items=joined, options=options, notes=(*reading.notes, *notes))


def not_of_items() -> ParameterError:
    """Return the error for a product table with data that has no items."""
    return ParameterError(
        f"{option('items-table')} is for items, but this data has none", code="option-not-applicable", hint="leave it out"
    )


def joined_data(
    data: Log | Bags, items: ItemsTable, item_column: str | None = None, shelf: Shelf = IN_MEMORY
) -> tuple[Log | Bags, JoinedItems, ItemsTable, tuple[str, ...]]:
    """Return records or a log with the items of a product table, the accounting, the completed table, and notes."""
    if isinstance(data, Bags):
        catalogue, settled, notes = catalogue_for(items, data.vocabulary.names, item_column)
        bags, joined = joined_bags(data, catalogue, shelf)
        return bags, joined, settled, (*notes, *joined.notes)
    if data.kind != "item":
        raise not_of_items()
    payload = data.frame["payload"]
    catalogue, settled, notes = catalogue_for(items, payload.unique(), item_column)
    counts = data.frame[COUNT].to_numpy() if COUNT in data.frame.columns else np.ones(len(data), np.int64)
    column, joined = joined_column(payload, counts, catalogue)
    return replace(data, frame=data.frame.with_columns(column)), joined, settled, (*notes, *joined.notes)
