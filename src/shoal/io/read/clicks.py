"""Columns that say what was clicked after a query: the rank of the result, and its URL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.data.bags import Ints
from shoal.data.log import RANK, URL

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
