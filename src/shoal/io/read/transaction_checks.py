"""What speaks against taking the lines of a file for transactions, where each line would be one person's record.

A table whose header is not known looks like lines of items too; read so, every row would be a person, and the ids in it would be
published as items. So lines are taken for transactions unasked only if nothing about them looks like a table or a log: their numbers of
fields differ, the first one is no header, and none of their fields are times, addresses or owners. All is judged on the first lines.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from shoal import _kernels
from shoal.io.read.delimited import BLANKS, guess_separator, has_quotes, separator_name
from shoal.io.read.source import Source

LINES = 2000  # that are looked at
# Share of the lines that have the same number of fields; among real baskets, clicks and sales the largest is a fifth.
SAME_WIDTH = 0.75
# Share of the lines with a single field; among real click streams the largest is a half.
SINGLE = 0.95
# Share of the lines that hold a time or an address.
LOGGED = 0.1
# Fewer lines than these may begin with items of their own by chance.
ENOUGH_LINES = 10

_NAME = re.compile(r"(?=.*[^\W\d])[^\x00-\x1f]{1,60}")
_COMMENT = re.compile(r"\s*(#|//|--|%)")
_LOGGED = {
    "times": re.compile(r"\d:\d\d:\d\d|\d{4}[-/.]\d\d[-/.]\d\d|\b\d\d?[-/.]\d\d?[-/.]\d{4}\b|\b\d\d?/[A-Z][a-z]{2}/\d{4}"),
    "network addresses": re.compile(r"(?<![\d.])\d{1,3}(\.\d{1,3}){3}(?![\d.])"),
    "e-mail addresses": re.compile(r"[^\s@,;|]@[^\s@,;|]+\.[^\W\d]{2,}"),
}

Rows = Sequence[Sequence[str]]


def against_transactions(source: Source, separator: str | None, *, header: bool | None) -> str:
    """What about a file's lines looks like a table or a log; empty if nothing does. `header` is what the user says about one."""
    lines = first_lines(source)
    between = guess_separator([line.encode() for line in lines]) if separator is None else separator
    rows = _rows(source, between)
    return (
        _comment(lines)
        or _log(lines)
        or _table(source, lines)
        or _single(rows, between)
        or ("" if header is False else _header(rows))
        or _owned(rows)
    )


def against_records(rows: Rows) -> str:
    """What about lists of items in memory looks like the rows of a table or a log; empty if nothing does."""
    width, n = Counter(map(len, rows)).most_common(1)[0] if rows else (0, 0)
    if width > 1 and n >= SAME_WIDTH * len(rows):
        return f"{'' if n == len(rows) else 'nearly '}all its lists have {width} items, like rows of a table"
    return _log([", ".join(row) for row in rows]) or _owned(rows)


def looks_like_header(rows: Rows) -> bool:
    """Whether the first line may name columns: words, none of which comes again anywhere."""
    if not rows or not all(_NAME.fullmatch(name) for name in rows[0]):
        return False
    names = set(rows[0])
    return not any(names.intersection(row) for row in rows[1:])


def first_lines(source: Source) -> list[str]:
    """The first lines that hold something, as far as they were read whole."""
    lines = source.head.decode("utf-8", "replace").split("\n")
    whole = lines if source.whole or len(lines) == 1 else lines[:-1]
    return [line.rstrip("\r") for line in whole if line.strip()][:LINES]


def _rows(source: Source, separator: str) -> list[list[str]]:
    """The fields of all lines that are sound."""
    dialect = _kernels.Dialect(separator, has_quotes(separator))
    found = _kernels.first_records(source.head, dialect, source.whole, LINES)
    return [fields for defect, fields, _, _ in found if not defect and any(fields)]


def _comment(lines: Sequence[str]) -> str:
    """Items may begin with a #, but then many do."""
    marked = sum(_COMMENT.match(line) is not None for line in lines)
    first = bool(lines) and _COMMENT.match(lines[0]) is not None
    return "its first line looks like a comment" if first and marked * 2 <= len(lines) else ""


def _log(lines: Sequence[str]) -> str:
    held = [what for what, shape in _LOGGED.items() if sum(shape.search(line) is not None for line in lines) > LOGGED * len(lines)]
    return f"its lines hold {' and '.join(held)}, as a log's do" if held else ""


def _table(source: Source, lines: Sequence[str]) -> str:
    """Whatever may stand between fields is tried, with and without regard to quotes: a stray one spoils all fields."""
    for separator in ("\t", ",", ";", "|", BLANKS):
        by_signs = [len(line.split(separator) if separator else line.split()) for line in lines]
        for widths in (by_signs, [len(row) for row in _rows(source, separator)]):
            width, n = Counter(widths).most_common(1)[0] if widths else (0, 0)
            if width > 1 and n >= SAME_WIDTH * len(widths):
                most = "" if n == len(widths) else "nearly "
                return f"{most}all its lines have {width} fields (separated by {separator_name(separator)}), as a table's do"
    return ""


def _single(rows: Rows, separator: str) -> str:
    alone = sum(len(row) == 1 for row in rows)
    few = not rows or alone < SINGLE * len(rows)
    return "" if few else f"its lines have a single field each (separated by {separator_name(separator)})"


def _header(rows: Rows) -> str:
    return "its first line looks like a header" if looks_like_header(rows) else ""


def _owned(rows: Rows) -> str:
    """Lines of a person and that person's items: what stands first never stands elsewhere."""
    longer = [row for row in rows if len(row) > 1]
    if len(longer) < ENOUGH_LINES or {row[0] for row in longer} & {item for row in longer for item in row[1:]}:
        return ""
    return "the first field of its lines never occurs elsewhere in them, like a user ID"
