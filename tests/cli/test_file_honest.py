"""What is honest holds: releases of every kind and format, and files of other tools, whose style is named and does not fail."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

import helpers.workbooks as books
import shoal
from helpers.cli import Shell, query_log
from helpers.kinds import KINDS
from helpers.parquet import first_meta, pair, put, rebuilt, unused_entry, with_footer
from helpers.tampering import renew
from shoal.cli.main import run
from shoal.errors import ParameterError
from shoal.io.canonical import zipped
from shoal.io.canonical.thrift import BINARY, LIST, STRUCT, Elements, Struct
from shoal.io.canonical.workbook import workbook_findings

FORM = "files in canonical form"
FORMATS = ("parquet", "csv", "jsonl", "xlsx", "transactions", "accesslog")
CLAIM = ["--claim", "k-anonymity(k=2)"]


@pytest.mark.parametrize("kind", KINDS)
def test_releases_of_every_kind_and_format(tmp_path: Path, kind: str):
    result = KINDS[kind](tmp_path)
    written = 0
    for format in FORMATS:
        for layout in ("lists", "long"):
            place = tmp_path / f"{format}-{layout}"
            try:
                result.write(place, to=format, layout=layout)
            except (ParameterError, shoal.errors.OutputError):
                continue
            found = shoal.audit(place, no_guarantee=True)
            verdict = next(check for check in found.checks if check.claim == FORM)
            assert found.holds, (format, layout, found.checks)
            assert verdict.notes == (), (format, layout)
            written += 1
    assert written >= (1 if kind == "access log" else 3)


def test_a_release_made_in_little_memory(tmp_path: Path):
    (tmp_path / "log.tsv").write_text(query_log(60))
    words = ["anonymize", tmp_path / "log.tsv", "--k", "3", "--memory", "512M", "--out", tmp_path / "release"]
    assert run([str(word) for word in words]) == 0
    found = shoal.audit(tmp_path / "release")
    assert found.holds
    assert next(check for check in found.checks if check.claim == FORM).notes == ()


def _parts(release: Path, sizes: list[int]) -> None:
    """A table of several files, as several workers write it, each in a row group of its own."""
    frame = pl.read_parquet(release / "records.parquet")
    told = json.loads((release / "manifest.json").read_text())
    (release / "records.parquet").unlink()
    start, files = 0, []
    for number, size in enumerate(sizes, 1):
        name = f"records_{number:05}.parquet"
        frame.slice(start, size).write_parquet(release / name, compression="zstd", compression_level=1, statistics=False)
        start += size
        files.append({**told["files"][0], "name": name, "part": f"{number:05}", "rows": size if number > 1 else told["files"][0]["rows"]})
    told["files"] = files + told["files"][1:]
    (release / "manifest.json").write_text(json.dumps(told))
    renew(release)


def test_a_release_of_several_files(tmp_path: Path):
    KINDS["bags"](tmp_path).write(tmp_path / "release", to="parquet")
    rows = len(pl.read_parquet(tmp_path / "release" / "records.parquet"))
    _parts(tmp_path / "release", [20, 1, rows - 21])
    verdict = next(check for check in shoal.audit(tmp_path / "release").checks if check.claim == FORM)
    assert verdict.holds, verdict
    assert verdict.achieved == {"files": 5}


@pytest.mark.parametrize(
    "again",
    [
        lambda frame, out: frame.write_parquet(out, compression="zstd", statistics=False, row_group_size=7),
        lambda frame, out: frame.write_parquet(out, compression="zstd", compression_level=9, statistics=False, data_page_size=64),
        lambda frame, out: out.write(rebuilt(_own(frame))),
    ],
    ids=["row groups", "pages", "without indexes"],
)
@pytest.mark.parametrize("kind", ["bags", "profiles", "weighted bags", "groups"])
def test_another_division_into_pages_holds_and_is_noted(tmp_path: Path, kind: str, again: Callable[[pl.DataFrame, io.BytesIO], object]):
    KINDS[kind](tmp_path).write(tmp_path / "release", to="parquet")
    file = next((tmp_path / "release").glob("*.parquet"))
    out = io.BytesIO()
    again(pl.read_parquet(file), out)
    file.write_bytes(out.getvalue())
    renew(tmp_path / "release")
    found = shoal.audit(tmp_path / "release")
    assert found.holds, found.checks
    verdict = next(check for check in found.checks if check.claim == FORM)
    assert verdict.notes == (f"{file.name}: the bytes are not those that this version writes, so the structure was checked instead",)


@pytest.mark.parametrize("again", [books.repacked, books.padded(books.SHEET)], ids=["another level", "padding"])
def test_a_workbook_that_is_packed_otherwise_holds_and_is_noted(tmp_path: Path, again: Callable[[bytes], bytes]):
    """Another library may pack the same content into other bytes, so they are no proof of anything, and are named."""
    KINDS["bags"](tmp_path).write(tmp_path / "release", to="xlsx")
    file = tmp_path / "release" / "records.xlsx"
    file.write_bytes(again(file.read_bytes()))
    renew(tmp_path / "release")
    found = shoal.audit(tmp_path / "release")
    assert found.holds, found.checks
    verdict = next(check for check in found.checks if check.claim == FORM)
    assert verdict.notes == (f"{file.name}: the bytes are not those that this version writes, so the structure was checked instead",)


def _own(frame: pl.DataFrame) -> bytes:
    out = io.BytesIO()
    frame.write_parquet(out, compression="zstd", compression_level=1, statistics=False)
    return out.getvalue()


# -- files of other tools

LISTS = [["beer", "milk"], ["beer", "milk"], ["tea"], ["tea"]]
LONG = [(number, item) for number, items in enumerate(LISTS, 1) for item in items]


def _csv_module(place: Path) -> Path:
    with (place / "a.csv").open("w", newline="") as out:
        csv.writer(out, quoting=csv.QUOTE_ALL).writerows([("record", "items"), *((n, ";".join(items)) for n, items in enumerate(LISTS, 1))])
    return place / "a.csv"


def _pandas_csv(place: Path) -> Path:
    pl.DataFrame(LONG, schema=["record", "item"], orient="row").to_pandas().to_csv(place / "a.csv", index=False)
    return place / "a.csv"


def _pandas_json(place: Path) -> Path:
    pl.DataFrame({"record": range(1, 5), "items": LISTS}).to_pandas().to_json(place / "a.jsonl", orient="records", lines=True)
    return place / "a.jsonl"


def _polars(place: Path) -> Path:
    pl.DataFrame({"record": range(1, 5), "items": LISTS}).write_parquet(place / "a.parquet")
    return place / "a.parquet"


def _pyarrow(place: Path) -> Path:
    pq.write_table(pa.table({"record": list(range(1, 5)), "items": LISTS}), place / "a.parquet")
    return place / "a.parquet"


def _pyarrow_of_all_kinds(place: Path) -> Path:
    options = {"data_page_version": "2.0", "write_page_index": True, "write_page_checksum": True, "compression": "gzip"}
    pq.write_table(pa.table({"record": list(range(1, 5)), "items": LISTS}), place / "a.parquet", **options)
    return place / "a.parquet"


def _openpyxl(place: Path) -> Path:
    import openpyxl

    book = openpyxl.Workbook()
    for row in [("record", "items"), *((n, ";".join(items)) for n, items in enumerate(LISTS, 1))]:
        book.active.append(row)
    book.save(place / "a.xlsx")
    return place / "a.xlsx"


def _pandas_excel(place: Path) -> Path:
    pl.DataFrame(LONG, schema=["record", "item"], orient="row").to_pandas().to_excel(place / "a.xlsx", index=False)
    return place / "a.xlsx"


def _polars_excel(place: Path) -> Path:
    pl.DataFrame(LONG, schema=["record", "item"], orient="row").write_excel(place / "a.xlsx")
    return place / "a.xlsx"


def _excel(place: Path) -> Path:
    """A workbook with what Excel adds to that of openpyxl."""
    office = "http://schemas.microsoft.com/office/spreadsheetml"
    spaces = (
        'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" mc:Ignorable="x14ac xr" '
        f'xmlns:x14ac="{office}/2009/9/ac" xmlns:xr="{office}/2014/revision" xr:uid="{{00000000-0001-0000-0000-000000000000}}"'
    )
    file = _pandas_excel(place)
    changes = [
        (books.SHEET, "<worksheet ", f"<worksheet {spaces} "),
        (books.SHEET, "<row ", '<row x14ac:dyDescent="0.25" ht="15.75" customHeight="1" '),
        (books.BOOK, "<workbookPr ", '<workbookPr codeName="ThisWorkbook" '),
        (books.APP, "<Application>", "<TotalTime>0</TotalTime><Application>"),
    ]
    for name, before, after in changes:
        file.write_bytes(books.member(name, before, after)(file.read_bytes()))
    return file


def _libreoffice(place: Path) -> Path:
    """A workbook with names of programs and flags as LibreOffice writes them."""
    file = _pandas_excel(place)
    changes = [
        (books.BOOK, "<workbookPr ", '<workbookPr backupFile="false" showObjects="all" date1904="false" '),
        (books.SHEET, "<row ", '<row hidden="false" collapsed="false" outlineLevel="0" '),
        (books.APP, "Microsoft Excel", "LibreOffice/7.3.7.2$Linux_X86_64"),
    ]
    for name, before, after in changes:
        file.write_bytes(books.member(name, before, after)(file.read_bytes()))
    return file


def _gzipped(place: Path) -> Path:
    with gzip.open(place / "a.csv.gz", "wb") as out:
        out.write(b"record,item\n" + b"".join(b"%d,%s\n" % (n, item.encode()) for n, item in LONG))
    return place / "a.csv.gz"


def _of_windows(place: Path) -> Path:
    rows = "".join(f"{n},{item}\r\n" for n, item in LONG)
    (place / "a.csv").write_bytes(b"\xef\xbb\xbf" + f"record,item\r\n{rows}".encode())
    return place / "a.csv"


TOOLS: dict[str, tuple[Callable[[Path], Path], str]] = {
    "the module csv": (_csv_module, "quotes around fields"),
    "pandas, CSV": (_pandas_csv, ""),
    "pandas, JSON lines": (_pandas_json, ""),
    "Polars": (_polars, "statistics of columns"),
    "pyarrow": (_pyarrow, "statistics of columns"),
    "pyarrow with all options": (_pyarrow_of_all_kinds, "data pages of version 2"),
    "openpyxl": (_openpyxl, "the time at which the workbook was written"),
    "pandas, Excel": (_pandas_excel, "styles and themes"),
    "Polars, Excel": (_polars_excel, "styles and themes"),
    "Excel": (_excel, "identifiers of sheets and tables"),
    "LibreOffice": (_libreoffice, "styles and themes"),
    "gzip": (_gzipped, "the name of the file in the header of gzip"),
    "Windows": (_of_windows, "a byte order mark; line ends with a carriage return"),
}


@pytest.mark.parametrize("name", TOOLS)
def test_a_file_of_another_tool_is_not_failed_for_its_style(shell: Shell, name: str):
    make, style = TOOLS[name]
    answer = shell("audit", make(shell.directory), *CLAIM)
    assert answer.code == 0, answer.everything
    assert style in " ".join(answer.err.split())
    assert ("not content: " in answer.err) == bool(style)


def test_pandas_leaves_metadata_that_must_be_allowed(shell: Shell):
    pl.DataFrame({"record": range(1, 5), "items": LISTS}).to_pandas().to_parquet(shell.directory / "a.parquet")
    answer = shell("audit", "a.parquet", *CLAIM)
    assert answer.code == 3
    assert "'metadata:pandas' is not covered by any claim" in answer.out
    assert shell("audit", "a.parquet", *CLAIM, "--allow-column", "metadata:pandas").code == 0


def _edited(make: Callable[[Path], Path], edit: Callable[[bytes], bytes]) -> Callable[[Path], Path]:
    def tamper(place: Path) -> Path:
        file = make(place)
        file.write_bytes(edit(file.read_bytes()))
        return file

    return tamper


def _field_metadata(place: Path) -> Path:
    schema = pa.schema([pa.field("record", pa.int64(), metadata={"owners": "ann,bob"}), ("items", pa.list_(pa.string()))])
    pq.write_table(pa.table([list(range(1, 5)), LISTS], schema=schema), place / "a.parquet")
    return place / "a.parquet"


def _unused_category(place: Path) -> Path:
    items = pa.DictionaryArray.from_arrays(pa.array([0, 0, 1, 1]), pa.array(["beer", "tea", "ann"]))
    pq.write_table(pa.table({"record": list(range(1, 5)), "item": items}), place / "a.parquet", compression="zstd")
    return place / "a.parquet"


def _false_order(place: Path) -> Path:
    table = pa.table({"record": [1, 2, 3, 4], "items": LISTS, "n": [4, 1, 3, 2]}).select(["n", "items"])
    pq.write_table(table, place / "a.parquet", sorting_columns=[pq.SortingColumn(0)])
    return place / "a.parquet"


def _gzip_name(place: Path) -> Path:
    with (place / "a.csv.gz").open("wb") as raw, gzip.GzipFile("ann", "wb", fileobj=raw) as out:
        out.write(b"record,item\n1,tea\n2,tea\n")
    return place / "a.csv.gz"


def _skipped_frame(place: Path) -> Path:
    packed = zstandard.ZstdCompressor().compress(b"record,item\n1,tea\n2,tea\n")
    (place / "a.csv.zst").write_bytes(packed + (0x184D2A5F).to_bytes(4, "little") + (3).to_bytes(4, "little") + b"ann")
    return place / "a.csv.zst"


def _defined_name(place: Path) -> Path:
    import openpyxl
    from openpyxl.workbook.defined_name import DefinedName

    file = _openpyxl(place)
    book = openpyxl.load_workbook(file)
    book.defined_names["ann"] = DefinedName("ann", attr_text="Sheet!$A$1")
    book.save(file)
    return file


def _page_header(place: Path) -> Path:
    import openpyxl

    file = _openpyxl(place)
    book = openpyxl.load_workbook(file)
    book.active.oddHeader.center.text = "ann"
    book.save(file)
    return file


def _false_statistics(footer: Struct) -> Struct:
    """Names as the least and the greatest value of the last column."""
    (group,) = footer.get(4).values
    *chunks, last = group.get(1).values
    meta = put(last.get(3), 12, STRUCT, Struct(((5, BINARY, b"bob"), (6, BINARY, b"ann"))))
    fresh = put(group, 1, LIST, Elements(STRUCT, (*chunks, put(last, 3, STRUCT, meta))))
    return put(footer, 4, LIST, Elements(STRUCT, (fresh,)))


def _in_utf_16(data: bytes) -> bytes:
    body = data.decode().replace(">openpyxl<", ">ann<")
    return f'<?xml version="1.0" encoding="UTF-16"?>{body}'.encode("utf-16")


CARRIERS: dict[str, tuple[Callable[[Path], Path], str]] = {
    "metadata of a field": (_field_metadata, "metadata:record/owners"),
    "metadata of a column chunk": (
        _edited(_polars, lambda data: with_footer(data, first_meta(lambda meta: put(meta, 8, LIST, pair(b"k", b"v"))))),
        "field:ColumnMetaData.8",
    ),
    "statistics of other values": (_edited(_pyarrow, lambda data: with_footer(data, _false_statistics)), "statistics:items"),
    "statistics of other numbers": (
        _edited(
            _pyarrow, lambda data: with_footer(data, first_meta(lambda meta: put(meta, 12, STRUCT, Struct(((5, BINARY, b"ann, bob"),)))))
        ),
        "statistics:record",
    ),
    "unused category": (_unused_category, "unused:item"),
    "order that is not there": (_false_order, "field:RowGroup.4"),
    "bytes between columns": (_edited(_polars, lambda data: rebuilt(data, between=b"ann")), "bytes:gap"),
    "name in gzip": (_gzip_name, "name:gzip"),
    "bytes after gzip": (_edited(_gzipped, lambda data: data + b"\x1f\x8b\x08\x00ann, bob"), "bytes:gzip"),
    "frame that zstd skips": (_skipped_frame, "bytes:zstd"),
    "author": (_edited(_openpyxl, books.member(books.CORE, ">openpyxl<", ">ann<")), "property:creator"),
    "company": (_edited(_pandas_excel, books.member(books.APP, "<Company></Company>", "<Company>ann</Company>")), "property:Company"),
    "further member": (_edited(_openpyxl, books.added("xl/extra.xml", "<ann/>")), "member:xl/extra.xml"),
    "defined name": (_defined_name, "element:definedName"),
    "page header": (_page_header, "element:headerFooter"),
    "unused string": (
        _edited(_pandas_excel, books.member("xl/sharedStrings.xml", "</sst>", "<si><t>ann</t></si></sst>")),
        "unused:xl/sharedStrings.xml",
    ),
    "comment of the archive": (_edited(_openpyxl, books.in_parts(lambda parts: books.replace(parts, comment=b"ann"))), "comment:zip"),
    "extra field": (_edited(_openpyxl, books.described(books.SHEET, extra=b"\xfe\xca\x03\x00ann")), "extra:xl/worksheets/sheet1.xml"),
    "comment in the sheet": (
        _edited(_openpyxl, books.member(books.SHEET, "<sheetData>", "<sheetData><!-- ann -->")),
        "comment:xl/worksheets/sheet1.xml",
    ),
    "properties in UTF-16": (_edited(_openpyxl, books.whole(books.CORE, _in_utf_16)), "bytes:docProps/core.xml"),
    "properties that are no XML": (_edited(_openpyxl, books.whole(books.CORE, lambda _: b"ann")), "bytes:docProps/core.xml"),
    "properties of the program that are no XML": (_edited(_openpyxl, books.whole(books.APP, lambda _: b"ann")), "bytes:docProps/app.xml"),
    "table that is no XML": (_edited(_polars_excel, books.whole("xl/tables/table1.xml", lambda _: b"ann")), "bytes:xl/tables/table1.xml"),
    "entity": (
        _edited(_openpyxl, books.whole(books.CORE, lambda data: b'<!DOCTYPE a [<!ENTITY ann "bob">]>' + data)),
        "bytes:docProps/core.xml",
    ),
    "code name": (_edited(_pandas_excel, books.member(books.BOOK, "<workbookPr ", '<workbookPr codeName="ann" ')), "attribute:codeName"),
    "name of a link": (_edited(_openpyxl, books.member("_rels/.rels", 'Id="rId1"', 'Id="ann"')), "attribute:Id"),
    "kind of a link": (_edited(_openpyxl, books.member("_rels/.rels", "/extended-properties", "/ann")), "link:_rels/.rels"),
    "way of a link": (
        _edited(_openpyxl, books.member("_rels/.rels", '"docProps/app', '"ann/../docProps/app')),
        "link:_rels/.rels",
    ),
    "attribute of a time": (
        _edited(_openpyxl, books.member(books.CORE, "<dcterms:created ", '<dcterms:created who="ann" ')),
        "attribute:who",
    ),
    "text as a time": (_edited(_openpyxl, books.member(books.CORE, "</dcterms:created>", "ann</dcterms:created>")), "property:created"),
    "unknown attribute of a row": (_edited(_openpyxl, books.member(books.SHEET, "<row ", '<row ann="1" ')), "attribute:ann"),
    "attribute with a hyphen": (_edited(_openpyxl, books.member(books.SHEET, "<row ", '<row data-who="ann" ')), "attribute:data-who"),
    "version of a row": (_edited(_openpyxl, books.member(books.SHEET, "<row ", '<row version="ann" ')), "attribute:version"),
    "prefix called after a person": (
        _edited(_openpyxl, books.member(books.SHEET, "<worksheet ", '<worksheet xmlns:ann="http://schemas.microsoft.com/ann" ')),
        "attribute:xmlns:ann",
    ),
    "prefix that is not declared": (
        _edited(_openpyxl, books.member(books.CORE, "</cp:core", "<ann:title/></cp:core")),
        "element:ann:title",
    ),
    "property without a value": (_edited(_openpyxl, books.member(books.CORE, "</cp:core", "<ann/></cp:core")), "element:ann"),
    "cell twice": (
        _edited(_openpyxl, books.member(books.SHEET, "</row>", '<c r="A1" t="inlineStr"><is><t>record</t></is></c></row>')),
        "text:xl/worksheets/sheet1.xml",
    ),
    "text in a style": (_edited(_openpyxl, books.member(books.STYLES, "<fonts", "ann<fonts")), "text:xl/styles.xml"),
    "name of the sheet": (_edited(_openpyxl, books.member(books.BOOK, 'name="Sheet"', 'name="ann"')), "sheet:ann"),
}


@pytest.mark.parametrize("name", CARRIERS)
def test_what_can_carry_free_text_fails_unless_it_is_allowed(shell: Shell, name: str):
    make, called = CARRIERS[name]
    file = make(shell.directory)
    answer = shell("audit", file, *CLAIM)
    if answer.code == 1:  # the reader refuses it
        assert name == "bytes after gzip"
        return
    assert answer.code == 3
    assert f"'{called}' is not covered by any claim" in " ".join(answer.out.split())
    names = re.findall(r"'([^']+)' is not covered by any claim", " ".join(answer.out.split()))
    allowed = shell("audit", file, *CLAIM, *(word for one in names for word in ("--allow-column", one)))
    assert allowed.code == 0, allowed.everything
    assert f"'{called}' was allowed without verification" in " ".join(allowed.out.split())


LINE = '10.0.0.{} - - [{}] "GET /a HTTP/1.1" 200 {}\n'
STAMP = "01/Mar/2006:10:00:00 +0000"
ACCESS_CLAIM = ("--claim", "access-k-anonymity(k=2)")
SPELLINGS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "case of a month": ("a.log", LINE.format(1, STAMP, 1) + LINE.format(2, STAMP.replace("Mar", "MAR"), 1), ("spelling:time",)),
    "zero before a size": ("a.log", LINE.format(1, STAMP, 1) + LINE.format(2, STAMP, "01"), ("spelling:size",)),
    "zero before a count": ("a.csv", "record,item,count\n1,tea,1\n2,tea,01\n", ("spelling:count",)),
    "plus before a count": ("a.csv", "record,item,count\n1,tea,1\n2,tea,+1\n", ("spelling:count",)),
    "plain numbers": ("a.csv", "record,item,count\n1,tea,1\n2,tea,1\n", ()),
    "plain lines": ("a.log", LINE.format(1, STAMP, 1) + LINE.format(2, STAMP, 1), ()),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_another_spelling_must_be_allowed(shell: Shell, name: str):
    file, text, names = SPELLINGS[name]
    (shell.directory / file).write_text(text)
    claim = ACCESS_CLAIM if file == "a.log" else CLAIM
    answer = shell("audit", file, *claim)
    assert answer.code == (3 if names else 0), answer.everything
    assert all(f"'{one}'" in answer.out for one in names)
    allowed = shell("audit", file, *claim, *(word for one in names for word in ("--allow-column", one)))
    assert allowed.code == 0, allowed.everything


@pytest.mark.timing
def test_the_structure_of_a_large_file_is_walked_quickly(tmp_path: Path):
    from time import perf_counter

    from shoal.io.canonical.parquet_file import parquet_findings

    frame = pl.DataFrame({"query": [f"word {n % 5000}" for n in range(200_000)], "n": range(200_000)})
    content = _own(frame)
    started = perf_counter()
    assert parquet_findings(content, frame) == ()
    assert perf_counter() - started < 10
    assert "unused:query" in {one.name for one in parquet_findings(rebuilt(content, unused_entry("query", b"ann")), frame)}


def test_a_workbook_is_not_unpacked_beyond_its_plain_members(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    content = books.added("xl/extra.xml", "a" * 1_000_000)(_openpyxl(tmp_path).read_bytes())
    monkeypatch.setattr(zipped, "LARGEST", 100_000)
    assert {one.name for one in workbook_findings(content) if not one.style} == {"member:xl/extra.xml"}
    monkeypatch.setattr(zipped, "LARGEST", 5_000)
    assert {one.name for one in workbook_findings(content)} == {"bytes:zip"}


def test_a_copied_release_holds(tmp_path: Path):
    KINDS["rows"](tmp_path).write(tmp_path / "release")
    shutil.copytree(tmp_path / "release", tmp_path / "copy")
    (tmp_path / "link").symlink_to(tmp_path / "copy")
    assert shoal.audit(tmp_path / "link").holds
