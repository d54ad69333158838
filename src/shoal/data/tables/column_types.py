"""Column types of a published table: four scalar types and lists of items, by their names in a manifest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from shoal.errors import ShoalError

TYPES: Mapping[str, pl.DataType] = {
    "text": pl.String(),
    "integer": pl.Int64(),
    "number": pl.Float64(),
    "time": pl.Datetime("us"),
}
ITEMS = "items"  # a list of names; CSV and Excel hold it as one text
ALL_TYPES: Mapping[str, pl.DataType] = {**TYPES, ITEMS: pl.List(pl.String())}


def column_types(frame: pl.DataFrame, *, lists: bool = False) -> dict[str, str]:
    """Return the name of each column's type. Raise for any other type, and for lists of items unless they are allowed."""
    words = {dtype: word for word, dtype in (ALL_TYPES if lists else TYPES).items()}
    strange = [name for name, dtype in frame.schema.items() if dtype not in words]
    if strange:
        raise ShoalError(
            f"a published table has columns of {', '.join(words.values())}, but {strange[0]!r} is {frame.schema[strange[0]]}",
            code="invalid-table",
        )
    return {name: words[dtype] for name, dtype in frame.schema.items()}


def renumbered(values: pl.Series, numbers: Mapping[int, int]) -> pl.Series:
    """Replace numbers by others, one to one."""
    return values.replace_strict(list(numbers), list(numbers.values()), return_dtype=pl.Int64)


# -- allowed columns of a table

Slots = tuple[tuple[str, ...], ...]
"""The columns of a table in their order: for each place the names that may stand there, an empty one where the place may be missing."""


def fits(columns: Sequence[str], slots: Slots) -> bool:
    """Whether these columns match the slots, in order."""
    if not slots:
        return not columns
    first, rest = slots[0], slots[1:]
    taken = bool(columns) and columns[0] in first and fits(columns[1:], rest)
    return taken or ("" in first and fits(columns, rest))


def without_place(columns: Sequence[str], shapes: Iterable[Slots]) -> tuple[str, ...]:
    """Return the columns that do not fit the best-matching shape."""
    known = [{name for slot in slots for name in slot} for slots in shapes]
    best = max(known, key=lambda names: sum(column in names for column in columns))
    return tuple(column for column in columns if column not in best)
