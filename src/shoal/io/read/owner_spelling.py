"""Owners whose names differ only in how they are written: `ann` and `Ann`, `7` and `7.0`.

Kept apart, one person would count as several and a guarantee about people would be false; taken for one, several could count as one, which
errs on the safe side. Nobody but the user knows which it is, so a file that holds such names is refused until it is said.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal.data.bags import Ints
from shoal.errors import InputError, option
from shoal.util.wording import counted

PLAIN_NUMBER = "^[1-9][0-9]*$"  # which can be written in one way only


class OwnerForms:
    """The forms in which each owner is written in JSON: `1`, `1.0` and `"1"` are one person, which is said where it happens."""

    def __init__(self) -> None:
        self._met = np.zeros(0, np.uint8)
        self._rows = np.zeros(0, np.int64)

    def add(self, owner: Ints, form: Ints, owners: int) -> None:
        """Rows of these owners, in these forms (small numbers); this many owners are known by now."""
        more = owners - len(self._met)
        self._met, self._rows = np.pad(self._met, (0, more)), np.pad(self._rows, (0, more))
        for one in np.unique(form):
            self._met[owner[form == one]] |= np.uint8(1 << one)
        self._rows += np.bincount(owner, minlength=owners)

    def notes(self) -> tuple[str, ...]:
        """How many people are written in several forms, and in how many rows."""
        several = (self._met & (self._met - np.uint8(1))) > 0  # more than one bit
        if not several.any():
            return ()
        people, rows = counted(int(several.sum()), "person is", "people are"), counted(int(self._rows[several].sum()), "row")
        return (f'{people} written in several forms of a JSON value, such as 1, 1.0 and "1", in {rows}; all forms of one are one person',)


def folded(names: pl.Series) -> pl.Series:
    """The names without capitals, blanks around and doubled inside, other forms of a character, and zeros that a number does not need."""
    other = (~names.str.contains(PLAIN_NUMBER)).arg_true()  # most logs number their people
    return names.clone().scatter(other, _folded(names.gather(other))) if len(other) else names


def _folded(names: pl.Series) -> pl.Series:
    plain = names.str.normalize("NFKC").str.to_lowercase().str.replace_all(r"\s+", " ").str.strip_chars()
    return plain.str.replace(r"^\+?0*(\d+?)(?:\.0*)?$", "$1")


def owner_numbers(names: pl.Series, way: str | None, place: object) -> tuple[Ints | None, tuple[str, ...]]:
    """The number of the person behind each name, None if every name is one, and what is to be said about it."""
    alike = folded(names)
    n = alike.n_unique()
    if n == len(names):
        return None, ()
    notes = notes_on_spelling(len(names), n, way, place)
    if way == "exact":
        return None, notes
    return alike.rank("dense").to_numpy().astype(np.int64) - 1, notes


def notes_on_spelling(written: int, folded: int, way: str | None, place: object) -> tuple[str, ...]:
    """Notes on user IDs that differ only in spelling: `written` as typed, `folded` without spelling. Raises if nobody chose."""
    if written == folded:
        return ()
    what = f"{written:,} different user IDs, {folded:,} if capitals, blanks and the form of numbers are ignored"
    if way is None:
        folds = f"{option('owners', 'folded')} treats user IDs that differ only in these as one person"
        hint = f"{folds}, {option('owners', 'exact')} keeps them apart"
        raise InputError(f"{place}: {what}", code="user-spelling-unclear", hint=hint, written=written, folded=folded)
    return (f"{what}; they are kept separate, as specified" if way == "exact" else f"{what}; {folded:,} are kept separate, as specified",)
