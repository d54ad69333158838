"""A frame as an Excel workbook of one sheet. Needs the extra `excel`.

Texts stay texts, whatever they look like: a formula, a number, a link. What a sheet cannot hold is refused: too many rows, a text that is
longer than a cell, an empty text, which could not be told from an empty cell, characters that XML lacks, numbers of more than 15 digits.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import datetime

import polars as pl

from shoal.errors import OutputError
from shoal.io.partial_outputs import temporary_directory
from shoal.util.wording import counted

MOST_ROWS = 1_048_576
LONGEST_TEXT = 32_767
DIGITS = 15
NOT_IN_XML = r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]"
SHEET = "records"
OPTIONS = {"constant_memory": True, "strings_to_formulas": False, "strings_to_numbers": False, "strings_to_urls": False}
SOME_DAY = datetime(2000, 1, 1)  # the time of writing is nobody's business, and the same table gives the same bytes


def workbook_bytes(frame: pl.DataFrame) -> bytes:
    """The workbook. Raises if the sheet would not hold the frame as it is."""
    import xlsxwriter

    for what, hint in _troubles(frame):
        raise OutputError(f"{what}, which an Excel sheet cannot represent", code="value-not-writable", hint=hint)
    buffer = io.BytesIO()
    with temporary_directory() as aside, xlsxwriter.Workbook(buffer, {**OPTIONS, "tmpdir": str(aside)}) as book:
        book.set_properties({"created": SOME_DAY})
        sheet = book.add_worksheet(SHEET)
        for row, cells in enumerate([tuple(frame.columns), *frame.iter_rows()]):
            for column, cell in enumerate(cells):
                if isinstance(cell, str):
                    sheet.write_string(row, column, cell)
                elif cell is not None:
                    sheet.write_number(row, column, cell)
    return buffer.getvalue()


def _troubles(frame: pl.DataFrame) -> Iterator[tuple[str, str]]:
    """What of the frame has no place in a sheet, and what to do instead."""
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
