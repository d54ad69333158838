"""Microdata: a CSV, TSV or Parquet table of numbers into a Table, with an accounting of its columns.

Every numeric column is a quasi-identifier unless the user states otherwise. A text column is never published or dropped by default. A row
with a missing, infinite or unreadable value in a quasi-identifier is rejected with its line: leaving it out would bias every mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import polars.selectors as cs

from shoal import _kernels
from shoal.data.accounting import Ledger, gone, kept
from shoal.data.bags import Ints
from shoal.data.input_shapes import ITEM_SETS
from shoal.data.items import A_FILE
from shoal.data.table import ITEM_SEPARATOR, Attribute, AttributeKind, Hierarchy, Table
from shoal.errors import InputError, ParameterError, option
from shoal.io.read.columns import KNOWN_NAMES, owner_numbers, plain, repeats_name
from shoal.io.read.delimited import one_byte, separator_name, separators_in, text_table
from shoal.io.read.event_rows import as_text
from shoal.io.read.options import MICRODATA, ReadOptions
from shoal.io.read.parquet import wanted
from shoal.io.read.result import BROKEN_LINES, DefectList, Defects, Reading, Tally
from shoal.io.read.source import Source
from shoal.io.read.taxonomies import read_taxonomy
from shoal.util.wording import did_you_mean

# The kinds of quasi-identifiers that are no numbers: ordinal, nominal and hierarchical columns, as the user says them.
#
# The option nominal=a,b names columns of names without an order. ordinal=c is a column of numbers of which only the order counts, and
# ordinal="d=low|middle|high" one of these texts, the lowest first. hierarchy=e=FILE is a column of nodes of a taxonomy, and
# item-sets=f=FILE one of sets of such nodes, with | between them.


NOMINAL, ORDINAL, HIERARCHIES = "nominal", "ordinal", "hierarchies"  # what a manifest calls them
KEYS = {"nominal": NOMINAL, "ordinal": ORDINAL, "hierarchical": HIERARCHIES, "items": ITEM_SETS}
NUMERIC: AttributeKind = "numeric"


@dataclass(frozen=True)
class ColumnKind:
    """The type of a column; `argument` is the text after the equals sign: levels, or a file."""

    kind: AttributeKind = NUMERIC
    argument: str = ""

    @property
    def of_numbers(self) -> bool:
        """Whether its cells must be numbers."""
        return self.kind == NUMERIC or (self.kind == "ordinal" and not self.argument)

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels of an ordinal text column, from the lowest."""
        return tuple(level.strip() for level in self.argument.split("|")) if self.kind == "ordinal" and self.argument else ()

    def manifest_entry(self, name: str) -> str:
        """Return the column's manifest entry, without file names."""
        behind = A_FILE if self.kind in ("hierarchical", "items") else self.argument
        return f"{name}={behind}" if behind else name


def declared_kinds(options: ReadOptions) -> Iterator[tuple[str, ColumnKind]]:
    """Return the columns that the options declare as non-numeric."""
    yield from ((name, ColumnKind("nominal")) for name in options.nominal)
    for word in options.ordinal:
        name, _, levels = word.partition("=")
        found = ColumnKind("ordinal", levels)
        if len(set(found.levels)) < len(found.levels) or "" in found.levels or (levels and len(found.levels) < 2):
            raise ParameterError(
                f"the levels of {name!r} are two or more different texts",
                code="invalid-levels",
                hint=f"use {option('ordinal', name + '=low|middle|high')}",
            )
        yield name, found
    kinds: tuple[tuple[str, AttributeKind], ...] = (("hierarchy", "hierarchical"), ("item_sets", "items"))
    for keyword, kind in kinds:
        for word in getattr(options, keyword):
            name, _, file = word.partition("=")
            if not file:
                hint = f"use {option(keyword.replace('_', '-'), name + '=FILE')}"
                raise ParameterError(f"column {name!r} has no hierarchy", code="missing-hierarchy", hint=hint, value=name)
            yield name, ColumnKind(kind, file)


