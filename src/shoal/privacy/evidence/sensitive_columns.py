"""What models of sensitive values count: how often each occurs in each class of rows, or of records, that are alike otherwise.

Rows are counted as they are published. While a release is made, the person behind each row is known: somebody with several rows in a class
then counts once for each different value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import polars as pl

from shoal.data.claims import Model, Verdict, verified_if
from shoal.data.column_list import ColumnNames
from shoal.data.items import Items
from shoal.data.original import AnyOriginal, TableOriginal
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.errors import ParameterError
from shoal.parameters import Declared
from shoal.privacy.evidence.equivalence_classes import people_not_counted
from shoal.privacy.evidence.microdata_evidence import classes_of_rows
from shoal.privacy.evidence.sensitive_items import LOST, rows_of_records

DIGITS = 6  # of a level that is a fraction, rounded to the unfavourable side
SEVERAL = people_not_counted("rows")


@dataclass(frozen=True, eq=False)
class ValuesOfClasses:
    """Of each class how often each sensitive value occurs, and how many rows or people it has."""

    counts: tuple[Mapping[str, int], ...]
    sizes: tuple[int, ...]

    @property
    def total(self) -> dict[str, int]:
        """How often each value occurs in the whole table."""
        found: dict[str, int] = {}
        for counts in self.counts:
            for value, n in counts.items():
                found[value] = found.get(value, 0) + n
        return found


def as_written(number: float) -> Fraction:
    """Return a limit of a claim as the fraction that is written, not as the binary number nearest to it."""
    return Fraction(repr(float(number)))


def upwards(level: Fraction) -> float:
    """Round a level of which less is better, so that it is never understated."""
    return float(math.ceil(level * 10**DIGITS) / 10**DIGITS)


def downwards(level: Fraction) -> float:
    """Round a level of which more is better, so that it is never overstated."""
    return float(math.floor(level * 10**DIGITS) / 10**DIGITS)


@dataclass(frozen=True)
class AchievedLevel:
    """The level that a table achieves, and the message about classes that miss the claim."""

    achieved: dict[str, Any]
    broken: tuple[str, ...] = ()


class SensitiveColumnModel(Model):
    """A model of what the classes of a table reveal about sensitive columns, or those of records about sensitive items.

    A subclass declares `sensitive`, `columns` and `items`. `each_item` states that it counts the holders of each sensitive item by itself,
    instead of the sets of such items.
    """

    judges = frozenset({"rows"})
    each_item: ClassVar[bool] = False

    sensitive: ColumnNames | None
    columns: ColumnNames | None
    items: Items | None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.items is None:
            return
        if self.sensitive is not None or self.columns is not None:
            raise ParameterError("records have items and no columns", code="options-conflict", hint="name sensitive columns, or items")
        object.__setattr__(self, "judges", frozenset({"bags"}))

    def measure(self, values: ValuesOfClasses) -> AchievedLevel:
        """Return the level that these classes achieve, and what misses the claim."""
        raise NotImplementedError

    def known_columns(self, table: RowTable) -> tuple[str, ...]:
        """Return the columns that an attacker may know: those of the claim, or all that are not sensitive."""
        hidden = self.hidden_columns
        return self.columns.names if self.columns is not None else tuple(name for name in table.frame.columns if name not in hidden)

    @property
    def hidden_columns(self) -> tuple[str, ...]:
        """Return the sensitive columns, which a claim must name."""
        if self.sensitive is None:
            raise ParameterError(
                f"{self.name} must name the sensitive column", code="missing-column", hint=f"{self.name}(sensitive=COLUMN, ...)"
            )
        return self.sensitive.names

    def judged_columns(self, table: RowTable) -> frozenset[str]:
        """Return the columns that the claim is about."""
        return frozenset((*self.known_columns(table), *self.hidden_columns))

    def not_checked(self, table: Any, *, with_original: bool) -> Mapping[str, str]:
        """Return all columns: this model counts published values, and does not compare them with the original."""
        names = (name for columns in table.columns_of_parts().values() for name in columns)
        return dict.fromkeys(names, "whether they are values of the original")

    def judge(self, release: Release, original: AnyOriginal | None) -> Verdict:
        """Count the sensitive values of each class."""
        if self.items is not None:
            return self._judge_records(release, original)
        table = release.only(RowTable)
        known, hidden = self.known_columns(table), self.hidden_columns
        faults = faults_of_columns(table, known, hidden)
        if faults:
            return Verdict(str(self), "fails", {}, faults)
        values, notes = values_of_classes(table.frame, known, hidden, people_of_rows(release, original))
        left = [repr(name) for name in table.frame.columns if name not in {*known, *hidden}]
        notes += [f"not covered by the claim: {', '.join(left)}"] if left else []
        found = self.measure(values)
        return Verdict(str(self), verified_if(not found.broken), found.achieved, found.broken, tuple(notes))

    def _judge_records(self, release: Release, original: AnyOriginal | None) -> Verdict:
        """Count the sensitive items of each class of records that are alike without them."""
        if self.items is not None and not self.items.known:
            return Verdict(str(self), "not checkable", {}, unchecked="the claim does not name its items; the option `sensitive` gives them")
        rows, notes = rows_of_records(release, self.items, original)
        if not len(rows) or LOST in notes:
            return Verdict(str(self), "fails", {}, (LOST if len(rows) else "the release has no records",))
        found = self.measure(_values(rows.rename({"item": "value", "value": "set"} if self.each_item else {})))
        return Verdict(str(self), verified_if(not found.broken), found.achieved, found.broken, tuple(notes))

    @property
    def sensitive_items(self) -> Items | None:
        """The items of records that must not be inferred."""
        return self.items

    def keeps(self, promise: Declared) -> bool:
        """Whether the promise is kept; one without columns is kept by a claim that names them: only the table shows which they are."""
        if isinstance(promise, SensitiveColumnModel) and promise.columns is None and promise.items is None:
            return type(self) is type(promise) and self.values() | {"columns": None} == promise.values()
        return super().keeps(promise)

    def disclosable_values(self) -> dict[str, Any]:
        """Return the parameters without the sensitive items, which may disclose what somebody has."""
        return self.values() | ({"items": str(self.items.withheld)} if self.items else {})


def faults_of_columns(table: RowTable, known: Sequence[str], hidden: Sequence[str]) -> tuple[str, ...]:
    """Return why a table cannot fulfil a claim about these columns: one is missing or in both roles, none is known, or no row is there."""
    missing = [name for name in (*known, *hidden) if name not in table.frame.columns]
    if missing:
        return (f"the column {missing[0]!r}, which the claim is about, is not in the table",)
    both = [name for name in known if name in hidden]
    if both:
        return (f"the column {both[0]!r} has two roles in the claim",)
    return () if known and len(table.frame) else ("the table has no rows or no columns that the claim is about",)


def people_of_rows(release: Release, original: AnyOriginal | None) -> tuple[pl.Series | None, str]:
    """Return the person behind each published row if somebody has several, and a note if that is unknown."""
    if not isinstance(original, TableOriginal):
        return None, ""
    owners = original.table.owners
    if len(set(owners.tolist())) == len(owners):
        return None, ""
    frame = release.only(RowTable).frame
    if release.secret is None or len(frame) != len(owners):
        return None, SEVERAL
    rows = pl.DataFrame({"row": release.secret.rows(), "owner": owners}).sort("row")
    return rows["owner"], ""


def values_of_classes(
    frame: pl.DataFrame, known: Sequence[str], hidden: Sequence[str], people: tuple[pl.Series | None, str]
) -> tuple[ValuesOfClasses, list[str]]:
    """Return the values of each class of rows that are written identically in the known columns, and notes on how they were counted.

    Missing and empty values are one value.
    """
    owners, note = people
    label = pl.Series("class", classes_of_rows(frame, known).label)
    value = frame[hidden[0]].cast(pl.String) if len(hidden) == 1 else frame.select(pl.struct(hidden).struct.json_encode()).to_series()
    rows = pl.DataFrame(
        {"class": label, "value": value.fill_null(""), "owner": pl.arange(0, len(frame), eager=True) if owners is None else owners}
    )
    return _values(rows), [note] if note else []


def _values(rows: pl.DataFrame) -> ValuesOfClasses:
    """Count the people of each `class`, and of each `value` in it. A missing value is none."""
    held = rows.drop_nulls("value").unique(["class", "value", "owner"]).group_by("class", "value").agg(n=pl.len())
    sizes = dict(rows.group_by("class").agg(pl.col("owner").n_unique()).sort("class").iter_rows())
    counts: dict[int, dict[str, int]] = {number: {} for number in sizes}
    for number, name, n in held.iter_rows():
        counts[number][name] = n
    return ValuesOfClasses(tuple(counts.values()), tuple(sizes.values()))
