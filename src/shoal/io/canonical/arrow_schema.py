"""The description of columns that writers of Parquet store under `ARROW:schema`: an Arrow message in base64, made of flatbuffers.

Every table, vector and text that can be reached from its root is visited. Metadata of the schema and of its fields is reported, and so are
unreachable bytes.
"""

from __future__ import annotations

import base64
import binascii
import re
import struct
from collections.abc import Collection, Iterator
from zoneinfo import available_timezones

from shoal.io.canonical.findings import Finding, carries, short, styled

FIELD_NUMBER = "PARQUET:field_id"  # the number of a column in a Parquet file, which pyarrow keeps when it copies one
_CONTINUATION = b"\xff\xff\xff\xff"
_LONGEST_PADDING = 8
_DEEPEST = 64
_STRAY = carries("bytes:ARROW:schema", "ARROW:schema holds bytes that describe no column")

# The fields of each table: a number with its size in bytes and its permitted values, a text, a vector of tables (`*`), a vector that
# must be empty (`#`), or a table.
_FLAG, _UNIT, _WIDTH, _SIZE = (1, range(2)), (2, range(4)), (4, (8, 16, 32, 64, 128, 256)), (4, range(1 << 16))
_Held = str | tuple[int, Collection[int]]
_TABLES: dict[str, tuple[_Held, ...]] = {
    "message": ((2, range(5)), (1, (1,)), "schema", (8, (0,)), "*pair"),
    "schema": ((2, range(2)), "*field", "*pair", "#"),
    "field": ("text", _FLAG, (1, range(27)), "type", "dictionary", "*field", "*pair"),
    "dictionary": ((8, range(1 << 10)), "type2", _FLAG, (2, (0,))),
    "pair": ("text", "text"),
}
# The fields of the types, by number of the type.
_TYPES: dict[int, tuple[_Held, ...]] = {
    2: (_WIDTH, _FLAG),
    3: (_UNIT,),
    7: ((4, range(77)), (4, range(77)), _WIDTH),
    8: (_UNIT,),
    9: (_UNIT, _WIDTH),
    10: (_UNIT, "zone"),
    11: (_UNIT,),
    15: (_SIZE,),
    16: (_SIZE,),
    17: (_FLAG,),
    18: (_UNIT,),
}
_FORMS = {1: "<b", 2: "<h", 4: "<i", 8: "<q"}
_OFFSET = re.compile(r"[+-]\d\d:?\d\d", re.ASCII)
_SCHEMA_HEADER, _INTEGER = 1, 2


def arrow_findings(value: str, names: Collection[str]) -> Iterator[Finding]:
    """Return what the entry contains beyond the types of columns.

    Args:
        value: The entry of the file's metadata.
        names: The names of all columns and parts of columns in the file's own schema.
    """
    try:
        yield from _Walk(_message(value)).findings(names)
    except (ValueError, struct.error, IndexError, binascii.Error):
        yield carries("metadata:ARROW:schema", "ARROW:schema is not the description of columns that it should be")


def _message(value: str) -> bytes:
    content = base64.b64decode(value, validate=True)
    if base64.b64encode(content).decode() != value or content[:4] != _CONTINUATION:
        raise ValueError
    size = struct.unpack_from("<I", content, 4)[0]
    if size > len(content) - 8 or any(content[8 + size :]) or len(content) - 8 - size > _LONGEST_PADDING:
        raise ValueError
    return content[8 : 8 + size]


def _is_zone(text: str) -> bool:
    return text in available_timezones() or _OFFSET.fullmatch(text) is not None


