"""Tamperings with the form of a release's files, for every kind of table and every format: the content stays as it is.

Each is an edit of one file's bytes. Digests are renewed afterwards, as anybody can.
"""

from __future__ import annotations

import base64
import io
import json
import re
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import helpers.workbooks as books
from helpers.parquet import (
    checksum,
    dictionary_page,
    first_chunk,
    first_element,
    first_meta,
    hidden_frame,
    in_header,
    index_page,
    longer_page,
    more_pages,
    odd_header,
    page_statistics,
    pair,
    put,
    rebuilt,
    same,
    stray_bits,
    unused_entry,
    with_footer,
)
from shoal.io.canonical.thrift import BINARY, BYTE, I32, I64, LIST, STRUCT, TRUE, Elements, Struct

Edit = Callable[[bytes], bytes]


@dataclass(frozen=True)
class FileTampering:
    """An edit of a file of a release of this kind and format, and words of the message.

    `file` is the ending of the file's name; `form` the format, perhaps with a layout. Where `also`, other checks fail too; where
    `anyhow`, the mark is content (a blank line is a row) or makes the file unreadable, so that something else than the form catches it.
    """

    kind: str
    form: str
    edit: Edit
    words: str
    file: str = ""
    also: bool = False
    anyhow: bool = False


# -- text of any format


def lines(change: Callable[[list[bytes]], list[bytes]]) -> Edit:
    return lambda data: b"\n".join(change(data.split(b"\n")))


def in_line(number: int, before: str, after: str) -> Edit:
    """The first match of a pattern in a line replaced; it must be there."""

    def change(data: bytes) -> bytes:
        found = data.split(b"\n")
        fresh = re.sub(before.encode(), after.encode(), found[number], count=1)
        assert fresh != found[number], found[number]
        return b"\n".join([*found[:number], fresh, *found[number + 1 :]])

    return change


TEXT: dict[str, tuple[Edit, str]] = {
    "byte order mark": (lambda data: b"\xef\xbb\xbf" + data, "byte order mark"),
    "carriage returns": (lambda data: data.replace(b"\n", b"\r\n"), "line ends other than a line feed"),
    "one carriage return": (lambda data: data.replace(b"\n", b"\r\n", 1), "line ends other than a line feed"),
    "no line feed at the end": (lambda data: data[:-1], "no line feed at the end"),
}
BLANK: dict[str, tuple[Edit, str]] = {
    "blank line at the end": (lambda data: data + b"\n", "blank lines"),
    "blank line inside": (lambda data: data.replace(b"\n", b"\n\n", 1), "blank lines"),
}
CSV_KINDS = ("bags", "rows", "profiles", "groups", "chunks", "weighted bags", "microdata", "counts", "no guarantee")
CSV_EDITS: dict[str, tuple[Edit, str]] = {
    "quoted header": (in_line(0, r"^(\w+)", r'"\1"'), "first line 1"),
    "quoted field": (in_line(1, r"^([^,\"]+)", r'"\1"'), "first line 2"),
}
JSON_KINDS = ("bags", "rows", "profiles", "groups", "chunks", "weighted bags", "microdata", "counts")
JSON_EDITS: dict[str, tuple[Edit, str]] = {
    "space in an object": (in_line(0, r"^\{", "{ "), "first line 1"),
    "space after the object": (in_line(0, r"\}$", "} "), "first line 1"),
    "tab after a colon": (in_line(0, r":", ":\t"), "first line 1"),
    "other order of keys": (lines(lambda found: [_turned(found[0]), *found[1:]]), "first line 1"),
}
BLANK_IN_JSON = ("bags", "rows", "counts", "microdata")


def _turned(line: bytes) -> bytes:
    dense = b": " not in line
    turned = dict(reversed(list(json.loads(line).items())))
    return json.dumps(turned, ensure_ascii=False, separators=(",", ":") if dense else (", ", ": ")).encode()


def escaped(data: bytes) -> bytes:
    """The first letter of the first text as an escape."""
    found = re.search(rb'"([A-Za-z])', data.split(b"\n")[0])
    assert found is not None
    return data[: found.start(1)] + f"\\u{ord(found[1]):04x}".encode() + data[found.end(1) :]


JSON_EDITS["letter as an escape"] = (escaped, "first line 1")

# -- numbers and times


