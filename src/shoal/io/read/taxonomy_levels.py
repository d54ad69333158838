"""A table of levels from a file: CSV, TSV, Parquet, JSON lines or Excel; its columns by name, or numbered from 1."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from shoal import _kernels
from shoal.data.node_loss import DEFAULT_LOSS
from shoal.errors import InputError, option
from shoal.io.read.columns import plain, unsure_of_header
from shoal.io.read.delimited import one_byte, separator_name, separators_in, text_table
from shoal.io.read.excel import sheet_of
from shoal.io.read.formats import first_records, json_names, looks_like_header
from shoal.io.read.json_lines import json_frames, text_values
from shoal.io.read.parquet import whole
from shoal.io.read.result import Tally
from shoal.io.read.source import Source, content_of, is_workbook_file
from shoal.io.read.taxonomies import taxonomy_of_rows
from shoal.taxonomy.levels import LevelTree, tree_of_levels
from shoal.util.wording import did_you_mean

SAMPLE = 50

Cells = tuple[pl.DataFrame, tuple[str, ...]]
"""A table with named columns, and how it was read."""


def read_levels(path: str | Path, levels: Sequence[str], *, sep: str | None = None, header: bool | None = None) -> LevelTree:
    """Return the taxonomy in these columns of a table, from the highest level to the items."""
    place = Path(path)
    frame, notes = cells_of_file(place, levels, sep, header)
    found = tree_of_levels(frame, [_column(place, frame.columns, level) for level in levels])
    return LevelTree(found.taxonomy, found.conflicts, (*notes, *found.notes))


def levels_of_frame(frame: pl.DataFrame, levels: Sequence[str] | None = None, loss: str = DEFAULT_LOSS) -> LevelTree:
    """Return the taxonomy in a frame: of these levels, or, without any, of the two columns child and parent."""
    place = Path("the frame")
    if levels is not None:
        return tree_of_levels(frame, [_column(place, frame.columns, level) for level in levels], loss)
    if sorted(plain(name) for name in frame.columns) != ["child", "parent"]:
        hint = "name its levels, from the highest to the items; or give the columns child and parent"
        raise InputError(
            f"the levels of the taxonomy must be named; the frame has {', '.join(map(repr, frame.columns))}",
            code="levels-not-named",
            hint=hint,
        )
    child, parent = sorted(frame.columns, key=str.lower)
    found = taxonomy_of_rows(frame.select(child, parent).rows(), "edges", loss)
    return LevelTree(found.taxonomy, notes=found.notes)


def cells_of_file(place: Path, levels: Sequence[str] = (), sep: str | None = None, header: bool | None = None) -> Cells:
    """Return all cells of a table in a file. If `header` is None, the names of the levels determine whether it has one."""
    if is_workbook_file(place):
        _refuse_separator(place, sep, "an Excel workbook")
        return _of_sheet(place, levels, header)
    source = Source.of(place)
    if source.is_parquet:
        _refuse_separator(place, sep, "Parquet")
        return whole(source), ("read as Parquet",)
    if source.is_json_lines:
        _refuse_separator(place, sep, "JSON lines")
        return _of_json(source), ("read as JSON lines",)
    return _of_text(source, levels, sep, header)


def _of_text(source: Source, levels: Sequence[str], sep: str | None, header: bool | None) -> Cells:
    first = source.head.lstrip(b"\r\n").split(b"\n", 1)[0].decode("utf-8", "replace")
    separator = one_byte(sep) if sep is not None else separators_in(first)[0]
    sample = first_records(source, separator, SAMPLE)
    if not sample:
        raise InputError(f"the first line of {source.path} cannot be read", code="unreadable-header", hint="give a table in UTF-8")
    named = _has_header(source, sample, levels, header)
    names = _names(source.path, sample[0]) if named else [str(n) for n in range(1, len(sample[0]) + 1)]
    tally = Tally(source, strict=True, hint=f"correct or remove them; is {option('sep')} right?")
    frame, _ = text_table(source, _kernels.Dialect(separator, True), names, tally, header=named)
    return frame, (f"columns are separated by {separator_name(separator)}", _header_note(named))


def _of_json(source: Source) -> pl.DataFrame:
    """Return the values that are text or numbers; lists are neither labels nor names."""
    tally = Tally(source, strict=True, hint="correct or remove them")
    names, lists = json_names(source)
    wanted = [name for name in names if name not in lists]
    if not wanted:
        raise InputError(f"{source.path} does not have one JSON object per line", code="not-json-lines")
    frames = [frame.select(wanted) for frame, _ in json_frames(source, text_values(wanted), tally)]
    tally.check()
    return pl.concat(frames)


def _of_sheet(place: Path, levels: Sequence[str], header: bool | None) -> Cells:
    cells = sheet_of(content_of(place), place)
    sample = [[cell or "" for cell in row] for row in cells.head(SAMPLE).rows()]
    named = _has_header(Source(place, "", b"", True), sample, levels, header)
    if named:
        cells = cells.rename(dict(zip(cells.columns, _names(place, sample[0]), strict=True))).slice(1)
    return cells, ("read as an Excel sheet", _header_note(named))


def _has_header(source: Source, sample: list[list[str]], levels: Sequence[str], header: bool | None) -> bool:
    """Whether there is a header: by option; else if a level is named, but not if all are numbered and the first line looks like the
    others.
    """
    if header is not None:
        return header
    if not all(level.isdigit() for level in levels) or set(levels) <= {cell.strip() for cell in sample[0]}:
        return True
    if looks_like_header(sample):
        raise unsure_of_header(source)
    return False


def _names(place: Path, first: Sequence[str]) -> list[str]:
    """Return column names; a column without a name gets its number."""
    names = [cell.strip() or str(at + 1) for at, cell in enumerate(first)]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"the header of {place} names two columns {twice[0]!r}", code="duplicate-column", hint="rename all but one")
    return names


def _column(place: Path, names: Sequence[str], level: str) -> str:
    """Return the intended column: by name, by a name that differs only in case and blanks, or by number."""
    if level in names:
        return level
    alike = [name for name in names if plain(name) == plain(level)]
    if len(alike) == 1:
        return alike[0]
    if level.isdigit() and 1 <= int(level) <= len(names):
        return names[int(level) - 1]
    hint = did_you_mean(level, names, f"it has {', '.join(map(repr, names))}")
    raise InputError(f"{place} has no column {level!r}", code="missing-column", hint=hint, value=level)


def _header_note(named: bool) -> str:
    return "the first line is a header" if named else "no header"


def _refuse_separator(place: Path, sep: str | None, what: str) -> None:
    if sep is not None:
        raise InputError(f"{place} is {what}, which has no separators", code="option-not-applicable", hint=f"leave {option('sep')} out")
