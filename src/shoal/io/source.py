"""Opening a user's file: plain, gzip or zstd, told by its first bytes, and read in chunks.

What is wrong with a file is said in one line.
"""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from shoal.errors import InputError

CHUNK = 8 << 20
LONGEST_LINE = 256 << 20
HEAD = 256 << 10

GZIP, ZSTD, PARQUET, BOM = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PAR1", b"\xef\xbb\xbf"

# Control characters that text does not hold.
ODD_BYTES = bytes(b for b in range(32) if b not in b"\t\n\v\f\r\x1b")

UNREADABLE = {
    b"PK\x03\x04": "a zip archive or a spreadsheet",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ": "compressed with xz",
    b"%PDF": "a PDF document",
    b"\xff\xfe": "encoded in UTF-16",
    b"\xfe\xff": "encoded in UTF-16",
    b"SQLite format 3": "an SQLite database",
    b"ARROW1": "an Arrow IPC file",
}


@dataclass
class Chunk:
    """A piece of a file. Its user sets `taken` to the bytes it used; the next piece begins with the rest.

    The last piece is whatever was not taken of the others, perhaps nothing.
    """

    text: bytes
    last: bool
    taken: int = 0


@dataclass(frozen=True)
class Source:
    """A file that exists and holds something that could be text, or Parquet.

    `head` are its first bytes, unpacked and without the byte order mark, whose length is `mark`; `whole` says
    that there are no others.
    """

    path: Path
    compression: str
    head: bytes
    whole: bool
    mark: int = 0
    is_parquet: bool = False

    @property
    def stem(self) -> str:
        """The file's name in small letters, without what only tells its compression."""
        return self.path.name.lower().removesuffix(".gz").removesuffix(".zst")

    @property
    def is_json_lines(self) -> bool:
        """Whether the name says so, or the first line is a JSON object."""
        first = self.head.lstrip().split(b"\n", 1)[0]
        return self.stem.endswith((".jsonl", ".ndjson")) or (first.startswith(b"{") and _is_json(first))

    @classmethod
    def of(cls, path: str | Path) -> Source:
        """The file at this path; raises where there is none, or nothing in it that could be read."""
        place = Path(path)
        with _translated(place):
            if place.is_dir():
                raise InputError(f"{place} is a directory, not a file", hint="name a file in it")
            if place.exists() and not place.is_file():
                raise InputError(
                    f"{place} is a pipe or a device, not a file", hint="write its content to a file first"
                )
            compression, is_parquet = _recognised(place)
            with _opened(place, compression) as stream:
                head = stream.read(HEAD)
                whole = not stream.read(1)
        mark = len(BOM) if head.startswith(BOM) else 0
        if not head[mark:]:
            raise InputError(f"{place} is empty")
        source = cls(place, compression, head[mark:], whole, mark, is_parquet)
        source._refuse_binary()
        return source

    def _refuse_binary(self) -> None:
        if self.compression and self.head.startswith(PARQUET):
            raise InputError(f"{self.path} is Parquet inside {self.compression}", hint="unpack it first")
        if self.is_parquet:
            return
        odd = len(self.head) - len(self.head.translate(None, ODD_BYTES))
        hint = "shoal reads UTF-8 text, plain or with gzip or zstd, and Parquet"
        for magic, what in UNREADABLE.items():
            if odd and self.head.startswith(magic):
                raise InputError(f"{self.path} is {what}, not plain text", hint=hint)
        if odd * 20 > len(self.head):
            raise InputError(f"{self.path} is a binary file, not text", hint=hint)

    def chunks(self, skip: int = 0) -> Iterator[Chunk]:
        """The file behind its first `skip` bytes; one piece is fetched while another is worked on."""
        rest = b""
        with (
            _translated(self.path),
            _opened(self.path, self.compression) as stream,
            ThreadPoolExecutor(1, "shoal-reading") as aside,
        ):
            stream.read(self.mark + skip)
            fresh = stream.read(CHUNK)
            while fresh:
                coming = aside.submit(stream.read, CHUNK)
                chunk = Chunk(rest + fresh, last=False)
                yield chunk
                rest, fresh = chunk.text[chunk.taken :], coming.result()
                if len(rest) > LONGEST_LINE:
                    what = f"{self.path} has a line of more than {LONGEST_LINE >> 20} MB"
                    raise InputError(what, hint="is it a text file?")
        yield Chunk(rest, last=True)


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _recognised(path: Path) -> tuple[str, bool]:
    """How a file is compressed, and whether it is Parquet: that has its mark at both ends."""
    with path.open("rb") as raw:
        first = raw.read(len(PARQUET))
        raw.seek(-min(len(PARQUET), path.stat().st_size), io.SEEK_END)
        last = raw.read()
    compression = "gzip" if first.startswith(GZIP) else "zstd" if first == ZSTD else ""
    return compression, first == last == PARQUET


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
def _translated(path: Path) -> Iterator[None]:
    """Errors of the operating system and of the decompressors, in words."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except EOFError:
        raise InputError(
            f"{path} is truncated: its compressed data breaks off", hint="copy it again"
        ) from None
    except (gzip.BadGzipFile, zlib.error):
        raise InputError(f"{path} is damaged: its compressed data cannot be unpacked") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None
    except Exception as error:
        if type(error).__name__ == "ZstdError":
            raise InputError(f"{path} is damaged: its compressed data cannot be unpacked") from None
        raise
