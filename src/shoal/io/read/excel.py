"""Excel workbooks: the only sheet with cells, every cell as text. Needs the extra `excel`.

A workbook stores dates and numbers as numbers: a number is read as it would be typed, a date as 2024-05-01 09:00:00. A cell with an error,
or with a formula that was never computed, is empty.

The library parses a sheet as a whole, and gives texts or numbers. So a sheet is parsed twice if a number may have more decimals than the
library writes in a text; and if only the first rows are wanted, they are first cut out of its XML.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

import polars as pl

from shoal.errors import InputError
from shoal.packages import insist_on_extra

if TYPE_CHECKING:
    import fastexcel

ZIP = b"PK\x03\x04"
WORKBOOK = "xl/workbook.xml"
SUFFIX = ".xlsx"
PIECE = 1 << 20  # of the XML of a sheet
# Members that cells need: sheets, shared texts and formats, but no pictures.
NEEDED = re.compile(r"\[content_types\]\.xml|_rels/\.rels|xl/[^/]*|xl/(_rels|worksheets)/[^/]*", re.IGNORECASE)
SHEETS = re.compile(r"xl/worksheets/[^/]*", re.IGNORECASE)
_MANY_DECIMALS = re.compile(rb"v>[^<]*(?:\.[0-9]{10}|[eE&])")  # the value of a cell: ten decimals, an exponent, or a character in code
_ROWS = re.compile(rb"<(\w+:)?sheetData[\s>]")
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


class SheetText(NamedTuple):
    """A sheet as CSV, and the share of the workbook's XML that was read."""

    text: bytes
    part: float


def is_workbook(stream: IO[bytes]) -> bool:
    """Whether an open file is an Excel workbook (.xlsx), by its content."""
    try:
        with zipfile.ZipFile(stream) as archive:
            return WORKBOOK in archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError):
        return False


def sheet_of(content: bytes, place: str | Path) -> pl.DataFrame:
    """Return the cells of the only non-empty sheet, from its first row: text, null for an empty cell."""
    insist_on_extra("excel")
    import fastexcel

    try:
        book, twice = fastexcel.read_excel(content), may_have_many_decimals(content)
        sheets = {name: _cells(book, name, twice) for name in book.sheet_names}
    except fastexcel.FastExcelError:
        raise damaged(place) from None
    except BaseException as error:  # a panic of the library is no Exception
        if type(error).__name__ == "PanicException":
            raise damaged(place) from None
        raise
    filled = [cells for cells in sheets.values() if cells.width]
    if not filled:
        raise InputError(f"{place} has no cells", code="empty-input", hint="give a workbook with rows in one of its sheets")
    if len(filled) > 1:
        raise InputError(
            f"{place} has {len(filled)} sheets with cells, but only one can be read",
            code="several-sheets",
            hint="keep one sheet in the file, or save the one that is meant as CSV",
        )
    (cells,) = filled
    return cells.rename({name: str(at + 1) for at, name in enumerate(cells.columns)})


def _cells(book: fastexcel.ExcelReader, sheet: str, twice: bool) -> pl.DataFrame:
    """Return all cells as text, with all digits of numbers: as text, the library gives only nine decimals of them."""
    texts = book.load_sheet(sheet, header_row=None, dtypes="string").to_polars()
    if not twice:
        return texts
    numbers = book.load_sheet(sheet, header_row=None, dtypes="float").to_polars()
    return texts.with_columns(_with_all_digits(text, number) for text, number in zip(texts, numbers, strict=True))


def _with_all_digits(texts: pl.Series, numbers: pl.Series) -> pl.Series:
    rounded = (texts.cast(pl.Float64, strict=False) != numbers) & numbers.is_finite()
    return numbers.cast(pl.String).zip_with(rounded.fill_null(False), texts).alias(texts.name)


def damaged(place: str | Path) -> InputError:
    """Return the error for an unreadable workbook."""
    return InputError(f"{place} is damaged, or not the Excel workbook it seems to be", code="damaged-file", hint="save or copy it again")


def text_of_sheet(content: bytes, place: str | Path, most: int | None = None) -> SheetText:
    """Return the sheet as CSV, one line per row; only the rows in about the first `most` bytes of its XML, if a number is given."""
    head, part = (content, 1.0) if most is None else first_rows(content, most)
    cells = sheet_of(head, place).fill_null("")
    return SheetText(cells.write_csv(include_header=False, quote_style="necessary").encode(), part)


# -- the XML of sheets


def may_have_many_decimals(content: bytes) -> bool:
    """Whether a number in the sheets may have more than nine decimals. Such numbers have ten digits behind the point, or an exponent.

    With fewer, the text with nine decimals is the same number. A workbook that cannot be unpacked here may have them.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return any(map(_has_many_decimals, (text for name in _sheets_in(archive) for text in _pieces(archive, name))))
    except _UNREADABLE:
        return True


def _sheets_in(archive: zipfile.ZipFile) -> list[str]:
    return [name for name in archive.namelist() if SHEETS.fullmatch(name)]


def _pieces(archive: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    """Yield the XML in pieces, each from the beginning of a tag."""
    rest = b""
    with archive.open(name) as xml:
        while piece := xml.read(PIECE):
            text = rest + piece
            yield text
            rest = text[max(0, text.rfind(b"<")) :]


def _has_many_decimals(xml: bytes) -> bool:
    """Whether a cell has such a value, or the XML is written in an unusual way: not in UTF-8, or with attributes of values."""
    return _MANY_DECIMALS.search(xml) is not None or b"\0" in xml or b"<v " in xml or b":v " in xml


def first_rows(content: bytes, most: int) -> tuple[bytes, float]:
    """Return a workbook with the rows in about the first `most` bytes of each sheet's XML, and the share of all sheets' XML that they are.

    A workbook of small sheets, or one that cannot be unpacked here, is returned as it is.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            sizes = {member.filename: member.file_size for member in archive.infolist()}
            sheets = _sheets_in(archive)
            heads = {name: head for name in sheets if sizes[name] > most and (head := _head(archive, name, most))}
            if not heads:
                return content, 1.0
            cut = _with_heads(archive, heads)
    except _UNREADABLE:
        return content, 1.0
    return cut, sum(len(heads[name]) if name in heads else sizes[name] for name in sheets) / sum(sizes[name] for name in sheets)


def _head(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """Return the XML of a sheet with the complete rows in its first bytes; empty if there is none."""
    with archive.open(name) as xml:
        text = xml.read(most)
    begin = _ROWS.search(text)
    if begin is None:
        return b""
    prefix = begin[1] or b""
    row = b"</" + prefix + b"row>"
    end = text.rfind(row)
    return b"" if end < 0 else text[: end + len(row)] + b"</" + prefix + b"sheetData></" + prefix + b"worksheet>"


def _with_heads(archive: zipfile.ZipFile, heads: dict[str, bytes]) -> bytes:
    """Return the workbook with these sheets instead of its own, and without members that cells do not need."""
    cut = io.BytesIO()
    with zipfile.ZipFile(cut, "w") as other:
        for name in filter(NEEDED.fullmatch, archive.namelist()):
            other.writestr(name, heads[name] if name in heads else archive.read(name))
    return cut.getvalue()