NUMBERS: dict[str, FileTampering] = {
    "zero before a number of microdata": FileTampering("microdata", "csv", in_line(1, r"^", "0"), "first line 2"),
    "point after a number of microdata": FileTampering("microdata", "csv", in_line(1, r"^(\d+)\.(\d+)", r"\1.\g<2>0"), "first line 2"),
    "power of ten in microdata": FileTampering("microdata", "csv", in_line(1, r"^(\d)(\d)\.(\d+)", r"\1.\2\3e1"), "first line 2"),
    "plus before a number of microdata": FileTampering("microdata", "csv", in_line(3, r"^", "+"), "first line 4"),
    "longer number of microdata in JSON": FileTampering("microdata", "jsonl", in_line(0, r"(\d\.\d+)", r"\g<1>0"), "first line 1"),
    "power of ten of microdata in JSON": FileTampering(
        "microdata", "jsonl", in_line(0, r":(\d)(\d)\.(\d+)", r":\1.\2\3e1"), "first line 1"
    ),
    "zero before a count": FileTampering("counts", "csv", in_line(1, r",(\d+)$", r",0\1"), "first line 2"),
    "plus before a count": FileTampering("counts", "csv", in_line(1, r",(\d+)$", r",+\1"), "first line 2"),
    "zero before a pseudonym": FileTampering("profiles", "csv", in_line(1, r"^", "0"), "first line 2"),
    "zero before a group": FileTampering("groups", "csv", in_line(1, r"^(\d)", r"0\1"), "first line 2", file="_rows.csv"),
    "zero before a count of a histogram": FileTampering(
        "groups", "csv", in_line(1, r"(\d+)$", r"0\1"), "first line 2", file="_histogram.csv"
    ),
    "zero before a cluster": FileTampering("chunks", "csv", in_line(1, r"^(\d)", r"0\1"), "first line 2", file="_subrecords.csv"),
    "zero before a number of records": FileTampering("chunks", "csv", in_line(1, r"(\d+)$", r"0\1"), "first line 2", file="_clusters.csv"),
    "longer weight": FileTampering("weighted bags", "csv", in_line(1, r"(\.\d+)", r"\g<1>0"), "first line 2"),
    "longer weight in JSON": FileTampering("weighted bags", "jsonl", in_line(0, r"(\d\.\d+)", r"\g<1>0"), "first line 1"),
    "fraction of a second": FileTampering("profiles", "csv", in_line(1, r"(\d\d:\d\d:\d\d)", r"\1.000"), "first line 2"),
    "fraction of a second in JSON": FileTampering("profiles", "jsonl", in_line(0, r"(\d\d:\d\d:\d\d)", r"\1.000"), "first line 1"),
    "zero before a record": FileTampering("bags", "csv long", in_line(1, r"^", "0"), "first line 2", also=True),
    "zero before a count in the long layout": FileTampering("bags", "csv long", in_line(1, r",(\d+),(\d*)$", r",0\1,\2"), "first line 2"),
    "zero before a level": FileTampering("bags", "csv long", in_line(1, r"(\d+)$", r"0\1"), "first line 2", also=True),
}


# -- records in other orders and quotes


def reversed_items(separator: bytes) -> Edit:
    def change(data: bytes) -> bytes:
        found = data.split(b"\n")
        at = next(number for number, line in enumerate(found) if line.count(separator) and not line.startswith(b"record,"))
        head, comma, items = found[at].rpartition(b",")
        found[at] = head + comma + separator.join(reversed(items.split(separator)))
        return b"\n".join(found)

    return change


def _one_record(found: list[bytes], at_least: int) -> list[bytes]:
    """The rows of the first record that has several, in the opposite order."""
    numbers = [line.split(b",")[0] for line in found]
    first = next(number for number in numbers if number and numbers.count(number) >= at_least)
    at = [place for place, number in enumerate(numbers) if number == first]
    turned = [found[place] for place in reversed(at)]
    return [*found[: at[0]], *turned, *found[at[-1] + 1 :]]


def _renumbered(data: bytes) -> bytes:
    head, *rest, end = data.split(b"\n")
    return b"\n".join([head, *(b"%d,%s" % (n, line.split(b",", 1)[1]) for n, line in enumerate(rest)), end])


