"""Excel workbooks. One of a release is written again, and compared member by member; one of another tool is searched for texts that are
no cells: properties, headers of pages, defined names, further members, strings that no cell shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.io.canonical.findings import Finding, carries, different, short, styled
from shoal.io.canonical.zipped import Archive, ZipError, archive_of, zip_findings

SHEET, STRINGS, BOOK = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/workbook.xml"
CORE, APP, TABLE = "docProps/core.xml", "docProps/app.xml", "xl/tables/table1.xml"
# The members of a workbook that holds one sheet and nothing else.
_PLAIN = re.compile(
    r"\[Content_Types\]\.xml|_rels/\.rels|docProps/(app|core)\.xml|xl/workbook\.xml|xl/_rels/workbook\.xml\.rels|xl/styles\.xml"
    r"|xl/theme/theme1\.xml|xl/sharedStrings\.xml|xl/worksheets/sheet1\.xml|xl/worksheets/_rels/sheet1\.xml\.rels|xl/tables/table1\.xml"
)
_LOOKS = re.compile(r"xl/styles\.xml|xl/theme/theme1\.xml")
_TAG = re.compile(rb"<(?:\w+:)?(\w+)")
_ATTRIBUTE = re.compile(rb'\s([\w:]+)\s*=\s*(?:"([^"]*)"|\'([^\']*)\')')
_TEXT = re.compile(rb"<(?:\w+:)?(\w+)(?:\s[^<>]*)?>([^<]+)")
_TAIL = re.compile(rb"(?:</[^<>]+>|/>)\s*[^<\s]")
_ODD = re.compile(rb"<!--|<!\[|<!DOCTYPE|<!ENTITY|<\?(?!xml )")
_DATES = {"created", "modified"}
_CREATORS = {"openpyxl", "xlsxwriter"}
_SHEET_NAME = re.compile(r"records|(Sheet|Tabelle|Feuil|Hoja|Foglio|Arkusz|Munka|Blad|Ark|Planilha)? ?_?\d{0,3}|Sheet")
_PROGRAM = re.compile(r"Microsoft (Excel|Office)( Online)?( Compatible / Openpyxl [\d.]+)?|LibreOffice(/[\d.$\w-]{1,30})?")
_VALUE = re.compile(rb"-?[\d.]*(?:[eE][+-]?\d+)?|\$?[A-Z]{1,3}\$?\d*(?::\$?[A-Z]{1,3}\$?\d*)?|true|false|\d+(?::\d+)(?: \d+:\d+)*")
_WORDS = frozenset(
    b"n s str inlineStr b e d preserve portrait landscape visible pageBreakPreview pageLayout normal split frozen frozenSplit"
    b" topLeft topRight bottomLeft bottomRight auto none rId1 rId2 rId3 rId4 default noConversion".split()
)
_SHEET_TAGS = frozenset(
    b"xml worksheet sheetPr outlinePr pageSetUpPr dimension sheetViews sheetView pane selection sheetFormatPr cols col sheetData row c v is"
    b" t f pageMargins pageSetup printOptions phoneticPr sheetCalcPr tableParts tablePart ignoredErrors ignoredError autoFilter mergeCells"
    b" mergeCell".split()
)
_BOOK_TAGS = frozenset(
    b"xml workbook fileVersion workbookPr workbookProtection bookViews workbookView sheets sheet definedNames calcPr fileRecoveryPr".split()
)
_STRING_TAGS = frozenset(b"xml sst si t r rPr b i u strike sz color rFont family scheme charset vertAlign phoneticPr".split())
_USED = re.compile(rb'<(?:\w+:)?c\s[^<>]*\bt="s"[^<>]*>\s*(?:<(?:\w+:)?f[^<>]*(?:/>|>[^<]*</(?:\w+:)?f>))?\s*<(?:\w+:)?v>(\d+)<')
_STRING = re.compile(rb"<(?:\w+:)?si[\s/>]")


def own_workbook_findings(found: bytes, canonical: bytes) -> tuple[Finding, ...]:
    """How a workbook of a release differs from what the writer makes of its cells."""
    if found == canonical:
        return ()
    try:
        archive, wanted = archive_of(found), archive_of(canonical)
    except ZipError:
        return (carries("bytes:zip", "no plain zip archive"),)
    return different(_compared(archive, wanted))


def _compared(archive: Archive, wanted: Archive) -> Iterator[Finding]:
    yield from zip_findings(archive)
    here, there = archive.contents, wanted.contents
    for name in here.keys() - there.keys():
        yield carries(f"member:{short(name)}", f"a member {short(name)} that the writer does not make")
    for name in there.keys() - here.keys():
        yield carries(f"member:{name}", f"the member {name} is missing")
    for name in here.keys() & there.keys():
        if here[name] != there[name]:
            yield carries(f"member:{name}", f"the member {name} is not what the writer makes of the cells")
    if [member.name for member in archive.members] != [member.name for member in wanted.members]:
        yield carries("member:order", "members in another order")
    heads = {member.name: (member.head, member.extra) for member in wanted.members}
    for member in archive.members:
        if heads.get(member.name, (member.head, member.extra)) != (member.head, member.extra):
            yield carries(f"member:{short(member.name)}", f"another header of the member {short(member.name)}")


def workbook_findings(content: bytes) -> tuple[Finding, ...]:
    """What a workbook that any tool wrote holds beyond its cells."""
    try:
        archive = archive_of(content)
    except ZipError:
        return (carries("bytes:zip", "no plain zip archive"),)
    return different(_findings(archive))


def _findings(archive: Archive) -> Iterator[Finding]:
    yield from zip_findings(archive)
    contents = archive.contents
    for name, content in contents.items():
        if not _PLAIN.fullmatch(name):
            yield carries(f"member:{short(name)}", f"the member {short(name)}")
            continue
        if _ODD.search(content):
            yield carries(f"comment:{name}", f"comments or instructions in the member {name}")
        if _LOOKS.fullmatch(name):
            yield styled("styles and themes, whose names are not judged")
    yield from _properties(contents.get(CORE, b""), contents.get(APP, b""), _names_of_sheets(contents.get(BOOK, b"")))
    yield from _links(contents)
    yield from _of_table(contents.get(TABLE, b""), contents.get(SHEET, b"") + contents.get(STRINGS, b""))
    yield from _elements(SHEET, contents.get(SHEET, b""), _SHEET_TAGS, {b"t", b"v", b"f"})
    yield from _elements(STRINGS, contents.get(STRINGS, b""), _STRING_TAGS, {b"t"})
    yield from _elements(BOOK, contents.get(BOOK, b""), _BOOK_TAGS, frozenset())
    yield from _of_sheet(contents.get(SHEET, b""), contents.get(STRINGS, b""))
    yield from _sheet_names(contents.get(BOOK, b""))


def _properties(core: bytes, app: bytes, sheets: list[str]) -> Iterator[Finding]:
    """Properties of the document that are filled in, but for the times of writing and the names of programs."""
    for tag, text in _TEXT.findall(core):
        name, value = tag.decode("utf-8", "replace"), text.decode("utf-8", "replace").strip()
        if name in _DATES and value:
            yield styled("the time at which the workbook was written")
        elif value and not (name == "creator" and value in _CREATORS):
            yield carries(f"property:{short(name)}", f"the property {short(name)!r}")
    for tag, text in _TEXT.findall(app):
        name, value = tag.decode("utf-8", "replace"), text.decode("utf-8", "replace").strip()
        known = (
            (name == "lpstr" and value in (*sheets, "Worksheets", "Named Ranges"))
            or re.fullmatch(r"[\d.]*|true|false", value)
            or (name == "Application" and _PROGRAM.fullmatch(value))
        )
        if not known:
            yield carries(f"property:{short(name)}", f"the property {short(name)!r}")


def _links(contents: dict[str, bytes]) -> Iterator[Finding]:
    """Links between members that lead elsewhere."""
    names = {name.rpartition("/")[2] for name in contents}
    for member, content in contents.items():
        if not member.endswith((".rels", "[Content_Types].xml")) or not _PLAIN.fullmatch(member):
            continue
        targets = re.findall(rb'\b(?:Target|PartName)="([^"]*)"', content)
        leading = {target.decode("utf-8", "replace").rpartition("/")[2] for target in targets}
        if b"TargetMode" in content or not leading <= names:
            yield carries(f"link:{member}", f"a link in {member} that leads out of the workbook")


def _of_table(table: bytes, cells: bytes) -> Iterator[Finding]:
    """A range of cells that is formatted as a table repeats the names of its columns."""
    shown = {text for tag, text in _TEXT.findall(cells) if tag == b"t"}
    named = re.findall(rb'\b(name|displayName|\w*[lL]abel|\w*[fF]ormula|comment)="([^"]*)"', table)
    columns = set(re.findall(rb'<(?:\w+:)?tableColumn\s[^<>]*?\bname="([^"]*)"', table))
    other = {
        value for _, value in named if value not in shown and not re.fullmatch(rb"(Table|Frame|Tabelle)_?\d*|TableStyle\w{0,20}", value)
    }
    if other or not columns <= shown or {text for _, text in _TEXT.findall(table) if text.strip()}:
        yield carries(f"member:{TABLE}", f"names in the member {TABLE} that no cell shows")


def _elements(member: str, content: bytes, tags: frozenset[bytes], holding: set[bytes] | frozenset[bytes]) -> Iterator[Finding]:
    """Elements that hold no cells, and texts outside of cells."""
    for tag in sorted(set(_TAG.findall(content)) - tags):
        name = short(tag.decode("utf-8", "replace"))
        yield carries(f"element:{name}", f"an element {name!r} in the member {member}")
    texts = {tag for tag, text in _TEXT.findall(content) if text.strip()} - holding
    if texts - {b"xml"} or _TAIL.search(content):
        yield carries(f"text:{member}", f"texts outside of cells in the member {member}")


def _of_sheet(sheet: bytes, strings: bytes) -> Iterator[Finding]:
    if b"<f>" in sheet or b"<f " in sheet:
        yield carries("element:f", "formulas")
    if re.search(rb'\shidden="(1|true)"', sheet):
        yield styled("hidden rows or columns")
    odd = {name for name, value, other in set(_ATTRIBUTE.findall(sheet)) if not _is_plain(name, value or other)}
    for name in sorted(odd):
        yield carries(
            f"attribute:{short(name.decode())}", f"an attribute {short(name.decode())!r} of the sheet that says more than a number"
        )
    entries = len(_STRING.findall(strings))
    if len(set(_USED.findall(sheet))) < entries:
        yield carries(f"unused:{STRINGS}", "strings that no cell shows")


def _is_plain(name: bytes, value: bytes) -> bool:
    if name.startswith(b"xmlns") or name.endswith(b":Ignorable") or name.endswith(b":uid"):
        return b"openxmlformats.org" in value or b"schemas.microsoft.com" in value or name.endswith((b":Ignorable", b":uid"))
    return name in (b"version", b"encoding", b"standalone", b"space") or value in _WORDS or _VALUE.fullmatch(value) is not None


def _names_of_sheets(book: bytes) -> list[str]:
    return [name.decode("utf-8", "replace") for name in re.findall(rb'<(?:\w+:)?sheet\s[^<>]*?\bname="([^"]*)"', book)]


def _sheet_names(book: bytes) -> Iterator[Finding]:
    found = _names_of_sheets(book)
    if len(found) > 1:
        yield carries("sheet:further", "further sheets")
    for name in found:
        if not _SHEET_NAME.fullmatch(name):
            yield carries(f"sheet:{short(name)}", "a name of the sheet")
