"""Opens a user's file: a regular one only, plain or compressed by gzip, zstd or zip, recognized by its first bytes, and read in chunks.

An Excel workbook is treated as compressed text: its content is its sheet as CSV. So is text in another encoding than UTF-8, and a JSON
array, whose elements are lines. Defects of a file are reported in one line.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import stat
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

import polars as pl

from shoal import kernels
from shoal.errors import InputError, TaxonomyError, option
from shoal.io.read.arrow_stream import ArrowStream
from shoal.io.read.encodings import LONGEST_MARK, encoding_of, transcoded, unmarked_utf16
from shoal.io.read.excel import SUFFIX, ZIP, SheetText, is_workbook, text_of_sheet
from shoal.io.read.json_array import begins_array, lines_of_array
from shoal.io.read.zip_member import damaged_archive, member_of
from shoal.packages import insist_on_extra

# -- opening and decompressing


EXCEL = "Excel"
IN_ZIP = "zip"
GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


def compression_of(first: bytes) -> str:
    """Return the compression of a file that begins like this: gzip, zstd, or none."""
    if first.startswith(GZIP):
        return "gzip"
    return "zstd" if first.startswith(ZSTD) else ""


def open_regular(path: Path, error: type[InputError] = InputError) -> io.BufferedReader:
    """Open a file for reading. All files that a user or a release names are opened here.

    Anything but a regular file is rejected without being opened: a named pipe waits for a writer, and a device may never end. So is a
    workbook if the packages that read it are missing.
    """
    if path.suffix.lower() == SUFFIX:
        insist_on_extra("excel")
    kind = path.stat().st_mode
    if stat.S_ISDIR(kind):
        raise error(f"{path} is a directory, not a file", code="path-is-a-directory", hint="name a file in it")
    if not stat.S_ISREG(kind):
        raise error(f"{path} is a pipe or a device, not a file", code="not-a-regular-file", hint="write its content to a file first")
    return path.open("rb")


def is_workbook_file(path: Path) -> bool:
    """Whether a file is an Excel workbook; only a regular file is opened."""
    with translated(path), open_regular(path) as stream:
        return is_workbook(stream)


def content_of(path: Path) -> bytes:
    """Return all bytes of a small file."""
    with translated(path), open_regular(path) as stream:
        return stream.read()


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with translated(path), open_regular(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextmanager
def opened(path: Path, compression: str = "") -> Iterator[IO[bytes]]:
    """Return the file's decompressed content as a stream of bytes."""
    with open_regular(path) as raw:
        yield unpacked(raw, compression)


def unpacked(raw: IO[bytes], compression: str = "") -> IO[bytes]:
    """Return a stream that decompresses another one."""
    if compression == "gzip":
        return gzip.GzipFile(fileobj=raw)  # type: ignore[return-value]
    if compression == "zstd":
        return io.BufferedReader(_Zstd(raw))
    if compression == IN_ZIP:
        return member_of(raw, Path(raw.name))
    return raw


def replayed(first: bytes, rest: IO[bytes]) -> io.BufferedReader:
    """Return a stream that begins with the bytes already read from another one."""
    return io.BufferedReader(_Replayed(first, rest))


class _Replayed(io.RawIOBase):
    """These bytes, and then the rest of a stream that cannot be rewound."""

    def __init__(self, first: bytes, rest: IO[bytes]) -> None:
        self._first = memoryview(first)
        self._rest = rest

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: object) -> int:
        """Fill the buffer with the next piece; 0 at the end."""
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        piece = self._first[: len(view)] if self._first else memoryview(self._rest.read(len(view)))
        self._first = self._first[len(piece) :]
        view[: len(piece)] = piece
        return len(piece)


class _Zstd(io.RawIOBase):
    """A zstd file's content. Unlike the library's own reader it detects truncation."""

    def __init__(self, raw: IO[bytes]) -> None:
        import zstandard

        self._raw = raw
        self._new_frame = zstandard.ZstdDecompressor(max_window_size=1 << 31).decompressobj
        self._frame = self._new_frame()
        self._unfinished = False
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: object) -> int:
        """Fill the buffer with the next piece; 0 at the end of the file."""
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        while not self._ready and self._unpack():
            pass
        n = min(len(view), len(self._ready))
        view[:n], self._ready = self._ready[:n], self._ready[n:]
        return n

    def _unpack(self) -> bool:
        """Decompress one more piece; false at the end of the file."""
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
    """Translate errors of the operating system and of the decompressors."""
    try:
        yield
    except FileNotFoundError:
        raise error(f"there is no file {path}", code="file-not-found", hint="check its name and directory") from None
    except EOFError:
        raise error(f"{path} is truncated: its compressed data ends too early", code="truncated-file", hint="copy it again") from None
    except (gzip.BadGzipFile, zlib.error):
        raise error(f"{path} is damaged: its compressed data cannot be unpacked", code="damaged-file", hint="copy it again") from None
    except zipfile.BadZipFile:
        raise damaged_archive(path) from None
    except OSError as problem:
        raise error(
            f"{path} cannot be read: {problem.strerror or problem}",
            code="unreadable-file",
            hint="name another file, or copy it to a place that you can read",
        ) from None
    except Exception as problem:
        if type(problem).__name__ == "ZstdError":
            raise error(f"{path} is damaged: its compressed data cannot be unpacked", code="damaged-file", hint="copy it again") from None
        raise


