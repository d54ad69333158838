"""Columns that say about a row which record of its owner it belongs to, and how often it counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.data.bags import Ints
from shoal.data.log import RANK, RECORD, URL, Log
from shoal.util.wording import counted

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
        return (f"{counted(shared, 'record ID is', 'record IDs are')} used by several people; each person has a separate record",)


# Columns that say what was clicked after a query: the rank of the result, and its URL.


NOT_CLICKED = -1  # the number of a rank or URL that a row lacks


def ranks(texts: pl.Series) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """The ranks that are written, `NOT_CLICKED` for none; and where something is written that is no rank."""
    plain = texts.str.strip_chars()
    digits = plain.str.extract(r"^\+?0*(\d{1,9})(?:\.0*)?$").cast(pl.Int64)
    return digits.fill_null(NOT_CLICKED).to_numpy().copy(), (digits.is_null() & (plain != "")).to_numpy()


def click_columns(numbers: Mapping[str, pl.Series], urls: Sequence[str]) -> dict[str, pl.Series]:
    """The columns of a log for the numbers that were collected; a row without a click has nulls."""
    found = {}
    if RANK in numbers:
        found[RANK] = numbers[RANK].replace(NOT_CLICKED, None)
    if URL in numbers:
        places = numbers[URL].replace(NOT_CLICKED, None).cast(pl.UInt32)
        names = pl.Series(list(urls), dtype=pl.String)
        found[URL] = names.gather(places) if len(names) else pl.Series([None] * len(places), dtype=pl.String)
    return found
