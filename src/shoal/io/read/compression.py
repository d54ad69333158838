"""Opening files: regular ones only, packed by gzip or zstd or not at all, recognised by their first bytes whatever they are called.

An Excel workbook counts as packed text: what it holds is its sheet as CSV.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from shoal.errors import InputError
from shoal.io.read.excel import text_of_sheet

EXCEL = "Excel"
GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


def compression_of(first: bytes) -> str:
    """How a file that begins like this is packed: gzip, zstd, or not at all."""
    if first.startswith(GZIP):
        return "gzip"
    return "zstd" if first.startswith(ZSTD) else ""


def open_regular(path: Path, error: type[InputError] = InputError) -> io.BufferedReader:
    """The file, open for reading. All files that a user or a release names are opened here.

    Anything but a regular file is refused without being opened: a named pipe waits for a writer, and a device may never end.
    """
    kind = path.stat().st_mode
    if stat.S_ISDIR(kind):
        raise error(f"{path} is a directory, not a file", code="path-is-a-directory", hint="name a file in it")
    if not stat.S_ISREG(kind):
        raise error(f"{path} is a pipe or a device, not a file", code="not-a-regular-file", hint="write its content to a file first")
    return path.open("rb")


def content_of(path: Path) -> bytes:
    """All bytes of a small file, as they are."""
    with translated(path), open_regular(path) as stream:
        return stream.read()


def digest_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with translated(path), open_regular(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextmanager
def opened(path: Path, compression: str = "") -> Iterator[IO[bytes]]:
    """The file's content as a stream of bytes, unpacked."""
    with open_regular(path) as raw:
        yield unpacked(raw, compression)


def unpacked(raw: IO[bytes], compression: str = "") -> IO[bytes]:
    """What a stream of packed bytes holds, as another stream."""
    if compression == "gzip":
        return gzip.GzipFile(fileobj=raw)  # type: ignore[return-value]
    if compression == "zstd":
        return io.BufferedReader(_Zstd(raw))
    return io.BytesIO(text_of_sheet(raw.read(), raw.name)) if compression == EXCEL else raw


def replayed(first: bytes, rest: IO[bytes]) -> io.BufferedReader:
    """A stream that was read a little, from its beginning."""
    return io.BufferedReader(_Replayed(first, rest))


class _Replayed(io.RawIOBase):
    """These bytes, and then the rest of a stream that cannot be rewound."""

    def __init__(self, first: bytes, rest: IO[bytes]) -> None:
        self._first = memoryview(first)
        self._rest = rest

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: object) -> int:
        """Fill the buffer as far as the next piece goes; 0 at the end."""
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        piece = self._first[: len(view)] if self._first else memoryview(self._rest.read(len(view)))
        self._first = self._first[len(piece) :]
        view[: len(piece)] = piece
        return len(piece)


class _Zstd(io.RawIOBase):
    """A zstd file's content. Unlike the library's own reader it notices when the file breaks off."""

    def __init__(self, raw: IO[bytes]) -> None:
        import zstandard

        self._raw = raw
        self._new_frame = zstandard.ZstdDecompressor(max_window_size=1 << 31).decompressobj
        self._frame = self._new_frame()
        self._unfinished = False
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: object) -> int:
        """Fill the buffer as far as the next piece goes; 0 at the end of the file."""
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        while not self._ready and self._unpack():
            pass
        n = min(len(view), len(self._ready))
        view[:n], self._ready = self._ready[:n], self._ready[n:]
        return n

    def _unpack(self) -> bool:
        """Unpack one more piece; false at the end of the file."""
        packed = b""
        if self._frame.eof:
            packed, self._frame, self._unfinished = self._frame.unused_data, self._new_frame(), False
        packed = packed or self._raw.read(1 << 17)
        if not packed:
            if self._unfinished:
                raise EOFError
            return False
        self._unfinished = True
        self._ready = memoryview(self._frame.decompress(packed))
        return True


@contextmanager
def translated(path: Path, error: type[InputError] = InputError) -> Iterator[None]:
    """Errors of the operating system and of the decompressors, in words."""
    try:
        yield
    except FileNotFoundError:
        raise error(f"there is no file {path}", code="file-not-found") from None
    except EOFError:
        raise error(f"{path} is truncated: its compressed data ends too early", code="truncated-file", hint="copy it again") from None
    except (gzip.BadGzipFile, zlib.error):
        raise error(f"{path} is damaged: its compressed data cannot be unpacked", code="damaged-file") from None
    except OSError as problem:
        raise error(f"{path} cannot be read: {problem.strerror or problem}", code="unreadable-file") from None
    except Exception as problem:
        if type(problem).__name__ == "ZstdError":
            raise error(f"{path} is damaged: its compressed data cannot be unpacked", code="damaged-file") from None
        raise