RECORDS: dict[str, FileTampering] = {
    "items in another order": FileTampering("bags", "csv", reversed_items(b";"), "not written as the writer writes"),
    "separator at the end of items": FileTampering("bags", "csv", in_line(1, r"$", ";"), "first line 2"),
    "two separators between items": FileTampering("bags", "csv", in_line(1, r",", ",;"), "first line 2"),
    "items in another order, lines": FileTampering("bags", "transactions", reversed_items(b"\t"), "not written as the writer writes"),
    "separator at the end of a line": FileTampering("bags", "transactions", in_line(0, r"$", "\t"), "first line 1"),
    "two separators in a line": FileTampering("bags", "transactions", in_line(0, r"^", "\t"), "first line 1"),
    "items in another order, long": FileTampering(
        "bags", "csv long", lines(lambda found: [found[0], *_one_record(found[1:], 2)]), "not written as the writer writes"
    ),
    "records numbered from 0": FileTampering("bags", "csv", _renumbered, "lines are not written"),
}


# -- access logs

# The judges of fields object to these too.
OF_FIELDS = {"byte order mark", "other time zone", "name as ident", "name as user", "two lines in another order"}

ACCESS: dict[str, FileTampering] = {
    name: FileTampering("access log", "accesslog", edit, words, also=name in OF_FIELDS)
    for name, (edit, words) in {
        **TEXT,
        "zero before a size": (in_line(0, r"(\" \d{3}) (\d)", r"\1 0\2"), "first line 1"),
        "other time zone": (in_line(0, r"\+0000", "-0000"), "first line 1"),
        "name as ident": (in_line(0, r" - - ", " ann - "), "first line 1"),
        "name as user": (in_line(0, r" - - ", " - ann "), "first line 1"),
        "two lines in another order": (lines(lambda found: [found[-2], *found[1:-2], found[0], *found[-1:]]), "not written"),
        "line separator of Unicode": (lambda data: data.replace(b"\n", "\u2028".encode(), 1), "line ends other than a line feed"),
        "vertical tab as a line end": (lambda data: data.replace(b"\n", b"\x0b", 1), "line ends other than a line feed"),
    }.items()
}

# -- Parquet

PARQUET_KINDS = ("bags", "rows", "profiles", "groups", "chunks", "weighted bags", "microdata", "counts", "no guarantee")


def by_arrow(change: Callable[[pa.Table], pa.Table] = same, **options: object) -> Edit:
    """The rows written again by pyarrow."""

    def edit(data: bytes) -> bytes:
        out = io.BytesIO()
        settings = {"compression": "zstd", "write_statistics": False, **options}
        pq.write_table(change(pq.read_table(io.BytesIO(data))), out, **settings)
        return out.getvalue()

    return edit


def by_polars(**options: object) -> Edit:
    """The rows written again by Polars, in another way."""

    def edit(data: bytes) -> bytes:
        out = io.BytesIO()
        pl.read_parquet(io.BytesIO(data)).write_parquet(out, **{"compression": "zstd", "statistics": False, **options})  # type: ignore[arg-type]
        return out.getvalue()

    return edit


def named_field(table: pa.Table) -> pa.Table:
    first = table.schema.field(0).with_metadata({"owner": "ann"})
    return table.cast(table.schema.set(0, first))


def entry(key: bytes, value: bytes) -> Callable[[Struct], Struct]:
    return lambda footer: put(footer, 5, LIST, Elements(STRUCT, (*footer.get(5).values, *pair(key, value).values)))


def longer_schema(footer: Struct) -> Struct:
    """The description of columns with bytes behind it."""
    (known,) = footer.get(5).values
    content = base64.b64decode(known.get(2)) + b"ann, bob"
    return put(footer, 5, LIST, Elements(STRUCT, (put(known, 2, BINARY, base64.b64encode(content)),)))


def _narrow(table: pa.Table) -> pa.Table:
    at = next(n for n, field in enumerate(table.schema) if pa.types.is_int64(field.type))
    return table.cast(table.schema.set(at, pa.field(table.schema.field(at).name, pa.int32())))


def with_features(footer: Struct) -> Struct:
    """A description of columns whose list of features is a text."""
    text = b"ann, bob"
    table = struct.pack("<HHHHHH", 12, 12, 0, 4, 0, 8)  # where the fields of the schema are
    message = struct.pack("<I", 16) + struct.pack("<HHHHH", 10, 12, 8, 10, 4) + b"\0\0" + struct.pack("<iIHBx", 12, 20, 4, 1)
    schema = struct.pack("<i", 12) + struct.pack("<II", 8, 8) + struct.pack("<I", 0) + struct.pack("<I", 1) + text
    content = message + table + schema
    packed = base64.b64encode(b"\xff\xff\xff\xff" + struct.pack("<I", len(content)) + content)
    return put(footer, 5, LIST, pair(b"ARROW:schema", packed))


