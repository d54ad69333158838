"""Excel workbooks: the only sheet with cells, every cell as text. Needs the extra `excel`.

A workbook stores dates and numbers as numbers: a number is read as it would be typed, a date as 2024-05-01 09:00:00. A cell with an error,
or with a formula that was never computed, is empty.

The library gives texts or numbers. So a sheet is parsed twice if a number may have more decimals than the library writes in a text.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

import polars as pl

from shoal.errors import InputError
from shoal.packages import insist_on_extra

if TYPE_CHECKING:
    import fastexcel

ZIP = b"PK\x03\x04"
WORKBOOK = "xl/workbook.xml"
SUFFIX = ".xlsx"
PIECE = 1 << 20  # of the XML of a sheet
SHEETS = re.compile(r"xl/worksheets/[^/]*", re.IGNORECASE)
_MANY_DECIMALS = re.compile(rb"v>[^<]*(?:\.[0-9]{10}|[eE&])")  # the value of a cell: ten decimals, an exponent, or a character in code
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


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
    if len(filled) != 1:
        what = f"{len(filled)} sheets that hold cells" if filled else "no cells"
        raise InputError(
            f"{place} has {what}, but only one can be read",
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


def text_of_sheet(content: bytes, place: str | Path) -> bytes:
    """Return the sheet as CSV, one line per row."""
    return sheet_of(content, place).fill_null("").write_csv(include_header=False, quote_style="necessary").encode()


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
