"""Reads published records, made by shoal or by another tool.

How they are read is reported, and nothing is left out: a file with a malformed line is rejected, an empty line is a record without items,
and `*` is an item like any other. Other columns are named. Known layouts: a column of lists (Parquet, JSON lines); a column of joined
items; a long table of record, item and optionally count and level (read_long.py); and lines of items, such as a CSV with one item per cell.

A release of groups contains every record several times; each distinct record is stored once. The judge's kernel decides which records are
identical, so that verification does not depend on the code of methods.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from shoal import _kernels, kernels
from shoal.data.bags import AT_ONCE, Bags, Ints, Small, Vocabulary, canonical_rows, stacked, united
from shoal.data.tables.bags import BagTable
from shoal.errors import InputError, ParameterError, option
from shoal.io.extra_columns import extra_columns_of, numbering_note
from shoal.io.joined_cells import split_joined
from shoal.io.published_frames import raw_frame, sheet_frame
from shoal.io.read.columns import plain
from shoal.io.read.delimited import JOINER, ONE_FIELD, bags_of_lines, guess_separator, has_quotes, one_byte, separator_name, text_table
from shoal.io.read.formats import first_records
from shoal.io.read.parquet import bags_of_lists, own_lists, whole
from shoal.io.read.result import Tally
from shoal.io.read.source import Source, is_workbook_file
from shoal.io.write.output_format import LISTS
from shoal.kinds import FileFacts
from shoal.kinds.bags.published_records import NO_COLUMNS, Notes, PublishedRecords, with_owners
from shoal.kinds.bags.read_json import ITEMS, is_long, json_records
from shoal.kinds.bags.read_long import ITEM_NAMES, LONG_NAMES, RECORD_NAMES, from_long, record_column
from shoal.privacy.evidence.equivalence_classes import identical_records

# -- distinct records of a file, and their multiplicities


SHARE = 4  # of the items of the different records, the part that further records may take before they are compared with these
NAMELESS = Vocabulary([])  # while names are still being met


class DifferentRecords:
    """Collects records of names; the result is a table of the distinct ones with their multiplicities."""

    def __init__(self) -> None:
        self._names = _kernels.Interner()
        self._parts = [_nameless(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int32))]
        self._copies = [np.zeros(0, np.int64)]
        self._waiting = 0

    def add_names(self, indptr: Ints, names: pl.Series) -> None:
        """Add records of names: record i has `names[indptr[i]:indptr[i+1]]`."""
        codes = kernels.run(self._names.encode, names.__arrow_c_stream__())
        self._take(indptr, codes, np.ones(len(codes), np.int32))

    def add(self, records: Bags) -> None:
        """Add records with their own vocabulary."""
        codes = kernels.run(self._names.encode, records.vocabulary.names.__arrow_c_stream__())
        self._take(records.indptr, codes[records.items], records.counts)

    def table(self) -> BagTable:
        """Return all records that were added."""
        self._compare()
        (records,), (copies,) = self._parts, self._copies
        return BagTable(Bags(*records.rows, records.owners, Vocabulary(self._names.strings())), copies)

    def _take(self, indptr: Ints, items: Small, counts: Small) -> None:
        rows = _nameless(*canonical_rows(indptr, items, counts, len(self._names)))
        self._parts.append(rows)
        self._copies.append(np.ones(len(rows), np.int64))
        self._waiting += len(rows.items)
        if self._waiting > max(AT_ONCE, len(self._parts[0].items) // SHARE):
            self._compare()

    def _compare(self) -> None:
        """Keep the first of each set of identical records."""
        together, copies = stacked(self._parts), np.concatenate(self._copies)
        self._parts, self._copies, self._waiting = [], [], 0
        label = identical_records(together)
        first = np.unique(label, return_index=True)[1]
        self._parts.append(_nameless(*together.select(first).rows))
        self._copies.append(np.bincount(label, weights=copies, minlength=len(first)).astype(np.int64))


def names_in(lists: pl.Series) -> tuple[Ints, pl.Series]:
    """Return a record of names for each list, as DifferentRecords takes them; nulls are skipped."""
    named = lists.cast(pl.List(pl.String)).list.drop_nulls()
    names = pl.DataFrame({"items": named.drop_nulls().explode(empty_as_null=False, keep_nulls=False)}).to_series()
    sizes = named.list.len().fill_null(0).to_numpy().astype(np.int64)
    return np.concatenate([[0], np.cumsum(sizes)]), names


def _nameless(indptr: Ints, items: Small, counts: Small) -> Bags:
    return Bags(indptr, items, counts, np.arange(len(indptr) - 1, dtype=np.int64), NAMELESS)


# -- files of records


SHAPES = ("parquet", "csv", "jsonl", "xlsx", "transactions")
ITEMS_NAMES = {"items", "itemset", "terms", "set", "values"}
JOINERS = ";|,"


def read_records(path: str | Path, format: str | None = None, sep: str | None = None, *, own: bool = False) -> tuple[Bags, tuple[str, ...]]:
    """Read the records of a file; other columns are ignored. `own`: whether this process wrote the file. Also return notes on reading."""
    found = read_published(path, format, sep, own=own)
    return found.bags, found.notes


def read_published(
    path: str | Path,
    format: str | None = None,
    sep: str | None = None,
    layout: str | None = None,
    owner: str | None = None,
    *,
    own: bool = False,
    before: int = 0,
) -> PublishedRecords:
    """Read the records of a file and the names of its other columns.

    `sep` is the item separator; `layout` is `lists` (a row is a record) or `long` (a row is an item), if known; `owner` is the column with
    the user IDs; `before` is the number of records in the files before this one, from which record numbers may go on.
    """
    if format is not None and format not in SHAPES:
        raise ParameterError(
            f"records are not read from {format!r}", code="unknown-release-format", hint=f"formats are {', '.join(SHAPES)}", value=format
        )
    notes: Notes = []
    form = _Form(None if sep is None else one_byte(sep), layout, owner, before)
    if format == "xlsx" or (format is None and is_workbook_file(Path(path))):
        found = _from_frame(Path(path), sheet_frame(Path(path)), form, notes)
    else:
        found = _from_source(Source.of(path), format, form, own, notes)
    return replace(found, notes=(*notes, *_counted(found.bags)))


@dataclass(frozen=True)
class _Form:
    """The known settings for reading the records."""

    separator: str | None
    layout: str | None
    owner: str | None
    before: int


def _from_source(source: Source, format: str | None, form: _Form, own: bool, notes: Notes) -> PublishedRecords:
    kind = format or _kind(source)
    if kind == "parquet":
        return _from_frame(source.path, _parquet(source, own), form, notes)
    if kind == "jsonl" and (form.owner is not None or form.layout == "long" or (form.layout is None and is_long(source))):
        return _from_frame(source.path, raw_frame(source.path, "jsonl", own), form, notes)
    if kind == "jsonl":
        bags, keys, numbering = json_records(source, _tally(source), form.before)
        notes += ["one JSON record per line", *numbering_note(numbering)]
        return PublishedRecords(bags, extra_columns=keys, columns=(*numbering, *keys, ITEMS))
    return _from_text(source, kind, form, notes)


def _tally(source: Source) -> Tally:
    return Tally(source, strict=True, hint="a release is verified as a whole or not at all")


def _kind(source: Source) -> str:
    if source.is_parquet:
        return "parquet"
    if source.is_json_lines:
        return "jsonl"
    return "csv" if source.stem.endswith((".csv", ".tsv")) else "text"


def _counted(bags: Bags) -> Notes:
    notes = [f"{len(bags):,} records"]
    empty = int((bags.lengths == 0).sum())
    if empty:
        notes.append(f"{empty:,} records are empty; they count as records")
    stars = int(bags.counts[bags.items == bags.vocabulary.codes(["*"])[0]].sum()) if len(bags.items) else 0
    if stars:
        notes.append(f"'*' occurs {stars:,} times; it counts as an ordinary item")
    return notes


# -- text


def _from_text(source: Source, kind: str, form: _Form, notes: Notes) -> PublishedRecords:
    if kind != "transactions":
        for between in "\t,;|":
            sample = first_records(source, between, 1)
            names = sample[0] if sample else []
            if _shape(names, wide=kind == "csv") or (form.owner in names and _shape([n for n in names if n != form.owner])):
                return _from_frame(source.path, _columns(source, between, names, notes), form, notes)
    if form.owner is not None:
        raise ParameterError(NO_COLUMNS, code="missing-column", hint=f"leave {option('release-user')} out, or name the columns in a header")
    return PublishedRecords(_from_lines(source, form.separator, notes))


def _from_lines(source: Source, separator: str | None, notes: Notes) -> Bags:
    between = guess_separator(source.head.split(b"\n")[:1000]) if separator is None else separator
    origin = "detected" if separator is None else "specified"
    notes.append(f"one record per line, items separated by {separator_name(between)} ({origin})")
    dialect = _kernels.Dialect(between, has_quotes(between), trimmed=between != "\t")
    return bags_of_lines(source, dialect, _tally(source), keep_blank=True)


def _columns(source: Source, between: str, names: list[str], notes: Notes) -> pl.DataFrame:
    """Read all columns of a delimited file with a header as strings."""
    width = len(names)
    # The lines of a file with one column may contain any character; only quotes are special.
    dialect = _kernels.Dialect(between if width > 1 else ONE_FIELD, has_quotes(between) or width == 1, trimmed=False)
    notes.append(f"a header and fields separated by {separator_name(between)}" if width > 1 else "a header")
    return text_table(source, dialect, names, _tally(source), header=True)[0]


# -- tables


def _shape(names: Sequence[str], *, wide: bool = True) -> str:
    """Return `joined` if a column contains whole records, `long` if it contains one item of a record, else "".

    Further columns are considered only if the file is known to be a table (`wide`), because a line of items may contain any word.
    """
    known = [plain(name) for name in names]
    if len(set(names)) < len(names):
        return ""
    if sum(name in ITEMS_NAMES for name in known) == 1 and (wide or len(known) <= 2):
        return "joined"
    is_long = sum(n in ITEM_NAMES for n in known) == 1 and sum(n in RECORD_NAMES for n in known) == 1
    return "long" if is_long and (wide or all(n in LONG_NAMES for n in known)) else ""


def _parquet(source: Source, own: bool) -> pl.DataFrame:
    if not source.is_parquet:
        raise InputError(f"{source.path} is not Parquet", code="unreadable-file")
    return whole(source, own=own)


def _from_frame(path: Path, frame: pl.DataFrame, form: _Form, notes: Notes) -> PublishedRecords:
    """Return the records of a table. Users may be named in a separate column or in the record column."""
    if form.owner is None:
        return replace(_from_columns(path, frame, form, notes), columns=tuple(frame.columns))
    apart = form.owner in frame.columns and bool(_table_shape(rest := frame.drop(form.owner)))
    records = rest if apart else frame
    found = _from_columns(path, records, form, notes)
    record = record_column(records) if _table_shape(records) == "long" else None
    return with_owners(
        replace(found, extra_columns=(*found.extra_columns, *([form.owner] if apart else []))), frame, form.owner, record, notes
    )


def _table_shape(frame: pl.DataFrame) -> str:
    """Return how a table stores its records: `lists`, `joined` or `long`; "" if it has none."""
    several = [name for name, kind in frame.schema.items() if isinstance(kind, pl.List)]
    return "lists" if len(several) == 1 else _shape(frame.columns)


def _from_columns(path: Path, frame: pl.DataFrame, form: _Form, notes: Notes) -> PublishedRecords:
    layout, shape = form.layout, _table_shape(frame)
    lists = [name for name, kind in frame.schema.items() if isinstance(kind, pl.List)]
    if layout is not None and (shape == "long") != (layout == "long"):
        raise InputError(
            f"{path.name} is declared in the layout {layout}, but is not",
            code="columns-differ",
            hint="a release is verified as a whole or not at all",
        )
    if shape == "lists":
        notes.append(f"reading the lists in column {lists[0]!r} as records")
        bags, nulls = bags_of_lists(frame[lists[0]])
        notes.extend(nulls)
        return PublishedRecords(bags, extra_columns=_extra_columns(frame, {lists[0]}, notes, form.before))
    if shape == "joined":
        return _from_joined(frame, form, notes)
    if shape == "long":
        return from_long(path, frame, notes, form.before)
    listed = ", ".join(repr(name) for name in frame.columns)
    raise InputError(
        f"{path} has no column of records; it has {listed}",
        code="missing-column",
        columns=frame.columns,
        hint="a column of lists called items, or the columns record and item",
    )


def _extra_columns(frame: pl.DataFrame, judged: set[str], notes: Notes, before: int) -> tuple[str, ...]:
    """Return the columns that no model covers. Columns that only number the records are mentioned in the notes."""
    telling, numbering = extra_columns_of(frame, judged, before)
    notes.extend(numbering_note(numbering))
    return telling


def _from_joined(frame: pl.DataFrame, form: _Form, notes: Notes) -> PublishedRecords:
    column = next(name for name in frame.columns if plain(name) in ITEMS_NAMES)
    texts = frame[column].cast(pl.String).fill_null("")
    own = frame.columns[:2] == ["record", "items"]
    between = form.separator if form.separator is not None else JOINER if own else _joiner(texts)
    origin = "specified" if form.separator is not None else "as shoal writes them" if own else "detected"
    notes.append(f"the items in column {column!r} are separated by {separator_name(between)} ({origin})")
    lists = split_joined(texts, between) if own and between else texts.str.split(between or " ").list.eval(_trimmed_items())
    return PublishedRecords(Bags.from_polars(lists), extra_columns=_extra_columns(frame, {column}, notes, form.before))


def _trimmed_items() -> pl.Expr:
    return pl.element().str.strip_chars().filter(pl.element().str.strip_chars() != "")


def _joiner(texts: pl.Series) -> str:
    """Detect the item separator: the character that most texts contain; if none does, blanks between numbers."""
    having = {sign: int(texts.str.contains(sign, literal=True).sum()) for sign in JOINERS}
    best = max(having, key=lambda sign: having[sign])
    if having[best]:
        return best
    return "" if texts.str.contains(r"^[\d ]*$").all() else JOINER


# -- a table of a release


def read(directory: Path, files: Sequence[FileFacts], own: bool) -> BagTable:
    """Read the records of all files. In files that this process wrote, identical records are stored once with their number."""
    if own:
        return _counted_table(directory, files)
    found = [read_published(directory / f["name"], f["format"], f.get("separator"), f.get("layout")).bags for f in files]
    bags = united(found)
    return BagTable(bags, np.ones(len(bags), np.int64))


def _counted_table(directory: Path, files: Sequence[FileFacts]) -> BagTable:
    """Read lists in Parquet part by part, prefetching the next part, so that little of them is in memory."""
    found = DifferentRecords()
    for file in files:
        path = directory / file["name"]
        if file["format"] == "parquet" and file.get("layout") == LISTS:
            with closing(kernels.ahead(map(names_in, own_lists(Source.of(path))))) as parts:
                for indptr, names in parts:
                    found.add_names(indptr, names)
        else:
            found.add(read_published(path, file["format"], file.get("separator"), file.get("layout"), own=True).bags)
    return found.table()


def count_differing(released: BagTable, read_back: BagTable) -> int:
    """Count the records without a counterpart, with multiplicities."""
    tables = (released, read_back)
    names = Vocabulary(pl.concat([table.records.vocabulary.names for table in tables]).unique(maintain_order=True))
    label = identical_records(stacked([t.records.relabelled(names.codes(t.records.vocabulary.names), names) for t in tables]))
    n, first = int(label.max(initial=-1)) + 1, len(released.copies)
    times = [np.bincount(part, weights=t.copies, minlength=n) for part, t in zip((label[:first], label[first:]), tables, strict=True)]
    return int(np.abs(times[0] - times[1]).sum())
