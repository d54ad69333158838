"""delta-presence: nobody of a public table is known to be in the release, or not to be in it, with too much confidence.

Nergiz, Atzori and Clifton, SIGMOD 2007. An attacker has a public table that contains all people of the release and others. For each person
of it, the share of rows that are in the release, among all rows of the public table that are published alike, must lie between two bounds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.data import patience
from shoal.data.claims import Model, Verdict, verified_if
from shoal.data.column_list import ColumnNames
from shoal.data.original import AnyOriginal
from shoal.data.public_table import PublicTable
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.errors import ParameterError
from shoal.parameters import param
from shoal.privacy.evidence.sensitive_columns import as_written, downwards, people_of_rows, upwards
from shoal.util.wording import counted

NO_TABLE = "the claim does not contain its public table; name it in a claim of your own"
_NUMBER = r"\s*(-?\d+(?:\.\d+)?)\s*"
_RANGE = re.compile(rf"(?:([\[(]){_NUMBER}[,;-]{_NUMBER}([\])])|{_NUMBER}-{_NUMBER})")


@dataclass(frozen=True)
class DeltaPresence(Model):
    """For each person of a public table, the probability of being in the release lies between delta_min and delta_max."""

    name = "delta-presence"
    protects = (
        "An attacker with the public table knows of nobody in it with a probability above delta_max, or below delta_min, that the person "
        "is in the release."
    )
    does_not_protect = (
        "People against an attacker with another public table, or with more columns. What the release says about people who are known to "
        "be in it."
    )
    limits = "It does not hold for other public tables: the publisher must have the one that an attacker has."
    judges = frozenset({"rows"})
    level_words = {  # noqa: RUF012 (never changed)
        "delta_min": "smallest probability that a person of the public table is in the release",
        "delta_max": "largest such probability",
    }
    level_sentences = {  # noqa: RUF012 (never changed)
        "delta_min": "the smallest probability that a person is in the release is {n}",
        "delta_max": "the largest is {n}",
    }

    delta_min: float = param(0.0, minimum=0, maximum=1, help="smallest probability of a person's presence")
    delta_max: float = param(0.5, minimum=0, maximum=1, help="largest probability of a person's presence")
    public: PublicTable | None = param(None, help="table with everybody whom an attacker may look for")
    columns: ColumnNames | None = param(None, help="columns that both tables have (default: all of the release that the public table has)")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.delta_min > self.delta_max:
            raise ParameterError("delta_min must not be above delta_max", code="options-conflict")

    def disclosable_values(self) -> dict[str, Any]:
        """Return the parameters without the public table."""
        return self.values() | ({"public": "unnamed"} if self.public is not None and self.public.file is None else {})

    def judged_columns(self, table: RowTable) -> frozenset[str]:
        """Return all columns: those that the public table lacks are not known to the attacker."""
        return frozenset(table.columns)

    def not_checked(self, table: Any, *, with_original: bool) -> Mapping[str, str]:
        """Return all columns: this model counts published values, and does not compare them with the original."""
        return dict.fromkeys(table.columns, "whether they are values of the original")

    def judge(self, release: Release, original: AnyOriginal | None) -> Verdict:
        """Match the public rows to classes of published rows, and compare their numbers."""
        if self.public is None:
            raise ParameterError(
                f"{self.name} must name the public table", code="missing-column", hint="write delta-presence(public=FILE, ...)"
            )
        if self.public.columns is None:
            return Verdict(str(self), "not checkable", {}, unchecked=NO_TABLE)
        frame = release.only(RowTable).frame
        names = self._shared(frame, self.public)
        if not names or not len(frame):
            return Verdict(str(self), "fails", {}, ("a column of the claim is missing in a table, or no column or row is there",))
        inside, note = _published(frame, names, people_of_rows(release, original))
        outside = _public(self.public, names)
        fits = _fitting(inside, outside, names)
        if (several := int((fits.sum(axis=0) > 1).sum())) > 0:
            why = f"{counted(several, 'row')} of the public table could be published in several ways, so no probability can be counted"
            return Verdict(str(self), "not checkable", {}, unchecked=why)
        return self._verdict(fits, inside["n"].to_list(), outside["n"].to_numpy(), [note] if note else [])

    def _shared(self, frame: pl.DataFrame, public: PublicTable) -> list[str]:
        wanted = frame.columns if self.columns is None else self.columns.names
        shared = [name for name in wanted if name in frame.columns and public.column(name) is not None]
        return shared if self.columns is None or len(shared) == len(wanted) else []

    def _verdict(self, fits: npt.NDArray[np.bool_], inside: list[int], outside: npt.NDArray[Any], notes: list[str]) -> Verdict:
        """Compare the number of published rows of each class with that of the public rows that it may stand for."""
        there = [int(outside[row].sum()) for row in fits]
        foreign = sum(n > everything for n, everything in zip(inside, there, strict=True))
        if foreign:
            what = f"{counted(foreign, 'class has', 'classes have')} more rows than the public table has people for it"
            return Verdict(str(self), "fails", {}, (what,), tuple(notes))
        shares = [Fraction(n, everything) for n, everything in zip(inside, there, strict=True)]
        shares += [Fraction(0)] if not fits.any(axis=0).all() else []
        low, high = min(shares), max(shares)
        broken = ["somebody of the public table is known to be in the release with a probability above delta_max"]
        broken = broken if high > as_written(self.delta_max) else []
        broken += ["somebody of the public table is known not to be in the release"] if low < as_written(self.delta_min) else []
        achieved = {"delta_min": downwards(low), "delta_max": upwards(high)}
        return Verdict(str(self), verified_if(not broken), achieved, tuple(broken), tuple(notes))


def _published(frame: pl.DataFrame, names: list[str], people: tuple[pl.Series | None, str]) -> tuple[pl.DataFrame, str]:
    """Return the different rows of the release in these columns, with the number `n` of people of each."""
    owners, note = people
    owner = pl.arange(0, len(frame), eager=True) if owners is None else owners
    rows = frame.select(pl.col(names).cast(pl.String).fill_null("")).with_columns(owner.alias("\0owner"))
    return rows.group_by(names, maintain_order=True).agg(n=pl.col("\0owner").n_unique()), note


def _public(table: PublicTable, names: list[str]) -> pl.DataFrame:
    """Return the different rows of the public table in these columns, with the number `n` of each."""
    rows = pl.DataFrame({name: table.column(name) for name in names}, schema=dict.fromkeys(names, pl.String))
    return rows.group_by(names, maintain_order=True).agg(n=pl.len().cast(pl.Int64))


def _fitting(inside: pl.DataFrame, outside: pl.DataFrame, names: list[str]) -> npt.NDArray[np.bool_]:
    """Return which public rows (columns) each published row (rows) may stand for."""
    patience.spend(len(inside) * len(outside) * len(names), "matching rows of the public table")
    fits = np.ones((len(inside), len(outside)), bool)
    for name in names:
        shown, typed = inside[name].unique(maintain_order=True), outside[name].unique(maintain_order=True)
        cells = np.array([[may_represent(one, other) for other in typed] for one in shown], bool).reshape(len(shown), len(typed))
        ranks = [dict(zip(side, range(len(side)), strict=True)) for side in (shown, typed)]
        at = [np.array([rank[value] for value in column[name]], np.int64) for rank, column in zip(ranks, (inside, outside), strict=True)]
        fits &= cells[at[0]][:, at[1]]
    return fits


def may_represent(published: str, typed: str) -> bool:
    """Whether a published value may stand for one of the public table: the same, `*`, `481**`, or a range such as 20-29 or [20,30)."""
    if published in {typed, "*"}:
        return True
    number = _number(typed)
    if number is not None and (same := _number(published)) is not None:
        return same == number
    bare = published.rstrip("*")
    if bare != published:
        return len(published) == len(typed) and typed.startswith(bare)
    found = _RANGE.fullmatch(published)
    if found is None or number is None:
        return False
    left, low, high, right, *plain = found.groups()
    first, last = (Fraction(low), Fraction(high)) if low is not None else (Fraction(plain[0]), Fraction(plain[1]))
    return (number > first or (number == first and left != "(")) and (number < last or (number == last and right != ")"))


def _number(text: str) -> Fraction | None:
    return Fraction(text.strip()) if re.fullmatch(_NUMBER, text) else None