class _Walk:
    """Visits everything reachable, and marks the bytes it has seen."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._seen = bytearray(len(data))
        self._found: list[Finding] = []
        self._names: list[str] = []

    def findings(self, names: Collection[str]) -> Iterator[Finding]:
        """Return all findings."""
        self._table(self._offset(0), "message", "", 0)
        yield from self._found
        if not set(self._names) <= {*names, "item", "element", "entries", "key", "value"}:
            yield carries("bytes:ARROW:schema", "ARROW:schema names columns that the file does not have")
        if self._stray():
            yield _STRAY

    def _stray(self) -> bool:
        """Whether there are unvisited bytes other than padding."""
        gap = 0
        for byte, seen in zip(self._data, self._seen, strict=True):
            gap = 0 if seen else gap + 1
            if (not seen and byte) or gap > _LONGEST_PADDING:
                return True
        return False

    def _number(self, form: str, at: int) -> int:
        size = struct.calcsize(form)
        self._mark(at, size)
        value: int = struct.unpack_from(form, self._data, at)[0]
        return value

    def _mark(self, at: int, size: int) -> None:
        if at < 0 or at + size > len(self._data):
            raise ValueError
        self._seen[at : at + size] = b"\1" * size

    def _offset(self, at: int) -> int:
        return at + self._number("<I", at)

    def _places(self, at: int) -> dict[int, int]:
        """Return the positions of the fields of a table, by number."""
        vtable = at - self._number("<i", at)
        size, room = self._number("<H", vtable), self._number("<H", vtable + 2)
        offsets = [self._number("<H", vtable + 4 + 2 * i) for i in range((size - 4) // 2)]
        if size < 4 or size % 2 or any(offset >= room for offset in offsets):
            raise ValueError
        return {number: at + offset for number, offset in enumerate(offsets) if offset}

    def _table(self, at: int, kind: str, column: str, depth: int) -> None:
        if depth > _DEEPEST:
            raise ValueError
        places = self._places(at)
        if kind == "message" and (1 not in places or self._number("<B", places[1]) != _SCHEMA_HEADER):
            raise ValueError
        if kind == "field":
            column = self._text(self._offset(places[0])) if 0 in places else ""
            self._names.append(column)
        for number, place in places.items():
            fields = _TABLES[kind]
            held = fields[number] if number < len(fields) else ""
            tag = self._number("<B", places[2]) if held == "type" and 2 in places else _INTEGER
            self._field(held, place, column, depth, tag)

    def _field(self, held: _Held, place: int, column: str, depth: int, tag: int) -> None:
        if not isinstance(held, str):
            if self._number(_FORMS[held[0]], place) not in held[1]:
                self._found.append(_STRAY)
        elif held in ("text", "zone"):
            text = self._text(self._offset(place))
            self._found += [] if held == "text" or _is_zone(text) else [_STRAY]
        elif held.startswith("type"):
            self._type(self._offset(place), tag)
        elif held == "*pair":
            for at in self._vector(self._offset(place)):
                self._pair(at, column)
        elif held.startswith("*"):
            for at in self._vector(self._offset(place)):
                self._table(at, held[1:], column, depth + 1)
        elif held.startswith("#"):
            if self._number("<I", self._offset(place)):
                raise ValueError
        elif held:
            self._table(self._offset(place), held, column, depth + 1)
        else:
            self._found.append(_STRAY)

    def _type(self, at: int, tag: int) -> None:
        for number, place in self._places(at).items():
            fields = _TYPES.get(tag, ())
            self._field(fields[number] if number < len(fields) else "", place, "", 0, 0)

    def _text(self, at: int) -> str:
        size = self._number("<I", at)
        self._mark(at + 4, size + 1)
        return self._data[at + 4 : at + 4 + size].decode("utf-8", "replace")

    def _vector(self, at: int) -> list[int]:
        size = self._number("<I", at)
        if size > len(self._data):
            raise ValueError
        return [self._offset(at + 4 + 4 * i) for i in range(size)]

    def _pair(self, at: int, column: str) -> None:
        """Visit a key-value pair of metadata, of the schema or of a column."""
        places = self._places(at)
        key, value = (self._text(self._offset(places[number])) if number in places else "" for number in (0, 1))
        if max(places, default=0) > 1:
            self._found.append(_STRAY)
        if column and key == FIELD_NUMBER and value.lstrip("-").isdigit() and len(value) < 12:
            self._found.append(styled("numbers of columns in ARROW:schema"))
        elif column:
            name = f"{short(column)}/{short(key)}"
            self._found.append(carries(f"metadata:{name}", f"metadata {short(key)!r} of the column {short(column)!r}"))
        else:
            self._found.append(carries(f"metadata:{short(key)}", f"metadata {short(key)!r}"))
