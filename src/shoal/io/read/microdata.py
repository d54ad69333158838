"""Microdata: a CSV, TSV or Parquet table of numbers into a Table, with an account of its columns.

Every column of numbers is a quasi-identifier unless the user says otherwise. A column of text is never published or left out unasked. A row
with a missing, infinite or unreadable value in a quasi-identifier is refused with its line: leaving it out would bias every mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from shoal import _kernels
from shoal.data.accounting import Ledger, gone, kept
from shoal.data.table import Attribute, Ints, Table
from shoal.errors import InputError
from shoal.io.read.defects import BROKEN_LINES, DefectList, Defects
from shoal.io.read.delimited import text_table
from shoal.io.read.microdata_columns import ColumnRoles, assigned_roles
from shoal.io.read.microdata_kinds import attribute_of, foreign_cells
from shoal.io.read.options import MICRODATA, ReadOptions
from shoal.io.read.parquet import whole
from shoal.io.read.result import Reading, Tally
from shoal.io.read.separators import one_byte, separator_name, separators_in
from shoal.io.read.source import Source

OTHERWISE = "correct or remove these rows, or leave the column out with --drop-column"


@dataclass(frozen=True)
class _Cells:
    """A file's columns as they are written, where each row stands in the file (from 0), and what that place is called."""

    source: Source
    frame: pl.DataFrame
    places: Ints
    place: str
    empty: int = 0
    notes: tuple[str, ...] = ()
    spans: tuple[tuple[str, int, int], ...] = ()

    @property
    def files(self) -> tuple[tuple[str, slice], ...]:
        """The rows of each of several files, under its name; of one file all of them, under none."""
        return tuple((name, slice(start, end)) for name, start, end in self.spans) or (("", slice(None)),)


def read_microdata(sources: Sequence[Source], options: ReadOptions) -> Reading:
    """The table in files. Raises where a column has no clear role or a quasi-identifier holds anything but finite numbers."""
    found = [_parquet_cells(source, options) if source.is_parquet else _delimited_cells(source, options) for source in sources]
    return _reading(found[0] if len(found) == 1 else _joined(found), options)


def _joined(parts: Sequence[_Cells]) -> _Cells:
    """The rows of several files with the same columns."""
    first = parts[0]
    for other in parts[1:]:
        if other.frame.schema != first.frame.schema or other.notes != first.notes:
            what = f"{first.source.path} and {other.source.path} are not one table: their columns differ"
            raise InputError(what, hint="give them the same columns, or read them one by one")
    ends = np.cumsum([len(part.frame) for part in parts]).tolist()
    spans = tuple((str(part.source.path), end - len(part.frame), end) for part, end in zip(parts, ends, strict=True))
    frame, places = pl.concat([part.frame for part in parts]), np.concatenate([part.places for part in parts])
    notes = (*first.notes, f"{len(parts)} files are read as one table")
    return _Cells(first.source, frame, places, first.place, sum(part.empty for part in parts), notes, spans)


def _reading(cells: _Cells, options: ReadOptions) -> Reading:
    source = cells.source
    if not len(cells.frame):
        raise InputError(f"{source.path} holds a header but no rows")
    numbers = {name: _numbers(cells.frame[name]) for name in cells.frame.columns}
    roles = assigned_roles(source.path, {name: bool(found.is_not_null().any()) for name, found in numbers.items()}, options)
    _refuse_defects(cells, numbers, roles)
    quasi = [attribute_of(name, roles.kind(name), cells.frame[name], numbers[name]) for name in roles.quasi]
    beside = [Attribute(name, "nominal", _publishable(source, cells.frame[name]), quasi=False) for name in roles.keep]
    order = {name: at for at, name in enumerate(cells.frame.columns)}
    table = Table(tuple(sorted(quasi + beside, key=lambda attribute: order[attribute.name])), _owners(cells, roles))
    rows = Ledger(len(table) + cells.empty, {"used": kept(len(table)), "empty lines": gone(cells.empty)})
    notes = (*cells.notes, *roles.notes(), *_notes_on(table, cells.empty))
    return Reading(table, MICRODATA, rows, Defects(), notes, options=options, columns=roles.beside())


def _parquet_cells(source: Source, options: ReadOptions) -> _Cells:
    if options.sep is not None or options.header is not None:
        raise InputError(
            f"{source.path} is {source.container}, which has neither separators nor a header line", hint="leave --sep and --header out"
        )
    frame = whole(source)
    return _Cells(source, frame, np.arange(len(frame)), "row", notes=(f"format microdata ({source.container})",))


def _delimited_cells(source: Source, options: ReadOptions) -> _Cells:
    """All fields as text, an empty one as null. Lines that hold nothing are left out and counted."""
    if source.is_json_lines:
        raise InputError(f"{source.path} holds JSON lines", hint="microdata is read from CSV, TSV or Parquet")
    separator = _separator(source, options)
    dialect = _kernels.Dialect(separator, True, trimmed=False)
    first = _first_fields(source, dialect)
    header = _has_header(source, first, options)
    names = _column_names(source, first) if header else [str(n) for n in range(1, len(first) + 1)]
    tally = Tally(source, strict=True, hint="correct or remove them; is --sep right?")
    texts, lines = text_table(source, dialect, names, tally, header=header)
    cells = texts.select(pl.when(pl.all() != "").then(pl.all()))
    filled = cells.select(pl.any_horizontal(pl.all().is_not_null())).to_series()
    empty = tally.blank + int((~filled).sum())
    named = "named by the first line" if header else "without a header"
    how = f"format microdata, fields separated by {separator_name(separator)}, {named}"
    return _Cells(source, cells.filter(filled), lines[filled.to_numpy()], "line", empty, (how,))


