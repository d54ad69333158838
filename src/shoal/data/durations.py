"""Durations as typed: 90s, 30m, 2h, 1d."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar, Literal, get_args

import polars as pl

from shoal.errors import ParameterError
from shoal.parameters import Typed

_WRITTEN = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|h|d)")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_LONGEST = timedelta(days=365_000)


def parse_gap(text: str) -> timedelta:
    """Parse a duration such as 90s, 30m, 2h or 1d."""
    found = _WRITTEN.fullmatch(str(text).strip())
    seconds = float(found[1]) * _SECONDS[found[2]] if found else 0.0
    if not 0 < seconds <= _LONGEST.total_seconds():
        raise ParameterError(f"gap must be a duration such as 90s, 30m, 2h or 1d, not {text!r}", code="unreadable-value", value=text)
    return timedelta(seconds=seconds)


@dataclass(frozen=True)
class Duration(Typed):
    """A duration as a parameter, kept as typed."""

    forms: ClassVar[str] = "DURATION"

    text: str

    def __post_init__(self) -> None:
        parse_gap(self.text)

    @property
    def span(self) -> timedelta:
        """The length of the duration."""
        return parse_gap(self.text)


# Coarser times: the beginning of the hour, day or month that contains a time.


Period = Literal["hour", "day", "month"]
PERIODS: tuple[Period, ...] = get_args(Period)  # from the shortest to the longest
_TRUNCATED = {"hour": "1h", "day": "1d", "month": "1mo"}


def beginning(times: str | pl.Expr, period: Period) -> pl.Expr:
    """Return the beginning of the hour, day or month that contains each time of a column; missing times stay missing."""
    column = pl.col(times) if isinstance(times, str) else times
    return column.dt.truncate(_TRUNCATED[period])


def at_least_as_fine(period: Period, other: Period) -> bool:
    """Whether times truncated to this period also determine the other period."""
    return PERIODS.index(period) <= PERIODS.index(other)
