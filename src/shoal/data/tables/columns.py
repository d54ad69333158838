"""Columns that a published table may have: flat ones of four types, by the words that a manifest uses for them."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from shoal.errors import ShoalError

TYPES: Mapping[str, pl.DataType] = {
    "text": pl.String(),
    "integer": pl.Int64(),
    "number": pl.Float64(),
    "time": pl.Datetime("us"),
}
_WORDS = {dtype: word for word, dtype in TYPES.items()}


def column_types(frame: pl.DataFrame) -> dict[str, str]:
    """The type of each column in words; refuses any other type."""
    strange = [name for name, dtype in frame.schema.items() if dtype not in _WORDS]
    if strange:
        raise ShoalError(f"a published table has columns of {', '.join(TYPES)}, and {strange[0]!r} is {frame.schema[strange[0]]}")
    return {name: _WORDS[dtype] for name, dtype in frame.schema.items()}


def renumbered(values: pl.Series, numbers: Mapping[int, int]) -> pl.Series:
    """Numbers in place of others, one for one."""
    return values.replace_strict(list(numbers), list(numbers.values()), return_dtype=pl.Int64)
