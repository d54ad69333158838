"""Fields of the tables of a release: columns that the kind of a table does not allow, numbers that must carry no information, and fields
whose values were compared with nothing.

The columns of a table are determined by its kind and by the parameters of its method; the manifest cannot add any.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from shoal.data.claims import Model, Verdict, verified_if
from shoal.data.original import AnyOriginal, LogOriginal, TableOriginal
from shoal.data.query_units import TIME, USER
from shoal.data.release import Release
from shoal.data.tables import PSEUDONYMS, PublishedTable
from shoal.data.tables.column_types import Slots, column_types, fits, without_place
from shoal.errors import ParameterError
from shoal.keyed.keys import BYTES
from shoal.pipeline.claims import method_of
from shoal.pipeline.run import levels_in
from shoal.privacy.evidence.fresh_numbers import disordered, misnumbered, orders_of
from shoal.util.wording import counted

CHECK = "fields of the tables"
RECORD_SHAPES: tuple[Slots, ...] = ((("record",), ("items",)), (("record",), ("item",), ("count",), ("level", "")))
TOKEN = rf"^[0-9a-f]{{{2 * BYTES}}}$"

Manifest = Mapping[str, Any]


@dataclass(frozen=True)
class RecordFile:
    """The parts of a records file other than the records: its columns, and the levels of items if it has them."""

    columns: tuple[str, ...] = ()
    levels: pl.DataFrame | None = None

    def misplaced(self) -> list[str]:
        """Return known columns in another order than shoal writes them."""
        if not self.columns or without_place(self.columns, RECORD_SHAPES):
            return []
        return [] if any(fits(self.columns, shape) for shape in RECORD_SHAPES) else ["the columns of the records are in another order"]

    def other_levels(self, original: AnyOriginal | None) -> list[str]:
        """Return levels that differ from those of the taxonomy."""
        known = None if self.levels is None or original is None else levels_in(original)
        if known is None or self.levels is None:
            return []
        true = known(self.levels["item"]).cast(pl.String)
        wrong = int((true.is_not_null() & true.ne_missing(self.levels["level"])).sum())
        return [f"{counted(wrong, 'item has', 'items have')} another level than in the taxonomy"] if wrong else []

    def not_checked(self, original: AnyOriginal | None) -> list[str]:
        """Return the levels as unverified, without the taxonomy of the original."""
        open_levels = self.levels is not None and (original is None or levels_in(original) is None)
        return ["level (only that equal items have equal levels)"] if open_levels else []


@dataclass(frozen=True)
class Fields:
    """Faults in the fields of the tables, and fields that were compared with nothing."""

    broken: tuple[str, ...]
    not_checked: tuple[str, ...]

    def verdicts(self) -> list[Verdict]:
        """Return a check of the audit; none if there is no fault and nothing is unverified."""
        if not self.broken and not self.not_checked:
            return []
        notes = (f"not checked in the tables: {'; '.join(self.not_checked)}",) if self.not_checked else ()
        return [Verdict(CHECK, verified_if(not self.broken), {}, self.broken, notes)]


def judge_fields(
    release: Release, models: Sequence[Model], manifest: Manifest | None, file: RecordFile, original: AnyOriginal | None
) -> Fields:
    """Verify the fields of all tables; `file` has the other parts of a records file, which the table does not keep."""
    broken = [*(file.misplaced() if manifest is not None else []), *file.other_levels(original)]
    unordered: dict[str, None] = {}
    for name, table in release.tables.items():
        broken += [*_misshapen(name, table, manifest), *disordered(table)] if manifest is not None else []
        orders = orders_of(table, original)
        unordered |= dict.fromkeys(orders.not_compared)
        broken += [*misnumbered(table), *orders.faults]
        if original is not None:
            broken += _other_order(table, original)
            broken += [] if models else _strange_times(table, original)
    left = dict.fromkeys(text for table in release.tables.values() for text in _not_checked(table, models, original is not None))
    random = [f"whether {' and '.join(unordered)} are in a random order"] if unordered and manifest is not None else []
    return Fields(tuple(broken), (*left, *file.not_checked(original), *random))


def columns_without_place(release: Release, manifest: Manifest | None) -> tuple[str, ...]:
    """Return the columns that neither kind nor method allows, and fields that are not in canonical form."""
    names: dict[str, None] = {}
    for name, table in release.tables.items():
        names |= dict.fromkeys(table.extra_fields)
        for part, columns in table.columns_of_parts().items():
            if shapes := _shapes(name, table, part, manifest):
                names |= dict.fromkeys(without_place(list(columns), shapes))
    return tuple(names)


def record_columns_without_place(columns: Sequence[str]) -> tuple[str, ...]:
    """Do the same for a records file written by shoal, which has one of two shapes."""
    return without_place(columns, RECORD_SHAPES) if columns else ()


def _shapes(name: str, table: PublishedTable, part: str, manifest: Manifest | None) -> tuple[Slots, ...]:
    """Return the columns that the method's parameters, or else the kind, determine for this table; none if claims decide."""
    if manifest is not None:
        try:
            own = method_of(manifest).columns_of(name)
        except ParameterError:  # which is reported among the claims
            own = None
        if own is not None:
            return (own,)
    return table.shapes.get(part, ())


