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


class SharedRecords:
    """Counts by how many people each name of a record is used; a part of a log has all events of its people."""

    def __init__(self) -> None:
        self._people = np.zeros(0, np.int64)

    def add(self, log: Log) -> None:
        """The events of people who were not met before."""
        if not log.has_records or not len(log):
            return
        used = np.bincount(log.frame.select("owner", RECORD).unique()[RECORD].to_numpy())
        n = max(len(used), len(self._people))
        self._people = np.pad(self._people, (0, n - len(self._people))) + np.pad(used, (0, n - len(used)))

    def notes(self) -> tuple[str, ...]:
        """A note where several people have records of the same name: each person's rows are a record of their own."""
        shared = int((self._people > 1).sum())
        if not shared:
            return ()
        return (f"{counted(shared, 'record name is', 'record names are')} used by several people, whose rows stay apart: one record each",)
