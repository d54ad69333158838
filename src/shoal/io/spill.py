"""Rows and numbers that are put aside on the disk, so that memory is enough for large logs.

They go to files without a name, which no other program can open and which are gone as soon as this process is, whatever ends it. A full
disk is one clear error. Numbers come back as memory that is mapped from the file: the system drops its pages where memory is short.
"""

from __future__ import annotations

import tempfile
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from shoal.io.directory import disk_errors


class Spill:
    """Puts aside what does not fit, in files without a name in a directory; `budget` are the bytes of rows that stay in memory."""

    def __init__(self, directory: Path, budget: int) -> None:
        self.directory = directory
        self._budget = budget
        self._end = 0
        self._held: dict[int, bytes] = {}
        self._spans: dict[int, tuple[int, int]] = {}
        self._put = self._bytes_held = 0

    @property
    def spilled(self) -> int:
        """How many bytes of rows went to the disk."""
        return self._end

    def put(self, content: bytes) -> int:
        """Keep this, in memory while there is room; the number under which it is kept."""
        self._put += 1
        if self._bytes_held + len(content) <= self._budget:
            self._held[self._put] = content
            self._bytes_held += len(content)
            return self._put
        with self._errors():
            self._aside.seek(self._end)
            write_all(self._aside, content)
        self._spans[self._put] = (self._end, len(content))
        self._end += len(content)
        return self._put

    def take(self, number: int) -> bytes:
        """What was kept under this number, which is kept no longer."""
        if number in self._held:
            content = self._held.pop(number)
            self._bytes_held -= len(content)
            return content
        begin, size = self._spans.pop(number)
        with self._errors():
            self._aside.seek(begin)
            return self._aside.read(size)

    def column(self, kind: npt.DTypeLike) -> DiskColumn:
        """An empty column of numbers of this type, on the disk."""
        return DiskColumn(self.directory, kind)

    @cached_property
    def _aside(self) -> IO[bytes]:
        """The file of rows; there is none before it is needed."""
        return unnamed_file(self.directory)

    def _errors(self) -> Any:
        return disk_errors(put_aside(self.directory))


class DiskColumn:
    """Numbers that are added piece by piece to a file, and mapped from it when all are there."""

    def __init__(self, directory: Path, kind: npt.DTypeLike) -> None:
        self._directory = directory
        self._kind = np.dtype(kind)
        self._file = unnamed_file(directory)
        self._n = 0

    def add(self, values: npt.NDArray[Any]) -> None:
        """Take these numbers behind the others."""
        with disk_errors(put_aside(self._directory)):
            write_all(self._file, np.ascontiguousarray(values, self._kind).view(np.uint8).data)
        self._n += len(values)

    def whole(self) -> npt.NDArray[Any]:
        """All numbers, read from the file as they are used."""
        if not self._n:
            return np.zeros(0, self._kind)
        with disk_errors(put_aside(self._directory)):
            return np.asarray(np.memmap(self._file, self._kind, "r", shape=(self._n,)))


def unnamed_file(directory: Path) -> IO[bytes]:
    """A file for this process alone, without a name."""
    with disk_errors(put_aside(directory)):
        return tempfile.TemporaryFile(dir=directory, prefix=".shoal-", buffering=0)


def write_all(file: IO[bytes], content: bytes | memoryview) -> None:
    """Write it to the end: a file without a buffer may take a part at a time, and tells of a full disk at once."""
    rest = memoryview(content)
    while rest.nbytes:
        rest = rest[file.write(rest) :]


def put_aside(directory: Path) -> str:
    """What is being written, for messages."""
    return f"what is put aside in {directory}"
