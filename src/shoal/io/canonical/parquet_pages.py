"""The pages of a Parquet file: whether each holds the values of its column and nothing behind them, and dictionaries only what rows use."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from shoal.io.canonical.findings import Finding, carries, short, styled
from shoal.io.canonical.levels import RunError, walk_runs, zeros_in
from shoal.io.canonical.parquet_fields import PAGE, field_findings
from shoal.io.canonical.parquet_values import BOOLEAN, BYTES, Leaf, Needed, texts_filling
from shoal.io.canonical.thrift import Struct, ThriftError, read_struct, written
from shoal.io.canonical.zstd_frames import frames_of

CODECS = {0: "nothing", 1: "snappy", 2: "gzip", 3: "lzo", 4: "brotli", 5: "lz4", 6: "zstd", 7: "lz4"}
_PLAIN, _OLD_DICTIONARY, _RLE, _DICTIONARY, _SPLIT = 0, 2, 3, 8, 9
_DATA, _DICTIONARY_PAGE, _DATA_2 = 0, 2, 3
_STRAY_BITS = 7  # numbers are packed by eights


@dataclass(frozen=True)
class Page:
    """A page: where its header begins, its header, and where its bytes begin and end."""

    at: int
    head: Struct
    begin: int
    end: int

    @property
    def kind(self) -> int:
        """What it holds."""
        return self.head.whole(1)

    @property
    def values(self) -> int:
        """How many values it has, nulls included; entries of a dictionary."""
        inner = self.head.inner({_DATA: 5, _DICTIONARY_PAGE: 7, _DATA_2: 8}.get(self.kind, 5))
        return inner.whole(1) if inner else 0

    @property
    def unpacked_size(self) -> int:
        """The bytes of its header, and of its content when unpacked."""
        return self.begin - self.at + self.head.whole(2)


def pages_of(data: memoryview, begin: int, end: int) -> list[Page]:
    """The pages that fill these bytes.

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
    """What the headers say beyond what a reader needs."""
    for page in pages:
        if written(page.head) != bytes(data[page.at : page.begin]):
            yield carries("bytes:page", "the header of a page holds bytes beyond its fields")
        yield from field_findings(page.head, PAGE)
        if page.kind not in (_DATA, _DICTIONARY_PAGE, _DATA_2):
            yield carries("bytes:page", "a page that holds no values")
        checksum = page.head.get(4)
        if checksum is not None and checksum & 0xFFFFFFFF != zlib.crc32(data[page.begin : page.end]):
            yield carries("bytes:page", "a checksum that is not that of its page")


