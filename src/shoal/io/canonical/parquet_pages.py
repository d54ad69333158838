"""The pages of a Parquet file: whether each contains exactly the values of its column, and dictionaries only values that rows use."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from shoal.io.canonical.findings import Finding, carries, short, styled
from shoal.io.canonical.parquet_fields import PAGE, field_findings
from shoal.io.canonical.parquet_levels import RunError, deepest_in, walk_runs, zeros_in
from shoal.io.canonical.parquet_values import BOOLEAN, BYTES, Leaf, Needed, texts_filling
from shoal.io.canonical.thrift import Struct, ThriftError, read_struct, written
from shoal.io.canonical.zstd_frames import frames_of

CODECS = {0: "nothing", 1: "snappy", 2: "gzip", 3: "lzo", 4: "brotli", 5: "lz4", 6: "zstd", 7: "lz4"}
_PLAIN, _OLD_DICTIONARY, _RLE, _DICTIONARY, _SPLIT = 0, 2, 3, 8, 9
_DATA, _DICTIONARY_PAGE, _DATA_2 = 0, 2, 3
_LEVELS = (_RLE, 4)  # how levels are written: as runs, or where there are none


@dataclass(frozen=True)
class Page:
    """A page: the position of its header, its header, and the position and end of its bytes."""

    at: int
    head: Struct
    begin: int
    end: int

    @property
    def kind(self) -> int:
        """The type of page."""
        return self.head.whole(1)

    @property
    def values(self) -> int:
        """The number of values including nulls, or of dictionary entries."""
        inner = self.head.inner({_DATA: 5, _DICTIONARY_PAGE: 7, _DATA_2: 8}.get(self.kind, 5))
        return inner.whole(1) if inner else 0

    @property
    def encodings(self) -> tuple[int, set[int]]:
        """The encodings of its values and levels, or of dictionary entries."""
        if self.kind == _DATA:
            inner = self.inner(5)
            return inner.whole(2), {inner.whole(3), inner.whole(4)}
        return self.inner(8).whole(4) if self.kind == _DATA_2 else self.inner(7).whole(2), set()

    def inner(self, number: int) -> Struct:
        """Return the part of the header for pages of a type.

        Raises:
            ThriftError: It is not there.
        """
        inner = self.head.inner(number)
        if inner is None:
            raise ThriftError("a page has no description of its values")
        return inner

    @property
    def by_dictionary(self) -> bool:
        """Whether its values are indices of dictionary entries."""
        return self.kind in (_DATA, _DATA_2) and self.encodings[0] in (_DICTIONARY, _OLD_DICTIONARY)

    @property
    def unpacked_size(self) -> int:
        """The size of its header, and of its content when decompressed."""
        return self.begin - self.at + self.head.whole(2)


def pages_of(data: memoryview, begin: int, end: int) -> list[Page]:
    """Return the pages that fill these bytes.

    Raises:
        ThriftError: They do not.
    """
    found = []
    while begin < end:
        head, after = read_struct(data, begin)
        size = head.whole(3, -1)
        if size < 0 or after + size > end:
            raise ThriftError("a page ends elsewhere")
        found.append(Page(begin, head, after, after + size))
        begin = after + size
    return found


def header_findings(data: memoryview, pages: list[Page]) -> Iterator[Finding]:
    """Return what the headers contain beyond what a reader needs."""
    for page in pages:
        if written(page.head) != bytes(data[page.at : page.begin]):
            yield carries("bytes:page", "the header of a page holds bytes beyond its fields")
        yield from field_findings(page.head, PAGE)
        if page.kind not in (_DATA, _DICTIONARY_PAGE, _DATA_2):
            yield carries("bytes:page", "a page that holds no values")
        elif not _usual(page):
            yield carries("bytes:page", "numbers in the header of a page that no reader needs")
        checksum = page.head.get(4)
        if checksum is not None and checksum & 0xFFFFFFFF != zlib.crc32(data[page.begin : page.end]):
            yield carries("bytes:page", "a checksum that is not that of its page")


def _usual(page: Page) -> bool:
    """Whether a header declares existing encodings of levels and dictionaries."""
    encoding, levels = page.encodings
    return levels <= set(_LEVELS) and (page.kind != _DICTIONARY_PAGE or encoding in (_PLAIN, _OLD_DICTIONARY))


class ColumnPages:
    """The pages of a column in a row group, and their expected values."""

    def __init__(self, data: memoryview, leaf: Leaf, codec: int, pages: list[Page]) -> None:
        self._data, self._leaf, self._codec, self._pages = data, leaf, codec, pages
        self._name = short(".".join(leaf.path[:1]))

    def findings(self, needed: Needed) -> Iterator[Finding]:
        """Return what the pages contain beyond the values."""
        stray = carries(f"bytes:{self._name}", f"bytes in a page of {self._name!r} that belong to no value")
        numbers = plain = 0
        all_plain = self._leaf.physical == BYTES
        try:
            yield from self._of_dictionary(needed)
            for page in self._pages:
                content = self._unpacked(page)
                if content is None:
                    yield styled(
                        f"pages packed with {CODECS.get(self._codec, 'an unknown codec')}: bytes behind their values are not looked for"
                    )
                    return
                if page.kind == _DICTIONARY_PAGE:
                    continue
                encoding, present, rest = self._values(page, content)
                if encoding not in (_PLAIN, _OLD_DICTIONARY, _RLE, _DICTIONARY, _SPLIT):
                    yield styled("pages in another encoding than plain or by dictionary: bytes behind their values are not looked for")
                    return
                all_plain = all_plain and encoding == _PLAIN
                plain += len(rest)
                self._insist_on(present, encoding, rest, counted=not (all_plain or needed.plain_bytes is None))
                numbers += present
        except (RunError, ThriftError, IndexError, zlib.error):
            yield stray
            return
        if needed.plain_bytes is None:
            yield styled(f"values of {self._name!r} are of a type of which pages are not looked into")
        elif numbers != needed.values or (all_plain and plain != needed.plain_bytes):
            yield stray

    def _of_dictionary(self, needed: Needed) -> Iterator[Finding]:
        """Return entries that no row uses. A writer that abandons a dictionary in the middle of a column leaves one with some of its
        values.
        """
        for page in self._pages:
            if page.kind != _DICTIONARY_PAGE:
                continue
            used, content = needed.dictionary(), self._unpacked(page)
            if not any(other.by_dictionary for other in self._pages):
                fits = False
            elif used is None or not needed.comparable:
                yield styled(f"dictionaries of {self._name!r} are of a type that is not looked into")
                continue
            elif content is None:
                yield styled(f"dictionaries packed with {CODECS.get(self._codec, 'an unknown codec')}: their entries are not looked into")
                fits = page.values < used[0] or (page.values, page.head.whole(2)) == used
            else:
                fits = needed.holds_all(content, page.values)
            if not fits:
                yield carries(f"unused:{self._name}", f"entries in the dictionary of {self._name!r} that no row uses")

    def _unpacked(self, page: Page) -> memoryview | None:
        """Return the decompressed content of a page; None if the compression is not supported. Raise if it is more than one compressed
        piece.
        """
        packed, size = self._data[page.begin : page.end], page.head.whole(2)
        levels = 0
        if page.kind == _DATA_2:
            inner = page.inner(8)
            levels = inner.whole(5) + inner.whole(6)
            if inner.get(7, True) is False:
                return self._of_size(packed, size)
        content = self._unpack(packed[levels:], size - levels)
        return None if content is None else self._of_size(memoryview(bytes(packed[:levels]) + content), size)

    def _unpack(self, packed: memoryview, size: int) -> bytes | None:
        if self._codec == 0:
            return bytes(packed)
        if not len(packed) and not size:
            return b""
        if self._codec == 2:
            unpacker = zlib.decompressobj(31)
            content = unpacker.decompress(packed) + unpacker.flush()
            if unpacker.unused_data or not unpacker.eof or bytes(packed[3:4]) != b"\0":
                raise ThriftError("a page is more than one packed piece")
            return content
        return _of_zstd(packed, size) if self._codec == 6 else None

    @staticmethod
    def _of_size(content: memoryview, size: int) -> memoryview:
        if len(content) != size:
            raise ThriftError("a page is longer than it says")
        return content

    def _values(self, page: Page, content: memoryview) -> tuple[int, int, memoryview]:
        """Return the encoding of the values, their number without nulls, and their bytes after the levels."""
        if page.kind == _DATA_2:
            return self._values_2(page, content)
        encoding, present = page.inner(5).whole(2), page.values
        for deepest in (self._leaf.repetition, self._leaf.definition):
            if deepest:
                size = int.from_bytes(content[:4], "little")
                if size > len(content) - 4:
                    raise ThriftError("levels break off")
                walk_runs(levels := content[4 : 4 + size], deepest.bit_length(), page.values)
                present = deepest_in(levels, page.values, deepest)
                content = content[4 + size :]
        return encoding, present if self._leaf.definition else page.values, content

    def _values_2(self, page: Page, content: memoryview) -> tuple[int, int, memoryview]:
        inner, present = page.inner(8), page.values
        for deepest, size in ((self._leaf.repetition, inner.whole(6)), (self._leaf.definition, inner.whole(5))):
            if deepest:
                walk_runs(content[:size], deepest.bit_length(), page.values)
                present = deepest_in(content[:size], page.values, deepest)
            elif size:
                raise ThriftError("levels of a column that has none")
            content = content[size:]
        return inner.whole(4), present if self._leaf.definition else page.values, content

    def _insist_on(self, present: int, encoding: int, rest: memoryview, *, counted: bool) -> None:
        """Raise unless these bytes are exactly this many values; texts are only counted if their bytes are not compared."""
        if encoding in (_DICTIONARY, _OLD_DICTIONARY):
            if len(rest):
                walk_runs(rest[1:], rest[0], present, repeated=True)
            found = present if len(rest) else 0
        elif encoding == _RLE:
            if len(rest) < 4 or int.from_bytes(rest[:4], "little") != len(rest) - 4:
                raise ThriftError("flags end elsewhere")
            walk_runs(rest[4:], 1, present)
            found = present
        elif self._leaf.physical == BOOLEAN:
            found = present if len(rest) == (present + 7) // 8 and not (present % 8 and rest[-1] >> present % 8) else -1
        elif self._leaf.physical == BYTES:
            found = len(texts_filling(rest)) if counted else present
        else:
            found = present if len(rest) == present * self._leaf.size else -1
        if found != present:
            raise ThriftError("a page holds other values than it says")

    def rows_before(self) -> list[int] | None:
        """Return the number of the first row of each data page; None if unknown."""
        found, rows = [], 0
        for page in self._pages:
            if page.kind == _DICTIONARY_PAGE:
                continue
            found.append(rows)
            if not self._leaf.repetition:
                rows += page.values
                continue
            content = self._unpacked(page) if page.kind == _DATA and self._leaf.repetition == 1 else None
            if content is None:
                return None
            size = int.from_bytes(content[:4], "little")
            rows += zeros_in(content[4 : 4 + size], page.values)
        return found


def _of_zstd(packed: memoryview, size: int) -> bytes:
    import zstandard

    if frames_of(packed) != 1:
        raise ThriftError("a page is more than one packed piece")
    try:
        return zstandard.ZstdDecompressor().decompress(packed, max_output_size=size)
    except zstandard.ZstdError:
        raise ThriftError("a page cannot be unpacked") from None
