"""The structure of a Parquet file: every byte belongs to a page, a page header or the footer, and carries nothing else.

The rows do not determine the bytes of a Parquet file: versions of a writer choose pages, encodings and row groups. So the footer and the
page headers are read field by field, and the bytes of the pages are compared with the rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from shoal.io.canonical.arrow_schema import arrow_findings
from shoal.io.canonical.findings import Finding, carries, different, short, styled
from shoal.io.canonical.parquet_fields import FOOTER, field_findings, is_logical_type, is_order, needs_its_numbers, texts_in
from shoal.io.canonical.parquet_pages import ColumnPages, Page, header_findings, pages_of
from shoal.io.canonical.parquet_values import Leaf, Needed, leaf_series, leaves_of
from shoal.io.canonical.thrift import Struct, ThriftError, read_struct, written
from shoal.io.read.source import PARQUET

ARROW = "ARROW:schema"
ROOTS = {"root", "schema", "spark_schema", "duckdb_schema", "hive_schema", "arrow_schema", "m"}
PARTS = {"list", "element", "item", "array", "array_element", "bag", "key_value", "key", "value", "map", "entries"}
TOOLS = re.compile(
    r"Polars( \(\w{1,12}\))?( version [\w.+-]{1,20})?( \(build [0-9a-f]{0,64}\))?"
    r"|(parquet-cpp(-arrow|-velox)?|parquet-mr|parquet-rs|parquet2|fastparquet-python|fastparquet|DuckDB|impala|cudf|parquet-go|Trino|Arrow"
    r"|Arrow2 - Native Rust implementation of Arrow)( version)?( v?\d[\w.+-]{0,30})?( \(build [0-9a-zA-Z. ]{0,64}\))?"
)
_NUMBER = styled("numbers in the footer that do not fit the pages")
_FOOTER_TAIL = 8
_ALWAYS = (0, 3)  # the encodings plain, and of runs


@dataclass(frozen=True)
class _Chunk:
    """The pages of a column in a row group."""

    held: Struct
    meta: Struct
    leaf: Leaf
    begin: int
    end: int
    pages: list[Page]


def parquet_findings(content: bytes, frame: pl.DataFrame) -> tuple[Finding, ...]:
    """Return what a Parquet file contains beyond its rows.

    Args:
        content: All bytes of the file.
        frame: The rows of the file, as they were read.
    """
    try:
        return different(_findings(memoryview(content), frame))
    except (ThriftError, IndexError, RecursionError):
        return (carries("bytes:structure", "a structure that cannot be followed to its end"),)


def _findings(data: memoryview, frame: pl.DataFrame) -> Iterator[Finding]:
    if len(data) < len(PARQUET) + _FOOTER_TAIL or bytes(data[:4]) != PARQUET or bytes(data[-4:]) != PARQUET:
        raise ThriftError("no Parquet file")
    end = len(data) - _FOOTER_TAIL
    begin = end - int.from_bytes(data[end : end + 4], "little")
    footer, after = read_struct(data, max(begin, 0))
    if after != end or written(footer) != bytes(data[begin:end]):
        yield carries("bytes:footer", "the footer holds bytes beyond its fields")
    yield from field_findings(footer, FOOTER)
    elements = list(footer.structs(2))
    yield from _schema_findings(elements, frame)
    yield from _metadata_findings(footer, {element.text(4) for element in elements[1:]})
    leaves = leaves_of(elements)
    chunks = [_chunk(data, held, leaf) for group in footer.structs(4) for held, leaf in _columns(group, leaves)]
    yield from _number_findings(footer, chunks, len(leaves), len(frame))
    yield from _tiling(data, chunks, begin)
    yield from _page_findings(data, footer, chunks, leaves, frame)


def _columns(group: Struct, leaves: list[Leaf]) -> Iterator[tuple[Struct, Leaf]]:
    held = list(group.structs(1))
    if len(held) != len(leaves):
        raise ThriftError("a row group has other columns than the schema")
    return zip(held, leaves, strict=True)


def _chunk(data: memoryview, held: Struct, leaf: Leaf) -> _Chunk:
    meta = held.inner(3)
    if meta is None:
        raise ThriftError("a column has no description")
    path = tuple(value.decode("utf-8", "replace") if isinstance(value, bytes) else "" for value in meta.listed(3))
    if path != leaf.path:
        raise ThriftError("a column is called otherwise than in the schema")
    begin = min(place for place in (meta.whole(9), meta.whole(11) or meta.whole(9)))
    end = begin + meta.whole(7)
    if not 4 <= begin <= end <= len(data):
        raise ThriftError("a column lies outside of the file")
    return _Chunk(held, meta, leaf, begin, end, pages_of(data, begin, end))


# -- names and texts


def _schema_findings(elements: list[Struct], frame: pl.DataFrame) -> Iterator[Finding]:
    """Return names in the schema that are not columns, and types that contain texts."""
    if elements and elements[0].text(4) not in ROOTS:
        yield carries("property:schema", "a name of its schema that no writer gives")
    fields = {name for dtype in frame.schema.values() for name in _field_names(dtype)}
    if not {element.text(4) for element in elements[1:]} <= {*frame.columns, *fields, *PARTS}:
        yield carries("property:schema", "names in its schema that are no columns")
    if any(text for element in elements for text in texts_in(element.get(10))):
        yield styled("types of columns that hold texts")
    elif not all(element.get(10) is None or is_logical_type(element.get(10)) for element in elements):
        yield carries("field:SchemaElement.10", "a type of a column that says more than a type")
    if not all(map(needs_its_numbers, elements)):
        yield _NUMBER


def _field_names(dtype: pl.DataType) -> Iterator[str]:
    if isinstance(dtype, pl.Struct):
        for each in dtype.fields:
            yield each.name
            yield from _field_names(each.dtype)  # type: ignore[arg-type]
    elif isinstance(dtype, pl.List | pl.Array):
        yield from _field_names(dtype.inner)  # type: ignore[arg-type]


def _metadata_findings(footer: Struct, names: set[str]) -> Iterator[Finding]:
    for entry in footer.structs(5):
        key = entry.text(1)
        if key == ARROW:
            yield from arrow_findings(entry.text(2), names)
        else:
            yield carries(f"metadata:{short(key)}", f"metadata {short(key)!r}")
    tool = footer.text(6)
    if tool and not TOOLS.fullmatch(tool):
        yield carries("property:created_by", "a name of the writing program that is not known")
    if not all(map(is_order, footer.listed(7))):
        yield carries("field:FileMetaData.7", "an order of columns that says more than that it is the usual one")


# -- numbers


def _number_findings(footer: Struct, chunks: list[_Chunk], width: int, rows: int) -> Iterator[Finding]:
    """Compare numbers of the footer with the pages."""
    groups = list(footer.structs(4))
    fits = footer.whole(1) in (1, 2) and footer.whole(3) == rows == sum(group.whole(3) for group in groups)
    fits = fits and len(footer.listed(7)) in (0, width)
    for number, group in enumerate(groups):
        own = chunks[number * width : (number + 1) * width]
        fits = fits and group.whole(2) == sum(chunk.meta.whole(6) for chunk in own)
        fits = fits and group.get(5) in (None, 0, own[0].begin if own else 0)
        fits = fits and group.get(6) in (None, sum(chunk.meta.whole(7) for chunk in own))
        fits = fits and group.get(7) in (None, number)
    if not fits or not all(_fits(chunk) for chunk in chunks):
        yield _NUMBER


def _fits(chunk: _Chunk) -> bool:
    meta, pages = chunk.meta, chunk.pages
    data = [page for page in pages if page.kind != 2]
    places = {0, chunk.begin, chunk.end, meta.whole(9), meta.whole(9) + meta.whole(7)}
    return (
        sum(page.values for page in data) == meta.whole(5)
        and sum(page.unpacked_size for page in pages) == meta.whole(6)
        and (not data or data[0].at == meta.whole(9))
        and meta.whole(1) == chunk.leaf.physical
        and chunk.held.whole(2) in places
        and meta.whole(11) in (0, chunk.begin)
        and all(chunk.held.whole(size) or not chunk.held.whole(place) for place, size in ((4, 5), (6, 7)))
        and _lists_encodings(chunk)
    )


def _lists_encodings(chunk: _Chunk) -> bool:
    """Whether the list of encodings has those that the pages use; many writers add the two of levels and dictionaries."""
    listed = list(chunk.meta.listed(2))
    pages = [page.encodings for page in chunk.pages if page.kind in (0, 2, 3)]
    used = {encoding for encoding, _ in pages}
    levels = set().union(*(levels for _, levels in pages))
    needed = {page.encodings[0] for page in chunk.pages if page.kind in (0, 3)}
    return len(set(listed)) == len(listed) and needed <= set(listed) <= {*used, *levels, *_ALWAYS}


# -- bytes


def _tiling(data: memoryview, chunks: list[_Chunk], footer: int) -> Iterator[Finding]:
    """Return bytes between pages, indexes and the footer that belong to none of them."""
    stray = carries("bytes:gap", "bytes that belong to no page")
    regions = [(chunk.begin, chunk.end, written(chunk.meta)) for chunk in chunks]
    for chunk in chunks:
        regions += [(at, at + size, b"") for at, size in _indexes(data, chunk)]
    at, description = len(PARQUET), b""
    for begin, end, after in sorted(regions):
        gap = bytes(data[at:begin])
        if begin < at or (gap and gap != description):
            yield stray
        at, description = end, after
    gap = bytes(data[at:footer])
    if at > footer or (gap and gap != description):
        yield stray


def _indexes(data: memoryview, chunk: _Chunk) -> Iterator[tuple[int, int]]:
    """Return the positions and lengths of the indexes and filters of a column."""
    for place, size in ((4, 5), (6, 7)):
        if chunk.held.whole(size):
            yield chunk.held.whole(place), chunk.held.whole(size)
    if begin := chunk.meta.whole(14):
        head, after = read_struct(data, begin)
        yield begin, after - begin + head.whole(1)


def _page_findings(data: memoryview, footer: Struct, chunks: list[_Chunk], leaves: list[Leaf], frame: pl.DataFrame) -> Iterator[Finding]:
    start = 0
    for number, group in enumerate(footer.structs(4)):
        own = chunks[number * len(leaves) : (number + 1) * len(leaves)]
        columns = leaf_series(rows := frame.slice(start, group.whole(3)))
        start += group.whole(3)
        if not _sorted_as_declared(group, rows, own):
            yield carries("field:RowGroup.4", "an order of rows that is claimed, on which readers rely, and that is not there")
        if len(columns) != len(own):
            raise ThriftError("the rows have other columns than the schema")
        for chunk, values in zip(own, columns, strict=True):
            yield from header_findings(data, chunk.pages)
            column = ColumnPages(data, chunk.leaf, chunk.meta.whole(4), chunk.pages)
            yield from column.findings(needed := Needed.of(values, chunk.leaf))
            yield from _index_findings(data, chunk, column)
            if not _true_statistics(data, chunk, needed):
                name = short(chunk.leaf.path[0])
                yield carries(f"statistics:{name}", f"statistics of {name!r} that are not those of its values")


def _true_statistics(data: memoryview, chunk: _Chunk, needed: Needed) -> bool:
    """Whether the statistics and the value index of a column and its pages contain values of the column and possible counts."""
    most, statistics = chunk.meta.whole(5), [chunk.meta.inner(12)]
    for page in chunk.pages:
        statistics += [inner.inner(number) for place, number in ((5, 5), (8, 8)) if (inner := page.head.inner(place)) is not None]
    texts: list[bytes] = []
    for one in statistics:
        for number, _, value in one.fields if one is not None else ():
            if isinstance(value, bytes) and number in (1, 2, 5, 6):
                texts.append(value)
                continue
            counts = type(value) is int and number in (3, 4) and 0 <= value <= most
            if not counts and not (isinstance(value, bool) and number in (7, 8)):
                return False
    if chunk.held.whole(7):
        try:
            index, after = read_struct(data, chunk.held.whole(6))
        except ThriftError:
            return False
        if after != chunk.held.whole(6) + chunk.held.whole(7) or not set(index.numbers) <= set(range(1, 8)):
            return False
        texts += [value for number in (2, 3) for value in index.listed(number) if isinstance(value, bytes)]
    if any(texts_in(chunk.meta.get(13))) or any(texts_in(chunk.meta.get(16))):
        return False
    return all(needed.has(text) for text in set(texts))


def _sorted_as_declared(group: Struct, rows: pl.DataFrame, chunks: list[_Chunk]) -> bool:
    """Whether the rows are sorted by the first declared sort column."""
    for order in list(group.structs(4))[:1]:
        number = order.whole(1)
        if number >= len(chunks) or (name := chunks[number].leaf.path[0]) not in rows.columns:
            return False
        column = rows[name]
        if column.dtype.is_nested():
            return False
        held = pl.Series(column.drop_nulls().to_list(), dtype=column.dtype)  # without the claim that it is sorted
        before, after = held.head(-1), held.tail(-1)
        return not bool(((before < after) if order.get(2) else (before > after)).any())
    return True


def _index_findings(data: memoryview, chunk: _Chunk, column: ColumnPages) -> Iterator[Finding]:
    """Verify that an offset index contains the positions of the pages and nothing else."""
    begin, size = chunk.held.whole(4), chunk.held.whole(5)
    if not size:
        return
    index, after = read_struct(data, begin)
    places = [(place.whole(1), place.whole(2), place.whole(3)) for place in index.structs(1)]
    first_rows = column.rows_before()
    pages = [(page.at, page.end - page.at) for page in chunk.pages if page.kind != 2]
    same = [place[:2] for place in places] == pages and first_rows in (None, [place[2] for place in places])
    plain = all(place.numbers == [1, 2, 3] for place in index.structs(1)) and index.numbers in ([1], [1, 2])
    if after != begin + size or written(index) != bytes(data[begin:after]) or not same or not plain:
        yield carries("bytes:index", "an index of pages that says more than where they are")
    elif index.numbers == [1, 2]:
        yield styled("an index of pages")
