"""Steps that a cluster stored as Parquet, read on the driver: counts that are too many to be collected as rows of Spark."""

from __future__ import annotations

from pathlib import Path

import polars as pl


def stored_step(place: Path, name: str) -> pl.LazyFrame:
    """What was stored under this name in the directory of a run."""
    return pl.scan_parquet(str(place / name / "*.parquet"))
