"""Parquet files taken apart and put together again, with pages, headers and footers that no writer would write."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import zstandard

from shoal.io.canonical.thrift import BINARY, I32, I64, LIST, STRUCT, Elements, Struct, read_struct, written

DICTIONARY = 2


@dataclass(frozen=True)
class Piece:
    """A page: the path of its column, its header and its bytes."""

    path: tuple[bytes, ...]
    head: Struct
    packed: bytes


EditPage = Callable[[Piece], Piece]
EditStruct = Callable[[Struct], Struct]


def put(held: Struct, number: int, kind: int, value: Any) -> Struct:
    """A structure with one field replaced, or added in its place."""
    rest = [field for field in held.fields if field[0] != number]
    return Struct(tuple(sorted([*rest, (number, kind, value)], key=lambda field: field[0])))


def without(held: Struct, *numbers: int) -> Struct:
    return Struct(tuple(field for field in held.fields if field[0] not in numbers))


def footer_of(data: bytes) -> tuple[Struct, int]:
    """The footer, and where it begins."""
    begin = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    return read_struct(data, begin)[0], begin


def with_footer(data: bytes, edit: EditStruct, before: bytes = b"", after: bytes = b"") -> bytes:
    """Another footer, and perhaps bytes before it and at its end."""
    footer, begin = footer_of(data)
    fresh = written(edit(footer)) + after
    return data[:begin] + before + fresh + len(fresh).to_bytes(4, "little") + b"PAR1"


def same(held: Any) -> Any:
    return held


def first_chunk(edit: EditStruct) -> EditStruct:
    """An edit of the first column of the first row group, in a footer."""

    def change(footer: Struct) -> Struct:
        groups = footer.get(4)
        chunks = groups.values[0].get(1)
        fresh = Elements(STRUCT, (edit(chunks.values[0]), *chunks.values[1:]))
        group = put(groups.values[0], 1, LIST, fresh)
        return put(footer, 4, LIST, Elements(STRUCT, (group, *groups.values[1:])))

    return change


def first_meta(edit: EditStruct) -> EditStruct:
    """An edit of the description of the first column."""
    return first_chunk(lambda chunk: put(chunk, 3, STRUCT, edit(chunk.get(3))))


def first_element(edit: EditStruct, number: int = 0) -> EditStruct:
    """An edit of an element of the schema."""

    def change(footer: Struct) -> Struct:
        elements = list(footer.get(2).values)
        elements[number] = edit(elements[number])
        return put(footer, 2, LIST, Elements(STRUCT, tuple(elements)))

    return change


def pair(key: bytes, value: bytes) -> Elements:
    return Elements(STRUCT, (Struct(((1, BINARY, key), (2, BINARY, value))),))


def rebuilt(data: bytes, edit: EditPage = same, between: bytes = b"") -> bytes:
    """The same pages, but for those that are edited, one after the other, without indexes. `between` comes before the second column."""
    footer, _ = footer_of(data)
    out = bytearray(b"PAR1")
    groups = []
    for group in footer.get(4).values:
        chunks, begin_of_group = [], len(out)
        for number, chunk in enumerate(group.get(1).values):
            out += between if number == 1 else b""
            begin_of_group = len(out) if number == 0 else begin_of_group
            chunks.append(_chunk(data, chunk, edit, out))
        metas = [chunk.get(3) for chunk in chunks]
        fresh = put(group, 1, LIST, Elements(STRUCT, tuple(chunks)))
        fresh = put(fresh, 2, I64, sum(meta.get(6) for meta in metas))
        fresh = put(fresh, 5, I64, begin_of_group)
        groups.append(put(fresh, 6, I64, sum(meta.get(7) for meta in metas)))
    end = written(put(footer, 4, LIST, Elements(STRUCT, tuple(groups))))
    return bytes(out) + end + len(end).to_bytes(4, "little") + b"PAR1"


def _chunk(data: bytes, chunk: Struct, edit: EditPage, out: bytearray) -> Struct:
    meta = chunk.get(3)
    at = min(place for place in (meta.get(9), meta.get(11)) if place)
    end, begin, unpacked, places = at + meta.get(7), len(out), 0, {}
    while at < end:
        head, after = read_struct(data, at)
        at = after + head.get(3)
        piece = edit(Piece(meta.get(3).values, head, data[after:at]))
        fresh = put(piece.head, 3, I32, len(piece.packed))
        places.setdefault(fresh.get(1), len(out))
        raw = written(fresh)
        unpacked += len(raw) + fresh.get(2)
        out += raw + piece.packed
    meta = put(put(meta, 6, I64, unpacked), 7, I64, len(out) - begin)
    meta = put(meta, 9, I64, places[0])
    meta = put(meta, 11, I64, places[DICTIONARY]) if DICTIONARY in places else meta
    return put(put(without(chunk, 4, 5), 3, STRUCT, meta), 2, I64, begin)


def repacked(piece: Piece, change: Callable[[bytes], bytes]) -> Piece:
    """A page with other content, its header as long as the content says."""
    content = change(zstandard.ZstdDecompressor().decompress(piece.packed, max_output_size=piece.head.get(2)))
    return Piece(piece.path, put(piece.head, 2, I32, len(content)), zstandard.ZstdCompressor().compress(content))


def unused_entry(column: str, text: bytes) -> EditPage:
    """One more entry at the end of the dictionaries of a column of texts."""

    def edit(piece: Piece) -> Piece:
        if piece.head.get(1) != DICTIONARY or piece.path[0] != column.encode():
            return piece
        more = repacked(piece, lambda content: content + len(text).to_bytes(4, "little") + text)
        inner = more.head.get(7)
        return Piece(piece.path, put(more.head, 7, STRUCT, put(inner, 1, I32, inner.get(1) + 1)), more.packed)

    return edit


def hidden_frame(piece: Piece) -> Piece:
    """A frame of zstd that readers skip, behind the content."""
    text = b"ann, bob"
    return Piece(piece.path, piece.head, piece.packed + (0x184D2A50).to_bytes(4, "little") + len(text).to_bytes(4, "little") + text)


def longer_page(piece: Piece) -> Piece:
    """Bytes behind the last value of a page."""
    return piece if piece.head.get(1) == DICTIONARY else repacked(piece, lambda content: content + b"ann, bob")


def odd_header(piece: Piece) -> Piece:
    """A field of a page's header that no reader knows."""
    return Piece(piece.path, put(piece.head, 99, BINARY, b"ann"), piece.packed)


