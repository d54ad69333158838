"""A reader and writer of Thrift's compact protocol, which Parquet uses for its metadata.

A structure keeps all fields, also unknown ones, so that writing it again shows whether its bytes contain anything beyond its values: a
padded number, a repeated field.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
DEEPEST = 64
_BITS = {BYTE: 8, I16: 16, I32: 32, I64: 64}


class ThriftError(ValueError):
    """The bytes are not a structure of the compact protocol."""


@dataclass(frozen=True)
class Elements:
    """A list or a set, with the type of its elements."""

    kind: int
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Entries:
    """A map, with the types of its keys and values."""

    key: int
    value: int
    pairs: tuple[tuple[Any, Any], ...]


@dataclass(frozen=True)
class Struct:
    """The fields of a structure in byte order: number, type and value."""

    fields: tuple[tuple[int, int, Any], ...]

    @property
    def numbers(self) -> list[int]:
        """The numbers of the fields, in byte order."""
        return [number for number, _, _ in self.fields]

    def get(self, number: int, default: Any = None) -> Any:
        """Return the value of the last field with this number, as readers of Parquet see it."""
        for found, _, value in reversed(self.fields):
            if found == number:
                return value
        return default

    def whole(self, number: int, default: int = 0) -> int:
        """Return the integer in a field."""
        value = self.get(number, default)
        if not isinstance(value, int) or isinstance(value, bool):
            raise ThriftError("a number is missing")
        return value

    def inner(self, number: int) -> Struct | None:
        """Return the structure in a field; None if it is missing."""
        value = self.get(number)
        if value is not None and not isinstance(value, Struct):
            raise ThriftError("a structure is missing")
        return value

    def structs(self, number: int) -> Iterator[Struct]:
        """Return the structures in a list."""
        for value in self.listed(number):
            if not isinstance(value, Struct):
                raise ThriftError("a structure is missing")
            yield value

    def listed(self, number: int) -> tuple[Any, ...]:
        """Return the elements of a list; empty if the field is missing."""
        value = self.get(number)
        if value is None:
            return ()
        if not isinstance(value, Elements):
            raise ThriftError("a list is missing")
        return value.values

    def text(self, number: int) -> str:
        """Return the text in a field; empty if it is missing."""
        value = self.get(number, b"")
        if not isinstance(value, bytes):
            raise ThriftError("a text is missing")
        return value.decode("utf-8", "replace")


def read_struct(data: bytes | memoryview, at: int) -> tuple[Struct, int]:
    """Return the structure that begins here, and its end.

    Raises:
        ThriftError: The bytes are no structure.
    """
    reader = _Reader(memoryview(data), at)
    try:
        return reader.struct(0), reader.at
    except (IndexError, struct.error):
        raise ThriftError("the structure breaks off") from None


def written(value: Struct) -> bytes:
    """Write the structure in the shortest form of the protocol, as every common library does."""
    out = bytearray()
    _write(out, STRUCT, value)
    return bytes(out)


class _Reader:
    """Reads from bytes."""

    def __init__(self, data: memoryview, at: int) -> None:
        self.data, self.at = data, at

    def struct(self, depth: int) -> Struct:
        if depth > DEEPEST:
            raise ThriftError("structures are nested too deeply")
        fields: list[tuple[int, int, Any]] = []
        number = 0
        while (head := self._byte()) != 0:
            kind, step = head & 15, head >> 4
            number = number + step if step else _signed(self._varint())
            fields.append((number, kind, self._value(kind, depth)))
        return Struct(tuple(fields))

    def _byte(self) -> int:
        value = self.data[self.at]
        self.at += 1
        return value

    def _varint(self) -> int:
        value = shift = 0
        while (byte := self._byte()) & 128:
            value |= (byte & 127) << shift
            shift += 7
            if shift > 63:
                raise ThriftError("a number is too long")
        return value | byte << shift

    def _value(self, kind: int, depth: int, *, element: bool = False) -> Any:
        if kind in (TRUE, FALSE):
            return self._byte() == TRUE if element else kind == TRUE
        if kind == BYTE:
            return struct.unpack("b", bytes([self._byte()]))[0]
        if kind in _BITS:
            return _signed(self._varint())
        if kind == DOUBLE:
            self.at += 8
            return bytes(self.data[self.at - 8 : self.at])
        if kind == BINARY:
            return self._binary()
        if kind in (LIST, SET):
            return self._elements(depth)
        if kind == MAP:
            return self._entries(depth)
        if kind == STRUCT:
            return self.struct(depth + 1)
        raise ThriftError(f"there is no type {kind}")

    def _binary(self) -> bytes:
        size = self._varint()
        if size > len(self.data) - self.at:
            raise ThriftError("a text breaks off")
        self.at += size
        return bytes(self.data[self.at - size : self.at])

    def _elements(self, depth: int) -> Elements:
        head = self._byte()
        kind, size = head & 15, head >> 4
        size = self._varint() if size == 15 else size
        self._insist_on_room(size)
        return Elements(kind, tuple(self._value(kind, depth, element=True) for _ in range(size)))

    def _entries(self, depth: int) -> Entries:
        size = self._varint()
        self._insist_on_room(size)
        kinds = self._byte() if size else 0
        key, value = kinds >> 4, kinds & 15
        pairs = [(self._value(key, depth, element=True), self._value(value, depth, element=True)) for _ in range(size)]
        return Entries(key, value, tuple(pairs))

    def _insist_on_room(self, size: int) -> None:
        if size > len(self.data) - self.at:
            raise ThriftError("a list breaks off")


def _signed(value: int) -> int:
    return value >> 1 ^ -(value & 1)


def _write(out: bytearray, kind: int, value: Any, *, element: bool = False) -> None:
    if kind in (TRUE, FALSE):
        out.extend(bytes([TRUE if value else FALSE]) if element else b"")
    elif kind == BYTE:
        out.append(value & 255)
    elif kind in _BITS:
        _write_varint(out, _unsigned(value, _BITS[kind]))
    elif kind == DOUBLE:
        out.extend(value)
    else:
        _WRITE[kind](out, value)


def _unsigned(value: int, bits: int) -> int:
    if not -(1 << bits - 1) <= value < 1 << bits - 1:
        raise ThriftError("a number is too large for its type")
    return value << 1 if value >= 0 else (-value << 1) - 1


def _write_varint(out: bytearray, value: int) -> None:
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)


def _write_binary(out: bytearray, value: bytes) -> None:
    _write_varint(out, len(value))
    out.extend(value)


def _write_elements(out: bytearray, value: Elements) -> None:
    size = len(value.values)
    out.append(min(size, 15) << 4 | value.kind)
    if size >= 15:
        _write_varint(out, size)
    for one in value.values:
        _write(out, value.kind, one, element=True)


def _write_entries(out: bytearray, value: Entries) -> None:
    _write_varint(out, len(value.pairs))
    if value.pairs:
        out.append(value.key << 4 | value.value)
    for key, held in value.pairs:
        _write(out, value.key, key, element=True)
        _write(out, value.value, held, element=True)


def _write_struct(out: bytearray, value: Struct) -> None:
    before = 0
    for number, kind, held in value.fields:
        step = number - before
        if 0 < step < 16:
            out.append(step << 4 | kind)
        else:
            out.append(kind)
            _write_varint(out, _unsigned(number, 16))
        _write(out, kind, held)
        before = number
    out.append(0)


_WRITE: dict[int, Callable[[bytearray, Any], None]] = {
    BINARY: _write_binary,
    LIST: _write_elements,
    SET: _write_elements,
    MAP: _write_entries,
    STRUCT: _write_struct,
}
