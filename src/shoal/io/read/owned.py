"""Columns that say of a row which record of its owner it belongs to, and how often it counts."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.counting import counted
from shoal.data.bags import Ints
from shoal.data.log import RECORD, Log

LARGEST_COUNT = np.iinfo(np.int32).max


def whole_numbers(texts: pl.Series) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """The counts that are written, 0 for what is no whole number from 1 to the largest that records hold; and where nothing is written."""
    plain = texts.str.strip_chars()
    digits = plain.str.extract(r"^\+?0*(\d{1,10})(?:\.0*)?$").cast(pl.Int64)
    sound = digits.fill_null(0).clip(0, LARGEST_COUNT + 1)
    return sound.replace(LARGEST_COUNT + 1, 0).to_numpy().copy(), (plain == "").to_numpy()


def shared_records(log: Log) -> tuple[str, ...]:
    """A note where several people have records of the same name: each person's rows are a record of their own."""
    if not log.has_records:
        return ()
    people = log.frame.select("owner", RECORD).unique().group_by(RECORD).len()["len"]
    shared = int((people > 1).sum())
    if not shared:
        return ()
    return (f"{counted(shared, 'record name is', 'record names are')} used by several people, whose rows stay apart: one record each",)
