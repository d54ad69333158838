"""Rows and numbers that are put aside on the disk, so that memory is enough for large logs.

They go to files without a name, which no other program can open and which are gone as soon as this process is, whatever ends it. A full
disk is one clear error. Numbers come back as memory that is mapped from the file: the system drops its pages where memory is short.
"""

from __future__ import annotations

import mmap
import os
import tempfile
import weakref
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.io.release_directory import disk_errors


class UnnamedFile:
    """A file for this process alone, without a name, in a directory; closed, and with that gone, when nobody uses it any more."""

    def __init__(self, directory: Path) -> None:
        self._called = f"temporary data in {directory}"
        with disk_errors(self._called), tempfile.TemporaryFile(dir=directory, prefix=".shoal-", buffering=0) as made:
            self._handle = os.dup(made.fileno())
        weakref.finalize(self, os.close, self._handle)
        self.size = 0

    def append(self, content: bytes | memoryview) -> None:
        """Write this behind what is there, all of it: the system may take a part at a time, and tells about a full disk at once."""
        rest = memoryview(content)
        with disk_errors(self._called):
            while rest.nbytes:
                done = os.pwrite(self._handle, rest, self.size)
                rest, self.size = rest[done:], self.size + done

    def read(self, begin: int, size: int) -> bytes:
        """This many bytes from this place on; the system may give a part at a time."""
        found = bytearray()
        with disk_errors(self._called):
            while piece := os.pread(self._handle, size - len(found), begin + len(found)):
                found += piece
        return bytes(found)

    def mapped(self) -> mmap.mmap:
        """All of it as memory, read when it is used."""
        with disk_errors(self._called):
            return mmap.mmap(self._handle, self.size, access=mmap.ACCESS_READ)


class Spill:
    """Puts aside what does not fit, in files without a name in a directory; `budget` are the bytes of rows that stay in memory."""

    def __init__(self, directory: Path, budget: int) -> None:
        self._directory = directory
        self._budget = budget
        self._held: dict[int, bytes] = {}
        self._spans: dict[int, tuple[int, int]] = {}
        self._put = self._bytes_held = self.spilled = 0

    def put(self, content: bytes) -> int:
        """Keep this, in memory while there is room; the number under which it is kept."""
        self._put += 1
        if self._bytes_held + len(content) <= self._budget:
            self._held[self._put] = content
            self._bytes_held += len(content)
        else:
            self._spans[self._put] = (self._aside.size, len(content))
            self._aside.append(content)
            self.spilled += len(content)
        return self._put

    def take(self, number: int) -> bytes:
        """What was kept under this number, which is kept no longer."""
        if number not in self._held:
            return self._aside.read(*self._spans.pop(number))
        content = self._held.pop(number)
        self._bytes_held -= len(content)
        return content

    def column(self, kind: npt.DTypeLike) -> DiskColumn:
        """An empty column of numbers of this type, on the disk."""
        return DiskColumn(UnnamedFile(self._directory), kind)

    @cached_property
    def _aside(self) -> UnnamedFile:
        """The file of rows; there is none before it is needed."""
        return UnnamedFile(self._directory)


class DiskColumn:
    """Numbers that are added piece by piece to a file, and mapped from it when all are there."""

    def __init__(self, file: UnnamedFile, kind: npt.DTypeLike) -> None:
        self._file = file
        self._kind = np.dtype(kind)

    def add(self, values: npt.NDArray[Any]) -> None:
        """Take these numbers behind the others."""
        self._file.append(np.ascontiguousarray(values, self._kind).view(np.uint8).data)

    def whole(self) -> npt.NDArray[Any]:
        """All numbers, read from the file as they are used."""
        if not self._file.size:
            return np.zeros(0, self._kind)
        return np.frombuffer(self._file.mapped(), self._kind)
