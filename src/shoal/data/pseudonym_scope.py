"""Scope of a pseudonym: all rows of a person, or parts of them, divided by inactivity, by day or by number of rows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.data.bags import Ints
from shoal.data.durations import parse_gap
from shoal.data.log import Log
from shoal.errors import InputError, ParameterError, option
from shoal.parameters import Typed

Mask = npt.NDArray[np.bool_]

NONE, PERSON, DAY = "none", "person", "day"
_GAP, _ROWS = "gap:", "rows:"


@dataclass(frozen=True)
class PseudonymScope(Typed):
    """The rows that share one pseudonym.

    `none`: there are no pseudonyms; `person`: all rows of a person; `day`: the rows of a person on one day; `gap:30m`: rows of a person
    without longer inactivity between them; `rows:10`: at most this many consecutive rows of a person.
    """

    forms: ClassVar[str] = "none | person | day | gap:DURATION | rows:N"

    text: str = NONE

    def __post_init__(self) -> None:
        if self.text.startswith(_GAP):
            parse_gap(self.text.removeprefix(_GAP))
        elif self.text not in (NONE, PERSON, DAY) and not re.fullmatch(_ROWS + "[1-9][0-9]{0,8}", self.text):
            raise ParameterError(
                f"give {', '.join(self.forms.split(' | '))}, such as gap:30m or rows:10, not {self.text!r}", code="unreadable-value"
            )

    @property
    def links(self) -> bool:
        """Whether there are pseudonyms at all."""
        return self.text != NONE

    @property
    def divides_people(self) -> bool:
        """Whether one person may have several pseudonyms."""
        return self.text not in (NONE, PERSON)

    @property
    def gap(self) -> timedelta | None:
        """The inactivity that ends a part, if this is the criterion."""
        return parse_gap(self.text.removeprefix(_GAP)) if self.text.startswith(_GAP) else None

    @property
    def rows(self) -> int | None:
        """The maximum number of rows in a part, if this is the criterion."""
        return int(self.text.removeprefix(_ROWS)) if self.text.startswith(_ROWS) else None


def parts_of_people(log: Log, cut: PseudonymScope) -> Ints:
    """Return a number for every row of a log: rows with the same number share a pseudonym.

    Rows with the same time are ordered by content, so that the input order does not matter.
    """
    if not cut.divides_people:
        return log.frame["owner"].to_numpy()
    if not log.timed:
        raise ParameterError(
            f"{cut} divides the rows of a person by time, but this log has no times",
            code="missing-times",
            hint=f"name the column with {option('time')}",
        )
    if log.frame["time"].null_count():
        raise InputError("a row of the log has no time, but the rows of a person are divided by time", code="missing-times")
    ties = ("payload", *log.further) if cut.rows else ()
    order = log.frame.select(pl.arg_sort_by("owner", "time", *ties, nulls_last=False)).to_series().to_numpy()
    owners, times = log.frame["owner"].to_numpy()[order], log.frame["time"].to_physical().to_numpy()[order]
    fresh = np.ones(len(order), bool)
    fresh[1:] = np.diff(owners) != 0
    part = np.empty(len(order), np.int64)
    part[order] = np.cumsum(fresh | _begins(cut, times, fresh)) - 1
    return part


def _begins(cut: PseudonymScope, times: Ints, first: Mask) -> Mask:
    """Return which rows start a part, in addition to the first of every person; rows are ordered by person and time."""
    begins = np.zeros(len(times), bool)
    if cut.rows is not None:
        starts = np.flatnonzero(first)
        place = np.arange(len(times)) - np.repeat(starts, np.diff(np.append(starts, len(times))))
        return np.asarray(place % cut.rows == 0)
    if cut.gap is not None:
        begins[1:] = np.diff(times) > cut.gap // timedelta(microseconds=1)
    else:
        begins[1:] = np.diff(times // (timedelta(days=1) // timedelta(microseconds=1))) != 0
    return begins