def attribute_of(name: str, kind: ColumnKind, cells: pl.Series, numbers: pl.Series) -> Attribute:
    """Return a quasi-identifier of this type. Its cells have no defects."""
    if kind.of_numbers:
        return Attribute(name, kind.kind, numbers)
    if kind.kind == "items":
        return Attribute(name, kind.kind, canonical_sets(cells), tree=read_taxonomy(kind.argument).taxonomy)
    return Attribute(name, kind.kind, cells.cast(pl.String), levels=kind.levels, hierarchy=hierarchy_of(kind))


def hierarchy_of(kind: ColumnKind) -> Hierarchy | None:
    """Return the hierarchy in the named file, if any."""
    if kind.kind != "hierarchical":
        return None
    taxonomy = read_taxonomy(kind.argument).taxonomy
    return Hierarchy(taxonomy.names, taxonomy.parent)


def items_of_cells(cells: pl.Series) -> pl.Series:
    """Return the items of each cell as a list: cells of a text column have separators between them, a missing cell has none."""
    if cells.dtype == pl.List(pl.String):
        return cells.fill_null([])
    trimmed = cells.cast(pl.String).fill_null("").str.split(ITEM_SEPARATOR)
    return trimmed.list.eval(pl.element().str.strip_chars(" ").filter(pl.element().str.strip_chars(" ") != ""))


def canonical_sets(cells: pl.Series) -> pl.Series:
    """Return each set as text: different items in the order of their names, with a separator between them."""
    return items_of_cells(cells).list.unique().list.sort().list.join(ITEM_SEPARATOR)


def foreign_items(kind: ColumnKind, cells: pl.Series) -> tuple[str, pl.Series]:
    """Return the cells with an item that the taxonomy lacks, or with something else than items."""
    names = read_taxonomy(kind.argument).taxonomy.names.names
    if names.str.contains(ITEM_SEPARATOR, literal=True).any():
        raise InputError(f"a name of this taxonomy contains {ITEM_SEPARATOR!r}, which separates items", code="unpublishable-column")
    if cells.dtype.is_nested() and cells.dtype != pl.List(pl.String):
        raise InputError(f"column {cells.name!r} has no lists of texts", code="nested-values")
    known = items_of_cells(cells).list.eval(pl.element().is_in(names.implode()).all()).list.first().fill_null(True)
    return "an item that is not in the taxonomy", ~known


def foreign_cells(name: str, kind: ColumnKind, cells: pl.Series) -> tuple[str, pl.Series] | None:
    """Return cells that are not among the levels or nodes of their column, and a name for them; None if any text is allowed."""
    if cells.dtype.is_nested():
        raise InputError(f"column {name!r} has lists, but a quasi-identifier has one value per row", code="nested-values")
    if isinstance(cells.dtype, pl.Duration | pl.Binary | pl.Object | pl.BaseExtension):
        raise InputError(f"column {name!r} is of the type {cells.dtype}, not text, numbers or times", code="nested-values")
    hierarchy = hierarchy_of(kind)
    known: Sequence[str] | pl.Series = kind.levels if hierarchy is None else hierarchy.names.names
    if kind.kind == "nominal":
        return None
    reason = "not a level" if hierarchy is None else "not in the hierarchy"
    return reason, ~cells.cast(pl.String).is_in(list(known)).fill_null(True)


# Roles of the columns of microdata: quasi-identifier, kept, dropped, or user.


DROPPED, OWNER = "dropped", "owner_column"  # what a manifest calls them
NAME_ROLES = (
    f"use {option('drop-column')} for names and IDs, {option('nominal')} for categories, {option('quasi')} for numbers, "
    f"or {option('keep-column')} for what is to be published unchanged"
)


