"""The structures in the footer and the page headers of a Parquet file: which fields every writer fills, which some do, which none does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from shoal.io.canonical.findings import Finding, carries, styled
from shoal.io.canonical.thrift import Elements, Entries, Struct


@dataclass(frozen=True)
class Kind:
    """A structure: the fields that every writer fills, those that some fill, and the structures inside.

    Attributes:
        name: The name that the format gives it.
        usual: Fields that hold numbers or names which are compared elsewhere.
        style: Fields that some writers add, and what they are; they repeat content, or choose a way of writing.
        inner: The structures in fields.
    """

    name: str
    usual: frozenset[int]
    style: dict[int, str] = field(default_factory=dict)
    inner: dict[int, Kind] = field(default_factory=dict)


_STATISTICS = "statistics of columns"
_INDEX = "an index of pages"
_BLOOM = "Bloom filters"
_KEY_VALUE = Kind("KeyValue", frozenset({1, 2}))
_META = Kind(
    "ColumnMetaData",
    frozenset({1, 2, 3, 4, 5, 6, 7, 9, 11}),
    {10: _INDEX, 12: _STATISTICS, 13: "a list of encodings", 14: _BLOOM, 15: _BLOOM, 16: _STATISTICS},
)
_CHUNK = Kind("ColumnChunk", frozenset({2, 3, 4, 5}), {6: _INDEX, 7: _INDEX}, {3: _META})
_GROUP = Kind("RowGroup", frozenset({1, 2, 3, 5, 6, 7}), {4: "the order of rows"}, {1: _CHUNK})
_ELEMENT = Kind("SchemaElement", frozenset({1, 2, 3, 4, 5, 6, 7, 8, 10}), {9: "numbers of columns"})
FOOTER = Kind("FileMetaData", frozenset({1, 2, 3, 4, 5, 6, 7}), {}, {2: _ELEMENT, 4: _GROUP, 5: _KEY_VALUE})

_DATA = Kind("DataPageHeader", frozenset({1, 2, 3, 4}), {5: _STATISTICS})
_DATA_2 = Kind("DataPageHeaderV2", frozenset({1, 2, 3, 4, 5, 6, 7}), {8: _STATISTICS})
_DICTIONARY = Kind("DictionaryPageHeader", frozenset({1, 2, 3}))
PAGE = Kind(
    "PageHeader",
    frozenset({1, 2, 3, 5, 7}),
    {4: "checksums of pages", 8: "data pages of version 2"},
    {5: _DATA, 7: _DICTIONARY, 8: _DATA_2},
)


def field_findings(held: Struct, kind: Kind) -> Iterator[Finding]:
    """Fields that no writer fills, that are given twice, or that only some writers fill."""
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
    """All texts in a value, at any depth: types of columns hold none but in odd cases."""
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
