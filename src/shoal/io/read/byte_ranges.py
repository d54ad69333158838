"""Parts of plain text files: a line belongs to the part in which it begins."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO

from shoal.errors import InputError
from shoal.io.read.source import BOM, LONGEST_LINE, open_regular, translated

PIECE = 64 << 10


@dataclass(frozen=True)
class Span:
    """A byte range of a file, with the size of the file when it was split."""

    path: Path
    start: int
    end: int
    size: int


def size_of(path: Path) -> int:
    """Return the size of a file in bytes."""
    with translated(path), open_regular(path) as file:
        return os.fstat(file.fileno()).st_size


def spans_of(paths: Sequence[Path], largest: int) -> list[Span]:
    """Split all files into parts of at most this many bytes."""
    sizes = [size_of(path) for path in paths]
    return [
        Span(path, start, min(start + largest, size), size)
        for path, size in zip(paths, sizes, strict=True)
        for start in range(0, size, largest)
    ]


def lines_in(span: Span) -> bytes:
    """Yield the lines that begin in a part, each with its line end, which is added if the file lacks the last one.

    A byte order mark at the start of a file is skipped. Raises if the size of the file has changed: lines would be missing.
    """
    with translated(span.path), open_regular(span.path) as file:
        if os.fstat(file.fileno()).st_size != span.size:
            raise InputError(
                f"{span.path} was changed while it was read", code="file-changed", hint="run again when it is written to its end"
            )
        start = _line_from(file, span.start)
        end = _line_from(file, span.end) if span.end < span.size else span.size
        file.seek(start)
        text = file.read(end - start)
    if len(text) != end - start:
        raise InputError(f"{span.path} was changed while it was read", code="file-changed", hint="run again when it is written to its end")
    text = text.removeprefix(BOM) if span.start == 0 else text
    return text if not text or text.endswith(b"\n") else text + b"\n"


def first_lines_of(path: Path, most: int) -> list[bytes]:
    """Return the first lines of a file, as `lines_in` yields them."""
    with translated(path), open_regular(path) as file:
        lines = list(islice(iter(lambda: file.readline(LONGEST_LINE), b""), most))
    if not lines:
        return []
    lines[0] = lines[0].removeprefix(BOM)
    return [line if line.endswith(b"\n") else line + b"\n" for line in lines if line]


def without_line(text: bytes, line: bytes, ends: Sequence[bytes]) -> tuple[bytes, int]:
    """Remove the lines equal to this one, and return their number."""
    kept, at, found = [], 0, text.find(line)
    while found >= 0:
        begins = found == 0 or text[found - 1 : found] == b"\n"
        behind = [found + len(line) + len(end) for end in ends if begins and text.startswith(end, found + len(line))]
        if behind:
            kept.append(text[at:found])
            at = behind[0]
        found = text.find(line, at if behind else found + 1)
    return (b"".join([*kept, text[at:]]), len(kept)) if kept else (text, 0)


def _line_from(file: IO[bytes], place: int) -> int:
    """Return where the first line at or after a position begins."""
    if place == 0:
        return 0
    file.seek(place - 1)
    at = place - 1
    while piece := file.read(PIECE):
        found = piece.find(b"\n")
        if found >= 0:
            return at + found + 1
        at += len(piece)
    return at
