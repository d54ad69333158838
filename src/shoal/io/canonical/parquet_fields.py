"""The structures in the footer and page headers of a Parquet file: which fields all, some or no writers set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from shoal.io.canonical.findings import Finding, carries, styled
from shoal.io.canonical.thrift import Elements, Entries, Struct


@dataclass(frozen=True)
class Structure:
    """A structure: the fields that every writer sets, those that some set, and the nested structures.

    Attributes:
        name: The name that the format gives it.
        usual: Fields that hold numbers or names which are compared elsewhere.
        style: Fields that some writers add, and what they are; they repeat content, or choose a way of writing.
        inner: The structures in fields.
    """

    name: str
    usual: frozenset[int]
    style: dict[int, str] = field(default_factory=dict)
    inner: dict[int, Structure] = field(default_factory=dict)


_STATISTICS = "statistics of columns"
_INDEX = "an index of pages"
_BLOOM = "Bloom filters"
_KEY_VALUE = Structure("KeyValue", frozenset({1, 2}))
_META = Structure(
    "ColumnMetaData",
    frozenset({1, 2, 3, 4, 5, 6, 7, 9, 11}),
    {10: _INDEX, 12: _STATISTICS, 13: "a list of encodings", 14: _BLOOM, 15: _BLOOM, 16: _STATISTICS},
)
_CHUNK = Structure("ColumnChunk", frozenset({2, 3, 4, 5}), {6: _INDEX, 7: _INDEX}, {3: _META})
_GROUP = Structure("RowGroup", frozenset({1, 2, 3, 5, 6, 7}), {4: "the order of rows"}, {1: _CHUNK})
_ELEMENT = Structure("SchemaElement", frozenset({1, 2, 3, 4, 5, 6, 7, 8, 10}), {9: "numbers of columns"})
FOOTER = Structure("FileMetaData", frozenset({1, 2, 3, 4, 5, 6, 7}), {}, {2: _ELEMENT, 4: _GROUP, 5: _KEY_VALUE})

_DATA = Structure("DataPageHeader", frozenset({1, 2, 3, 4}), {5: _STATISTICS})
_DATA_2 = Structure("DataPageHeaderV2", frozenset({1, 2, 3, 4, 5, 6, 7}), {8: _STATISTICS})
_DICTIONARY = Structure("DictionaryPageHeader", frozenset({1, 2, 3}))
PAGE = Structure(
    "PageHeader",
    frozenset({1, 2, 3, 5, 7}),
    {4: "checksums of pages", 8: "data pages of version 2"},
    {5: _DATA, 7: _DICTIONARY, 8: _DATA_2},
)


def field_findings(held: Struct, kind: Structure) -> Iterator[Finding]:
    """Return fields that no writer sets, that are repeated, or that only some writers set."""
    numbers = held.numbers
    if len(set(numbers)) < len(numbers):
        yield carries(f"field:{kind.name}", f"a field of {kind.name} that is given twice")
    for number, _, value in held.fields:
        if number in kind.style:
            yield styled(kind.style[number])
        elif number not in kind.usual:
            yield carries(f"field:{kind.name}.{number}", f"field {number} of {kind.name}, which holds no part of the table")
            continue
        inside = kind.inner.get(number)
        for one in _structs(value) if inside else ():
            yield from field_findings(one, inside) if inside else ()


def _structs(value: object) -> Iterator[Struct]:
    if isinstance(value, Struct):
        yield value
    elif isinstance(value, Elements):
        yield from (one for one in value.values if isinstance(one, Struct))


def texts_in(value: object) -> Iterator[bytes]:
    """Return all texts in a value, at any depth; types of columns rarely contain any."""
    if isinstance(value, bytes):
        yield value
    elif isinstance(value, Struct):
        for _, _, held in value.fields:
            yield from texts_in(held)
    elif isinstance(value, Elements):
        for held in value.values:
            yield from texts_in(held)
    elif isinstance(value, Entries):
        for pair in value.pairs:
            yield from (text for held in pair for text in texts_in(held))


# -- types

_DECIMAL, _DECIMAL_TYPE, _FIXED, _LAST_CONVERTED = 5, 5, 7, 21
_MOST_DIGITS = 76
_WIDTHS = (8, 16, 32, 64)
_WITHOUT_FIELDS = frozenset({1, 2, 3, 4, 6, 11, 12, 13, 14, 15})
_TIMES, _INTEGER = (7, 8), 10


def needs_its_numbers(element: Struct) -> bool:
    """Whether an element of the schema has only the numbers that its type needs."""
    logical = element.get(10)
    decimal = element.get(6) == _DECIMAL or (isinstance(logical, Struct) and logical.numbers == [_DECIMAL_TYPE])
    return (
        (element.get(2) is None or element.get(1) == _FIXED)
        and ((element.get(7) is None and element.get(8) is None) or (decimal and _is_decimal(element.whole(7), element.whole(8))))
        and element.whole(3) in (0, 1, 2)
        and 0 <= element.whole(6) <= _LAST_CONVERTED
    )


def _is_decimal(scale: int, precision: int) -> bool:
    return 0 <= scale <= precision <= _MOST_DIGITS


def is_logical_type(value: object) -> bool:
    """Whether this is a type as the format defines it, without other fields and numbers."""
    if not isinstance(value, Struct) or len(value.fields) != 1:
        return False
    number, _, held = value.fields[0]
    if not isinstance(held, Struct):
        return False
    if number in _WITHOUT_FIELDS:
        return not held.fields
    if number == _DECIMAL_TYPE:
        return held.numbers == [1, 2] and _is_decimal(held.whole(1), held.whole(2))
    if number in _TIMES:
        unit = held.get(2)
        return held.numbers == [1, 2] and isinstance(held.get(1), bool) and isinstance(unit, Struct) and _is_choice(unit, (1, 2, 3))
    return number == _INTEGER and held.numbers == [1, 2] and held.get(1) in _WIDTHS and isinstance(held.get(2), bool)


def is_order(value: object) -> bool:
    """Whether this is the order of a column as the format defines it."""
    return isinstance(value, Struct) and _is_choice(value, (1, 2))


def _is_choice(value: Struct, numbers: tuple[int, ...]) -> bool:
    """Whether a structure is one of several empty alternatives."""
    held = value.fields[0][2] if len(value.fields) == 1 and value.fields[0][0] in numbers else None
    return isinstance(held, Struct) and not held.fields