def unused_dictionary(data: bytes) -> bytes:
    """The first column written plainly, with a dictionary of as many other numbers before it."""
    plain = by_arrow(use_dictionary=False, store_schema=False)(data)
    frame = pl.read_parquet(io.BytesIO(data))
    size, numbers = frame[:, 0].to_physical().n_unique(), frame.columns[0] != "query"
    content = (b"ann, bob" * size) if numbers else b"\3\0\0\0ann" * size
    return more_pages(plain, 0, dictionary_page(content, size))


ODD_TYPE = Struct(((10, STRUCT, Struct(((1, BYTE, 64), (2, TRUE, True), (9, I64, 31415926)))),))


def _odd_orders(footer: Struct) -> Struct:
    order = Struct(((1, STRUCT, Struct(((5, I32, 31415),))),))
    return put(footer, 7, LIST, Elements(STRUCT, (order,) * len(footer.get(7).values)))


PARQUET_EDITS: dict[str, tuple[Edit, str]] = {
    "metadata": (by_polars(metadata={"owners": "ann,bob"}), "metadata 'owners'"),
    "metadata of a column": (by_arrow(named_field), "metadata 'owner' of the column"),
    "statistics": (by_polars(statistics=True), "statistics of columns"),
    "bytes before the footer": (lambda data: with_footer(data, same, b"ann, bob"), "bytes that belong to no page"),
    "bytes between columns": (lambda data: rebuilt(data, between=b"ann, bob"), "bytes that belong to no page"),
    "bytes behind the values of a page": (lambda data: rebuilt(data, longer_page), "that belong to no value"),
}
PARQUET_ONCE: dict[str, tuple[Edit, str]] = {
    "metadata, with the same pages": (lambda data: with_footer(data, entry(b"owners", b"ann")), "metadata 'owners'"),
    "empty metadata": (lambda data: with_footer(data, entry(b"ann", b"")), "metadata 'ann'"),
    "metadata of a column chunk": (
        lambda data: with_footer(data, first_meta(lambda meta: put(meta, 8, LIST, pair(b"owner", b"ann")))),
        "field 8 of ColumnMetaData",
    ),
    "statistics in the footer": (
        lambda data: with_footer(data, first_meta(lambda meta: put(meta, 12, STRUCT, Struct(((5, BINARY, b"ann"),))))),
        "statistics of columns",
    ),
    "statistics of a page": (lambda data: rebuilt(data, page_statistics), "statistics of columns"),
    "path of another file": (
        lambda data: with_footer(data, first_chunk(lambda chunk: put(chunk, 1, BINARY, b"ann"))),
        "field 1 of ColumnChunk",
    ),
    "unknown field of the footer": (lambda data: with_footer(data, lambda footer: put(footer, 99, BINARY, b"ann")), "field 99"),
    "unknown field of a column": (lambda data: with_footer(data, first_meta(lambda meta: put(meta, 99, BINARY, b"ann"))), "field 99"),
    "unknown field of a page": (lambda data: rebuilt(data, odd_header), "field 99 of PageHeader"),
    "field twice": (
        lambda data: with_footer(data, lambda footer: Struct(((6, BINARY, b"ann"), *footer.fields))),
        "given twice",
    ),
    "other name of the program": (lambda data: with_footer(data, lambda footer: put(footer, 6, BINARY, b"ann")), "writing program"),
    "other name of the schema": (
        lambda data: with_footer(data, first_element(lambda element: put(element, 4, BINARY, b"ann"))),
        "a name of its schema",
    ),
    "number of a column": (
        lambda data: with_footer(data, first_element(lambda element: put(element, 9, I32, 31415), 1)),
        "numbers of columns",
    ),
    "other version": (lambda data: with_footer(data, lambda footer: put(footer, 1, I32, 31415)), "numbers in the footer"),
    "other number of a row group": (
        lambda data: with_footer(data, first_chunk(lambda chunk: put(chunk, 2, 6, 31415))),
        "numbers in the footer",
    ),
    "bytes at the end of the footer": (lambda data: with_footer(data, same, b"", b"ann"), "the footer holds bytes"),
    "bytes behind the description of columns": (lambda data: with_footer(data, longer_schema), "ARROW:schema"),
    "checksums that are none": (lambda data: rebuilt(data, checksum), "a checksum that is not that of its page"),
    "frame that is skipped": (lambda data: rebuilt(data, hidden_frame), "that belong to no value"),
    "packed in another way": (by_polars(compression="snappy"), "packed with snappy"),
    "index of pages": (by_arrow(write_page_index=True), "an index of pages"),
    "pages of version 2": (by_arrow(data_page_version="2.0"), "data pages of version 2"),
    "checksums": (by_arrow(write_page_checksum=True), "checksums of pages"),
    "order of rows": (by_arrow(sorting_columns=[pq.SortingColumn(0)]), "the order of rows"),
    "encodings that no page uses": (
        lambda data: with_footer(data, first_meta(lambda meta: put(meta, 2, LIST, Elements(I32, (*meta.get(2).values, 31415, 27182))))),
        "numbers in the footer",
    ),
    "place of an index": (
        lambda data: with_footer(rebuilt(data), first_chunk(lambda chunk: put(chunk, 4, I64, 31415926))),
        "numbers in the footer",
    ),
    "digits of a type": (
        lambda data: with_footer(data, first_element(lambda one: put(put(one, 7, I32, 31415), 8, I32, 27182), 1)),
        "numbers in the footer",
    ),
    "length of a type": (lambda data: with_footer(data, first_element(lambda one: put(one, 2, I32, 31415), 1)), "numbers in the footer"),
    "number in a type": (
        lambda data: with_footer(data, first_element(lambda one: put(one, 10, STRUCT, ODD_TYPE), 1)),
        "a type of a column that says more",
    ),
    "numbers among the orders of columns": (lambda data: with_footer(data, _odd_orders), "an order of columns that says more"),
    "features in the description of columns": (lambda data: with_footer(data, with_features), "ARROW:schema"),
    "encodings of levels": (lambda data: rebuilt(data, in_header(5, {3: 31415, 4: 27182})), "numbers in the header of a page"),
    "encoding of a dictionary": (lambda data: rebuilt(data, in_header(7, {2: 31415})), "numbers in the header of a page"),
    "page that no reader reads": (lambda data: more_pages(data, 0, last=index_page(b"ann, bob")), "a page that holds no values"),
    "dictionary that no page uses": (unused_dictionary, "that no row uses"),
    "another type": (by_arrow(_narrow), "types of columns that are not as the writer writes them"),
}