class Column:
    """The pages of a column in a row group, and the values that they must hold."""

    def __init__(self, data: memoryview, leaf: Leaf, codec: int, pages: list[Page]) -> None:
        self._data, self._leaf, self._codec, self._pages = data, leaf, codec, pages
        self._name = short(".".join(leaf.path[:1]))

    def findings(self, needed: Needed) -> Iterator[Finding]:
        """What the pages hold beyond the values."""
        stray = carries(f"bytes:{self._name}", f"bytes in a page of {self._name!r} that belong to no value")
        least = most = plain = 0
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
                encoding, rest = self._values(page, content)
                if encoding not in (_PLAIN, _OLD_DICTIONARY, _RLE, _DICTIONARY, _SPLIT):
                    yield styled("pages in another encoding than plain or by dictionary: bytes behind their values are not looked for")
                    return
                all_plain = all_plain and encoding == _PLAIN
                plain += len(rest)
                fewest, greatest = self._numbers(encoding, rest, counted=not (all_plain or needed.plain_bytes is None))
                least, most = least + fewest, most + greatest
        except (RunError, ThriftError, IndexError, zlib.error):
            yield stray
            return
        if needed.plain_bytes is None:
            yield styled(f"values of {self._name!r} are of a type of which pages are not looked into")
        elif plain != needed.plain_bytes if all_plain else not least <= needed.values <= most:
            yield stray

    def _of_dictionary(self, needed: Needed) -> Iterator[Finding]:
        """Entries that no row uses. A writer that gave a dictionary up in the middle of a column leaves one of some of its values."""
        for page in self._pages:
            if page.kind != _DICTIONARY_PAGE:
                continue
            used = needed.dictionary()
            if used is None:
                yield styled(f"dictionaries of {self._name!r} are of a type that is not looked into")
            elif (page.values, page.head.whole(2)) != used:
                yield from self._of_part(page, needed, partial=page.values < used[0])

    def _of_part(self, page: Page, needed: Needed, *, partial: bool) -> Iterator[Finding]:
        content = self._unpacked(page) if partial else None
        if partial and content is None:
            yield styled(f"dictionaries of some of the values, packed with {CODECS.get(self._codec, 'an unknown codec')}: not looked into")
        elif content is None or not needed.holds_all(content, page.values):
            yield carries(f"unused:{self._name}", f"entries in the dictionary of {self._name!r} that no row uses")

    def _unpacked(self, page: Page) -> memoryview | None:
        """The content of a page; None where nothing here unpacks it. Raises where it is more than one packed piece."""
        packed, size = self._data[page.begin : page.end], page.head.whole(2)
        levels = 0
        if page.kind == _DATA_2:
            inner = page.head.inner(8)
            assert inner is not None
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

    def _values(self, page: Page, content: memoryview) -> tuple[int, memoryview]:
        """The encoding of the values, and their bytes, after the levels."""
        if page.kind == _DATA_2:
            return self._values_2(page, content)
        inner = page.head.inner(5)
        assert inner is not None
        for deepest in (self._leaf.repetition, self._leaf.definition):
            if deepest:
                size = int.from_bytes(content[:4], "little")
                if size > len(content) - 4:
                    raise ThriftError("levels break off")
                walk_runs(content[4 : 4 + size], deepest.bit_length(), page.values)
                content = content[4 + size :]
        return inner.whole(2), content

    def _values_2(self, page: Page, content: memoryview) -> tuple[int, memoryview]:
        inner = page.head.inner(8)
        assert inner is not None
        for deepest, size in ((self._leaf.repetition, inner.whole(6)), (self._leaf.definition, inner.whole(5))):
            if deepest:
                walk_runs(content[:size], deepest.bit_length(), page.values)
            elif size:
                raise ThriftError("levels of a column that has none")
            content = content[size:]
        return inner.whole(4), content

    def _numbers(self, encoding: int, rest: memoryview, *, counted: bool) -> tuple[int, int]:
        """The least and the greatest number of values that these bytes can be."""
        if encoding in (_DICTIONARY, _OLD_DICTIONARY):
            if not len(rest):
                return 0, 0
            numbers = walk_runs(rest[1:], rest[0], None) if rest[0] else self._constant(rest)
            return max(0, numbers - _STRAY_BITS), numbers
        if encoding == _RLE:
            if len(rest) < 4 or int.from_bytes(rest[:4], "little") != len(rest) - 4:
                raise ThriftError("flags end elsewhere")
            numbers = walk_runs(rest[4:], 1, None)
            return max(0, numbers - _STRAY_BITS), numbers
        if self._leaf.physical == BOOLEAN:
            return max(0, 8 * len(rest) - _STRAY_BITS), 8 * len(rest)
        if self._leaf.physical == BYTES:
            numbers = len(texts_filling(rest)) if counted else 0
            return numbers, numbers
        if len(rest) % self._leaf.size:
            raise ThriftError("numbers break off")
        return len(rest) // self._leaf.size, len(rest) // self._leaf.size

    @staticmethod
    def _constant(rest: memoryview) -> int:
        """The numbers of a page whose dictionary has one entry, so that they take no bits."""
        return walk_runs(rest[1:], 0, None)

    def rows_before(self) -> list[int] | None:
        """The number of the first row of each data page; None where that is not known."""
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
