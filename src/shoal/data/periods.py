"""Times made coarser: the hour, day or month that a time lies in, told by its beginning."""

from __future__ import annotations

from typing import Literal, get_args

import polars as pl

Period = Literal["hour", "day", "month"]
PERIODS: tuple[Period, ...] = get_args(Period)  # from the shortest to the longest
_TRUNCATED = {"hour": "1h", "day": "1d", "month": "1mo"}


def beginning(times: str | pl.Expr, period: Period) -> pl.Expr:
    """The beginning of the hour, day or month that each time of a column lies in; a missing time stays missing."""
    column = pl.col(times) if isinstance(times, str) else times
    return column.dt.truncate(_TRUNCATED[period])


def at_least_as_fine(period: Period, other: Period) -> bool:
    """Whether times that are told by this period also tell the other one."""
    return PERIODS.index(period) <= PERIODS.index(other)
