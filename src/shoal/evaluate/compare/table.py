"""What came out of a comparison as one table."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from shoal.evaluate.compare.run import Row


def as_frame(rows: Sequence[Row]) -> pl.DataFrame:
    """One row a cell: method, settings, what a record is, then all numbers; empty where a cell has none."""
    told = [{"method": row.cell.method, **dict(row.cell.settings), "per": row.cell.per, **_plain(row)} for row in rows]
    return pl.DataFrame(told, infer_schema_length=None)


def _plain(row: Row) -> dict[str, float | str]:
    return {name: "; ".join(value) if isinstance(value, list) else value for name, value in row.found.items()}
