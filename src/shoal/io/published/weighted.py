"""Reading weighted bags back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from shoal.data.tables.weighted_bags import WeightedBagTable
from shoal.errors import InputError, ShoalError
from shoal.io.extra_columns import numbers_rows
from shoal.io.joined_cells import JOINED, split_joined
from shoal.io.published import Facts, Reader
from shoal.io.published.frames import differing_under, raw_frame

COLUMNS = ["record", "items", "weights"]
LONG_COLUMNS = ["record", "item", "weight"]


def read(directory: Path, files: Sequence[Facts], own: bool) -> WeightedBagTable:
    """The records of a file; in CSV and Excel lists are joined with the declared separator."""
    (file,) = files
    path = directory / file["name"]
    frame = raw_frame(path, file["format"], own)
    if not frame.width:
        return WeightedBagTable(_listed(pl.DataFrame(schema={"items": pl.List(pl.String), "weights": pl.List(pl.Float64)})))
    long = file.get("layout") == "long"
    wanted = LONG_COLUMNS if long else COLUMNS
    if frame.columns[: len(wanted)] != wanted or frame.columns[len(wanted) :] not in ([], ["level"] * long):
        raise InputError(f"{path.name} has other columns than {', '.join(wanted)}", hint="a release is judged whole or not at all")
    records = frame["record"].unique(maintain_order=True) if long else frame["record"]
    beside = (*(() if numbers_rows(records) else ("record",)), *frame.columns[len(wanted) :])  # documents have no levels
    try:
        if long:
            return WeightedBagTable(_gathered(frame), beside)
        return WeightedBagTable(_listed(_split(frame, file["separator"]) if file["format"] in JOINED else frame), beside)
    except (pl.exceptions.PolarsError, ShoalError):
        raise InputError(f"{path.name} does not hold one weight for each item") from None


def _split(frame: pl.DataFrame, separator: str) -> pl.DataFrame:
    return frame.select(split_joined(frame[name].fill_null(""), separator) for name in ("items", "weights"))


def _gathered(frame: pl.DataFrame) -> pl.DataFrame:
    """Lists from a row for each item; a row without an item is a record without items."""
    if "level" in frame.columns and frame.select("item", "level").n_unique() != frame["item"].n_unique():
        raise ShoalError("equal items have different levels")
    typed = frame.select("record", pl.when(pl.col("item") != "").then("item"), pl.col("weight").cast(pl.Float64))
    lists = typed.group_by("record", maintain_order=True).agg(pl.col("item", "weight").drop_nulls())
    return _listed(lists.rename({"item": "items", "weight": "weights"}))


def _listed(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select(pl.col("items").cast(pl.List(pl.String)), pl.col("weights").cast(pl.List(pl.Float64)))


def compare(made: WeightedBagTable, seen: WeightedBagTable) -> int:
    """Items with weights in records without counterpart, and empty records too many or too few."""
    empty = abs(_empty(made) - _empty(seen))
    return empty + differing_under("record", made.flat, seen.flat)


def _empty(table: WeightedBagTable) -> int:
    return int((table.frame["items"].list.len() == 0).sum())


READER = Reader(read, compare)
