"""Steps that a cluster stored as Parquet, read on the driver, as counts too many to be collected as rows of Spark; and their removal."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl


def stored_step(place: Path, name: str) -> pl.LazyFrame:
    """What was stored under this name in the directory of a run."""
    return pl.scan_parquet(str(place / name / "*.parquet"))


def forget_step(place: Path, name: str) -> None:
    """Remove what was stored under this name, if anything was, and nothing will read it again."""
    shutil.rmtree(place / name, ignore_errors=True)