# -- sources


CHUNK = 8 << 20
PIECE = 1 << 20  # of a file of which only so many rows are wanted
START = 4 << 10  # bytes that show whether a file is a JSON array
LONGEST_LINE = 256 << 20
HEAD = 256 << 10

STANDARD_INPUT = Path("standard input")
PARQUET, BOM = b"PAR1", b"\xef\xbb\xbf"

# Control characters that do not occur in text.
ODD_BYTES = bytes(b for b in range(32) if b not in b"\t\n\v\f\r\x1b")

UNREADABLE = {
    ZIP: "a zip archive or a spreadsheet",
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
    """A piece of a file. Its user sets `taken` to the number of bytes used; the next piece begins with the rest.

    The last piece is the rest, which may be empty.
    """

    text: bytes
    last: bool
    taken: int = 0


@dataclass(frozen=True)
class Portion:
    """The first part of data: about `size` decompressed bytes, and no more than about `rows` rows if a number is given."""

    size: int
    rows: int | None = None

    def of_each(self, files: int) -> Portion:
        """Return the part of each of several files."""
        return Portion(self.size // files, None if self.rows is None else self.rows // files)

    @property
    def piece(self) -> int:
        """The size of the pieces in which text is read: small ones if rows are counted."""
        return CHUNK if self.rows is None else max(1, min(PIECE, CHUNK, self.size))

    def is_reached(self, size: int, rows: int) -> bool:
        """Whether this much is enough."""
        return size >= self.size or (self.rows is not None and rows >= self.rows)


@dataclass
class Extent:
    """Reading progress: bytes on disk, or rows of Parquet. `most` is the wanted part; None means all.

    With several files, `before` are the bytes of the earlier ones, `of_all` those of all together.
    """

    most: Portion | None = None
    done: int = 0
    total: int = 0
    cut: bool = False
    before: int = 0
    of_all: int = 0

    def advance(self, done: int) -> None:
        """Report progress up to here, as a share of all files."""
        self.done = done
        kernels.report("reading", self.before + done, self.of_all or self.total)


@dataclass(frozen=True)
class Source:
    """An existing non-empty file of text or Parquet; or a frame in memory (`table`), which is read like Parquet.

    `plain_lists`: the table was unnamed lists of items, which may have been meant as rows of a table.

    `head` are its first bytes, decompressed, in UTF-8 and without byte order marks, whose length is `mark` (some tools add a second one);
    `whole`: there are no others. `extent` tracks the reading. `pipe` is standard input, which can be read once. `encoding` is empty for
    UTF-8. The elements of an `array` are read as lines. `notes` are about the file itself. `rows` are those of a query, or of another
    stream that is read once. `sheet` is the text of a workbook, of its first rows if only these are wanted.
    """

    path: Path
    compression: str
    head: bytes
    whole: bool
    mark: int = 0
    is_parquet: bool = False
    table: pl.DataFrame | pl.LazyFrame | None = None
    plain_lists: bool = False
    extent: Extent = field(default_factory=Extent, compare=False)
    pipe: IO[bytes] | None = field(default=None, compare=False)
    encoding: str = ""
    array: bool = False
    notes: tuple[str, ...] = ()
    rows: ArrowStream | None = field(default=None, compare=False)
    sheet: SheetText | None = field(default=None, compare=False, repr=False)

    @property
    def stem(self) -> str:
        """The file's name in lower case, without the suffix of its compression."""
        return stem_of(self.path)

    @property
    def place(self) -> str:
        """The unit of defects: a row, an element of an array, or a line."""
        return "row" if self.is_parquet else "element" if self.array else "line"

    @property
    def container(self) -> str:
        """The container of its columns, for messages: Parquet, a frame, or the stream of its rows."""
        return self.rows.called if self.rows is not None else "Parquet" if self.table is None else "a frame"

    @property
    def is_file(self) -> bool:
        """Whether it is a file, and not data in memory or a stream of rows."""
        return self.table is None and self.rows is None

    def close(self) -> None:
        """Close what may still be open: the connection that sends its rows."""
        if self.rows is not None:
            self.rows.close()

    @property
    def is_json_lines(self) -> bool:
        """Whether the name says so, or the first line is a JSON object; elements of an array are read as such lines."""
        if self.array:
            return True
        first = self.head.lstrip().split(b"\n", 1)[0]
        return self.stem.endswith((".jsonl", ".ndjson")) or (first.startswith(b"{") and _is_json(first))

    @classmethod
    def of(cls, path: str | Path) -> Source:
        """Open a file of a release, or of names: UTF-8, plain or with gzip or zstd, or Parquet. Raise if it is empty."""
        place = Path(path)
        with translated(place):
            compression, is_parquet = _recognised(place)
            source = cls(place, compression, b"", True, is_parquet=is_parquet, extent=Extent(total=place.stat().st_size))
            if compression == EXCEL:
                return source._of_sheet(data=False)
            with opened(place, compression) as stream:
                first = stream.read(HEAD + 1)
        return cls._begun(first, source, data=False)

    @classmethod
    def of_data(cls, path: str | Path, most: Portion | None = None, encoding: str | None = None) -> Source:
        """Open a file of data, which may also be a zip archive, in another encoding, or a JSON array. `most` of it is wanted."""
        place = Path(path)
        with translated(place):
            compression, is_parquet = _recognised(place, IN_ZIP)
            source = cls(place, compression, b"", True, is_parquet=is_parquet, extent=Extent(most, total=place.stat().st_size))
            if encoding is not None and (is_parquet or compression == EXCEL):
                raise InputError(
                    f"{place} is not a text file, so it has no encoding",
                    code="option-not-applicable",
                    hint=f"leave {option('encoding')} out",
                )
            if compression == EXCEL:
                return source._of_sheet()
            with opened(place, compression) as stream:
                source, content = (source, stream) if is_parquet else source._understood(stream, encoding)
                first = content.read(HEAD + 1)
        return cls._begun(first, source)

    @classmethod
    def of_standard_input(cls, most: Portion | None = None, encoding: str | None = None) -> Source:
        """Open standard input, which is read as it arrives and not stored."""
        if sys.stdin is None:
            raise InputError("there is no standard input", code="no-standard-input")
        raw = sys.stdin.buffer
        with translated(STANDARD_INPUT):
            start = raw.read(len(PARQUET))
            compression = compression_of(start)
            stream = unpacked(replayed(start, raw), compression)
            source, content = cls(STANDARD_INPUT, compression, b"", True, extent=Extent(most))._understood(stream, encoding)
            first = content.read(HEAD + 1)
        if first.startswith(PARQUET):
            raise InputError(
                "Parquet cannot be read from standard input", code="parquet-from-standard-input", hint="write it to a file first"
            )
        return cls._begun(first, replace(source, pipe=replayed(first, content)))

    def _of_sheet(self, *, data: bool = True) -> Source:
        """Return the source with the text of its workbook, as far as it is wanted."""
        insist_on_extra("excel")
        most = self.extent.most
        sheet = text_of_sheet(content_of(self.path), self.path, None if most is None or most.rows is None else most.size)
        self.extent.cut = sheet.part < 1
        return self._begun(sheet.text[: HEAD + 1], replace(self, sheet=sheet), data=data)

    def _understood(self, stream: IO[bytes], encoding: str | None) -> tuple[Source, IO[bytes]]:
        """Return the source with its encoding and whether it is a JSON array, from its first bytes; and its content from the beginning."""
        first = stream.read(LONGEST_MARK)
        found = encoding_of(first, encoding, self.path)
        text = transcoded(replayed(first, stream), found, self.path)
        start = text.read(START)
        array = begins_array(start, self.path, named_json=self.stem.endswith(".json"))
        content = replayed(start, text)
        notes = (f"encoding {found}, by its byte order mark",) if found and encoding is None else ()
        return replace(self, encoding=found, array=array, notes=notes), lines_of_array(content, self.path) if array else content

    @classmethod
    def _begun(cls, first: bytes, source: Source, *, data: bool = True) -> Source:
        """Return the source that begins with these bytes, one more than a head has if there are as many."""
        head, mark = first[:HEAD], 0
        while head.startswith(BOM, mark):
            mark += len(BOM)
        if not head[mark:]:
            raise InputError(f"{source.path} is empty", code="empty-input", hint="name a file with data")
        begun = replace(source, head=head[mark:], whole=len(first) <= HEAD, mark=mark)
        if data and not source.is_parquet and not source.encoding:
            begun._refuse_unmarked()
        begun._refuse_unreadable()
        return begun

    @contextmanager
    def _opened(self) -> Iterator[tuple[IO[bytes], Callable[[], int]]]:
        """Return the content as text in UTF-8, and a function that returns how many bytes of the file were read."""
        if self.pipe is not None:
            yield self.pipe, lambda: 0
            return
        if self.sheet is not None:
            content, part = self.sheet
            cells, share = io.BytesIO(content), part * self.extent.total / len(content)
            yield cells, lambda: int(share * cells.tell())
            return
        with open_regular(self.path) as raw:
            text = transcoded(unpacked(raw, self.compression), self.encoding, self.path)
            yield lines_of_array(text, self.path) if self.array else text, raw.tell

    def _refuse_unmarked(self) -> None:
        """Raise if text seems to be UTF-16, which the user must confirm."""
        seeming = unmarked_utf16(self.head)
        if seeming:
            raise InputError(
                f"{self.path} has zero bytes, as UTF-16 has, but no byte order mark",
                code="byte-order-unknown",
                hint=f"if it is UTF-16, use {option('encoding', seeming)}",
            )

    def _refuse_unreadable(self) -> None:
        if self.compression and self.head.startswith(PARQUET):
            raise InputError(f"{self.path} is Parquet inside {self.compression}", code="compressed-parquet", hint="unpack it first")
        if self.is_parquet:
            return
        odd = len(self.head) - len(self.head.translate(None, ODD_BYTES))
        hint = "shoal reads text, plain or with gzip, zstd or zip, Parquet, and Excel workbooks (.xlsx)"
        for magic, what in UNREADABLE.items():
            if odd and self.head.startswith(magic):
                raise InputError(f"{self.path} is {what}, not plain text", code="not-plain-text", hint=hint, found=what)
        if odd * 20 > len(self.head):
            raise InputError(f"{self.path} is a binary file, not text", code="not-plain-text", hint=hint)
        if b"\n" not in self.head and b"\r" in self.head.rstrip(b"\r"):
            raise InputError(
                f"{self.path} ends its lines with carriage returns alone", code="unsupported-line-ends", hint="convert its line ends"
            )

    def chunks(self, skip: int = 0) -> Iterator[Chunk]:
        """Yield the file after its first `skip` bytes, in whole lines if it is read partially; the next piece is prefetched."""
        rest, extent = b"", self.extent
        size = CHUNK if extent.most is None else extent.most.piece
        with translated(self.path), self._opened() as (stream, place), ThreadPoolExecutor(1, "shoal-reading") as aside:

            def fetch() -> tuple[bytes, int]:
                return stream.read(size), place()

            read, lines, taken = len(stream.read(self.mark + skip)), 0, False
            fresh, extent.done = fetch()
            while fresh:
                # A pipe may block for long: read in this thread, it can be interrupted. A piece that is not full is the last one.
                coming = aside.submit(fetch).result if self.pipe is None and len(fresh) == size else fetch
                chunk = Chunk(rest + fresh, last=False)
                yield chunk
                read, taken = read + len(fresh), taken or chunk.taken > 0
                lines += fresh.count(b"\n") if extent.most is not None else 0
                rest = chunk.text[chunk.taken :]
                if len(rest) > LONGEST_LINE:
                    what = f"{self.path} has a line of more than {LONGEST_LINE >> 20} MB"
                    raise InputError(what, code="line-too-long", hint="give a text file")
                fresh, done = coming()
                if fresh and taken and extent.most is not None and extent.most.is_reached(read, lines):
                    extent.cut = True
                    return
                extent.advance(done)
        yield Chunk(rest, last=True)


# -- small text files that are read as a whole, such as taxonomies


def read_text(path: Path, kind: type[InputError] = TaxonomyError) -> str:
    """Read the file as text with line feeds. `.gz` and `.zst` are recognized by their first bytes. Errors are of this kind."""
    raw = _text_bytes(path, kind)
    if b"\0" in raw:
        raise kind(f"{path} is a binary file, not text", code="not-plain-text")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise kind(f"{path}, line {line}, is not UTF-8", code="not-utf8", hint="save the file as UTF-8", line=line) from None
    if not text.strip():
        raise kind(f"{path} is empty", code="empty-input")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _text_bytes(path: Path, kind: type[InputError]) -> bytes:
    with translated(path, kind):
        with open_regular(path, kind) as raw:
            compression = compression_of(raw.read(4))
        with opened(path, compression) as stream:
            return stream.read()


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def stem_of(path: Path) -> str:
    """Return the name of a file in lower case, without the suffix of its compression."""
    return path.name.lower().removesuffix(".gz").removesuffix(".zst").removesuffix(".zip")


def _recognised(path: Path, archive: str = "") -> tuple[str, bool]:
    """Return the compression of a file, and whether it is Parquet, which has its magic number at both ends; `archive` names a zip
    archive.
    """
    with open_regular(path) as raw:
        first = raw.read(len(PARQUET))
        raw.seek(-min(len(PARQUET), path.stat().st_size), io.SEEK_END)
        last = raw.read()
        workbook = first == ZIP and is_workbook(raw)
    return EXCEL if workbook else archive if first == ZIP else compression_of(first), first == last == PARQUET
