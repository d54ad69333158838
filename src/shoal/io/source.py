"""Opening a user's file: plain, gzip or zstd, told by its first bytes, and read in chunks. Says in one line what is wrong with a file."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from shoal.errors import InputError

CHUNK = 8 << 20
LONGEST_LINE = 256 << 20
HEAD = 256 << 10

GZIP, ZSTD, PARQUET, BOM = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PAR1", b"\xef\xbb\xbf"

UNREADABLE = {
    b"PK\x03\x04": "a zip archive or a spreadsheet",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ": "compressed with xz",
    b"%PDF": "a PDF document",
    b"\xff\xfe": "encoded in UTF-16",
    b"\xfe\xff": "encoded in UTF-16",
    b"SQLite format 3": "an SQLite database",
    b"ARROW1": "an Arrow IPC file",
    b"ORC": "an ORC file",
}


@dataclass(frozen=True)
class Source:
    """A file that exists and holds something; `head` are its first bytes after decompression, without a byte order mark."""

    path: Path
    compression: str
    head: bytes
    whole: bool

    @property
    def name(self) -> str:
        """The file's name without the directories."""
        return self.path.name

    @property
    def stem(self) -> str:
        """The file's name without what only tells its compression, in small letters."""
        lower = self.path.name.lower()
        return lower.removesuffix(".gz").removesuffix(".zst")

    @property
    def is_parquet(self) -> bool:
        """Whether the content is Parquet."""
        return self.head.startswith(PARQUET)

    @classmethod
    def of(cls, path: str | Path) -> Source:
        """The file at this path; raises where there is none, or nothing in it that could be read."""
        place = Path(path)
        if place.is_dir():
            raise InputError(f"{place} is a directory, not a file", hint="name a file in it")
        with _translated(place):
            with place.open("rb") as raw:
                compression = _compression(raw.read(4))
            with _opened(place, compression) as stream:
                head = stream.read(HEAD)
                whole = not stream.read(1)
        if not head:
            raise InputError(f"{place} is empty")
        source = cls(place, compression, head.removeprefix(BOM), whole)
        source._refuse_binary()
        return source

    def _refuse_binary(self) -> None:
        if self.is_parquet:
            if self.compression:
                raise InputError(f"{self.path} is Parquet inside {self.compression}", hint="unpack it first")
            return
        for magic, what in UNREADABLE.items():
            if self.head.startswith(magic):
                raise InputError(f"{self.path} is {what}, not text", hint="save it as UTF-8 text, plain or with gzip or zstd")
        odd = len(self.head) - len(self.head.translate(None, bytes(b for b in range(32) if b not in b"\t\n\v\f\r\x1b")))
        if odd * 20 > len(self.head):
            raise InputError(f"{self.path} is a binary file, not text", hint="shoal reads text and Parquet")
        if not self.head.strip():
            raise InputError(f"{self.path} holds only blank lines")

    def each_chunk(self, use: Callable[[bytes, bool], int]) -> None:
        """Hands chunk after chunk to `use(text, last)`, which says how many bytes it took; the rest comes again with the next chunk."""
        rest, last = b"", False
        with _translated(self.path), _opened(self.path, self.compression) as stream:
            first = stream.read(CHUNK).removeprefix(BOM)
            while not last:
                fresh = stream.read(CHUNK)
                last = not fresh
                text = rest + first
                taken = use(text, last)
                rest, first = text[taken:], fresh
                if len(rest) > LONGEST_LINE:
                    raise InputError(f"{self.path} has a line of more than {LONGEST_LINE >> 20} MB", hint="is it a text file?")


def _compression(magic: bytes) -> str:
    if magic.startswith(GZIP):
        return "gzip"
    return "zstd" if magic.startswith(ZSTD) else ""


@contextmanager
def _opened(path: Path, compression: str) -> Iterator[IO[bytes]]:
    with path.open("rb") as raw:
        if compression == "gzip":
            with gzip.GzipFile(fileobj=raw) as unpacked:
                yield unpacked  # type: ignore[misc]
        elif compression == "zstd":
            yield io.BufferedReader(_Zstd(raw))
        else:
            yield raw


class _Zstd(io.RawIOBase):
    """A zstd file's content. Unlike the library's own reader it notices when the file breaks off."""

    def __init__(self, raw: IO[bytes]) -> None:
        import zstandard

        self._raw = raw
        self._make = zstandard.ZstdDecompressor(max_window_size=1 << 31).decompressobj
        self._frame = self._make()
        self._inside = False
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        while not self._ready and self._advance():
            pass
        n = min(len(view), len(self._ready))
        view[:n] = self._ready[:n]
        self._ready = self._ready[n:]
        return n

    def _advance(self) -> bool:
        """Unpack one more piece; false at the end of the file."""
        packed = self._frame.unused_data if self._frame.eof else b""
        if self._frame.eof:
            self._frame, self._inside = self._make(), False
        packed = packed or self._raw.read(1 << 17)
        if not packed:
            if self._inside:
                raise EOFError
            return False
        self._inside = True
        self._ready = self._frame.decompress(packed)
        return True


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    """Errors of the operating system and of the decompressors, in words."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except PermissionError:
        raise InputError(f"{path} may not be read by this user") from None
    except EOFError:
        raise InputError(f"{path} is truncated: the compressed data breaks off", hint="copy or download it again") from None
    except (gzip.BadGzipFile, zlib.error):
        raise InputError(f"{path} is damaged: the compressed data cannot be unpacked") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None
    except Exception as error:
        if type(error).__name__ == "ZstdError":
            raise InputError(f"{path} is damaged: the compressed data cannot be unpacked") from None
        raise
