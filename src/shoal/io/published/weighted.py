"""Reading weighted bags back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from shoal.data.tables.weighted import WeightedBagTable
from shoal.errors import InputError, ShoalError
from shoal.io.published import Facts, Reader
from shoal.io.published.frames import differing_under, raw_frame

COLUMNS = ["record", "items", "weights"]


def read(directory: Path, files: Sequence[Facts], own: bool) -> WeightedBagTable:
    """The records of a file; in CSV lists are joined with the declared separator."""
    (file,) = files
    path = directory / file["name"]
    frame = raw_frame(path, file["format"], own)
    if not frame.width:
        return WeightedBagTable(_listed(pl.DataFrame(schema={"items": pl.List(pl.String), "weights": pl.List(pl.Float64)})))
    if frame.columns != COLUMNS:
        raise InputError(f"{path.name} has other columns than {', '.join(COLUMNS)}", hint="a release is judged whole or not at all")
    try:
        return WeightedBagTable(_listed(_split(frame, file["separator"]) if file["format"] == "csv" else frame))
    except (pl.exceptions.PolarsError, ShoalError):
        raise InputError(f"{path.name} does not hold one weight for each item") from None


def _split(frame: pl.DataFrame, separator: str) -> pl.DataFrame:
    texts = frame.select(pl.col("items", "weights").fill_null("").str.split(separator))
    return texts.with_columns(pl.all().list.eval(pl.element().filter(pl.element() != "")))


def _listed(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select(pl.col("items").cast(pl.List(pl.String)), pl.col("weights").cast(pl.List(pl.Float64)))


def compare(made: WeightedBagTable, seen: WeightedBagTable) -> int:
    """Items with weights in records without counterpart, and empty records too many or too few."""
    empty = abs(_empty(made) - _empty(seen))
    return empty + differing_under("record", made.flat, seen.flat)


def _empty(table: WeightedBagTable) -> int:
    return int((table.frame["items"].list.len() == 0).sum())


READER = Reader(read, compare)
