"""Expected values of the columns of a Parquet file: their number and their size in plain encoding."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from shoal.io.canonical.thrift import Struct, ThriftError

BOOLEAN, BYTES, FIXED = 0, 6, 7
SIZES = {1: 4, 2: 8, 3: 12, 4: 4, 5: 8}
_BY_SIZE: dict[int, Any] = {4: np.int32, 8: np.int64}
_FLOATS: dict[int, Any] = {4: np.float32, 8: np.float64}
_LONGEST_NUMBER = 16  # bytes of a number of a type that is not compared
_OPTIONAL, _REPEATED = 1, 2


@dataclass(frozen=True)
class Leaf:
    """A column of scalar values in the schema of a file: its path, its physical type, and its maximum levels."""

    path: tuple[str, ...]
    physical: int
    size: int
    definition: int
    repetition: int


def leaves_of(elements: list[Struct]) -> list[Leaf]:
    """Return the columns of scalar values, in the order of the schema.

    Raises:
        ThriftError: The schema is no tree.
    """
    found: list[Leaf] = []

    def visit(at: int, path: tuple[str, ...], definition: int, repetition: int) -> int:
        if at >= len(elements):
            raise ThriftError("the schema breaks off")
        element = elements[at]
        held, children = element.whole(3), element.whole(5)
        path = (*path, element.text(4)) if at else ()
        if at:
            definition += held in (_OPTIONAL, _REPEATED)
            repetition += held == _REPEATED
        if at and element.get(1) is not None:
            physical = element.whole(1)
            found.append(Leaf(path, physical, SIZES.get(physical, element.whole(2)), definition, repetition))
        at += 1
        for _ in range(children):
            at = visit(at, path, definition, repetition)
        return at

    if visit(0, (), 0, 0) != len(elements):
        raise ThriftError("the schema is longer than its columns")
    return found


def leaf_series(frame: pl.DataFrame) -> list[pl.Series]:
    """Return the scalar values of all columns without nulls, in the order of the schema."""
    return [leaf for column in frame.iter_columns() for leaf in _inner(column)]


def _inner(column: pl.Series) -> Iterator[pl.Series]:
    dtype = column.dtype
    if isinstance(dtype, pl.List):
        yield from _inner(column.drop_nulls().explode(empty_as_null=False, keep_nulls=False))
    elif isinstance(dtype, pl.Array):
        yield from _inner(column.drop_nulls().arr.to_list().explode(empty_as_null=False, keep_nulls=False))
    elif isinstance(dtype, pl.Struct):
        for name in [each.name for each in dtype.fields]:
            yield from _inner(column.drop_nulls().struct.field(name))
    else:
        yield column.drop_nulls()


@dataclass(frozen=True)
class Needed:
    """The values of a column in a row group: their number and size; None if the type is not supported."""

    values: int
    plain_bytes: int | None
    column: pl.Series
    leaf: Leaf

    @classmethod
    def of(cls, column: pl.Series, leaf: Leaf) -> Needed:
        """Compute the number and size of these values."""
        return cls(len(column), _bytes(column, leaf), column, leaf)

    def dictionary(self) -> tuple[int, int] | None:
        """Return the number of distinct values, and the size of a dictionary of them."""
        held = self._different
        if held is None:
            return None
        return len(held), (_bytes(held, self.leaf) or 0) if self.leaf.physical == BYTES else len(held) * self.leaf.size

    @cached_property
    def _different(self) -> pl.Series | None:
        """Return the distinct values: texts, or numbers by their bits; None if the type is not supported."""
        dtype = self.column.dtype
        if self.leaf.physical == BYTES:
            return None if self.plain_bytes is None else _texts(self.column).unique()
        if dtype.is_float() and self.leaf.size in _BY_SIZE:
            return pl.Series(self.column.to_numpy().view(_BY_SIZE[self.leaf.size])).unique()
        if dtype.is_integer() or dtype.is_temporal():
            return self.column.to_physical().unique()
        return None

    def has(self, value: bytes) -> bool:
        """Whether the column has this value, or one that begins with it; a maximum may be truncated, with its last byte incremented."""
        held = self._different
        if self.leaf.physical != BYTES:
            if held is None or not self.comparable or len(value) != self.leaf.size:
                return len(value) <= _LONGEST_NUMBER and not (held is not None and self.comparable)
            number = np.frombuffer(value, _BY_SIZE[self.leaf.size])[0]
            zero = self.column.dtype.is_float() and not np.frombuffer(value, _FLOATS[self.leaf.size])[0]
            return bool(zero or (held.to_numpy().astype(_BY_SIZE[self.leaf.size]) == number).any())
        if held is None:
            return False
        texts = held.cast(pl.Binary)
        lower = value[:-1] + bytes([value[-1] - 1]) if value and value[-1] else value
        return not value or bool((texts.bin.starts_with(value) | texts.bin.starts_with(lower)).any())

    @property
    def comparable(self) -> bool:
        """Whether the bytes of values can be compared: times of day and numbers of unusual sizes cannot."""
        return self.leaf.physical == BYTES or (self.leaf.size in _BY_SIZE and self.column.dtype != pl.Time)

    def holds_all(self, dictionary: memoryview, entries: int) -> bool:
        """Whether a dictionary of this many entries contains distinct values of the column, and nothing else."""
        held = self._different
        if held is None:
            return False
        if self.leaf.physical == BYTES:
            try:
                found = pl.Series(texts_filling(dictionary), dtype=pl.Binary)
            except ThriftError:
                return False
            held = held.cast(pl.Binary)
        elif self.leaf.size in _BY_SIZE and len(dictionary) % self.leaf.size == 0:
            found = pl.Series(np.frombuffer(dictionary, _BY_SIZE[self.leaf.size]))
            held = pl.Series(held.to_numpy().astype(_BY_SIZE[self.leaf.size]))  # numbers without a sign have the same bits
        else:
            return False
        return len(found) == entries == found.n_unique() and bool(found.is_in(held.implode()).all())


def _texts(column: pl.Series) -> pl.Series:
    return column if column.dtype in (pl.String, pl.Binary) else column.cast(pl.String)


def _bytes(column: pl.Series, leaf: Leaf) -> int | None:
    """Return the size of these values in the encoding PLAIN; 0 for Booleans, whose bits are counted."""
    if leaf.physical == BOOLEAN:
        return 0
    if leaf.physical != BYTES:
        return len(column) * leaf.size
    if column.dtype not in (pl.String, pl.Binary, pl.Categorical, pl.Enum):
        return None
    texts = _texts(column)
    sizes = texts.str.len_bytes() if texts.dtype == pl.String else texts.bin.size()
    return 4 * len(texts) + int(sizes.sum() or 0)


def texts_filling(data: memoryview) -> list[bytes]:
    """Return the length-prefixed texts that fill these bytes.

    Raises:
        ThriftError: They end elsewhere.
    """
    raw, at, found = bytes(data), 0, []
    while at < len(raw):
        begin = at + 4
        at = begin + int.from_bytes(raw[at:begin], "little")
        found.append(raw[begin:at])
    if at != len(raw):
        raise ThriftError("texts end elsewhere")
    return found