def checksum(piece: Piece) -> Piece:
    """A checksum that is none."""
    return Piece(piece.path, put(piece.head, 4, I32, 12345), piece.packed)


def page_statistics(piece: Piece) -> Piece:
    """Statistics in the header of a page, with a text of its own."""
    if piece.head.get(1) == DICTIONARY:
        return piece
    inner = put(piece.head.get(5), 5, STRUCT, Struct(((5, BINARY, b"ann"),)))
    return Piece(piece.path, put(piece.head, 5, STRUCT, inner), piece.packed)


def in_header(number: int, changes: dict[int, int]) -> EditPage:
    """Other numbers in the part of the header that data pages (5) or dictionaries (7) have."""

    def edit(piece: Piece) -> Piece:
        inner = piece.head.get(number)
        if inner is None:
            return piece
        for key, value in changes.items():
            inner = put(inner, key, I32, value)
        return Piece(piece.path, put(piece.head, number, STRUCT, inner), piece.packed)

    return edit


def stray_bits(piece: Piece) -> Piece:
    """A bit after the last number of packed numbers of a dictionary's entries."""
    inner = piece.head.get(5)
    if inner is None or inner.get(2) != 8:
        return piece
    return repacked(piece, lambda content: content[:-1] + bytes([content[-1] ^ 0x80]))


def more_pages(data: bytes, column: int, first: Piece | None = None, last: Piece | None = None) -> bytes:
    """Pages before or after those of a column, without indexes."""
    footer, _ = footer_of(data)
    (group,) = footer.get(4).values
    out, chunks = bytearray(b"PAR1"), []
    for number, chunk in enumerate(group.get(1).values):
        meta = chunk.get(3)
        at = min(place for place in (meta.get(9), meta.get(11)) if place)
        begin, unpacked = len(out), meta.get(6)
        before, after = (
            (written(put(one.head, 3, I32, len(one.packed))) + one.packed if one and number == column else b"") for one in (first, last)
        )
        for one, raw in ((first, before), (last, after)):
            unpacked += len(raw) - len(one.packed) + one.head.get(2) if one and raw else 0
        shift = begin + len(before) - at
        out += before + data[at : at + meta.get(7)] + after
        fresh = put(put(put(meta, 6, I64, unpacked), 7, I64, len(out) - begin), 9, I64, meta.get(9) + shift)
        fresh = put(fresh, 11, I64, begin if before else meta.get(11) + shift) if before or meta.get(11) else fresh
        chunks.append(put(put(without(chunk, 4, 5), 3, STRUCT, fresh), 2, I64, begin))
    metas = [chunk.get(3) for chunk in chunks]
    group = put(put(group, 1, LIST, Elements(STRUCT, tuple(chunks))), 2, I64, sum(meta.get(6) for meta in metas))
    group = put(put(group, 5, I64, 4), 6, I64, sum(meta.get(7) for meta in metas))
    end = written(put(footer, 4, LIST, Elements(STRUCT, (group,))))
    return bytes(out) + end + len(end).to_bytes(4, "little") + b"PAR1"


def index_page(text: bytes) -> Piece:
    """A page of a kind that no reader reads."""
    return Piece((), Struct(((1, I32, 1), (2, I32, len(text)), (6, STRUCT, Struct(())))), zstandard.ZstdCompressor().compress(text))


def dictionary_page(content: bytes, entries: int) -> Piece:
    """A dictionary of numbers or texts."""
    inner = Struct(((1, I32, entries), (2, I32, 0)))
    return Piece((), Struct(((1, I32, 2), (2, I32, len(content)), (7, STRUCT, inner))), zstandard.ZstdCompressor().compress(content))
