"""The long layout of records: one row for each item of a record, with its count and, where there is a taxonomy, its level.

A record without items is a row without an item, counted 0 times, so that it is not lost.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from shoal.data.bags import Bags, Ints
from shoal.io.write.frames import frame_bytes
from shoal.io.write.output_format import Levels, OutputForm

RECORDS_AT_ONCE = 100_000


def long_pieces(published: Bags, rows: Ints, form: OutputForm) -> Iterator[bytes]:
    """The bytes of a file of these rows of the published records, in this order, numbered from 1."""
    items = _items(published, form.levels)
    at_once = RECORDS_AT_ONCE if form.format in {"csv", "jsonl"} else max(1, len(rows))
    for start in range(0, max(1, len(rows)), at_once):
        numbered = _rows(published.indptr, rows[start : start + at_once], start)
        frame = numbered.join(items, on="entry", how="left", maintain_order="left").drop("entry")
        yield frame_bytes(frame.with_columns(pl.col("count").fill_null(0)), form.format, header=start == 0)


def _rows(indptr: Ints, rows: Ints, before: int) -> pl.DataFrame:
    """The number of a record and the entry of an item, for all items of these records; the entry is null where a record has none."""
    sizes = np.diff(indptr)[rows]
    written = np.maximum(sizes, 1)
    ends = np.cumsum(written)
    within = np.arange(int(written.sum())) - np.repeat(ends - written, written)
    entries = np.repeat(indptr[rows], written) + within
    entry = pl.Series(np.where(np.repeat(sizes > 0, written), entries, -1))
    numbers = np.repeat(np.arange(before + 1, before + len(rows) + 1), written)
    return pl.DataFrame({"record": numbers, "entry": entry}, schema={"record": pl.Int64, "entry": pl.Int64})


def _items(published: Bags, levels: Levels | None) -> pl.DataFrame:
    """Name, count and level of every entry."""
    names = published.vocabulary.names
    entries = {"entry": np.arange(len(published.items)), "item": names.gather(published.items), "count": published.counts.astype(np.int64)}
    frame = pl.DataFrame(entries, schema={"entry": pl.Int64, "item": pl.String, "count": pl.Int64})
    return frame if levels is None else frame.with_columns(levels(names).gather(published.items).cast(pl.Int64).alias("level"))


def long_frame(lists: pl.DataFrame, levels: Levels | None) -> pl.DataFrame:
    """The long layout of a frame of records, the lists of their items and perhaps of their weights: what a file of that layout holds."""
    weighted = [name for name in ("weights",) if name in lists.columns]
    flat = lists.explode("items", *weighted, empty_as_null=True, keep_nulls=True).rename({"items": "item"})
    rows = flat.rename(dict.fromkeys(weighted, "weight")) if weighted else _counted(flat)
    return rows if levels is None else rows.with_columns(levels(rows["item"]).cast(pl.Int64).alias("level"))


def _counted(flat: pl.DataFrame) -> pl.DataFrame:
    """Every item of a record once, with how often it occurs there."""
    found = pl.col("item").is_not_null().sum().cast(pl.Int64).alias("count")
    return flat.group_by("record", "item", maintain_order=True).agg(found)