@dataclass(frozen=True)
class ColumnRoles:
    """The columns of each role, in file order."""

    quasi: tuple[str, ...]
    keep: tuple[str, ...]
    drop: tuple[str, ...]
    user: str | None
    kinds: Mapping[str, ColumnKind] = field(default_factory=dict)

    def kind(self, name: str) -> ColumnKind:
        """Return the type of a quasi-identifier: numeric by default."""
        return self.kinds.get(name, ColumnKind())

    def notes(self) -> tuple[str, ...]:
        """Return the decisions, one line each."""
        lines = {"quasi-identifiers": self.quasi, "unchanged, without any protection": self.keep, "dropped": self.drop}
        texts = [f"{what}: {', '.join(self._with_kind(name) for name in names)}" for what, names in lines.items() if names]
        owners = "one user per row" if self.user is None else f"user: column {self.user!r}"
        return (*texts, owners)

    def facts(self) -> dict[str, str | int | list[str]]:
        """Return the number of dropped columns, the user column, and the columns with a declared type."""
        facts: dict[str, str | int | list[str]] = {DROPPED: len(self.drop)} if self.drop else {}
        for kind, key in KEYS.items():
            of_kind = [self.kinds[name].manifest_entry(name) for name in self.quasi if self.kind(name).kind == kind]
            facts |= {key: of_kind} if of_kind else {}
        return facts if self.user is None else {**facts, OWNER: self.user}

    def _with_kind(self, name: str) -> str:
        return f"{name!r} ({self.kinds[name].kind})" if name in self.kinds else repr(name)


def assigned_roles(path: Path, holds_numbers: Mapping[str, bool], options: ReadOptions) -> ColumnRoles:
    """Return the role of every column, given which contain numbers. Raise if it is ambiguous."""
    names = list(holds_numbers)
    columns = {what: [_found(path, names, name) for name in getattr(options, what)] for what in ("quasi", "keep", "drop")}
    columns["drop"] += _others(names, options) if options.drop_others else []
    user = None if options.user is None else _found(path, names, options.user)
    kinds = {_found(path, names, name): kind for name, kind in declared_kinds(options)}
    typed = [name for name in kinds if name not in columns["quasi"]]
    taken = [*columns["quasi"], *columns["keep"], *columns["drop"], *typed, *([] if user is None else [user])]
    if len(set(taken)) < len(taken):
        raise ParameterError("one column is named for two roles, once by its name and once by its number", code="column-role-conflict")
    others = [name for name in names if name not in taken]
    if not kinds and not any(holds_numbers[name] for name in (columns["quasi"] or others)):
        raise InputError(
            f"{path} has no column of numbers to protect",
            code="no-numeric-column",
            hint=f"see {option('sep')}, {option('header')}, {option('quasi')} and {option('nominal')}",
        )
    if user is None:
        _refuse_owners(path, names, others)
    _refuse_unclear(path, names, others, holds_numbers, chosen=bool(columns["quasi"]))
    roles = {what: tuple(name for name in names if name in chosen) for what, chosen in columns.items()}
    quasi = tuple(name for name in names if name in {*(roles["quasi"] or others), *typed})
    return ColumnRoles(quasi, roles["keep"], roles["drop"], user, kinds)


def _others(names: Sequence[str], options: ReadOptions) -> list[str]:
    """Return the columns that the options do not name."""
    named = {*options.quasi, *options.keep, *options.drop, *(word.partition("=")[0] for word in options.of_kinds), options.user}
    return [name for number, name in enumerate(names, 1) if name not in named and str(number) not in named]


def _found(path: Path, names: Sequence[str], column: str) -> str:
    if column in names:
        return column
    if column.isdigit() and 1 <= int(column) <= len(names):
        return names[int(column) - 1]
    raise InputError(
        f"{path} has no column {column!r}",
        code="missing-column",
        hint=did_you_mean(column, names, f"it has {len(names)} columns"),
        value=column,
    )


def _refuse_owners(path: Path, names: Sequence[str], others: Sequence[str]) -> None:
    """Raise if a column seems to contain user IDs, which must not be averaged while each row counts as a person."""
    for name in others:
        if plain(name) in KNOWN_NAMES["user"]:
            hint = f"use {option('user', name)} if rows with the same ID belong to one person; otherwise {NAME_ROLES}"
            raise InputError(
                f"column {names.index(name) + 1} of {path}, {name!r}, seems to contain user IDs", code="user-column-unclear", hint=hint
            )


