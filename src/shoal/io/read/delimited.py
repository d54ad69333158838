"""Files of lines: as columns, as rows of items, or unchanged. Blank and malformed lines are counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import Any

import numpy as np
import polars as pl

from shoal import _kernels, kernels
from shoal.data.bags import Bags, Ints, Vocabulary
from shoal.errors import ParameterError
from shoal.io.read.result import Tally
from shoal.io.read.source import Chunk, Source

ONE_FIELD = "\n"  # a separator that no line holds


def column_batches(
    source: Source,
    dialect: _kernels.Dialect,
    wanted: Sequence[int],
    fields: tuple[int, int],
    tally: Tally,
    *,
    header: bool = False,
    threads: int | None = None,
) -> Iterator[tuple[list[Any], Ints]]:
    """Yield the wanted columns of all rows with this many fields, and the line (from 0) of each row.

    The columns of a batch must be used before the next batch is requested, which overwrites them. Meanwhile the next piece of the file is
    split.
    """
    cutters = [_kernels.ColumnCutter(dialect, list(wanted), *fields, threads or kernels.threads()) for _ in range(2)]
    skip, line = header_end(source, dialect) if header else (0, 0)
    for parts in _cut_ahead(source.chunks(skip), cutters):
        for part in parts:
            tally.note(part.facts, line)
            yield [part.column(c) for c in range(len(wanted))], part.facts.row_lines() + line
            line += part.facts.lines


def _cut_ahead(chunks: Iterator[Chunk], cutters: Sequence[_kernels.ColumnCutter]) -> Iterator[list[_kernels.ColumnCutter.Part]]:
    """Yield the parts of each chunk. Two cutters alternate: one holds the parts in use, the other splits the next chunk."""
    parts: list[_kernels.ColumnCutter.Part] = []
    with kernels.Background() as second:
        for chunk, cutter in zip(_in_turn(chunks), cycle(cutters), strict=False):
            if isinstance(chunk, Exception):
                yield parts
                raise chunk
            second.begin(cutter.cut, chunk.text, chunk.last)
            yield parts
            parts = [cutter.part(i) for i in range(second.answer())]
            chunk.taken = sum(part.facts.consumed for part in parts)
    yield parts


def _in_turn(chunks: Iterator[Chunk]) -> Iterator[Chunk | Exception]:
    """Yield the chunks and then the error of the rest of the file, if any, so that rows before it come first."""
    try:
        yield from chunks
    except Exception as error:
        yield error


def text_table(source: Source, dialect: _kernels.Dialect, names: Sequence[str], tally: Tally, *, header: bool) -> tuple[pl.DataFrame, Ints]:
    """Read all rows of a table with these columns as text, and the line (from 0) of each row. A defect is an error."""
    width, batches, lines = len(names), [], []
    for columns, at in column_batches(source, dialect, range(width), (width, width), tally, header=header):
        tally.check()
        batches.append(pl.DataFrame({name: pl.Series(column) for name, column in zip(names, columns, strict=True)}))
        lines.append(at)
    return pl.concat(batches), np.concatenate(lines)


def text_lines(source: Source, tally: Tally) -> Iterator[tuple[pl.Series, Ints]]:
    """Yield non-empty lines without surrounding blanks, and their numbers (from 0), a chunk at a time."""
    for (column,), lines in column_batches(source, _kernels.Dialect(ONE_FIELD, False), [0], (1, 1), tally, threads=1):
        yield pl.Series(column), lines


def bags_of_lines(source: Source, dialect: _kernels.Dialect, tally: Tally, *, header: bool = False, keep_blank: bool = False) -> Bags:
    """Read one record per line, every field an item. With `keep_blank` an empty line is an empty record."""
    interner = _kernels.Interner()
    sizes, items = [np.zeros(1, np.int64)], [np.zeros(0, np.int32)]
    skip, line = header_end(source, dialect) if header else (0, 0)
    for chunk in source.chunks(skip):
        indptr, codes, facts = kernels.run(_kernels.cut_items, chunk.text, dialect, interner, keep_blank, chunk.last)
        tally.note(facts, line)
        tally.check()
        sizes.append(np.diff(indptr))
        items.append(codes)
        line += facts.lines
        chunk.taken = facts.consumed
    every = np.concatenate(items)
    ones = np.ones(len(every), np.int32)
    return Bags.from_rows(np.cumsum(np.concatenate(sizes)), every, ones, Vocabulary(interner.strings()))


def header_end(source: Source, dialect: _kernels.Dialect) -> tuple[int, int]:
    """Return the bytes and lines of the header."""
    _, _, lines, consumed = _kernels.first_records(source.head, dialect, source.whole, 1)[0]
    return consumed, lines


# Separators of fields or items: written by users in several ways, otherwise detected.


BLANKS = ""  # runs of spaces and tabs
JOINER = ";"  # between the items of a record in a CSV that shoal writes

NAMES = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "bar", BLANKS: "blanks", " ": "space"}
WRITTEN = {name: separator for separator, name in NAMES.items()} | {"\\t": "\t", "whitespace": BLANKS}


def one_byte(sep: str) -> str:
    """Return the separator that a user means: one character, or a word such as `tab`, `comma` or `blanks`."""
    found = WRITTEN.get(sep, sep)
    if len(found) > 1 or not found.isascii() or found in {"\n", "\r", '"', "\0"}:
        raise ParameterError(
            f"a separator is one ASCII character, not {sep!r}",
            code="invalid-separator",
            hint=f"or one of {', '.join(WRITTEN)}",
            value=sep,
        )
    return found


def separator_name(separator: str) -> str:
    """Return the name of a separator."""
    return NAMES.get(separator, repr(separator))


def has_quotes(separator: str) -> bool:
    """Whether fields may be quoted: not with blanks and tabs, because query logs contain quotes without meaning."""
    return separator not in {"\t", " ", ""}


def guess_separator(lines: Sequence[bytes]) -> str:
    """Detect the item separator: tab, comma or semicolon, whichever most of the lines have; else blanks."""
    having = {sign: sum(sign.encode() in line for line in lines) for sign in "\t,;"}
    best = max(having, key=lambda sign: having[sign])
    return best if having[best] else BLANKS


def separators_in(line: str) -> list[str]:
    """Return the possible column separators of a file with this first line, the most frequent first."""
    return sorted((sign for sign in "\t,;|" if sign in line), key=lambda sign: -line.count(sign)) or ["\t"]
