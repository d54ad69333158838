"""Reading records that were published, by shoal or by another tool.

How they are read is announced, and nothing is left out: a file with a broken line is refused, an empty line
is a record without items, and `*` is an item like any other. What stands beside the items is named. Known
shapes: a column of lists (Parquet, JSON lines); a column of joined items; a long table of record, item and
perhaps count; and lines of items, which are also what a CSV with one item a cell is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from shoal import _kernels, kernels
from shoal.data.bags import Bags, Vocabulary, stacked
from shoal.data.tables.bags import BagTable
from shoal.errors import InputError, ParameterError
from shoal.io.beside import columns_beside, metadata_beside, numbering_note, numbers_rows
from shoal.io.published import Facts, Reader
from shoal.io.published.json_records import json_records
from shoal.io.read.columns import plain
from shoal.io.read.delimited import ONE_FIELD, bags_of_lines, text_table
from shoal.io.read.formats import first_records
from shoal.io.read.parquet import bags_of_lists, metadata_of, whole
from shoal.io.read.reading import Tally
from shoal.io.read.separators import JOINER, guess_separator, has_quotes, one_byte, separator_name
from shoal.io.read.source import Source
from shoal.privacy.identical import identical_records

SHAPES = ("parquet", "csv", "jsonl", "transactions")
RECORD_NAMES = {
    "record",
    "recordid",
    "id",
    "tid",
    "transaction",
    "transactionid",
    "basket",
    "user",
    "userid",
    "row",
}
ITEMS_NAMES = {"items", "itemset", "terms", "set", "values"}
ITEM_NAMES = {"item", "itemid", "itemname", "term", "value", "product"}
COUNT_NAMES = {"count", "n", "quantity", "copies"}
JOINERS = ";|,"

Notes = list[str]


@dataclass(frozen=True, eq=False)
class PublishedRecords:
    """The records of a file, how they were read, and the names of what else the file holds, which no model judges."""

    bags: Bags
    notes: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()


def read_records(path: str | Path, format: str | None = None, sep: str | None = None, *, own: bool = False) -> tuple[Bags, tuple[str, ...]]:
    """The records of a file and how they were read; whatever else it holds is passed over. `own` is a file that this process wrote."""
    found = read_published(path, format, sep, own=own)
    return found.bags, found.notes


def read_published(path: str | Path, format: str | None = None, sep: str | None = None, *, own: bool = False) -> PublishedRecords:
    """The records of a file, how they were read, and what stands beside them. `sep` is what stands between two items."""
    if format is not None and format not in SHAPES:
        raise ParameterError(f"records are not read from {format!r}", hint=f"formats are {', '.join(SHAPES)}", value=format)
    source = Source.of(path)
    notes: Notes = []
    kind = format or _kind(source)
    separator = None if sep is None else one_byte(sep)
    if kind == "parquet":
        found = _from_frame(source, _parquet(source, own), separator, notes)
        found = replace(found, beside=(*found.beside, *metadata_beside(metadata_of(source))))
    elif kind == "jsonl":
        bags, beside, numbering = json_records(source, _tally(source))
        notes += ["one JSON record a line", *numbering_note(numbering)]
        found = PublishedRecords(bags, beside=beside)
    else:
        found = _from_text(source, kind, separator, notes)
    return replace(found, notes=(*notes, *_counted(found.bags)))


def _tally(source: Source) -> Tally:
    return Tally(source, strict=True, hint="a release is judged whole or not at all")


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
        notes.append(f"{empty:,} records are empty; they are counted as records")
    stars = int(bags.counts[bags.items == bags.vocabulary.codes(["*"])[0]].sum()) if len(bags.items) else 0
    if stars:
        notes.append(f"'*' occurs {stars:,} times; it is counted as an item like any other")
    return notes


# -- text


def _from_text(source: Source, kind: str, separator: str | None, notes: Notes) -> PublishedRecords:
    if kind != "transactions":
        for between in "\t,;|":
            sample = first_records(source, between, 1)
            names = sample[0] if sample else []
            if _shape(names, wide=kind == "csv"):
                return _from_frame(source, _columns(source, between, names, notes), separator, notes)
    return PublishedRecords(_from_lines(source, separator, notes))


def _from_lines(source: Source, separator: str | None, notes: Notes) -> Bags:
    between = guess_separator(source.head.split(b"\n")[:1000]) if separator is None else separator
    says = "guessed" if separator is None else "given"
    notes.append(f"one record a line, items separated by {separator_name(between)} ({says})")
    dialect = _kernels.Dialect(between, has_quotes(between), trimmed=between != "\t")
    return bags_of_lines(source, dialect, _tally(source), keep_blank=True)


def _columns(source: Source, between: str, names: list[str], notes: Notes) -> pl.DataFrame:
    """All columns of a delimited file with a header, as strings."""
    width = len(names)
    # The lines of a file with one column may hold any sign; only their quotes count.
    dialect = _kernels.Dialect(between if width > 1 else ONE_FIELD, has_quotes(between) or width == 1, trimmed=False)
    notes.append(f"a header and fields separated by {separator_name(between)}" if width > 1 else "a header")
    return text_table(source, dialect, names, _tally(source), header=True)[0]


# -- tables


def _shape(names: Sequence[str], *, wide: bool = True) -> str:
    """`joined` where a column holds whole records, `long` where it holds one item of a record, else "".

    Further columns are looked for where the file is known to be a table (`wide`): a line of items may hold any word.
    """
    known = [plain(name) for name in names]
    if len(set(names)) < len(names):
        return ""
    if sum(name in ITEMS_NAMES for name in known) == 1 and (wide or len(known) <= 2):
        return "joined"
    is_long = sum(n in ITEM_NAMES for n in known) == 1 and sum(n in RECORD_NAMES for n in known) == 1
    return "long" if is_long and (wide or all(n in ITEM_NAMES | RECORD_NAMES | COUNT_NAMES for n in known)) else ""


def _parquet(source: Source, own: bool) -> pl.DataFrame:
    if not source.is_parquet:
        raise InputError(f"{source.path} is not Parquet")
    return whole(source, own=own)


def _from_frame(source: Source, frame: pl.DataFrame, separator: str | None, notes: Notes) -> PublishedRecords:
    lists = [name for name, kind in frame.schema.items() if isinstance(kind, pl.List)]
    if len(lists) == 1:
        notes.append(f"the lists in column {lists[0]!r} are the records")
        bags, nulls = bags_of_lists(frame[lists[0]])
        notes.extend(nulls)
        return PublishedRecords(bags, beside=_beside(frame, {lists[0]}, notes))
    shape = _shape(frame.columns)
    if shape == "joined":
        return _from_joined(frame, separator, notes)
    if shape == "long":
        return _from_long(source, frame, notes)
    listed = ", ".join(repr(name) for name in frame.columns)
    raise InputError(
        f"{source.path} has no column of records; it has {listed}",
        hint="a column of lists called items, or the columns record and item",
    )


def _beside(frame: pl.DataFrame, judged: set[str], notes: Notes) -> tuple[str, ...]:
    """The columns that no model judges; those that only number the records are named in the notes."""
    telling, numbering = columns_beside(frame, judged)
    notes.extend(numbering_note(numbering))
    return telling


def _from_joined(frame: pl.DataFrame, separator: str | None, notes: Notes) -> PublishedRecords:
    column = next(name for name in frame.columns if plain(name) in ITEMS_NAMES)
    texts = frame[column].cast(pl.String).fill_null("")
    own = frame.columns[:2] == ["record", "items"]
    between = separator if separator is not None else JOINER if own else _joiner(texts)
    says = "given" if separator is not None else "as shoal writes them" if own else "guessed"
    notes.append(f"the items in column {column!r} are separated by {separator_name(between)} ({says})")
    split = texts.str.split(between or " ")
    filled = pl.element().filter(pl.element() != "") if own else _trimmed_items()
    return PublishedRecords(Bags.from_polars(split.list.eval(filled)), beside=_beside(frame, {column}, notes))


def _trimmed_items() -> pl.Expr:
    return pl.element().str.strip_chars().filter(pl.element().str.strip_chars() != "")


def _joiner(texts: pl.Series) -> str:
    """What stands between joined items: the sign most texts have; if none has, blanks between numbers."""
    having = {sign: int(texts.str.contains(sign, literal=True).sum()) for sign in JOINERS}
    best = max(having, key=lambda sign: having[sign])
    if having[best]:
        return best
    return "" if texts.str.contains(r"^[\d ]*$").all() else JOINER


def _from_long(source: Source, frame: pl.DataFrame, notes: Notes) -> PublishedRecords:
    roles = {role: name for name in frame.columns for role, known in _LONG.items() if plain(name) in known}
    counts = np.ones(len(frame), np.int32)
    if "count" in roles:
        written = frame[roles["count"]].cast(pl.String).str.strip_chars().cast(pl.Int32, strict=False)
        wrong = np.flatnonzero((written.is_null() | (written < 1)).to_numpy())
        if len(wrong):
            raise InputError(f"{source.path} has counts that are not positive numbers, first in row {wrong[0] + 1:,}")
        counts = written.to_numpy().astype(np.int32)
    notes.append("one row per record and item: " + ", ".join(f"{role} = {name!r}" for role, name in roles.items()))
    ids = frame[roles["record"]]
    records, items = _codes(ids), _kernels.Interner()
    named = frame[roles["item"]].cast(pl.String)
    codes = kernels.run(items.encode, pl.select(pl.when(named != "").then(named)).to_series().__arrow_c_stream__())
    order = np.argsort(records, kind="stable")
    indptr = np.concatenate([[0], np.cumsum(np.bincount(records))])
    bags = Bags.from_rows(indptr, codes[order], counts[order], Vocabulary(items.strings()))
    judged = {roles[role] for role in ("item", "count") if role in roles}
    if numbers_rows(ids.unique(maintain_order=True)):
        judged.add(roles["record"])
        notes.extend(numbering_note([roles["record"]]))
    return PublishedRecords(bags, beside=_beside(frame, judged, notes))


_LONG = {"record": RECORD_NAMES, "item": ITEM_NAMES, "count": COUNT_NAMES}


def _codes(series: pl.Series) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.asarray(kernels.run(_kernels.Interner().encode, series.cast(pl.String).fill_null("").__arrow_c_stream__()))


# -- a table of a release


def read(directory: Path, files: Sequence[Facts], own: bool) -> BagTable:
    """The records of a file, each in one copy."""
    (file,) = files
    bags = read_records(directory / file["name"], file["format"], file.get("separator"), own=own)[0]
    return BagTable(bags, np.ones(len(bags), np.int64))


def compare(made: BagTable, seen: BagTable) -> int:
    """Records without counterpart, counted with their copies."""
    tables = (made, seen)
    names = Vocabulary(pl.concat([table.records.vocabulary.names for table in tables]).unique(maintain_order=True))
    label = identical_records(stacked([t.records.relabelled(names.codes(t.records.vocabulary.names), names) for t in tables]))
    n, first = int(label.max(initial=-1)) + 1, len(made.copies)
    times = [np.bincount(part, weights=t.copies, minlength=n) for part, t in zip((label[:first], label[first:]), tables, strict=True)]
    return int(np.abs(times[0] - times[1]).sum())


READER = Reader(read, compare)