def _refuse_unclear(path: Path, names: Sequence[str], others: Sequence[str], holds_numbers: Mapping[str, bool], *, chosen: bool) -> None:
    """Raise for columns without a role: all others if quasi-identifiers were chosen, otherwise text columns."""
    unclear = [str(names.index(name) + 1) for name in others if chosen or not holds_numbers[name]]
    if unclear:
        why = "not named" if chosen else "without numbers"
        columns = f"column {unclear[0]} of {path} is" if len(unclear) == 1 else f"columns {', '.join(unclear)} of {path} are"
        needs = "it needs" if len(unclear) == 1 else "they need"
        raise InputError(f"{columns} {why}, so {needs} a role", code="column-role-missing", hint=NAME_ROLES, columns=unclear)


OTHERWISE = f"correct or remove these rows, or leave the column out with {option('drop-column')}"


@dataclass(frozen=True)
class _Cells:
    """A file's columns as written, the position of each row in the file (from 0), and the name of the position."""

    source: Source
    frame: pl.DataFrame
    places: Ints
    place: str
    empty: int = 0
    notes: tuple[str, ...] = ()
    spans: tuple[tuple[str, int, int], ...] = ()

    @property
    def files(self) -> tuple[tuple[str, slice], ...]:
        """Yield the rows of each of several files with its name; all rows without a name for a single file."""
        return tuple((name, slice(start, end)) for name, start, end in self.spans) or (("", slice(None)),)


def read_microdata(sources: Sequence[Source], options: ReadOptions) -> Reading:
    """Read the table in files. Raise if a column has no clear role or a quasi-identifier has anything but finite numbers."""
    found = [_parquet_cells(source, options) if source.is_parquet else _delimited_cells(source, options) for source in sources]
    return _reading(found[0] if len(found) == 1 else _joined(found), options)


def _joined(parts: Sequence[_Cells]) -> _Cells:
    """Concatenate the rows of files with the same columns."""
    first = parts[0]
    for other in parts[1:]:
        if other.frame.schema != first.frame.schema or other.notes != first.notes:
            what = f"{first.source.path} and {other.source.path} are not one table: their columns differ"
            raise InputError(what, code="files-not-alike", hint="give them the same columns, or read them one by one")
    ends = np.cumsum([len(part.frame) for part in parts]).tolist()
    spans = tuple((str(part.source.path), end - len(part.frame), end) for part, end in zip(parts, ends, strict=True))
    frame, places = pl.concat([part.frame for part in parts]), np.concatenate([part.places for part in parts])
    notes = (*first.notes, f"{len(parts)} files are read as one table")
    return _Cells(first.source, frame, places, first.place, sum(part.empty for part in parts), notes, spans)


def _reading(cells: _Cells, options: ReadOptions) -> Reading:
    source = cells.source
    if not len(cells.frame):
        raise InputError(f"{source.path} has a header but no rows", code="no-usable-rows")
    numbers = {name: _numbers(cells.frame[name]) for name in cells.frame.columns}
    roles = assigned_roles(source.path, {name: bool(found.is_not_null().any()) for name, found in numbers.items()}, options)
    _refuse_defects(cells, numbers, roles)
    quasi = [attribute_of(name, roles.kind(name), cells.frame[name], numbers[name]) for name in roles.quasi]
    unchanged = [Attribute(name, "nominal", _publishable(source, cells.frame[name]), quasi=False) for name in roles.keep]
    order = {name: at for at, name in enumerate(cells.frame.columns)}
    owners, spelling = _owners(cells, roles, options.owners)
    table = Table(tuple(sorted(quasi + unchanged, key=lambda attribute: order[attribute.name])), owners)
    rows = Ledger(len(table) + cells.empty, {"used": kept(len(table)), "empty lines": gone(cells.empty)})
    notes = (*cells.notes, *roles.notes(), *spelling, *_notes_on(table, cells.empty))
    return Reading(table, MICRODATA, rows, Defects(), notes, options=options, columns=roles.facts())


