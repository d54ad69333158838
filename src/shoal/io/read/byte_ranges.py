"""Parts of plain text files, read by whoever is given one: a line belongs to the part in which it begins."""

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
    """The bytes of a file from one place to another; the file was of this size when it was cut into parts."""

    path: Path
    start: int
    end: int
    size: int


def size_of(path: Path) -> int:
    """How many bytes a file has."""
    with translated(path), open_regular(path) as file:
        return os.fstat(file.fileno()).st_size


def spans_of(paths: Sequence[Path], largest: int) -> list[Span]:
    """All files in parts of at most this many bytes."""
    sizes = [size_of(path) for path in paths]
    return [
        Span(path, start, min(start + largest, size), size)
        for path, size in zip(paths, sizes, strict=True)
        for start in range(0, size, largest)
    ]


def lines_in(span: Span) -> bytes:
    """The lines that begin in a part, each with its end, which is added where the file lacks the last one.

    A byte order mark at the head of a file is left out. Raises if the file is not of the size that it had: lines would be missing.
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
    """The first lines of a file, as `lines_in` gives them."""
    with translated(path), open_regular(path) as file:
        lines = list(islice(iter(lambda: file.readline(LONGEST_LINE), b""), most))
    if not lines:
        return []
    lines[0] = lines[0].removeprefix(BOM)
    return [line if line.endswith(b"\n") else line + b"\n" for line in lines if line]


def without_line(text: bytes, line: bytes, ends: Sequence[bytes]) -> tuple[bytes, int]:
    """Lines without those that are just this one, and how many these were."""
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
    """Where the first line begins that does so at a place or behind it."""
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