def _separator(source: Source, options: ReadOptions) -> str:
    if options.sep is None:
        return separators_in(source.head.lstrip(b"\r\n").split(b"\n", 1)[0].decode(errors="replace"))[0]
    found = one_byte(options.sep)
    if not found:
        raise InputError("microdata cannot be separated by blanks", hint="use a tab, a comma or a semicolon")
    return found


def _first_fields(source: Source, dialect: _kernels.Dialect) -> list[str]:
    found = _kernels.first_records(source.head, dialect, source.whole, 1)
    if not found or found[0][0]:
        why = BROKEN_LINES[found[0][0]] if found else "no line end in its first part"
        raise InputError(f"the first line of {source.path} cannot be read: {why}", hint="is it a table in UTF-8?")
    return [field.strip() for field in found[0][1]]


def _has_header(source: Source, first: list[str], options: ReadOptions) -> bool:
    """As was said; else the first line is a header if none of its fields is a number."""
    if options.header is not None:
        return options.header
    if _numbers(pl.Series(first, dtype=pl.String)).is_not_null().any():
        raise InputError(
            f"the first line of {source.path} holds numbers, not names of columns", hint="say --no-header, or --header if they are names"
        )
    return True


def _column_names(source: Source, first: list[str]) -> list[str]:
    if "" in first or len(set(first)) < len(first):
        raise InputError(
            f"the header of {source.path} leaves a column without a name or names two alike", hint="name each column differently"
        )
    return first


def _numbers(cells: pl.Series) -> pl.Series:
    """The cells as numbers, null where they are none. Truth values, dates and lists are no numbers."""
    if cells.dtype == pl.String:
        return cells.str.strip_chars(" ").cast(pl.Float64, strict=False)
    return cells.cast(pl.Float64) if cells.dtype.is_numeric() else pl.Series(cells.name, [None] * len(cells), dtype=pl.Float64)


def _publishable(source: Source, cells: pl.Series) -> pl.Series:
    """A column that is left as it is, with the same values in a type that can be published."""
    types = {pl.String: pl.String(), pl.Float32: pl.Float64(), pl.Float64: pl.Float64(), pl.Datetime: pl.Datetime("us")}
    wanted: Any = pl.Int64() if cells.dtype.is_integer() else types.get(cells.dtype.base_type())
    try:
        if wanted is not None and getattr(cells.dtype, "time_zone", None) is None:
            found = cells.cast(wanted, strict=True)
            if found.cast(cells.dtype).eq_missing(cells).all():
                return found
    except pl.exceptions.PolarsError:
        pass
    raise InputError(
        f"column {cells.name!r} of {source.path} cannot be left as it is: it holds {cells.dtype}",
        hint="make it text, numbers or times without a zone, or leave it out with --drop-column",
    )


def _refuse_defects(cells: _Cells, numbers: dict[str, pl.Series], roles: ColumnRoles) -> None:
    """Cells that cannot be aggregated, and rows without an owner: how many and where, never what they hold."""
    defects = DefectList()
    for name in roles.quasi:
        for reason, wrong in _defective(name, roles, cells.frame[name], numbers[name]).items():
            _note(defects, f"{reason} in column {name!r}", cells, wrong)
    if roles.user is not None:
        _note(defects, "no owner", cells, cells.frame[roles.user].is_null())
    if defects:
        found = defects.frozen()
        raise InputError(
            f"{cells.source.path} has rows that cannot be used: {'; '.join(found.described(cells.place))}",
            hint=OTHERWISE,
            defects=dict(found.counts),
        )


def _note(defects: DefectList, reason: str, cells: _Cells, wrong: pl.Series) -> None:
    """Note these rows under the files that they are of."""
    for file, rows in cells.files:
        defects.file = file
        defects.add(reason, cells.places[rows][wrong[rows].to_numpy()])


def _defective(name: str, roles: ColumnRoles, cells: pl.Series, numbers: pl.Series) -> dict[str, pl.Series]:
    """Which cells of a quasi-identifier are missing or are none of its kind, by reason."""
    missing = cells.is_null()
    if roles.kind(name).of_numbers:
        return {
            "missing": missing,
            "not a number": numbers.is_null() & ~missing,
            "not finite": ~numbers.is_finite().fill_null(True),
        }
    foreign = foreign_cells(name, roles.kind(name), cells)
    return {"missing": missing} | ({} if foreign is None else dict([foreign]))


def _owners(cells: _Cells, roles: ColumnRoles) -> Ints:
    if roles.user is None:
        return np.arange(len(cells.frame), dtype=np.int64)
    return cells.frame[roles.user].rank("dense").to_numpy().astype(np.int64) - 1


def _notes_on(table: Table, empty: int) -> list[str]:
    constant = [repr(attribute.name) for attribute in table.quasi if attribute.constant]
    notes = [f"constant, so nothing of it is lost: {', '.join(constant)}"] if constant else []
    return [*notes, f"{empty:,} empty lines are left out"] if empty else notes