def _parquet_cells(source: Source, options: ReadOptions) -> _Cells:
    if options.sep is not None or options.header is not None:
        raise InputError(
            f"{source.path} is {source.container}, which has neither separators nor a header line",
            code="option-not-applicable",
            hint=f"leave {option('sep')} and {option('header')} out",
        )
    frame = wanted(source).with_columns(cs.float().fill_nan(None))  # NaN is how some libraries write that a value is missing
    return _Cells(source, frame, np.arange(len(frame)), "row", notes=(f"format microdata ({source.container})",))


def _delimited_cells(source: Source, options: ReadOptions) -> _Cells:
    """Read all fields as text, empty ones as null. Blank lines are skipped and counted."""
    if source.is_json_lines:
        raise InputError(f"{source.path} is in JSON lines", code="wrong-kind-of-input", hint="microdata is read from CSV, TSV or Parquet")
    separator = _separator(source, options)
    dialect = _kernels.Dialect(separator, True, trimmed=False)
    first = _first_fields(source, dialect)
    header = _has_header(source, first, options)
    names = _column_names(source, first) if header else [str(n) for n in range(1, len(first) + 1)]
    tally = Tally(source, strict=True, hint=f"correct or remove them; is {option('sep')} right?")
    texts, lines = text_table(source, dialect, names, tally, header=header)
    if header:
        tally.defects.add("repeated header", lines[_repeats(texts, first).to_numpy()])
        tally.check()
    cells = texts.select(pl.when(pl.all() != "").then(pl.all()))
    filled = cells.select(pl.any_horizontal(pl.all().is_not_null())).to_series()
    empty = tally.blank + int((~filled).sum())
    named = "named by the first line" if header else "without a header"
    how = f"format microdata, fields separated by {separator_name(separator)}, {named}"
    return _Cells(source, cells.filter(filled), lines[filled.to_numpy()], "line", empty, (how,))


def _repeats(texts: pl.DataFrame, header: Sequence[str]) -> pl.Series:
    """Return which rows have the names of the columns, in any case, as files have that were joined with their headers."""
    equal = [repeats_name(column, name) for column, name in zip(texts, header, strict=True)]
    return pl.select(pl.all_horizontal(equal)).to_series()


def _separator(source: Source, options: ReadOptions) -> str:
    if options.sep is None:
        return separators_in(source.head.lstrip(b"\r\n").split(b"\n", 1)[0].decode(errors="replace"))[0]
    found = one_byte(options.sep)
    if not found:
        raise InputError("microdata cannot be separated by blanks", code="invalid-separator", hint="use a tab, a comma or a semicolon")
    return found


def _first_fields(source: Source, dialect: _kernels.Dialect) -> list[str]:
    found = _kernels.first_records(source.head, dialect, source.whole, 1)
    if not found or found[0][0]:
        why = BROKEN_LINES[found[0][0]] if found else "no line end in its first part"
        raise InputError(f"the first line of {source.path} cannot be read: {why}", code="unreadable-header", hint="give a table in UTF-8")
    return [field.strip() for field in found[0][1]]


def _has_header(source: Source, first: list[str], options: ReadOptions) -> bool:
    """Whether there is a header: by option, else if no field of the first line is a number."""
    if options.header is not None:
        return options.header
    if _numbers(pl.Series(first, dtype=pl.String)).is_not_null().any():
        raise InputError(
            f"the first line of {source.path} has numbers, not column names",
            code="header-unclear",
            hint=f"use {option('header', False)}, or {option('header', True)} if they are names",
        )
    return True


def _column_names(source: Source, first: list[str]) -> list[str]:
    if "" in first or len(set(first)) < len(first):
        raise InputError(
            f"the header of {source.path} leaves a column without a name, or gives two the same name",
            code="invalid-column-names",
            hint="name each column differently",
        )
    return first


def _numbers(cells: pl.Series) -> pl.Series:
    """Parse the cells as numbers, null if they are not. Booleans, dates and lists are not numbers."""
    if cells.dtype == pl.String:
        return cells.str.strip_chars(" ").cast(pl.Float64, strict=False)
    return cells.cast(pl.Float64) if cells.dtype.is_numeric() else pl.Series(cells.name, [None] * len(cells), dtype=pl.Float64)


