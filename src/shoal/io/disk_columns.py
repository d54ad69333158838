"""Rows and numbers spilled to disk, so that memory is enough for large logs.

They go to unnamed files, which no other program can open and which disappear with this process, however it ends. A full disk is one clear
error. Numbers are returned as memory mapped from the file: the system drops its pages when memory is short.
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
    """An unnamed file in a directory for this process only; it disappears when it is closed."""

    def __init__(self, directory: Path) -> None:
        self._called = f"temporary data in {directory}"
        with disk_errors(self._called), tempfile.TemporaryFile(dir=directory, prefix=".shoal-", buffering=0) as file:
            self._handle = os.dup(file.fileno())
        weakref.finalize(self, os.close, self._handle)
        self.size = 0

    def append(self, content: bytes | memoryview) -> None:
        """Append all bytes: the system may accept a part at a time; a full disk is reported at once."""
        rest = memoryview(content)
        with disk_errors(self._called):
            while rest.nbytes:
                done = os.pwrite(self._handle, rest, self.size)
                rest, self.size = rest[done:], self.size + done

    def read(self, begin: int, size: int) -> bytes:
        """Read this many bytes from this position; the system may return a part at a time."""
        found = bytearray()
        with disk_errors(self._called):
            while piece := os.pread(self._handle, size - len(found), begin + len(found)):
                found += piece
        return bytes(found)

    def mapped(self) -> mmap.mmap:
        """Return the content as mapped memory, read on demand."""
        with disk_errors(self._called):
            return mmap.mmap(self._handle, self.size, access=mmap.ACCESS_READ)


class Spill:
    """Spills data to unnamed files in a directory; `budget` is the number of bytes of rows that stay in memory."""

    def __init__(self, directory: Path, budget: int) -> None:
        self._directory = directory
        self._budget = budget
        self._held: dict[int, bytes] = {}
        self._spans: dict[int, tuple[int, int]] = {}
        self._put = self._bytes_held = self.spilled = 0

    def put(self, content: bytes) -> int:
        """Store bytes, in memory as long as there is room, and return their number."""
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
        """Return and forget the bytes with this number."""
        if number not in self._held:
            return self._aside.read(*self._spans.pop(number))
        content = self._held.pop(number)
        self._bytes_held -= len(content)
        return content

    def column(self, kind: npt.DTypeLike) -> DiskColumn:
        """Return an empty column of numbers of this type, on disk."""
        return DiskColumn(UnnamedFile(self._directory), kind)

    @cached_property
    def _aside(self) -> UnnamedFile:
        """Return the file of rows, created on first use."""
        return UnnamedFile(self._directory)


class DiskColumn:
    """Numbers that are appended to a file in pieces, and mapped from it at the end."""

    def __init__(self, file: UnnamedFile, kind: npt.DTypeLike) -> None:
        self._file = file
        self._kind = np.dtype(kind)

    def add(self, values: npt.NDArray[Any]) -> None:
        """Append these numbers."""
        self._file.append(np.ascontiguousarray(values, self._kind).view(np.uint8).data)

    def whole(self) -> npt.NDArray[Any]:
        """Return all numbers, read from the file on demand."""
        if not self._file.size:
            return np.zeros(0, self._kind)
        return np.frombuffer(self._file.mapped(), self._kind)
