"""Additional columns of a published file, which no model covers.

A name or number of a person in such a column makes a release worthless, however similar its items are. The only allowed one is the number
of the record in the file, which contains no more than the file order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.errors import InputError


def numbers_rows(values: pl.Series, before: int = 0) -> bool:
    """Whether a column only numbers the rows: 1, 2, 3, ... (or from 0) in file order, or on from so many rows in the files before."""
    if values.dtype != pl.String and not values.dtype.is_integer():
        return False
    written = values.cast(pl.String)
    return any(written.equals(pl.Series(np.arange(first, first + len(values))).cast(pl.String)) for first in {1, 0, before + 1})


def extra_columns_of(frame: pl.DataFrame, judged: set[str], before: int = 0) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns of a table that no model covers: those that do more than number its rows, and those that do not."""
    others = [name for name in frame.columns if name not in judged]
    numbering = tuple(name for name in others if numbers_rows(frame[name], before))
    return tuple(name for name in others if name not in numbering), numbering


def numbering_note(names: Sequence[str]) -> tuple[str, ...]:
    """Return the note about ignored columns that only number the records."""
    return tuple(f"ignoring {name!r}: it only numbers the rows" for name in names)


class ExtraKeys:
    """The keys of JSON records that no model covers, collected record by record. The files before this one have `before` records."""

    def __init__(self, before: int = 0) -> None:
        self._before = before
        self._first: dict[str, int] = {}
        self._held: dict[str, int] = {}
        self._telling: dict[str, None] = {}
        self._records = 0

    def add(self, record: Any, judged: str | None) -> None:
        """Add a record of the file, with the key of its items."""
        others = [key for key in record if key != judged] if isinstance(record, dict) else []
        for key in others:
            value = record[key]
            if type(value) is not int or value - self._records != self._first.setdefault(key, value - self._records):
                self._telling[key] = None
            self._held[key] = self._held.get(key, 0) + 1
        self._records += 1

    def add_numbers(self, key: str, numbers: pl.Series) -> None:
        """Add several records at once, with integers under this key (null if missing), and nothing else next to the items."""
        places = np.arange(self._records, self._records + len(numbers))
        held = numbers.is_not_null().to_numpy()
        if held.any():
            ahead = numbers.drop_nulls().to_numpy() - places[held]
            if (ahead != self._first.setdefault(key, int(ahead[0]))).any():
                self._telling[key] = None
            self._held[key] = self._held.get(key, 0) + int(held.sum())
        self._records += len(numbers)

    def names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the keys that do more than number the records, and those that do not."""
        counting = {key for key, first in self._first.items() if first in {0, 1, self._before + 1} and self._held[key] == self._records}
        numbering = tuple(key for key in self._held if key in counting and key not in self._telling)
        return tuple(key for key in self._held if key not in numbering), numbering


def distinct_keys(place: str | Path) -> Callable[[list[tuple[str, Any]]], dict[str, Any]]:
    """Return a hook that rejects repeated keys when reading JSON: a reader sees one value, and the other would not be verified."""

    def hook(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise InputError(f"{place} has a key twice in one object, so that only one of its values would be seen", code="duplicate-key")
        return found

    return hook