def _publishable(source: Source, cells: pl.Series) -> pl.Series:
    """Return a kept column with the same values in a publishable type."""
    types = {
        pl.String: pl.String(),
        pl.Categorical: pl.String(),
        pl.Enum: pl.String(),
        pl.Float32: pl.Float64(),
        pl.Float64: pl.Float64(),
        pl.Datetime: pl.Datetime("us"),
    }
    wanted: Any = pl.Int64() if cells.dtype.is_integer() else types.get(cells.dtype.base_type())
    try:
        if wanted is not None and getattr(cells.dtype, "time_zone", None) is None:
            found = cells.cast(wanted, strict=True)
            if found.cast(cells.dtype).eq_missing(cells).all():
                return found
    except pl.exceptions.PolarsError:
        pass
    raise InputError(
        f"column {cells.name!r} of {source.path} cannot be published unchanged: its type is {cells.dtype}",
        code="unpublishable-column",
        hint=f"make it text, numbers or times without a zone, or leave it out with {option('drop-column')}",
    )


def _refuse_defects(cells: _Cells, numbers: dict[str, pl.Series], roles: ColumnRoles) -> None:
    """Raise for cells that cannot be aggregated and rows without a user: how many and where, never their content."""
    defects = DefectList()
    for name in roles.quasi:
        for reason, wrong in _defective(name, roles, cells.frame[name], numbers[name]).items():
            _note(defects, f"{reason} in column {name!r}", cells, wrong)
    if roles.user is not None:
        _note(defects, "no owner", cells, _owner_names(cells, roles.user) == "")
    if defects:
        found = defects.frozen()
        raise InputError(
            f"{cells.source.path} has rows that cannot be used: {'; '.join(found.described(cells.place))}",
            code="defective-rows",
            hint=OTHERWISE,
            defects=dict(found.counts),
            rows=found.first_rows(),
        )


def _note(defects: DefectList, reason: str, cells: _Cells, wrong: pl.Series) -> None:
    """Count these rows under their files."""
    for file, rows in cells.files:
        defects.file = file
        defects.add(reason, cells.places[rows][wrong[rows].to_numpy()])


def _defective(name: str, roles: ColumnRoles, cells: pl.Series, numbers: pl.Series) -> dict[str, pl.Series]:
    """Return which cells of a quasi-identifier are missing or invalid, by reason."""
    missing = cells.is_null()
    if roles.kind(name).kind == "items":
        return dict([foreign_items(roles.kind(name), cells)])
    if roles.kind(name).of_numbers:
        return {
            "missing": missing,
            "not a number": numbers.is_null() & ~missing,
            "not finite": ~numbers.is_finite().fill_null(True),
        }
    foreign = foreign_cells(name, roles.kind(name), cells)
    return {"missing": missing} | ({} if foreign is None else dict([foreign]))


def _owner_names(cells: _Cells, user: str) -> pl.Series:
    """Return the user IDs as text, empty where there is none."""
    return as_text(cells.frame[user]).fill_null("")


def _owners(cells: _Cells, roles: ColumnRoles, way: str | None) -> tuple[Ints, tuple[str, ...]]:
    """Return the number of the person of each row, and notes. Raise if user IDs differ in spelling only and no option decides."""
    if roles.user is None:
        return np.arange(len(cells.frame), dtype=np.int64), ()
    rows = _owner_names(cells, roles.user)
    names = rows.unique().sort()
    person, notes = owner_numbers(names, way, cells.source.path)
    number = rows.rank("dense").to_numpy().astype(np.int64) - 1
    return (number if person is None else person[number]), notes


def _notes_on(table: Table, empty: int) -> list[str]:
    constant = [repr(attribute.name) for attribute in table.quasi if attribute.constant]
    notes = [f"constant, so no information is lost: {', '.join(constant)}"] if constant else []
    return [*notes, f"{empty:,} empty lines are skipped"] if empty else notes
