"""Writes frames as Parquet, CSV, JSON lines or an Excel workbook with one sheet (which needs the extra `excel`).

Times are written as 2006-03-01 07:17:12, with a fraction if there is one. Parquet is written a few rows at a time, each a row group, and
without statistics, which would disclose single values. In a workbook texts stay texts, whatever they look like: a formula, a number, a
link. Content that a sheet cannot represent is rejected: too many rows, a text longer than a cell, an empty text, which could not be
distinguished from an empty cell, characters that XML lacks, numbers of more than 15 digits.
"""

from __future__ import annotations

import hashlib
import io
import secrets
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, cast

import polars as pl
from polars.io.plugins import register_io_source

from shoal.data.tables.column_types import ITEMS, column_types
from shoal.errors import OutputError
from shoal.io.joined_cells import JOINED, joined
from shoal.io.partial_outputs import temporary_directory
from shoal.io.read.delimited import JOINER
from shoal.io.read.source import digest_of
from shoal.io.release_directory import disk_errors
from shoal.io.write.cell_checks import refuse_ambiguous
from shoal.io.write.output_format import FRAME_FORMATS, OUTPUT_FORMATS, FileFact, insist_on_format, write_pieces
from shoal.util.wording import counted

# -- Excel


MOST_ROWS = 1_048_576
LONGEST_TEXT = 32_767
DIGITS = 15
NOT_IN_XML = r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]"
SHEET = "records"
OPTIONS = {"constant_memory": True, "strings_to_formulas": False, "strings_to_numbers": False, "strings_to_urls": False}
SOME_DAY = datetime(2000, 1, 1)  # the time of writing is nobody's business, and the same table gives the same bytes


def workbook_bytes(frame: pl.DataFrame) -> bytes:
    """Return the workbook. Raise if the sheet cannot represent the frame."""
    import xlsxwriter
    import xlsxwriter.exceptions

    for what, hint in _troubles(frame):
        raise OutputError(f"{what}, which an Excel sheet cannot represent", code="value-not-writable", hint=hint)
    buffer = io.BytesIO()
    try:
        with temporary_directory() as aside, xlsxwriter.Workbook(buffer, {**OPTIONS, "tmpdir": str(aside)}) as book:
            book.set_properties({"created": SOME_DAY})
            _fill(book.add_worksheet(SHEET), frame)
    except xlsxwriter.exceptions.FileCreateError as error:  # what the library makes of an error of the operating system
        raise (error.__context__ or error) from None
    return buffer.getvalue()


def _fill(sheet: Any, frame: pl.DataFrame) -> None:
    for row, cells in enumerate([tuple(frame.columns), *frame.iter_rows()]):
        for column, cell in enumerate(cells):
            if isinstance(cell, str):
                sheet.write_string(row, column, cell)
            elif cell is not None:
                sheet.write_number(row, column, cell)


def _troubles(frame: pl.DataFrame) -> Iterator[tuple[str, str]]:
    """Return what in the frame a sheet cannot represent, and what to do instead."""
    if len(frame) >= MOST_ROWS:
        yield f"there are {len(frame):,} rows, more than {MOST_ROWS - 1:,} below a header", "write csv or parquet"
    for name, dtype in frame.schema.items():
        if dtype == pl.String:
            yield from _of_texts(frame[name].drop_nulls())
        else:
            digits = int(_too_exact(frame[name].drop_nulls()).sum())
            if digits:
                yield f"{counted(digits, 'number has', 'numbers have')} more than {DIGITS} digits", "write csv or parquet"


def _of_texts(texts: pl.Series) -> Iterator[tuple[str, str]]:
    empty, odd = int((texts == "").sum()), int(texts.str.contains(NOT_IN_XML).sum())
    if empty:
        yield f"{counted(empty, 'text is', 'texts are')} empty", "write jsonl or parquet"
    if odd:
        yield f"{counted(odd, 'text holds', 'texts hold')} control characters", "write jsonl or parquet"
    long = [text for text in texts.filter(texts.str.len_bytes() > LONGEST_TEXT) if len(text.encode("utf-16-le")) > 2 * LONGEST_TEXT]
    if long:
        yield (
            f"{counted(len(long), 'text is', 'texts are')} longer than {LONGEST_TEXT:,} characters",
            "choose the layout long, or csv or parquet",
        )


def _too_exact(numbers: pl.Series) -> pl.Series:
    if numbers.dtype.is_integer():
        return pl.Series(numbers.abs() >= 10**DIGITS)
    return pl.Series([float(f"{number:.{DIGITS}g}") != number for number in numbers], dtype=pl.Boolean)


# -- Parquet, a few rows at a time


PACKED: dict[str, Any] = {"compression": "zstd", "compression_level": 1, "statistics": False}