def dictionary_of(column: str) -> Edit:
    return lambda data: rebuilt(data, unused_entry(column, b"ann"))


DICTIONARIES: dict[str, FileTampering] = {
    f"unused entry of a dictionary: {kind}": FileTampering(
        kind, form, dictionary_of(column), f"entries in the dictionary of '{column}' that no row uses", file=file
    )
    for kind, form, column, file in (
        ("rows", "parquet", "query", ""),
        ("profiles", "parquet", "query", ""),
        ("no guarantee", "parquet", "query", ""),
        ("chunks", "parquet", "item", "_subrecords.parquet"),
        ("bags", "parquet long", "item", ""),
    )
}

PARQUET_OF_RECORDS: dict[str, FileTampering] = {
    "bits after the last number": FileTampering("bags", "parquet", lambda data: rebuilt(data, stray_bits), "that belong to no value"),
}

# -- Excel

WORKBOOK_KINDS = ("bags", "rows", "profiles", "groups", "chunks", "weighted bags", "counts")
FOOTER = "<headerFooter><oddHeader>ann, bob</oddHeader></headerFooter></worksheet>"
WORKBOOK_EDITS: dict[str, tuple[Edit, str]] = {
    "author": (books.member(books.CORE, "<dc:creator></dc:creator>", "<dc:creator>ann</dc:creator>"), books.CORE),
    "page header": (books.member(books.SHEET, "</worksheet>", FOOTER), books.SHEET),
    "further member": (books.added("xl/extra.xml", "<ann/>"), "xl/extra.xml"),
    "comment of the archive": (books.in_parts(lambda parts: books.replace(parts, comment=b"ann, bob")), "a comment of the zip archive"),
}
NAMES = '<definedNames><definedName name="ann">records!$A$1</definedName></definedNames><calcPr'
WORKBOOK_ONCE: dict[str, tuple[Edit, str]] = {
    "company": (books.member(books.APP, "<Company></Company>", "<Company>ann</Company>"), books.APP),
    "defined name": (books.member(books.BOOK, "<calcPr", NAMES), books.BOOK),
    "strings that no cell shows": (books.added("xl/sharedStrings.xml", "<sst><si><t>ann</t></si></sst>"), "xl/sharedStrings.xml"),
    "name of the sheet": (books.member(books.BOOK, 'name="records"', 'name="ann"'), books.BOOK),
    "hidden row": (books.member(books.SHEET, '<row r="2"', '<row r="2" hidden="1"'), books.SHEET),
    "width of a column": (
        books.member(books.SHEET, "<sheetData>", '<cols><col min="1" max="1" width="9"/></cols><sheetData>'),
        books.SHEET,
    ),
    "comment in a sheet": (books.member(books.SHEET, "<sheetData>", "<sheetData><!-- ann -->"), books.SHEET),
    "comment in a theme": (books.member(books.THEME, "<a:themeElements>", "<!-- ann --><a:themeElements>"), books.THEME),
    "name of a style": (books.member(books.STYLES, 'name="Normal"', 'name="ann"'), books.STYLES),
    "kind of a further member": (
        books.member(books.TYPES, "</Types>", '<Override PartName="/ann.xml" ContentType="application/xml"/></Types>'),
        books.TYPES,
    ),
    "number with a point": (books.member(books.SHEET, "<v>1</v>", "<v>1.0</v>"), books.SHEET),
    "time of a member": (books.described(books.SHEET, date_time=(2006, 3, 1, 7, 17, 12)), "times at which members were written"),
    "comment of a member": (books.described(books.SHEET, comment=b"ann"), "a comment of the member"),
    "extra field of a member": (books.described(books.SHEET, extra=b"\xfe\xca\x03\x00ann"), "extra fields of the member"),
    "rights of a member": (books.described(books.SHEET, external_attr=0o100777 << 16), "another header of the member"),
    "member that is not packed": (books.described(books.SHEET, compress_type=0), "another header of the member"),
    "members in another order": (books.in_parts(books.swapped), "members in another order"),
    "bytes after the archive": (lambda data: data + b"ann, bob", "bytes that belong to no member"),
    "bytes before the list of members": (books.gap, "bytes that belong to no member"),
}