def _misshapen(name: str, table: PublishedTable, manifest: Manifest) -> Iterator[str]:
    """Return columns that are missing, in another order, or of another type than the kind requires."""
    for part, columns in table.columns_of_parts().items():
        what = f"the table {name}" + (f", part {part}," if part else "")
        shapes = _shapes(name, table, part, manifest)
        placed = [column for column in columns if column not in without_place(list(columns), shapes)] if shapes else []
        if shapes and not any(fits(placed, shape) for shape in shapes):
            yield f"{what} does not have the columns that its kind and the method prescribe, in that order"
        yield from _unnamed_people(table) if shapes and any(USER in slot for slot in shapes[0]) else ()
        wrong = [column for column, word in columns.items() if word not in table.types.get(column, (word,))]
        yield from (f"{what} has {columns[column]} in the column {column!r}" for column in wrong)


def _unnamed_people(table: PublishedTable) -> Iterator[str]:
    """Return a user column with neither numbers that the manifest declares as pseudonyms nor tokens made with a key."""
    rows = table.flat_rows
    if rows is None or PSEUDONYMS in table.random_orders or USER not in rows.columns:
        return
    if column_types(rows)[USER] != "text":
        yield f"the manifest does not name the numbers in {USER!r} as pseudonyms"
    elif not rows[USER].str.contains(TOKEN).fill_null(False).all():
        yield f"the column {USER!r} contains texts other than tokens of {2 * BYTES} hexadecimal digits"


def _other_order(table: PublishedTable, original: AnyOriginal) -> list[str]:
    """Return a fault if columns of microdata are not in the original's order."""
    if not isinstance(original, TableOriginal) or table.flat_rows is None:
        return []
    shown = table.flat_rows.columns
    before = [attribute.name for attribute in original.table.attributes]
    same = sorted(before) != sorted(shown) or before == shown
    return [] if same else ["the columns are not in the order of the original"]


def _strange_times(table: PublishedTable, original: AnyOriginal) -> list[str]:
    """Return times of rows that no claim covers and that the original lacks, or has less often."""
    if not isinstance(original, LogOriginal) or not original.log.timed or table.flat_rows is None:
        return []
    if column_types(table.flat_rows).get(TIME) != "time":
        return []
    shown, there = (frame.group_by(TIME).agg(n=pl.len().cast(pl.Int64)) for frame in (table.flat_rows, original.log.frame))
    both = shown.join(there, on=TIME, how="left", nulls_equal=True).with_columns(pl.col("n_right").fill_null(0))
    wrong = int((both["n"] - both["n_right"]).clip(lower_bound=0).sum())
    return [f"{counted(wrong, 'row has', 'rows have')} a time that no row of the original has"] if wrong else []


def _not_checked(table: PublishedTable, models: Sequence[Model], with_original: bool) -> list[str]:
    """Return the fields that no claim compares with anything, grouped by what remains open."""
    judging = [dict(model.not_checked(table, with_original=with_original)) for model in models if table.kind in model.judges]
    if judging:
        first, *others = judging
        left = {name: why for name, why in first.items() if all(name in other for other in others)}
    else:
        left = dict.fromkeys((name for columns in table.columns_of_parts().values() for name in columns), "") if not models else {}
        left |= {TIME: "only that the original has them"} if with_original and TIME in left else {}
    together: dict[str, list[str]] = {}
    for name, why in left.items():
        together.setdefault(why, []).append(name)
    return [f"{', '.join(names)} ({why})" if why else ", ".join(names) for why, names in together.items()]