class _Hashed(io.BufferedIOBase):
    """Bytes on their way to a file: their SHA-256, and the operating system's error, of which Polars passes on the text only."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._digest = hashlib.sha256()
        self.error: OSError | None = None

    def write(self, content: Any) -> int:
        """Write all of it."""
        try:
            self._out.write(content)
        except OSError as error:
            self.error = error
            raise
        self._digest.update(content)
        return len(content)

    @property
    def sha256(self) -> str:
        """The digest of all bytes written."""
        return self._digest.hexdigest()


def write_frames(path: Path, schema: pl.Schema, frames: Iterable[pl.DataFrame], rows_at_once: int) -> str:
    """Write a new file of these frames, and return its SHA-256. If the first cannot be made, no file is created."""
    coming = iter(frames)
    first = list(islice(coming, 1))
    with disk_errors(path.name), path.open("xb") as out:
        return frames_digest(out, schema, chain(first, coming), rows_at_once)


def frames_digest(out: BinaryIO, schema: pl.Schema, frames: Iterable[pl.DataFrame], rows_at_once: int) -> str:
    """Write these frames to an open file, and return the SHA-256."""

    def source(*value: object) -> Iterator[pl.DataFrame]:  # all columns, rows and batches are wanted
        del value
        yield from frames

    hashed = _Hashed(out)
    try:
        rows = register_io_source(source, schema=schema)
        rows.sink_parquet(cast(BinaryIO, hashed), row_group_size=rows_at_once, maintain_order=True, **PACKED)
    except pl.exceptions.PolarsError:
        if hashed.error is None:
            raise
        raise hashed.error from None
    return hashed.sha256


# -- Parquet files of parts of a table, each written by a worker


def write_part(frame: pl.DataFrame, place: Path, work: Path) -> str:
    """Write a Parquet file and return its SHA-256. A repeated task replaces it by the same file.

    It is written in `work`, an unpublished directory of the same file system, so that a dead worker leaves nothing in the release; the name
    there is random, because two machines may run the same task.
    """
    buffer = io.BytesIO()
    frame.rechunk().write_parquet(buffer, compression="zstd", compression_level=1, statistics=False)
    aside = work / f"{place.name}.{secrets.token_hex(8)}"
    with disk_errors(place.name):
        aside.write_bytes(buffer.getvalue())
        aside.rename(place)
    return digest_of(place)


# -- frames in any format


TIME = "%Y-%m-%d %H:%M:%S%.f"


def write_frame(
    frame: pl.DataFrame,
    directory: Path,
    name: str,
    format: str,
    *,
    table: str,
    kind: str,
    part: str = "",
    pseudonyms: str = "",
    separator: str = "",
    columns: Mapping[str, str] | None = None,
) -> FileFact:
    """Write the rows of a frame in their order; `columns` are their types if lists of items were joined with a `separator`."""
    insist_on_format(format, FRAME_FORMATS, kind)
    path = directory / f"{name}{OUTPUT_FORMATS[format]}"
    digest = write_pieces(path, [frame_bytes(frame, format)])
    return FileFact(path.name, len(frame), digest, format, separator, table, kind, part, columns or column_types(frame), pseudonyms)


def write_with_lists(frame: pl.DataFrame, directory: Path, name: str, format: str, *, table: str, kind: str, part: str = "") -> FileFact:
    """Write a frame that may have lists of items. CSV and Excel hold them as one text. Raise if they could not be read back from it."""
    types = column_types(frame, lists=True)
    lists = [column for column, word in types.items() if word == ITEMS]
    separator = JOINER if lists and format in JOINED else ""
    for column in lists if separator else ():
        refuse_ambiguous(frame[column].explode(empty_as_null=False).unique(), format, separator)
        frame = frame.with_columns(joined(frame[column], separator))
    return write_frame(frame, directory, name, format, table=table, kind=kind, part=part, separator=separator, columns=types)


def frame_bytes(frame: pl.DataFrame, format: str, *, header: bool = True) -> bytes:
    """Return a file of this format, or a further part of a CSV without a header. Parquet without statistics, which would disclose single
    values.
    """
    buffer = io.BytesIO()
    if format == "parquet":
        # In one piece, so that row groups depend on the number of rows alone.
        frame.rechunk().write_parquet(buffer, compression="zstd", compression_level=1, statistics=False)
        return buffer.getvalue()
    if format in {"xlsx", "jsonl"}:
        _refuse_infinite(frame, format)
    formatted = frame.with_columns(pl.col(pl.Datetime).dt.strftime(TIME))
    if format == "xlsx":
        return workbook_bytes(formatted)
    if format == "csv":
        formatted.write_csv(buffer, include_header=header)
    else:
        formatted.write_ndjson(buffer)
    return buffer.getvalue()


def _refuse_infinite(frame: pl.DataFrame, format: str) -> None:
    """Raise if there is an infinite number or NaN, which neither JSON nor a sheet can represent."""
    n = sum(int((~numbers.is_finite()).sum()) for numbers in frame.iter_columns() if numbers.dtype.is_float())
    if n:
        raise OutputError(
            f"{counted(n, 'number is', 'numbers are')} infinite or NaN, which {format} cannot represent",
            code="value-not-writable",
            hint="write csv or parquet",
            value=n,
        )