# -- all of them


def every_tampering() -> Iterator[tuple[str, FileTampering]]:
    """All tamperings with tables, by name."""
    yield from _of_texts()
    for kind in PARQUET_KINDS:
        for name, (edit, words) in PARQUET_EDITS.items():
            if name != "bytes between columns" or kind != "rows":  # which have one column
                yield f"{kind}, Parquet, {name}", FileTampering(kind, "parquet", edit, words)
    for name, (edit, words) in PARQUET_ONCE.items():
        yield f"profiles, Parquet, {name}", FileTampering("profiles", "parquet", edit, words, also=name == "order of rows")
    for kind in WORKBOOK_KINDS:
        for name, (edit, words) in WORKBOOK_EDITS.items():
            yield f"{kind}, Excel, {name}", FileTampering(kind, "xlsx", edit, words)
    for name, (edit, words) in WORKBOOK_ONCE.items():
        yield f"bags, Excel, {name}", FileTampering("bags", "xlsx", edit, words)
    for table in (NUMBERS, RECORDS, ACCESS, DICTIONARIES, PARQUET_OF_RECORDS):
        yield from ((f"{name} ({one.kind})", one) for name, one in table.items())


def _of_texts() -> Iterator[tuple[str, FileTampering]]:
    for kind in CSV_KINDS:
        for name, (edit, words) in (TEXT | BLANK | CSV_EDITS).items():
            yield f"{kind}, CSV, {name}", FileTampering(kind, "csv", edit, words, anyhow=name in BLANK and kind != "bags")
    for kind in JSON_KINDS:
        for name, (edit, words) in (TEXT | JSON_EDITS | (BLANK if kind in BLANK_IN_JSON else {})).items():
            unreadable = name in {"byte order mark", "other order of keys"} and kind != "bags"
            if not (name == "other order of keys" and kind == "rows"):  # which have one column
                yield f"{kind}, JSON lines, {name}", FileTampering(kind, "jsonl", edit, words, anyhow=unreadable)
    for name, (edit, words) in TEXT.items():
        yield f"bags, transactions, {name}", FileTampering("bags", "transactions", edit, words)


TAMPERINGS = dict(every_tampering())


def tampered_file(release: Path, ending: str) -> Path:
    """The file of a release that an edit is about: the first of its tables, unless the name says which."""
    told = json.loads((release / "manifest.json").read_text())
    return release / next(file["name"] for file in told["files"] if "table" in file and file["name"].endswith(ending))
